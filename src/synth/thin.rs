//! Thinning to one point per voxel.

use super::options::Voxel;
use super::sampler::Drawn;
use super::vector::{Vec3, plus, scaled};
use rayon::prelude::*;

/// Thins points to one per voxel, in the order of the voxels' first points.
///
/// The remaining point has the most frequent label of the voxel's points, the lowest if several are equal, and
/// the appearance of the first point.
pub(super) fn thinned(points: &[Drawn], voxel: Voxel) -> Vec<Drawn> {
    let place = |p: Vec3| p.map(|v| (v / voxel.edge).floor() as i64);
    let mut order: Vec<([i64; 3], usize)> =
        points.iter().enumerate().map(|(i, point)| (place(point.position), i)).collect();
    order.par_sort_unstable();
    let mut kept: Vec<(usize, Drawn)> = Vec::new();
    for group in order.chunk_by(|a, b| a.0 == b.0) {
        let (place, first) = group[0];
        let members = group.iter().map(|&(_, i)| &points[i]);
        let position = match voxel.mean {
            true => {
                let sum = members.clone().fold([0.0; 3], |sum, point| plus(sum, point.position));
                scaled(sum, 1.0 / group.len() as f64)
            }
            false => place.map(|v| (v as f64 + 0.5) * voxel.edge),
        };
        let label = commonest(members.map(|point| point.label).collect());
        kept.push((first, Drawn { position, label, ..points[first] }));
    }
    kept.par_sort_unstable_by_key(|&(first, _)| first);
    kept.into_iter().map(|(_, point)| point).collect()
}

/// The most frequent label.
fn commonest(mut labels: Vec<i32>) -> i32 {
    labels.sort_unstable();
    let mut best = (0, -1);
    for run in labels.chunk_by(|a, b| a == b) {
        if run.len() > best.0 {
            best = (run.len(), run[0]);
        }
    }
    best.1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_voxel_has_one_point() {
        let point = |x: f64, label: i32| Drawn {
            position: [x, 0.25, -0.25],
            colour: [label as u8; 3],
            intensity: 0,
            label,
        };
        let points = [point(1.5, 1), point(0.25, 7), point(1.25, 0), point(1.75, 0)];
        let middles = thinned(&points, Voxel { edge: 1.0, mean: false });
        let seen: Vec<_> = middles.iter().map(|p| (p.position, p.label, p.colour[0])).collect();
        assert_eq!(seen, [([1.5, 0.5, -0.5], 0, 1), ([0.5, 0.5, -0.5], 7, 7)]);
        let means = thinned(&points, Voxel { edge: 1.0, mean: true });
        assert_eq!(means[0].position, [1.5, 0.25, -0.25]);
    }
}
