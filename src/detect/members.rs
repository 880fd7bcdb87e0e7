//! The points of each plane, by their labels.

use crate::frame::Points;
use crate::surface::moments::Moments;
use rayon::prelude::*;

/// Labels that one thread processes at a time.
const PIECE: usize = 1 << 16;

/// The points of each plane, ascending.
pub(super) fn members(labels: &[i32], plane_of: &[Option<usize>], planes: usize) -> Vec<Vec<u32>> {
    let plane = |&label: &i32| plane_of.get(label as usize).copied().flatten();
    let count = |labels: &[i32]| {
        let mut counts = vec![0; planes];
        labels.iter().filter_map(plane).for_each(|plane| counts[plane] += 1);
        counts
    };
    let counts: Vec<Vec<usize>> = labels.par_chunks(PIECE).map(count).collect();
    let total = |plane: usize| counts.iter().map(|piece| piece[plane]).sum();
    let mut members: Vec<Vec<u32>> = (0..planes).map(|plane| vec![0; total(plane)]).collect();
    // Each piece of the labels fills its own part of the points of each plane.
    let mut parts: Vec<Vec<&mut [u32]>> = counts.iter().map(|_| Vec::new()).collect();
    for (plane, members) in members.iter_mut().enumerate() {
        let mut rest = &mut members[..];
        for (parts, counts) in parts.iter_mut().zip(&counts) {
            let (own, after) = rest.split_at_mut(counts[plane]);
            parts.push(own);
            rest = after;
        }
    }
    let labels = labels.par_chunks(PIECE).enumerate();
    parts.into_par_iter().zip(labels).for_each(|(mut parts, (piece, labels))| {
        let mut next = vec![0; planes];
        for (i, label) in labels.iter().enumerate() {
            if let Some(plane) = plane(label) {
                parts[plane][next[plane]] = (piece * PIECE + i) as u32;
                next[plane] += 1;
            }
        }
    });
    members
}

/// Exact sums over the points of each plane, in local coordinates.
pub(super) fn sums(points: &Points, labels: &[i32], planes: usize) -> Vec<Moments> {
    labels
        .par_chunks(PIECE)
        .enumerate()
        .fold(
            || vec![Moments::default(); planes],
            |mut sums, (piece, labels)| {
                for (i, &label) in labels.iter().enumerate() {
                    if let Some(sum) = sums.get_mut(label as usize) {
                        sum.add(points.get(piece * PIECE + i).map(|v| v as i64));
                    }
                }
                sums
            },
        )
        .reduce(
            || vec![Moments::default(); planes],
            |mut a, b| {
                a.iter_mut().zip(&b).for_each(|(a, b)| a.merge(b));
                a
            },
        )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_are_those_of_the_labelled_points() {
        let points: Points =
            (0..200_000).map(|i| [(i % 977) as f32, (i % 31) as f32, -3.0]).collect();
        let labels: Vec<i32> = (0..200_000).map(|i| i % 4 - 1).collect();
        let sums = sums(&points, &labels, 3);
        for (plane, sum) in sums.iter().enumerate() {
            let mut plain = Moments::default();
            for i in (0..points.len()).filter(|&i| labels[i] == plane as i32) {
                plain.add(points.get(i).map(|v| v as i64));
            }
            assert_eq!(*sum, plain);
        }
    }
}
