//! Quantiles of values, with weights or without.

/// The value below which `share` of the total weight lies; 0 without values.
pub fn weighted_quantile(mut values: Vec<(f64, u64)>, share: f64) -> f64 {
    let weight = |values: &[(f64, u64)]| values.iter().map(|v| v.1).sum::<u64>();
    let wanted = share * weight(&values) as f64;
    let (mut rest, mut below) = (&mut values[..], 0);
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
        let values: Vec<(f64, u64)> =
            (0..500u32).map(|i| (f64::from(i * 7919 % 97), u64::from(i % 5))).collect();
        let mut sorted = values.clone();
        sorted.sort_by(|a, b| a.0.total_cmp(&b.0));
        for share in [0.0, 0.1, 0.5, 0.9, 1.0] {
            let wanted = share * sorted.iter().map(|v| v.1).sum::<u64>() as f64;
            let mut sum = 0;
            let reaches = |v: &&(f64, u64)| {
                sum += v.1;
                sum as f64 >= wanted
            };
            let plain = sorted.iter().find(reaches).map(|v| v.0);
            assert_eq!(Some(weighted_quantile(values.clone(), share)), plain);
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
