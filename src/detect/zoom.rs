//! Zoom: the vote in a small, fine space around a plane.
//!
//! The two sides of a board make one peak in the coarse space, and the least-squares plane through both is
//! oblique to them. With directions a fraction of a degree apart and bins as fine as the noise, each side is
//! a peak of its own.

use crate::Result;
use crate::backend::{Backend, Weighted};
use crate::space::{RhoAxis, Space};
use crate::surface::surfels::Surfel;
use crate::vector::{Vec3, axes, dot, minus, normalized};

/// Directions to either side, along two axes.
const STEPS: i32 = 10;
/// Largest angle between neighbours, as a tangent: 0.3 degrees.
const STEP: f64 = 0.00524;
/// Bins of a slab, each as wide as half the noise.
const SLAB: usize = 6;

/// The plane near a given one whose slab, three times the noise thick, holds most of a set of surfels; of
/// equals the first.
///
/// # Errors
/// If the device fails.
pub(super) fn densest(
    backend: &dyn Backend,
    surfels: &[Surfel],
    set: &[u32],
    middle: Vec3,
    normal: Vec3,
    noise: f64,
) -> Result<Option<(Vec3, f64)>> {
    let places: Vec<Weighted> = set
        .iter()
        .map(|&i| &surfels[i as usize])
        .map(|s| Weighted { at: minus(s.centroid, middle).map(|v| v as f32), weight: s.weight })
        .collect();
    let at = |place: &Weighted| place.at.map(f64::from);
    let along = |place: &Weighted| dot(at(place), normal).abs();
    let length = |place: &Weighted| dot(at(place), at(place)).sqrt();
    let extent = places.iter().map(length).fold(noise, f64::max);
    // From one direction to the next the farthest place moves by the noise, or less.
    let step = STEP.min(noise / extent);
    // As far as the farthest place gets in the farthest direction.
    let radius = step * f64::from(STEPS) * extent + places.iter().map(along).fold(noise, f64::max);
    let axis = RhoAxis::symmetric(radius, noise / 2.0);
    let Ok(space) = Space::new(directions(normal, step), axis) else { return Ok(None) };
    let Some((k, r)) = backend.densest_slab(&space, &places, SLAB)? else { return Ok(None) };
    let normal = space.directions()[k];
    let first = space.rho().centre(r as u32);
    let rho = first + 0.5 * (SLAB - 1) as f64 * space.rho().bin;
    Ok(Some((normal, rho + dot(normal, middle))))
}

/// The directions within a few steps of one.
fn directions(normal: Vec3, step: f64) -> Vec<Vec3> {
    let (u, v) = axes(normal);
    (-STEPS..=STEPS)
        .flat_map(|a| (-STEPS..=STEPS).map(move |b| (a, b)))
        .filter(|(a, b)| a * a + b * b <= STEPS * STEPS)
        .map(|(a, b)| [f64::from(a) * step, f64::from(b) * step])
        .map(|[a, b]| normalized(std::array::from_fn(|i| normal[i] + a * u[i] + b * v[i])))
        .collect()
}
