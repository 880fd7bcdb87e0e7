//! The fast voter: groups of neighbouring points vote at once.
//!
//! For one direction a group's bins lie between those of two corners of its box, exactly (see
//! [`crate::vote`]). Three cases, cheapest first:
//!
//! - both corners in one bin: one addition for the whole group;
//! - two neighbouring bins: the points at or above the boundary are counted by compare and
//!   population count, two additions;
//! - more bins: point by point.
//!
//! One thread processes a block of directions over all tiles of points. The block's rows are private to the
//! thread, so votes are never contended and the result does not depend on the number of threads.

use super::bin::count;
use super::groups::{GROUP, Grouped};
use super::lanes::{InstructionSet, Lanes, Portable};
use crate::backend::Sign;
use crate::frame::Points;
use crate::space::{Neighbours, Space};
use crate::vote::{Ballots, bin, position};
use rayon::prelude::*;

/// Groups of a tile. The points of a tile stay in the second-level cache while a block of directions passes
/// over them.
const TILE_GROUPS: usize = 512;
/// Directions of a block; its rows stay in cache.
const BLOCK_ROWS: usize = 32;

/// Lets all `points` vote in all rows of `counts`.
pub(super) fn vote(
    instructions: InstructionSet,
    space: &Space,
    points: &Points,
    sign: Sign,
    counts: &mut [u32],
) {
    let (table, bins) = (space.vote_table(), space.bins());
    let grouped = Grouped::new(points);
    counts.par_chunks_mut(BLOCK_ROWS * bins).zip(table.par_chunks(BLOCK_ROWS)).for_each(
        |(counts, table)| {
            // A row has a guard at either end for votes off the axis.
            let mut rows = vec![0u32; table.len() * (bins + 2)];
            for first in (0..grouped.groups()).step_by(TILE_GROUPS) {
                let groups = first..grouped.groups().min(first + TILE_GROUPS);
                for (&t, row) in table.iter().zip(rows.chunks_mut(bins + 2)) {
                    vote_groups(instructions, &grouped, groups.clone(), t, row);
                }
            }
            for (&t, row) in table.iter().zip(rows.chunks_mut(bins + 2)) {
                vote_each(&grouped.tail, 0..grouped.tail.len(), t, row);
            }
            for (row, counts) in rows.chunks(bins + 2).zip(counts.chunks_mut(bins)) {
                for (bin, &votes) in counts.iter_mut().zip(&row[1..]) {
                    count(bin, votes, sign);
                }
            }
        },
    );
}

