//! Point clouds in and out: readers told by content, writers by the file's name, points in chunks.
//!
//! A [`Source`] is a cloud that can be read more than once (a file, or standard input spooled to a
//! temporary file). [`Source::reader`] starts a pass over it; every pass gives the same points in
//! the same order, chunk by chunk, so that a cloud larger than memory can be worked through.
//!
//! [`create`] starts a file, which is written chunk by chunk as well:
//!
//! ```
//! use planes::cloud::{Chunk, WriteOptions, create};
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
//!
//! Each format is a folder; `formats` lists them.

mod bbox;
mod blocks;
mod bytes;
mod camera;
mod choice;
mod columns;
mod crs;
mod depth;
mod driver;
mod e57;
mod foreign;
mod formats;
pub mod info;
mod labelled;
mod labels;
mod las;
mod note;
mod npy;
mod packed;
mod pcd;
mod ply;
mod points;
pub(crate) mod quiet;
mod records;
mod rounding;
mod scale;
mod source;
mod text;
mod transposed;
mod write;

pub use bbox::Bbox;
pub(crate) use bytes::Bytes;
pub use camera::Camera;
pub use choice::Choice;
pub use columns::Columns;
pub use crs::{Crs, Unit};
pub(crate) use depth::{is_depth, is_depth_stream};
pub use driver::{Format, HeaderInfo, ReadOptions};
pub use formats::create;
pub(crate) use formats::{format_of, labelled_endings, recognise};
pub(crate) use labels::Labels;
pub use labels::{LABEL, LeftOut};
pub use note::Note;
pub(crate) use npy::labels as npy_labels;
pub(crate) use packed::head_of;
pub(crate) use points::{IN_MEMORY, read_points};
pub use points::{Organized, PointCloud};
pub use rounding::Rounded;
pub use source::Source;
pub use write::{PlyEncoding, PointWriter, WriteOptions};

use crate::Result;
use serde::Serialize;
use std::ops::Range;

/// The label of a point of a truth whose plane nobody knows: where a result puts it is neither
/// right nor wrong.
pub const UNKNOWN: i32 = -2;

/// A run of points as separate coordinate arrays, in the input's own coordinates.
///
/// `x`, `y` and `z` have one length. An optional array is either empty (not asked for, or not in
/// the file) or of that same length.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Chunk {
    /// First coordinate, in the cloud's unit.
    pub x: Vec<f64>,
    /// Second coordinate.
    pub y: Vec<f64>,
    /// Third coordinate.
    pub z: Vec<f64>,
    /// Red, green, blue, 8 bits each.
    pub colour: Vec<[u8; 3]>,
    /// Return intensity, as stored, clamped to 16 bits; floats between 0 and 1 fill the 16 bits.
    pub intensity: Vec<u16>,
    /// The plane each point belongs to: `-1` none, then `0, 1, 2 …` (truth or an earlier result);
    /// [`UNKNOWN`] where a truth does not know.
    pub label: Vec<i32>,
    /// Classification, as LAS has it: 2 ground, 6 building.
    pub class: Vec<u8>,
}

impl Chunk {
    /// Number of points.
    pub fn len(&self) -> usize {
        self.x.len()
    }

    /// Whether there is no point.
    pub fn is_empty(&self) -> bool {
        self.x.is_empty()
    }

    /// Removes all points and keeps the memory.
    pub fn clear(&mut self) {
        self.x.clear();
        self.y.clear();
        self.z.clear();
        self.colour.clear();
        self.intensity.clear();
        self.label.clear();
        self.class.clear();
    }

    /// Appends the points `range` of `from`, which has the same fields.
    fn append(&mut self, from: &Chunk, range: Range<usize>) {
        fn part<T: Copy>(to: &mut Vec<T>, from: &[T], range: &Range<usize>) {
            to.extend_from_slice(from.get(range.clone()).unwrap_or_default());
        }
        part(&mut self.x, &from.x, &range);
        part(&mut self.y, &from.y, &range);
        part(&mut self.z, &from.z, &range);
        part(&mut self.colour, &from.colour, &range);
        part(&mut self.intensity, &from.intensity, &range);
        part(&mut self.label, &from.label, &range);
        part(&mut self.class, &from.class, &range);
    }

    /// Keeps the first `n` points.
    fn truncate(&mut self, n: usize) {
        self.x.truncate(n);
        self.y.truncate(n);
        self.z.truncate(n);
        self.colour.truncate(n);
        self.intensity.truncate(n);
        self.label.truncate(n);
        self.class.truncate(n);
    }

