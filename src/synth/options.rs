//! Options of a scene: number of points, instrument, and what is done to the points afterwards.

use super::scene::{STEPS_PER_UNIT, Scene};
use super::sensor::sensors::Sensor;
use crate::{Error, Result};
use serde::{Deserialize, Serialize};
use std::str::FromStr;

/// Options of a scene.
///
/// They are applied in this order: floors sag, the sensor measures (each pass
/// separately), points are thinned to voxels, copied, and rounded.
#[derive(Debug, Clone, PartialEq)]
pub struct SceneOptions {
    /// Number of points, including outliers and copies, before thinning to voxels. For a
    /// depth camera it is the number of pixels, some of which see nothing.
    pub points: u64,
    /// Standard deviation of the normally distributed distance of the points from their surface,
    /// along its normal (also in the street, where it is not along the ray), in metres. Leaves have none. For a
    /// sensor it has another meaning, see [`Sensor`].
    pub noise: f64,
    /// Probability that a point is an outlier: anywhere in the box around the scene or, with an instrument whose points are on its
    /// rays, before the surface on the same ray or at any depth of a camera.
    pub outliers: f64,
    /// Seed of the random numbers.
    pub seed: u64,
    /// Position of the scene's own origin, rounded to [`STEP`](super::scene::STEP); default
    /// [`Scene::default_origin`], or that for which an instrument with coordinates of its own is at zero.
    /// Relative to the origin, the points are always the same.
    pub origin: Option<[f64; 3]>,
    /// The instrument; without one, the scene determines how points are drawn.
    pub sensor: Option<Sensor>,
    /// How far level surfaces with sides of at least 2 m sag in their middle, in
    /// metres. The true plane is the one through the edges.
    pub sag: f64,
    /// Adds curved objects to the scene: a vault, balls, columns, a dome. Only for the room.
    pub curved: bool,
    /// Several surveys that do not quite fit together.
    pub passes: Option<Passes>,
    /// Thins the points to one per voxel.
    pub voxel: Option<Voxel>,
    /// How many times each point appears in the cloud, within 0.05 mm.
    pub copies: u32,
    /// Coordinates are whole multiples of this, in metres; default: a millimetre, or a micrometre
    /// if one of the options above asks for more than a plain scene.
    pub round: Option<f64>,
}

/// Several surveys of one scene.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Passes {
    /// Number of surveys.
    pub count: u32,
    /// Largest displacement of a survey from the first, in metres; it varies from place to place.
    pub apart: f64,
}

/// One point per voxel.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Voxel {
    /// Edge length in metres.
    pub edge: f64,
    /// Use the mean of the voxel's points instead of its centre.
    pub mean: bool,
}

/// Steps per metre if a millimetre is too coarse.
const FINE_STEPS_PER_UNIT: f64 = 1e6;

impl SceneOptions {
    /// This many points with the scene's usual noise, 10 % outliers and seed 1.
    pub const fn new(scene: Scene, points: u64) -> Self {
        SceneOptions {
            points,
            noise: scene.default_noise(),
            outliers: 0.1,
            seed: 1,
            origin: None,
            sensor: None,
            sag: 0.0,
            curved: false,
            passes: None,
            voxel: None,
            copies: 1,
            round: None,
        }
    }

    /// The same with an instrument, its default noise and its default outliers.
    pub fn with_sensor(self, scene: Scene, sensor: Sensor) -> Self {
        let (noise, outliers) = (sensor.default_noise(scene), sensor.default_outliers());
        SceneOptions { noise, outliers, sensor: Some(sensor), ..self }
    }

    /// Whether only a scene is asked for, with coordinates in millimetres.
    pub(super) fn is_plain(&self) -> bool {
        let drawn = self.sensor.is_none() && self.sag == 0.0 && !self.curved;
        let changed = self.passes.is_some() || self.voxel.is_some() || self.copies != 1;
        drawn && !changed && self.round.is_none()
    }

    /// The grid to which coordinates are rounded.
    pub(super) fn grid(&self) -> Grid {
        match self.round {
            Some(step) => Grid::new(step),
            None if self.is_plain() => Grid::Parts(STEPS_PER_UNIT),
            None => Grid::Parts(FINE_STEPS_PER_UNIT),
        }
    }

