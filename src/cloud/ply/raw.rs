//! The vertices of a PLY file as they stand, for a copy with more properties.

use super::super::bytes::{Bytes, Section};
use super::super::text::{
    line::{content, number},
    lines,
};
use super::header::{Element, Encoding, Header, Property, Type};
use super::lists::{self, Cursor};
use crate::{Error, Result};
use std::io::{BufRead, BufReader, Read};
use std::ops::Range;
use std::sync::Arc;

/// A pass over the vertices, byte by byte.
pub(crate) struct RawVertices {
    bytes: Arc<Bytes>,
    header: Header,
    /// Which element the vertices are.
    vertex: usize,
    /// Names of properties that are passed over.
    dropped: &'static [&'static str],
    /// Which properties of a vertex stay, and their types.
    properties: Vec<(Type, bool)>,
    /// Where the first vertex starts.
    start: u64,
    /// Where the next one starts.
    at: u64,
    stream: BufReader<Section>,
    line: Vec<u8>,
}

impl RawVertices {
    /// Starts with the first vertex; properties called as `dropped` are passed over.
    pub(crate) fn open(
        bytes: &Arc<Bytes>,
        dropped: &'static [&'static str],
    ) -> Result<RawVertices> {
        let header = Header::read(bytes)?;
        let index = header.elements.iter().position(|element| element.name == "vertex");
        let vertex = index
            .ok_or_else(|| Error::format(bytes.path(), "header", "there is no element vertex"))?;
        let before = &header.elements[..vertex];
        let start = match header.encoding {
            Encoding::Ascii => {
                let count = before.iter().map(|e| e.count).fold(0, u64::saturating_add);
                lines::skip(bytes, header.length, header.lines + 1, count)?.0
            }
            encoding => {
                let cursor = Cursor::new(bytes, header.length, encoding == Encoding::Big);
                lists::skip(cursor, before)?
            }
        };
        let section = Section::new(bytes.clone(), start, bytes.len());
        let properties = header.elements[vertex].properties.iter();
        Ok(RawVertices {
            bytes: bytes.clone(),
            properties: properties.map(|p| (p.kind, !dropped.contains(&&*p.name))).collect(),
            header,
            vertex,
            dropped,
            start,
            at: start,
            stream: BufReader::with_capacity(1 << 20, section),
            line: Vec::new(),
        })
    }

    /// How the body is written.
    pub(crate) fn encoding(&self) -> Encoding {
        self.header.encoding
    }

    /// The header with `added` behind the properties of the vertices, and with `comment` if it is not
    /// there yet.
    pub(crate) fn header(&self, added: &[&str], comment: &str) -> Result<Vec<u8>> {
        let old = self.bytes.head(0, self.header.length)?;
        let ending: &[u8] = if old.ends_with(b"\r\n") { b"\r\n" } else { b"\n" };
        let mut new = Vec::new();
        let (mut elements, mut has_comment) = (0, false);
        let add = |new: &mut Vec<u8>| {
            added.iter().for_each(|property| new.extend([property.as_bytes(), ending].concat()));
        };
        for line in old.split_inclusive(|&byte| byte == b'\n') {
            let text = String::from_utf8_lossy(line);
            let words: Vec<&str> = text.split_ascii_whitespace().collect();
            let is_vertex = elements == self.vertex + 1;
            match words[..] {
                ["element" | "end_header", ..] => {
                    if is_vertex {
                        add(&mut new);
                    }
                    if words[0] == "element" && elements == 0 && !has_comment {
                        new.extend([comment.as_bytes(), ending].concat());
                    }
                    elements += 1;
                }
                ["property", "list", _, _, ref name @ ..]
                    if is_vertex && self.drops(name, true) =>
                {
                    continue;
                }
                ["property", kind, ref name @ ..]
                    if is_vertex && kind != "list" && self.drops(name, false) =>
                {
                    continue;
                }
                _ => has_comment |= text.trim() == comment,
            }
            new.extend(line);
        }
        Ok(new)
    }

    /// Whether these words are the name of a property, or of a list, that is passed over.
    fn drops(&self, name: &[&str], is_list: bool) -> bool {
        let name = name.join(" ");
        let vertex: &Element = &self.header.elements[self.vertex];
        let is_one = |p: &Property| p.name == name && matches!(p.kind, Type::List(..)) == is_list;
        self.dropped.contains(&&*name) && vertex.properties.iter().any(is_one)
    }

    /// The bytes between the header and the first vertex.
    pub(crate) fn before(&self) -> Range<u64> {
        self.header.length..self.start
    }

    /// The bytes behind the last vertex that was taken.
    pub(crate) fn after(&self) -> Range<u64> {
        self.at..self.bytes.len()
    }

    /// Appends what stays of the next vertex, in text without the end of its line.
    pub(crate) fn append(&mut self, out: &mut Vec<u8>) -> Result<()> {
        match self.header.encoding {
            Encoding::Ascii => self.append_line(out),
            encoding => self.append_record(encoding == Encoding::Big, out),
        }
    }

    fn append_record(&mut self, big_endian: bool, out: &mut Vec<u8>) -> Result<()> {
        for k in 0..self.properties.len() {
            let (kind, stays) = self.properties[k];
            let from = out.len();
            match kind {
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
            if !stays {
                out.truncate(from);
            }
        }
        Ok(())
    }

    fn take(&mut self, length: u64, out: &mut Vec<u8>) -> Result<()> {
        let next = self.at.checked_add(length).filter(|&next| next <= self.bytes.len());
        let next = next.ok_or_else(|| self.short())?;
        let from = out.len();
        out.resize(from + length as usize, 0);
        self.stream.read_exact(&mut out[from..]).map_err(Error::io(self.bytes.path()))?;
        self.at = next;
        Ok(())
    }

    fn append_line(&mut self, out: &mut Vec<u8>) -> Result<()> {
        loop {
            self.line.clear();
            let read = self.stream.read_until(b'\n', &mut self.line);
            let length = read.map_err(Error::io(self.bytes.path()))?;
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
        for &(kind, stays) in &self.properties {
            let (mut left, mut is_count): (u64, bool) = (1, matches!(kind, Type::List(..)));
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
        Error::format(self.bytes.path(), place, message)
    }

    fn short(&self) -> Error {
        let place = format!("byte {}", self.at);
        Error::format(self.bytes.path(), place, "the file ends within a vertex")
    }
}