    /// Makes room for exactly `n` points with `fields`; what they are is to be written yet.
    fn resize(&mut self, n: usize, fields: Fields) {
        let optional = |wanted: bool| if wanted { n } else { 0 };
        self.x.resize(n, 0.0);
        self.y.resize(n, 0.0);
        self.z.resize(n, 0.0);
        self.colour.resize(optional(fields.colour), [0; 3]);
        self.intensity.resize(optional(fields.intensity), 0);
        self.label.resize(optional(fields.label), -1);
        self.class.resize(optional(fields.class), 0);
    }

    /// The points as runs of `size`, the last one shorter, to be written to.
    fn columns(&mut self, size: usize) -> Vec<ColumnsMut<'_>> {
        let mut y = self.y.chunks_mut(size);
        let mut z = self.z.chunks_mut(size);
        let mut colour = self.colour.chunks_mut(size);
        let mut intensity = self.intensity.chunks_mut(size);
        let mut label = self.label.chunks_mut(size);
        let mut class = self.class.chunks_mut(size);
        let x = self.x.chunks_mut(size);
        x.map(|x| ColumnsMut {
            x,
            y: y.next().unwrap_or_default(),
            z: z.next().unwrap_or_default(),
            colour: colour.next().unwrap_or_default(),
            intensity: intensity.next().unwrap_or_default(),
            label: label.next().unwrap_or_default(),
            class: class.next().unwrap_or_default(),
        })
        .collect()
    }
}

/// A run of a [`Chunk`] that is written to.
struct ColumnsMut<'a> {
    x: &'a mut [f64],
    y: &'a mut [f64],
    z: &'a mut [f64],
    colour: &'a mut [[u8; 3]],
    intensity: &'a mut [u16],
    label: &'a mut [i32],
    class: &'a mut [u8],
}

/// Which optional arrays a pass should fill where the file has them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Fields {
    /// Fill [`Chunk::colour`].
    pub colour: bool,
    /// Fill [`Chunk::intensity`].
    pub intensity: bool,
    /// Fill [`Chunk::label`].
    pub label: bool,
    /// Fill [`Chunk::class`].
    pub class: bool,
}

impl Fields {
    /// Coordinates alone.
    pub const NONE: Fields = Fields { colour: false, intensity: false, label: false, class: false };

    /// All that there is.
    pub const ALL: Fields = Fields { colour: true, intensity: true, label: true, class: true };
}

/// A pass over a cloud.
pub trait PointReader: Send {
    /// Clears `chunk` and fills it with up to `limit` further points; leaves it empty at the end.
    ///
    /// Points come in file order, non-finite ones included, whatever the limits asked for.
    ///
    /// # Errors
    /// [`Error::Io`](crate::Error::Io) and [`Error::Format`](crate::Error::Format), with the place.
    fn read(&mut self, chunk: &mut Chunk, limit: usize) -> Result<()>;

    /// Whether another pass costs less than keeping what this one reads: the points lie in the file
    /// as they are.
    fn is_cheap(&self) -> bool {
        false
    }

    /// This pass over coordinates as they are stored, if each of them takes 32 bits: such a cloud can be kept as it is
    /// and need not be read twice. To be called before anything is read; the points are those of
    /// [`read`](PointReader::read), bit for bit.
    fn stored(&mut self) -> Option<StoredPass<'_>> {
        None
    }
}

/// A pass over coordinates as they are stored, 32 bits each.
pub struct StoredPass<'a> {
    /// The exact number of points.
    pub points: u64,
    /// What the bits mean.
    pub meaning: Stored,
    /// What reads them.
    pub reader: &'a mut dyn StoredReader,
}

/// Reads coordinates as they are stored, 32 bits each. The type `f32` only carries the bits, which need not be those of a
/// floating-point number.
pub trait StoredReader: Send {
    /// Fills the three columns, which are equally long, with the bits of the next coordinates; returns the number of
    /// points, which is less than their length only at the end.
    ///
    /// # Errors
    /// As [`PointReader::read`].
    fn read(&mut self, columns: [&mut [f32]; 3]) -> Result<usize>;
}

/// What the 32 bits of stored coordinates mean.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Stored {
    /// Floating-point numbers.
    Floats,
    /// Whole numbers with a sign; the factor of each axis, and what is added to the product.
    Whole([(f64, f64); 3]),
}

impl Stored {
    /// The point whose coordinates are stored in these bits.
    #[inline]
    pub fn point(&self, stored: [f32; 3]) -> [f64; 3] {
        match self {
            Stored::Floats => stored.map(f64::from),
            Stored::Whole(transform) => std::array::from_fn(|axis| {
                let (scale, offset) = transform[axis];
                f64::from(stored[axis].to_bits().cast_signed()) * scale + offset
            }),
        }
    }
}
