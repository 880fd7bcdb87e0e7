//! Frames of a depth camera of which some pixels are left, anywhere.
//!
//! Whoever thins a frame leaves holes, so that points are no longer one pixel from the next. Yet their columns and rows
//! stay: most cameras are at the origin of their points and look along an axis, and seen from there the places of all
//! points along either other axis are multiples of a step. Where points are moved across the view, as the means of voxels
//! are, the steps of their disparities still show.

use super::evenness::{OUTSIDE, Seen};
use super::viewpoint::Viewpoint;
use crate::gaps::{self, FEWEST, sorted};
use crate::surface::quantile::quantile;
use crate::vector::Vec3;
use std::iter;

/// Most points whose columns and rows are examined.
const MOST: usize = 1 << 13;
/// The ninth decile of the depths is at least so many times the first.
const RANGE: f64 = 1.1;
/// Gaps between columns, and between rows, are multiples of their step within this share of it.
const WITHIN: f64 = 0.1;
/// The same for disparities, which may have been rounded to depths in millimetres.
const OF_DISPARITIES: f64 = 0.25;
/// Depths that differ by less, in local steps, are the same.
const SAME: f64 = 16.0;
/// Steps of disparities are depths of at least this share of the usual number of points, …
const LARGE: f64 = 0.2;
/// … which is at least so many, …
const CROWD: f64 = 4.0;
/// … and this share of the points is at such depths.
const MOSTLY: f64 = 0.6;

/// The camera at the `home` of some of the points of a frame, if these lie in the columns and rows of its pixels, or if
/// their disparities come in steps.
pub(super) fn at_home(some: &[Vec3], home: Vec3) -> Option<Viewpoint> {
    let some = &some[..some.len().min(MOST)];
    (0..3).find_map(|axis| {
        let ahead = some.iter().filter(|p| p[axis] > home[axis]).count();
        let sign = if 2 * ahead > some.len() { 1.0 } else { -1.0 };
        let depth = |p: &Vec3| sign * (p[axis] - home[axis]);
        let before: Vec<Vec3> = some.iter().copied().filter(|p| depth(p) > 0.0).collect();
        if (some.len() - before.len()) * OUTSIDE > some.len() || before.is_empty() {
            return None;
        }
        let mut forward = [0.0; 3];
        forward[axis] = sign;
        let viewpoint = Viewpoint::new(home, forward, &Seen::new(&before));
        let depths = sorted(before.iter().map(depth));
        let [near, far] = [1, 9].map(|tenths| depths[depths.len() * tenths / 10]);
        if far < RANGE * near {
            return None;
        }
        let is_frame = are_pixels(&before, &depths, &viewpoint) || are_of_disparities(&depths);
        is_frame.then_some(viewpoint)
    })
}

/// Whether points lie in columns and in rows of a camera's image.
fn are_pixels(points: &[Vec3], depths: &[f64], viewpoint: &Viewpoint) -> bool {
    // At the middle depth, places are as precise as points are.
    let middle = viewpoint.depth_of_middle();
    let in_steps = |along: usize| {
        let places = sorted(points.iter().map(|&p| middle * viewpoint.image(p)[along]));
        gaps::step_of(&places, WITHIN, 1).is_some()
    };
    // Points on a few levels of a grid in space are in columns and rows, too.
    let levels = depths.chunk_by(|a, b| a == b).count();
    levels > FEWEST && in_steps(0) && in_steps(1)
}