/// Lets a range of groups vote in one row, with these `instructions`.
fn vote_groups(
    instructions: InstructionSet,
    grouped: &Grouped,
    groups: std::ops::Range<usize>,
    t: [f32; 4],
    row: &mut [u32],
) {
    match instructions {
        // SAFETY: plain Rust runs on every processor.
        InstructionSet::Portable => unsafe { vote_groups_in::<Portable>(grouped, groups, t, row) },
        #[cfg(target_arch = "x86_64")]
        // SAFETY: an `InstructionSet` is used only where it is available.
        InstructionSet::Avx2 => unsafe { vote_groups_avx2(grouped, groups, t, row) },
        #[cfg(target_arch = "x86_64")]
        // SAFETY: as above.
        InstructionSet::Avx512 => unsafe { vote_groups_avx512(grouped, groups, t, row) },
        #[cfg(not(target_arch = "x86_64"))]
        _ => unreachable!("only Portable is available on this processor"),
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma,popcnt")]
fn vote_groups_avx2(g: &Grouped, r: std::ops::Range<usize>, t: [f32; 4], row: &mut [u32]) {
    // SAFETY: this function is compiled with AVX2 and FMA and called only where they are.
    unsafe { vote_groups_in::<super::lanes::Avx2>(g, r, t, row) }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx2,fma,popcnt")]
fn vote_groups_avx512(g: &Grouped, r: std::ops::Range<usize>, t: [f32; 4], row: &mut [u32]) {
    // SAFETY: this function is compiled with AVX-512F and called only where it is.
    unsafe { vote_groups_in::<super::lanes::Avx512>(g, r, t, row) }
}

/// # Safety
/// The processor must have the instruction set of `L`.
#[inline(always)]
unsafe fn vote_groups_in<L: Lanes>(
    grouped: &Grouped,
    groups: std::ops::Range<usize>,
    t: [f32; 4],
    row: &mut [u32],
) {
    let top = row.len() as i32 - 2;
    // Which corner has the lowest position depends only on the signs of the direction.
    let corner = |first: bool| -> [&[f32]; 3] {
        std::array::from_fn(|a| {
            let low = (t[a] >= 0.0) == first;
            if low { &grouped.low[a][..] } else { &grouped.high[a][..] }
        })
    };
    let (lower, upper) = (corner(true), corner(false));
    let vectors = groups.len() / L::WIDTH * L::WIDTH;
    for g in (groups.start..groups.start + vectors).step_by(L::WIDTH) {
        // SAFETY: the caller has the instruction set.
        let (from, to) = unsafe {
            (
                positions::<L>(t, lower.map(|a| &a[g..])).floor_clamped(top),
                positions::<L>(t, upper.map(|a| &a[g..])).floor_clamped(top),
            )
        };
        for lane in 0..L::WIDTH {
            let (from, to) = (from[lane], to[lane]);
            if from == to {
                row[(from + 1) as usize] += GROUP as u32;
            } else {
                // SAFETY: as above.
                unsafe { vote_split::<L>(&grouped.points, g + lane, t, from, to, row) };
            }
        }
    }
    let rest = groups.start + vectors..groups.end;
    vote_each(&grouped.points, rest.start * GROUP..rest.end * GROUP, t, row);
}

/// [`position`], lane by lane.
///
/// # Safety
/// As for [`vote_groups_in`].
#[inline(always)]
unsafe fn positions<L: Lanes>(t: [f32; 4], [x, y, z]: [&[f32]; 3]) -> L {
    // SAFETY: the caller has the instruction set.
    unsafe {
        let sum = L::load(x).mul_add(L::splat(t[0]), L::splat(t[3]));
        let sum = L::load(y).mul_add(L::splat(t[1]), sum);
        L::load(z).mul_add(L::splat(t[2]), sum)
    }
}

/// A group whose corners fall in the different bins `from` and `to`.
///
/// # Safety
/// As for [`vote_groups_in`].
#[inline(always)]
unsafe fn vote_split<L: Lanes>(
    points: &Points,
    group: usize,
    t: [f32; 4],
    from: i32,
    to: i32,
    row: &mut [u32],
) {
    let range = group * GROUP..(group + 1) * GROUP;
    let [x, y, z] = [&points.x, &points.y, &points.z].map(|a| &a[range.clone()]);
    let top = row.len() as i32 - 2;
    let two_bins = to == from + 1;
    let mut above = 0;
    for i in (0..GROUP).step_by(L::WIDTH) {
        // SAFETY: the caller has the instruction set.
        unsafe {
            let p = positions::<L>(t, [&x[i..], &y[i..], &z[i..]]);
            if two_bins {
                above += p.count_at_least(to as f32);
            } else {
                for &r in &p.floor_clamped(top)[..L::WIDTH] {
                    row[(r + 1) as usize] += 1;
                }
            }
        }
    }
    if two_bins {
        row[(from + 1) as usize] += GROUP as u32 - above;
        row[(to + 1) as usize] += above;
    }
}

/// A range of points, one by one, into a row with guards.
fn vote_each(points: &Points, range: std::ops::Range<usize>, t: [f32; 4], row: &mut [u32]) {
    let bins = row.len() - 2;
    for i in range {
        if let Some(r) = bin(position(t, points.get(i)), bins) {
            row[r + 1] += 1;
        }
    }
}

/// Lets every ballot vote in the rows near its own. Each row gathers from the rows near it, which is the same
/// relation, so every row has a single writer: `add` gets a row, and new votes from some bin on.
pub(super) fn vote_near<R: Send>(
    space: &Space,
    ballots: &Ballots,
    near: &Neighbours,
    rows: impl IndexedParallelIterator<Item = R>,
    add: impl Fn(R, usize, &[u32]) + Sync,
) {
    let (table, bins) = (space.vote_table(), space.bins());
    let room = || vec![0; bins];
    rows.enumerate().for_each_init(room, |room, (number, row)| {
        let from = near.of(number).iter().map(|n| n.row as usize);
        let touched = gather(table[number], ballots, from, room);
        if !touched.is_empty() {
            add(row, touched.start, &room[touched.clone()]);
            room[touched].fill(0);
        }
    });
}

/// Counts the ballots of the given rows in the row with table entry `t`; returns the bins between which they
/// fell.
fn gather(
    t: [f32; 4],
    ballots: &Ballots,
    from: impl Iterator<Item = usize>,
    counts: &mut [u32],
) -> std::ops::Range<usize> {
    #[cfg(target_arch = "x86_64")]
    if std::arch::is_x86_feature_detected!("fma") {
        // SAFETY: the processor has FMA, as just checked.
        return unsafe { gather_fma(t, ballots, from, counts) };
    }
    gather_plain(t, ballots, from, counts)
}

/// The same code, compiled to use the fused multiply-add instruction instead of a library call.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "fma")]
fn gather_fma(
    t: [f32; 4],
    ballots: &Ballots,
    from: impl Iterator<Item = usize>,
    counts: &mut [u32],
) -> std::ops::Range<usize> {
    gather_plain(t, ballots, from, counts)
}

#[inline(always)]
fn gather_plain(
    t: [f32; 4],
    ballots: &Ballots,
    from: impl Iterator<Item = usize>,
    counts: &mut [u32],
) -> std::ops::Range<usize> {
    let (mut first, mut end) = (counts.len(), 0);
    for row in from {
        for i in ballots.start[row] as usize..ballots.start[row + 1] as usize {
            if let Some(r) = bin(position(t, ballots.points.get(i)), counts.len()) {
                count(&mut counts[r], ballots.weight[i], Sign::Add);
                (first, end) = (first.min(r), end.max(r + 1));
            }
        }
    }
    first..end
}
