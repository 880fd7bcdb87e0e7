//! A survey of a scene, shot by shot.

use super::super::model::Model;
use super::super::options::SceneOptions;
use super::super::random::Random;
use super::super::sampler::Drawn;
use super::super::scene::Scene;
use super::super::truth::Camera;
use super::super::vector::Vec3;
use super::cast::Caster;
use super::instrument::{FAMILY, Instrument};
use super::places::Places;
use super::sensors::Sensor;
use super::{airborne, depth, photo, slam, spinning, tripod};
use crate::{Error, Result};
use rayon::prelude::*;

/// A planned survey.
#[derive(Debug)]
pub struct Survey {
    instrument: Box<dyn Instrument>,
    /// Shots of one pass.
    shots: u64,
    /// Most points of one pass.
    pub points: u64,
    pub camera: Option<Camera>,
    /// Where in the scene the instrument's coordinates begin, if it has its own.
    pub home: Option<Vec3>,
}

impl Survey {
    /// Prepares the instrument of the options for a survey of `points` points.
    pub fn plan(
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
            Sensor::Spinning => Box::new(spinning::Spinning::new(caster, &places, options)),
            Sensor::Photo => Box::new(photo::Photo::new(scene, model, &places, options)),
        };
        instrument.plan(points);
        let (camera, home) = (instrument.camera(), instrument.home());
        let shots = match &camera {
            Some(camera) => u64::from(camera.rows) * u64::from(camera.columns),
            None => {
                let shots = shots_for(instrument.as_ref(), options.seed, points)?;
                instrument.plan(shots);
                shots
            }
        };
        Ok(Survey { instrument, shots, points, camera, home })
    }

    /// The points of a shot; `None` after the last one. Except for a camera's frame, the survey starts
    /// over, with other random numbers, until there are enough points.
    pub fn shoot(&self, seed: u64, pass: u64, shot: u64) -> Option<Vec<Drawn>> {
        if self.shots == 0 || (self.camera.is_some() && shot >= self.shots) {
            return None;
        }
        let mut random = Random::new(seed, FAMILY + pass, shot);
        Some(self.instrument.shoot(shot % self.shots, &mut random))
    }
}

/// Shots tried to estimate the number of points per shot.
const TRIED: u64 = 1 << 14;

/// The number of shots that give this many points, or slightly fewer.
fn shots_for(instrument: &dyn Instrument, seed: u64, points: u64) -> Result<u64> {
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
