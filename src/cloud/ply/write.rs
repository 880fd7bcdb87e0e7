//! PLY, written: clouds as they are, and with labels.

use super::super::driver::Cloud;
use super::super::labelled;
use super::super::labels::{DISTANCE, Labels, LeftOut};
use super::super::write::{
    Part, PlyEncoding, PointWriter, Rows, WriteOptions, append_line, chosen,
};
use super::super::{Chunk, Fields};
use super::header::{Encoding, header};
use crate::atomic::AtomicFile;
use crate::{Error, Result};
use std::io::{Seek, SeekFrom, Write};
use std::path::Path;

/// Digits of the largest 64-bit count.
const COUNT_DIGITS: usize = 20;

/// What the header says of the labels.
pub(super) const COMMENT: &str = "comment plane_id -1: no plane";

/// The properties of labels of these names.
pub(super) fn label_properties(names: &[&str]) -> impl Iterator<Item = String> {
    names.iter().map(|name| format!("{} {name}", if *name == DISTANCE { "float" } else { "int" }))
}

pub(super) struct PlyWriter {
    file: AtomicFile,
    parts: Vec<Part>,
    properties: Vec<&'static str>,
    encoding: Encoding,
    points: u64,
    bytes: Vec<u8>,
}

impl PlyWriter {
    pub(super) fn create(path: &Path, options: &WriteOptions) -> Result<Self> {
        let (encoding, position) = match options.ply {
            PlyEncoding::Ascii => (Encoding::Ascii, Part::Double),
            PlyEncoding::Double => (Encoding::Little, Part::Double),
            PlyEncoding::Float => (Encoding::Little, Part::Float),
        };
        let Fields { colour, intensity, label, .. } = options.fields;
        let (parts, properties) = chosen(&[
            (position, true),
            (Part::Intensity, intensity),
            (Part::Colour, colour),
            (Part::Label, label),
        ]);
        let file = AtomicFile::create(path)?;
        let mut writer =
            PlyWriter { file, parts, properties, encoding, points: 0, bytes: Vec::new() };
        writer.header()?;
        Ok(writer)
    }

    /// Writes the header at the place of the file where it stands.
    ///
    /// The count is known at the end only, so a comment fills what the digits leave and the
    /// header's length never changes.
    fn header(&mut self) -> Result<()> {
        let digits = self.points.to_string().len();
        let filler = ".".repeat(1 + COUNT_DIGITS.saturating_sub(digits));
        let comment = format!("comment planes {filler}");
        let text = header(self.encoding, &comment, self.points, &self.properties);
        self.file.write_all(text.as_bytes()).map_err(Error::io(self.file.path()))
    }
}

impl PointWriter for PlyWriter {
    fn write(&mut self, chunk: &Chunk) -> Result<()> {
        let rows = Rows::new(chunk)?;
        self.bytes.clear();
        for i in 0..rows.len() {
            let row = rows.row(i);
            if self.encoding == Encoding::Ascii {
                append_line(&self.parts, &row, ' ', &mut self.bytes);
            } else {
                self.parts.iter().for_each(|part| part.append(&row, &mut self.bytes));
            }
        }
        self.file.write_all(&self.bytes).map_err(Error::io(self.file.path()))?;
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

/// Writes any cloud as binary little-endian PLY with labels: coordinates as `double`, colour, intensity and class
/// where there are any.
pub(super) fn save_labelled(cloud: &dyn Cloud, labels: Labels<'_>, path: &Path) -> Result<LeftOut> {
    let (count, names) = (labels.of_plane.len() as u64, labels.names());
    let system = cloud.info().crs.as_ref().map(|crs| format!("\ncomment crs {}", crs.in_a_line()));
    let comment = format!("{COMMENT}{}", system.unwrap_or_default());
    let header = |parts: &[Part]| {
        let added: Vec<String> = label_properties(names).collect();
        let properties = parts.iter().flat_map(|part| part.columns()).copied();
        let properties: Vec<&str> = properties.chain(added.iter().map(String::as_str)).collect();
        header(Encoding::Little, &comment, count, &properties)
    };
    labelled::save(cloud, labels, path, header, |part, row, bytes| part.append(row, bytes))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cloud::create;

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
