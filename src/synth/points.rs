//! The points of a scene as a stream of chunks.

use super::model::Model;
use super::random::Random;
use super::sampler::{Drawn, Sampler, View};
use super::scenes::{boards, hard, roofs, room, street};
use super::truth::{TRUTH_VERSION, Truth, TruthPlane};
use super::vector::{Pose, Vec3};
use super::{HardPart, STEP, STEPS_PER_UNIT, Scene, SceneOptions};
use crate::Result;
use crate::cloud::Chunk;
use rayon::prelude::*;

/// Points of a chunk unless asked otherwise.
const CHUNK: usize = 1 << 18;

/// From one part of the hard scene to the next, in metres.
const APART: f64 = 30.0;

/// Starts a scene.
///
/// # Errors
/// [`Error::Parameter`](crate::Error::Parameter) for options that make no sense.
pub fn generate(scene: Scene, options: &SceneOptions) -> Result<Points> {
    options.check()?;
    let parts = parts(scene, options);
    let planes = parts.iter().map(|part| part.sampler.model().planes.len()).sum();
    let origin = options.origin.unwrap_or_else(|| scene.default_origin());
    Ok(Points {
        scene,
        options: options.clone(),
        origin: origin.map(|v| (v * STEPS_PER_UNIT).round()),
        parts,
        chunk: CHUNK,
        next: 0,
        counts: vec![0; planes],
        drawn: Vec::new(),
    })
}

/// A scene's points, chunk by chunk, each with colour, intensity and label.
#[derive(Debug)]
pub struct Points {
    scene: Scene,
    options: SceneOptions,
    /// In steps.
    origin: Vec3,
    parts: Vec<Part>,
    chunk: usize,
    next: u64,
    /// Points given out so far, by plane.
    counts: Vec<u64>,
    drawn: Vec<Drawn>,
}

impl Points {
    /// Sets the number of points in a chunk, at least one. The points stay the same.
    pub fn with_chunk_size(mut self, points: usize) -> Self {
        self.chunk = points.max(1);
        self
    }

    /// Where the scene's own origin lies.
    pub fn origin(&self) -> [f64; 3] {
        self.origin.map(|v| v / STEPS_PER_UNIT)
    }

    /// The scene's planes, with the points given out so far.
    pub fn truth(&self) -> Truth {
        let origin = self.origin();
        let planes = self.parts.iter().flat_map(|part| &part.sampler.model().planes);
        let counted = planes.zip(&self.counts);
        Truth {
            version: TRUTH_VERSION,
            scene: self.scene.name().into(),
            points: self.next,
            on_planes: self.counts.iter().sum(),
            noise: self.options.noise,
            outliers: self.options.outliers,
            seed: self.options.seed,
            origin,
            step: STEP,
            planes: counted
                .map(|(plane, &points)| TruthPlane::new(plane, origin, points, self.next))
                .collect(),
        }
    }

    /// Point `index` of the scene, in its place in the cloud.
    fn point(&self, index: u64) -> Drawn {
        // The parts take turns.
        let parts = self.parts.len() as u64;
        let part = &self.parts[(index % parts) as usize];
        let mut drawn = part.point(index / parts, &self.options);
        for (value, origin) in drawn.position.iter_mut().zip(self.origin) {
            // Both terms are whole numbers, so clouds at two origins differ by the shift exactly.
            *value = ((*value * STEPS_PER_UNIT).round() + origin) / STEPS_PER_UNIT;
        }
        drawn
    }
}

impl Iterator for Points {
    type Item = Chunk;

    fn next(&mut self) -> Option<Chunk> {
        let left = self.options.points - self.next;
        // At most the size of a chunk, so it fits.
        let count = left.min(self.chunk as u64) as usize;
        if count == 0 {
            return None;
        }
        let mut drawn = std::mem::take(&mut self.drawn);
        (0..count)
            .into_par_iter()
            .map(|i| self.point(self.next + i as u64))
            .collect_into_vec(&mut drawn);
        self.next += count as u64;
        let mut chunk = Chunk::default();
        for point in &drawn {
            let [x, y, z] = point.position;
            chunk.x.push(x);
            chunk.y.push(y);
            chunk.z.push(z);
            chunk.colour.push(point.colour);
            chunk.intensity.push(point.intensity);
            chunk.label.push(point.label);
            if let Ok(plane) = usize::try_from(point.label) {
                self.counts[plane] += 1;
            }
        }
        self.drawn = drawn;
        Some(chunk)
    }
}

