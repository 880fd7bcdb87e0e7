//! Counts the points that each true plane shares with each found one.

use super::surfaces::Surfaces;
use crate::cloud::UNKNOWN;
use rustc_hash::FxHashMap;

/// Two segments that share more than this of their union are each other's only match.
pub(super) const HALF: f64 = 0.5;

/// Point counts of two labellings; points where the truth is unknown are counted separately.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Overlaps {
    /// Points of each true plane.
    pub(super) truth: Vec<u64>,
    /// Points of each found plane for which the truth is known.
    pub(super) found: Vec<u64>,
    /// Points of each found plane for which the truth is unknown.
    pub(super) unknown: Vec<u64>,
    /// True plane, found plane, and the points they share, at least one; ascending.
    pub(super) pairs: Vec<(usize, usize, u64)>,
}

impl Overlaps {
    /// Counts the points of labels that have been checked. If a side has no labels, nothing is shared.
    pub(super) fn new(truth: &Surfaces, found: &Surfaces) -> Overlaps {
        let mut shared: FxHashMap<(i32, i32), u64> = FxHashMap::default();
        let mut run = ((-1, -1), 0);
        for key in truth.labels.iter().copied().zip(found.labels.iter().copied()) {
            // Neighbours often share both labels.
            if key != run.0 {
                *shared.entry(run.0).or_default() += run.1;
                run = (key, 0);
            }
            run.1 += 1;
        }
        *shared.entry(run.0).or_default() += run.1;
        let index = |label| usize::try_from(label).ok();
        let mut unknown = vec![0; found.planes.len()];
        for (&(t, f), n) in &shared {
            if let (UNKNOWN, Some(f)) = (t, index(f)) {
                unknown[f] += n;
            }
        }
        let pairs = shared.into_iter().filter_map(|((t, f), n)| Some((index(t)?, index(f)?, n)));
        let mut pairs: Vec<_> = pairs.collect();
        pairs.sort_unstable();
        let counts = found.planes.iter().zip(&unknown);
        let known = counts.map(|(plane, &unknown)| plane.points.saturating_sub(unknown)).collect();
        let truth = truth.planes.iter().map(|plane| plane.points).collect();
        Overlaps { truth, found: known, unknown, pairs }
    }

    /// Intersection over union of a pair that shares `n` points.
    pub(super) fn iou(&self, truth: usize, found: usize, n: u64) -> f64 {
        let union = (self.truth[truth] + self.found[found]).saturating_sub(n);
        n as f64 / union.max(1) as f64
    }

    /// For each found plane, whether more than half of its points lie on true planes that are not
    /// asked for, or are unknown.
    pub(super) fn on_small(&self, asked: &[bool]) -> Vec<bool> {
        let mut small = self.unknown.clone();
        for &(_, f, n) in self.pairs.iter().filter(|pair| !asked[pair.0]) {
            small[f] += n;
        }
        let all = self.found.iter().zip(&self.unknown).map(|(known, unknown)| known + unknown);
        small.iter().zip(all).map(|(&small, all)| 2 * small > all).collect()
    }

    /// For each true plane, the found plane with the largest intersection over union, and that value.
    pub(super) fn best(&self) -> Vec<Option<(usize, f64)>> {
        let mut best: Vec<Option<(usize, f64)>> = vec![None; self.truth.len()];
        for &(t, f, n) in &self.pairs {
            let iou = self.iou(t, f, n);
            if best[t].is_none_or(|(_, before)| iou > before) {
                best[t] = Some((f, iou));
            }
        }
        best
    }
}

/// Surfaces with only labels, for tests that need no more.
#[cfg(test)]
pub(super) fn labelled(labels: &[i32]) -> Surfaces {
    let count = labels.iter().max().map_or(0, |&l| usize::try_from(l + 1).unwrap_or(0));
    let planes = (0..count as i32).map(|id| super::surfaces::Surface {
        id,
        pieces: 1,
        points: labels.iter().filter(|&&l| l == id).count() as u64,
        ..super::surfaces::Surface::default()
    });
    let planes = planes.collect();
    Surfaces { planes, labels: labels.to_vec(), total: labels.len() as u64, noise: None }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shared_points_are_counted() {
        let truth = labelled(&[0, 0, 0, 1, 1, -1, 2, 0]);
        let found = labelled(&[1, 1, 0, 0, -1, 0, 0, 1]);
        let overlaps = Overlaps::new(&truth, &found);
        assert_eq!(overlaps.truth, [4, 2, 1]);
        assert_eq!(overlaps.found, [4, 3]);
        assert_eq!(overlaps.pairs, [(0, 0, 1), (0, 1, 3), (1, 0, 1), (2, 0, 1)]);
        assert_eq!(overlaps.iou(0, 1, 3), 3.0 / 4.0);
        assert_eq!(overlaps.best(), [Some((1, 0.75)), Some((0, 0.2)), Some((0, 0.25))]);
        // Exactly half is not more than half.
        assert_eq!(overlaps.on_small(&[true, false, false]), [false, false]);
        assert_eq!(overlaps.on_small(&[false, false, true]), [false, true]);
    }

    #[test]
    fn unknown_points_are_counted_apart() {
        let truth = labelled(&[0, 0, -2, -2, -2, -1]);
        let overlaps = Overlaps::new(&truth, &labelled(&[0, 0, 0, 1, 1, 1]));
        assert_eq!((&overlaps.found[..], &overlaps.unknown[..]), (&[2, 1][..], &[1, 2][..]));
        assert_eq!(overlaps.pairs, [(0, 0, 2)]);
        assert_eq!(overlaps.iou(0, 0, 2), 1.0);
        assert_eq!(overlaps.on_small(&[true]), [false, true]);
        // In a result, -2 means no plane.
        let overlaps = Overlaps::new(&labelled(&[0, 0]), &labelled(&[0, -2]));
        assert_eq!((overlaps.found, overlaps.unknown), (vec![1], vec![0]));
    }

    #[test]
    fn without_labels_nothing_is_shared() {
        let truth = labelled(&[0, 0]);
        let found = Surfaces { labels: vec![], ..labelled(&[0, 0]) };
        assert_eq!(Overlaps::new(&truth, &found).pairs, []);
    }
}
