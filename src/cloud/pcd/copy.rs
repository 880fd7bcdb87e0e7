//! A PCD file copied with the fields of the labels.

use super::super::bytes::Section;
use super::super::labels::{Labels, for_each_chunk};
use super::super::text::line::content;
use super::super::{Chunk, PointReader};
use super::header::{Data, Field, Front, Header};
use super::write::{EARLIER, label_fields};
use crate::atomic::AtomicFile;
use crate::{Error, Result};
use std::io::{BufRead, BufReader, Read, Write};
use std::path::Path;

/// Copies a file to `path` and adds the labels of the points of `reader` after their fields. Text stays text; binary
/// files, compressed or not, become binary.
///
/// All fields, the width, the height and the viewpoint stay; earlier labels are replaced.
pub(super) fn copy(
    front: &Front,
    mut reader: Box<dyn PointReader>,
    mut labels: Labels<'_>,
    path: &Path,
) -> Result<()> {
    let mut file = AtomicFile::create(path)?;
    file.write_all(new_header(&front.header, labels.names()).text().as_bytes())
        .map_err(Error::io(path))?;
    let mut points = Points::new(front);
    let is_text = front.header.data == Data::Ascii;
    let (mut bytes, mut values) = (Vec::new(), Vec::new());
    for_each_chunk(&mut *reader, &mut labels, |chunk, labels| {
        bytes.clear();
        for k in 0..chunk.len() {
            points.append(&mut bytes)?;
            values.clear();
            labels.encode(k, position(chunk, k), &mut values);
            if is_text {
                append_text(&values, &mut bytes);
            } else {
                bytes.extend(&values);
            }
        }
        file.write_all(&bytes).map_err(Error::io(path))
    })?;
    file.commit()
}

fn position(chunk: &Chunk, k: usize) -> [f64; 3] {
    [chunk.x[k], chunk.y[k], chunk.z[k]]
}

/// Appends the labels of a point (plane, distance and perhaps piece, 32 bits each) and the end of the line.
fn append_text(values: &[u8], bytes: &mut Vec<u8>) {
    for (k, &value) in values.as_chunks::<4>().0.iter().enumerate() {
        let text = match (k, f32::from_le_bytes(value)) {
            // Readers in C expect `nan` in lower case.
            (1, distance) if distance.is_nan() => " nan".to_string(),
            (1, distance) => format!(" {distance}"),
            _ => format!(" {}", i32::from_le_bytes(value)),
        };
        bytes.extend(text.as_bytes());
    }
    bytes.push(b'\n');
}

/// The header of the copy, with fields for these labels.
fn new_header(old: &Header, names: &[&str]) -> Header {
    let kept = old.fields.iter().filter(|field| stays(field)).cloned();
    Header {
        fields: kept.chain(label_fields(names)).collect(),
        data: if old.data == Data::Ascii { Data::Ascii } else { Data::Binary },
        ..old.clone()
    }
}

fn stays(field: &Field) -> bool {
    !EARLIER.contains(&&*field.name)
}

/// A pass over the records or lines of the file.
struct Points<'a> {
    front: &'a Front,
    stream: BufReader<Section>,
    /// The current record or line.
    now: Vec<u8>,
    /// The start of the next one.
    at: u64,
}

impl Points<'_> {
    fn new(front: &Front) -> Points<'_> {
        let section = Section::new(front.bytes.clone(), front.start, front.bytes.len());
        let stream = BufReader::with_capacity(1 << 20, section);
        Points { front, stream, now: Vec::new(), at: front.start }
    }

    /// Appends the fields of the next point that stay; in text, without the end of the line.
    fn append(&mut self, out: &mut Vec<u8>) -> Result<()> {
        match self.front.header.data {
            Data::Ascii => self.append_line(out),
            Data::Binary | Data::Compressed => self.append_record(out),
        }
    }

    fn append_record(&mut self, out: &mut Vec<u8>) -> Result<()> {
        let Front { header, bytes, .. } = self.front;
        self.now.resize(header.stride(), 0);
        self.stream.read_exact(&mut self.now).map_err(Error::io(bytes.path()))?;
        let mut rest = &self.now[..];
        for field in &header.fields {
            let (value, after) = rest.split_at(field.width());
            rest = after;
            if stays(field) {
                out.extend(value);
            }
        }
        Ok(())
    }

    fn append_line(&mut self, out: &mut Vec<u8>) -> Result<()> {
        let path = self.front.bytes.path();
        let wrong = |at, message: &str| Error::format(path, format!("byte {at}"), message);
        loop {
            self.now.clear();
            let length = self.stream.read_until(b'\n', &mut self.now).map_err(Error::io(path))?;
            if length == 0 {
                return Err(wrong(self.at, "the file ends within the points"));
            }
            self.at += length as u64;
            if content(&self.now).is_some() {
                break;
            }
        }
        let is_blank = |byte: &u8| matches!(byte, b' ' | b'\t' | b'\r' | b'\n');
        let mut words = self.now.split(is_blank).filter(|word| !word.is_empty());
        let mut first = true;
        // Exactly as many values as the header says: missing or extra values would shift the labels.
        for field in &self.front.header.fields {
            for _ in 0..field.count {
                let start = self.at - self.now.len() as u64;
                let word = words.next().ok_or_else(|| {
                    wrong(start, "this point lacks values that its header promises, so it cannot be labelled as PCD")
                })?;
                if stays(field) {
                    out.extend(if first { &b""[..] } else { b" " });
                    out.extend(word);
                    first = false;
                }
            }
        }
        Ok(())
    }
}
