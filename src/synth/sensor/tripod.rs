//! A laser scanner on a tripod.

use super::super::options::SceneOptions;
use super::super::random::Random;
use super::super::sampler::Drawn;
use super::super::vector::{Vec3, circle, frame, minus, plus, scaled, unit};
use super::cast::{Caster, Hit, Ray};
use super::instrument::{FAMILY, Instrument};
use super::places::Places;

/// Lowest elevation and the range of elevations, in degrees.
const ELEVATIONS: [f64; 2] = [-70.0, 160.0];
/// Half the divergence of the beam, as a standard deviation.
const BEAM: f64 = 0.0005;
/// A beam is split between surfaces farther apart than this, in metres.
const SPLIT: f64 = 0.05;
/// Errors of a set-up: of its position along each axis, and of its azimuth.
const SHIFT: f64 = 0.002;
const TURN: f64 = 0.0002;
/// The range at which the noise has its nominal value, and its share at range 0.
const NOMINAL: f64 = 10.0;
const NEAR: f64 = 0.2;
/// Largest factor by which the noise grows at grazing angles.
const GRAZING: f64 = 4.0;

#[derive(Debug)]
pub(super) struct Tripod {
    caster: Caster,
    stations: Vec<Station>,
    noise: f64,
    shots: u64,
    rows: u64,
    columns: u64,
}

#[derive(Debug)]
struct Station {
    eye: Vec3,
    shift: Vec3,
    turn: f64,
}

impl Tripod {
    pub(super) fn new(caster: Caster, places: &Places, options: &SceneOptions) -> Self {
        let station = |(i, &eye): (u64, &Vec3)| {
            let mut random = Random::new(options.seed, FAMILY - 2, i);
            let off = f64::from(u8::from(i > 0));
            let shift = [(); 3].map(|()| off * SHIFT * random.gaussian());
            Station { eye, shift, turn: off * TURN * random.gaussian() }
        };
        let stations = (0..).zip(&places.stations).map(station).collect();
        Tripod { caster, stations, noise: options.noise, shots: 1, rows: 1, columns: 1 }
    }

    fn error(&self, ray: &Ray, hit: &Hit, random: &mut Random) -> f64 {
        let range = NEAR + (1.0 - NEAR) * hit.distance / NOMINAL;
        let angle = (1.0 / Caster::incidence(ray, hit).max(1e-9).sqrt()).min(GRAZING);
        self.noise * range * angle * random.gaussian()
    }
}

impl Station {
    /// The position that the registration gives to a point.
    fn registered(&self, p: Vec3) -> Vec3 {
        let [x, y, z] = minus(p, self.eye);
        let turned = [x - self.turn * y, y + self.turn * x, z];
        plus(plus(self.eye, turned), self.shift)
    }
}

impl Instrument for Tripod {
    fn plan(&mut self, shots: u64) {
        let each = shots.div_ceil(self.stations.len() as u64).max(1);
        self.rows = ((each as f64 * ELEVATIONS[1] / 360.0).sqrt().round() as u64).max(1);
        self.columns = each.div_ceil(self.rows);
        self.shots = each;
    }

    fn shoot(&self, at: u64, random: &mut Random) -> Vec<Drawn> {
        if let Some(outlier) = self.caster.outlier(random) {
            return vec![outlier];
        }
        let last = self.stations.len() - 1;
        let station = &self.stations[((at / self.shots) as usize).min(last)];
        let within = at % self.shots;
        let (column, row) = (within / self.rows, within % self.rows);
        let azimuth = (column as f64 + 0.5) / self.columns as f64;
        let elevation = ELEVATIONS[0] + ELEVATIONS[1] * (row as f64 + 0.5) / self.rows as f64;
        let ((ca, sa), (ce, se)) = (circle(azimuth), circle(elevation / 360.0));
        let direction = [ce * ca, ce * sa, se];
        let ray = Ray { eye: station.eye, direction };
        let depth = random.unit();
        let Some(hit) = self.caster.first(&ray, depth) else { return vec![] };
        let mut error = self.error(&ray, &hit, random);
        // The other part of the beam.
        let (u, v) = frame(direction);
        let [a, b] = [(); 2].map(|()| BEAM * random.gaussian());
        let aside = unit(plus(direction, plus(scaled(u, a), scaled(v, b))));
        let other = self.caster.first(&Ray { direction: aside, ..ray }, depth);
        let gap = other.map_or(0.0, |other| other.distance - hit.distance);
        let mixed = gap.abs() > SPLIT && random.unit() < 0.5;
        if mixed {
            error += gap * random.unit();
        }
        let mut point = self.caster.measured(&ray, &hit, error, random);
        point.position = station.registered(point.position);
        if mixed {
            point.label = -1;
        }
        vec![point]
    }
}
