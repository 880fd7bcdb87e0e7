//! The planes that a scene's points were drawn from, as a document beside the cloud.

use super::model::ModelPlane;
use super::options::{Passes, Voxel};
use super::vector::{Vec3, dot, plus, scaled};
use crate::plane::Polygon;
use crate::{Error, Result};
use serde::{Deserialize, Serialize};
use std::fs;
use std::path::{Path, PathBuf};

/// Version of the truth document; it increases when a reader of the old layout would misread the new one.
pub const TRUTH_VERSION: u32 = 1;

/// The planes of a scene and how it was drawn.
///
/// The label of a point is the index of its plane in `planes`, or `-1` for outliers and curved
/// surfaces. A labelled point lies on its plane up to the noise and the rounding to `step`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Truth {
    /// [`TRUTH_VERSION`].
    pub version: u32,
    /// Name of the scene.
    pub scene: String,
    /// Points in the cloud.
    pub points: u64,
    /// Number of them on a plane.
    pub on_planes: u64,
    /// Standard deviation of the points' distances from their planes, in metres: the requested one,
    /// or, for a `survey`, the root mean square of these distances.
    pub noise: f64,
    /// Probability of an outlier.
    pub outliers: f64,
    /// Seed of the random numbers.
    pub seed: u64,
    /// Position of the scene's own origin.
    pub origin: [f64; 3],
    /// Coordinates are multiples of this, in metres.
    pub step: f64,
    /// The options beyond a plain scene.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub survey: Option<Survey>,
    /// The planes, by label.
    pub planes: Vec<TruthPlane>,
}

/// The options of a scene that is not plain: see [`SceneOptions`](super::SceneOptions).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Survey {
    /// Name of the instrument.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sensor: Option<String>,
    /// The requested noise of the instrument, in metres.
    pub noise: f64,
    /// How far floors sag, in metres.
    pub sag: f64,
    /// Whether curved objects were added.
    pub curved: bool,
    /// Several surveys that do not quite fit together.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub passes: Option<Passes>,
    /// The voxels to which the points were thinned.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub voxel: Option<Voxel>,
    /// How many times each point appears in the cloud.
    pub copies: u32,
    /// The camera of a depth frame.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub camera: Option<Camera>,
}

/// A depth camera, in the cloud's coordinates.
///
/// The pixel in row `r` and column `c` looks along `forward + right (c − cx) / focal + down (r − cy)
/// / focal`, where `cx` and `cy` are the middle of the frame; a point is at its depth times that vector.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Camera {
    /// The eye.
    pub position: [f64; 3],
    /// Unit vector to the right of the frame.
    pub right: [f64; 3],
    /// Unit vector to the bottom of the frame.
    pub down: [f64; 3],
    /// Unit vector along which depth is measured.
    pub forward: [f64; 3],
    /// Rows of the frame.
    pub rows: u32,
    /// Columns of the frame.
    pub columns: u32,
    /// Focal length in pixels.
    pub focal: f64,
    /// Depth times disparity, in metres.
    pub depth_times_disparity: f64,
    /// Disparities are whole multiples of this.
    pub disparity_step: f64,
}

impl Camera {
    /// The vector from the eye to depth 1 along a pixel's line of sight.
    pub fn pixel(&self, row: f64, column: f64) -> [f64; 3] {
        let x = (column - 0.5 * (f64::from(self.columns) - 1.0)) / self.focal;
        let y = (row - 0.5 * (f64::from(self.rows) - 1.0)) / self.focal;
        plus(self.forward, plus(scaled(self.right, x), scaled(self.down, y)))
    }
}

/// A true plane.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TruthPlane {
    /// Its name: `"floor"`, `"table leg 1 left"`.
    pub name: String,
    /// Unit normal, signed so that the offset is not negative. Pieces of one geometric plane, such as
    /// the panes of a façade, have normals and offsets that are equal to the bit.
    pub normal: [f64; 3],
    /// `normal · p` of its points, in the cloud's coordinates, in metres.
    pub offset: f64,
    /// Points of the cloud on it.
    pub points: u64,
    /// Whether it has fewer than 50 points or 0.05 % of the cloud. `planes eval` does not ask for such a plane, unless such
    /// planes hold a tenth of the points of all planes.
    pub small: bool,
    /// Its outline.
    pub polygon: Polygon,
}

