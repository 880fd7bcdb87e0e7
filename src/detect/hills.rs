//! Pieces of hills.
//!
//! A slab takes a piece of a hillside that is as thick as the slab is wide, although the surface itself is thin. Where the piece ends is
//! of chance, and other slabs take the rest.

use super::found::FoundPlane;
use super::plateau::landscape::HILLS;
use crate::surface::moments::Moments;
use crate::surface::surfels::{Surfel, Surfels};
use rayon::prelude::*;

/// A plane is thick if it is more than so many times as thick as the pieces of its surface.
const THICK: f64 = 2.0;

/// For each plane of a landscape with points of these sums, whether it is a piece of a hill: thicker than the surface there, and too
/// thick for its width.
pub(super) fn pieces(surfels: &Surfels, found: &[FoundPlane], sums: &[Moments]) -> Vec<bool> {
    let is_piece = |(found, sums): (&FoundPlane, &Moments)| {
        sums.fit().is_some_and(|fit| {
            let [thickness, width, _] = fit.variance.map(f64::sqrt);
            thickness > HILLS * width && thickness > THICK * own_thickness(surfels, found)
        })
    };
    found.par_iter().zip(sums).map(is_piece).collect()
}

/// How thick the pieces of a plane's surface are, root mean square.
fn own_thickness(surfels: &Surfels, found: &FoundPlane) -> f64 {
    let own = found.support.surfels.iter().map(|&i| &surfels.list[i as usize]);
    let thin = |s: &Surfel| {
        let normal = s.surface.map_or(found.support.normal, |surface| surface.normal());
        f64::from(s.weight) * s.variance_along(normal)
    };
    let weight = surfels.weight(&found.support.surfels).max(1) as f64;
    (own.map(thin).sum::<f64>() / weight).sqrt()
}
