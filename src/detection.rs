//! The result of a detection, as the exporters take it and as its JSON document is laid out.

use crate::cloud::{Choice, Crs};
use crate::lms::Refine;
use crate::orient::Orient;
use crate::plane::Plane;
use crate::space::Directions;
use serde::{Deserialize, Serialize};

/// Version of the JSON document; it grows when a reader of the old layout would misread the new.
pub const FORMAT_VERSION: u32 = 1;

/// What was read.
///
/// The file's name and format are not kept: the same points give the same document, except for the coordinate
/// system, which not every format can name.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Input {
    /// Points in the file.
    pub points: u64,
    /// Of these, points that were not to be searched ([`Parameters::choice`]): label `-1`.
    #[serde(default)]
    pub not_chosen: u64,
    /// Of the others, points with a coordinate that is not finite, and those that an E57 marks as
    /// invalid: skipped, label `-1`.
    pub not_finite: u64,
    /// Of the others, points so far from the rest that they are not part of the cloud: label `-1`.
    pub stray: u64,
    /// Smallest coordinates of the points that were used.
    pub min: [f64; 3],
    /// Largest coordinates of the points that were used.
    pub max: [f64; 3],
    /// The local origin that is subtracted before anything is rounded.
    pub origin: [f64; 3],
    /// Local coordinates are rounded to multiples of this power of two, in the cloud's unit.
    pub step: f64,
    /// The coordinate system, where the file names one.
    #[serde(default)]
    pub crs: Option<Crs>,
}

impl Input {
    /// Points that were to be searched.
    pub fn chosen(&self) -> u64 {
        self.points.saturating_sub(self.not_chosen)
    }

    /// Whether every point of the file was used.
    pub(crate) fn are_all_used(&self) -> bool {
        [self.not_chosen, self.not_finite, self.stray] == [0; 3]
    }

    /// Those of them that have coordinates.
    pub fn searched(&self) -> u64 {
        self.chosen().saturating_sub(self.not_finite)
    }
}

/// The parameters of a detection, with defaults resolved, so that it can be repeated.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Parameters {
    /// The directions that were voted for: `ball:2`, `polar:180x180`.
    pub directions: Directions,
    /// Width of a bin of `ρ`, in the cloud's unit.
    pub rho_bin: f64,
    /// Measured roughness of flat places: the root mean square distance of their points from a plane; 0 if it
    /// was not measured.
    pub noise: f64,
    /// Measured distance between neighbouring points on flat places, in the cloud's unit; 0 if it was not
    /// measured.
    pub spacing: f64,
    /// Edge of the smallest neighbourhoods whose surface was judged, in the cloud's unit. Smaller ones show
    /// steps of the coordinates, or noise that is correlated between neighbours. 0 if surfaces were not
    /// examined.
    pub scale: f64,
    /// Mean number of points of a cluster, in clouds that hold every point several times; 1 in others. The
    /// search takes one point of each cluster, and what it measures holds for these.
    pub copies: f64,
    /// Number of rings of points that the lasers of a spinning scanner left, if the search put points between them; 0 in
    /// other clouds. What was measured holds for the points and those between, which also vote; `min_inliers` counts
    /// the points of the cloud.
    #[serde(default)]
    pub rings: usize,
    /// Standard deviation that rounding adds to the coordinates, in the cloud's unit; 0 if they are not
    /// rounded, or if it was not measured.
    pub rounding: f64,
    /// Approximate viewpoint of a depth camera's frame. Such a frame was searched in the camera's view:
    /// lengths among the parameters are those at its usual depth (the median, or less if much is nearer), and
    /// angles those in the view. `None` for all other clouds, and if the tolerance was given.
    #[serde(default)]
    pub viewpoint: Option<[f64; 3]>,
    /// Position of the camera whose pixels the points are, in input coordinates; `None` if they are no grid of pixels.
    /// Planes of such a frame are divided where the camera sees through between their parts.
    #[serde(default)]
    pub camera: Option<[f64; 3]>,
    /// Largest distance of an inlier from its plane, in the cloud's unit.
    pub tolerance: f64,
    /// Planes that are not quite flat get up to this many times the tolerance, and rougher places one in
    /// proportion to their noise; 1 turns both off.
    pub widen: f64,
    /// Largest angle between the surface at a place and its plane, in degrees; 0 if surfaces were not
    /// examined.
    pub angle: f64,
    /// Angle around its normal within which a surface votes, in degrees; 0 if every point voted for every
    /// direction.
    pub spread: f64,
    /// Fewest votes of a peak.
    pub min_votes: u64,
    /// Fewest inliers of a plane.
    pub min_inliers: u64,
    /// How planes were refined on their points.
    pub refine: Refine,
    /// The side of a plane to which its normal points.
    pub orient: Orient,
    /// What is done with pieces of curved surfaces, rounded edges and slices of clutter.
    #[serde(default)]
    pub curved: Curved,
    /// Most planes reported, if limited.
    pub top: Option<u64>,
    /// Smallest area of a plane, if limited.
    #[serde(default)]
    pub min_area: Option<f64>,
    /// Which points were searched.
    #[serde(default)]
    pub choice: Choice,
}

