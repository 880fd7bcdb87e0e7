//! Writing PCD, with and without labels.

use super::super::driver::Cloud;
use super::super::labelled;
use super::super::labels::{DISTANCE, LABEL, Labels, LeftOut, PIECE};
use super::super::records::NumberType;
use super::super::write::{Part, PointWriter, Rows, WholePoint, WriteOptions, chosen};
use super::super::{Chunk, Fields};
use super::header::{Data, Field, Header};
use crate::atomic::AtomicFile;
use crate::{Error, Result};
use std::io::{Seek, SeekFrom, Write};
use std::path::Path;

/// Fields of earlier labels, which new ones replace.
pub(super) const EARLIER: [&str; 3] = [LABEL, DISTANCE, PIECE];

/// Digits of the largest 64-bit count.
const COUNT_DIGITS: usize = 20;

fn field(name: &str, kind: NumberType) -> Field {
    Field { name: name.to_string(), kind, count: 1 }
}

/// The fields for these labels.
pub(super) fn label_fields(names: &[&str]) -> impl Iterator<Item = Field> {
    let kind = |name| if name == DISTANCE { NumberType::F32 } else { NumberType::I32 };
    names.iter().map(move |name| field(name, kind(*name)))
}

/// The fields for one part of a point.
fn fields_of(part: Part) -> Vec<Field> {
    let position = |kind| ["x", "y", "z"].map(|name| field(name, kind)).to_vec();
    match part {
        Part::Double => position(NumberType::F64),
        Part::Float => position(NumberType::F32),
        Part::Intensity => vec![field("intensity", NumberType::U16)],
        // As in the Point Cloud Library.
        Part::Colour => vec![field("rgb", NumberType::F32)],
        Part::Class => vec![field("classification", NumberType::U8)],
        Part::Label => vec![field(LABEL, NumberType::I32)],
    }
}

/// Appends one part of a point in the form of its fields.
fn append(part: Part, row: &WholePoint, out: &mut Vec<u8>) {
    match part {
        Part::Colour => {
            let [red, green, blue] = row.colour;
            out.extend([blue, green, red, 0]);
        }
        _ => part.append(row, out),
    }
}

/// The header of a binary file with this many points and these fields.
fn header(fields: Vec<Field>, points: u64, viewpoint: Option<[f64; 7]>) -> Header {
    let (data, length, lines) = (Data::Binary, 0, 0);
    Header { fields, width: points, height: 1, viewpoint, data, length, lines }
}

pub(super) struct PcdWriter {
    file: AtomicFile,
    parts: Vec<Part>,
    points: u64,
    bytes: Vec<u8>,
}

impl PcdWriter {
    pub(super) fn create(path: &Path, options: &WriteOptions) -> Result<Self> {
        let Fields { colour, intensity, label, .. } = options.fields;
        let (parts, _) = chosen(&[
            (Part::Double, true),
            (Part::Intensity, intensity),
            (Part::Colour, colour),
            (Part::Label, label),
        ]);
        let file = AtomicFile::create(path)?;
        let mut writer = PcdWriter { file, parts, points: 0, bytes: Vec::new() };
        writer.header()?;
        Ok(writer)
    }

    /// Writes the header at the current position of the file.
    ///
    /// The count is known only at the end, so a comment takes up the room of missing digits and
    /// the length of the header never changes.
    fn header(&mut self) -> Result<()> {
        let fields = self.parts.iter().copied().flat_map(fields_of).collect();
        let text = header(fields, self.points, None).text();
        // The header has the count twice.
        let digits = 2 * self.points.to_string().len();
        let filler = ".".repeat(1 + (2 * COUNT_DIGITS).saturating_sub(digits));
        let (first, rest) = text.split_once('\n').unwrap_or_default();
        let text = format!("{first}\n# planes {filler}\n{rest}");
        self.file.write_all(text.as_bytes()).map_err(Error::io(self.file.path()))
    }
}

impl PointWriter for PcdWriter {
    fn write(&mut self, chunk: &Chunk) -> Result<()> {
        let rows = Rows::new(chunk)?;
        self.bytes.clear();
        for i in 0..rows.len() {
            let row = rows.row(i);
            self.parts.iter().for_each(|&part| append(part, &row, &mut self.bytes));
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

/// Writes any cloud as binary PCD with labels: coordinates in 64 bits; colour, intensity and class if the cloud has
/// them; and the scanner's position as the viewpoint.
pub(super) fn save_labelled(cloud: &dyn Cloud, labels: Labels<'_>, path: &Path) -> Result<LeftOut> {
    let (count, names) = (labels.of_plane.len() as u64, labels.names());
    let viewpoint = cloud.info().scanner.map(|[x, y, z]| [x, y, z, 1.0, 0.0, 0.0, 0.0]);
    let header = |parts: &[Part]| {
        let fields = parts.iter().copied().flat_map(fields_of).chain(label_fields(names));
        header(fields.collect(), count, viewpoint).text()
    };
    labelled::save(cloud, labels, path, header, append)
}
