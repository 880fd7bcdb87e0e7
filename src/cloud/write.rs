//! What the writers of all formats have in common.

use super::{Chunk, Fields};
use crate::{Error, Result};
use std::io::Write;

/// A cloud being written, chunk by chunk, in bounded memory.
///
/// The file appears under its name when [`finish`](PointWriter::finish) returns; a writer that is
/// dropped before leaves nothing behind.
pub trait PointWriter: Send {
    /// Writes the points of `chunk` after those written before.
    ///
    /// An optional array that was asked for and is empty is written as zeros, labels as `-1`.
    ///
    /// # Errors
    /// [`Error::Io`]; [`Error::Format`] where the format cannot hold a coordinate;
    /// [`Error::Parameter`] where the arrays of `chunk` differ in length.
    fn write(&mut self, chunk: &Chunk) -> Result<()>;

    /// Completes the file and gives it its name.
    ///
    /// # Errors
    /// [`Error::Io`]; nothing is left behind then.
    fn finish(self: Box<Self>) -> Result<()>;
}

/// How the points of a PLY file are laid out.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum PlyEncoding {
    /// Binary little endian, coordinates in 64 bits.
    #[default]
    Double,
    /// Binary little endian, coordinates rounded to 32 bits: 24 bits of mantissa, about 3 cm at
    /// survey coordinates.
    Float,
    /// Text, coordinates in full.
    Ascii,
}

/// What is written, and how.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct WriteOptions {
    /// The optional columns.
    ///
    /// `.xyz` has no place for any, `.txt` and `.pts` have intensity and colour always. Labels of
    /// these three go to a file beside the cloud with the extension `.labels`, one label a line.
    pub fields: Fields,
    /// Layout of PLY files.
    pub ply: PlyEncoding,
    /// LAS and LAZ: the step coordinates are rounded to, in the cloud's unit.
    ///
    /// Default: 0.001; finer if the first chunk is less than ten units wide, coarser if 0.001
    /// could not hold it.
    pub scale: Option<f64>,
    /// LAS and LAZ: the origin the rounded coordinates count from.
    ///
    /// Default: zero, or a round number near the first chunk where zero is too far away.
    pub offset: Option<[f64; 3]>,
}

/// A point with its optional values filled in.
pub(super) struct WholePoint {
    pub(super) position: [f64; 3],
    pub(super) colour: [u8; 3],
    pub(super) intensity: u16,
    pub(super) label: i32,
    pub(super) class: u8,
}

/// A chunk whose arrays were found to fit together.
#[derive(Clone, Copy)]
pub(super) struct Rows<'a>(&'a Chunk);

impl<'a> Rows<'a> {
    pub(super) fn new(chunk: &'a Chunk) -> Result<Self> {
        let n = chunk.len();
        let optional = [chunk.colour.len(), chunk.intensity.len(), chunk.label.len()];
        if chunk.y.len() != n || chunk.z.len() != n || optional.iter().any(|&m| m != 0 && m != n) {
            return Err(Error::Parameter("the arrays of a chunk differ in length".into()));
        }
        Ok(Rows(chunk))
    }

    pub(super) fn len(self) -> usize {
        self.0.len()
    }

    pub(super) fn row(self, i: usize) -> WholePoint {
        let chunk = self.0;
        WholePoint {
            position: [chunk.x[i], chunk.y[i], chunk.z[i]],
            colour: chunk.colour.get(i).copied().unwrap_or_default(),
            intensity: chunk.intensity.get(i).copied().unwrap_or_default(),
            label: chunk.label.get(i).copied().unwrap_or(-1),
            class: chunk.class.get(i).copied().unwrap_or_default(),
        }
    }
}

/// What is written of a point: a column or three.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Part {
    Double,
    /// The position, rounded to 32 bits.
    Float,
    Intensity,
    Colour,
    Class,
    Label,
}

impl Part {
    /// Its columns: types, as PLY calls them, and names.
    pub(super) fn columns(self) -> &'static [&'static str] {
        match self {
            Part::Double => &["double x", "double y", "double z"],
            Part::Float => &["float x", "float y", "float z"],
            Part::Intensity => &["ushort intensity"],
            Part::Colour => &["uchar red", "uchar green", "uchar blue"],
            Part::Class => &["uchar classification"],
            Part::Label => &["int plane_id"],
        }
    }

    /// Appends it as bytes, the least significant first.
    pub(super) fn append(self, row: &WholePoint, out: &mut Vec<u8>) {
        match self {
            Part::Double => row.position.iter().for_each(|v| out.extend(v.to_le_bytes())),
            Part::Float => row.position.iter().for_each(|&v| out.extend((v as f32).to_le_bytes())),
            Part::Intensity => out.extend(row.intensity.to_le_bytes()),
            Part::Colour => out.extend(row.colour),
            Part::Class => out.push(row.class),
            Part::Label => out.extend(row.label.to_le_bytes()),
        }
    }
}

/// Those of `parts` that are wanted, and their columns.
pub(super) fn chosen(parts: &[(Part, bool)]) -> (Vec<Part>, Vec<&'static str>) {
    let chosen = parts.iter().filter(|(_, wanted)| *wanted).map(|(part, _)| *part);
    let chosen: Vec<Part> = chosen.collect();
    let columns = chosen.iter().flat_map(|part| part.columns()).copied().collect();
    (chosen, columns)
}

/// Appends a point as a line of text; the position comes first.
pub(super) fn append_line(parts: &[Part], row: &WholePoint, separator: char, out: &mut Vec<u8>) {
    let ([x, y, z], [red, green, blue], s) = (row.position, row.colour, separator);
    for part in parts {
        let written = match part {
            Part::Double | Part::Float => write!(out, "{x}{s}{y}{s}{z}"),
            Part::Intensity => write!(out, "{s}{}", row.intensity),
            Part::Colour => write!(out, "{s}{red}{s}{green}{s}{blue}"),
            Part::Class => write!(out, "{s}{}", row.class),
            Part::Label => write!(out, "{s}{}", row.label),
        };
        written.unwrap_or_default(); // Memory takes everything.
    }
    out.push(b'\n');
}
