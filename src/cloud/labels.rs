//! The planes of points, as they are written into clouds.

use super::{Chunk, PointReader, Rounded};
use crate::plane::Plane;
use crate::{Error, Result};
use rayon::prelude::*;
use std::fmt;

/// The name of the column, property or dimension that holds the plane of each point.
pub const LABEL: &str = "plane_id";
/// The name of that with a point's distance from its plane.
pub(super) const DISTANCE: &str = "plane_distance";
/// The name of that with the number of a point's piece.
pub(super) const PIECE: &str = "piece_id";

/// Points read and written at a time.
pub(super) const BATCH: usize = 1 << 16;

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

    pub(super) fn add(&mut self, index: u64) {
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
pub(crate) struct Labels<'a> {
    /// What the labels name.
    pub(crate) planes: &'a [Plane],
    /// The plane of each point, -1 for none.
    pub(crate) of_plane: &'a [i32],
    /// The piece of each point, where it is asked for.
    pub(crate) of_piece: Option<&'a [i32]>,
    /// Smallest and largest coordinates of the points that were searched.
    pub(crate) bounds: [[f64; 3]; 2],
    /// Whether other points of the cloud were not searched, wherever they lie.
    pub(crate) is_part: bool,
}

impl<'a> Labels<'a> {
    /// Checks that every label names a plane, or a piece of the point's plane.
    pub(crate) fn check(&self) -> Result<()> {
        let count = self.planes.len();
        let known = |&label: &i32| label == -1 || usize::try_from(label).is_ok_and(|k| k < count);
        if let Some(label) = self.of_plane.par_iter().find_first(|label| !known(label)) {
            let message = format!("a point has the label {label}, there are {count} planes");
            return Err(Error::Parameter(message));
        }
        self.of_piece.map_or(Ok(()), |pieces| self.check_pieces(pieces))
    }

    /// Checks that every point with a piece is labelled with the plane of that piece.
    fn check_pieces(&self, pieces: &[i32]) -> Result<()> {
        if pieces.len() != self.of_plane.len() {
            let message = "there are not as many labels by piece as there are by plane";
            return Err(Error::Parameter(message.into()));
        }
        let planes = self.planes.iter().enumerate();
        let plane_of: Vec<i32> =
            planes.flat_map(|(id, plane)| plane.pieces.iter().map(move |_| id as i32)).collect();
        let fits = |(&piece, &plane): (&i32, &i32)| {
            let own = usize::try_from(piece).ok().and_then(|k| plane_of.get(k));
            piece == -1 || own == Some(&plane)
        };
        match pieces.par_iter().zip(self.of_plane).find_first(|&labels| !fits(labels)) {
            None => Ok(()),
            Some((piece, plane)) => Err(Error::Parameter(format!(
                "a point has the label {piece} by piece, which is no piece of its plane {plane}"
            ))),
        }
    }

    /// The properties or dimensions that hold them.
    pub(super) fn names(&self) -> &'static [&'static str] {
        &[LABEL, DISTANCE, PIECE][..if self.of_piece.is_some() { 3 } else { 2 }]
    }

    /// Checks that there are as many as points.
    pub(super) fn check_count(&self, points: u64) -> Result<()> {
        if self.of_plane.len() as u64 == points { Ok(()) } else { Err(different_counts()) }
    }

    /// Takes the labels of the next `n` points.
    pub(super) fn take(&mut self, n: usize) -> Result<Labels<'a>> {
        let (planes, rest) = self.of_plane.split_at_checked(n).ok_or_else(different_counts)?;
        // There are as many of them.
        let pieces = self.of_piece.and_then(|pieces| pieces.split_at_checked(n));
        (self.of_plane, self.of_piece) = (rest, pieces.map(|(_, rest)| rest));
        Ok(Labels { of_plane: planes, of_piece: pieces.map(|(now, _)| now), ..*self })
    }

    /// Checks that no label is left over.
    pub(super) fn finish(&self) -> Result<()> {
        self.check_count(0)
    }

    /// The plane, the distance and the piece, if asked for, of the `k`-th point as bytes.
    pub(super) fn encode(&self, k: usize, point: [f64; 3], bytes: &mut Vec<u8>) {
        let id = self.of_plane[k];
        bytes.extend(id.to_le_bytes());
        bytes.extend(distance(self.planes, id, point).to_le_bytes());
        if let Some(pieces) = self.of_piece {
            bytes.extend(pieces[k].to_le_bytes());
        }
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
pub(super) fn for_each_chunk(
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
