//! The measures of EVOPS (Kornilova et al., "EVOPS Benchmark: Evaluation of Plane Segmentation
//! from RGBD and LiDAR Data", 2022), as its library computes them.
//!
//! A true plane and a found one *match* at an intersection over union of 0.75, and *partly* match at
//! 0.2. A found plane is under-segmented if it partly matches several true ones; a true plane is
//! over-segmented if several found ones partly match it. A plane that matches nothing, not even partly, is
//! missed or noise; so is a plane with a single, partial match whose partner has no other match either.

use super::numbers::{f1, ratio};
use super::overlaps::Overlaps;
use serde::Serialize;

/// Least intersection over union of a match.
const FULL: f64 = 0.75;
/// Least intersection over union of a match in part.
const PART: f64 = 0.2;

/// EVOPS' scores; 0 if the divisor is 0.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Evops {
    /// Matches divided by found planes.
    pub precision: f64,
    /// Matches divided by true planes.
    pub recall: f64,
    /// Harmonic mean of the two.
    pub f_score: f64,
    /// Panoptic quality of the matches.
    pub panoptic: f64,
    /// Share of the found planes that are under-segmented.
    pub usr: f64,
    /// Share of the true planes that are over-segmented.
    pub osr: f64,
    /// Share of the true planes that are missed.
    pub missed: f64,
    /// Share of the found planes that are noise.
    pub noise: f64,
    /// Mean intersection over union of the matches.
    pub mean_iou: f64,
    /// Mean of their Dice coefficients.
    pub mean_dice: f64,
}

/// The partners of a plane on the other side.
#[derive(Debug, Clone, Default)]
struct Partners {
    partly: Vec<usize>,
    fully: bool,
}

/// Scores the true planes that are `asked` for. A found plane that matches none of them counts
/// unless it is `ignored` or empty.
pub(super) fn score(overlaps: &Overlaps, asked: &[bool], ignored: &[bool]) -> Evops {
    let mut of_truth = vec![Partners::default(); overlaps.truth.len()];
    let mut of_found = vec![Partners::default(); overlaps.found.len()];
    let (mut matched, mut iou_sum, mut dice_sum) = (0, 0.0, 0.0);
    for &(t, f, n) in overlaps.pairs.iter().filter(|pair| asked[pair.0]) {
        let iou = overlaps.iou(t, f, n);
        if iou >= PART {
            of_truth[t].partly.push(f);
            of_found[f].partly.push(t);
        }
        if iou >= FULL {
            of_truth[t].fully = true;
            of_found[f].fully = true;
            matched += 1;
            iou_sum += iou;
            dice_sum += 2.0 * iou / (1.0 + iou);
        }
    }
    let truths: Vec<usize> = (0..asked.len()).filter(|&t| asked[t]).collect();
    let counts = |&f: &usize| of_found[f].fully || (overlaps.found[f] > 0 && !ignored[f]);
    let founds: Vec<usize> = (0..ignored.len()).filter(counts).collect();
    let several =
        |side: &[Partners], of: &[usize]| of.iter().filter(|&&i| side[i].partly.len() > 1).count();
    let alone = |side: &[Partners], other: &[Partners], of: &[usize]| {
        of.iter().filter(|&&i| is_alone(&side[i], other)).count()
    };
    let f_score = f1(matched, founds.len(), truths.len());
    let mean = |sum: f64| sum / matched.max(1) as f64;
    Evops {
        precision: ratio(matched, founds.len()),
        recall: ratio(matched, truths.len()),
        f_score,
        panoptic: mean(iou_sum) * f_score,
        usr: ratio(several(&of_found, &founds), founds.len()),
        osr: ratio(several(&of_truth, &truths), truths.len()),
        missed: ratio(alone(&of_truth, &of_found, &truths), truths.len()),
        noise: ratio(alone(&of_found, &of_truth, &founds), founds.len()),
        mean_iou: mean(iou_sum),
        mean_dice: mean(dice_sum),
    }
}

/// Whether a plane has no partner, or only a partial one that has no other partner.
fn is_alone(plane: &Partners, other: &[Partners]) -> bool {
    match plane.partly.as_slice() {
        [] => true,
        [partner] => !plane.fully && other[*partner].partly.len() == 1,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::super::overlaps::labelled;
    use super::*;

    /// Scores of planes made of runs of points: `(true plane, found plane, points)`.
    fn scored(runs: &[(i32, i32, usize)]) -> Evops {
        let side = |pick: fn(&(i32, i32, usize)) -> i32| {
            let labels = runs.iter().flat_map(|run| vec![pick(run); run.2]);
            labelled(&labels.collect::<Vec<_>>())
        };
        let overlaps = Overlaps::new(&side(|r| r.0), &side(|r| r.1));
        let asked = vec![true; overlaps.truth.len()];
        let ignored = overlaps.on_small(&asked);
        score(&overlaps, &asked, &ignored)
    }

    #[test]
    fn by_hand() {
        // True 0 is found, true 1 in two halves, true 2 and 3 as one plane, true 4 is missed; found 4
        // has a quarter of true 5.
        let runs = [
            (0, 0, 9),
            (0, -1, 1),
            (1, 1, 5),
            (1, 2, 5),
            (2, 3, 5),
            (3, 3, 5),
            (4, -1, 5),
            (5, 4, 5),
            (5, -1, 15),
        ];
        let s = scored(&runs);
        assert_eq!((s.precision, s.recall, s.f_score), (1.0 / 5.0, 1.0 / 6.0, 2.0 / 11.0));
        assert_eq!((s.mean_iou, s.panoptic), (0.9, 0.9 * 2.0 / 11.0));
        assert_eq!(s.mean_dice, 1.8 / 1.9);
        assert_eq!((s.usr, s.osr), (1.0 / 5.0, 1.0 / 6.0));
        assert_eq!((s.missed, s.noise), (2.0 / 6.0, 1.0 / 5.0));
    }

    #[test]
    fn nothing_is_no_score() {
        assert_eq!(scored(&[(-1, -1, 4)]), Evops::default());
    }
}
