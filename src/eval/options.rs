//! Limits within which a plane counts as found.

use super::surfaces::Surfaces;
use crate::{Error, Result};
use serde::Serialize;

/// Limits within which a plane counts as found.
#[derive(Debug, Clone, PartialEq)]
pub struct Options {
    /// Largest angle between a found plane and a true one, in degrees.
    pub angle: f64,
    /// Largest mean distance of a true plane's points from a found plane, in the cloud's unit;
    /// default: four times the truth's noise, or twice the plane's own mean distance if that is more.
    pub distance: Option<f64>,
    /// Least intersection over union at which a segment is found; above 0.5, so that no segment is
    /// found twice.
    pub iou: f64,
    /// Least overlap for Hoover's counts, above 0.5.
    pub overlap: f64,
    /// Fewest points of a true plane that is not small; default: 50 or 0.05 % of the cloud, whichever is more. Where planes below
    /// that hold a tenth of the points of all planes, it is at most a quarter of the ninth decile of the sizes of all, and never
    /// below 50. Planes of fewer than 50 points do not count for this.
    pub min_points: Option<u64>,
}

impl Default for Options {
    fn default() -> Self {
        Options { angle: 1.0, distance: None, iou: 0.75, overlap: 0.8, min_points: None }
    }
}

/// The limits of an evaluation: its [`Options`] with defaults resolved.
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
/// A plane is small if it has less than one in this many points of the cloud. …
const FEW_SHARE: u64 = 2000;
/// … If such planes hold at least one in this many of the points of all planes, …
const MUCH: u64 = 10;
/// … it is small if it has less than one in so many of those of a large one, of the ninth decile: in a large tile of a town, no roof
/// has one in 2000 points.
const OF_LARGE: u64 = 4;
/// The default largest distance, in standard deviations of the noise.
const DISTANCE: f64 = 4.0;
/// The least default distance, for a truth without noise, as a share of the truth's extent.
const LEAST_DISTANCE: f64 = 1e-5;

impl Options {
    /// Checks the options; the error names the invalid one.
    ///
    /// # Errors
    /// [`Error::Parameter`].
    pub fn check(&self) -> Result<()> {
        let wrong = |message: &str| Err(Error::Parameter(message.into()));
        if !(0.0..=90.0).contains(&self.angle) {
            return wrong("`angle` must be between 0 and 90 degrees");
        }
        if self.distance.is_some_and(|d| !d.is_finite() || d < 0.0) {
            return wrong("`distance` must be a length in the cloud's unit");
        }
        if self.min_points == Some(0) {
            return wrong("`min_points` must be at least 1");
        }
        for (name, value) in [("iou", self.iou), ("overlap", self.overlap)] {
            if !(value > 0.5 && value <= 1.0) {
                return wrong(&format!("`{name}` must be above 0.5 and at most 1"));
            }
        }
        Ok(())
    }

    /// The limits for a truth.
    pub(super) fn resolve(&self, points: &[[f64; 3]], truth: &Surfaces) -> Limits {
        let min_points = self.min_points.unwrap_or_else(|| default_min_points(truth));
        let distance = self.distance.unwrap_or_else(|| {
            let least = LEAST_DISTANCE * truth.extent(points);
            (DISTANCE * truth.noise(points, min_points)).max(least)
        });
        Limits { angle: self.angle, distance, iou: self.iou, overlap: self.overlap, min_points }
    }
}

/// Fewest points of a true plane that is not small, by default.
fn default_min_points(truth: &Surfaces) -> u64 {
    let share = truth.total.div_ceil(FEW_SHARE).max(FEW_POINTS);
    let sizes = truth.planes.iter().map(|p| p.points);
    let mut sizes: Vec<u64> = sizes.filter(|&n| n >= FEW_POINTS).collect();
    sizes.sort_unstable();
    let small: u64 = sizes.iter().filter(|&&n| n < share).sum();
    if MUCH * small < sizes.iter().sum() {
        return share;
    }
    let decile = (9 * sizes.len()).div_ceil(10).saturating_sub(1);
    let of_large = sizes.get(decile).map_or(share, |n| n / OF_LARGE);
    of_large.clamp(FEW_POINTS, share)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eval::surfaces::Surface;

    #[test]
    fn planes_of_a_town_are_not_small() {
        let default = |sizes: &[u64], total: u64| {
            let plane = |&points: &u64| Surface { points, ..Surface::default() };
            let planes = sizes.iter().map(plane).collect();
            default_min_points(&Surfaces { planes, total, ..Surfaces::default() })
        };
        // A share of the cloud.
        assert_eq!(default(&[5000, 3000, 2000], 1_000_001), 501);
        assert_eq!([default(&[], 5_000_000), default(&[5000], 1000)], [2500, 50]);
        // A quarter of the ninth decile, to which planes below 50 points do not count.
        let roofs: Vec<u64> = (1..=20).map(|i| 100 * i).chain([49; 30]).collect();
        assert_eq!(default(&roofs, 5_000_000), 1800 / 4);
        let level = |ground| [&roofs[..], &[ground]].concat();
        assert_eq!(default(&level(180_000), 5_000_000), 1900 / 4);
        assert_eq!(default(&[800], 5_000_000), 200);
        assert_eq!(default(&[90, 80, 70], 5_000_000), 50);
        // Scraps beside large planes.
        assert_eq!(default(&level(200_000), 5_000_000), 2500);
    }
}
