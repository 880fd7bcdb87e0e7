//! Matches found planes with true ones by angle and distance.

use super::flat::Flat;
use super::options::Limits;
use super::surfaces::Surfaces;
use crate::vector::dot;
use rayon::prelude::*;
use serde::Serialize;

/// The points of a true plane may be at least so many times as far from a found one as from the true one, on average.
const ROUGH: f64 = 2.0;

/// A found plane within the limits of a true one.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Match {
    /// Index of the found plane.
    #[serde(skip)]
    pub found: usize,
    /// Angle between the planes, in degrees.
    pub angle: f64,
    /// Mean distance of the true plane's points from the found plane, in the cloud's unit.
    pub distance: f64,
    /// Distance of the found plane's centroid from the true plane.
    pub offset: f64,
}

/// True planes and the planes that found them.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Matching {
    /// For each true plane that is asked for, the plane that found it.
    pub(super) of_truth: Vec<Option<Match>>,
    /// For each found plane, the true plane that it found.
    pub(super) of_found: Vec<Option<usize>>,
    /// For each found plane left over, the nearest true plane within the limits, which another plane
    /// found.
    pub(super) duplicate_of: Vec<Option<usize>>,
    /// For each found plane left over, whether it matches a true plane that is not asked for.
    pub(super) small: Vec<bool>,
}

impl Matching {
    /// Large true planes choose first; each takes the nearest plane that is left. Unless the limit of the distance `is_given`, it
    /// is wider for planes that are rougher than most.
    pub(super) fn new(
        points: &[[f64; 3]],
        truth: &Surfaces,
        found: &Surfaces,
        asked: &[bool],
        (limits, is_given): (&Limits, bool),
    ) -> Matching {
        let within = candidates(points, truth, found, (limits, is_given));
        let mut of_truth = vec![None; truth.planes.len()];
        let mut of_found = vec![None; found.planes.len()];
        let mut order: Vec<usize> = (0..truth.planes.len()).filter(|&t| asked[t]).collect();
        order.sort_by_key(|&t| (std::cmp::Reverse(truth.planes[t].points), t));
        for t in order {
            let free = within[t].iter().filter(|m| of_found[m.found].is_none());
            let nearest = free.min_by(|a, b| a.distance.total_cmp(&b.distance));
            if let Some(&nearest) = nearest {
                of_found[nearest.found] = Some(t);
                of_truth[t] = Some(nearest);
            }
        }
        let mut duplicates: Vec<Option<(usize, f64)>> = vec![None; found.planes.len()];
        let mut small = vec![false; found.planes.len()];
        for (t, near) in within.iter().enumerate() {
            for m in near.iter().filter(|m| of_found[m.found].is_none()) {
                let best = &mut duplicates[m.found];
                if !asked[t] {
                    small[m.found] = true;
                } else if best.is_none_or(|(_, before)| m.distance < before) {
                    *best = Some((t, m.distance));
                }
            }
        }
        let duplicate_of = duplicates.into_iter().map(|d| Some(d?.0)).collect();
        Matching { of_truth, of_found, duplicate_of, small }
    }
}

/// For each true plane, the found planes within the limits, by index.
fn candidates(
    points: &[[f64; 3]],
    truth: &Surfaces,
    found: &Surfaces,
    (limits, is_given): (&Limits, bool),
) -> Vec<Vec<Match>> {
    let members = (!truth.labels.is_empty()).then(|| truth.members());
    let near = |t: usize| {
        let Some(flat) = truth.planes[t].flat else { return vec![] };
        let middle = match &members {
            Some(members) => middle(members.of(t, points)),
            None => middle(truth.planes[t].corners.iter().copied()),
        };
        let Some(middle) = middle else { return vec![] };
        let own =
            members.as_ref().filter(|_| !is_given).map(|m| mean_distance(&flat, m.of(t, points)));
        let limit = own.map_or(limits.distance, |own| limits.distance.max(ROUGH * own));
        let pairs = found.planes.iter().enumerate().filter_map(|(f, plane)| {
            let other = plane.flat?;
            let angle = angle(flat.normal, other.normal);
            // The mean distance is at least the distance of the mean, which allows a quick rejection.
            if angle > limits.angle || away(&other, middle) > limit * 1.001 + 1e-6 {
                return None;
            }
            let distance = match &members {
                Some(members) => mean_distance(&other, members.of(t, points)),
                None => mean_distance(&other, truth.planes[t].corners.iter().copied()),
            };
            let offset = away(&flat, other.centroid);
            let near = distance <= limit;
            near.then_some(Match { found: f, angle, distance, offset })
        });
        pairs.collect()
    };
    (0..truth.planes.len()).into_par_iter().map(near).collect()
}

