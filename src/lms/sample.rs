//! A sample of fixed size that depends on the points alone, not on their order.

use crate::mix::{STEP, mixed};

/// Larger sets are sampled.
pub const LARGEST_SET: usize = 2048;

/// Random number `k` of the one stream used here.
pub(super) fn random(k: u64) -> u64 {
    mixed(k.wrapping_mul(STEP).wrapping_add(STEP))
}

/// At most [`LARGEST_SET`] of `points`: those whose `bits` have the smallest hashes, in the order of the
/// hashes. It is a random sample with a fixed seed.
pub(crate) fn sample<T: Copy + Ord>(
    points: impl Iterator<Item = T>,
    bits: impl Fn(T) -> u64,
) -> Vec<T> {
    let mut hashed: Vec<(u64, T)> =
        points.map(|point| (mixed(bits(point).wrapping_add(STEP)), point)).collect();
    if hashed.len() > LARGEST_SET {
        hashed.select_nth_unstable(LARGEST_SET);
        hashed.truncate(LARGEST_SET);
    }
    hashed.sort_unstable();
    hashed.into_iter().map(|(_, point)| point).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sample_depends_on_the_points_and_not_on_their_order() {
        let bits = |v: u32| u64::from(v);
        let forward = sample(0..10_000u32, bits);
        let backward = sample((0..10_000u32).rev(), bits);
        assert_eq!(forward, backward);
        assert_eq!(forward.len(), LARGEST_SET);
        let mean = forward.iter().map(|&v| f64::from(v)).sum::<f64>() / forward.len() as f64;
        assert!((mean - 5000.0).abs() < 200.0, "{mean}");
        assert_eq!(sample(0..5u32, bits).len(), 5);
    }
}
