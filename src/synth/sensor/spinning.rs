//! A spinning scanner with several lasers, one above the other.

use super::super::options::SceneOptions;
use super::super::random::Random;
use super::super::sampler::Drawn;
use super::super::scene::STEPS_PER_UNIT;
use super::super::vector::{Vec3, circle, dot, minus, plus, scaled};
use super::cast::{Caster, Ray};
use super::instrument::Instrument;
use super::places::Places;

/// Lowest elevation and the range of elevations, in degrees.
const ELEVATIONS: [f64; 2] = [-25.0, 40.0];
/// Fewest and most lasers; a scanner has as many as leave each of them this many directions.
const LASERS: [u64; 2] = [16, 128];
const DIRECTIONS: u64 = 1800;
/// Ranges are whole multiples of this, in metres.
const STEP: f64 = 0.002;
/// Shortest range of a stray, in metres, …
const NEAREST: f64 = 0.5;
/// … and longest range.
const REACH: f64 = 120.0;

#[derive(Debug)]
pub(super) struct Spinning {
    caster: Caster,
    eye: Vec3,
    noise: f64,
    outliers: f64,
    lasers: u64,
    columns: u64,
}

impl Spinning {
    pub(super) fn new(caster: Caster, places: &Places, options: &SceneOptions) -> Self {
        // A whole number of steps, so that the scanner is at the origin to the bit.
        let eye = places.stations[0].map(|v| (v * STEPS_PER_UNIT).round() / STEPS_PER_UNIT);
        let SceneOptions { noise, outliers, .. } = *options;
        Spinning { caster, eye, noise, outliers, lasers: 1, columns: 1 }
    }
}

impl Instrument for Spinning {
    fn plan(&mut self, shots: u64) {
        let most = shots / DIRECTIONS;
        self.lasers = LASERS[0];
        while self.lasers < LASERS[1] && 2 * self.lasers <= most {
            self.lasers *= 2;
        }
        self.columns = shots.div_ceil(self.lasers).max(1);
    }

    fn home(&self) -> Option<Vec3> {
        Some(self.eye)
    }

    fn shoot(&self, at: u64, random: &mut Random) -> Vec<Drawn> {
        let (column, laser) = (at / self.lasers, at % self.lasers);
        let share = laser as f64 / (self.lasers - 1).max(1) as f64;
        let (ca, sa) = circle(column as f64 / self.columns as f64);
        let (ce, se) = circle((ELEVATIONS[0] + ELEVATIONS[1] * share) / 360.0);
        let ray = Ray { eye: self.eye, direction: [ce * ca, ce * sa, se] };
        let Some(hit) = self.caster.first(&ray, random.unit()) else { return vec![] };
        if hit.distance > REACH {
            return vec![];
        }
        let mut point = self.caster.measured(&ray, &hit, self.noise * random.gaussian(), random);
        // The range is all that is measured: the point stays on its ray. A stray comes from dust before the surface.
        let mut range = dot(minus(point.position, self.eye), ray.direction);
        if random.unit() < self.outliers {
            range = NEAREST + (range - NEAREST).max(0.0) * random.unit();
            point.label = -1;
        }
        let range = (range / STEP).round() * STEP;
        point.position = plus(self.eye, scaled(ray.direction, range));
        vec![point]
    }
}
