//! The points of a scene as a stream of chunks.

use super::model::{Model, ModelPlane};
use super::options::{Grid, SceneOptions};
use super::random::Random;
use super::sampler::{Drawn, Sampler, View};
use super::scene::{HardPart, STEPS_PER_UNIT, Scene};
use super::scenes::{boards, hard, roofs, room, street};
use super::sensor::Survey as Shots;
use super::smooth::SmoothVector;
use super::thin::thinned;
use super::truth::{Camera, Survey, TRUTH_VERSION, Truth, TruthPlane};
use super::vector::{Pose, Vec3, dot, plus, scaled};
use crate::Result;
use crate::cloud::Chunk;
use rayon::prelude::*;

/// Points per chunk by default.
const CHUNK: usize = 1 << 18;

/// Points, or a sensor's shots, drawn at a time.
const BLOCK: u64 = 1 << 17;

/// Distance between neighbouring parts of the hard scene, in metres.
const APART: f64 = 30.0;

/// Copies of a point lie in a ball of this radius, in metres.
const COPY: f64 = 0.000_05;
/// Separates the random numbers of copies from those of points.
const COPIES: u64 = 1 << 32;

/// Length, in metres, over which the displacement of a pass varies.
const PASS_LENGTH: f64 = 8.0;

/// Starts a scene.
///
/// # Errors
/// [`Error::Parameter`](crate::Error::Parameter) for invalid options, and for a sensor
/// that sees nothing of the scene.
pub fn generate(scene: Scene, options: &SceneOptions) -> Result<Points> {
    options.check(scene)?;
    let grid = options.grid();
    let parts = parts(scene, options);
    let planes: Vec<ModelPlane> =
        parts.iter().flat_map(|part| part.sampler.model().planes.clone()).collect();
    let drawn = options.points.div_ceil(u64::from(options.copies));
    let source = match options.sensor {
        None => Source::Parts(parts),
        Some(sensor) => {
            let models = parts.into_iter().map(|part| part.sampler.into_model());
            let model = Model::merged(models);
            let passes = u64::from(options.passes.map_or(1, |passes| passes.count));
            let each = drawn.div_ceil(passes);
            Source::Survey(Shots::plan(scene, sensor, &model, options, each)?)
        }
    };
    let home = match &source {
        Source::Parts(_) => None,
        Source::Survey(shots) => shots.home.map(|home| home.map(|v| 0.0 - v)),
    };
    let origin = options.origin.or(home).unwrap_or_else(|| scene.default_origin());
    let origin = origin.map(|v| (v * STEPS_PER_UNIT).round() / STEPS_PER_UNIT);
    let counts = vec![0; planes.len()];
    Ok(Points {
        scene,
        options: options.clone(),
        grid,
        origin: origin.map(|v| grid.number(v)),
        source,
        planes,
        chunk: CHUNK,
        drawn: 0,
        total: drawn,
        place: SurveyState::default(),
        ready: Vec::new(),
        taken: 0,
        placed: 0,
        next: 0,
        counts,
        squares: 0.0,
    })
}

/// A scene's points, chunk by chunk, each with colour, intensity and label.
#[derive(Debug)]
pub struct Points {
    scene: Scene,
    options: SceneOptions,
    grid: Grid,
    /// The origin, in steps of the grid.
    origin: Vec3,
    source: Source,
    planes: Vec<ModelPlane>,
    chunk: usize,
    /// Number of points drawn so far, before thinning and copying, and most points there will be.
    drawn: u64,
    total: u64,
    /// Current position in a survey.
    place: SurveyState,
    /// Points ready in their order in the cloud, and how many of them were given out.
    ready: Vec<Drawn>,
    taken: usize,
    /// Number of points made ready, before copying.
    placed: u64,
    /// Number of points given out so far.
    next: u64,
    /// Number of points given out so far, by plane.
    counts: Vec<u64>,
    /// Sum of the points' squared distances from their planes.
    squares: f64,
}

/// Where the points come from.
#[derive(Debug)]
enum Source {
    /// Parts that take turns, point by point.
    Parts(Vec<Part>),
    Survey(Shots),
}

/// A position in a survey: pass, shot, and number of points in this pass so far.
#[derive(Debug, Clone, Copy, Default)]
struct SurveyState {
    pass: u64,
    shot: u64,
    points: u64,
}

