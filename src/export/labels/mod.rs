//! Clouds with the plane of each point.
//!
//! Each point gets two values, or three:
//!
//! - `plane_id`: the index of its plane, `-1` for none;
//! - `plane_distance`: its signed distance from that plane along the plane's normal, in the cloud's
//!   unit, NaN for none;
//! - `piece_id`, where pieces are asked for ([`LabelBy::Piece`]): the `id` of its piece of that plane,
//!   `-1` for none.
//!
//! [`save`] chooses by the file's name. Points keep their order and their number, except for points that
//! LAS cannot hold, which are [left out](LeftOut) where a cloud is written anew. A LAS or LAZ input is
//! copied with everything it holds ([`copy_las`]), and PLY as PLY likewise ([`copy_ply`]); any other
//! cloud is written anew from its coordinates, colours and intensities ([`save_las`], [`save_ply`]);
//! [`save_npy`] writes one of the ids alone.

mod copy;
mod extra;
mod las;
mod npy;
mod ply;
mod ply_copy;
mod records;
mod rounding;

pub use copy::copy_las;
pub use las::save_las;
pub use npy::save_npy;
pub use ply::save_ply;
pub use ply_copy::copy_ply;
pub use rounding::Rounded;

use crate::cloud::{Chunk, Fields, Format, PointReader, Source};
use crate::detection::Detection;
use crate::plane::Plane;
use crate::{Error, Result};
use std::fmt;
use std::path::Path;

/// Points read and written at a time.
const BATCH: usize = 1 << 16;

/// By what the points of a cloud are labelled.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum LabelBy {
    /// By plane.
    #[default]
    Plane,
    /// By piece of a plane, too; where there is room for one label alone, by piece.
    Piece,
}

/// Writes the cloud `source` with the planes of `detection` to `path`, whose name says how: `.las`
/// or `.laz`, `.ply`, or `.npy` for the ids of planes or pieces alone.
///
/// # Errors
/// [`Error::Parameter`] for another name; else those of the function for the format.
pub fn save(source: &Source, detection: &Detection, by: LabelBy, path: &Path) -> Result<LeftOut> {
    let extension = path.extension().map(|e| e.to_ascii_lowercase());
    let las = matches!(source.format(), Format::Las | Format::Laz);
    let fields = Fields { label: false, ..Fields::ALL };
    let is_ply = source.format() == Format::Ply;
    let done = match extension.as_ref().and_then(|e| e.to_str()) {
        Some("las" | "laz") if las => copy_las(source, detection, by, path),
        Some("las" | "laz") => {
            let bounds = las::bounds(source, detection)?;
            let mut reader = source.reader(Fields { class: false, ..fields })?;
            return las::save_within(&mut *reader, detection, bounds, by, path);
        }
        Some("ply") if is_ply => copy_ply(source, detection, by, path),
        Some("ply") => save_ply(&mut *source.reader(fields)?, detection, by, path),
        Some("npy") => {
            let labels = Labels::new(detection, by)?;
            save_npy(labels.pieces.unwrap_or(labels.planes), path)
        }
        _ => Err(Error::Parameter(format!(
            "{}: labels are written as .las, .laz, .ply or .npy",
            path.display()
        ))),
    };
    done.map(|()| LeftOut::default())
}

/// What a format cannot hold, so that it is not in the file.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct LeftOut {
    /// How many there are.
    pub points: u64,
    /// The first ones: their indices in the cloud, from 0 on.
    pub first: Vec<u64>,
    /// Digits of coordinates, where these lie too far apart.
    pub rounded: Option<Rounded>,
}

impl LeftOut {
    /// Indices that are kept.
    const MOST: usize = 5;

    /// Whether nothing was lost.
    #[must_use]
    pub fn is_nothing(&self) -> bool {
        self.points == 0 && self.rounded.is_none()
    }

    fn add(&mut self, index: u64) {
        self.points += 1;
        if self.first.len() < LeftOut::MOST {
            self.first.push(index);
        }
    }
}

