//! Finds what a ray meets.

use super::super::model::{Model, Surface};
use super::super::options::SceneOptions;
use super::super::random::Random;
use super::super::sampler::Drawn;
use super::super::vector::{Vec3, dot, minus, plus, scaled};

/// The surfaces of a model, each with a bounding ball.
#[derive(Debug)]
pub(super) struct Caster {
    surfaces: Vec<Surface>,
    /// Centre and squared radius.
    balls: Vec<(Vec3, f64)>,
    model: Model,
    outliers: f64,
    sag: f64,
}

/// A surface that a ray meets.
#[derive(Debug, Clone, Copy)]
pub(super) struct Hit<'a> {
    pub(super) surface: &'a Surface,
    pub(super) distance: f64,
}

/// A ray.
#[derive(Debug, Clone, Copy)]
pub(super) struct Ray {
    pub(super) eye: Vec3,
    /// Of length 1.
    pub(super) direction: Vec3,
}

impl Ray {
    pub(super) fn at(&self, distance: f64) -> Vec3 {
        plus(self.eye, scaled(self.direction, distance))
    }
}

impl Caster {
    pub(super) fn new(model: &Model, options: &SceneOptions) -> Self {
        let balls = model.surfaces.iter().map(|surface| ball(&surface.shape.hull())).collect();
        let surfaces = model.surfaces.clone();
        let (outliers, sag) = (options.outliers, options.sag);
        // Surfaces are kept only once.
        let model = Model { surfaces: Vec::new(), ..model.clone() };
        Caster { surfaces, balls, model, outliers, sag }
    }

    /// The first surface; `depth`, uniform in `[0, 1)`, determines how far the ray gets into leaves.
    pub(super) fn first(&self, ray: &Ray, depth: f64) -> Option<Hit<'_>> {
        let mut nearest: Option<Hit> = None;
        for (surface, distance) in self.hits(ray, depth) {
            if nearest.is_none_or(|hit| distance < hit.distance) {
                nearest = Some(Hit { surface, distance });
            }
        }
        nearest
    }

    /// The leaves before the first surface that stops the ray, and that surface; nearest first.
    pub(super) fn through(&self, ray: &Ray, random: &mut Random) -> Vec<Hit<'_>> {
        let hits = self.hits(ray, random.unit());
        let mut hits: Vec<Hit> =
            hits.map(|(surface, distance)| Hit { surface, distance }).collect();
        hits.sort_by(|a, b| a.distance.total_cmp(&b.distance));
        let solid = hits.iter().position(|hit| !hit.surface.shape.is_leafy());
        hits.truncate(solid.map_or(hits.len(), |at| at + 1));
        hits
    }

    fn hits(&self, ray: &Ray, depth: f64) -> impl Iterator<Item = (&Surface, f64)> {
        let (eye, direction) = (ray.eye, ray.direction);
        let near = move |&(centre, square): &(Vec3, f64)| {
            let to = minus(centre, eye);
            let along = dot(to, direction);
            let distance = dot(to, to);
            distance - along * along <= square && (along >= 0.0 || distance <= square)
        };
        let candidates = self.surfaces.iter().zip(&self.balls).filter(move |(_, b)| near(b));
        candidates.filter_map(move |(surface, _)| {
            Some((surface, surface.shape.hit(eye, direction, depth)?))
        })
    }

    /// The position of a point of a surface when floors sag.
    pub(super) fn sagged(&self, hit: &Hit, p: Vec3) -> Vec3 {
        hit.surface.shape.sagged(p, self.sag)
    }

    /// The measured point where a ray meets a surface, given the error of its range.
    pub(super) fn measured(&self, ray: &Ray, hit: &Hit, error: f64, random: &mut Random) -> Drawn {
        let exact = ray.at(hit.distance);
        let normal = hit.surface.shape.normal_at(exact);
        let position = plus(self.sagged(hit, exact), scaled(ray.direction, error));
        Drawn::painted(hit.surface, normal, position, random)
    }

    /// Returns an outlier if the next point is one.
    pub(super) fn outlier(&self, random: &mut Random) -> Option<Drawn> {
        (random.unit() < self.outliers).then(|| Drawn::outlier(&self.model, random))
    }

    /// Cosine of the angle between the ray and the surface's normal where they meet.
    pub(super) fn incidence(ray: &Ray, hit: &Hit) -> f64 {
        dot(hit.surface.shape.normal_at(ray.at(hit.distance)), ray.direction).abs()
    }
}

/// A ball around points, from their bounding box: its centre and its squared radius, slightly enlarged.
fn ball(points: &[Vec3]) -> (Vec3, f64) {
    let (mut low, mut high) = ([f64::INFINITY; 3], [f64::NEG_INFINITY; 3]);
    for p in points {
        for i in 0..3 {
            low[i] = low[i].min(p[i]);
            high[i] = high[i].max(p[i]);
        }
    }
    let centre = scaled(plus(low, high), 0.5);
    let half = minus(high, centre);
    (centre, 1.0001 * dot(half, half) + 1e-6)
}