impl Points {
    /// Sets the number of points per chunk, at least one. The points stay the same.
    pub fn with_chunk_size(mut self, points: usize) -> Self {
        self.chunk = points.max(1);
        self
    }

    /// Position of the scene's own origin.
    pub fn origin(&self) -> [f64; 3] {
        self.origin.map(|v| self.grid.value(v))
    }

    /// The step of which coordinates are whole multiples, in metres.
    pub fn step(&self) -> f64 {
        self.grid.step()
    }

    /// The scene's planes, with the numbers of points given out so far.
    pub fn truth(&self) -> Truth {
        let origin = self.origin();
        let counted = self.planes.iter().zip(&self.counts);
        let on_planes: u64 = self.counts.iter().sum();
        let survey = (!self.options.is_plain()).then(|| self.survey());
        Truth {
            version: TRUTH_VERSION,
            scene: self.scene.name().into(),
            points: self.next,
            on_planes,
            noise: match survey {
                Some(_) => (self.squares / on_planes.max(1) as f64).sqrt(),
                None => self.options.noise,
            },
            outliers: self.options.outliers,
            seed: self.options.seed,
            origin,
            step: self.step(),
            survey,
            planes: counted
                .map(|(plane, &points)| TruthPlane::new(plane, origin, points, self.next))
                .collect(),
        }
    }

    fn survey(&self) -> Survey {
        let options = &self.options;
        let camera = match &self.source {
            Source::Survey(survey) => survey.camera.clone(),
            Source::Parts(_) => None,
        };
        let placed =
            |camera: Camera| Camera { position: plus(camera.position, self.origin()), ..camera };
        Survey {
            sensor: options.sensor.map(|sensor| sensor.name().into()),
            noise: options.noise,
            sag: options.sag,
            curved: options.curved,
            passes: options.passes,
            voxel: options.voxel,
            copies: options.copies,
            camera: camera.map(placed),
        }
    }

    /// Draws more points; empty if there are no more.
    fn draw(&mut self) -> Vec<Drawn> {
        let wanted = (self.total - self.drawn).min(BLOCK);
        let drawn = match &self.source {
            _ if wanted == 0 => Vec::new(),
            Source::Parts(parts) => {
                let point = |i| drawn_from(parts, self.drawn + i, self.total, &self.options);
                (0..wanted).into_par_iter().map(point).collect()
            }
            Source::Survey(survey) => shots(survey, &mut self.place, self.total, &self.options),
        };
        self.drawn += drawn.len() as u64;
        drawn
    }

    /// Makes points ready; `false` if there are no more.
    fn prepare(&mut self) -> bool {
        let mut drawn = self.draw();
        if drawn.is_empty() {
            return false;
        }
        if let Some(voxel) = self.options.voxel {
            loop {
                let more = self.draw();
                if more.is_empty() {
                    break;
                }
                drawn.extend(more);
            }
            drawn = thinned(&drawn, voxel);
        }
        self.ready.drain(..self.taken);
        self.taken = 0;
        let copies = self.options.copies as usize;
        let start = self.placed * copies as u64;
        let place = |i: usize| self.in_place(&drawn[i / copies], start + i as u64);
        let limit = (self.options.points - start.min(self.options.points)) as usize;
        let count = (drawn.len() * copies).min(limit);
        let ready: Vec<Drawn> = (0..count).into_par_iter().map(place).collect();
        self.placed += drawn.len() as u64;
        self.ready.extend(ready);
        true
    }

    /// Copy `index` of all copies, rounded, in scene coordinates and steps of the grid.
    fn in_place(&self, point: &Drawn, index: u64) -> Drawn {
        let mut position = point.position;
        if !index.is_multiple_of(u64::from(self.options.copies)) {
            let mut random = Random::new(self.options.seed, COPIES, index);
            position = plus(position, scaled(random.in_ball(), COPY));
        }
        Drawn { position: position.map(|v| self.grid.number(v)), ..*point }
    }
}

/// Point `index` of parts that take turns.
fn drawn_from(parts: &[Part], index: u64, total: u64, options: &SceneOptions) -> Drawn {
    let count = parts.len() as u64;
    let part = &parts[(index % count) as usize];
    let mut drawn = part.point(index / count, options);
    if let Some(passes) = options.passes {
        let pass = u128::from(index) * u128::from(passes.count) / u128::from(total.max(1));
        drawn.position = passed(drawn.position, pass as u64, options);
    }
    drawn
}

