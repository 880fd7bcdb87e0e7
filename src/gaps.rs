//! The step of rounded numbers, as the gaps between those that differ tell it.

use crate::surface::quantile::quantile;

/// Fewest gaps that tell the step.
pub(crate) const FEWEST: usize = 16;
/// Least share of the gaps that are multiples of the step.
pub(crate) const WHOLE: f64 = 0.98;
/// Narrow gaps are at most so many steps, where the step may be narrower than they are.
pub(crate) const MOST_STEPS: u32 = 64;
/// Gaps up to so many times as wide as the narrow ones tell whether there is a step.
const TELLING: f64 = 8.0;
/// So many gaps are looked at first, of which this share must be multiples.
const FIRST: usize = 32;
const WHOLE_FIRST: f64 = 0.9;
/// Values that differ by less are on the same step: in local steps, to which points are rounded. Where the camera is known
/// less precisely, it is so many times more.
const SAME: [f64; 4] = [16.0, 64.0, 256.0, 1024.0];
/// Steps are at least so many times as wide as what is the same.
const APART: f64 = 4.0;

/// Some values in ascending order.
pub(crate) fn sorted(values: impl Iterator<Item = f64>) -> Vec<f64> {
    let mut values: Vec<f64> = values.collect();
    values.sort_unstable_by(f64::total_cmp);
    values
}

/// The step of ascending values in local steps whose gaps are multiples of it `within` a share of it, as [`step`] tells it.
pub(crate) fn step_of(values: &[f64], within: f64, most: u32) -> Option<f64> {
    SAME.into_iter().find_map(|same| {
        let groups = values.chunk_by(|a, b| b - a < same);
        let middles: Vec<f64> = groups.map(|g| 0.5 * (g[0] + g[g.len() - 1])).collect();
        let gaps = middles.windows(2).map(|pair| pair[1] - pair[0]).collect();
        step(gaps, within, most).filter(|&step| step >= APART * same)
    })
}

/// The step of which nearly all gaps are multiples `within` a share of it, and narrow ones at most so many; `None` if there is
/// none, or too few gaps. Few numbers that lie on many steps hardly ever lie on two that follow each other.
pub(crate) fn step(mut gaps: Vec<f64>, within: f64, most: u32) -> Option<f64> {
    if gaps.len() < FEWEST {
        return None;
    }
    gaps.sort_unstable_by(f64::total_cmp);
    // The narrowest ones may be those of strays.
    let tenth = gaps.len() / 10;
    let narrow = gaps[tenth];
    // The step is not known precisely enough to tell anything of much wider gaps.
    let telling = &gaps[tenth..gaps.partition_point(|gap| *gap < TELLING * narrow)];
    (1..=most).find_map(|steps| step_near(narrow / f64::from(steps), telling, within))
}

/// The step that is nearly `step`, if nearly all gaps are its multiples.
fn step_near(step: f64, gaps: &[f64], within: f64) -> Option<f64> {
    let are_whole = |gaps: &[f64], step: f64, share: f64| {
        let off = |gap: &f64| (gap / step - (gap / step).round()).abs();
        let whole = gaps.iter().filter(|gap| off(gap) < within).count();
        whole as f64 >= share * gaps.len() as f64
    };
    if gaps.len() < FEWEST || !are_whole(&gaps[..gaps.len().min(FIRST)], step, WHOLE_FIRST) {
        return None;
    }
    let mut of_gaps: Vec<f64> =
        gaps.iter().map(|gap| gap / (gap / step).round().max(1.0)).collect();
    let step = quantile(&mut of_gaps, 0.5);
    are_whole(gaps, step, WHOLE).then_some(step)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_numbers_tell_a_step_that_is_narrower_than_all_gaps() {
        let steps = [29, 31, 31, 34, 37, 38, 40, 41, 43, 44, 44, 46, 47, 50, 52, 53, 55, 58];
        let of = |noise: i32| {
            let gaps = steps.iter().enumerate();
            let gap = |(i, gap): (usize, &i32)| {
                2000.0 * f64::from(*gap) / 3.0 + f64::from(i as i32 * 7 % 5 * noise)
            };
            step(gaps.map(gap).collect(), 0.1, MOST_STEPS)
        };
        let found = of(1).unwrap();
        assert!((found / (2000.0 / 3.0) - 1.0).abs() < 0.01, "{found}");
        assert_eq!(of(211), None);
    }

    #[test]
    fn strays_do_not_hide_the_step() {
        let of = |strays: usize| {
            let stray = |i: usize| 300.0 + 77.0 * i as f64;
            step((0..strays).map(stray).chain(vec![2000.0; 4000]).collect(), 0.1, MOST_STEPS)
        };
        assert_eq!([0, 3, 5, 40].map(of), [Some(2000.0); 4]);
    }

    #[test]
    fn too_few_gaps_tell_nothing() {
        assert_eq!(step(vec![5.0; FEWEST + 1], 0.1, 1), Some(5.0));
        assert_eq!(step(vec![5.0; FEWEST - 1], 0.1, 1), None);
    }
}
