//! Layers: the surface through a cell whose surrounding points belong to several surfaces.
//!
//! The two sides of a table lie in one block, which is as thick as the board; the block of an edge holds both
//! its faces, that of a table's leg all four; among few points a single outlier spoils a block. So where a
//! block is not flat, or is thicker than the noise, only the points of the layer in which the cell lies are
//! used: those of the densest slab through one of the cell's own points, fitted and selected again in turn.

use super::patch::{MOST_POINTS, Marks, Middle, Patch};
use crate::shared::{
    CLEAR_CONTRAST as CLEAR, CONTRAST, CROWD, EXACT_LAYER as EXACT, FIRST_LAYER_SLAB as FIRST_SLAB,
    GUESS_SLAB, LAYER_FITS as ITERATIONS, LAYER_SHARE as SHARE, LAYER_SLAB as SLAB, LAYERS,
    LEAST_AREA, MOST_GUESSES, THICKEST_LAYER as THICKEST, TRIANGLES,
};
use crate::surface::blocks::Finder;
use crate::surface::cloud::CellCloud;
use crate::surface::eigen::{LANES, of_blocks};
use crate::surface::flat::{FLAT, LINE, MIN_POINTS, NEARLY_FLAT};
use crate::surface::layers::{Layer, Outcome, Trials, Tried};
use crate::surface::noise_field::NoiseField;
use crate::surface::spread::Spread;
use crate::vector::{Vec3, cross, dot};
use crate::wide::{Work, widely};
use rayon::prelude::*;
use std::ops::Range;

/// Base cells that one thread tries at a time.
const PIECE: usize = 256;

/// The data of a search for layers.
struct Search<'a> {
    cloud: &'a CellCloud,
    field: &'a NoiseField,
    trials: &'a Trials<'a>,
}

/// Finds the layers through some base cells.
pub(crate) fn layers(cloud: &CellCloud, field: &NoiseField, trials: &Trials) -> Tried {
    let search = Search { cloud, field, trials };
    let cells = &cloud.cells;
    let in_cell = |&base: &u32| (cells.ancestor(base, trials.level), base);
    let open: Vec<InCell> = trials.bases.par_iter().map(in_cell).collect();
    let tried: Vec<Tried> = pieces(&open)
        .into_par_iter()
        // Pieces take very different times.
        .with_max_len(1)
        .map(|(first, open)| widely(Trying { search: &search, open, first }))
        .collect();
    let mut all = Tried { outcomes: Vec::with_capacity(open.len()), layers: Vec::new() };
    for some in tried {
        all.outcomes.extend(some.outcomes);
        all.layers.extend(some.layers);
    }
    all
}

/// A cell of the level, and the base cell in it.
type InCell = (u32, u32);

/// The cells in pieces for threads, each with the index of its first; those in the same cell of the level
/// stay together.
fn pieces(open: &[InCell]) -> Vec<(u32, &[InCell])> {
    let (mut pieces, mut rest) = (Vec::with_capacity(open.len() / PIECE + 1), open);
    while !rest.is_empty() {
        let in_last =
            |from: &[InCell]| from.chunk_by(|a, b| a.0 == b.0).next().map_or(0, <[_]>::len);
        let most = rest.len().min(PIECE) - 1;
        let end = most + in_last(&rest[most..]);
        let first = (open.len() - rest.len()) as u32;
        let (piece, after) = rest.split_at(end);
        pieces.push((first, piece));
        rest = after;
    }
    pieces
}

/// The task of trying some base cells; those in the same cell of the level are tried together.
struct Trying<'a> {
    search: &'a Search<'a>,
    open: &'a [InCell],
    /// Index of the first of them among all that are tried.
    first: u32,
}

impl Work for Trying<'_> {
    type Output = Tried;

    #[inline(always)]
    fn run(self) -> Tried {
        let mut tried = Tried { outcomes: Vec::with_capacity(self.open.len()), layers: Vec::new() };
        let mut blocks: [Block; LANES] = Default::default();
        let mut finder = self.search.cloud.cells.finder(self.search.trials.level);
        let mut used = 0;
        for group in self.open.chunk_by(|a, b| a.0 == b.0) {
            let first = tried.outcomes.len();
            let filled = self.fill(&mut blocks[used], group, &mut finder);
            let outcome = filled.err().unwrap_or(Outcome::None);
            tried.outcomes.extend(group.iter().map(|_| outcome));
            if filled.is_ok() {
                blocks[used].first = first;
                used += 1;
            }
            if used == LANES {
                self.settle(&mut blocks, &mut tried);
                used = 0;
            }
        }
        self.settle(&mut blocks[..used], &mut tried);
        tried
    }
}