/// Points of a survey's next shots.
fn shots(
    survey: &Shots,
    place: &mut SurveyState,
    total: u64,
    options: &SceneOptions,
) -> Vec<Drawn> {
    let passes = u64::from(options.passes.map_or(1, |passes| passes.count));
    while place.pass < passes {
        let SurveyState { pass, shot, points } = *place;
        let shots = (shot..shot + BLOCK).into_par_iter();
        let drawn = shots.map(|shot| survey.shoot(options.seed, pass, shot));
        let drawn: Vec<Option<Vec<Drawn>>> = drawn.collect();
        let over = drawn.iter().any(Option::is_none);
        let mut drawn: Vec<Drawn> = drawn.into_iter().flatten().flatten().collect();
        // The last pass has fewer points if they cannot be shared out evenly.
        let left = (total - (pass * survey.points).min(total)).min(survey.points) - points;
        drawn.truncate(left as usize);
        for point in &mut drawn {
            point.position = passed(point.position, pass, options);
        }
        place.shot += BLOCK;
        place.points += drawn.len() as u64;
        if over || drawn.len() as u64 == left {
            *place = SurveyState { pass: pass + 1, ..SurveyState::default() };
        }
        if !drawn.is_empty() {
            return drawn;
        }
    }
    Vec::new()
}

/// The position of a point in a pass: slightly displaced, except in the first.
fn passed(p: Vec3, pass: u64, options: &SceneOptions) -> Vec3 {
    match options.passes {
        Some(passes) if pass > 0 => {
            let off =
                SmoothVector::new(options.seed, 100 + pass).space(scaled(p, 1.0 / PASS_LENGTH));
            // Now shorter than 1.
            let off = scaled(off, 1.0 / (1.0 + dot(off, off)).sqrt());
            plus(p, scaled(off, passes.apart))
        }
        _ => p,
    }
}

impl Iterator for Points {
    type Item = Chunk;

    fn next(&mut self) -> Option<Chunk> {
        while self.ready.len() - self.taken < self.chunk && self.prepare() {}
        let count = (self.ready.len() - self.taken).min(self.chunk);
        if count == 0 {
            return None;
        }
        let mut chunk = Chunk::default();
        for point in &self.ready[self.taken..self.taken + count] {
            // Both terms are whole numbers, so clouds at two origins differ by exactly the shift.
            let [x, y, z] =
                [0, 1, 2].map(|axis| self.grid.value(point.position[axis] + self.origin[axis]));
            chunk.x.push(x);
            chunk.y.push(y);
            chunk.z.push(z);
            chunk.colour.push(point.colour);
            chunk.intensity.push(point.intensity);
            chunk.label.push(point.label);
            if let Ok(plane) = usize::try_from(point.label) {
                self.counts[plane] += 1;
                let ModelPlane { normal, offset, .. } = &self.planes[plane];
                let p = point.position.map(|number| self.grid.value(number));
                let distance = dot(*normal, p) - offset;
                self.squares += distance * distance;
            }
        }
        self.taken += count;
        self.next += count as u64;
        Some(chunk)
    }
}

/// A model with its own share of the points.
#[derive(Debug)]
struct Part {
    sampler: Sampler,
    /// Separates its random numbers from those of other parts.
    family: u64,
    /// The label of its first plane.
    first_label: i32,
    outliers: f64,
    /// Number of points of this part, if its points are repeated.
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
        let mut drawn = self.sampler.point(&mut random, options.noise, options.sag);
        if drawn.label >= 0 {
            drawn.label += self.first_label;
        }
        drawn
    }
}

/// Which point is at `index` of a cloud of `count` points that repeats its points twice, three
/// times … ten times in turn.
fn original(index: u64, count: u64) -> u64 {
    /// Points in one such turn.
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
    // The cloud must not end with a point that appears only once.
    match first && index + 1 == count && index > 0 {
        true => original - 1,
        false => original,
    }
}

fn parts(scene: Scene, options: &SceneOptions) -> Vec<Part> {
    let models = match scene {
        Scene::Room => vec![(room::build(options.curved), View::Surface, HardPart::All)],
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