/// The angle between two planes in degrees, from their normals of either sign.
fn angle(a: [f64; 3], b: [f64; 3]) -> f64 {
    // The arc cosine is inaccurate near angle 0.
    let cross = [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
    dot(cross, cross).sqrt().atan2(dot(a, b).abs()).to_degrees()
}

/// The distance of a point from a plane.
fn away(plane: &Flat, point: [f64; 3]) -> f64 {
    (dot(plane.normal, point) - plane.offset).abs()
}

fn finite(p: &[f64; 3]) -> bool {
    p.iter().all(|v| v.is_finite())
}

/// The mean of the finite points.
fn middle(points: impl Iterator<Item = [f64; 3]> + Clone) -> Option<[f64; 3]> {
    let mut points = points.filter(finite);
    let first = points.clone().next()?;
    let (n, sum) = points.by_ref().fold((0.0, [0.0; 3]), |(n, sum), p| {
        (n + 1.0, [0, 1, 2].map(|axis| sum[axis] + (p[axis] - first[axis])))
    });
    Some([0, 1, 2].map(|axis| first[axis] + sum[axis] / n))
}

/// The mean distance of the finite points from a plane.
fn mean_distance(plane: &Flat, points: impl Iterator<Item = [f64; 3]>) -> f64 {
    let (n, sum) =
        points.filter(finite).fold((0.0, 0.0), |(n, sum), p| (n + 1.0, sum + away(plane, p)));
    sum / n
}

#[cfg(test)]
mod tests {
    use super::super::surfaces::Surface;
    use super::*;

    /// A level plane at a height; its points are the corners of a square.
    fn level(height: f64, points: u64) -> Surface {
        let corners = [[0.0, 0.0], [2.0, 0.0], [0.0, 2.0], [2.0, 2.0]];
        let centroid = [1.0, 1.0, height];
        let flat = Flat { normal: [0.0, 0.0, 1.0], offset: height, centroid };
        Surface {
            flat: Some(flat),
            points,
            corners: corners.map(|[x, y]| [x, y, height]).to_vec(),
            ..Surface::default()
        }
    }

    fn side(planes: Vec<Surface>) -> Surfaces {
        Surfaces { planes, ..Surfaces::default() }
    }

    fn limits() -> Limits {
        Limits { angle: 1.0, distance: 0.25, iou: 0.75, overlap: 0.8, min_points: 1 }
    }

    #[test]
    fn the_nearest_is_taken_and_the_next_is_a_duplicate() {
        let truth = side(vec![level(0.0, 9), level(5.0, 8)]);
        let found = side(vec![level(0.25, 1), level(-0.125, 1), level(4.0, 1)]);
        let matching = Matching::new(&[], &truth, &found, &[true, true], (&limits(), true));
        let expected = Match { found: 1, angle: 0.0, distance: 0.125, offset: 0.125 };
        assert_eq!(matching.of_truth, [Some(expected), None]);
        assert_eq!(matching.of_found, [None, Some(0), None]);
        assert_eq!(matching.duplicate_of, [Some(0), None, None]);
        assert_eq!(matching.small, [false; 3]);
    }

    #[test]
    fn large_planes_choose_first_and_small_ones_are_not_asked() {
        let truth = side(vec![level(0.0, 5), level(0.25, 9), level(1.0, 1)]);
        let found = side(vec![level(0.125, 1), level(1.125, 1)]);
        let matching = Matching::new(&[], &truth, &found, &[true, true, false], (&limits(), true));
        assert_eq!(matching.of_found, [Some(1), None]);
        assert_eq!(matching.of_truth[0], None);
        assert_eq!(matching.of_truth[2], None);
        assert_eq!(matching.small, [false, true]);
        assert_eq!(matching.duplicate_of, [None, None]);
    }

    #[test]
    fn distance_is_the_mean_over_the_points_of_the_label() {
        let points: Vec<[f64; 3]> = vec![
            [0.0, 0.0, 0.5],
            [9.0, 9.0, 9.0],
            [1.0, 0.0, -0.25],
            [f64::NAN, 0.0, 0.0],
            [0.0, 1.0, 0.0],
        ];
        let mut truth = side(vec![level(0.0, 4)]);
        truth.labels = vec![0, -1, 0, 0, 0];
        let found = side(vec![level(0.0, 0), Surface { flat: None, ..level(0.0, 0) }]);
        let matching = Matching::new(&points, &truth, &found, &[true], (&limits(), true));
        let expected = Match { found: 0, angle: 0.0, distance: 0.25, offset: 0.0 };
        assert_eq!(matching.of_truth, [Some(expected)]);
        let strict = Limits { distance: 0.24, ..limits() };
        let of_truth = |is_given| {
            Matching::new(&points, &truth, &found, &[true], (&strict, is_given)).of_truth
        };
        assert_eq!(of_truth(true), [None]);
        // The true plane is as rough itself.
        assert_eq!(of_truth(false), [Some(expected)]);
    }

    #[test]
    fn angles_are_between_planes_not_normals() {
        assert_eq!(angle([0.0, 0.0, 1.0], [0.0, 0.0, -1.0]), 0.0);
        assert_eq!(angle([0.0, 0.0, 1.0], [1.0, 0.0, 0.0]), 90.0);
        let tiny = 1e-9f64;
        assert_eq!(angle([0.0, 0.0, 1.0], [tiny, 0.0, -1.0]), tiny.to_degrees());
    }
}
