//! One bin of a table.

use crate::backend::Sign;

/// Adds or subtracts `votes` in a bin.
#[inline(always)]
pub(super) fn count(bin: &mut u32, votes: u32, sign: Sign) {
    *bin = match sign {
        Sign::Add => bin.wrapping_add(votes),
        Sign::Subtract => bin.wrapping_sub(votes),
    };
}
