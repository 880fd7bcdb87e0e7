//! Classifies each true plane and each found one, after Hoover et al., "An
//! experimental comparison of range image segmentation algorithms", 1996.
//!
//! With a least overlap `T`:
//!
//! - a true plane is *correct* if one found plane holds a share `T` of its points, and a share `T` of the found
//!   plane's points lies on it;
//! - it is *over-segmented* if two or more found planes each have a share `T` of their points on it and
//!   together hold a share `T` of its points;
//! - true planes are *under-segmented* if one found plane holds a share `T` of the points of each of two or
//!   more, and a share `T` of the found plane's points lies on them together;
//! - a true plane that is none of these is *missed*, and a found one is *noise*.
//!
//! If a plane fits more than one of the three, the one with the larger mean of shares counts; at equal shares,
//! the one named first. So a true plane that was found whole except for a
//! small part, which was found separately, is over-segmented.

use super::overlaps::Overlaps;
use serde::Serialize;

/// The classification of a plane.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// One plane on both sides.
    Correct,
    /// One true plane, several found.
    OverSegmented,
    /// Several true planes, one found.
    UnderSegmented,
    /// A true plane that is none of the above.
    Missed,
    /// A found plane that is none of the above.
    Noise,
}

/// Hoover's counts.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Hoover {
    /// True planes that were found, each by one plane.
    pub correct: usize,
    /// True planes that were found in parts.
    pub over_segmented: usize,
    /// Found planes that cover several true ones.
    pub under_segmented: usize,
    /// True planes asked for that are none of the above.
    pub missed: usize,
    /// Found planes that are none of the above.
    pub noise: usize,
}

/// The verdict on each plane.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Verdicts {
    /// `None` for a true plane that is not asked for.
    pub(super) truth: Vec<Option<Verdict>>,
    /// `None` for a found plane that has no points or is ignored.
    pub(super) found: Vec<Option<Verdict>>,
}

/// Planes that match each other under one of the definitions.
struct Instance {
    verdict: Verdict,
    truths: Vec<usize>,
    founds: Vec<usize>,
    /// Sum of the two shares; the mean would give the same order.
    shares: f64,
}

/// Finds the verdicts; `least` is `T`.
pub(super) fn classify(
    overlaps: &Overlaps,
    asked: &[bool],
    ignored: &[bool],
    least: f64,
) -> Verdicts {
    let mut instances = instances(overlaps, asked, least);
    instances.sort_by(|a, b| {
        let by_shares = b.shares.total_cmp(&a.shares).then(a.verdict.cmp(&b.verdict));
        by_shares.then_with(|| (&a.truths, &a.founds).cmp(&(&b.truths, &b.founds)))
    });
    let mut truth: Vec<Option<Verdict>> = vec![None; asked.len()];
    let mut found: Vec<Option<Verdict>> = vec![None; ignored.len()];
    for instance in instances {
        let settled = instance.truths.iter().any(|&t| truth[t].is_some())
            || instance.founds.iter().any(|&f| found[f].is_some());
        if !settled {
            instance.truths.iter().for_each(|&t| truth[t] = Some(instance.verdict));
            instance.founds.iter().for_each(|&f| found[f] = Some(instance.verdict));
        }
    }
    for (verdict, _) in truth.iter_mut().zip(asked).filter(|(_, asked)| **asked) {
        verdict.get_or_insert(Verdict::Missed);
    }
    for (f, verdict) in found.iter_mut().enumerate() {
        if overlaps.found[f] > 0 && !ignored[f] {
            verdict.get_or_insert(Verdict::Noise);
        }
    }
    Verdicts { truth, found }
}

/// All matches under the definitions.
fn instances(overlaps: &Overlaps, asked: &[bool], least: f64) -> Vec<Instance> {
    let part = |n: u64, of: u64| n as f64 / of.max(1) as f64;
    let enough = |n: u64, of: u64| n as f64 >= least * of as f64;
    let mut instances = Vec::new();
    // The planes of the other side on each plane, with numbers of points.
    let mut in_truth: Vec<Vec<(usize, u64)>> = vec![vec![]; overlaps.truth.len()];
    let mut in_found: Vec<Vec<(usize, u64)>> = vec![vec![]; overlaps.found.len()];
    for &(t, f, n) in overlaps.pairs.iter().filter(|pair| asked[pair.0]) {
        let (of_truth, of_found) = (overlaps.truth[t], overlaps.found[f]);
        let [whole_truth, whole_found] = [enough(n, of_truth), enough(n, of_found)];
        if whole_truth && whole_found {
            let shares = part(n, of_truth) + part(n, of_found);
            let verdict = Verdict::Correct;
            instances.push(Instance { verdict, truths: vec![t], founds: vec![f], shares });
        }
        if whole_found {
            in_truth[t].push((f, n));
        }
        if whole_truth {
            in_found[f].push((t, n));
        }
    }
    let sum = |parts: &[(usize, u64)]| parts.iter().map(|part| part.1).sum::<u64>();
    let names = |parts: &[(usize, u64)]| parts.iter().map(|part| part.0).collect::<Vec<_>>();
    for (t, parts) in in_truth.iter().enumerate() {
        let (n, founds) = (sum(parts), names(parts));
        if parts.len() >= 2 && enough(n, overlaps.truth[t]) {
            let all = founds.iter().map(|&f| overlaps.found[f]).sum();
            let shares = part(n, overlaps.truth[t]) + part(n, all);
            let verdict = Verdict::OverSegmented;
            instances.push(Instance { verdict, truths: vec![t], founds, shares });
        }
    }
    for (f, parts) in in_found.iter().enumerate() {
        let (n, truths) = (sum(parts), names(parts));
        if parts.len() >= 2 && enough(n, overlaps.found[f]) {
            let all = truths.iter().map(|&t| overlaps.truth[t]).sum();
            let shares = part(n, overlaps.found[f]) + part(n, all);
            let verdict = Verdict::UnderSegmented;
            instances.push(Instance { verdict, truths, founds: vec![f], shares });
        }
    }
    instances
}