impl Trying<'_> {
    /// Collects the points of the block of a group, whose base cells lie in one cell; or says why not.
    ///
    /// The noise is that of the first of the group: it changes little from region to region.
    #[inline(always)]
    fn fill(
        &self,
        block: &mut Block,
        group: &[InCell],
        finder: &mut Finder,
    ) -> Result<(), Outcome> {
        let Search { cloud, field, trials } = *self.search;
        let &Trials { level, noise, widest, .. } = trials;
        let noise = noise * field.scale(group[0].1 as usize);
        if noise > widest {
            return Err(Outcome::TooFew);
        }
        let cells = &cloud.cells.levels[level];
        let around = finder.block(group[0].0);
        let n: i64 = around.iter().map(|&c| cells.count(c as usize)).sum();
        if n < MIN_POINTS {
            return Err(Outcome::TooFew);
        }
        let is_first = level == 0 || noise > 0.5 * widest;
        if n > CROWD && !is_first {
            return Err(Outcome::Crowded);
        }
        // Every second, third, … point, since consecutive points are close to each other.
        let stride = (n as usize).div_ceil(MOST_POINTS).max(1);
        let mut until = 0;
        block.patch.begin(3.0 * cells.size);
        for neighbour in around {
            for cell in cloud.cells.inside(level, neighbour) {
                cloud.each_distinct(cell, |point| {
                    if until == 0 {
                        block.patch.push(point);
                        until = stride;
                    }
                    until -= 1;
                });
            }
        }
        block.patch.end();
        block.least_area = LEAST_AREA * block.patch.farthest();
        (block.noise, block.sliced) = (noise, field.sliced);
        block.bases.clear();
        block.bases.extend(group.iter().map(|&(_, base)| base));
        Ok(())
    }

    /// Finds the layers of all base cells of some blocks, at most [`LANES`].
    #[inline(always)]
    fn settle(&self, blocks: &mut [Block], tried: &mut Tried) {
        // Loops, since the closure of an adapter that collects is not compiled for wide vectors.
        let mut spreads = [Spread::default(); LANES];
        for (spread, block) in spreads.iter_mut().zip(blocks.iter()) {
            *spread = block.patch.all();
        }
        let eigen = thinnest(spreads[..blocks.len()].iter());
        let (mut own, mut trials) = (Vec::new(), Vec::new());
        for (block, (values, normal)) in blocks.iter_mut().zip(eigen) {
            (block.normal, block.is_layered) = (normal, values[0] <= LAYERS * values[1]);
        }
        for block in blocks.iter() {
            for (&base, entry) in block.bases.iter().zip(block.first..) {
                let first = own.len();
                self.search.cloud.each_distinct(base, |point| own.push(point));
                trials.push(Trial::new(block, entry, first..own.len()));
            }
        }
        for trial in &mut trials {
            trial.begin(trial.block.along(&own[trial.own.clone()]));
        }
        self.follow(&mut trials, (FLAT, CONTRAST), &own, tried);
        for trial in &mut trials {
            trial.begin(trial.block.in_any_direction(&own[trial.own.clone()]));
        }
        self.follow(&mut trials, (NEARLY_FLAT, CLEAR), &own, tried);
    }

    /// Follows the guess of each trial; trials that lead to a layer are removed.
    #[inline(always)]
    fn follow(
        &self,
        trials: &mut Vec<Trial>,
        evidence: (f64, usize),
        own: &[Vec3],
        tried: &mut Tried,
    ) {
        for _ in 0..ITERATIONS {
            step(trials);
        }
        for trial in trials.iter_mut() {
            if let Some(layer) = trial.layer(evidence, &own[trial.own.clone()]) {
                tried.outcomes[trial.entry] = Outcome::Found;
                tried.layers.push(Layer { entry: self.first + trial.entry as u32, ..layer });
            }
        }
        trials.retain(|trial| tried.outcomes[trial.entry] != Outcome::Found);
    }
}

/// A block, and the base cells in its middle.
#[derive(Default)]
struct Block {
    /// The points.
    patch: Patch,
    /// The direction in which all points together are thinnest.
    normal: Vec3,
    /// Whether layers may lie along the block.
    is_layered: bool,
    /// Twice the area of the smallest triangle that tells a direction.
    least_area: f64,
    /// Standard deviation of points about their surface in the block, in steps.
    noise: f64,
    /// Whether an exact layer is a step of the depths.
    sliced: bool,
    bases: Vec<u32>,
    /// Index of the first base cell among those that are tried.
    first: usize,
}