/// Fewest points of a plane that is not small.
const FEW_POINTS: u64 = 50;
/// A plane is small if it has less than one in this many points of the cloud.
const FEW_SHARE: u64 = 2000;

impl TruthPlane {
    /// The plane of a model moved to `origin`, with its `points` out of `total`.
    pub(super) fn new(plane: &ModelPlane, origin: Vec3, points: u64, total: u64) -> Self {
        let offset = plane.offset + dot(plane.normal, origin);
        let first = plane.normal.into_iter().find(|&v| v != 0.0);
        let flip = offset < 0.0 || (offset == 0.0 && first.is_some_and(|v| v < 0.0));
        let placed = |ring: &Vec<Vec3>| {
            let mut ring: Vec<Vec3> = ring.iter().map(|&p| plus(p, origin)).collect();
            if flip {
                // Seen from the other side, the ring runs the other way round.
                ring.reverse();
            }
            ring
        };
        TruthPlane {
            name: plane.name.clone(),
            // Adding zero turns -0 into 0.
            normal: scaled(plane.normal, if flip { -1.0 } else { 1.0 }).map(|v| v + 0.0),
            offset: offset.abs(),
            points,
            small: points < FEW_POINTS || points.saturating_mul(FEW_SHARE) < total,
            polygon: Polygon {
                exterior: placed(&plane.polygon.exterior),
                holes: plane.polygon.holes.iter().map(placed).collect(),
            },
        }
    }
}

impl Truth {
    /// Reads a truth document.
    ///
    /// # Errors
    /// [`Error::Io`], and [`Error::Format`] if the file is another document or of another version.
    pub fn read(path: impl AsRef<Path>) -> Result<Truth> {
        let path = path.as_ref();
        let text = fs::read(path).map_err(Error::io(path))?;
        let truth: Truth = serde_json::from_slice(&text).map_err(Error::json(path))?;
        if truth.version != TRUTH_VERSION {
            let message = format!("{} is not {TRUTH_VERSION}", truth.version);
            return Err(Error::format(path, "version", message));
        }
        Ok(truth)
    }
}

/// The path of a cloud's truth: `room.las` has `room.truth.json`.
pub fn truth_path(cloud: impl AsRef<Path>) -> PathBuf {
    cloud.as_ref().with_extension("truth.json")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plane(normal: Vec3, offset: f64) -> ModelPlane {
        ModelPlane {
            name: "p".into(),
            normal,
            offset,
            polygon: Polygon {
                exterior: vec![[0.0, 0.0, 1.0], [1.0, 0.0, 1.0], [0.0, 1.0, 1.0]],
                holes: vec![],
            },
        }
    }

    #[test]
    fn the_offset_is_never_negative() {
        let up = TruthPlane::new(&plane([0.0, 0.0, 1.0], 1.0), [5.0, 6.0, -3.0], 60, 100);
        assert_eq!((up.normal, up.offset, up.small), ([0.0, 0.0, -1.0], 2.0, false));
        let mut ring = vec![[5.0, 6.0, -2.0], [6.0, 6.0, -2.0], [5.0, 7.0, -2.0]];
        ring.reverse();
        assert_eq!(up.polygon.exterior, ring);
        assert!(up.normal[0].is_sign_positive());
    }

    #[test]
    fn few_points_make_a_plane_small() {
        let small = |points, total| {
            TruthPlane::new(&plane([0.0, 0.0, 1.0], 1.0), [0.0; 3], points, total).small
        };
        assert!(small(49, 100));
        assert!(!small(50, 100_000));
        assert!(small(50, 100_001));
    }

    #[test]
    fn another_version_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.truth.json");
        fs::write(&path, "{\"version\": ").unwrap();
        let error = Truth::read(&path).unwrap_err();
        assert!(matches!(error, Error::Format { place, .. } if place == "line 1"));
    }
}
