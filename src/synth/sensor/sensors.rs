//! The instruments by name.

use super::super::scene::Scene;
use super::places;
use crate::names::names;

/// An instrument that surveys a scene.
///
/// A point's label is the surface it came from; a point between two surfaces has none. The noise is
/// [`SceneOptions::noise`](crate::synth::SceneOptions::noise).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Sensor {
    /// A laser scanner on a tripod, set up at three or four positions: a grid of directions, column
    /// by column. The noise (2 mm) is the error of ranges at 10 m head on; it falls to a fifth at close range
    /// and grows at grazing angles. At edges, half of the pixels whose beam is split lie between the surfaces.
    /// Each position but the first is off by 2 mm along each axis and 0.2 mrad about the vertical.
    Tripod,
    /// A depth camera: one frame of 4 : 3, row by row. Depth is `f b / d`, with the disparity `d` in
    /// steps of 1/8 pixel. Before rounding, the disparity has an error, correlated within a dozen pixels, that makes
    /// the noise at a depth of 1 m (1.5 mm); so the noise of depths grows with their square.
    /// Shadows of the projector, grazing surfaces and surfaces too near or too far are holes.
    Depth,
    /// A trolley with a laser that rotates across its direction of travel, twice around. Ranges have the
    /// noise as their error (1 mm); the trolley's position is off by 5 mm and 0.5 mrad, correlated over decimetres to
    /// metres of the path, and similar but not identical in both rounds.
    Slam,
    /// A scanner on an aircraft, in overlapping strips of zigzag lines, every second strip 3 cm
    /// higher. Ranges have the noise as their error (2 cm), and a pulse may return several times from a tree.
    Airborne,
    /// A dense cloud from photographs. The noise is the size of the surfaces' waves (4 mm; larger scenes more),
    /// which are correlated over decimetres; a tenth of it is independent from point to point. There are holes where
    /// nothing can be matched, and blobs along edges.
    Photo,
    /// One sweep of a spinning scanner with 16 to 128 lasers, one above the other, from 25° below the horizon to 15° above: the
    /// more points, the more lasers. Points are in the scanner's coordinates, column by column, unless an origin is given. Ranges have
    /// the noise as their error (1 cm) and come in steps of 2 mm.
    Spinning,
}

names! { Sensor, "sensor":
    Tripod = "tripod",
    Depth = "depth",
    Slam = "slam",
    Airborne = "airborne",
    Photo = "photo",
    Spinning = "spinning",
}

impl Sensor {
    /// Its default noise, in metres.
    pub fn default_noise(self, scene: Scene) -> f64 {
        match self {
            Sensor::Tripod => 0.002,
            // The error of the disparity is the same in all scenes.
            Sensor::Depth => 0.0015 / places::baseline_factor(scene),
            Sensor::Slam => 0.001,
            Sensor::Airborne => 0.02,
            Sensor::Spinning => 0.01,
            Sensor::Photo => 0.004 * places::photo_factor(scene),
        }
    }

    /// Its default share of outliers.
    pub const fn default_outliers(self) -> f64 {
        match self {
            Sensor::Depth => 0.0,
            _ => 0.01,
        }
    }
}
