//! Scores of the point sets by intersection over union.

use super::by_points::{self, ByPoints};
use super::evops::{self, Evops};
use super::hoover::Hoover;
use super::numbers::{f1, ratio};
use super::overlaps::{HALF, Overlaps};
use serde::Serialize;

/// The stricter of the two common limits.
const STRICT: f64 = 0.75;

/// How well points are assigned to planes.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SegmentScores {
    /// Segments found with an intersection over union above 0.5.
    pub at_50: Segments,
    /// Segments found with an intersection over union of at least 0.75.
    pub at_75: Segments,
    /// Panoptic quality: the product of the next two.
    pub panoptic_quality: f64,
    /// Mean intersection over union of the segments that match (above 0.5).
    pub segmentation_quality: f64,
    /// F1 of the segments that match.
    pub recognition_quality: f64,
    /// Mean, over the true planes asked for, of the best intersection over union with any found
    /// plane; also called mean coverage, mCov.
    pub mean_iou: f64,
    /// The same, each true plane weighted by its points; mWCov.
    pub weighted_iou: f64,
    /// Segments found with an intersection over union of at least [`Options::iou`](super::options::Options::iou).
    pub at_iou: Segments,
    /// Precision and recall by points.
    pub by_points: ByPoints,
    /// EVOPS' scores.
    pub evops: Evops,
    /// Hoover's counts.
    pub hoover: Hoover,
}

/// Scores at one intersection over union.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Segments {
    /// True segments that were found.
    pub matched: usize,
    /// Share of the found segments that match.
    pub precision: f64,
    /// Share of the true segments that were found.
    pub recall: f64,
    /// Harmonic mean of the two.
    pub f1: f64,
}

/// Scores the segments of the true planes that are `asked` for. A found segment that matches none
/// of them counts as wrong unless it is `ignored` or empty.
pub(super) fn score(
    overlaps: &Overlaps,
    asked: &[bool],
    ignored: &[bool],
    iou: f64,
    hoover: Hoover,
) -> SegmentScores {
    let truths = asked.iter().filter(|&&a| a).count();
    let count = |matches: &[(usize, f64)]| {
        let mut counts: Vec<bool> =
            overlaps.found.iter().zip(ignored).map(|(&n, &ignored)| n > 0 && !ignored).collect();
        matches.iter().for_each(|&(f, _)| counts[f] = true);
        let found = counts.into_iter().filter(|&c| c).count();
        Segments {
            matched: matches.len(),
            precision: ratio(matches.len(), found),
            recall: ratio(matches.len(), truths),
            f1: f1(matches.len(), found, truths),
        }
    };
    let pairs = overlaps.pairs.iter().filter(|pair| asked[pair.0]);
    let pairs = pairs.map(|&(t, f, n)| (f, overlaps.iou(t, f, n)));
    let panoptic: Vec<(usize, f64)> = pairs.clone().filter(|pair| pair.1 > HALF).collect();
    let at_least =
        |least: f64| pairs.clone().filter(|pair| pair.1 >= least).collect::<Vec<(usize, f64)>>();
    let sum = panoptic.iter().fold(0.0, |sum, pair| sum + pair.1);
    let segmentation_quality = sum / panoptic.len().max(1) as f64;
    let at_50 = count(&panoptic);
    let recognition_quality = at_50.f1;
    let [mean_iou, weighted_iou] = coverage(overlaps, asked);
    SegmentScores {
        at_50,
        at_75: count(&at_least(STRICT)),
        panoptic_quality: segmentation_quality * recognition_quality,
        segmentation_quality,
        recognition_quality,
        mean_iou,
        weighted_iou,
        at_iou: count(&at_least(iou)),
        by_points: by_points::score(overlaps, asked, ignored),
        evops: evops::score(overlaps, asked, ignored),
        hoover,
    }
}

