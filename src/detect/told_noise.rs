//! The noise that planes tell.
//!
//! Where neighbours share their noise, as on waves and with drift, the curve of thickness over size often leaves open how far whole
//! surfaces deviate from their planes, and the noise is then read with a reserve of several times. The planes that are found with it
//! tell more: slabs that are too wide hold them and little else, and slabs that are too narrow have been widened.

use super::ends;
use super::found::{Class, Findings, FoundPlane};
use crate::surface::cells::Cells;
use crate::surface::plane::LocalPlane;
use crate::surface::quantile::weighted_quantile;
use crate::vector::dot;
use rayon::prelude::*;

/// Surfaces deviate by what planes with this share of the points deviate by at most: some are rougher than most.
const SHARE: f64 = 0.75;
/// Planes tell how far surfaces deviate if they hold at least one in this many of the points.
const TELLING: u64 = 4;
/// Planes deviate by so many times the noise only if that was read too small, …
const LARGER: f64 = 2.0;
/// … their points rise by less than this, relative to how far they reach, as hills do not …
const LOW: f64 = 1.0 / 150.0;
/// … and it is at most so many times as large: as far as the slabs of planes are widened, by default.
const MOST: f64 = 5.0;
/// A cloud is curved if at least one in so many of its points is on curved surfaces.
const CURVED: u64 = 33;

/// By what factor the noise differs from the `noise` with which the planes of a class were found, in steps, as these tell: it is
/// smaller, but at least `least`, or much larger. As many points as `alike` share one error.
pub(super) fn share(class: &Class, cells: &Cells, [noise, least, alike]: [f64; 3]) -> Option<f64> {
    let Shape { deviation, height, weight } = shape(class);
    if weight * TELLING < cells.distinct {
        return None;
    }
    log::debug!("noise {noise:.3} steps, planes deviate by {deviation:.3}");
    if deviation > LARGER * noise {
        // Planes were widened: waves that are long against the neighbourhoods hardly make these thick.
        return (noise > 0.0 && height < LOW).then_some((deviation / noise).min(MOST));
    }
    let share = deviation.max(least) / noise;
    (share > 0.0 && share < 1.0 && !is_curved(class, cells, alike)).then_some(share)
}

/// Whether much of the cloud is curved: narrower slabs hold pieces of it that are too small to tell.
fn is_curved((surfels, Findings { found, curved, .. }): &Class, cells: &Cells, alike: f64) -> bool {
    let local: Vec<LocalPlane> = found.iter().map(|f| f.support.plane()).collect();
    let how = ends::How {
        alike,
        rough: None,
        hilly: &[],
        judges_small: false,
        is_even: false,
        has_facets: false,
        has_ridges: false,
    };
    let pieces = ends::pieces((cells, surfels), found, &local, how).arbitrary;
    let pieces = found.iter().zip(pieces).filter(|(_, is_piece)| *is_piece);
    let of_pieces: u64 = pieces.map(|(f, _)| surfels.weight(&f.support.surfels)).sum();
    (curved + of_pieces) * CURVED >= cells.distinct
}

/// How the points of planes lie about them, root mean square, and the number of these points.
struct Shape {
    /// How far they deviate from the planes, relative to the scale of the noise.
    deviation: f64,
    /// How high they rise above the planes and below, relative to how far they reach.
    height: f64,
    weight: u64,
}

/// How the points of planes lie about them: the upper quartiles over the points.
fn shape((surfels, findings): &Class) -> Shape {
    let of_plane = |found: &FoundPlane| {
        let (normal, rho) = (found.support.normal, found.support.rho);
        let (mut weight, mut scaled, mut squares) = (0, 0.0, 0.0);
        let (mut sum, mut all) = ([0.0; 3], 0.0);
        for s in found.support.surfels.iter().map(|&i| &surfels.list[i as usize]) {
            let (own, distance) = (f64::from(s.weight), dot(s.centroid, normal) - rho);
            let square = own * (distance * distance + s.variance_along(normal));
            weight += u64::from(s.weight);
            scaled += square / f64::from(s.scale).powi(2);
            squares += square;
            sum = std::array::from_fn(|a| sum[a] + own * s.centroid[a]);
            all += own * dot(s.centroid, s.centroid);
        }
        let points = weight.max(1) as f64;
        let mean = sum.map(|sum| sum / points);
        let reach = (all / points - dot(mean, mean)).max(1.0);
        Shape {
            deviation: (scaled / points).sqrt(),
            height: (squares / points / reach).sqrt(),
            weight,
        }
    };
    let shapes: Vec<Shape> = findings.found.par_iter().map(of_plane).collect();
    let quartile = |of: fn(&Shape) -> f64| {
        weighted_quantile(shapes.iter().map(|s| (of(s), s.weight)).collect(), SHARE)
    };
    Shape {
        deviation: quartile(|s| s.deviation),
        height: quartile(|s| s.height),
        weight: shapes.iter().map(|s| s.weight).sum(),
    }
}

