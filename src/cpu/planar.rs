//! The fast voter for points in the plane `z = 0`: the edge pixels of an image.
//!
//! They are so sparse that a group of them hardly ever shares a bin. So each votes alone: for two
//! neighbouring directions at once where that pays ([`super::joint`]), otherwise for one.

use super::bin::count;
use super::joint::Joint;
use super::lanes::{InstructionSet, Lanes};
use super::reach::Extent;
use super::tally::{Binning, bin, tally};
use crate::backend::Sign;
use crate::frame::Points;
use crate::space::Space;
use rayon::prelude::*;

/// Points of a tile, which stay in the first-level cache together with two rows.
const TILE: usize = 1024;

/// Whether this voter handles the points.
pub(super) fn is_for(points: &Points) -> bool {
    // In pieces, since a search that stops at the first hit is not vectorized.
    points.z.chunks(64).all(|z| z.iter().fold(true, |all, &z| all & (z == 0.0)))
}

/// Lets all points vote in all rows of `counts`.
pub(super) fn vote(
    instructions: InstructionSet,
    space: &Space,
    points: &Points,
    sign: Sign,
    counts: &mut [u32],
) {
    let (table, bins) = (space.vote_table(), space.bins());
    let extent = Extent::of(points);
    let xy = [&points.x[..], &points.y[..]];
    counts.par_chunks_mut(2 * bins).zip(table.par_chunks(2)).for_each_init(
        || (Joint::default(), vec![0; 2 * (bins + 1)]),
        |(joint, rows), (counts, table)| {
            if let &[t, u] = table
                && joint.vote(instructions, xy, &extent, [t, u], sign, counts)
            {
                return;
            }
            vote_rows(instructions, xy, table, rows);
            for (row, counts) in rows.chunks(bins + 1).zip(counts.chunks_mut(bins)) {
                for (bin, &votes) in counts.iter_mut().zip(row) {
                    count(bin, votes, sign);
                }
            }
        },
    );
}

/// Lets all points vote in some rows, each separately. The last counter of a row takes votes off the axis.
fn vote_rows(
    instructions: InstructionSet,
    [x, y]: [&[f32]; 2],
    table: &[[f32; 4]],
    rows: &mut [u32],
) {
    let counters = rows.len() / 2;
    rows.fill(0);
    for (x, y) in x.chunks(TILE).zip(y.chunks(TILE)) {
        for (&t, row) in table.iter().zip(rows.chunks_mut(counters)) {
            tally(instructions, [x, y], &SingleRow(t), row);
        }
    }
}

/// A single row: a point counts in its bin.
struct SingleRow([f32; 4]);

impl Binning for SingleRow {
    #[inline(always)]
    unsafe fn of<L: Lanes>(&self, x: L, y: L) -> L {
        // SAFETY: the caller has the instruction set.
        unsafe { bin(self.0, x, y) }
    }
}
