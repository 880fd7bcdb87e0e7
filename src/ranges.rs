//! Long loops, split into ranges for threads.

use rayon::prelude::*;
use std::ops::Range;

/// `0..n` in ranges of `length`; the last one may be shorter.
pub(crate) fn ranges(n: usize, length: usize) -> impl IndexedParallelIterator<Item = Range<usize>> {
    let range = move |k: usize| k * length..n.min((k + 1) * length);
    (0..n.div_ceil(length)).into_par_iter().map(range)
}

/// Parts of a slice of the given lengths, one after the other.
pub(crate) fn split<T>(
    mut rest: &mut [T],
    lengths: impl IntoIterator<Item = usize>,
) -> Vec<&mut [T]> {
    let part = |length: usize| {
        let (part, after) = std::mem::take(&mut rest).split_at_mut(length);
        rest = after;
        part
    };
    lengths.into_iter().map(part).collect()
}
