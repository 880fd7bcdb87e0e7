//! Scores of a result against a truth.
//!
//! Two questions are asked. Are the right *planes* found, each once and exactly? And is each
//! *point* given to the right plane? [`evaluate`] answers both from two sets of [`Surfaces`] over
//! one cloud; [`load`] reads them from files.
//!
//! | measure | what is counted |
//! | --- | --- |
//! | precision, recall, F1 of planes | a true plane is found by a plane within [`Options::angle`] whose mean distance from the true plane's points is within [`Options::distance`]; each plane serves once, large true planes choose first, the nearest plane is taken |
//! | duplicates | planes left over that would have found a true plane which another one found |
//! | angle and offset errors | of the planes that were found; offsets are compared at the centroid of the found one |
//! | panoptic quality (Kirillov et al. 2019) | point sets whose intersection over union (IoU) is above 0.5 |
//! | segments found at an IoU | point sets whose IoU is above 0.5; at least 0.75; at least [`Options::iou`] |
//! | mean IoU (mean coverage, mCov) | for each true plane the best IoU with any found one; weighted by points, too (mWCov) |
//! | precision, recall, F1 by points (after RSPD, Araújo and Oliveira 2020) | points shared by pairs of planes, see [`ByPoints`] |
//! | EVOPS' scores (Kornilova et al. 2022) | matches at an IoU of 0.75, in part at 0.2, see [`Evops`] |
//! | correct, over- and under-segmented, missed, noise (Hoover et al. 1996) | point sets that overlap by at least [`Options::overlap`] |
//!
//! # Small planes
//!
//! A true plane of fewer points than [`Options::min_points`] is *small*: it need not be found, and
//! whoever finds it does nothing wrong. It counts neither as found nor as missed, and a found plane
//! is left out of all counts of wrong planes if more than half of its points lie on small ones; as
//! a plane, also if it matches a small one by angle and distance.
//!
//! # Unknown points
//!
//! Points that the truth labels [`UNKNOWN`](crate::cloud::UNKNOWN) are left out of all sets: nobody knows whether a plane
//! is there. A found plane that found no true one and lies with more than half of its points on
//! them, or on small planes, is left out of all counts of wrong planes.
//!
//! # Pieces
//!
//! Pieces of one geometric plane, as the panes of a facade, are one true plane if the truth gives
//! them normals and offsets equal to the bit.
//!
//! ```
//! use planes::eval::{Options, Surfaces, evaluate};
//!
//! // Two steps of a stair; a point of the upper one was given to the lower.
//! let points: Vec<[f64; 3]> =
//!     (0..200).map(|i| [(i % 10) as f64, (i / 10) as f64, (i / 100) as f64]).collect();
//! let truth: Vec<i32> = (0..200).map(|i| i / 100).collect();
//! let mut found = truth.clone();
//! found[199] = 0;
//!
//! let truth = Surfaces::from_labels(&points, &truth)?;
//! let found = Surfaces::from_labels(&points, &found)?;
//! let options = Options { distance: Some(0.1), ..Options::default() };
//! let scores = evaluate(&points, &truth, &found, &options)?;
//! assert_eq!(scores.planes.f1, 1.0);
//! let segments = scores.segments.unwrap();
//! assert_eq!(segments.mean_iou, (100.0 / 101.0 + 99.0 / 100.0) / 2.0);
//! assert_eq!(segments.hoover.correct, 2);
//! # Ok::<(), planes::Error>(())
//! ```

mod by_points;
mod evops;
mod files;
mod fit;
mod hoover;
mod labels;
pub mod lines;
mod matching;
mod overlaps;
mod report;
mod segments;
mod surfaces;

pub use by_points::ByPoints;
pub use evops::Evops;
pub use files::{Files, Loaded, load, load_with};
pub use hoover::{Hoover, Verdict};
pub use labels::read_labels;
pub use report::{Evaluation, FORMAT, FoundRow, Match, PlaneScores, TruthRow, VERSION};
pub use segments::{SegmentScores, Segments};
pub use surfaces::{Flat, Surface, Surfaces};

use crate::{Error, Result};
use matching::Matching;
use overlaps::Overlaps;
use serde::Serialize;

/// What counts as found.
#[derive(Debug, Clone, PartialEq)]
pub struct Options {
    /// Largest angle between a found plane and a true one, in degrees.
    pub angle: f64,
    /// Largest mean distance of a true plane's points from a found plane, in the cloud's unit;
    /// default: four times the truth's noise.
    pub distance: Option<f64>,
    /// Least intersection over union of a segment that is found; above 0.5, so that no segment is
    /// found twice.
    pub iou: f64,
    /// Least overlap for Hoover's counts, above 0.5.
    pub overlap: f64,
    /// Fewest points of a true plane that is not small; default: 50 or 0.05 % of the cloud,
    /// whichever is more.
    pub min_points: Option<u64>,
}

