//! Quantiles of values, with weights or without.

use rayon::prelude::*;

/// Of more values than this, those near the quantile are picked first, on all cores.
const MANY: usize = 1 << 16;
/// Leading bits of a value by which they are picked: the sign, the exponent and two bits of the fraction.
const LEADING: u32 = 14;

/// The value below which `share` of the total weight lies; 0 without values.
pub fn weighted_quantile(mut values: Vec<(f64, u64)>, share: f64) -> f64 {
    let weight = |values: &[(f64, u64)]| values.iter().map(|v| v.1).sum::<u64>();
    let weights = if values.len() > MANY { weights(&values) } else { vec![weight(&values)] };
    let (wanted, mut below) = (share * weights.iter().sum::<u64>() as f64, 0);
    if weights.len() > 1 && wanted > 0.0 {
        let bin;
        (bin, below) = bin_of(&weights, wanted);
        values.retain(|v| leading(v.0) == bin);
    }
    let mut rest = &mut values[..];
    // Bisects: continues in the half in which the quantile lies.
    while rest.len() > 1 {
        let middle = rest.len() / 2;
        rest.select_nth_unstable_by(middle, |a, b| a.0.total_cmp(&b.0));
        let (less, more) = rest.split_at_mut(middle);
        let to_middle = below + weight(less);
        (rest, below) = if to_middle as f64 >= wanted { (less, below) } else { (more, to_middle) };
    }
    rest.first().map_or(0.0, |v| v.0)
}

/// The leading bits of a value, in the order of the values.
fn leading(value: f64) -> usize {
    let bits = value.to_bits();
    let ordered = if value.is_sign_negative() { !bits } else { bits | 1 << 63 };
    (ordered >> (u64::BITS - LEADING)) as usize
}

/// The weight of all values with the same leading bits, for each such bits.
fn weights(values: &[(f64, u64)]) -> Vec<u64> {
    let none = || vec![0; 1 << LEADING];
    let add = |mut weights: Vec<u64>, &(value, weight): &(f64, u64)| {
        weights[leading(value)] += weight;
        weights
    };
    let both = |mut a: Vec<u64>, b: Vec<u64>| {
        a.iter_mut().zip(b).for_each(|(a, b)| *a += b);
        a
    };
    values.par_iter().with_min_len(MANY).fold(none, add).reduce(none, both)
}

/// The first bin with which the weights reach what is wanted, or the last with any, and the weight of those before it.
fn bin_of(weights: &[u64], wanted: f64) -> (usize, u64) {
    let (mut found, mut sum) = ((0, 0), 0);
    for (bin, &weight) in weights.iter().enumerate().filter(|(_, weight)| **weight > 0) {
        found = (bin, sum);
        sum += weight;
        if sum as f64 >= wanted {
            break;
        }
    }
    found
}

/// The value below which `share` of the values lie; 0 without values. Reorders the values.
pub fn quantile(values: &mut [f64], share: f64) -> f64 {
    if values.is_empty() {
        return 0.0;
    }
    let wanted = (share * values.len() as f64).ceil() as usize;
    *values.select_nth_unstable_by(wanted.saturating_sub(1), f64::total_cmp).1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_weighted_median_is_where_half_the_weight_lies() {
        assert_eq!(weighted_quantile(vec![(3.0, 1), (1.0, 1), (2.0, 10)], 0.5), 2.0);
        assert_eq!(weighted_quantile(vec![], 0.5), 0.0);
        check((0..500u32).map(|i| (f64::from(i * 7919 % 97), u64::from(i % 5))).collect());
    }

    #[test]
    fn of_many_values_those_near_it_are_picked_first() {
        let value = |i: u64| {
            let share = (i * 7919 % 100_003) as f64 / 100_003.0;
            (if i.is_multiple_of(7) { -share.powi(9) } else { 1e6 * share.powi(9) }, i % 5)
        };
        check((0..2 * MANY as u64).map(value).collect());
        check(vec![(2.0, 0); 2 * MANY]);
        check(vec![(-0.0, 1); 2 * MANY]);
    }

    /// Compares quantiles with sums over the sorted values.
    fn check(values: Vec<(f64, u64)>) {
        let mut sorted = values.clone();
        sorted.sort_by(|a, b| a.0.total_cmp(&b.0));
        for share in [0.0, 0.1, 0.5, 0.9, 1.0] {
            let wanted = share * sorted.iter().map(|v| v.1).sum::<u64>() as f64;
            let mut sum = 0;
            let reaches = |v: &&(f64, u64)| {
                sum += v.1;
                sum as f64 >= wanted
            };
            let plain = sorted.iter().find(reaches).map(|v| v.0.to_bits());
            assert_eq!(Some(weighted_quantile(values.clone(), share).to_bits()), plain);
        }
    }

    #[test]
    fn values_without_weights_weigh_the_same() {
        assert_eq!(quantile(&mut [], 0.5), 0.0);
        for n in 1..40u32 {
            let values: Vec<f64> = (0..n).map(|i| f64::from(i * 7919 % 97)).collect();
            for share in [0.0, 0.1, 0.25, 0.5, 0.9, 1.0] {
                let weighted = values.iter().map(|&v| (v, 1)).collect();
                let same = weighted_quantile(weighted, share);
                assert_eq!(quantile(&mut values.clone(), share), same, "{n} {share}");
            }
        }
    }
}
