//! A depth camera that measures disparities.

use super::super::options::SceneOptions;
use super::super::random::Random;
use super::super::sampler::Drawn;
use super::super::smooth::Smooth;
use super::super::truth::Camera;
use super::super::vector::{Vec3, cross, dot, length, minus, plus, scaled, unit};
use super::cast::{Caster, Ray};
use super::instrument::Instrument;
use super::places::Places;

/// Focal length over the width of the frame: 580 of 640 pixels, as in a Kinect.
const FOCAL: f64 = 580.0 / 640.0;
/// Baseline in metres, and focal length in pixels, of the disparity measurement.
const BASELINE: f64 = 0.075;
const DISPARITY_FOCAL: f64 = 580.0;
/// Step of the disparity, in pixels.
const STEP: f64 = 0.125;
/// Nearest and farthest depth, in metres, for a reach of 1.
const RANGE: [f64; 2] = [0.4, 8.0];
/// Errors of the disparity are correlated within this many pixels of a frame 640 pixels wide.
const ALIKE: f64 = 6.0;
/// A surface seen at an angle with a smaller cosine is a hole.
const GRAZING: f64 = 0.12;
/// An obstacle hides a point from the projector if it is nearer by more than this share of the point's distance.
const HIDES: f64 = 0.02;

#[derive(Debug)]
pub(super) struct Depth {
    caster: Caster,
    camera: Camera,
    projector: Vec3,
    range: [f64; 2],
    /// Standard deviation of the disparity, in pixels.
    error: f64,
    alike: f64,
    smooth: Smooth,
    outliers: f64,
}

impl Depth {
    pub(super) fn new(caster: Caster, places: &Places, options: &SceneOptions) -> Self {
        let [eye, target] = places.camera;
        let forward = unit(minus(target, eye));
        let right = unit(cross(forward, [0.0, 0.0, 1.0]));
        let baseline = BASELINE * places.baseline;
        let camera = Camera {
            position: eye,
            right,
            down: cross(forward, right),
            forward,
            rows: 0,
            columns: 0,
            focal: 0.0,
            depth_times_disparity: baseline * DISPARITY_FOCAL,
            disparity_step: STEP,
        };
        Depth {
            caster,
            projector: minus(eye, scaled(right, baseline.min(0.3))),
            range: RANGE.map(|depth| depth * places.reach),
            error: options.noise * camera.depth_times_disparity,
            alike: ALIKE,
            smooth: Smooth::new(options.seed, 1),
            outliers: options.outliers,
            camera,
        }
    }

    /// Whether nothing is between the projector and a point.
    fn is_lit(&self, p: Vec3) -> bool {
        let to = minus(p, self.projector);
        let distance = length(to);
        let ray = Ray { eye: self.projector, direction: scaled(to, 1.0 / distance) };
        let first = self.caster.first(&ray, 0.0);
        first.is_none_or(|hit| hit.distance > distance * (1.0 - HIDES))
    }
}

impl Instrument for Depth {
    fn plan(&mut self, shots: u64) {
        let rows = (shots as f64 * 0.75).sqrt().round().clamp(0.0, 30_000.0);
        let columns = (shots as f64 / rows.max(1.0)).round().min(40_000.0);
        self.camera.rows = rows as u32;
        self.camera.columns = columns as u32;
        self.camera.focal = FOCAL * columns;
        self.alike = ALIKE * columns / 640.0;
    }

    fn camera(&self) -> Option<Camera> {
        Some(self.camera.clone())
    }

    fn shoot(&self, at: u64, random: &mut Random) -> Vec<Drawn> {
        let camera = &self.camera;
        let columns = u64::from(camera.columns).max(1);
        let (row, column) = ((at / columns) as f64, (at % columns) as f64);
        let pixel = camera.pixel(row, column);
        let stretch = length(pixel);
        let ray = Ray { eye: camera.position, direction: scaled(pixel, 1.0 / stretch) };
        let Some(hit) = self.caster.first(&ray, random.unit()) else { return vec![] };
        let exact = self.caster.sagged(&hit, ray.at(hit.distance));
        let mut depth = dot(minus(exact, camera.position), camera.forward);
        let within = (self.range[0]..=self.range[1]).contains(&depth);
        if !within || Caster::incidence(&ray, &hit) < GRAZING || !self.is_lit(exact) {
            return vec![];
        }
        let stray = random.unit() < self.outliers;
        if stray {
            depth = random.between(self.range[0], self.range[1]);
        }
        let error = self.error * self.smooth.plane(column / self.alike, row / self.alike);
        let disparity = camera.depth_times_disparity / depth + error;
        let disparity = (disparity / STEP).round() * STEP;
        if disparity <= 0.0 {
            return vec![];
        }
        let depth = camera.depth_times_disparity / disparity;
        let mut point = self.caster.measured(&ray, &hit, 0.0, random);
        point.position = plus(camera.position, scaled(pixel, depth));
        if stray {
            point.label = -1;
        }
        vec![point]
    }
}
