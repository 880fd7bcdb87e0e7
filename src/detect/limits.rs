//! What makes a plane.

use crate::vector::Vec3;

/// Inliers lie within this many standard deviations of their plane.
pub(super) const SIGMAS: f64 = 3.0;
/// A tolerance below this many steps would be finer than the local coordinates.
pub(super) const MIN_STEPS: f64 = 2.0;
/// Slabs for planes that may not be quite flat, in multiples of the tolerance.
pub(super) const SLABS: &[f64] = &[1.0, 1.5, 2.25, 3.4, 5.0];

/// What makes a plane; lengths in steps.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Limits {
    /// Largest distance of an inlier.
    pub tolerance: f64,
    /// Largest angle between the normals of an inlier and of its plane, in radians.
    pub angle: f64,
    /// Fewest distinct points of its largest part.
    pub min_inliers: u64,
    /// Edge of a base cell.
    pub cell: f64,
    /// Whether the tolerance was given: a surface that lies within it is then a plane, whatever its shape.
    pub obey: bool,
    /// Whether pieces of curved surfaces count as planes.
    pub facets: bool,
    /// Whether the noise of neighbours is correlated.
    pub alike: bool,
    /// Whether ridges are those of faces.
    pub ridges: bool,
    /// Whether the noise is the same everywhere.
    pub even: bool,
    /// Surfaces that are thicker are of a rougher kind, and planes grow over one kind.
    pub rough: Option<f64>,
    /// Whether this is a landscape, which falls into pieces of hills.
    pub landscape: bool,
    /// Whether the points are drawn in a depth camera's view.
    pub as_seen: bool,
    /// Where the spinning scanner stood, in local coordinates, if the points are rings and points between rings.
    pub scanner: Option<Vec3>,
    /// Slabs in which a plane is tried, in multiples of the tolerance, ascending.
    pub slabs: &'static [f64],
}
