//! Clouds with the plane of each point.
//!
//! Each point gets two values, or three:
//!
//! - `plane_id`: the index of its plane, `-1` for none;
//! - `plane_distance`: its signed distance from that plane along the plane's normal, in the cloud's
//!   unit, NaN for none;
//! - `piece_id`, if pieces are asked for ([`LabelBy::Piece`]): the `id` of its piece of that plane,
//!   `-1` for none.
//!
//! The extension of the path determines the format that [`save`] writes. Points keep their order and their
//! number, except for points that LAS cannot hold, which are [left out](LeftOut) of a newly written cloud. LAS
//! and LAZ inputs written as LAS or LAZ, PLY inputs written as PLY, PCD inputs written as PCD (text as text,
//! `binary_compressed` as `binary`), and E57 inputs written as E57, are copied with everything they hold. Of a file
//! inside gzip or zstd, the content is copied. Only an E57 input can be written as E57. Any other cloud is written
//! anew from its coordinates, colours and intensities. `.npy` holds only one of the ids ([`save_npy`]).
//!
//! A newly written LAS counts coordinates in steps. The step is the finest power of ten for which the
//! extent in `detection.input` fits, so that ordinary decimal coordinates are kept exactly. A point that is not
//! finite, or far outside that extent, cannot be held and is left out.
//! A newly written PLY is binary little-endian: `x`, `y`, `z` as `double`; `red`, `green`, `blue`,
//! `intensity` as `ushort` and `classification` if the cloud has them; `plane_id` as `int`, `plane_distance`
//! as `float`, and `piece_id` as `int` if it is asked for. A newly written PCD is binary with the same fields, the
//! colour packed as `rgb`, and the scanner's position, if the input gives it, as `VIEWPOINT`.

use super::npy::save_npy;
use crate::cloud::{Format, Labels, LeftOut, Source, labelled_endings};
use crate::detection::Detection;
use crate::{Error, Result};
use std::path::Path;

/// How the points of a cloud are labelled.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum LabelBy {
    /// By plane.
    #[default]
    Plane,
    /// By plane and by piece; if there is room for only one label, by piece.
    Piece,
}

/// Checks that the labels of `source` can be written to `path`.
///
/// # Errors
/// [`Error::Parameter`] for an extension that [`save`] refuses.
pub fn check(source: &Source, path: &Path) -> Result<()> {
    let is_known = ends_in(path, "npy") || source.can_be_labelled(path);
    if is_known { Ok(()) } else { Err(refusal(source, path)) }
}

fn refusal(source: &Source, path: &Path) -> Error {
    let is_e57 = source.format() == Format::E57;
    let endings = labelled_endings(if is_e57 { &["e57", "npy"] } else { &["npy"] });
    let why = if ends_in(path, "e57") { "only an E57 can be written as E57; " } else { "" };
    Error::Parameter(format!("{}: {why}labels are written as {endings}", path.display()))
}

fn ends_in(path: &Path, known: &str) -> bool {
    path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case(known))
}

/// Writes the cloud `source` with the planes of `detection` to `path`, whose extension determines the format:
/// `.las` or `.laz`, `.ply`, `.pcd`, `.e57` if the cloud is an E57, or `.npy` for only the ids of planes or pieces.
///
/// # Errors
/// [`Error::Parameter`] for another extension, or if the labels do not fit the cloud or the planes;
/// [`Error::Io`]; [`Error::Format`] on `source` if it is damaged.
pub fn save(source: &Source, detection: &Detection, by: LabelBy, path: &Path) -> Result<LeftOut> {
    let input = &detection.input;
    let labels = Labels {
        planes: &detection.planes,
        of_plane: &detection.labels,
        of_piece: (by == LabelBy::Piece).then_some(&detection.piece_labels),
        bounds: [input.min, input.max],
        is_part: input.not_chosen > 0,
    };
    labels.check()?;
    if ends_in(path, "npy") {
        save_npy(labels.of_piece.unwrap_or(labels.of_plane), path)?;
        return Ok(LeftOut::default());
    }
    source.save_labelled(labels, path).unwrap_or_else(|| Err(refusal(source, path)))
}