/// The mean of the best intersection over union of the true planes asked for, once with equal weights
/// and once weighted by points.
fn coverage(overlaps: &Overlaps, asked: &[bool]) -> [f64; 2] {
    // Empty sums would be -0 otherwise.
    let (mut planes, mut points, mut sum, mut weighted) = (0.0, 0.0, 0.0, 0.0);
    for (t, best) in overlaps.best().into_iter().enumerate().filter(|(t, _)| asked[*t]) {
        let iou = best.map_or(0.0, |best| best.1);
        let weight = overlaps.truth[t] as f64;
        planes += 1.0;
        points += weight;
        sum += iou;
        weighted += weight * iou;
    }
    [sum / f64::max(planes, 1.0), weighted / f64::max(points, 1.0)]
}

#[cfg(test)]
mod tests {
    use super::super::overlaps::labelled;
    use super::*;

    fn scored(truth: &[i32], found: &[i32], asked: &[bool], iou: f64) -> SegmentScores {
        let overlaps = Overlaps::new(&labelled(truth), &labelled(found));
        let ignored = overlaps.on_small(asked);
        score(&overlaps, asked, &ignored, iou, Hoover::default())
    }

    #[test]
    fn by_hand() {
        // True 0 and found 0 share 4 of 5, true 1 and found 1 share 2 of 4 (not above one half).
        let truth = [0, 0, 0, 0, 1, 1, 1, -1, -1, 1];
        let found = [0, 0, 0, 0, 0, 1, 1, -1, -1, -1];
        let s = scored(&truth, &found, &[true, true], 0.8);
        assert_eq!(s.segmentation_quality, 0.8);
        assert_eq!(s.recognition_quality, 0.5);
        assert_eq!(s.panoptic_quality, 0.4);
        assert_eq!(s.mean_iou, (0.8 + 0.5) / 2.0);
        assert_eq!(s.weighted_iou, (4.0 * 0.8 + 4.0 * 0.5) / 8.0);
        assert_eq!((s.at_50.f1, s.at_75.f1, s.by_points.f1), (0.5, 0.5, 6.0 * 2.0 / 15.0));
        let expected = Segments { matched: 1, precision: 0.5, recall: 0.5, f1: 0.5 };
        assert_eq!(s.at_iou, expected);
        assert_eq!(scored(&truth, &found, &[true, true], 0.81).at_iou.matched, 0);
    }

    #[test]
    fn small_planes_are_neither_asked_for_nor_wrong() {
        let truth = [0, 0, 0, 0, 1, 1, -1];
        let found = [0, 0, 0, 0, 1, 1, 1];
        let s = scored(&truth, &found, &[true, false], 0.75);
        assert_eq!(s.panoptic_quality, 1.0);
        assert_eq!(s.mean_iou, 1.0);
        // Most of found 1 now lies on no true plane: that is wrong.
        let s = scored(&[0, 0, 0, 0, 1, -1, -1], &found, &[true, false], 0.75);
        assert_eq!(s.at_iou.precision, 0.5);
        assert_eq!(s.recognition_quality, 2.0 / 3.0);
    }

    #[test]
    fn unknown_points_are_neither_right_nor_wrong() {
        let truth = [0, 0, 0, 0, -2, -2, -2, -2, -2, -2];
        let right = [0, 0, 0, 0, -1, -1, -1, -1, -1, -1];
        let expected = scored(&truth, &right, &[true], 0.75);
        assert_eq!((expected.panoptic_quality, expected.at_75.f1), (1.0, 1.0));
        // The plane may continue there, and there may be other planes.
        for found in [[0; 10], [0, 0, 0, 0, 1, 1, 2, 2, -1, -1]] {
            assert_eq!(scored(&truth, &found, &[true], 0.75), expected);
        }
        // A plane with half of its points on known points counts.
        let s = scored(&[0, 0, -1, -2], &[0, 0, 1, 1], &[true], 0.75);
        assert_eq!(s.at_50.precision, 0.5);
    }

    #[test]
    fn nothing_found_is_no_score() {
        let s = scored(&[0, 0], &[-1, -1], &[true], 0.75);
        assert_eq!((s.panoptic_quality, s.mean_iou, s.at_iou.f1), (0.0, 0.0, 0.0));
        let s = scored(&[-1, -1], &[-1, -1], &[], 0.75);
        assert_eq!((s.panoptic_quality, s.mean_iou), (0.0, 0.0));
    }
}
