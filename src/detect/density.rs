//! How densely the points of planes lie on them.
//!
//! A wall that a scanner sees at a grazing angle has few points; the ground before it has thousands. Where
//! they meet, the wall would take as many points of the ground as points within the noise are nearer to it,
//! which may be more than its own.

use super::found::{FoundPlane, Support};
use super::lattice::Lattice;
use crate::surface::spread::Spread;
use crate::surface::surfels::Surfels;
use rayon::prelude::*;
use std::collections::HashSet;

/// Points of each plane per square step, from its surfels, whose base cells have the given edge.
pub(super) fn densities(surfels: &Surfels, found: &[FoundPlane], base: f64) -> Vec<f64> {
    found.par_iter().map(|found| density(surfels, &found.support, base)).collect()
}

/// Points of one plane per square step.
fn density(surfels: &Surfels, support: &Support, base: f64) -> f64 {
    let lattice = Lattice::new(&surfels.list, &support.surfels, support.normal, base);
    let (mut places, mut spread) = (HashSet::new(), Spread::default());
    for &i in &support.surfels {
        let surfel = &surfels.list[i as usize];
        places.extend(lattice.covered(surfel));
        spread.add(surfel.centroid, f64::from(surfel.weight));
    }
    // A rectangle is too large if the plane has holes, places are too large if it is narrow.
    let area = (places.len() as f64 * lattice.cell * lattice.cell).min(spread.area());
    spread.weight() / area.max(1.0)
}
