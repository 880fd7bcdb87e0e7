//! Scores of the lines of an image against its truth.
//!
//! A found line may match a true one if their angles differ by at most
//! [`LineLimits::angle`] and it passes the middle of the drawn part of the true line within
//! [`LineLimits::distance`]. Of all possible pairs, the nearest (by the sum of both errors, each as a share of its
//! limit) are matched first, each line once. A found line that is left over although it may match a
//! true line is a duplicate.

use crate::lines::Detection;
use crate::synth::lines::{LineTruth, TrueLine};
use crate::{Error, Result};
use serde::Serialize;

/// Limits within which a line counts as found.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct LineLimits {
    /// Largest angle, in degrees.
    pub angle: f64,
    /// Largest distance at the middle of the true line, in pixels.
    pub distance: f64,
}

impl Default for LineLimits {
    fn default() -> LineLimits {
        LineLimits { angle: 1.0, distance: 2.0 }
    }
}

impl LineLimits {
    /// Checks the limits.
    ///
    /// # Errors
    /// [`Error::Parameter`].
    pub fn check(&self) -> Result<()> {
        if !(0.0..=90.0).contains(&self.angle) {
            return Err(Error::Parameter("`angle` must be between 0 and 90 degrees".into()));
        }
        if !(0.0..=1e6).contains(&self.distance) {
            return Err(Error::Parameter("`distance` must be a number of pixels".into()));
        }
        Ok(())
    }
}

/// The scores of one image.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct LineScores {
    /// The limits that were used.
    pub limits: LineLimits,
    /// True lines.
    pub truth: usize,
    /// Found lines.
    pub found: usize,
    /// Found lines that match a true one.
    pub matched: usize,
    /// Other found lines that are beside a true line that was found already.
    pub duplicates: usize,
    /// `matched / found`; 1 if nothing was found.
    pub precision: f64,
    /// `matched / truth`; 1 if there is no true line.
    pub recall: f64,
    /// Harmonic mean of both.
    pub f1: f64,
    /// Median angle error of the matched lines, in degrees.
    pub angle: Option<f64>,
    /// Median distance of the matched lines at the middle of the true line, in pixels.
    pub distance: Option<f64>,
    /// For each true line, the found one.
    pub of_truth: Vec<Option<usize>>,
    /// For each found line, the true one.
    pub of_found: Vec<Option<usize>>,
}

/// Angle between a true and a found line, in degrees, and distance of the found line from the middle of
/// the drawn part, in pixels.
pub fn line_errors(truth: &TrueLine, theta: f64, rho: f64) -> [f64; 2] {
    let turn = (truth.theta - theta).rem_euclid(180.0);
    let (sin, cos) = theta.to_radians().sin_cos();
    let middle = [0, 1].map(|a| (truth.start[a] + truth.end[a]) / 2.0);
    [turn.min(180.0 - turn), (middle[0] * cos + middle[1] * sin - rho).abs()]
}

/// Scores the lines of an image.
///
/// # Errors
/// [`Error::Parameter`] if the result is for an image of another size.
pub fn score(found: &Detection, truth: &LineTruth, limits: LineLimits) -> Result<LineScores> {
    limits.check()?;
    if (found.width, found.height) != (truth.width, truth.height) {
        return Err(Error::Parameter(format!(
            "the result is of an image of {} × {} pixels, the truth of one of {} × {}",
            found.width, found.height, truth.width, truth.height
        )));
    }
    let mut pairs = Vec::new();
    for (t, line) in truth.lines.iter().enumerate() {
        for (f, other) in found.lines.iter().enumerate() {
            let [angle, distance] = line_errors(line, other.theta, other.rho);
            if angle <= limits.angle && distance <= limits.distance {
                let far = angle / limits.angle.max(1e-9) + distance / limits.distance.max(1e-9);
                pairs.push((far, t, f, [angle, distance]));
            }
        }
    }
    pairs.sort_by(|a, b| a.0.total_cmp(&b.0).then((a.1, a.2).cmp(&(b.1, b.2))));
    let mut of_truth = vec![None; truth.lines.len()];
    let mut of_found = vec![None; found.lines.len()];
    let mut differences = Vec::new();
    for &(_, t, f, difference) in &pairs {
        if of_truth[t].is_none() && of_found[f].is_none() {
            (of_truth[t], of_found[f]) = (Some(f), Some(t));
            differences.push(difference);
        }
    }
    let mut beside: Vec<usize> =
        pairs.iter().map(|&(_, _, f, _)| f).filter(|&f| of_found[f].is_none()).collect();
    beside.sort_unstable();
    beside.dedup();
    let matched = differences.len();
    let share = |of: usize| if of == 0 { 1.0 } else { matched as f64 / of as f64 };
    let (precision, recall) = (share(found.lines.len()), share(truth.lines.len()));
    let both = precision + recall;
    Ok(LineScores {
        limits,
        truth: truth.lines.len(),
        found: found.lines.len(),
        matched,
        duplicates: beside.len(),
        precision,
        recall,
        f1: if both == 0.0 { 0.0 } else { 2.0 * precision * recall / both },
        angle: median(differences.iter().map(|d| d[0]).collect()),
        distance: median(differences.iter().map(|d| d[1]).collect()),
        of_truth,
        of_found,
    })
}

/// The median, the lower one of two.
pub(crate) fn median(mut values: Vec<f64>) -> Option<f64> {
    values.sort_by(f64::total_cmp);
    values.get(values.len().saturating_sub(1) / 2).copied()
}
