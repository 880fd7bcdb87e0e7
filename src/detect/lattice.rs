//! Surfels on a plane, dropped onto a lattice.

use crate::surface::surfels::{Surfel, closing_edge};
use crate::vector::{Vec3, axes, dot};

/// A square lattice on a plane.
pub(super) struct Lattice {
    u: Vec3,
    v: Vec3,
    /// Edge of the base cells.
    base: f64,
    /// Edge of a place.
    pub cell: f64,
}

impl Lattice {
    /// A lattice for the surfels of `set`, as coarse as nine tenths of them need, for base cells of edge
    /// `base`.
    pub fn new(surfels: &[Surfel], set: &[u32], normal: Vec3, base: f64) -> Lattice {
        let (u, v) = axes(normal);
        Lattice { u, v, base, cell: closing_edge(surfels, set, base) }
    }

    /// The places that a surfel covers.
    pub fn covered(&self, surfel: &Surfel) -> impl Iterator<Item = (i64, i64)> {
        let (u, v) = self.place(surfel.centroid);
        // As wide as a square with the area of its base cells.
        let reach = (0.5 * f64::from(surfel.cells()).sqrt() * self.base / self.cell).round() as i64;
        (-reach..=reach).flat_map(move |a| (-reach..=reach).map(move |b| (u + a, v + b)))
    }

    /// The place of a point.
    pub fn place(&self, p: Vec3) -> (i64, i64) {
        ((dot(p, self.u) / self.cell).floor() as i64, (dot(p, self.v) / self.cell).floor() as i64)
    }
}
