//! A found plane and the pieces of its support.

use serde::{Deserialize, Serialize};

/// An area on a plane: one outer ring and its holes, vertices on the plane, in input coordinates.
///
/// Rings are closed implicitly (the first vertex is not repeated). Seen against the plane's normal, the outer
/// ring runs counter-clockwise and the holes clockwise.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Polygon {
    /// The outer ring.
    pub exterior: Vec<[f64; 3]>,
    /// The holes, none of which touch the outer ring or each other.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub holes: Vec<Vec<[f64; 3]>>,
}

/// A connected part of a plane's support.
///
/// Points are connected if less than about two cells of the outline's raster are between them; a cell is a
/// few times as wide as the spacing of the points. The outline runs within about one cell of the outermost
/// points, but does not turn aside to a single scattered one beside a well-covered edge.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Piece {
    /// Its label in `Detection::piece_labels`: the pieces of all planes are numbered from 0, plane
    /// after plane.
    pub id: u32,
    /// Points that belong to it.
    pub inliers: u64,
    /// Area of `boundary`, in the cloud's unit squared.
    pub area: f64,
    /// Its outline.
    pub boundary: Polygon,
}

/// A plane `normal · p = offset` and its measured properties.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Plane {
    /// Unit normal, pointing to the side that `Parameters::orient` says.
    pub normal: [f64; 3],
    /// `normal · p` of its points, in input coordinates and the cloud's unit.
    pub offset: f64,
    /// Azimuth of the normal in degrees, `0 ≤ θ < 360`.
    pub theta: f64,
    /// Polar angle of the normal in degrees, `0 ≤ φ ≤ 180`.
    pub phi: f64,
    /// Signed distance from the local origin (`Input::origin`), in the cloud's unit.
    pub rho: f64,
    /// Votes of the accumulator bin that proposed the plane.
    pub votes: u64,
    /// Evidence against chance: `−log10` of the number of such planes expected by chance, if the points that
    /// larger planes leave were strewn evenly over the box around the cloud.
    pub significance: f64,
    /// Points that belong to the plane.
    pub inliers: u64,
    /// Largest distance of an inlier, in the cloud's unit. It exceeds the usual tolerance for a plane that is
    /// not quite flat or lies in a rougher place (see `Parameters::widen`). In the frame of a depth camera,
    /// whose errors grow with the depth, it is three times the rms distance, and far points may exceed it; so
    /// may the waves of a surface that drifts.
    pub tolerance: f64,
    /// Root mean square distance of the inliers, in the cloud's unit.
    pub rmse: f64,
    /// Standard error of the normal's direction, in degrees, about the axis for which it is larger:
    /// `s / √(n λ)`, with `s² = n rmse² / (n − 3)` and `λ` the smaller of the two variances of the points
    /// within the plane.
    ///
    /// This and `offset_error` are the errors of a fit to `n` points whose noise is independent from point to
    /// point. They do not include errors that many points share, such as a wrong calibration or registration,
    /// or a surface that is not flat; with such errors the plane is off by more. Where coordinates are
    /// rounded, the error that points on the same step share is included: all of it if a level floor lies on one step, little
    /// of it on many steps or where the noise is wider than a step.
    ///
    /// `None` if the plane was not fitted to its points ([`Mode::OnePass`](crate::detect::Mode)), or if there
    /// are only three of them or they lie on one line.
    pub normal_error: Option<f64>,
    /// Standard error of the distance at `centroid`, in the cloud's unit: `s / √n`. Farther away the error of
    /// the normal adds to it. `None` together with `normal_error`.
    pub offset_error: Option<f64>,
    /// Mean of the inliers, in input coordinates.
    pub centroid: [f64; 3],
    /// Area covered by the inliers, in the cloud's unit squared: the sum over `pieces`.
    pub area: f64,
    /// The connected parts, largest area first. Every inlier belongs to one of them, except inliers with
    /// coordinates beyond 10¹⁵⁰, which belong to none.
    pub pieces: Vec<Piece>,
}

#[cfg(test)]
impl Plane {
    /// A plane through the origin with a normal and nothing else.
    pub(crate) fn with_normal(normal: [f64; 3]) -> Plane {
        Plane {
            normal,
            offset: 0.0,
            theta: 0.0,
            phi: 0.0,
            rho: 0.0,
            votes: 0,
            significance: 0.0,
            inliers: 0,
            tolerance: 0.0,
            rmse: 0.0,
            normal_error: None,
            offset_error: None,
            centroid: [0.0; 3],
            area: 0.0,
            pieces: Vec::new(),
        }
    }
}
