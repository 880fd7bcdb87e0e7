//! Points in memory, as a cloud that can be read like a file.

use super::driver::{Cloud, Format, HeaderInfo};
use super::{Chunk, Fields, Note, PointReader};
use crate::{Error, Result};
use rayon::prelude::*;
use std::ops::Deref;
use std::sync::Arc;

/// The name in errors for points that come from no file.
pub(crate) const IN_MEMORY: &str = "points in memory";
/// Points that one thread copies at a time.
const PIECE: usize = 1 << 13;

impl Format {
    /// No file: points in memory.
    pub const MEMORY: Format = Format("memory");
}

/// Points in memory, in any layout.
///
/// Implemented for slices and vectors of `[f64; 3]` and `[f32; 3]`, and for three slices of
/// coordinates.
pub trait PointCloud: Sync {
    /// Number of points.
    fn len(&self) -> usize;

    /// Whether there are none.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The coordinates of a point, in the cloud's own unit; a point that is not finite is ignored.
    fn point(&self, index: usize) -> [f64; 3];

    /// Copies the coordinates of the points from `first` on, as many as there is room for, which are there.
    fn copy(&self, first: usize, [x, y, z]: [&mut [f64]; 3]) {
        for (k, i) in (first..).take(x.len()).enumerate() {
            [x[k], y[k], z[k]] = self.point(i);
        }
    }

    /// Number of points in a row, at least 1, if the points are those of an image, row after row: see [`Organized`].
    fn row_length(&self) -> Option<u32> {
        None
    }

    /// Rejects an invalid cloud.
    ///
    /// # Errors
    /// [`Error::Parameter`], for example for coordinate slices of different lengths.
    fn check(&self) -> Result<()> {
        Ok(())
    }
}

impl PointCloud for [[f64; 3]] {
    fn len(&self) -> usize {
        self.len()
    }

    fn point(&self, index: usize) -> [f64; 3] {
        self[index]
    }
}

impl PointCloud for [[f32; 3]] {
    fn len(&self) -> usize {
        self.len()
    }

    fn point(&self, index: usize) -> [f64; 3] {
        self[index].map(f64::from)
    }
}

impl<P, const N: usize> PointCloud for [[P; 3]; N]
where
    P: Sync,
    [[P; 3]]: PointCloud,
{
    fn len(&self) -> usize {
        N
    }

    fn point(&self, index: usize) -> [f64; 3] {
        self.as_slice().point(index)
    }
}

impl<P> PointCloud for Vec<P>
where
    P: Sync,
    [P]: PointCloud,
{
    fn len(&self) -> usize {
        self.as_slice().len()
    }

    fn point(&self, index: usize) -> [f64; 3] {
        self.as_slice().point(index)
    }
}

/// Coordinates x, y and z, equally many of each.
impl PointCloud for [&[f64]; 3] {
    fn len(&self) -> usize {
        <[f64]>::len(self[0])
    }

    fn point(&self, index: usize) -> [f64; 3] {
        self.map(|axis| axis[index])
    }

    fn check(&self) -> Result<()> {
        let [x, y, z] = self.map(<[f64]>::len);
        if x == y && y == z {
            return Ok(());
        }
        Err(Error::Parameter(format!("there are {x} x, {y} y and {z} z coordinates")))
    }
}

/// The points of a depth camera's image, row after row; a pixel without depth is not finite.
///
/// The rows tell exactly where the camera was, so that it need not be sought.
///
/// ```
/// use planes::cloud::Organized;
///
/// let frame = vec![[f32::NAN; 3]; 640 * 480];
/// let points = Organized { points: &frame, row_length: 640 };
/// assert!(planes::detect(&points).is_err(), "no pixel has a depth");
/// ```
#[derive(Debug)]
pub struct Organized<'a, P: ?Sized> {
    /// The points.
    pub points: &'a P,
    /// Number of points in a row.
    pub row_length: u32,
}

