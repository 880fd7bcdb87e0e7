//! Otsu's threshold.

/// Two classes of values, separated by a threshold.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Split {
    /// The last value of the lower class.
    pub threshold: u8,
    /// Share of the variance that lies between the classes: 1 if each has only one value.
    pub between: f64,
}

/// The threshold with the largest variance between the classes (Otsu 1979), the lowest if several are equal;
/// `None` if all values are the same.
pub(super) fn split(histogram: &[u64; 256]) -> Option<Split> {
    let values = || (0u64..).zip(histogram);
    let total: u64 = histogram.iter().sum();
    let sum: u64 = values().map(|(v, n)| v * n).sum();
    let squares: u64 = values().map(|(v, n)| v * v * n).sum();
    let (mut below, mut sum_below) = (0u64, 0u64);
    let mut best: Option<(f64, u8)> = None;
    for (v, n) in values() {
        below += n;
        sum_below += v * n;
        if below == 0 || below == total {
            continue;
        }
        let (n0, n1) = (below as f64, (total - below) as f64);
        let difference = sum_below as f64 / n0 - (sum - sum_below) as f64 / n1;
        let between = n0 * n1 * difference * difference;
        if best.is_none_or(|(most, _)| between > most) {
            best = Some((between, v as u8));
        }
    }
    let (between, threshold) = best?;
    let (total, sum) = (total as f64, sum as f64);
    let variance = total * squares as f64 - sum * sum;
    Some(Split { threshold, between: between / variance })
}

/// How often each value occurs.
pub(super) fn histogram(values: &[u8]) -> [u64; 256] {
    let mut histogram = [0; 256];
    values.iter().for_each(|&v| histogram[usize::from(v)] += 1);
    histogram
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_heaps_are_split_between() {
        let mut heaps = [0u64; 256];
        for (v, n) in [(10, 5), (11, 9), (12, 5), (200, 3), (205, 4)] {
            heaps[v] = n;
        }
        let split = split(&heaps).unwrap();
        assert_eq!(split.threshold, 12);
        assert!(split.between > 0.99 && split.between < 1.0);
    }

    #[test]
    fn one_value_cannot_be_split() {
        assert_eq!(split(&histogram(&[7; 20])), None);
        let two = split(&histogram(&[7, 7, 9])).unwrap();
        assert_eq!((two.threshold, two.between), (7, 1.0));
    }
}
