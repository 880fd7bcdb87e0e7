//! Computes all scores from both sides.

use super::matching::Matching;
use super::options::Options;
use super::overlaps::Overlaps;
use super::report::{self, Evaluation};
use super::surfaces::Surfaces;
use super::{hoover, segments};
use crate::{Error, Result};

/// Scores `found` against `truth`.
///
/// `points` are the cloud's; they may be missing if neither side has labels. Labels are compared
/// point by point; if a side has none, the segments are not scored.
///
/// # Errors
/// [`Error::Parameter`] for invalid options, for numbers of points and labels that
/// differ, and for labels without a plane.
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
    let is_given = options.distance.is_some();
    let matching = Matching::new(points, truth, found, &asked, (&limits, is_given));
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