/// A model with its own share of the points.
#[derive(Debug)]
struct Part {
    sampler: Sampler,
    /// Tells its random numbers from those of other parts.
    family: u64,
    /// The label of its first plane.
    first_label: i32,
    outliers: f64,
    /// Of the points of this part, if each is repeated.
    repeated: Option<u64>,
}

impl Part {
    fn point(&self, index: u64, options: &SceneOptions) -> Drawn {
        let original = match self.repeated {
            Some(count) => original(index, count),
            None => index,
        };
        let mut random = Random::new(options.seed, self.family, original);
        if random.unit() < self.outliers {
            return self.sampler.outlier(&mut random);
        }
        let mut drawn = self.sampler.point(&mut random, options.noise);
        if drawn.label >= 0 {
            drawn.label += self.first_label;
        }
        drawn
    }
}

/// Which point stands at `index` of a cloud of `count` points that repeats its points twice, three
/// times … ten times in turn.
fn original(index: u64, count: u64) -> u64 {
    /// Points in such a turn.
    const TURN: u64 = 54;
    let place = |index: u64| {
        let (turn, mut rest) = (index / TURN, index % TURN);
        let mut within = 0;
        while rest >= within + 2 {
            rest -= within + 2;
            within += 1;
        }
        (turn * 9 + within, rest == 0)
    };
    let (original, first) = place(index);
    // The cloud must not end with a point that stands there once.
    match first && index + 1 == count && index > 0 {
        true => original - 1,
        false => original,
    }
}

fn parts(scene: Scene, options: &SceneOptions) -> Vec<Part> {
    let models = match scene {
        Scene::Room => vec![(room::build(), View::Surface, HardPart::All)],
        Scene::Boards => vec![(boards::build(), View::Surface, HardPart::All)],
        Scene::Roofs => vec![(roofs::build(), View::Above, HardPart::All)],
        Scene::Street => vec![(street::build(), View::Tripod(street::eye()), HardPart::All)],
        Scene::Hard(HardPart::All) => (0..)
            .zip(HardPart::PARTS)
            .map(|(i, part)| {
                let place = [APART * f64::from(i % 4), APART * f64::from(i / 4), 0.0];
                (hard_model(part, Pose::at(place)), View::Surface, part)
            })
            .collect(),
        Scene::Hard(part) => {
            vec![(hard_model(part, Pose::at([0.0; 3])), View::Surface, part)]
        }
    };
    let total = models.len() as u64;
    let mut first_label = 0;
    let mut parts = Vec::new();
    for (family, (model, view, part)) in (0..).zip(models) {
        let planes = model.planes.len() as i32;
        parts.push(Part {
            sampler: Sampler::new(model, view),
            family,
            first_label,
            outliers: match part {
                HardPart::Outliers => options.outliers.max(0.5),
                _ => options.outliers,
            },
            repeated: (part == HardPart::Duplicates)
                .then(|| (options.points + total - 1 - family) / total),
        });
        first_label += planes;
    }
    parts
}

fn hard_model(part: HardPart, pose: Pose) -> Model {
    match part {
        HardPart::Parallel => hard::parallel(pose),
        HardPart::Poles => hard::poles(pose),
        HardPart::Seam => hard::seam(pose),
        HardPart::Stairs => hard::stairs(pose),
        HardPart::Strips => hard::strips(pose),
        HardPart::Giant => hard::giant(pose),
        HardPart::All | HardPart::Outliers | HardPart::Duplicates => hard::corner(pose),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn repeats_run_from_two_to_ten() {
        for count in [2, 3, 53, 54, 55, 56, 57, 58, 1000] {
            let mut runs: Vec<(u64, u64)> = Vec::new();
            for index in 0..count {
                match runs.last_mut() {
                    Some((point, times)) if *point == original(index, count) => *times += 1,
                    _ => runs.push((original(index, count), 1)),
                }
            }
            assert!(runs.iter().all(|run| (2..=11).contains(&run.1)), "{count}: {runs:?}");
            let points: Vec<u64> = runs.iter().map(|run| run.0).collect();
            assert_eq!(points, (0..runs.len() as u64).collect::<Vec<_>>());
        }
        assert_eq!(original(53, 54), 8);
        assert_eq!(original(54, 100), 9);
    }
}
