//! The fast voter for points in the plane `z = 0`: the edge pixels of an image.
//!
//! They lie so thin that a group of them hardly ever shares a bin. So each votes for itself, one vector of
//! them at a time, and what counts is that the counters do not wait for each other: the points of a vector
//! are from far apart in the image, as are those of the next few vectors from their neighbours' counters.

use super::lanes::{Lanes, Level, Portable};
use super::{count, parallel};
use crate::backend::Sign;
use crate::frame::Points;
use crate::space::Space;
use rayon::prelude::*;

/// Points of a tile, which stay in the first-level cache beside a row.
const TILE: usize = 1024;
/// Rows of a block, which stay in the second-level cache.
const BLOCK_ROWS: usize = 24;
/// Parts of the image from which the points of a vector come: as many as the widest vector has lanes.
const PARTS: usize = 16;

/// Whether points are for this voter.
pub(super) fn is_for(points: &Points) -> bool {
    points.z.iter().all(|&z| z == 0.0)
}

/// Lets all points vote in all rows of `counts`.
pub(super) fn vote(level: Level, space: &Space, points: &Points, sign: Sign, counts: &mut [u32]) {
    let (table, bins) = (space.vote_table(), space.bins());
    let whole = points.len() / PARTS * PARTS;
    let [x, y] = [&points.x, &points.y].map(|all| spread(&all[..whole]));
    counts.par_chunks_mut(BLOCK_ROWS * bins).zip(table.par_chunks(BLOCK_ROWS)).for_each(
        |(counts, table)| {
            // A row has a guard at either end for what falls off the axis.
            let mut rows = vec![0u32; table.len() * (bins + 2)];
            for (x, y) in x.chunks(TILE).zip(y.chunks(TILE)) {
                for (&t, row) in table.iter().zip(rows.chunks_mut(bins + 2)) {
                    vote_tile(level, [x, y], t, row);
                }
            }
            for (&t, row) in table.iter().zip(rows.chunks_mut(bins + 2)) {
                parallel::vote_each(points, whole..points.len(), t, row);
            }
            for (row, counts) in rows.chunks(bins + 2).zip(counts.chunks_mut(bins)) {
                for (bin, &votes) in counts.iter_mut().zip(&row[1..]) {
                    count(bin, votes, sign);
                }
            }
        },
    );
}

/// The first of each part, then the second of each, and so on.
fn spread(values: &[f32]) -> Vec<f32> {
    let part = values.len() / PARTS;
    (0..values.len()).map(|i| values[i % PARTS * part + i / PARTS]).collect()
}

/// Lets a tile vote in one row, with the instruction set of `level`.
fn vote_tile(level: Level, points: [&[f32]; 2], t: [f32; 4], row: &mut [u32]) {
    match level {
        // SAFETY: plain Rust runs on every processor.
        Level::Portable => unsafe { vote_tile_in::<Portable>(points, t, row) },
        #[cfg(target_arch = "x86_64")]
        // SAFETY: a `Level` is used only where it is available.
        Level::Avx2 => unsafe { vote_tile_avx2(points, t, row) },
        #[cfg(target_arch = "x86_64")]
        // SAFETY: as above.
        Level::Avx512 => unsafe { vote_tile_avx512(points, t, row) },
        #[cfg(not(target_arch = "x86_64"))]
        _ => unreachable!("only Portable is available on this processor"),
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma")]
fn vote_tile_avx2(points: [&[f32]; 2], t: [f32; 4], row: &mut [u32]) {
    // SAFETY: this function is compiled with AVX2 and FMA and called only where they are.
    unsafe { vote_tile_in::<super::lanes::Avx2>(points, t, row) }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx2,fma")]
fn vote_tile_avx512(points: [&[f32]; 2], t: [f32; 4], row: &mut [u32]) {
    // SAFETY: this function is compiled with AVX-512F and called only where it is.
    unsafe { vote_tile_in::<super::lanes::Avx512>(points, t, row) }
}

/// # Safety
/// The processor must have the instruction set of `L`.
#[inline(always)]
unsafe fn vote_tile_in<L: Lanes>([x, y]: [&[f32]; 2], t: [f32; 4], row: &mut [u32]) {
    // The positions of a few vectors before the votes of any, so that those do not wait for them.
    const AHEAD: usize = 4;
    let position = |x: &[f32], y: &[f32]| {
        // SAFETY: the caller has the instruction set. The last step of `position` adds nothing, as z is 0.
        unsafe {
            let sum = L::load(x).mul_add(L::splat(t[0]), L::splat(t[3]));
            L::load(y).mul_add(L::splat(t[1]), sum)
        }
    };
    let (xs, ys) = (x.chunks_exact(AHEAD * L::WIDTH), y.chunks_exact(AHEAD * L::WIDTH));
    let (x_rest, y_rest) = (xs.remainder(), ys.remainder());
    for (x, y) in xs.zip(ys) {
        let at: [L; AHEAD] = std::array::from_fn(|k| {
            let lanes = k * L::WIDTH..(k + 1) * L::WIDTH;
            position(&x[lanes.clone()], &y[lanes])
        });
        // SAFETY: as above.
        at.into_iter().for_each(|at| unsafe { at.vote(row) });
    }
    for (x, y) in x_rest.chunks_exact(L::WIDTH).zip(y_rest.chunks_exact(L::WIDTH)) {
        // SAFETY: as above.
        unsafe { position(x, y).vote(row) };
    }
}
