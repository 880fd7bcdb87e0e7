//! A sample of a cloud's points that depends on which points there are, not on their order.

use crate::mix::{STEP, mixed};

/// Number of points in a full sample.
const SAMPLE: usize = 4096;
/// The limit for hashes lets about this many times as many points pass as are needed, if they are distinct.
const SPARE: usize = 2;

/// A point that may enter a sample: its hash, and the bits of its coordinates.
pub(super) type Entry = (u64, [u64; 3]);

/// The distinct points with the smallest hashes.
#[derive(Default)]
pub(super) struct Sample {
    /// Ascending.
    entries: Vec<Entry>,
    /// Whether too few points have passed a limit once: the next ones, too, may be copies.
    is_scarce: bool,
}

impl Sample {
    /// Adds `points` more points. `look` gives those whose hashes are at most a limit; where these are too few to tell
    /// which hashes are the smallest, it is asked for all.
    pub fn add<E: IntoIterator<Item = Entry>>(
        &mut self,
        points: usize,
        mut look: impl FnMut(u64) -> E,
    ) {
        let limit = self.limit(points);
        self.keep(look(limit));
        let is_told = self.entries.get(SAMPLE - 1).is_some_and(|&(last, _)| last <= limit);
        if !is_told && limit < u64::MAX {
            self.is_scarce = true;
            self.keep(look(u64::MAX));
        }
    }

    /// The largest hash to look at in `points` more points.
    fn limit(&self, points: usize) -> u64 {
        match self.entries.last() {
            Some(&(last, _)) if self.entries.len() == SAMPLE => last,
            _ if self.is_scarce || points <= SPARE * SAMPLE => u64::MAX,
            _ => u64::MAX / points as u64 * (SPARE * SAMPLE) as u64,
        }
    }

    fn keep(&mut self, entries: impl IntoIterator<Item = Entry>) {
        self.entries.extend(entries);
        keep_smallest(&mut self.entries);
    }

    /// The coordinates of its points along an axis.
    pub fn coordinates(&self, axis: usize) -> impl Iterator<Item = f64> + '_ {
        self.entries.iter().map(move |(_, bits)| f64::from_bits(bits[axis]))
    }
}

/// Leaves the distinct entries that may be among the smallest, ascending.
pub(super) fn keep_smallest(entries: &mut Vec<Entry>) {
    entries.sort_unstable();
    entries.dedup();
    entries.truncate(SAMPLE);
}

/// A point as an entry, with a well-mixed hash of its bits (the finalizer of splitmix64, chained).
#[inline]
pub(super) fn entry(p: [f64; 3]) -> Entry {
    // Adding zero makes −0 the same as 0.
    let bits = p.map(|v| (v + 0.0).to_bits());
    (bits.into_iter().fold(STEP, |state, v| mixed((state ^ v).wrapping_add(STEP))), bits)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    /// Adds points as a reader does, a chunk at a time; and how often they are looked at.
    fn sample(points: &[Entry], chunk: usize) -> (Sample, usize) {
        let (mut sample, mut looks) = (Sample::default(), 0);
        for chunk in points.chunks(chunk) {
            sample.add(chunk.len(), |limit| {
                looks += 1;
                chunk.iter().copied().filter(move |entry| entry.0 <= limit)
            });
        }
        (sample, looks)
    }

    /// Few and many points, and copies of few, in chunks of several sizes.
    #[test]
    fn holds_the_smallest_hashes_whatever_the_chunks() {
        for (distinct, copies) in [(0, 1), (100, 1), (5000, 1), (60_000, 1), (3000, 20), (5000, 20)]
        {
            let all = (0..distinct * copies).map(|i| entry([f64::from(i % distinct), 0.0, -0.0]));
            let all: Vec<Entry> = all.collect();
            let smallest: BTreeSet<Entry> = all.iter().copied().collect();
            let smallest: Vec<Entry> = smallest.into_iter().take(SAMPLE).collect();
            for chunk in [1000, 9000, 50_000, 1_000_000] {
                let found = sample(&all, chunk).0.entries;
                assert_eq!(found, smallest, "{distinct} x {copies}, {chunk}");
            }
        }
    }

    #[test]
    fn looks_at_few_points_of_many() {
        let mut sample = Sample::default();
        assert_eq!(sample.limit(8192), u64::MAX);
        assert!(sample.limit(1_000_000) < u64::MAX / 100);
        sample.add(5000, |_| (0..5000).map(|i| entry([f64::from(i); 3])));
        assert_eq!(sample.limit(1_000_000), sample.entries[SAMPLE - 1].0);
    }

    #[test]
    fn copies_are_looked_at_twice_once() {
        let copies: Vec<Entry> = (0..60_000).map(|i| entry([f64::from(i % 100); 3])).collect();
        assert_eq!(sample(&copies, 10_000).1, 7);
        let distinct: Vec<Entry> = (0..60_000).map(|i| entry([f64::from(i); 3])).collect();
        assert_eq!(sample(&distinct, 10_000).1, 6);
    }

    #[test]
    fn both_zeros_are_one_point() {
        assert_eq!(entry([0.0; 3]), entry([-0.0; 3]));
    }
}
