//! A trolley with a laser that rotates across the path, positioned by SLAM.

use super::super::options::SceneOptions;
use super::super::random::Random;
use super::super::sampler::Drawn;
use super::super::smooth::SmoothVector;
use super::super::vector::{Vec3, circle, cross, minus, plus, scaled, unit};
use super::cast::{Caster, Ray};
use super::instrument::Instrument;
use super::places::{Places, Way};

/// Rounds of the path.
const ROUNDS: f64 = 2.0;
/// Errors of the position, per axis: size in metres, and correlation length along the path.
const DRIFT: [[f64; 2]; 3] = [[0.0005, 0.2], [0.0013, 0.6], [0.0048, 2.5]];
/// The part of these errors that is the same in each round, as closed loops leave it, and the part that is
/// particular to a round; their squares sum to 1.
const SHARED: f64 = 0.8;
const OWN: f64 = 0.6;
/// Error of the attitude, per axis: size in radians, and correlation length along the path.
const TILT: [f64; 2] = [0.0005, 2.0];
/// Typical range, at which the points of a turn are as far apart as the turns.
const USUAL: f64 = 4.0;

#[derive(Debug)]
pub(super) struct Slam {
    caster: Caster,
    way: Way,
    drift: [SmoothVector; 3],
    shared: [SmoothVector; 3],
    tilt: SmoothVector,
    noise: f64,
    shots: u64,
    /// Total turns of the laser.
    turns: f64,
}

impl Slam {
    pub(super) fn new(caster: Caster, places: &Places, options: &SceneOptions) -> Self {
        Slam {
            caster,
            way: places.way,
            drift: [10, 11, 12].map(|channel| SmoothVector::new(options.seed, channel)),
            shared: [14, 15, 16].map(|channel| SmoothVector::new(options.seed, channel)),
            tilt: SmoothVector::new(options.seed, 13),
            noise: options.noise,
            shots: 1,
            turns: 1.0,
        }
    }

    /// The measured position of a point seen from `eye`, this far along the path.
    fn placed(&self, p: Vec3, eye: Vec3, way: f64) -> Vec3 {
        let [radians, over] = TILT;
        let tilt = scaled(self.tilt.line(way / over), radians);
        let parts = self.drift.iter().zip(&self.shared).zip(DRIFT);
        let moved = parts.fold([0.0; 3], |sum, ((drift, shared), [metres, over])| {
            let own = scaled(drift.line(way / over), OWN * metres);
            let shared = scaled(shared.space(scaled(eye, 1.0 / over)), SHARED * metres);
            plus(sum, plus(own, shared))
        });
        plus(p, plus(moved, cross(tilt, minus(p, eye))))
    }
}

impl Instrument for Slam {
    fn plan(&mut self, shots: u64) {
        self.shots = shots.max(1);
        let way = ROUNDS * self.way.length();
        let turn = std::f64::consts::TAU * USUAL;
        self.turns = (self.shots as f64 * way / turn).sqrt().max(1.0);
    }

    fn shoot(&self, at: u64, random: &mut Random) -> Vec<Drawn> {
        if let Some(outlier) = self.caster.outlier(random) {
            return vec![outlier];
        }
        let time = at as f64 / self.shots as f64;
        let (eye, travel) = self.way.at(time * ROUNDS);
        let side = unit(cross(travel, [0.0, 0.0, 1.0]));
        let (cosine, sine) = circle(time * self.turns);
        let direction = [side[0] * cosine, side[1] * cosine, sine];
        let ray = Ray { eye, direction };
        let Some(hit) = self.caster.first(&ray, random.unit()) else { return vec![] };
        let error = self.noise * random.gaussian();
        let mut point = self.caster.measured(&ray, &hit, error, random);
        point.position = self.placed(point.position, eye, time * ROUNDS * self.way.length());
        vec![point]
    }
}
