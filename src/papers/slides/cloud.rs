//! Points in the units of the slides' system.

use super::grid::MAXRHO;
use crate::frame::Points;
use crate::{Error, Result};
use rayon::prelude::*;

/// The part of the axis that a scaled cloud fills.
const FILLED: f64 = 90.0;

/// Points in units of a bin's width, all within the axis.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Cloud {
    points: Vec<[f64; 3]>,
}

impl Cloud {
    /// Points that are scaled already.
    ///
    /// # Errors
    /// [`Error::Parameter`] if a point is more than `MAXRHO − 1` from zero: it would vote for bins
    /// that do not exist, which no version checks.
    pub fn new(points: Vec<[f64; 3]>) -> Result<Cloud> {
        let most = (MAXRHO - 1) as f64;
        let is_near = |p: &[f64; 3]| p.iter().map(|v| v * v).sum::<f64>() <= most * most;
        match points.iter().position(|p| !is_near(p)) {
            None => Ok(Cloud { points }),
            Some(i) => Err(Error::Parameter(format!(
                "point {i} is more than {most} bins from zero, which the slides' axis does not hold"
            ))),
        }
    }

    /// Local points, scaled so that the farthest, at `radius`, is 90 bins from zero.
    ///
    /// # Errors
    /// As for [`Cloud::new`], if points are farther away than `radius`.
    pub fn scaled(points: &Points, radius: f64) -> Result<Cloud> {
        let bin = radius.max(1.0) / FILLED;
        let scale = |i: usize| points.get(i).map(|v| f64::from(v) / bin);
        Cloud::new((0..points.len()).into_par_iter().map(scale).collect())
    }

    /// The points.
    pub fn points(&self) -> &[[f64; 3]] {
        &self.points
    }
}
