//! A cloud to be measured, and the reference for its votes.

use super::report::Check;
use super::stopwatch::{Limits, Timing, linear};
use crate::backend::{Backend, Sign};
use crate::cpu::{Cpu, Voter};
use crate::frame::Points;
use crate::papers::slides::{Cloud, PHIS, SIZE, THETAS, serial};
use crate::space::{Directions, RhoAxis, Space};
use crate::{Error, Result};
use std::time::Instant;

/// Number of points with which the search for the serial loop's speed begins.
const FIRST: usize = 64;
/// One vote in this many may fall into another bin in `f64`; more than that is not due to rounding.
const RARE: u64 = 1000;

/// A cloud in the papers' space.
pub(super) struct Case {
    pub points: Points,
    /// The same cloud for the slides' versions.
    pub scaled: Cloud,
    /// The same bins for our versions.
    pub space: Space,
}

impl Case {
    pub fn new(points: Points) -> Result<Case> {
        if points.is_empty() {
            return Err(Error::Parameter("there is nothing to measure without points".into()));
        }
        let radius = points.radius().max(1.0);
        let scaled = Cloud::scaled(&points, radius)?;
        let directions = Directions::Polar { theta: THETAS as u32, phi: PHIS as u32 };
        let space = Space::new(directions.table(), RhoAxis::symmetric(radius, radius / 90.0))?;
        Ok(Case { points, scaled, space })
    }

    /// The space with only some of the directions, evenly spread.
    pub fn some_directions(&self, some: usize) -> Result<Space> {
        let all = self.space.directions();
        let spread = (0..some).map(|i| all[i * all.len() / some]).collect();
        Space::new(spread, self.space.rho())
    }

    pub fn len(&self) -> usize {
        self.points.len()
    }

    /// Number of votes of `points` points.
    pub fn votes(points: usize) -> u64 {
        (points * THETAS * PHIS) as u64
    }
}

/// The votes of the first points of a cloud, and the time that the slides' loop takes for all points.
pub(super) struct Reference {
    /// Number of points that voted.
    pub points: usize,
    pub accumulator: Vec<u64>,
    pub vote: Timing,
}

impl Reference {
    /// Lets the slides' loop vote for about a second.
    pub fn new(case: &Case) -> Result<Reference> {
        let mut reference = Reference { points: 0, accumulator: vec![0; SIZE], vote: Timing::NONE };
        let points = case.scaled.points();
        reference.vote = linear(points.len(), FIRST, Limits::CPU, |n| {
            reference.accumulator.fill(0);
            reference.points = n;
            let start = Instant::now();
            serial::add_votes(&points[..n], &mut reference.accumulator);
            Ok(start.elapsed().as_secs_f64())
        })?;
        Ok(reference)
    }

    /// How many votes differ in another accumulator of the same points.
    pub fn check(&self, version: &str, accumulator: &[u64]) -> Result<Check> {
        let pairs = self.accumulator.iter().zip(accumulator);
        let apart: u64 = pairs.map(|(a, b)| a.abs_diff(*b)).sum();
        let votes = Case::votes(self.points);
        // A vote in another bin is missing in one bin and extra in another.
        let differing = apart.div_ceil(2);
        if accumulator.iter().sum::<u64>() != votes || differing > votes / RARE {
            return Err(wrong(version, differing, votes));
        }
        Ok(Check { points: self.points as u64, votes, differing })
    }

    /// Checks votes in `f32`, which must not differ from those of the serial loop.
    pub fn check_f32(
        &self,
        version: &str,
        case: &Case,
        counts: impl FnOnce(&Points) -> Result<Vec<u32>>,
    ) -> Result<Check> {
        let part = case.points.slice(0..self.points);
        let serial = Cpu::new(Voter::Serial);
        let mut accumulator = serial.accumulator(&case.space)?;
        accumulator.vote(&part, Sign::Add)?;
        let expected = accumulator.counts()?;
        let votes = Case::votes(self.points);
        let counts = counts(&part)?;
        let apart: u64 = expected.iter().zip(&counts).map(|(a, b)| u64::from(a.abs_diff(*b))).sum();
        match apart {
            0 => Ok(Check { points: self.points as u64, votes, differing: 0 }),
            apart => Err(wrong(version, apart.div_ceil(2), votes)),
        }
    }
}

fn wrong(version: &str, differing: u64, votes: u64) -> Error {
    Error::Device {
        device: version.into(),
        message: format!("{differing} of {votes} votes are not those of the serial loop"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn some_directions_are_spread_over_all() {
        let case = Case::new([[1.0, 2.0, 3.0]].into_iter().collect()).unwrap();
        let all = case.space.directions();
        assert_eq!(all.len(), THETAS * PHIS);
        let three = case.some_directions(3).unwrap();
        assert_eq!(three.directions(), [all[0], all[10_800], all[21_600]]);
        assert_eq!(three.rho(), case.space.rho());
        assert_eq!(case.some_directions(all.len()).unwrap(), case.space);
    }
}
