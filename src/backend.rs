//! What a device must be able to do: vote, suppress, pick winners.
//!
//! Detection is written once above these two traits. The accumulator stays where the backend keeps
//! it; peaks come back, or the whole table on request.

use crate::Result;
use crate::frame::Points;
use crate::space::{Neighbours, Space};
use crate::vote::{Ballots, Peak};

/// Whether votes are added or taken back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sign {
    /// Add votes.
    Add,
    /// Take back votes that were added before.
    Subtract,
}

/// Which bins [`Accumulator::peaks`] returns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PeakOptions {
    /// Neighbourhood along `ρ`: this many bins to either side.
    pub rho_radius: u32,
    /// Fewest votes.
    pub min_votes: u32,
    /// Most peaks.
    pub limit: usize,
}

/// A device that votes.
pub trait Backend: Send + Sync {
    /// What it is, for people: `cpu, parallel (AVX2), 8 threads`.
    fn name(&self) -> String;

    /// An accumulator of zeros for `space`.
    ///
    /// # Errors
    /// Where the device has no room for it.
    fn accumulator<'a>(&'a self, space: &'a Space) -> Result<Box<dyn Accumulator + 'a>>;
}

/// The table of counts of a space, kept by a backend.
///
/// A bin counts modulo 2³², which holds as long as fewer than 2³² votes fall into one.
pub trait Accumulator {
    /// Lets every point vote once for every direction.
    ///
    /// # Errors
    /// Where the device fails.
    fn vote(&mut self, points: &Points, sign: Sign) -> Result<()>;

    /// Lets every ballot vote for the directions `near` its own.
    ///
    /// # Errors
    /// Where the device fails.
    fn vote_near(&mut self, ballots: &Ballots, near: &Neighbours, sign: Sign) -> Result<()>;

    /// Suppresses what is not the maximum of its neighbourhood and returns what is left, best
    /// first. Of equal bins in one neighbourhood the lowest index survives.
    ///
    /// # Errors
    /// Where the device fails.
    fn peaks(&mut self, neighbours: &Neighbours, options: PeakOptions) -> Result<Vec<Peak>>;

    /// The whole table, row by row.
    ///
    /// # Errors
    /// Where the device fails.
    fn counts(&mut self) -> Result<Vec<u32>>;
}
