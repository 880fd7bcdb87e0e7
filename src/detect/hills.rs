//! Pieces of hills.
//!
//! Of a hillside, a slab takes a piece that fills it, although the ground itself is thin. Other slabs take other pieces, and a little
//! noise moves all of them.

use super::found::FoundPlane;
use super::plateau::landscape::HILLS;
use crate::surface::moments::Moments;
use crate::surface::surfels::Surfels;
use rayon::prelude::*;

/// A plane is thick if it is more than so many times as thick as the pieces of its surface.
const THICK: f64 = 1.5;

/// For each plane of a landscape with points of these sums, whether it is a piece of a hill: thicker than the surface there, and too
/// thick for its width.
pub(super) fn hilly(surfels: &Surfels, found: &[FoundPlane], sums: &[Moments]) -> Vec<bool> {
    let is_piece = |(found, sums): (&FoundPlane, &Moments)| {
        sums.fit().is_some_and(|fit| {
            let [thickness, width, _] = fit.variance.map(f64::sqrt);
            thickness > HILLS * width && thickness > THICK * own_thickness(surfels, found)
        })
    };
    found.par_iter().zip(sums).map(is_piece).collect()
}

/// How thick the pieces of a plane's surface are, root mean square. Those of one point do not tell.
fn own_thickness(surfels: &Surfels, found: &FoundPlane) -> f64 {
    let (mut squares, mut free) = (0.0, 0);
    for s in found.support.surfels.iter().map(|&i| &surfels.list[i as usize]) {
        squares += f64::from(s.weight) * s.variance_along(found.support.normal);
        free += u64::from(s.weight.saturating_sub(1));
    }
    (squares / free.max(1) as f64).sqrt()
}

#[cfg(test)]
mod tests {
    use super::super::found::Support;
    use super::super::testing::surfels;
    use super::*;
    use crate::frame::Points;
    use crate::vector::dot;

    /// Whether a plane through points with these heights, 60 x 60 in steps of 100, looks like a piece of a hill.
    fn is_hilly(height: impl Fn(f64, f64) -> f64) -> bool {
        let point = |i: i64| {
            let [x, y] = [100 * (i % 60) + i * 7919 % 97, 100 * (i / 60) + i * 104_729 % 89];
            [x, y, height(x as f64, y as f64) as i64 + i * 48_271 % 61]
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
        assert!(is_hilly(|x, y| 70.0 * hill(x, y)));
        // A slope with waves that are low for its width.
        assert!(!is_hilly(|x, y| 0.5 * x + 15.0 * hill(x, y)));
        // A roof that is as rough as the hills are high: what is thick is its surface.
        let rough = |x: f64, y: f64| ((12.9898 * x + 78.233 * y).sin() * 43_758.5).fract();
        assert!(!is_hilly(|x, y| 0.5 * x + 70.0 * rough(x, y)));
    }
}
