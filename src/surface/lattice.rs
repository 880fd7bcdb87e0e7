//! The lattice on which cells lie.
//!
//! Cells have Morton keys, in which the cells inside a larger cell are consecutive.

use crate::morton::interleave;
use crate::shared::COORDINATE_BITS;
pub use crate::shared::KEY_AXIS_BITS as BITS;
use rayon::prelude::*;

/// Local coordinates have one bit of sign and 23 of magnitude; this makes them positive.
pub const OFFSET: i32 = 1 << (COORDINATE_BITS - 1);

/// A coordinate made positive, in steps.
#[inline(always)]
pub fn positive(v: f32) -> u32 {
    (v as i32 + OFFSET) as u32
}

/// The Morton key of a point's cell among cells of the given edge.
#[inline(always)]
pub fn morton_key(p: [f32; 3], edge: u32) -> u64 {
    interleave(p.map(|v| u64::from(positive(v) / edge)))
}

/// The key of a point's cell on a lattice of the given edge, moved by `shift` steps.
pub fn place_key(p: [f32; 3], edge: u32, shift: u32) -> u64 {
    // The shift may push the last cell off the lattice.
    let last = (1 << BITS) - 1;
    interleave(p.map(|v| u64::from((positive(v) + shift) / edge).min(last)))
}

/// Sorted pairs of numbers and indices, for numbers that do not fit into 64 bits together with their index.
pub fn pairs(count: usize, number: impl Fn(usize) -> u64 + Sync) -> Vec<(u64, u32)> {
    let mut pairs: Vec<(u64, u32)> =
        (0..count).into_par_iter().map(|i| (number(i), i as u32)).collect();
    pairs.par_sort_unstable();
    pairs
}
