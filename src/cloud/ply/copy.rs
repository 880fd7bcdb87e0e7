//! A PLY file copied with the properties of the labels.

use super::super::labels::{DISTANCE, LABEL, Labels, PIECE, for_each_chunk};
use super::super::text::line::{content, number};
use super::super::{PointReader, bytes::Section};
use super::header::{Encoding, Front, Property, Type};
use super::lists;
use super::write::{COMMENT, label_properties};
use crate::atomic::AtomicFile;
use crate::{Error, Result};
use std::io::{BufRead, BufReader, Read, Write};
use std::path::Path;

/// Properties of earlier labels, which the new ones replace.
const EARLIER: [&str; 3] = [LABEL, DISTANCE, PIECE];

/// Copies a file to `path`, as text or binary as it came, with the labels of the points of `reader` behind the properties of its vertices.
///
/// All that the file holds is kept, lists and other elements with it; earlier labels are replaced.
pub(super) fn copy(
    ply: &Front,
    mut reader: Box<dyn PointReader>,
    mut labels: Labels<'_>,
    path: &Path,
) -> Result<()> {
    let mut vertices = Vertices::new(ply);
    let encoding = ply.header.encoding;
    let mut file = AtomicFile::create(path)?;
    file.write_all(&new_header(ply, labels.names())?).map_err(Error::io(path))?;
    ply.bytes.copy_to(ply.header.length..ply.start, &mut file)?;
    let (mut bytes, mut values) = (Vec::new(), Vec::new());
    for_each_chunk(&mut *reader, &mut labels, |chunk, labels| {
        bytes.clear();
        for k in 0..chunk.len() {
            vertices.append(&mut bytes)?;
            values.clear();
            labels.encode(k, [chunk.x[k], chunk.y[k], chunk.z[k]], &mut values);
            append(encoding, &values, &mut bytes);
        }
        file.write_all(&bytes).map_err(Error::io(path))
    })?;
    ply.bytes.copy_to(vertices.at..ply.bytes.len(), &mut file)?;
    file.commit()
}

/// Appends the labels of a point, 32 bits each: plane, distance and, where there is one, piece.
fn append(encoding: Encoding, values: &[u8], bytes: &mut Vec<u8>) {
    for (k, &value) in values.as_chunks::<4>().0.iter().enumerate() {
        match (encoding, k) {
            (Encoding::Little, _) => bytes.extend(value),
            (Encoding::Big, _) => bytes.extend(value.iter().rev()),
            (Encoding::Ascii, 1) => bytes.extend(text_of(f32::from_le_bytes(value)).as_bytes()),
            (Encoding::Ascii, _) => {
                bytes.extend(format!(" {}", i32::from_le_bytes(value)).as_bytes());
            }
        }
    }
    if encoding == Encoding::Ascii {
        bytes.push(b'\n');
    }
}

/// A distance as text; readers in C know `nan` in small letters.
fn text_of(distance: f32) -> String {
    if distance.is_nan() { " nan".into() } else { format!(" {distance}") }
}

/// The header with the labels called `names` behind the properties of the vertices, and with the comment if it is
/// not there yet.
fn new_header(ply: &Front, names: &[&str]) -> Result<Vec<u8>> {
    let old = ply.bytes.head(0, ply.header.length)?;
    let ending: &[u8] = if old.ends_with(b"\r\n") { b"\r\n" } else { b"\n" };
    let mut new = Vec::new();
    let (mut elements, mut has_comment) = (0, false);
    let add = |new: &mut Vec<u8>| {
        for property in label_properties(names) {
            new.extend([b"property ", property.as_bytes(), ending].concat());
        }
    };
    for line in old.split_inclusive(|&byte| byte == b'\n') {
        let text = String::from_utf8_lossy(line);
        let words: Vec<&str> = text.split_ascii_whitespace().collect();
        let is_vertex = elements == ply.vertex + 1;
        match words[..] {
            ["element" | "end_header", ..] => {
                if is_vertex {
                    add(&mut new);
                }
                if words[0] == "element" && elements == 0 && !has_comment {
                    new.extend([COMMENT.as_bytes(), ending].concat());
                }
                elements += 1;
            }
            ["property", "list", _, _, ref name @ ..] if is_vertex && drops(ply, name, true) => {
                continue;
            }
            ["property", kind, ref name @ ..]
                if is_vertex && kind != "list" && drops(ply, name, false) =>
            {
                continue;
            }
            _ => has_comment |= text.trim() == COMMENT,
        }
        new.extend(line);
    }
    Ok(new)
}