impl Block {
    /// The guess for the layer through one of the cell's `own` points if layers lie along the block.
    #[inline(always)]
    fn along(&self, own: &[Vec3]) -> Option<Middle> {
        if !self.is_layered {
            return None;
        }
        let stride = own.len().div_ceil(MOST_GUESSES).max(1);
        let mut densest = Densest::default();
        for p in own.iter().step_by(stride) {
            densest.look(self, Middle { normal: self.normal, rho: dot(*p, self.normal) });
        }
        densest.guess
    }

    /// The guess for the layer that holds the most points, in any direction: through one of the cell's `own`
    /// points and two others, if it holds enough of the block.
    #[inline(always)]
    fn in_any_direction(&self, own: &[Vec3]) -> Option<Middle> {
        let n = self.patch.len();
        if own.is_empty() {
            return None;
        }
        let mut triangles = Triangles::default();
        for (k, &p) in own.iter().cycle().take(TRIANGLES).enumerate() {
            // Two others, far apart in the order of the points: the first is each time from another part of the block.
            let a = k * n / TRIANGLES;
            // Numbers of 32 bits are divided faster.
            let b = (a + n / 3 + 31 * k) as u32 % n as u32;
            triangles.set(k, p, [self.patch.point(a), self.patch.point(b as usize)]);
        }
        triangles.solve();
        let mut densest = Densest::default();
        for k in (0..TRIANGLES).filter(|&k| triangles.areas[k] > self.least_area) {
            densest.look(self, triangles.middle(k));
        }
        let guess = densest.guess?;
        let slab = SLAB * self.noise;
        let inside = self.patch.within(&guess, slab);
        (inside as f64 >= SHARE * n as f64).then_some(guess)
    }

    /// Whether a layer is denser than the points on at least one side of it.
    #[inline(always)]
    fn stands_out(&self, layer: &Middle, contrast: usize) -> bool {
        let slab = SLAB * self.noise;
        let [below, inside, above] = self.patch.sides(layer, slab);
        2 * contrast * below.min(above) <= inside
    }
}

/// A number for each triangle.
type Each = [f64; TRIANGLES];

/// The planes of triangles, in rows, so that the loop over them becomes one for vectors.
#[derive(Default)]
struct Triangles {
    points: [Each; 3],
    sides: [[Each; 3]; 2],
    /// Twice the areas.
    areas: Each,
    normals: [Each; 3],
    rhos: Each,
}

impl Triangles {
    /// Sets a triangle of a point and two others.
    #[inline(always)]
    fn set(&mut self, k: usize, p: Vec3, others: [Vec3; 2]) {
        for axis in 0..3 {
            self.points[axis][k] = p[axis];
            for (side, other) in self.sides.iter_mut().zip(others) {
                side[axis][k] = other[axis] - p[axis];
            }
        }
    }

    /// Finds areas, normals and distances of all of them.
    #[inline(always)]
    fn solve(&mut self) {
        let Triangles { points, sides: [a, b], areas, normals, rhos } = self;
        let at = |axes: &[Each; 3], k: usize| [axes[0][k], axes[1][k], axes[2][k]];
        for k in 0..TRIANGLES {
            let product = cross(at(a, k), at(b, k));
            areas[k] = dot(product, product).sqrt();
            let normal = product.map(|c| c / areas[k]);
            rhos[k] = dot(at(points, k), normal);
            for axis in 0..3 {
                normals[axis][k] = normal[axis];
            }
        }
    }

    /// The plane of a triangle with an area.
    #[inline(always)]
    fn middle(&self, k: usize) -> Middle {
        Middle { normal: self.normals.each_ref().map(|axis| axis[k]), rho: self.rhos[k] }
    }
}

/// The guess whose slab holds most points, the first of equals.
#[derive(Default)]
struct Densest {
    most: usize,
    guess: Option<Middle>,
}

impl Densest {
    #[inline(always)]
    fn look(&mut self, block: &Block, guess: Middle) {
        let count = block.patch.within(&guess, GUESS_SLAB * block.noise);
        if self.guess.is_none() || count > self.most {
            (self.most, self.guess) = (count, Some(guess));
        }
    }
}

