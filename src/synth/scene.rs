//! The scenes by name.

use crate::names::names;

/// Coordinates are whole multiples of this, in metres, unless the options ask for more than a plain
/// scene.
pub const STEP: f64 = 1.0 / STEPS_PER_UNIT;

/// Steps per metre.
pub(super) const STEPS_PER_UNIT: f64 = 1000.0;

/// A scene. Its geometry is fixed; the seed changes only the points.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Scene {
    /// A furnished room of 6 × 5 × 2.7 m, points spread over all surfaces.
    Room,
    /// A table, chairs and a shelf of boards 2 to 4 cm thick, seen from both sides.
    Boards,
    /// A street seen from a tripod: the density falls with the square of the distance, and hidden
    /// surfaces get no points.
    Street,
    /// Roofs at survey coordinates, seen from above.
    Roofs,
    /// Cases that are difficult for plane finders.
    Hard(HardPart),
}

names! { Scene, "scene":
    Room = "room",
    Boards = "boards",
    Street = "street",
    Roofs = "roofs",
    Hard(HardPart::All) = "hard",
    Hard(HardPart::Parallel) = "hard-parallel",
    Hard(HardPart::Poles) = "hard-poles",
    Hard(HardPart::Seam) = "hard-seam",
    Hard(HardPart::Stairs) = "hard-stairs",
    Hard(HardPart::Strips) = "hard-strips",
    Hard(HardPart::Giant) = "hard-giant",
    Hard(HardPart::Outliers) = "hard-outliers",
    Hard(HardPart::Duplicates) = "hard-duplicates",
}

/// A part of the hard scene.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum HardPart {
    /// All parts in one cloud, separated from each other, with equal numbers of points.
    All,
    /// Pairs of planes 10 cm apart, and one pair 1° from parallel.
    Parallel,
    /// Normals at `±z` and `±y` and a fraction of a degree away from them.
    Poles,
    /// Normals on both sides of azimuth 0° and 180° and polar angle 0°, 90° and 180°.
    Seam,
    /// Twelve steps of 17 × 28 cm.
    Stairs,
    /// Strips 5 to 10 cm wide and metres long.
    Strips,
    /// One plane of 400 m² beside six of about 1 m² and less.
    Giant,
    /// Half of the points are outliers, or more if the options ask for it.
    Outliers,
    /// Each point appears 2 to 10 times in the cloud; the last may appear once more.
    Duplicates,
}

impl HardPart {
    /// The parts of [`HardPart::All`].
    pub(super) const PARTS: [HardPart; 8] = [
        HardPart::Parallel,
        HardPart::Poles,
        HardPart::Seam,
        HardPart::Stairs,
        HardPart::Strips,
        HardPart::Giant,
        HardPart::Outliers,
        HardPart::Duplicates,
    ];
}

impl Scene {
    /// The typical noise of such a scan: 5 mm, from the air 3 cm.
    pub const fn default_noise(self) -> f64 {
        match self {
            Scene::Roofs => 0.03,
            Scene::Room | Scene::Boards | Scene::Street | Scene::Hard(_) => 0.005,
        }
    }

    /// Position of the scene's own origin unless [`SceneOptions::origin`](super::SceneOptions::origin) sets it.
    pub const fn default_origin(self) -> [f64; 3] {
        match self {
            Scene::Roofs => [500_000.0, 4_600_000.0, 300.0],
            Scene::Room | Scene::Boards | Scene::Street | Scene::Hard(_) => [0.0; 3],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_lead_back_to_their_scenes() {
        for scene in Scene::ALL {
            assert_eq!(scene.name().parse::<Scene>().unwrap(), scene);
        }
        let message = "attic".parse::<Scene>().unwrap_err().to_string();
        assert!(message.contains("\"attic\"") && message.contains("hard-seam"));
    }
}