/// Whether these words are the name of a property of the vertices, or of a list, that is passed over.
fn drops(ply: &Front, name: &[&str], is_list: bool) -> bool {
    let name = name.join(" ");
    let is_one = |p: &Property| p.name == name && matches!(p.kind, Type::List(..)) == is_list;
    EARLIER.contains(&&*name) && ply.vertex().properties.iter().any(is_one)
}

/// A pass over the vertices, byte by byte.
struct Vertices<'a> {
    ply: &'a Front,
    /// Where the next one starts.
    at: u64,
    stream: BufReader<Section>,
    line: Vec<u8>,
}

impl Vertices<'_> {
    /// Starts with the first vertex.
    fn new(ply: &Front) -> Vertices<'_> {
        let section = Section::new(ply.bytes.clone(), ply.start, ply.bytes.len());
        let stream = BufReader::with_capacity(1 << 20, section);
        Vertices { ply, at: ply.start, stream, line: Vec::new() }
    }

    /// Appends what stays of the next vertex, in text without the end of its line.
    fn append(&mut self, out: &mut Vec<u8>) -> Result<()> {
        match self.ply.header.encoding {
            Encoding::Ascii => self.append_line(out),
            encoding => self.append_record(encoding == Encoding::Big, out),
        }
    }

    fn append_record(&mut self, big_endian: bool, out: &mut Vec<u8>) -> Result<()> {
        let ply = self.ply;
        for property in &ply.vertex().properties {
            let from = out.len();
            match property.kind {
                Type::Scalar(kind) => self.take(kind.size() as u64, out)?,
                Type::List(count, item) => {
                    self.take(count.size() as u64, out)?;
                    let mut raw = out[out.len() - count.size()..].to_vec();
                    if big_endian {
                        raw.reverse();
                    }
                    // A negative count is none.
                    let count = lists::value(count, &raw) as u64;
                    self.take(count.saturating_mul(item.size() as u64), out)?;
                }
            }
            if EARLIER.contains(&&*property.name) {
                out.truncate(from);
            }
        }
        Ok(())
    }

    fn take(&mut self, length: u64, out: &mut Vec<u8>) -> Result<()> {
        let next = self.at.checked_add(length).filter(|&next| next <= self.ply.bytes.len());
        let next = next.ok_or_else(|| self.short())?;
        let from = out.len();
        out.resize(from + length as usize, 0);
        self.stream.read_exact(&mut out[from..]).map_err(Error::io(self.ply.bytes.path()))?;
        self.at = next;
        Ok(())
    }

    fn append_line(&mut self, out: &mut Vec<u8>) -> Result<()> {
        loop {
            self.line.clear();
            let read = self.stream.read_until(b'\n', &mut self.line);
            let length = read.map_err(Error::io(self.ply.bytes.path()))?;
            if length == 0 {
                return Err(self.short());
            }
            self.at += length as u64;
            if content(&self.line).is_some() {
                break;
            }
        }
        let is_blank = |byte: &u8| matches!(byte, b' ' | b'\t' | b'\r' | b'\n');
        // As many as the header says: what follows would be taken for the labels, and so would these where
        // some are missing.
        let mut words = self.line.split(is_blank).filter(|word| !word.is_empty());
        let mut first = true;
        for property in &self.ply.vertex().properties {
            let stays = !EARLIER.contains(&&*property.name);
            let (mut left, mut is_count): (u64, bool) =
                (1, matches!(property.kind, Type::List(..)));
            while left > 0 {
                let word = words.next().ok_or_else(|| self.incomplete())?;
                left -= 1;
                if std::mem::take(&mut is_count) {
                    // As the reader has it, to which a negative count is none.
                    let count = number(word).filter(|&(_, length)| length == word.len());
                    left = count.ok_or_else(|| self.incomplete())?.0 as u64;
                }
                if stays {
                    out.extend(if first { &b""[..] } else { b" " });
                    out.extend(word);
                    first = false;
                }
            }
        }
        Ok(())
    }

    fn incomplete(&self) -> Error {
        let place = format!("byte {}", self.at - self.line.len() as u64);
        let message =
            "this vertex lacks values that its header promises, so it cannot be labelled as PLY";
        Error::format(self.ply.bytes.path(), place, message)
    }

    fn short(&self) -> Error {
        let place = format!("byte {}", self.at);
        Error::format(self.ply.bytes.path(), place, "the file ends within a vertex")
    }
}