impl Default for Options {
    fn default() -> Self {
        Options { angle: 1.0, distance: None, iou: 0.75, overlap: 0.8, min_points: None }
    }
}

/// The [`Options`] of an evaluation, defaults resolved.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Limits {
    /// Largest angle, in degrees.
    pub angle: f64,
    /// Largest mean distance, in the cloud's unit.
    pub distance: f64,
    /// Least intersection over union.
    pub iou: f64,
    /// Least overlap for Hoover's counts.
    pub overlap: f64,
    /// Fewest points of a true plane that is not small.
    pub min_points: u64,
}

/// Fewest points of a plane that is not small.
const FEW_POINTS: u64 = 50;
/// A plane is small if it has less than one point in so many of the cloud.
const FEW_SHARE: u64 = 2000;
/// The usual largest distance, in standard deviations of the noise.
const DISTANCE: f64 = 4.0;
/// Where there is no noise: the least distance, as a share of the extent of the truth.
const LEAST_DISTANCE: f64 = 1e-5;

impl Options {
    /// Refuses what makes no sense, naming the option.
    ///
    /// # Errors
    /// [`Error::Parameter`].
    pub fn check(&self) -> Result<()> {
        let wrong = |message: &str| Err(Error::Parameter(message.into()));
        if !(0.0..=90.0).contains(&self.angle) {
            return wrong("--angle must be between 0 and 90 degrees");
        }
        if self.distance.is_some_and(|d| !d.is_finite() || d < 0.0) {
            return wrong("--distance must be a length in the cloud's unit");
        }
        for (name, value) in [("--iou", self.iou), ("--overlap", self.overlap)] {
            if !(value > 0.5 && value <= 1.0) {
                return wrong(&format!("{name} must be above 0.5 and at most 1"));
            }
        }
        Ok(())
    }

    /// The limits for a truth.
    fn resolve(&self, points: &[[f64; 3]], truth: &Surfaces) -> Limits {
        let share = truth.total.div_ceil(FEW_SHARE);
        let min_points = self.min_points.unwrap_or(share.max(FEW_POINTS));
        let distance = self.distance.unwrap_or_else(|| {
            let least = LEAST_DISTANCE * truth.extent(points);
            (DISTANCE * truth.noise(points, min_points)).max(least)
        });
        Limits { angle: self.angle, distance, iou: self.iou, overlap: self.overlap, min_points }
    }
}

/// Scores `found` against `truth`.
///
/// `points` are the cloud's; they may be missing if neither side has labels. Labels are compared
/// point by point; where a side has none, the segments are not scored.
///
/// # Errors
/// [`Error::Parameter`] for options that make no sense, for numbers of points and labels that
/// differ, and for labels that are no planes.
pub fn evaluate(
    points: &[[f64; 3]],
    truth: &Surfaces,
    found: &Surfaces,
    options: &Options,
) -> Result<Evaluation> {
    options.check()?;
    truth.check("the truth")?;
    found.check("the result")?;
    let counts = [points.len(), truth.labels.len(), found.labels.len()];
    let mut known = counts.into_iter().filter(|&n| n > 0);
    if let (Some(a), Some(b)) = (known.clone().min(), known.clone().max())
        && a != b
    {
        let message = format!("{a} points on one side, {b} on the other: not the same cloud");
        return Err(Error::Parameter(message));
    }
    let limits = options.resolve(points, truth);
    let asked: Vec<bool> = truth.planes.iter().map(|p| p.points >= limits.min_points).collect();
    let overlaps = Overlaps::new(truth, found);
    let on_small = overlaps.on_small(&asked);
    let matching = Matching::new(points, truth, found, &asked, &limits);
    let has_segments = !truth.labels.is_empty() && !found.labels.is_empty();
    let hoover = hoover::classify(&overlaps, &asked, &on_small, limits.overlap);
    let points = known.next().map_or(truth.total, |n| n as u64);
    let counted = report::Counted { points, unknown: truth.unknown() };
    let segments = has_segments
        .then(|| segments::score(&overlaps, &asked, &on_small, limits.iou, hoover.counts()));
    let sides = report::Sides { truth, found, asked: &asked, on_small: &on_small };
    let hoover = has_segments.then_some(&hoover);
    Ok(report::report(&sides, limits, counted, &matching, &overlaps, segments, hoover))
}
