//! The instruments by name.

use super::super::scene::Scene;
use super::places;
use crate::names::names;

/// An instrument that surveys a scene.
///
/// A point's label is the surface it came from; a point between two surfaces has none. Noise is
/// [`SceneOptions::noise`](crate::synth::SceneOptions::noise).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Sensor {
    /// A laser scanner on a tripod, set up at three or four places: a grid of directions, column
    /// by column. Ranges err by the noise at 10 m head on (2 mm), a fifth of it near by, more at
    /// grazing angles. At edges half of the pixels that the beam splits lie between the surfaces.
    /// Each place but the first is off by 2 mm along each axis and 0.2 mrad about the vertical.
    Tripod,
    /// A depth camera: one frame of 4 : 3, row by row. Depth is `f b / d`, the disparity `d` in
    /// steps of 1/8 pixel; before that it errs, alike within a dozen pixels, by as much as makes
    /// the noise at a depth of 1 m (1.5 mm), so that the noise of depths grows with their square.
    /// Shadows of the projector, grazing surfaces and what is too near or too far are holes.
    Depth,
    /// A trolley with a laser that turns across the way it goes, twice around: ranges err by the
    /// noise (1 mm), the trolley's place by 5 mm and 0.5 mrad, alike over decimetres to metres of
    /// the way, and much but not quite alike in both rounds.
    Slam,
    /// A scanner on an aircraft, in strips of zigzag lines that overlap, every second one 3 cm
    /// higher: ranges err by the noise (2 cm), and a pulse may return several times from a tree.
    Airborne,
    /// A dense cloud from photographs: surfaces wave by the noise (4 mm; larger scenes more), alike
    /// over decimetres, a tenth of it differs from point to point; there are holes where
    /// nothing can be matched, and blobs along edges.
    Photo,
}

names! { Sensor, "sensor":
    Tripod = "tripod",
    Depth = "depth",
    Slam = "slam",
    Airborne = "airborne",
    Photo = "photo",
}

impl Sensor {
    /// Its usual noise, in metres.
    pub fn default_noise(self, scene: Scene) -> f64 {
        match self {
            Sensor::Tripod => 0.002,
            // The disparity errs alike in all scenes.
            Sensor::Depth => 0.0015 / places::baseline_factor(scene),
            Sensor::Slam => 0.001,
            Sensor::Airborne => 0.02,
            Sensor::Photo => 0.004 * places::photo_factor(scene),
        }
    }

    /// Its usual share of outliers.
    pub const fn default_outliers(self) -> f64 {
        match self {
            Sensor::Depth => 0.0,
            _ => 0.01,
        }
    }
}
