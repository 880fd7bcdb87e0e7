//! Long loops, split into ranges for threads.

use rayon::prelude::*;
use std::ops::Range;

/// `0..n` in ranges of `length`; the last one may be shorter.
pub(crate) fn ranges(n: usize, length: usize) -> impl IndexedParallelIterator<Item = Range<usize>> {
    let range = move |k: usize| k * length..n.min((k + 1) * length);
    (0..n.div_ceil(length)).into_par_iter().map(range)
}
