//! A dense cloud from photographs.

use super::super::model::Model;
use super::super::options::SceneOptions;
use super::super::random::Random;
use super::super::sampler::{Drawn, Sampler, View};
use super::super::scene::Scene;
use super::super::smooth::{Smooth, SmoothVector};
use super::super::vector::{plus, scaled};
use super::instrument::Instrument;
use super::places::Places;

/// Waves: share of the variance, and wavelength in metres.
const WAVES: [[f64; 2]; 2] = [[0.5, 0.2], [0.5, 0.6]];
/// The noise that is independent from point to point, as a share of the whole noise.
const GRAIN: f64 = 0.1;
/// Holes: the surface is missing where a smooth function with this length scale is above this value, a seventh
/// of it.
const HOLE: [f64; 2] = [0.8, 1.1];
/// Blobs extend this far from edges, and swell by as much.
const BLOB: f64 = 0.03;
/// Length over which the swelling of blobs is correlated.
const SWELL: f64 = 0.06;

#[derive(Debug)]
pub(super) struct Photo {
    sampler: Sampler,
    waves: [Smooth; 2],
    holes: Smooth,
    blobs: SmoothVector,
    /// Factor on all lengths.
    factor: f64,
    noise: f64,
    sag: f64,
    outliers: f64,
}

impl Photo {
    pub(super) fn new(
        scene: Scene,
        model: &Model,
        places: &Places,
        options: &SceneOptions,
    ) -> Self {
        let view = if scene == Scene::Roofs { View::Above } else { View::Surface };
        Photo {
            sampler: Sampler::new(model.clone(), view),
            waves: [20, 21].map(|channel| Smooth::new(options.seed, channel)),
            holes: Smooth::new(options.seed, 22),
            blobs: SmoothVector::new(options.seed, 23),
            factor: places.photo,
            noise: options.noise,
            sag: options.sag,
            outliers: options.outliers,
        }
    }
}

impl Instrument for Photo {
    fn plan(&mut self, _: u64) {}

    fn shoot(&self, _: u64, random: &mut Random) -> Vec<Drawn> {
        if random.unit() < self.outliers {
            return vec![self.sampler.outlier(random)];
        }
        let (surface, exact, normal) = self.sampler.place(random);
        let at = scaled(exact, 1.0 / self.factor);
        if self.holes.space(scaled(at, 1.0 / HOLE[0])) > HOLE[1] {
            return vec![];
        }
        let waves = self.waves.iter().zip(WAVES);
        let wave = waves.fold(0.0, |sum, (smooth, [share, length])| {
            sum + share.sqrt() * smooth.space(scaled(at, 1.0 / length))
        });
        let off = self.noise * (wave + GRAIN * random.gaussian());
        let sagged = surface.shape.sagged(exact, self.sag);
        let mut position = plus(sagged, scaled(normal, off));
        let blob = BLOB * self.factor;
        let inside = surface.shape.edge_distance(exact) / blob;
        let swollen = random.unit() >= inside;
        if swollen {
            let swell = self.blobs.space(scaled(at, 1.0 / SWELL));
            position = plus(position, scaled(swell, 0.5 * blob));
        }
        let mut point = Drawn::painted(surface, normal, position, random);
        if swollen {
            point.label = -1;
        }
        vec![point]
    }
}