/// What is done with pieces of curved surfaces (a column, a ball, a vault, terrain), with edges that averaging may have rounded, and with
/// slices of foliage and clutter.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Curved {
    /// They are not planes.
    #[default]
    Grey,
    /// Each is a plane, as wide as the tolerance allows.
    Facets,
}

/// Why a candidate with enough votes is not a plane.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Reason {
    /// Too few connected points lie along it.
    TooSmall,
    /// Most points in its slab, on or next to its surface, do not lie along it.
    Mixed,
    /// Its surface is curved, like that of a column or a ball, or it is an arbitrary piece of a larger one, such as
    /// terrain.
    Round,
    /// It is a strip along an edge of a larger plane, hardly wider than its points are apart: averaging, as in voxels, rounds edges so.
    Chamfer,
    /// It does not stand out from the points right above and below it, like a slice of foliage or clutter.
    Indistinct,
    /// It is not flat in a slab of any width.
    Bent,
    /// It contains the scanner's lines of sight, as the points of a single ring do.
    EdgeOn,
    /// Its points turned out to belong to planes that fit them better.
    Taken,
    /// Chance could have made it.
    Chance,
    /// It is a plane, but its area is smaller than asked for.
    SmallArea,
    /// It is a plane, but beyond the number of planes asked for.
    BeyondTop,
}

/// A candidate that is not a plane.
#[derive(Debug, Clone, PartialEq)]
pub struct Rejected {
    /// Unit normal.
    pub normal: [f64; 3],
    /// `normal · p` of its points, in input coordinates.
    pub offset: f64,
    /// Votes of its peak.
    pub votes: u64,
    /// Points that were found along it.
    pub points: u64,
    /// Their mean, in input coordinates; `None` for no points.
    pub centroid: Option<[f64; 3]>,
    /// Why it is not a plane.
    pub reason: Reason,
    /// The fewest points of a plane ([`Parameters::min_inliers`]) with which it would be one as far as is known, for
    /// [`Reason::TooSmall`] and [`Reason::Taken`].
    pub fewest: Option<u64>,
    /// The tolerance at which its surface lies within the slab of a plane, in the cloud's unit, for [`Reason::Bent`].
    pub needs: Option<f64>,
}

/// The planes of a cloud.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Detection {
    /// What was read.
    pub input: Input,
    /// How it was searched.
    pub parameters: Parameters,
    /// The planes, best first.
    pub planes: Vec<Plane>,
    /// For each point of the file, in file order, the index of its plane, or `-1`; empty if only planes were
    /// asked for.
    pub labels: Vec<i32>,
    /// For each point of the file, in file order, the `id` of its piece, or `-1`; empty like `labels`. A
    /// point with a piece is labelled with the piece's plane; a point of a plane may be in no piece.
    pub piece_labels: Vec<i32>,
    /// The best candidates that are not planes: first planes beyond the number asked for, then those with
    /// most points.
    pub rejected: Vec<Rejected>,
}

impl Detection {
    /// How many points are labelled with a plane.
    pub fn labelled(&self) -> u64 {
        self.planes.iter().map(|plane| plane.inliers).sum()
    }
}