#[cfg(test)]
mod tests {
    use super::super::found::Support;
    use super::super::testing::surfels;
    use super::*;
    use crate::frame::Points;

    #[test]
    fn planes_tell_that_the_noise_is_smaller_or_much_larger() {
        let height = |i: i64| 50.0 * ((i % 200) as f64 / 200.0 * std::f64::consts::TAU).sin();
        let point = |i: i64| {
            let [x, y] = [100 * (i % 200) + i * 7919 % 97, 100 * (i / 200) + i * 104_729 % 89];
            [x as f64, y as f64, height(i)].map(|v| v as f32)
        };
        let points: Points = (0..40_000).map(point).collect();
        let (cloud, surfels) = surfels(&points, 10.0);
        let all = (0..surfels.list.len() as u32).collect();
        let normal = [0.0, 0.0, 1.0];
        let support = Support { normal, rho: 0.0, tolerance: 1500.0, surfels: all };
        let found = vec![FoundPlane { votes: 1, support }];
        let class = (surfels, Findings { found, ..Findings::default() });
        let deviation = shape(&class).deviation;
        let told = |noise: f64| share(&class, &cloud.cells, [noise * deviation, 0.0, 1.0]);
        let near = |told: Option<f64>, times: f64| (told.unwrap() / times - 1.0).abs() < 1e-9;
        assert!(near(told(2.0), 0.5) && near(told(1.0 / 3.0), 3.0) && near(told(0.1), MOST));
        assert_eq!(told(1.0 / 1.5), None);
        // Hills are higher.
        let mut hills = class;
        hills.0.list.iter_mut().for_each(|s| s.centroid[2] *= 3.0);
        let steps = shape(&hills).deviation;
        assert_eq!(share(&hills, &cloud.cells, [steps / 3.0, 0.0, 1.0]), None);
    }

    #[test]
    fn planes_tell_how_far_surfaces_deviate() {
        // A wavy floor, and one a fourth as large that is even.
        let height = |i: i64| match i {
            0..40_000 => 500.0 * ((i % 200) as f64 / 200.0 * std::f64::consts::TAU).sin(),
            _ => 0.0,
        };
        let point = |i: i64| {
            let [x, y] = [100 * (i % 200) + i * 7919 % 97, 100 * (i / 200) + i * 104_729 % 89];
            [x as f64, y as f64, height(i) + (i * 48_271 % 31) as f64].map(|v| v as f32)
        };
        let points: Points = (0..50_000).map(point).collect();
        let (cloud, surfels) = surfels(&points, 10.0);
        let floor = |of: &dyn Fn(f64) -> bool| {
            let is_in = |&i: &u32| of(surfels.list[i as usize].centroid[1]);
            let surfels = (0..surfels.list.len() as u32).filter(is_in).collect();
            let support =
                Support { normal: [0.0, 0.0, 1.0], rho: 15.0, tolerance: 1500.0, surfels };
            FoundPlane { votes: 1, support }
        };
        let [wavy, even] = [floor(&|y| y < 20_000.0), floor(&|y| y >= 20_000.0)];
        let class =
            |found: Vec<FoundPlane>| (surfels.clone(), Findings { found, ..Findings::default() });
        let deviation = |found: Vec<FoundPlane>| shape(&class(found)).deviation;
        let both = deviation(vec![even.clone(), wavy.clone()]);
        assert!((both / (500.0 / 2f64.sqrt()) - 1.0).abs() < 0.02, "{both}");
        let alone = deviation(vec![even.clone()]);
        assert!((alone / (31.0 / 12f64.sqrt()) - 1.0).abs() < 0.05, "{alone}");
        // The planes hold too little.
        let share = |found| share(&class(found), &cloud.cells, [2.0 * both, 0.0, 1.0]);
        assert!(share(vec![wavy.clone()]).is_some());
        assert_eq!(share(vec![even.clone()]), None);
        assert_eq!(share(Vec::new()), None);
        // Where the noise is said to be twice as large, the same distances are half as much of it.
        let mut rough = class(vec![even]);
        rough.0.list.iter_mut().for_each(|s| s.scale = 2.0);
        let half = shape(&rough).deviation;
        assert!((half / alone - 0.5).abs() < 1e-6, "{half}");
    }
}
