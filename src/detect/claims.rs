//! How strongly planes claim the points between them.
//!
//! A wall that a scanner sees at a grazing angle has few points; the ground before it has thousands. Where
//! they meet, the wall would take as many points of the ground as points within the noise are nearer to it,
//! which may be more than its own.

use super::found::{FoundPlane, Support};
use super::lattice::Lattice;
use super::sparse_grid::SparseGrid;
use crate::surface::plane::Claim;
use crate::surface::spread::Spread;
use crate::surface::surfels::{Surfel, Surfels};
use crate::vector::dot;
use rayon::prelude::*;

/// The claims of planes, from their surfels, whose base cells have the given edge. A measured tolerance tells the
/// standard deviation of points; with a given one (`obey`), the surfels tell it.
pub(super) fn claims(surfels: &Surfels, found: &[FoundPlane], base: f64, obey: bool) -> Vec<Claim> {
    let claim = |found: &FoundPlane| Claim {
        deviation: if obey { deviation(&surfels.list, &found.support) } else { f64::INFINITY },
        density: density(&surfels.list, &found.support, base),
    };
    found.par_iter().with_max_len(1).map(claim).collect()
}

/// Root mean square distance of the points from their plane.
fn deviation(surfels: &[Surfel], support: &Support) -> f64 {
    let (mut weight, mut squares) = (0.0, 0.0);
    for s in support.surfels.iter().map(|&i| &surfels[i as usize]) {
        let distance = dot(s.centroid, support.normal) - support.rho;
        weight += f64::from(s.weight);
        squares += f64::from(s.weight) * (distance * distance + s.variance_along(support.normal));
    }
    (squares / weight.max(1.0)).sqrt()
}

/// The densities of planes from those `before`, after some of them got other surfels (`changed`) and new ones were added.
pub(super) fn densities(
    surfels: &Surfels,
    (found, changed): (&[FoundPlane], &[usize]),
    mut before: Vec<f64>,
    base: f64,
) -> Vec<f64> {
    let known = before.len();
    before.resize(found.len(), 0.0);
    for i in changed.iter().copied().chain(known..found.len()) {
        before[i] = density(&surfels.list, &found[i].support, base);
    }
    before
}

/// Points per square step.
fn density(surfels: &[Surfel], support: &Support, base: f64) -> f64 {
    let lattice = Lattice::new(surfels, &support.surfels, support.normal, base);
    let (mut places, mut covered, mut spread) = (SparseGrid::new(), 0u64, Spread::default());
    for surfel in support.surfels.iter().map(|&i| &surfels[i as usize]) {
        for place in lattice.covered(surfel) {
            covered += u64::from(!std::mem::replace(places.at(place), true));
        }
        spread.add(surfel.centroid, f64::from(surfel.weight));
    }
    // A rectangle is too large if the plane has holes, places are too large if it is narrow.
    let area = (covered as f64 * lattice.cell * lattice.cell).min(spread.area());
    spread.weight().max(1.0) / area.max(1.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::surface::flat::Surface;

    /// The support of surfels of four points at places on a level plane.
    fn support(places: impl Iterator<Item = [f64; 2]>) -> (Surfels, Support) {
        let surface = Some(Surface::new([0.0, 0.0, 1.0], 0.01, 1.0, 0));
        let surfel = |([x, y], i): ([f64; 2], u32)| Surfel {
            centroid: [x, y, 5.0],
            scatter: [0.0, 0.0, 0.0, 0.0, 0.0, 4.0],
            weight: 4,
            surface,
            scale: 1.0,
            places: [i, i + 1],
        };
        let list: Vec<Surfel> = places.zip(0..).map(surfel).collect();
        let surfels = (0..list.len() as u32).collect();
        let support = Support { normal: [0.0, 0.0, 1.0], rho: 5.0, tolerance: 9.0, surfels };
        let cells = list.len();
        (Surfels::of(list, cells), support)
    }

    fn density_of(places: impl Iterator<Item = [f64; 2]>) -> f64 {
        let (surfels, support) = support(places);
        assert!((deviation(&surfels.list, &support) - 2.0).abs() < 1e-9);
        density(&surfels.list, &support, 10.0)
    }

    #[test]
    fn gaps_and_narrow_planes_do_not_dilute_points() {
        let grid = |columns: i32, rows: i32, x0: f64| {
            (0..columns * rows)
                .map(move |i| [x0 + 10.0 * f64::from(i % columns), 10.0 * f64::from(i / columns)])
        };
        let full = density_of(grid(60, 60, 0.0));
        assert!((full / 0.04 - 1.0).abs() < 0.2, "{full}");
        let apart = density_of(grid(60, 60, 0.0).chain(grid(60, 60, 9000.0)));
        assert!((apart / full - 1.0).abs() < 0.2, "{apart} and not {full}");
        // A strip two surfels wide.
        let strip = density_of(grid(300, 2, 0.0));
        assert!((0.7..1.7).contains(&(strip / full)), "{strip} and not {full}");
    }
}
