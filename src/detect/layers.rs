//! Layers: the surface through a cell where the points around it are not all of one surface.
//!
//! The two sides of a table lie in one block, which is as thick as the board; among few points a
//! single outlier spoils a block. So where a block is not flat, or thicker than the noise, the
//! points of the layer in which the cell itself lies are taken alone: those of the densest slab
//! through one of the cell's own points, fitted and chosen again in turn.

use super::cells::Cells;
use super::eigen;
use super::evidence::{FLAT, LINE, MIN_POINTS, NEARLY_FLAT, Surface, Surfel};
use super::links::Links;
use super::noise_field::NoiseField;
use super::spread::Spread;
use crate::Result;
use crate::backend::{Held, Layer, Outcome, Trials};
use crate::frame::Points;
use crate::vector::{Vec3, cross, dot, minus};
use rayon::prelude::*;

/// Blocks thicker than so many times the noise may be several layers.
const LAYERED: f64 = 1.6;
/// Fits of one layer.
const ITERATIONS: usize = 4;
/// Half the thickness of the slab from which a layer is fitted, in standard deviations of the noise.
const SLAB: f64 = 2.5;
/// The same for the first choice, when the normal is still a guess.
const FIRST_SLAB: f64 = 3.0;
/// A layer is at most so many times as thick as the noise: what fills its slab evenly is more.
const THICKEST: f64 = 1.25;
/// Where coordinates come in steps, a layer so many times thinner than the noise is one of them.
const EXACT: f64 = 10.0;
/// A block is wide enough when its edge is so many times the noise; less is never flat.
const WIDE: f64 = 14.0;
/// Levels at which a cell is tried, from the first at which its block is wide enough and has enough
/// points.
const LEVELS: u8 = 3;
/// Blocks of more points than this are only tried at the first level that is wide enough.
const CROWD: i64 = 300;
/// Blocks of at most so many points may owe their shape to a few outliers.
const SPARSE: usize = 64;
/// Thickness over width, squared, of a dense block that may be a few parallel layers.
const NOT_LAYERS: f64 = 0.6;
/// Triangles that are tried for the normal of a layer among outliers.
const TRIANGLES: usize = 24;
/// A layer among outliers holds at least this share of its block.
const MAJORITY: f64 = 0.4;
/// Most points of a cell through which its layer is guessed.
const MOST_GUESSES: usize = 4;
/// Most points of a block that are looked at; of more, evenly many of each place.
const MOST_POINTS: usize = 160;
/// The emptier side of a layer holds at most one in so many points as its half of the slab.
const CONTRAST: usize = 3;

/// What layers are looked for in.
pub(super) struct Layers<'a> {
    pub cells: &'a Cells,
    pub links: &'a Links<'a>,
    pub points: &'a Points,
    /// How the noise differs from place to place.
    pub field: &'a NoiseField,
    /// Standard deviation of points about their surface, in steps.
    pub noise: f64,
}

/// A base cell whose layer is looked for.
#[derive(Debug, Clone, Copy)]
struct Open {
    /// Where it is in Morton order.
    place: u32,
    /// Levels at which it was tried.
    tried: u8,
}

/// What became of the base cells that were tried at a level, and the new surfels of some of them,
/// by their index among those.
type LevelTried = (Vec<Outcome>, Vec<(u32, Surfel)>);

/// A slab that may be a layer.
#[derive(Clone, Copy)]
struct Guess {
    normal: Vec3,
    rho: f64,
}

