//! The arithmetic of a vote, which every voter shares.
//!
//! A voter may be serial or parallel, on a CPU or a GPU, whole or in chunks: as long as it
//! computes [`position`] by these three fused multiply-adds in this order, it puts every point
//! into the same bin, and its accumulator is the same to the vote. The CUDA twin of this file is
//! `kernels/vote.cuh`.
//!
//! Fused multiply-add rounds once and is therefore monotone in each operand: moving a point along
//! an axis moves its position one way or not at all. The position of every point in a box thus
//! lies between the positions of two of its corners, *exactly*, and a group of points whose two
//! corners share a bin can vote at once.

use crate::frame::Points;
use crate::sort::sort;

/// Where a local point stands on a row's `ρ` axis, in bins; `t` is a row of
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

/// Points or cells that vote, each with a weight, sorted by the direction nearest to its normal.
///
/// A point that knows its normal need not vote for every direction: it votes for those near the
/// direction `row` that is nearest to its normal.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Ballots {
    /// Where they are.
    pub points: Points,
    /// How many votes each casts.
    pub weight: Vec<u32>,
    /// The ballots of direction `row` are `start[row]..start[row + 1]`; one longer than the table.
    pub start: Vec<u32>,
}

impl Ballots {
    /// The ballots of things that each know the row of their direction, out of `rows`: sorted by it, and
    /// those of a row in the order of the things. `ballot` tells where one is and how many votes it casts.
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
