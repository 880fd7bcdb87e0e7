//! Pieces of hills.
//!
//! Of a hillside, a slab takes a piece that fills it, although the ground itself is thin. Other slabs take other pieces, and a little
//! noise moves all of them.

use super::found::FoundPlane;
use crate::surface::moments::Moments;
use crate::surface::surfels::Surfels;
use crate::vector::Vec3;
use rayon::prelude::*;

/// A plane that is thick for other reasons than its surface is as thick as a piece of a hill if that exceeds this share of its width, …
const HILLS: f64 = 0.01;
/// … and if it is more than so many times as thick as the pieces of its surface.
const THICK: f64 = 1.5;
/// Fewer points, beyond one in each of these pieces, do not tell how thick they are.
const FEWEST: u64 = 10;

/// For each plane of a landscape with points of these sums, whether it is as thick as a piece of a hill.
pub(super) fn hilly(surfels: &Surfels, found: &[FoundPlane], sums: &[Moments]) -> Vec<bool> {
    let is_hilly = |(found, sums): (&FoundPlane, &Moments)| {
        let Some(fit) = sums.fit() else { return false };
        let [thickness, width, _] = fit.variance.map(f64::sqrt);
        own_thickness(surfels, &found.support.surfels, fit.normal).is_some_and(|own| {
            let beyond = (thickness * thickness - own * own).max(0.0).sqrt();
            beyond > HILLS * width && thickness > THICK * own
        })
    };
    found.par_iter().zip(sums).map(is_hilly).collect()
}

/// How thick the pieces of a plane's surface, some surfels, are along its normal, root mean square; `None` if too few points tell.
pub(super) fn own_thickness(surfels: &Surfels, own: &[u32], normal: Vec3) -> Option<f64> {
    let (mut squares, mut free) = (0.0, 0);
    for s in own.iter().map(|&i| &surfels.list[i as usize]) {
        squares += f64::from(s.weight) * s.variance_along(normal);
        free += u64::from(s.weight.saturating_sub(1));
    }
    (free >= FEWEST).then(|| (squares / free as f64).sqrt())
}

#[cfg(test)]
mod tests {
    use super::super::found::Support;
    use super::super::testing::surfels;
    use super::*;
    use crate::frame::Points;
    use crate::vector::dot;

    /// Whether a plane through points with these heights and noise of so many steps, 60 x 60 at intervals of 100, is as thick as a hill.
    fn is_hilly(noise: i64, height: impl Fn(f64, f64) -> f64) -> bool {
        let point = |i: i64| {
            let [x, y] = [100 * (i % 60) + i * 7919 % 97, 100 * (i / 60) + i * 104_729 % 89];
            [x, y, height(x as f64, y as f64) as i64 + i * 48_271 % (noise + 1)]
        };
        let mut sums = Moments::default();
        (0..3600).for_each(|i| sums.add(point(i)));
        let points: Points = (0..3600).map(|i| point(i).map(|v| v as f32)).collect();
        let (_, surfels) = surfels(&points, 20.0);
        let fit = sums.fit().unwrap();
        let all = (0..surfels.list.len() as u32).collect();
        let support = Support {
            normal: fit.normal,
            rho: dot(fit.normal, fit.centroid),
            tolerance: 1e4,
            surfels: all,
        };
        hilly(&surfels, &[FoundPlane { votes: 1, support }], &[sums])[0]
    }

    #[test]
    fn hills_are_thicker_than_the_ground_and_roofs_are_not() {
        let hill = |x: f64, y: f64| ((x / 1500.0).sin() + (y / 1100.0).cos()) / 2f64.sqrt();
        assert!(is_hilly(60, |x, y| 70.0 * hill(x, y)));
        // A slope with waves that are low for its width.
        assert!(!is_hilly(6, |x, y| 0.5 * x + 15.0 * hill(x, y)));
        assert!(is_hilly(6, |x, y| 0.5 * x + 45.0 * hill(x, y)));
        // A roof that is as rough as the hills are high: what is thick is its surface.
        let rough = |x: f64, y: f64| ((12.9898 * x + 78.233 * y).sin() * 43_758.5).fract();
        assert!(!is_hilly(60, |x, y| 0.5 * x + 70.0 * rough(x, y)));
    }

    #[test]
    fn a_plane_whose_surface_too_few_points_show_is_no_hill() {
        let points: Points = (0..8).map(|i| [1e4 * i as f32, (i * i) as f32, 0.0]).collect();
        let (_, surfels) = surfels(&points, 20.0);
        let all = (0..surfels.list.len() as u32).collect();
        let support = Support { normal: [0.0, 0.0, 1.0], rho: 0.0, tolerance: 1e4, surfels: all };
        let found = FoundPlane { votes: 1, support };
        assert_eq!(own_thickness(&surfels, &found.support.surfels, [0.0, 0.0, 1.0]), None);
    }
}