impl Verdicts {
    /// Hoover's counts.
    pub(super) fn counts(&self) -> Hoover {
        let count = |side: &[Option<Verdict>], verdict| {
            side.iter().filter(|&&v| v == Some(verdict)).count()
        };
        Hoover {
            correct: count(&self.truth, Verdict::Correct),
            over_segmented: count(&self.truth, Verdict::OverSegmented),
            under_segmented: count(&self.found, Verdict::UnderSegmented),
            missed: count(&self.truth, Verdict::Missed),
            noise: count(&self.found, Verdict::Noise),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::overlaps::labelled;
    use super::Verdict::{Correct, Missed, Noise, OverSegmented, UnderSegmented};
    use super::*;

    /// Verdicts on planes made of runs of points: `(true plane, found plane, points)`.
    fn verdicts(runs: &[(i32, i32, usize)], asked: &[bool]) -> Verdicts {
        let side = |pick: fn(&(i32, i32, usize)) -> i32| {
            let labels = runs.iter().flat_map(|run| vec![pick(run); run.2]);
            labelled(&labels.collect::<Vec<_>>())
        };
        let overlaps = Overlaps::new(&side(|r| r.0), &side(|r| r.1));
        let ignored = overlaps.on_small(asked);
        classify(&overlaps, asked, &ignored, 0.8)
    }

    #[test]
    fn exactly_the_least_overlap_is_correct() {
        let v = verdicts(&[(0, 0, 8), (0, -1, 2), (-1, 0, 2)], &[true]);
        assert_eq!((v.truth, v.found), (vec![Some(Correct)], vec![Some(Correct)]));
        let v = verdicts(&[(0, 0, 79), (0, -1, 21)], &[true]);
        assert_eq!((v.truth, v.found), (vec![Some(Missed)], vec![Some(Noise)]));
    }

    #[test]
    fn one_true_plane_in_two_parts() {
        let v = verdicts(&[(0, 0, 5), (0, 1, 4), (0, -1, 1), (-1, 1, 1)], &[true]);
        assert_eq!(v.truth, [Some(OverSegmented)]);
        assert_eq!(v.found, [Some(OverSegmented); 2]);
        let counts = Hoover { over_segmented: 1, ..Hoover::default() };
        assert_eq!(v.counts(), counts);
    }

    #[test]
    fn two_true_planes_in_one() {
        let runs = [(0, 0, 8), (1, 0, 9), (1, -1, 1), (0, -1, 2), (-1, 0, 4), (2, 1, 5)];
        let v = verdicts(&runs, &[true; 3]);
        assert_eq!(v.truth, [Some(UnderSegmented), Some(UnderSegmented), Some(Correct)]);
        assert_eq!(v.found, [Some(UnderSegmented), Some(Correct)]);
        let counts = Hoover { correct: 1, under_segmented: 1, ..Hoover::default() };
        assert_eq!(v.counts(), counts);
    }

    #[test]
    fn the_larger_shares_decide() {
        // Correct has shares 0.9 and 1; over-segmented has 0.95 and 1.
        let v = verdicts(&[(0, 0, 90), (0, 1, 5), (0, -1, 5)], &[true]);
        assert_eq!(v.truth, [Some(OverSegmented)]);
        // The small part lies mostly elsewhere, so it is not a part of the plane.
        let v = verdicts(&[(0, 0, 90), (0, 1, 10), (-1, 1, 3)], &[true]);
        assert_eq!((v.truth, v.found), (vec![Some(Correct)], vec![Some(Correct), Some(Noise)]));
    }

    #[test]
    fn small_planes_are_left_out() {
        let v = verdicts(&[(0, 0, 9), (1, 1, 3), (-1, 1, 2), (-1, 2, 1)], &[true, false]);
        assert_eq!(v.truth, [Some(Correct), None]);
        assert_eq!(v.found, [Some(Correct), None, Some(Noise)]);
        let counts = Hoover { correct: 1, noise: 1, ..Hoover::default() };
        assert_eq!(v.counts(), counts);
    }
}
