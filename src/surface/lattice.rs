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

/// A number by which others are divided, faster than the processor divides.
#[derive(Debug, Clone, Copy)]
pub struct Divisor {
    times: u64,
    shift: u32,
}

impl Divisor {
    /// Bits of the numbers that are divided.
    const BITS: u32 = COORDINATE_BITS + 1;

    /// To divide by a positive number.
    #[inline]
    pub fn new(by: u32) -> Divisor {
        // With `2^shift ≥ by · 2^BITS`, rounding the factor up adds less than 1 / `by` to any quotient (Granlund and
        // Montgomery 1994).
        let shift = Divisor::BITS + u32::BITS - (by - 1).leading_zeros();
        Divisor { times: (1u64 << shift) / u64::from(by) + 1, shift }
    }

    /// The whole part of the quotient of a number below 2²⁵.
    #[inline(always)]
    pub fn quotient(self, number: u32) -> u32 {
        ((u64::from(number) * self.times) >> self.shift) as u32
    }
}

/// The Morton key of a point's cell among cells of the given edge.
#[inline(always)]
pub fn morton_key(p: [f32; 3], edge: Divisor) -> u64 {
    interleave(p.map(|v| u64::from(edge.quotient(positive(v)))))
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotients_are_those_of_a_division() {
        let most = (1 << Divisor::BITS) - 1;
        let edges = (1..300).chain((8..=22).flat_map(|bits| (1 << bits) - 2..(1 << bits) + 3));
        for by in edges {
            let divisor = Divisor::new(by);
            let many = (0..2000).map(|i: u32| i.wrapping_mul(16_787) & most);
            // Multiples, and the numbers before them.
            let multiples = (1..=most / by).step_by((most / by / 2000).max(1) as usize);
            let near = multiples.flat_map(|times| [times * by, times * by - 1]);
            for number in many.chain(near).chain([0, most, most - most % by]) {
                assert_eq!(divisor.quotient(number), number / by, "{number} / {by}");
            }
        }
    }
}
