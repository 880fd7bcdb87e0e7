//! Point clouds out: writers chosen by the file's extension, points in chunks.
//!
//! ```
//! use planes::cloud::Chunk;
//! use planes::write::{WriteOptions, create};
//!
//! # fn main() -> planes::Result<()> {
//! # let folder = tempfile::tempdir().unwrap();
//! # let path = folder.path().join("corner.ply");
//! let mut writer = create(&path, &WriteOptions::default())?;
//! writer.write(&Chunk { x: vec![0.5], y: vec![1.0], z: vec![2.0], ..Chunk::default() })?;
//! writer.finish()?;
//! # assert!(path.exists());
//! # Ok(())
//! # }
//! ```

mod las;
mod ply;
mod text;

use crate::cloud::{Chunk, Fields};
use crate::{Error, Result};
use std::path::Path;

/// The name of the column, property or dimension that holds the plane of each point.
pub const LABEL: &str = "plane_id";

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

/// A format of cloud files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// `.las`: LAS 1.4, point format 7 with colour and 6 without.
    Las,
    /// `.laz`: the same, compressed.
    Laz,
    /// `.ply`, see [`PlyEncoding`].
    Ply,
    /// `.xyz`: lines of `x y z`.
    Xyz,
    /// `.txt`: lines of `x y z intensity red green blue`, as Semantic3D has them.
    Semantic3d,
    /// `.csv`: a line of column names, then `x,y,z` and the optional columns.
    Csv,
    /// `.pts`: the number of points, then lines as in [`Format::Semantic3d`].
    Pts,
}

impl Format {
    /// The format that the extension of `path` names, in either case.
    ///
    /// # Errors
    /// [`Error::Parameter`] with the extensions there are.
    pub fn from_path(path: impl AsRef<Path>) -> Result<Format> {
        let path = path.as_ref();
        let extension = path.extension().unwrap_or_default().to_string_lossy();
        Ok(match extension.to_ascii_lowercase().as_str() {
            "las" => Format::Las,
            "laz" => Format::Laz,
            "ply" => Format::Ply,
            "xyz" => Format::Xyz,
            "txt" => Format::Semantic3d,
            "csv" => Format::Csv,
            "pts" => Format::Pts,
            _ => {
                return Err(Error::Parameter(format!(
                    "{}: a cloud's name ends in .las, .laz, .ply, .xyz, .txt, .csv or .pts",
                    path.display()
                )));
            }
        })
    }
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

/// Starts a cloud in the format that the extension of `path` names.
///
/// # Errors
/// [`Error::Parameter`] for another extension or a scale or offset that is no number,
/// [`Error::Io`] where the file cannot be made.
pub fn create(path: impl AsRef<Path>, options: &WriteOptions) -> Result<Box<dyn PointWriter>> {
    let path = path.as_ref();
    Ok(match Format::from_path(path)? {
        Format::Las => Box::new(las::LasWriter::create(path, options, false)?),
        Format::Laz => Box::new(las::LasWriter::create(path, options, true)?),
        Format::Ply => Box::new(ply::PlyWriter::create(path, options)?),
        Format::Xyz => Box::new(text::TextWriter::create(path, options, text::Layout::Xyz)?),
        Format::Semantic3d => {
            Box::new(text::TextWriter::create(path, options, text::Layout::Lidar)?)
        }
        Format::Csv => Box::new(text::TextWriter::create(path, options, text::Layout::Csv)?),
        Format::Pts => Box::new(text::TextWriter::create(path, options, text::Layout::Pts)?),
    })
}

/// A point with its optional values filled in.
struct Row {
    position: [f64; 3],
    colour: [u8; 3],
    intensity: u16,
    label: i32,
}

/// A chunk whose arrays were found to fit together.
#[derive(Clone, Copy)]
struct Rows<'a>(&'a Chunk);

impl<'a> Rows<'a> {
    fn new(chunk: &'a Chunk) -> Result<Self> {
        let n = chunk.len();
        let optional = [chunk.colour.len(), chunk.intensity.len(), chunk.label.len()];
        if chunk.y.len() != n || chunk.z.len() != n || optional.iter().any(|&m| m != 0 && m != n) {
            return Err(Error::Parameter("the arrays of a chunk differ in length".into()));
        }
        Ok(Rows(chunk))
    }

    fn len(self) -> usize {
        self.0.len()
    }

    fn row(self, i: usize) -> Row {
        let chunk = self.0;
        Row {
            position: [chunk.x[i], chunk.y[i], chunk.z[i]],
            colour: chunk.colour.get(i).copied().unwrap_or_default(),
            intensity: chunk.intensity.get(i).copied().unwrap_or_default(),
            label: chunk.label.get(i).copied().unwrap_or(-1),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_extension_names_the_format() {
        assert_eq!(Format::from_path("a/b.LAZ").unwrap(), Format::Laz);
        assert_eq!(Format::from_path("b.c.txt").unwrap(), Format::Semantic3d);
        for name in ["a", "a.las.gz", "las", ""] {
            assert!(matches!(
                Format::from_path(name),
                Err(Error::Parameter(message)) if message.contains(".laz")
            ));
        }
    }

    #[test]
    fn arrays_of_different_lengths_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let chunk = Chunk {
            x: vec![0.0; 2],
            y: vec![0.0; 2],
            z: vec![0.0; 2],
            label: vec![0],
            ..Chunk::default()
        };
        for name in ["a.las", "a.laz", "a.ply", "a.xyz", "a.csv", "a.txt", "a.pts"] {
            let mut writer = create(folder.path().join(name), &WriteOptions::default()).unwrap();
            assert!(matches!(writer.write(&chunk), Err(Error::Parameter(_))));
        }
        assert_eq!(folder.path().read_dir().unwrap().count(), 0);
    }
}