impl fmt::Display for LeftOut {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.rounded {
            Some(rounded) if self.points == 0 => return rounded.fmt(f),
            Some(rounded) => write!(f, "{rounded}; ")?,
            None => {}
        }
        let points = if self.points == 1 { "point" } else { "points" };
        let are = if self.points == 1 { "is" } else { "are" };
        let first: Vec<String> = self.first.iter().map(u64::to_string).collect();
        let more = if self.points > self.first.len() as u64 { " …" } else { "" };
        write!(
            f,
            "{} {points} that LAS cannot hold, not finite or too far away, {are} not in the labelled cloud; \
             counted from 0: {}{more}",
            self.points,
            first.join(" ")
        )
    }
}

/// The labels of points that follow each other in the file.
#[derive(Clone, Copy)]
struct Labels<'a> {
    /// What the labels name.
    detection: &'a Detection,
    planes: &'a [i32],
    /// Where they are asked for.
    pieces: Option<&'a [i32]>,
}

impl<'a> Labels<'a> {
    /// All labels of a detection, of which every one names a plane, or a piece of the point's plane.
    fn new(detection: &'a Detection, by: LabelBy) -> Result<Labels<'a>> {
        let planes = &detection.labels[..];
        let count = detection.planes.len();
        let known = |&label: &i32| label == -1 || usize::try_from(label).is_ok_and(|k| k < count);
        if let Some(label) = planes.iter().find(|label| !known(label)) {
            let message = format!("a point has the label {label}, there are {count} planes");
            return Err(Error::Parameter(message));
        }
        let pieces = (by == LabelBy::Piece).then_some(&detection.piece_labels[..]);
        if let Some(pieces) = pieces {
            check_pieces(detection, pieces)?;
        }
        Ok(Labels { detection, planes, pieces })
    }

    /// Takes the labels of the next `n` points.
    fn take(&mut self, n: usize) -> Result<Labels<'a>> {
        let (planes, rest) = self.planes.split_at_checked(n).ok_or_else(different_counts)?;
        // There are as many of them.
        let pieces = self.pieces.and_then(|pieces| pieces.split_at_checked(n));
        (self.planes, self.pieces) = (rest, pieces.map(|(_, rest)| rest));
        Ok(Labels { planes, pieces: pieces.map(|(now, _)| now), ..*self })
    }

    /// Checks that no label is left over.
    fn finish(&self) -> Result<()> {
        if self.planes.is_empty() { Ok(()) } else { Err(different_counts()) }
    }

    /// The plane, the distance and the piece, if asked for, of the `k`-th point as bytes.
    fn encode(&self, k: usize, point: [f64; 3], bytes: &mut Vec<u8>) {
        let id = self.planes[k];
        bytes.extend(id.to_le_bytes());
        bytes.extend(distance(&self.detection.planes, id, point).to_le_bytes());
        if let Some(pieces) = self.pieces {
            bytes.extend(pieces[k].to_le_bytes());
        }
    }
}

/// Checks that every point with a piece is labelled with the plane of that piece.
fn check_pieces(detection: &Detection, pieces: &[i32]) -> Result<()> {
    if pieces.len() != detection.labels.len() {
        let message = "there are not as many labels by piece as there are by plane";
        return Err(Error::Parameter(message.into()));
    }
    let planes = detection.planes.iter().enumerate();
    let plane_of: Vec<i32> =
        planes.flat_map(|(id, plane)| plane.pieces.iter().map(move |_| id as i32)).collect();
    let fits = |&(&piece, &plane): &(&i32, &i32)| {
        let own = usize::try_from(piece).ok().and_then(|k| plane_of.get(k));
        piece == -1 || own == Some(&plane)
    };
    match pieces.iter().zip(&detection.labels).find(|labels| !fits(labels)) {
        None => Ok(()),
        Some((piece, plane)) => Err(Error::Parameter(format!(
            "a point has the label {piece} by piece, which is no piece of its plane {plane}"
        ))),
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
    mut each: impl FnMut(&Chunk, &Labels) -> Result<()>,
) -> Result<()> {
    let mut chunk = Chunk::default();
    loop {
        reader.read(&mut chunk, BATCH)?;
        each(&chunk, &labels.take(chunk.len())?)?;
        if chunk.is_empty() {
            return labels.finish();
        }
    }
}