/// Whether most of some ascending depths are such as disparities in equal steps give, though others, such as the means of
/// several points, lie between them.
fn are_of_disparities(depths: &[f64]) -> bool {
    let groups: Vec<&[f64]> = depths.chunk_by(|a, b| b - a < SAME).collect();
    // The usual number of points at the depth of a point.
    let sizes = groups.iter().flat_map(|group| iter::repeat_n(group.len() as f64, group.len()));
    let usual = quantile(&mut sizes.collect::<Vec<f64>>(), 0.5);
    let large: Vec<&[f64]> =
        groups.into_iter().filter(|group| group.len() as f64 >= LARGE * usual).collect();
    let in_large: usize = large.iter().map(|group| group.len()).sum();
    if usual < CROWD || (in_large as f64) < MOSTLY * depths.len() as f64 {
        return false;
    }
    let disparities: Vec<f64> = large.iter().rev().map(|group| 1.0 / group[0]).collect();
    let gaps = disparities.windows(2).map(|pair| pair[1] - pair[0]).collect();
    let are_equal = gaps::step(gaps, OF_DISPARITIES, 1).is_some();
    // Those of depths in equal steps are alike only where these are nearly the same.
    let depths = large.windows(2).map(|pair| pair[1][0] - pair[0][0]).collect();
    are_equal && gaps::step(depths, OF_DISPARITIES, 1).is_none()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mix::mixed;

    const HOME: Vec3 = [40_000.0, -90_000.0, 25_000.0];
    const FOCAL: f64 = 150.0;

    /// Some of the pixels of a floor and a wall, looked at along x, whose depths are changed by `of`.
    fn frame(of: impl Fn(f64) -> f64) -> Vec<Vec3> {
        let pixel = |i: u64| {
            let [right, down] = [i % 160, i / 160].map(|v| (v as f64 - 60.0) / FOCAL);
            let wall = 8e6 / (1.0 + 0.23 * right - 0.11 * down);
            let depth = of(wall.min(1.6e6 / down.max(1e-9)));
            [HOME[0] + depth, HOME[1] + right * depth, HOME[2] - down * depth].map(f64::round)
        };
        (0..160 * 120).filter(|&i| mixed(i).is_multiple_of(5)).map(pixel).collect()
    }

    #[test]
    fn columns_and_rows_tell_a_camera_at_home() {
        let points = frame(|depth| depth);
        let found = at_home(&points, HOME).unwrap();
        assert_eq!((found.eye(), found.ahead()), (HOME, [1.0, 0.0, 0.0]));
        let behind: Vec<Vec3> = points.iter().map(|p| [2.0 * HOME[0] - p[0], p[1], p[2]]).collect();
        assert_eq!(at_home(&behind, HOME).unwrap().ahead(), [-1.0, 0.0, 0.0]);
        assert_eq!(at_home(&points, HOME.map(|v| v + 30_000.0)), None);
    }

    /// The points of a frame, each off across the line of sight, so that only its depth is what it was.
    fn off(points: Vec<Vec3>) -> Vec<Vec3> {
        let moved = |(i, [x, y, z]): (usize, Vec3)| {
            let [a, b] = [0, 1].map(|salt| (mixed(2 * i as u64 + salt) % 40_000) as f64);
            [x, y + a, z + b]
        };
        points.into_iter().enumerate().map(moved).collect()
    }

    #[test]
    fn steps_of_disparities_tell_it_among_means() {
        let rounded = |depth: f64| 8e6 * 150.0 / (8e6 / depth * 150.0).round();
        let mut points = off(frame(rounded));
        assert_eq!(at_home(&points, HOME).unwrap().eye(), HOME);
        // A third of them are means of two.
        for i in (1..points.len()).step_by(3) {
            points[i][0] = (0.5 * (points[i][0] + points[i - 1][0])).round();
        }
        assert_eq!(at_home(&points, HOME).unwrap().eye(), HOME);
    }

    #[test]
    fn depths_in_equal_steps_tell_no_camera() {
        assert_eq!(at_home(&off(frame(|depth| (depth / 1e5).round() * 1e5)), HOME), None);
        assert_eq!(at_home(&off(frame(|depth| depth)), HOME), None);
    }

    #[test]
    fn a_grid_on_two_levels_was_seen_by_no_camera() {
        let point =
            |i: u64| [1e6 * (1 + i % 2) as f64, 2e4 * (i % 70) as f64, 2e4 * (i / 70) as f64];
        let points: Vec<Vec3> = (0..4900).map(point).collect();
        assert_eq!(at_home(&points, [0.0; 3]), None);
    }
}
