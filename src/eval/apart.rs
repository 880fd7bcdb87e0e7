//! Whether two clouds, point by point, lie in the same place.

use crate::vector::{Vec3, dot, minus};

/// Points that are all moved by less than this share of the cloud's diagonal lie in the same place. …
const HARDLY: f64 = 1e-4;
/// … (Of fewer points than this, such as two corners, chance may move all by as much: there, [`FAR`] is the share.) …
const FEW: usize = 10;
/// … So do points that are moved by less than this many times what is left when that is undone, …
const BY_CHANCE: f64 = 10.0;
/// … unless that is more than this share of the diagonal, …
const FAR: f64 = 0.01;
/// … and more than so much of a coordinate: a step of 32-bit floats.
const FLOAT: f64 = f32::EPSILON as f64;

/// How the points of a result lie to those of its truth.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Apart {
    /// All are moved by this vector.
    Moved([f64; 3]),
    /// They lie elsewhere, each by itself: they are in another order, turned, or those of another cloud.
    Elsewhere,
}

/// How `found` points lie to `truth`; `None` if they lie in the same place, but for noise and rounding. Points that are not
/// finite are passed over.
pub(super) fn apart(found: &[Vec3], truth: &[Vec3]) -> Option<Apart> {
    let is_finite = |(a, b): &(&Vec3, &Vec3)| a.iter().chain(*b).all(|v| v.is_finite());
    let pairs = || found.iter().zip(truth).filter(is_finite);
    let steps = || pairs().map(|(found, truth)| minus(*found, *truth));
    let n = pairs().count();
    let hardly = if n < FEW { FAR } else { HARDLY };
    let n = n.max(1) as f64;
    let sum = steps().fold([0.0; 3], |sum, step| std::array::from_fn(|a| sum[a] + step[a]));
    let moved = sum.map(|v| v / n);
    let left = steps().map(|step| length(minus(step, moved)).powi(2)).sum::<f64>() / n;
    let left = left.sqrt();
    let [low, high] = bounds(truth);
    let diagonal = length(minus(high, low));
    let size = found.iter().chain(truth).flatten().filter(|v| v.is_finite());
    let step = FLOAT * size.fold(0.0_f64, |most, v| most.max(v.abs()));
    if length(moved) > (hardly * diagonal).max(BY_CHANCE * left).max(step) {
        return Some(Apart::Moved(moved));
    }
    (left > (FAR * diagonal).max(step)).then_some(Apart::Elsewhere)
}

/// The smallest and the largest coordinates of points; those that are not finite are passed over.
pub(super) fn bounds(points: &[Vec3]) -> [Vec3; 2] {
    let finite = || points.iter().filter(|p| p.iter().all(|v| v.is_finite()));
    let extreme = |start: f64, of: fn(f64, f64) -> f64| {
        finite().fold([start; 3], |to, p| std::array::from_fn(|a| of(to[a], p[a])))
    };
    [extreme(f64::INFINITY, f64::min), extreme(f64::NEG_INFINITY, f64::max)]
}

fn length(v: Vec3) -> f64 {
    dot(v, v).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cloud(point: impl Fn(Vec3) -> Vec3) -> Vec<Vec3> {
        let coordinate = |i: u32, k: u32| f64::from(i.wrapping_mul(k) % 10_007) / 1000.0;
        (1..500).map(|i| point([48_271, 69_621, 16_807].map(|k| coordinate(i, k)))).collect()
    }

    #[test]
    fn what_was_moved_or_reordered_is_told_from_what_was_rounded() {
        let truth = cloud(|p| p);
        assert_eq!(apart(&truth, &truth), None);
        let rounded = cloud(|p| p.map(|v| (v * 5.0).floor() / 5.0));
        assert_eq!(apart(&rounded, &truth), None);
        let moved = cloud(|[x, y, z]| [x + 4.0, y, z - 0.5]);
        assert_eq!(apart(&moved, &truth), Some(Apart::Moved([4.0, 0.0, -0.5])));
        let mut reversed = truth.clone();
        reversed.reverse();
        assert_eq!(apart(&reversed, &truth), Some(Apart::Elsewhere));
        assert_eq!(apart(&cloud(|[x, y, z]| [y, x, z]), &truth), Some(Apart::Elsewhere));
    }

    #[test]
    fn survey_coordinates_may_be_in_floats_and_points_missing() {
        let survey = |[x, y, z]: Vec3| [x + 500_000.0, y + 5_800_000.0, z];
        let truth = cloud(survey);
        let floats = cloud(|p| survey(p).map(|v| f64::from(v as f32)));
        assert_eq!(apart(&floats, &truth), None);
        // Two corners may be rounded alike.
        let corners = [[0.0; 3], [12.0, 9.0, 3.0]].map(survey);
        let rounded = corners.map(|[x, y, z]| [x, y + 0.5, z + 0.005]);
        assert_eq!(apart(&rounded, &corners), None);
        let down = [[0.0; 3], [12.0, 9.0, 3.0]].map(|p| p.map(|v| v + 0.006));
        assert_eq!(apart(&down, &[[0.0; 3], [12.0, 9.0, 3.0]]), None);
        let mut holed = truth.clone();
        holed[3] = [f64::NAN; 3];
        holed[4][1] = f64::INFINITY;
        assert_eq!(apart(&holed, &truth), None);
        assert_eq!(apart(&[[f64::NAN; 3]], &[[0.0; 3]]), None);
        assert_eq!(apart(&[], &[]), None);
    }
}
