//! What a user may ask of a detection.

use crate::cloud::Source;
use crate::detection::Curved;
use crate::lms::Refine;
use crate::orient::Orient;
use crate::space::Directions;
use crate::{Error, Result};

/// How far a measured tolerance may be widened; a given one is kept.
const WIDEN: f64 = 5.0;

/// Which points vote for which directions.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Mode {
    /// Rounds in which every surface votes for the directions near its own normal.
    #[default]
    Near,
    /// Rounds in which every point votes for every direction, the standard Hough transform.
    All,
    /// The papers' flow: every point votes for every direction, non-maxima are suppressed, and
    /// the winners are the planes as they stand in the accumulator.
    OnePass,
}

/// What a user may set; `None` leaves the choice to the search.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Options {
    /// Who votes for what.
    pub mode: Mode,
    /// The directions of the space.
    pub directions: Option<Directions>,
    /// Width of a bin of `ρ`, in the cloud's unit.
    pub rho_bin: Option<f64>,
    /// Largest distance of an inlier from its plane, in the cloud's unit.
    pub tolerance: Option<f64>,
    /// Planes that are not quite flat get up to this many times the tolerance, and rougher places one in
    /// proportion to their noise. 1 turns both off; at least 1.
    pub widen: Option<f64>,
    /// Largest angle between a point's surface and its plane, in degrees.
    pub angle: Option<f64>,
    /// What is done with pieces of curved surfaces and slices of clutter. With a tolerance that may not be widened, slices
    /// are planes, and so are curved surfaces that end within it.
    pub curved: Curved,
    /// How planes are refined on their points. The default is least squares, but in [`Mode::OnePass`] planes
    /// stay as they are in the accumulator. [`Refine::Stroke`] is for lines.
    pub refine: Option<Refine>,
    /// Fewest votes of a peak.
    pub min_votes: Option<u64>,
    /// Fewest inliers of a plane.
    pub min_inliers: Option<u64>,
    /// The side of a plane to which its normal points.
    pub orient: Orient,
    /// Most planes to report.
    pub top: Option<u64>,
    /// Smallest area of a plane, in the cloud's unit squared.
    pub min_area: Option<f64>,
    /// Whether only the planes are wanted. The detection then has no labels of points, which take time and
    /// memory for a large cloud.
    pub planes_only: bool,
}

impl Options {
    /// Refuses what the file cannot tell.
    ///
    /// # Errors
    /// [`Error::Parameter`], naming the file.
    pub fn check_source(&self, source: &Source) -> Result<()> {
        if self.orient == Orient::Scanner(None) { source.scanner().map(drop) } else { Ok(()) }
    }

    /// How many times as wide as usual the slabs of planes may become.
    pub(super) fn most_widening(&self) -> f64 {
        self.widen.unwrap_or(if self.tolerance.is_none() { WIDEN } else { 1.0 })
    }

    /// Rejects invalid values, naming the option.
    ///
    /// # Errors
    /// [`Error::Parameter`].
    pub fn check(&self) -> Result<()> {
        let positive = [("rho_bin", self.rho_bin), ("tolerance", self.tolerance)];
        for (name, value) in positive {
            if value.is_some_and(|v| !v.is_normal() || v < 0.0) {
                let message = format!("`{name}` must be a positive length in the cloud's unit");
                return Err(Error::Parameter(message));
            }
        }
        if self.min_area.is_some_and(|area| !area.is_finite() || area < 0.0) {
            let message = "`min_area` must be an area in the cloud's unit squared";
            return Err(Error::Parameter(message.into()));
        }
        if self.angle.is_some_and(|a| !(1.0..=45.0).contains(&a)) {
            return Err(Error::Parameter("`angle` must be between 1 and 45 degrees".into()));
        }
        if self.widen.is_some_and(|w| !(1.0..=100.0).contains(&w)) {
            return Err(Error::Parameter("`widen` must be between 1 and 100".into()));
        }
        if self.refine == Some(Refine::Stroke) {
            return Err(Error::Parameter("`refine` stroke is for lines in images".into()));
        }
        for (name, value) in [("top", self.top), ("min_inliers", self.min_inliers)] {
            if value == Some(0) {
                return Err(Error::Parameter(format!("`{name}` must be at least 1")));
            }
        }
        Ok(())
    }
}
