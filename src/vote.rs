//! The arithmetic of a vote, shared by all voters.
//!
//! A voter may be serial or parallel, on a CPU or a GPU, and take the points at once or in chunks. As long as
//! it computes [`position`] by these three fused multiply-adds in this order, it puts every point into the
//! same bin, and its accumulator is identical. The CUDA twin of this file is `kernels/vote.cuh`.
//!
//! A fused multiply-add rounds once and is therefore monotone in each operand: moving a point along an axis
//! moves its position one way or not at all. So the position of every point in a box lies between the
//! positions of two of its corners, *exactly*, and a group of points whose two corners share a bin can vote
//! at once.

use crate::frame::Points;
use crate::sort::sort;

/// The position of a local point on a row's `ρ` axis, in bins; `t` is a row of
/// [`Space::vote_table`](crate::space::Space::vote_table).
#[inline(always)]
pub fn position(t: [f32; 4], p: [f32; 3]) -> f32 {
    p[2].mul_add(t[2], p[1].mul_add(t[1], p[0].mul_add(t[0], t[3])))
}

/// The bin of a position, or `None` off the axis.
#[inline(always)]
pub fn bin(position: f32, bins: usize) -> Option<usize> {
    let floor = position.floor();
    (floor >= 0.0 && floor < bins as f32).then_some(floor as usize)
}

/// Points or cells that vote, each with a weight, sorted by the direction nearest to their normals.
///
/// A point that knows its normal need not vote for every direction: it votes for those near the direction
/// `row` that is nearest to its normal.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Ballots {
    /// Positions of the voters.
    pub points: Points,
    /// Number of votes that each casts.
    pub weight: Vec<u32>,
    /// The ballots of direction `row` are `start[row]..start[row + 1]`; one longer than the table.
    pub start: Vec<u32>,
}

impl Ballots {
    /// The ballots of things that each know the row of their direction, out of `rows`. They are sorted by
    /// row, and within a row in the order of the things. `ballot` gives a thing's position and its number of
    /// votes.
    pub fn by_row(
        rows: usize,
        things: impl Iterator<Item = (u32, u32)>,
        ballot: impl Fn(u32) -> ([f32; 3], u32),
    ) -> Ballots {
        let mut sorted: Vec<u64> =
            things.map(|(row, thing)| u64::from(row) << 32 | u64::from(thing)).collect();
        sort(&mut sorted);
        let mut start = vec![0u32; rows + 1];
        let room = || Vec::with_capacity(sorted.len());
        let mut points = Points { x: room(), y: room(), z: room() };
        let mut weight = Vec::with_capacity(sorted.len());
        for &packed in &sorted {
            start[(packed >> 32) as usize + 1] += 1;
            let (at, votes) = ballot(packed as u32);
            points.push(at);
            weight.push(votes);
        }
        for row in 0..rows {
            start[row + 1] += start[row];
        }
        Ballots { points, weight, start }
    }
}

/// A bin that is the maximum of its neighbourhood.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Peak {
    /// Its votes.
    pub votes: u32,
    /// Its index in the accumulator, `row × R + r`.
    pub index: u32,
}

impl Peak {
    /// Order of the winners: most votes first, then the lowest index.
    pub fn rank(&self) -> (std::cmp::Reverse<u32>, u32) {
        (std::cmp::Reverse(self.votes), self.index)
    }
}