impl Layers<'_> {
    /// Replaces the surfels whose block is not flat, or too thick for one surface, by those of
    /// their layer, where there is one; `held` are the points where a backend keeps them.
    pub fn refine(
        &self,
        surfels: &mut [Surfel],
        held: &mut Option<Box<dyn Held + '_>>,
    ) -> Result<()> {
        let thick = LAYERED * self.noise;
        let thin = |s: &Surfel, t: f32| f64::from(t) <= thick * f64::from(s.scale);
        let wanted = |s: &Surfel| s.surface.is_none_or(|f| !thin(s, f.thickness));
        // In Morton order those of one cell follow each other, on any level.
        let by_place = self.links.by_place();
        let open = by_place.par_iter().enumerate().filter(|&(_, &b)| wanted(&surfels[b as usize]));
        let mut open: Vec<Open> =
            open.map(|(place, _)| Open { place: place as u32, tried: 0 }).collect();
        let edge = 3.0 * self.cells.base().size;
        let quietest = self.field.least() * self.noise;
        let first = (WIDE * quietest / edge).log2().ceil().max(0.0) as usize;
        for level in first..self.links.levels() {
            if open.is_empty() {
                break;
            }
            let tried = match held {
                Some(held) => self.on_device(held.as_mut(), &open, level)?,
                None => None,
            };
            let (outcomes, found) = tried.unwrap_or_else(|| self.here(&open, level));
            for (entry, layer) in found {
                let surfel = &mut surfels[by_place[open[entry as usize].place as usize] as usize];
                *surfel = Surfel { scale: surfel.scale, ..layer };
            }
            let stays = |(open, outcome): (Open, Outcome)| match outcome {
                Outcome::TooFew => Some(open),
                Outcome::None => {
                    Some(Open { tried: open.tried + 1, ..open }).filter(|o| o.tried < LEVELS)
                }
                _ => None,
            };
            open = open.into_par_iter().zip(outcomes).filter_map(stays).collect();
        }
        Ok(())
    }

    /// The most noise for which the blocks of a level are wide enough.
    fn widest(&self, level: usize) -> f64 {
        3.0 * self.cells.levels[level].size / WIDE
    }

    /// Tries the cells by a backend that keeps the points, if it has room for that.
    fn on_device(
        &self,
        held: &mut dyn Held,
        open: &[Open],
        level: usize,
    ) -> Result<Option<LevelTried>> {
        let bases: Vec<u32> = open.par_iter().map(|o| o.place).collect();
        let (noise, widest) = (self.noise, self.widest(level));
        let trials = Trials { bases: &bases, level, noise, widest };
        let tried = held.layers(&trials)?;
        let surfel = |layer: Layer| {
            let surface = Some(Surface::of_layer(&layer, level));
            let Layer { entry, centroid, scatter, weight, .. } = layer;
            (entry, Surfel { centroid, scatter, weight, surface, scale: 1.0 })
        };
        Ok(tried.map(|tried| (tried.outcomes, tried.layers.into_iter().map(surfel).collect())))
    }

    /// Tries the cells here.
    fn here(&self, open: &[Open], level: usize) -> LevelTried {
        let in_cell = |open: &Open| {
            let base = self.links.by_place()[open.place as usize];
            (self.links.ancestor(base, level), base)
        };
        let open: Vec<(u32, u32)> = open.par_iter().map(in_cell).collect();
        let blocks = open.par_chunk_by(|a, b| a.0 == b.0);
        let tried: Vec<(Outcome, Option<Surfel>)> =
            blocks.flat_map_iter(|group| self.block(group, level)).collect();
        let found = tried.iter().zip(0..).filter_map(|(t, entry)| Some((entry, t.1?)));
        (tried.iter().map(|t| t.0).collect(), found.collect())
    }

    /// Tries the base cells of a group that lies in one cell: that cell, and each of them.
    ///
    /// The noise is that of the first of them: from region to region it changes little.
    fn block(&self, group: &[(u32, u32)], level: usize) -> Vec<(Outcome, Option<Surfel>)> {
        let all = |outcome: Outcome| vec![(outcome, None); group.len()];
        let noise = self.noise * self.field.scale(group[0].1 as usize);
        let widest = self.widest(level);
        if noise > widest {
            return all(Outcome::TooFew);
        }
        let block = self.links.block(level, group[0].0);
        let cells = &self.cells.levels[level];
        let n: i64 = block.iter().map(|&c| cells.count(c as usize)).sum();
        if n < MIN_POINTS {
            return all(Outcome::TooFew);
        }
        let is_first = level == 0 || noise > 0.5 * widest;
        if n > CROWD && !is_first {
            return all(Outcome::Crowded);
        }
        let mut points = Vec::with_capacity(n as usize);
        for &neighbour in block {
            self.links.inside(level, neighbour).iter().for_each(|&c| self.collect(c, &mut points));
        }
        thin_out(&mut points, MOST_POINTS);
        let (values, normal) = eigen::smallest(spread(&points, |_| true).covariance());
        let sparse = points.len() <= SPARSE;
        if !sparse && values[0] > NOT_LAYERS * values[1] {
            return all(Outcome::None);
        }
        let sliced = self.field.has_floor();
        let block = Block { points: &points, normal, level, noise, sliced };
        let mut own = Vec::new();
        let one = |&(_, base): &(u32, u32)| {
            own.clear();
            self.collect(base, &mut own);
            let layer = block.along(&own);
            let layer = if layer.is_none() && sparse { block.among_outliers(&own) } else { layer };
            (layer.map_or(Outcome::None, |_| Outcome::Found), layer)
        };
        group.iter().map(one).collect()
    }

    /// Appends the distinct points of a base cell.
    fn collect(&self, cell: u32, to: &mut Vec<Vec3>) {
        let mut last = None;
        for i in self.cells.points_of(cell as usize) {
            let p = self.points.get(i);
            if last.replace(p) != Some(p) {
                to.push(p.map(f64::from));
            }
        }
    }
}

/// The points of one block.
struct Block<'a> {
    points: &'a [Vec3],
    /// Where all points together are thinnest.
    normal: Vec3,
    level: usize,
    /// Standard deviation of points about their surface there, in steps.
    noise: f64,
    /// Whether what is exact is a step of the coordinates.
    sliced: bool,
}

