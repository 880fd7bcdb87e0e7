//! The system of the slides, every version of every step.
//!
//! After Duca, "3D Plane Detection via Hough Transform": vote, suppress what is not a maximum, take
//! the bins with the most votes. Everything is as the slides have it: `f64`, bins of width 1,
//! 180 × 180 directions, 64-bit counters, neighbourhoods that end at 0° and 180°. It is kept for
//! what it costs, which `planes bench` measures; [`detect`](mod@crate::detect) does not use it.
//!
//! ```
//! use planes::slides::{Cloud, serial};
//!
//! # fn main() -> planes::Result<()> {
//! // A level square at a height of 20.5 bins.
//! let square = (0..900).map(|i| [f64::from(i % 30), f64::from(i / 30), 20.5]);
//! let mut accumulator = serial::vote(Cloud::new(square.collect())?.points());
//! let best = serial::winners(&mut accumulator, 1)[0];
//! // In the row θ = 0, φ = 0, all votes are in the bin of 20 ≤ ρ < 21.
//! assert_eq!((best.votes, best.index), (900, 92 + 20));
//! # Ok(())
//! # }
//! ```

pub mod serial;

use crate::frame::Points;
use crate::shared::{SLIDES_MAXRHO, SLIDES_PHIS, SLIDES_RADIUS, SLIDES_THETAS};
use crate::{Error, Result};

/// Steps of `θ` of 1°.
pub const THETAS: usize = SLIDES_THETAS;
/// Steps of `φ` of 1°.
pub const PHIS: usize = SLIDES_PHIS;
/// The `ρ` axis begins at `−MAXRHO`.
pub const MAXRHO: usize = SLIDES_MAXRHO;
/// Bins of `ρ`.
pub const RHOS: usize = 2 * MAXRHO;
/// Bins in all: that of `φ`, `θ` and `ρ` has the index `(φ × THETAS + θ) × RHOS + ρ`.
pub const SIZE: usize = PHIS * THETAS * RHOS;
/// Neighbourhood of a bin: so many bins to either side along each axis.
///
/// The slides do not say theirs. It is the largest for which the tile of [`Suppress::Tiled`] fits
/// in shared memory.
pub const RADIUS: usize = SLIDES_RADIUS;
/// Width of a tile of [`Suppress::Tiled`].
pub const TILE: usize = 2 * RADIUS + 1;

/// The part of the axis that a cloud fills when it is scaled to it.
const FILLED: f64 = 90.0;

/// A version of the first step: every point votes for every direction.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Vote {
    /// The CPU, point by point.
    Serial,
    /// A thread a point, atomic additions: slide "Hough Transform: Naive GPU".
    NaiveScatter,
    /// A thread a direction, all in global memory: "Naive Gather" of the timings.
    NaiveGather,
    /// Points in constant memory, a local row: slide "Hough Transform: Optimized GPU".
    Gather,
}

impl Vote {
    /// All versions.
    pub const ALL: [Vote; 4] = [Vote::Serial, Vote::NaiveScatter, Vote::NaiveGather, Vote::Gather];

    /// What it is called.
    pub const fn name(self) -> &'static str {
        match self {
            Vote::Serial => "serial",
            Vote::NaiveScatter => "naive-scatter",
            Vote::NaiveGather => "naive-gather",
            Vote::Gather => "gather",
        }
    }
}

/// A version of the second step: what is not the maximum of its neighbourhood becomes zero.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Suppress {
    /// The CPU, bin by bin.
    Cpu,
    /// A thread a bin: slide "Non-maximum Suppression: Naive GPU".
    Naive,
    /// Tiles in shared memory, a thread a row: slide "Non-maximum Suppression: Optimized GPU".
    ///
    /// Unlike the others it keeps none of equal maxima, and nothing in the first [`TILE`] bins of
    /// `ρ`.
    Tiled,
}

impl Suppress {
    /// All versions.
    pub const ALL: [Suppress; 3] = [Suppress::Cpu, Suppress::Naive, Suppress::Tiled];

    /// What it is called.
    pub const fn name(self) -> &'static str {
        match self {
            Suppress::Cpu => "cpu",
            Suppress::Naive => "naive",
            Suppress::Tiled => "tiled",
        }
    }
}

/// A version of the third step: the bins with the most votes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Winners {
    /// The CPU: the maximum, again and again.
    Cpu,
    /// A rank sort in global memory: slide "Determine Winning Planes: Naive GPU".
    Naive,
    /// The best of each block, launch by launch: slide "Determine Winning Planes: Optimized GPU".
    RankReduction,
}

impl Winners {
    /// All versions.
    pub const ALL: [Winners; 3] = [Winners::Cpu, Winners::Naive, Winners::RankReduction];

    /// What it is called.
    pub const fn name(self) -> &'static str {
        match self {
            Winners::Cpu => "cpu",
            Winners::Naive => "naive",
            Winners::RankReduction => "rank-reduction",
        }
    }
}

/// A bin with many votes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Winner {
    /// Its votes, at least one.
    pub votes: u64,
    /// Its index in the accumulator.
    pub index: u64,
}

/// Points for which a bin is 1 wide, all on the axis.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Cloud {
    points: Vec<[f64; 3]>,
}

impl Cloud {
    /// Points that are scaled already.
    ///
    /// # Errors
    /// [`Error::Parameter`] where one is more than `MAXRHO − 1` from zero: it would vote for bins
    /// that are not there, which no version looks after.
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
    /// As for [`Cloud::new`], where points are farther away than `radius`.
    pub fn scaled(points: &Points, radius: f64) -> Result<Cloud> {
        use rayon::prelude::*;
        let bin = radius.max(1.0) / FILLED;
        let scale = |i: usize| points.get(i).map(|v| f64::from(v) / bin);
        Cloud::new((0..points.len()).into_par_iter().map(scale).collect())
    }

    /// The points.
    pub fn points(&self) -> &[[f64; 3]] {
        &self.points
    }
}
