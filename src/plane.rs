//! A found plane and its outline.

use serde::{Deserialize, Serialize};

/// An area on a plane: one outer ring and its holes, vertices on the plane, in input coordinates.
///
/// Rings are closed implicitly (the first vertex is not repeated). Seen against the plane's
/// normal the outer ring runs counter-clockwise and the holes clockwise.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Polygon {
    /// The outer ring.
    pub exterior: Vec<[f64; 3]>,
    /// The holes, none of which touch the outer ring or each other.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub holes: Vec<Vec<[f64; 3]>>,
}

/// A plane `normal · p = offset` with what was measured of it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Plane {
    /// Unit normal; its sign is canonical: the offset about the local origin is not negative.
    pub normal: [f64; 3],
    /// `normal · p` of its points, in input coordinates and the cloud's unit.
    pub offset: f64,
    /// Azimuth of the normal in degrees, `0 ≤ θ < 360`.
    pub theta: f64,
    /// Polar angle of the normal in degrees, `0 ≤ φ ≤ 180`.
    pub phi: f64,
    /// Signed distance from the local origin (`Report::origin`), in the cloud's unit.
    pub rho: f64,
    /// Votes of the accumulator bin that proposed the plane.
    pub votes: u64,
    /// What speaks against chance: `−log10` of the number of such planes that the same number of
    /// points, strewn evenly over the box around the cloud, would be expected to make.
    pub significance: f64,
    /// Points that belong to the plane.
    pub inliers: u64,
    /// Largest distance of an inlier, in the cloud's unit. A plane that is not quite flat, or
    /// in a rougher place, has more than the usual tolerance (see `Parameters::widen`).
    pub tolerance: f64,
    /// Root mean square distance of the inliers, in the cloud's unit.
    pub rmse: f64,
    /// Mean of the inliers, in input coordinates.
    pub centroid: [f64; 3],
    /// Area covered by the inliers, in the cloud's unit squared: the sum over `boundary`.
    pub area: f64,
    /// Outlines of the connected parts, largest first.
    pub boundary: Vec<Polygon>,
}
