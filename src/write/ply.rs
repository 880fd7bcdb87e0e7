//! PLY, binary and text.

use super::{LABEL, PlyEncoding, PointWriter, Row, Rows, WriteOptions};
use crate::atomic::AtomicFile;
use crate::cloud::{Chunk, Fields};
use crate::{Error, Result};
use std::io::{Seek, SeekFrom, Write};
use std::path::Path;

/// Digits of the largest 64-bit count.
const COUNT_DIGITS: usize = 20;

pub(super) struct PlyWriter {
    file: AtomicFile,
    fields: Fields,
    encoding: PlyEncoding,
    points: u64,
    bytes: Vec<u8>,
}

impl PlyWriter {
    pub(super) fn create(path: &Path, options: &WriteOptions) -> Result<Self> {
        let mut writer = PlyWriter {
            file: AtomicFile::create(path)?,
            fields: options.fields,
            encoding: options.ply,
            points: 0,
            bytes: Vec::new(),
        };
        writer.header()?;
        Ok(writer)
    }

    /// Writes the header at the place of the file where it stands.
    ///
    /// The count is known at the end only, so a comment fills what the digits leave and the
    /// header's length never changes.
    fn header(&mut self) -> Result<()> {
        let encoding = match self.encoding {
            PlyEncoding::Ascii => "ascii",
            PlyEncoding::Double | PlyEncoding::Float => "binary_little_endian",
        };
        let coordinate = match self.encoding {
            PlyEncoding::Float => "float",
            PlyEncoding::Double | PlyEncoding::Ascii => "double",
        };
        let count = self.points.to_string();
        let filler = ".".repeat(1 + COUNT_DIGITS.saturating_sub(count.len()));
        let mut text = format!(
            "ply\nformat {encoding} 1.0\ncomment planes {filler}\nelement vertex {count}\n"
        );
        let mut property = |kind: &str, name: &str| {
            text.push_str(&format!("property {kind} {name}\n"));
        };
        for name in ["x", "y", "z"] {
            property(coordinate, name);
        }
        if self.fields.intensity {
            property("ushort", "intensity");
        }
        if self.fields.colour {
            for name in ["red", "green", "blue"] {
                property("uchar", name);
            }
        }
        if self.fields.label {
            property("int", LABEL);
        }
        text.push_str("end_header\n");
        self.put(text.as_bytes())
    }

    fn put(&mut self, bytes: &[u8]) -> Result<()> {
        let written = self.file.write_all(bytes);
        written.map_err(Error::io(self.file.path()))
    }

    fn binary(&mut self, row: &Row) {
        let out = &mut self.bytes;
        for value in row.position {
            match self.encoding {
                PlyEncoding::Float => out.extend((value as f32).to_le_bytes()),
                PlyEncoding::Double | PlyEncoding::Ascii => out.extend(value.to_le_bytes()),
            }
        }
        if self.fields.intensity {
            out.extend(row.intensity.to_le_bytes());
        }
        if self.fields.colour {
            out.extend(row.colour);
        }
        if self.fields.label {
            out.extend(row.label.to_le_bytes());
        }
    }

    fn text(&mut self, row: &Row) -> std::io::Result<()> {
        let out = &mut self.bytes;
        let [x, y, z] = row.position;
        write!(out, "{x} {y} {z}")?;
        if self.fields.intensity {
            write!(out, " {}", row.intensity)?;
        }
        if self.fields.colour {
            let [red, green, blue] = row.colour;
            write!(out, " {red} {green} {blue}")?;
        }
        if self.fields.label {
            write!(out, " {}", row.label)?;
        }
        writeln!(out)
    }
}

impl PointWriter for PlyWriter {
    fn write(&mut self, chunk: &Chunk) -> Result<()> {
        let rows = Rows::new(chunk)?;
        self.bytes.clear();
        for i in 0..rows.len() {
            let row = rows.row(i);
            if self.encoding == PlyEncoding::Ascii {
                let written = self.text(&row);
                written.map_err(Error::io(self.file.path()))?;
            } else {
                self.binary(&row);
            }
        }
        let bytes = std::mem::take(&mut self.bytes);
        self.put(&bytes)?;
        self.bytes = bytes;
        self.points += rows.len() as u64;
        Ok(())
    }

    fn finish(mut self: Box<Self>) -> Result<()> {
        let sought = self.file.seek(SeekFrom::Start(0));
        sought.map_err(Error::io(self.file.path()))?;
        self.header()?;
        self.file.commit()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::write::create;

    #[test]
    fn the_header_keeps_its_length_as_the_count_grows() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.ply");
        let mut writer = PlyWriter::create(&path, &WriteOptions::default()).unwrap();
        let length = |writer: &mut PlyWriter| {
            let before = writer.file.stream_position().unwrap();
            writer.header().unwrap();
            writer.file.stream_position().unwrap() - before
        };
        let empty = length(&mut writer);
        writer.points = u64::MAX;
        assert_eq!(length(&mut writer), empty);
    }

    #[test]
    fn text_holds_every_column() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.ply");
        let options = WriteOptions {
            fields: Fields { class: false, ..Fields::ALL },
            ply: PlyEncoding::Ascii,
            ..WriteOptions::default()
        };
        let mut writer = create(&path, &options).unwrap();
        let chunk = Chunk {
            x: vec![500000.001],
            y: vec![-0.5],
            z: vec![3.0],
            colour: vec![[1, 2, 3]],
            intensity: vec![65535],
            label: vec![-1],
            ..Chunk::default()
        };
        writer.write(&chunk).unwrap();
        writer.finish().unwrap();
        let text = std::fs::read_to_string(&path).unwrap();
        let (header, body) = text.split_once("end_header\n").unwrap();
        assert!(header.contains("\nelement vertex 1\n"));
        assert!(header.ends_with("property uchar blue\nproperty int plane_id\n"));
        assert_eq!(body, "500000.001 -0.5 3 65535 1 2 3 -1\n");
    }
}
