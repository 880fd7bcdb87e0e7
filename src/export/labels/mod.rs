//! Clouds with the plane of each point.
//!
//! Each point gets two values:
//!
//! - `plane_id`: the index of its plane, `-1` for none;
//! - `plane_distance`: its signed distance from that plane along the plane's normal, in the cloud's
//!   unit, NaN for none.
//!
//! [`save`] chooses by the file's name. Points keep their order and their number. A LAS or LAZ input is copied with everything it holds
//! ([`copy_las`]); any other cloud is written anew from its coordinates, colours and intensities
//! ([`save_las`], [`save_ply`]); [`save_npy`] writes the indices alone.

mod copy;
mod extra;
mod las;
mod npy;
mod ply;
mod records;

pub use copy::copy_las;
pub use las::save_las;
pub use npy::save_npy;
pub use ply::save_ply;

use crate::cloud::{Chunk, Fields, Format, PointReader, Source};
use crate::detection::Detection;
use crate::plane::Plane;
use crate::{Error, Result};
use std::path::Path;

/// Points read and written at a time.
const BATCH: usize = 1 << 16;

/// Writes the cloud `source` with the planes of `detection` to `path`, whose name says how: `.las`
/// or `.laz`, `.ply`, or `.npy` for the indices alone.
///
/// # Errors
/// [`Error::Parameter`] for another name; else those of the function for the format.
pub fn save(source: &Source, detection: &Detection, path: &Path) -> Result<()> {
    let extension = path.extension().map(|e| e.to_ascii_lowercase());
    let las = matches!(source.format(), Format::Las | Format::Laz);
    let fields = Fields { label: false, ..Fields::ALL };
    match extension.as_ref().and_then(|e| e.to_str()) {
        Some("las" | "laz") if las => copy_las(source, detection, path),
        Some("las" | "laz") => save_las(&mut *source.reader(fields)?, detection, path),
        Some("ply") => save_ply(&mut *source.reader(fields)?, detection, path),
        Some("npy") => save_npy(&detection.labels, path),
        _ => Err(Error::Parameter(format!(
            "{}: labels are written as .las, .laz, .ply or .npy",
            path.display()
        ))),
    }
}

/// The plane of each point, one after the other in file order.
struct Labels<'a> {
    rest: &'a [i32],
}

impl<'a> Labels<'a> {
    /// Checks that every label names a plane.
    fn new(detection: &'a Detection) -> Result<Labels<'a>> {
        let planes = &detection.planes[..];
        let known =
            |&label: &i32| label == -1 || usize::try_from(label).is_ok_and(|k| k < planes.len());
        match detection.labels.iter().find(|label| !known(label)) {
            None => Ok(Labels { rest: &detection.labels }),
            Some(label) => Err(Error::Parameter(format!(
                "a point has the label {label}, there are {} planes",
                planes.len()
            ))),
        }
    }

    /// The labels of the next `n` points.
    fn next(&mut self, n: usize) -> Result<&'a [i32]> {
        let (next, rest) = self.rest.split_at_checked(n).ok_or_else(different_counts)?;
        self.rest = rest;
        Ok(next)
    }

    /// Checks that no label is left over.
    fn finish(&self) -> Result<()> {
        if self.rest.is_empty() { Ok(()) } else { Err(different_counts()) }
    }
}

/// Signed distance of a point from the plane that `label` names.
fn distance(planes: &[Plane], label: i32, point: [f64; 3]) -> f32 {
    let plane = usize::try_from(label).ok().and_then(|k| planes.get(k));
    plane.map_or(f32::NAN, |plane| {
        let [a, b, c] = plane.normal;
        (a * point[0] + b * point[1] + c * point[2] - plane.offset) as f32
    })
}

fn different_counts() -> Error {
    Error::Parameter("the cloud has not as many points as there are labels".into())
}

/// Calls `each` with every chunk of a cloud and its labels; the first chunk comes even when empty.
fn for_each_chunk(
    reader: &mut dyn PointReader,
    labels: &mut Labels<'_>,
    mut each: impl FnMut(&Chunk, &[i32]) -> Result<()>,
) -> Result<()> {
    let mut chunk = Chunk::default();
    loop {
        reader.read(&mut chunk, BATCH)?;
        each(&chunk, labels.next(chunk.len())?)?;
        if chunk.is_empty() {
            return labels.finish();
        }
    }
}
