//! A laser scanner on an aircraft.

use super::super::model::Model;
use super::super::options::SceneOptions;
use super::super::random::Random;
use super::super::sampler::Drawn;
use super::super::vector::{Vec3, minus, unit};
use super::cast::{Caster, Ray};
use super::instrument::Instrument;

/// Number of strips, and the share of its width that each overlaps with the next.
const STRIPS: u64 = 3;
const OVERLAP: f64 = 0.3;
/// Height above the scene, in widths of a strip.
const HEIGHT: f64 = 2.5;
/// Every second strip is this much higher, in metres.
const APART: f64 = 0.03;
/// Probability that a pulse returns from leaves on its way.
const RETURNS: f64 = 0.7;
/// Most returns of a pulse.
const MOST: usize = 4;

#[derive(Debug)]
pub(super) struct Airborne {
    caster: Caster,
    low: Vec3,
    high: Vec3,
    /// Width of a strip.
    width: f64,
    noise: f64,
    /// Shots per strip.
    shots: u64,
    /// Scan lines per strip.
    lines: f64,
}

impl Airborne {
    pub(super) fn new(caster: Caster, model: &Model, options: &SceneOptions) -> Self {
        let (low, high) = (model.low, model.high);
        let strips = STRIPS as f64 - (STRIPS - 1) as f64 * OVERLAP;
        let width = (high[1] - low[1]).max(0.1) / strips;
        Airborne { caster, low, high, width, noise: options.noise, shots: 1, lines: 1.0 }
    }
}

impl Instrument for Airborne {
    fn plan(&mut self, shots: u64) {
        self.shots = shots.div_ceil(STRIPS).max(1);
        let length = self.high[0] - self.low[0];
        self.lines = (self.shots as f64 * length / self.width).sqrt().max(1.0);
    }

    fn shoot(&self, at: u64, random: &mut Random) -> Vec<Drawn> {
        if let Some(outlier) = self.caster.outlier(random) {
            return vec![outlier];
        }
        let strip = (at / self.shots).min(STRIPS - 1);
        let time = (at % self.shots) as f64 / self.shots as f64;
        // Across and back.
        let swing = (time * self.lines).rem_euclid(2.0);
        let across = if swing < 1.0 { swing } else { 2.0 - swing };
        let start = self.low[1] + strip as f64 * (1.0 - OVERLAP) * self.width;
        let x = self.low[0] + time * (self.high[0] - self.low[0]);
        let eye = [x, start + 0.5 * self.width, self.high[2] + HEIGHT * self.width];
        let target = [x, start + across * self.width, 0.5 * (self.low[2] + self.high[2])];
        let ray = Ray { eye, direction: unit(minus(target, eye)) };
        let hits = self.caster.through(&ray, random);
        let mut points = Vec::new();
        for hit in &hits {
            if hit.surface.shape.is_leafy() && random.unit() >= RETURNS {
                continue;
            }
            let error = self.noise * random.gaussian();
            let mut point = self.caster.measured(&ray, hit, error, random);
            point.position[2] += APART * (strip % 2) as f64;
            points.push(point);
            if points.len() == MOST {
                break;
            }
        }
        points
    }
}
