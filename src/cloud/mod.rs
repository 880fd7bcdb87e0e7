//! Point clouds in: readers told by content, points in chunks.
//!
//! A [`Source`] is a cloud that can be read more than once (a file, or standard input spooled to a
//! temporary file). [`Source::reader`] starts a pass over it; every pass gives the same points in
//! the same order, chunk by chunk, so that a cloud larger than memory can be worked through.

use crate::Result;

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
    /// Return intensity, as stored, clamped to 16 bits.
    pub intensity: Vec<u16>,
    /// The plane each point belongs to: `-1` none, then `0, 1, 2 …` (truth or an earlier result).
    pub label: Vec<i32>,
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
    }
}

/// Which optional arrays a pass should fill where the file has them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Fields {
    /// Fill [`Chunk::colour`].
    pub colour: bool,
    /// Fill [`Chunk::intensity`].
    pub intensity: bool,
    /// Fill [`Chunk::label`].
    pub label: bool,
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
}
