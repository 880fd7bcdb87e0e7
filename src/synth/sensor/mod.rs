//! What instruments do to a scene, with exact truth.

mod airborne;
mod cast;
mod depth;
mod photo;
mod places;
mod slam;
mod tripod;

use super::model::Model;
use super::random::Random;
use super::sampler::Drawn;
use super::truth::Camera;
use super::{Scene, SceneOptions};
use crate::names::names;
use crate::{Error, Result};
use cast::Caster;
use places::Places;
use std::fmt;

/// An instrument that surveys a scene.
///
/// A point's label is the surface it came from; a point between two surfaces has none. Noise is
/// [`SceneOptions::noise`].
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

/// An instrument at work.
pub(super) trait Instrument: fmt::Debug + Send + Sync {
    /// Spreads a survey over so many shots.
    fn plan(&mut self, shots: u64);

    /// The points of a shot, in the scene's coordinates. `at` counts within the survey.
    fn shoot(&self, at: u64, random: &mut Random) -> Vec<Drawn>;

    /// The camera, where it is one: it takes a frame of a shot a pixel, and no more.
    fn camera(&self) -> Option<Camera> {
        None
    }
}

/// Makes the instrument that the options ask for ready, for a survey of `points` points.
pub(super) fn instrument(
    scene: Scene,
    sensor: Sensor,
    model: &Model,
    options: &SceneOptions,
    points: u64,
) -> Result<Survey> {
    let places = Places::new(scene, model);
    let caster = Caster::new(model, options);
    let mut instrument: Box<dyn Instrument> = match sensor {
        Sensor::Tripod => Box::new(tripod::Tripod::new(caster, &places, options)),
        Sensor::Depth => Box::new(depth::Depth::new(caster, &places, options)),
        Sensor::Slam => Box::new(slam::Slam::new(caster, &places, options)),
        Sensor::Airborne => Box::new(airborne::Airborne::new(caster, model, options)),
        Sensor::Photo => Box::new(photo::Photo::new(scene, model, &places, options)),
    };
    instrument.plan(points);
    let camera = instrument.camera();
    let shots = match &camera {
        Some(camera) => u64::from(camera.rows) * u64::from(camera.columns),
        None => {
            let shots = shots_for(instrument.as_ref(), options.seed, points)?;
            instrument.plan(shots);
            shots
        }
    };
    Ok(Survey { instrument, shots, points, camera })
}

/// A planned survey.
#[derive(Debug)]
pub(super) struct Survey {
    instrument: Box<dyn Instrument>,
    /// Shots of one pass.
    shots: u64,
    /// Points of one pass, at most.
    pub(super) points: u64,
    pub(super) camera: Option<Camera>,
}

/// Tells the random numbers of shots from those of scenes.
const FAMILY: u64 = 1000;

impl Survey {
    /// The points of a shot; `None` behind the last one. Where there is no frame, the survey starts
    /// over, with other random numbers, until there are enough points.
    pub(super) fn shoot(&self, seed: u64, pass: u64, shot: u64) -> Option<Vec<Drawn>> {
        if self.shots == 0 || (self.camera.is_some() && shot >= self.shots) {
            return None;
        }
        let mut random = Random::new(seed, FAMILY + pass, shot);
        Some(self.instrument.shoot(shot % self.shots, &mut random))
    }
}

/// Shots tried to learn how many points a shot gives.
const TRIED: u64 = 1 << 14;

/// How many shots give this many points, or a few less.
fn shots_for(instrument: &dyn Instrument, seed: u64, points: u64) -> Result<u64> {
    use rayon::prelude::*;
    let tried = TRIED.min(points);
    let count = |i: u64| {
        // Spread over the survey.
        let at = (u128::from(points) * u128::from(i) / u128::from(tried.max(1))) as u64;
        instrument.shoot(at, &mut Random::new(seed, FAMILY - 1, i)).len() as u64
    };
    let given: u64 = (0..tried).into_par_iter().map(count).sum();
    if given == 0 && tried > 0 {
        return Err(Error::Parameter("the sensor sees nothing of the scene".into()));
    }
    let shots = points as f64 * tried as f64 / (given as f64).max(1.0);
    Ok((shots * 0.995).ceil() as u64)
}
