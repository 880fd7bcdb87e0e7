//! The lattice on which cells lie, and the two orders of its cells.
//!
//! Cells have Morton keys, in which the cells inside a larger cell are consecutive, and row keys: z slowest,
//! then y, then x.

use crate::morton::{deinterleave, interleave};
use crate::shared::COORDINATE_BITS;
pub use crate::shared::KEY_AXIS_BITS as BITS;
use crate::sort::Ordered;
use rayon::prelude::*;

/// Local coordinates have one bit of sign and 23 of magnitude; this makes them positive.
pub const OFFSET: i32 = 1 << (COORDINATE_BITS - 1);
/// The largest cell coordinate.
pub const LAST: u64 = (1 << BITS) - 1;

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
    pack(p.map(|v| u64::from((positive(v) + shift) / edge).min(LAST)))
}

/// Sorted pairs of numbers and indices, for numbers that do not fit into 64 bits together with their index.
pub fn pairs(count: usize, number: impl Fn(usize) -> u64 + Sync) -> Vec<(u64, u32)> {
    let mut pairs: Vec<(u64, u32)> =
        (0..count).into_par_iter().map(|i| (number(i), i as u32)).collect();
    pairs.par_sort_unstable();
    pairs
}

/// The cells by z, then y, then x.
pub fn by_row(keys: &[u64]) -> Vec<u32> {
    let most = keys.par_iter().with_min_len(1 << 12).map(|&key| deinterleave(key));
    let most = most.reduce(|| [0; 3], |a, b| std::array::from_fn(|i| a[i].max(b[i])));
    let [x, y, z] = most.map(|v| u64::BITS - v.leading_zeros());
    let row = |i: usize| {
        let cell = deinterleave(keys[i]);
        cell[0] | cell[1] << x | cell[2] << (x + y)
    };
    match Ordered::new(keys.len(), x + y + z, row) {
        Some(ordered) => ordered.indices(),
        None => pairs(keys.len(), row).into_par_iter().map(|(_, i)| i).collect(),
    }
}

/// Key of the first cell of a row of a block: z slowest, then y; `None` off the lattice.
pub fn row_key(centre: [u64; 3], row: usize) -> Option<u64> {
    let y = (centre[1] + row as u64 % 3).checked_sub(1)?;
    let z = (centre[2] + row as u64 / 3).checked_sub(1)?;
    (y < 1 << BITS && z < 1 << BITS).then(|| pack([centre[0].saturating_sub(1), y, z]))
}

/// A key from cell coordinates of at most 21 bits: x fastest.
pub fn pack(cell: [u64; 3]) -> u64 {
    cell[0] | cell[1] << BITS | cell[2] << (2 * BITS)
}

/// The cell coordinates of a key.
pub fn unpack(key: u64) -> [u64; 3] {
    let mask = (1 << BITS) - 1;
    [key & mask, key >> BITS & mask, key >> (2 * BITS) & mask]
}

/// The key of a cell from its Morton key.
pub fn row_of(morton: u64) -> u64 {
    pack(deinterleave(morton))
}