impl<P: PointCloud + ?Sized> PointCloud for Organized<'_, P> {
    fn len(&self) -> usize {
        self.points.len()
    }

    fn point(&self, index: usize) -> [f64; 3] {
        self.points.point(index)
    }

    fn copy(&self, first: usize, axes: [&mut [f64]; 3]) {
        self.points.copy(first, axes);
    }

    fn row_length(&self) -> Option<u32> {
        Some(self.row_length)
    }

    fn check(&self) -> Result<()> {
        let (all, row) = (self.len(), self.row_length);
        if row == 0 || !all.is_multiple_of(row as usize) {
            return Err(Error::Parameter(format!("{all} points are no rows of {row}")));
        }
        self.points.check()
    }
}

/// Starts a pass over points in memory.
pub(crate) fn read_points<'a>(points: &'a (impl PointCloud + ?Sized)) -> Box<dyn PointReader + 'a> {
    Box::new(Memory { points, len: points.len(), read: 0 })
}

/// Reads points in memory.
struct Memory<P> {
    points: P,
    len: usize,
    /// Points read so far.
    read: usize,
}

impl<P: Deref<Target: PointCloud> + Send + Sync> PointReader for Memory<P> {
    fn read(&mut self, chunk: &mut Chunk, limit: usize) -> Result<()> {
        chunk.clear();
        let (points, first) = (&self.points, self.read);
        let count = limit.min(self.len - first);
        let Chunk { x, y, z, .. } = chunk;
        [&mut *x, &mut *y, &mut *z].into_iter().for_each(|axis| axis.resize(count, 0.0));
        let pieces =
            x.par_chunks_mut(PIECE).zip(y.par_chunks_mut(PIECE)).zip(z.par_chunks_mut(PIECE));
        pieces.enumerate().for_each(|(piece, ((x, y), z))| {
            points.copy(first + PIECE * piece, [x, y, z]);
        });
        self.read += count;
        Ok(())
    }

    fn is_cheap(&self) -> bool {
        true
    }
}

/// Points that a source keeps.
pub(super) struct Kept {
    points: Arc<dyn PointCloud + Send>,
    info: HeaderInfo,
}

impl Kept {
    /// Keeps points, unless they are no cloud.
    pub(super) fn new(points: Arc<dyn PointCloud + Send>) -> Result<Kept> {
        points.check()?;
        let info = HeaderInfo {
            description: IN_MEMORY.into(),
            points: Some(points.len() as u64),
            in_floats: false,
            fields: Fields::NONE,
            others: Vec::new(),
            bounds: None,
            crs: None,
            scanner: None,
            row_length: points.row_length(),
        };
        Ok(Kept { points, info })
    }
}

impl Cloud for Kept {
    fn format(&self) -> Format {
        Format::MEMORY
    }

    fn info(&self) -> &HeaderInfo {
        &self.info
    }

    fn notes(&self) -> &[Note] {
        &[]
    }

    fn reader(&self, _: Fields) -> Result<Box<dyn PointReader>> {
        let (points, len) = (self.points.clone(), self.points.len());
        Ok(Box::new(Memory { points, len, read: 0 }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cloud::Source;

    #[test]
    fn every_pass_over_points_gives_all_of_them_in_order() {
        let points: Vec<[f32; 3]> = (0..20_000).map(|i| [i as f32, 0.5, -1.5]).collect();
        let source = Source::from_points(Arc::new(points.clone())).unwrap();
        assert_eq!((source.format(), source.path()), (Format::MEMORY, IN_MEMORY.as_ref()));
        for limit in [7_001, 1 << 18] {
            let (mut reader, mut chunk) = (source.reader(Fields::ALL).unwrap(), Chunk::default());
            let mut read = Vec::new();
            loop {
                reader.read(&mut chunk, limit).unwrap();
                if chunk.is_empty() {
                    break;
                }
                assert!(chunk.len() <= limit && chunk.label.is_empty());
                read.extend((0..chunk.len()).map(|i| [chunk.x[i], chunk.y[i], chunk.z[i]]));
            }
            assert!(
                read.iter().eq(points.iter().map(|p| p.map(f64::from)).collect::<Vec<_>>().iter())
            );
        }
    }
}