    pub(super) fn check(&self, scene: Scene) -> Result<()> {
        let length = |v: f64| (1e-6..=100.0).contains(&v);
        let problem = if self.points > u64::from(u32::MAX) {
            "a cloud has at most 4294967295 points"
        } else if !(0.0..=100.0).contains(&self.noise) {
            "the noise of a scene is between 0 and 100 m"
        } else if !(0.0..=1.0).contains(&self.outliers) {
            "the outliers of a scene are a fraction between 0 and 1"
        } else if self.origin.is_some_and(|o| !o.iter().all(|v| v.abs() <= 1e9)) {
            "the origin of a scene is within 1e9 m"
        } else if !(0.0..=10.0).contains(&self.sag) {
            "floors sag by 0 to 10 m"
        } else if self.curved && scene != Scene::Room {
            "of all scenes the room alone has curved furniture"
        } else if self.passes.is_some_and(|p| !(1..=100).contains(&p.count)) {
            "there are 1 to 100 passes"
        } else if self.passes.is_some_and(|p| !(0.0..=100.0).contains(&p.apart)) {
            "passes are 0 to 100 m apart"
        } else if self.voxel.is_some_and(|v| !length(v.edge)) {
            "the edge of a voxel is between 1e-6 and 100 m"
        } else if !(1..=1000).contains(&self.copies) {
            "a cloud has 1 to 1000 copies of each point"
        } else if self.round.is_some_and(|r| !length(r)) {
            "coordinates are rounded to between 1e-6 and 100 m"
        } else {
            return Ok(());
        };
        Err(Error::Parameter(problem.into()))
    }
}

impl FromStr for Passes {
    type Err = Error;

    fn from_str(text: &str) -> Result<Passes> {
        let wrong = || Error::Parameter(format!("{text:?} is not COUNT:METRES, such as 2:0.02"));
        let (count, apart) = text.split_once(':').ok_or_else(wrong)?;
        let count = count.parse().map_err(|_| wrong())?;
        Ok(Passes { count, apart: apart.parse().map_err(|_| wrong())? })
    }
}

impl FromStr for Voxel {
    type Err = Error;

    fn from_str(text: &str) -> Result<Voxel> {
        let (edge, mean) = match text.strip_suffix(":mean") {
            Some(edge) => (edge, true),
            None => (text, false),
        };
        let wrong = |_| Error::Parameter(format!("{text:?} is not METRES or METRES:mean"));
        Ok(Voxel { edge: edge.parse().map_err(wrong)?, mean })
    }
}

/// The multiples to which coordinates are rounded.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Grid {
    /// This many per metre; dividing by this number gives the numbers nearest to the decimal fractions.
    Parts(f64),
    /// Multiples of this length in metres.
    Step(f64),
}

impl Grid {
    fn new(step: f64) -> Grid {
        let parts = (1.0 / step).round();
        if (parts * step - 1.0).abs() < 1e-12 { Grid::Parts(parts) } else { Grid::Step(step) }
    }

    /// The index of the nearest multiple.
    pub(super) fn number(self, v: f64) -> f64 {
        match self {
            Grid::Parts(parts) => (v * parts).round(),
            Grid::Step(step) => (v / step).round(),
        }
    }

    /// The multiple with this index.
    pub(super) fn value(self, number: f64) -> f64 {
        match self {
            Grid::Parts(parts) => number / parts,
            Grid::Step(step) => number * step,
        }
    }

    /// The distance between neighbouring multiples.
    pub(super) fn step(self) -> f64 {
        self.value(1.0)
    }
}

#[cfg(test)]
mod tests {
    use super::super::generate;
    use super::*;

    #[test]
    fn senseless_options_are_refused() {
        let good = SceneOptions::new(Scene::Boards, 10);
        let bad = [
            SceneOptions { noise: -0.1, ..good.clone() },
            SceneOptions { noise: f64::NAN, ..good.clone() },
            SceneOptions { outliers: 1.5, ..good.clone() },
            SceneOptions { origin: Some([0.0, f64::INFINITY, 0.0]), ..good.clone() },
            SceneOptions { sag: f64::NAN, ..good.clone() },
            SceneOptions { curved: true, ..good.clone() },
            SceneOptions { passes: Some(Passes { count: 0, apart: 0.1 }), ..good.clone() },
            SceneOptions { passes: Some(Passes { count: 2, apart: -1.0 }), ..good.clone() },
            SceneOptions { voxel: Some(Voxel { edge: 0.0, mean: true }), ..good.clone() },
            SceneOptions { copies: 0, ..good.clone() },
            SceneOptions { round: Some(f64::INFINITY), ..good.clone() },
        ];
        for options in bad {
            assert!(matches!(generate(Scene::Boards, &options), Err(Error::Parameter(_))));
        }
    }

    #[test]
    fn options_are_read_from_words() {
        assert_eq!("2:0.02".parse::<Passes>().unwrap(), Passes { count: 2, apart: 0.02 });
        assert_eq!("0.03".parse::<Voxel>().unwrap(), Voxel { edge: 0.03, mean: false });
        assert_eq!("0.03:mean".parse::<Voxel>().unwrap(), Voxel { edge: 0.03, mean: true });
        for word in ["", "2", "2:", "x:1", "2.5:1"] {
            assert!(word.parse::<Passes>().is_err());
        }
        for word in ["", "0.03:", "0.03:middle"] {
            assert!(word.parse::<Voxel>().is_err());
        }
    }

    #[test]
    fn decimal_steps_give_decimal_numbers() {
        let grid = Grid::new(0.01);
        assert_eq!(grid.value(grid.number(0.0712)), 0.07);
        assert_eq!(grid.step(), 0.01);
        let third = Grid::new(0.03);
        assert_eq!(third.number(0.0712), 2.0);
    }
}