impl Block<'_> {
    /// The layer through one of the cell's `own` points, where layers lie along the block.
    fn along(&self, own: &[Vec3]) -> Option<Surfel> {
        let stride = own.len().div_ceil(MOST_GUESSES).max(1);
        let guess = |&p: &Vec3| Guess { normal: self.normal, rho: dot(p, self.normal) };
        let guesses = own.iter().step_by(stride).map(guess);
        self.layer(self.densest(guesses)?, own, FLAT)
    }

    /// The layer of most points through one of the cell's `own` points and two others.
    fn among_outliers(&self, own: &[Vec3]) -> Option<Surfel> {
        let n = self.points.len();
        let far = 0.25 * longest(self.points[0], self.points);
        let triangle = |(k, &p): (usize, &Vec3)| {
            // Two others, far apart in the order of places.
            let a = 7919 * k % n;
            let b = (a + n / 3 + 31 * k) % n;
            let across = cross(minus(self.points[a], p), minus(self.points[b], p));
            let area = dot(across, across).sqrt();
            let normal = across.map(|c| c / area);
            (area > far * far).then(|| Guess { normal, rho: dot(p, normal) })
        };
        let guesses = own.iter().cycle().take(TRIANGLES).enumerate().filter_map(triangle);
        let guess = self.densest(guesses)?;
        self.layer(guess, own, NEARLY_FLAT).filter(|_| {
            let slab = SLAB * self.noise;
            let inside = self.points.iter().filter(|&&p| guess.distance(p).abs() <= slab).count();
            inside as f64 >= MAJORITY * n as f64
        })
    }

    /// The guess whose slab holds most points, the first of equals.
    fn densest(&self, guesses: impl Iterator<Item = Guess>) -> Option<Guess> {
        let slab = 2.0 * self.noise;
        let count =
            |g: &Guess| self.points.iter().filter(|&&p| g.distance(p).abs() <= slab).count();
        let mut best = None;
        for guess in guesses {
            let count = count(&guess);
            if best.is_none_or(|(most, _)| count > most) {
                best = Some((count, guess));
            }
        }
        best.map(|(_, guess)| guess)
    }

    /// The layer that a guess leads to, as the surfel of the cell with the `own` points.
    fn layer(&self, guess: Guess, own: &[Vec3], flat: f64) -> Option<Surfel> {
        let noise = self.noise;
        let Guess { mut normal, mut rho } = guess;
        let mut slab = FIRST_SLAB * noise;
        let mut found = None;
        for _ in 0..ITERATIONS {
            let layer = spread(self.points, |p| (dot(p, normal) - rho).abs() <= slab);
            let n = layer.weight();
            if n < MIN_POINTS as f64 {
                return None;
            }
            let values;
            (values, normal) = eigen::smallest(layer.covariance());
            rho = dot(normal, layer.mean());
            slab = SLAB * noise;
            found = Some((n, values));
        }
        let (n, values) = found?;
        let thickness = (values[0].max(0.0) * n / (n - 3.0)).sqrt();
        let wide = values[0] <= flat * values[1] && values[1] >= LINE * values[2];
        let sliced = self.sliced && EXACT * thickness < noise;
        if !wide
            || sliced
            || thickness > THICKEST * noise
            || !self.stands_out(Guess { normal, rho })
        {
            return None;
        }
        let mine = spread(own, |p| (dot(p, normal) - rho).abs() <= slab);
        (mine.weight() > 0.0).then(|| Surfel {
            centroid: mine.mean(),
            scatter: mine.covariance().map(|c| c as f32),
            weight: mine.weight() as u32,
            surface: Some(Surface::new(
                normal,
                (values[0].max(0.0) / values[1] / n).sqrt(),
                thickness,
                self.level,
            )),
            scale: 1.0,
        })
    }

    /// Whether a layer is denser than what lies on one side of it.
    fn stands_out(&self, layer: Guess) -> bool {
        let slab = SLAB * self.noise;
        let (mut inside, mut below, mut above) = (0, 0, 0);
        for distance in self.points.iter().map(|&p| layer.distance(p)) {
            inside += usize::from(distance.abs() <= slab);
            below += usize::from(distance < -slab && distance >= -2.0 * slab);
            above += usize::from(distance > slab && distance <= 2.0 * slab);
        }
        2 * CONTRAST * below.min(above) <= inside
    }
}

impl Guess {
    fn distance(&self, p: Vec3) -> f64 {
        dot(p, self.normal) - self.rho
    }
}

/// Leaves at most so many points, every second, third, … of them: points of one place lie together.
fn thin_out(points: &mut Vec<Vec3>, most: usize) {
    let stride = points.len().div_ceil(most).max(1);
    let mut i = 0usize;
    points.retain(|_| {
        i += 1;
        (i - 1).is_multiple_of(stride)
    });
}

/// The sums over the points that `of` chooses.
fn spread(points: &[Vec3], of: impl Fn(Vec3) -> bool) -> Spread {
    let mut spread = Spread::default();
    points.iter().filter(|&&p| of(p)).for_each(|&p| spread.add(p, 1.0));
    spread
}

/// The largest distance of points from one.
fn longest(from: Vec3, points: &[Vec3]) -> f64 {
    let square = |&p: &Vec3| dot(minus(p, from), minus(p, from));
    points.iter().map(square).fold(0.0, f64::max).sqrt()
}