/// The search for the layer through one base cell, starting from a guess.
struct Trial<'a> {
    block: &'a Block,
    /// Index of the base cell among those that are tried.
    entry: usize,
    /// Where its own points are.
    own: Range<usize>,
    /// The current layer; `None` if there is none.
    middle: Option<Middle>,
    slab: f64,
    /// The points that were selected last.
    marks: Marks,
    /// The last sums that were fitted, and their eigenvalues.
    spread: Spread,
    values: [f64; 3],
    /// Whether it no longer changes.
    settled: bool,
}

impl<'a> Trial<'a> {
    fn new(block: &'a Block, entry: usize, own: Range<usize>) -> Trial<'a> {
        let (marks, spread, values) = (Marks::default(), Spread::default(), [0.0; 3]);
        Trial { block, entry, own, middle: None, slab: 0.0, marks, spread, values, settled: false }
    }

    fn begin(&mut self, guess: Option<Middle>) {
        (self.middle, self.slab) = (guess, FIRST_SLAB * self.block.noise);
        (self.marks, self.spread, self.settled) = (Marks::default(), Spread::default(), false);
    }

    /// Selects the points of the layer again; returns whether there is something new to fit. The trial `before` may have
    /// the same sums.
    #[inline(always)]
    fn choose(&mut self, before: Option<&Trial>) -> bool {
        let Some(middle) = self.middle.filter(|_| !self.settled) else { return false };
        // The same points would give the same fit again.
        self.settled = !self.block.patch.mark(&middle, self.slab, &mut self.marks);
        if !self.settled {
            let is_same = |t: &&Trial| std::ptr::eq(t.block, self.block) && t.marks == self.marks;
            let known = before.filter(is_same).map(|trial| trial.spread);
            self.spread = known.unwrap_or_else(|| self.block.patch.spread(&self.marks));
        }
        if self.spread.weight() < MIN_POINTS as f64 {
            self.middle = None;
            return false;
        }
        self.slab = SLAB * self.block.noise;
        !self.settled
    }

    /// Fits the layer to the selected points.
    #[inline(always)]
    fn fit(&mut self, (values, normal): ([f64; 3], Vec3)) {
        self.values = values;
        self.middle = Some(Middle { normal, rho: dot(normal, self.spread.mean()) });
    }

    /// The layer that the guess led to, for the cell with these `own` points.
    #[inline(always)]
    fn layer(&self, (flat, contrast): (f64, usize), own: &[Vec3]) -> Option<Layer> {
        let Block { noise, sliced, .. } = *self.block;
        let (middle, values, n) = (self.middle?, self.values, self.spread.weight());
        let thickness = (values[0].max(0.0) * n / (n - 3.0)).sqrt();
        let wide = values[0] <= flat * values[1] && values[1] >= LINE * values[2];
        let sliced = sliced && EXACT * thickness < noise;
        if !wide
            || sliced
            || thickness > THICKEST * noise
            || !self.block.stands_out(&middle, contrast)
        {
            return None;
        }
        let mut mine = Spread::default();
        let inside = own.iter().filter(|&&p| middle.distance(p).abs() <= self.slab);
        inside.for_each(|&p| mine.add(p, 1.0));
        let error = (values[0].max(0.0) / values[1] / n).sqrt();
        (mine.weight() > 0.0).then(|| Layer {
            entry: 0,
            centroid: mine.mean(),
            weight: mine.weight() as u32,
            scatter: mine.covariance().map(|c| c as f32),
            normal: middle.normal.map(|v| v as f32),
            error: error as f32,
            thickness: thickness as f32,
        })
    }
}

/// Selects points for the layers of all trials and fits them once more, several at a time.
#[inline(always)]
fn step(trials: &mut [Trial]) {
    let mut chosen = [0; LANES];
    let mut used = 0;
    for i in 0..trials.len() {
        let (before, trial) = trials[..=i].split_at_mut(i);
        if trial[0].choose(before.last()) {
            chosen[used] = i;
            used += 1;
        }
        if used == LANES || i + 1 == trials.len() {
            let eigen = thinnest(chosen[..used].iter().map(|&i| &trials[i].spread));
            chosen[..used].iter().zip(eigen).for_each(|(&i, eigen)| trials[i].fit(eigen));
            used = 0;
        }
    }
}

/// Eigenvalues and normals of at most [`LANES`] sets of points.
#[inline(always)]
fn thinnest<'a>(spreads: impl Iterator<Item = &'a Spread>) -> [([f64; 3], Vec3); LANES] {
    let mut covariances = [[0.0; LANES]; 6];
    for (lane, spread) in spreads.enumerate() {
        covariances.iter_mut().zip(spread.covariance()).for_each(|(all, one)| all[lane] = one);
    }
    of_blocks(&covariances)
}
