//! Sorts 64-bit integers on all threads.
//!
//! One pass by the leading bits that differ makes buckets that fit the first-level cache; these are sorted
//! separately.

use crate::ranges::split;
use rayon::prelude::*;

/// Fewer numbers are sorted directly.
const FEW: usize = 1 << 13;
/// Approximate size of a bucket if the leading bits are spread evenly.
const BUCKET: usize = 1 << 10;
/// Most leading bits: each piece writes to all of its buckets in turn.
const MOST_BITS: u32 = 11;
/// Fewest numbers that one thread takes at a time.
const PIECE: usize = 1 << 15;
/// A bucket of this many numbers is sorted by several threads.
const CROWD: usize = 1 << 17;

/// Sorts numbers, ascending.
pub(crate) fn sort(values: &mut Vec<u64>) {
    if values.len() < FEW {
        return values.sort_unstable();
    }
    let first = values[0];
    let differing = values.par_chunks(PIECE).map(|piece| differing(piece, first));
    let differing = differing.reduce(|| 0, |a, b| a | b);
    if differing == 0 {
        return;
    }
    let bits = (values.len() / BUCKET).ilog2().clamp(1, MOST_BITS);
    let shift = (u64::BITS - differing.leading_zeros()).saturating_sub(bits);
    let bucket = |value: u64| (value >> shift) as usize & ((1 << bits) - 1);
    let (mut sorted, sizes) = in_buckets(values, 1 << bits, bucket);
    split(&mut sorted, sizes).into_par_iter().for_each(|bucket| {
        if bucket.len() < CROWD { bucket.sort_unstable() } else { bucket.par_sort_unstable() }
    });
    *values = sorted;
}

/// The bits in which any of the numbers differs from `from`.
fn differing(values: &[u64], from: u64) -> u64 {
    values.iter().fold(0, |bits, value| bits | (value ^ from))
}

/// The numbers bucket by bucket, and how many are in each.
fn in_buckets(
    values: &[u64],
    buckets: usize,
    of: impl Fn(u64) -> usize + Sync,
) -> (Vec<u64>, Vec<usize>) {
    let length = values.len().div_ceil(rayon::current_num_threads()).max(PIECE);
    let count = |piece: &[u64]| {
        let mut counts = vec![0usize; buckets];
        piece.iter().for_each(|&value| counts[of(value)] += 1);
        counts
    };
    let counts: Vec<Vec<usize>> = values.par_chunks(length).map(count).collect();
    let mut sorted = vec![0; values.len()];
    // Each piece fills its own part of each bucket.
    let mut rest = &mut sorted[..];
    let mut parts: Vec<Vec<&mut [u64]>> = counts.iter().map(|_| Vec::new()).collect();
    for bucket in 0..buckets {
        for (parts, counts) in parts.iter_mut().zip(&counts) {
            let (own, after) = rest.split_at_mut(counts[bucket]);
            parts.push(own);
            rest = after;
        }
    }
    parts.into_par_iter().zip(values.par_chunks(length)).for_each(|(mut parts, piece)| {
        let mut next = vec![0usize; buckets];
        for &value in piece {
            let bucket = of(value);
            parts[bucket][next[bucket]] = value;
            next[bucket] += 1;
        }
    });
    let size = |bucket: usize| counts.iter().map(|counts| counts[bucket]).sum();
    (sorted, (0..buckets).map(size).collect())
}

/// Items ordered by their numbers; those with equal numbers in the order of their indices.
pub(crate) struct Ordered {
    /// Number and index of each.
    packed: Vec<u64>,
    /// Bits of an index.
    bits: u32,
}

impl Ordered {
    /// Orders `count` items, fewer than 2³², by numbers less than `2^bits`; `None` if number and index
    /// together do not fit into 64 bits.
    pub fn new(count: usize, bits: u32, number: impl Fn(usize) -> u64 + Sync) -> Option<Ordered> {
        let index = usize::BITS - count.saturating_sub(1).leading_zeros();
        if bits + index > u64::BITS {
            return None;
        }
        let pack = |i: usize| number(i) << index | i as u64;
        let mut packed: Vec<u64> =
            (0..count).into_par_iter().with_min_len(1 << 12).map(pack).collect();
        sort(&mut packed);
        Some(Ordered { packed, bits: index })
    }

    /// The numbers, ascending.
    pub fn numbers(&self) -> impl Iterator<Item = u64> + Clone {
        self.packed.iter().map(|&packed| packed >> self.bits)
    }

    /// The indices in this order.
    pub fn indices(&self) -> Vec<u32> {
        let mask = (1 << self.bits) - 1;
        self.packed.par_iter().map(|&packed| (packed & mask) as u32).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Pseudorandom numbers of `bits` bits.
    fn numbers(count: u64, bits: u32) -> Vec<u64> {
        let number = |i: u64| crate::mix::mixed(i.wrapping_add(1)) >> (u64::BITS - bits);
        (0..count).map(number).collect()
    }

    #[test]
    fn numbers_are_sorted() {
        let clustered = numbers(300_000, 9).into_iter().map(|v| (v * v * v) << 30).collect();
        let few_high = numbers(50_000, 12).into_iter().chain([u64::MAX, 1 << 40]).collect();
        // All but one are in one bucket.
        let crowd = numbers(200_000, 12).into_iter().chain([u64::MAX]).collect();
        let (even, alike) = (numbers(200_000, 64), numbers(20_000, 3));
        for mut values in [even, alike, vec![7; 20_000], clustered, few_high, crowd, vec![]] {
            let mut expected = values.clone();
            expected.sort_unstable();
            sort(&mut values);
            assert!(values == expected);
        }
    }

    #[test]
    fn things_of_one_number_stay_in_their_order() {
        let numbers = numbers(100_000, 10);
        let ordered = Ordered::new(numbers.len(), 10, |i| numbers[i]).unwrap();
        let mut expected: Vec<u32> = (0..numbers.len() as u32).collect();
        expected.sort_by_key(|&i| numbers[i as usize]);
        assert!(ordered.indices() == expected);
        assert!(ordered.numbers().is_sorted());
        assert!(Ordered::new(3, 63, |_| 0).is_none());
        assert_eq!(Ordered::new(1, 64, |_| 5).unwrap().indices(), [0]);
    }
}
