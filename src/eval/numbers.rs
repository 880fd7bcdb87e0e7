//! Ratios and medians.

/// `part / all`; 0 if `all` is 0.
pub(super) fn ratio(part: usize, all: usize) -> f64 {
    part as f64 / all.max(1) as f64
}

/// The harmonic mean of precision and recall; 0 without planes.
pub(super) fn f1(matched: usize, found: usize, truth: usize) -> f64 {
    2.0 * matched as f64 / (found + truth).max(1) as f64
}

/// The median: the middle value, or the mean of the middle two.
pub(super) fn median(values: &mut [f64]) -> Option<f64> {
    values.sort_by(f64::total_cmp);
    let (low, high) =
        (values.get(values.len().checked_sub(1)? / 2)?, values.get(values.len() / 2)?);
    Some(if low == high { *low } else { (low + high) / 2.0 })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn medians() {
        assert_eq!(median(&mut []), None);
        assert_eq!(median(&mut [3.0, 1.0, 2.0]), Some(2.0));
        assert_eq!(median(&mut [4.0, 1.0, 2.0, 8.0]), Some(3.0));
    }

    #[test]
    fn nothing_of_nothing_is_nothing() {
        assert_eq!((ratio(0, 0), f1(0, 0, 0)), (0.0, 0.0));
        assert_eq!(f1(3, 4, 8), 0.5);
    }
}
