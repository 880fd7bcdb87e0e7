//! Precision and recall by points, after RSPD (Araújo and Oliveira, "A robust statistics approach
//! for plane detection in unorganized point clouds", 2020); points are counted here instead of surface area.
//!
//! Each found plane is paired with at most one true plane and the other way round; the pairs that
//! share most points come first. The points shared by pairs are right. Their share of the points of all found
//! planes is the precision, and their share of the points of all true planes is the recall.

use super::overlaps::{HALF, Overlaps};
use serde::Serialize;
use std::cmp::Reverse;

/// Scores by points; 0 if the divisor is 0.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct ByPoints {
    /// Points shared by pairs of planes, divided by the points of all found planes.
    pub precision: f64,
    /// The same points, divided by the points of all true planes.
    pub recall: f64,
    /// Harmonic mean of the two.
    pub f1: f64,
}

/// Scores the true planes that are `asked` for. A found plane that is `ignored` counts, and is paired,
/// only if more than half of the union of the two planes is shared.
pub(super) fn score(overlaps: &Overlaps, asked: &[bool], ignored: &[bool]) -> ByPoints {
    let counts = |&&(t, f, n): &&(usize, usize, u64)| {
        asked[t] && (!ignored[f] || overlaps.iou(t, f, n) > HALF)
    };
    let mut pairs: Vec<_> = overlaps.pairs.iter().filter(counts).collect();
    pairs.sort_by_key(|&&(t, f, n)| (Reverse(n), t, f));
    let mut taken = vec![false; asked.len()];
    let mut paired = vec![false; ignored.len()];
    let mut right = 0;
    for &(t, f, n) in pairs {
        if !taken[t] && !paired[f] {
            (taken[t], paired[f]) = (true, true);
            right += n;
        }
    }
    let sum = |side: &[u64], counts: &dyn Fn(usize) -> bool| -> u64 {
        side.iter().enumerate().filter(|(i, _)| counts(*i)).map(|(_, &n)| n).sum()
    };
    let found = sum(&overlaps.found, &|f| paired[f] || !ignored[f]);
    let truth = sum(&overlaps.truth, &|t| asked[t]);
    let share = |all: u64| right as f64 / all.max(1) as f64;
    ByPoints {
        precision: share(found),
        recall: share(truth),
        f1: 2.0 * right as f64 / (found + truth).max(1) as f64,
    }
}

#[cfg(test)]
mod tests {
    use super::super::overlaps::labelled;
    use super::*;

    #[test]
    fn pairs_are_formed_once_and_the_largest_first() {
        // Found 0 has true 0 and a point of true 1; found 1 has the rest of true 1.
        let truth = labelled(&[0, 0, 0, 0, 1, 1, 1, -1, 2]);
        let found = labelled(&[0, 0, 0, -1, 0, 1, 1, 1, 2]);
        let overlaps = Overlaps::new(&truth, &found);
        let s = score(&overlaps, &[true; 3], &[false; 3]);
        assert_eq!((s.precision, s.recall), (6.0 / 8.0, 6.0 / 8.0));
        let asked = [true, true, false];
        let s = score(&overlaps, &asked, &overlaps.on_small(&asked));
        assert_eq!((s.precision, s.recall, s.f1), (5.0 / 7.0, 5.0 / 7.0, 5.0 / 7.0));
        assert_eq!(score(&overlaps, &[false; 3], &[true; 3]), ByPoints::default());
        // A plane that lies mostly on unknown points, and is right where the truth is known.
        let overlaps = Overlaps::new(&labelled(&[0, -2, -2]), &labelled(&[0, 0, 0]));
        let s = score(&overlaps, &[true], &overlaps.on_small(&[true]));
        assert_eq!((s.precision, s.recall), (1.0, 1.0));
    }
}
