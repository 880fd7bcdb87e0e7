//! How rough surfaces are, as neighbourhoods of all sizes show it.

use super::drawn::Drawn;
use super::plateau::curve::{SOME, Scale, between};
use super::plateau::slices::{clears_up, is_rounded};
use super::plateau::{self, Plateau};
use super::roughness;
use crate::surface::blocks::Finder;
use crate::surface::cells::Cells;
use crate::surface::flat::{FLAT, Flatness, judge_some};
use crate::surface::quantile::quantile;
use crate::surface::sums::Sums;
use crate::vector::{Vec3, dot};
use rayon::prelude::*;

/// Most cells whose neighbourhoods are examined.
const SAMPLE: usize = 1 << 13;
/// Samples per region, on average, where kinds of surface are sought.
const OF_KIND: usize = 16;
/// Largest thickness over width, squared, of a neighbourhood that is certainly flat.
const STRICT: f32 = 0.01;
/// A cell with so many times fewer points than another one in its block holds strays, the rim of a surface or some of its tail …
const STRAYS: i64 = 20;
/// … where the cells of a level have at least so many points on average.
const FEW: i64 = 8;
/// Where they have fewer, a cell holds strays if its block has so many times fewer points than the block around it on the next level.
/// Beside one on a surface, that has four times as many; beside one at the rim of a surface up to eight times.
const ALONE_BY: i64 = 12;
/// How many normals are tried as that of slices.
const TRIED: usize = 32;
/// Slices lie across the direction of view if the cosine is larger than this: it may be known roughly.
const FACING: f64 = 0.95;
/// The least share of the wide neighbourhoods that are parallel along a ramp, whose fine ones may be the treads of stairs.
const RAMP: f64 = 0.7;
/// If this share of the wide neighbourhoods is parallel to the fine ones, these are no slices but a surface, such as a wall
/// that faces a camera.
const MANY: f64 = 0.5;
/// Surfaces that do not tell how far points are off are left out if so large a share of the flat neighbourhoods lie on others.
const TELLING: f64 = 0.15;
/// The slices of a frame are parallel, unless the frame is drawn in the camera's view: this share of the thin
/// neighbourhoods …
const NEARLY_ALL: f64 = 0.9;
/// … have normals whose cosine with that of the thinnest is larger than this.
const PARALLEL: f64 = 0.98;
/// A cloud shows at most so many faces …
const FACETS: usize = 12;
/// … whose neighbourhoods have normals with a larger cosine than this, 3 degrees, with one of them; …
const FACET: f64 = 0.9986;
/// … two faces with at least this share each have a larger cosine than this, 60 degrees, with each other, …
const FACE: f64 = 0.1;
const FOLD: f64 = 0.5;
/// … at most this share belongs to one of them, …
const ONE_WAY: f64 = 0.75;
/// … and at most this share to none.
const OTHERS: f64 = 0.25;
/// Profiles are so many times as far apart as the steps along the other axes, …
const ALONE: f64 = 100.0;
/// … and as the finest cells are wide. …
const COARSE: f64 = 2.0;
/// … They may be as near as neighbouring points, which are at least this share of a cell apart, if hardly any surface faces along that
/// axis: depths of frames are rounded, too.
const FINE: f64 = 0.2;
/// Places of profiles are rounded so many times as much as matters to their surfaces: …
const PROFILES: f64 = 4.0;
/// … to half of them, …
const HALF: f64 = 0.5;
/// … or, if they are near, to all but a few.
const ALL_BUT_FEW: f64 = 0.95;
/// Slices are thinner than what rounding adds to a coordinate; a neighbourhood that is more than so many times as thick has noise, …
const NOISY: f64 = 2.0;
/// … unless it is thinner than so many steps: coordinates may be a few steps off.
const OFF: f64 = 16.0;
/// Rounding may be all that makes neighbourhoods thick if it explains them but for this factor.
const ROUNDED: f64 = 1.5;
/// The finest neighbourhoods hide faces if of those twice as wide, less than this share of as many are flat. In a town, those of cells of
/// 1 m had 0.89 and showed its roofs; those of 1.4 m had 0.78 and did not.
const STILL_FLAT: f64 = 0.85;
/// Neighbourhoods are wider than most faces if less than this share of as many are flat as of those of the best size.
const MOSTLY_FLAT: f64 = 0.75;

/// The neighbourhood of a base cell on every level.
#[derive(Clone)]
pub(super) struct Sample {
    pub cell: u32,
    /// The middle of the base cell's points.
    pub middle: Vec3,
    blocks: Vec<Option<Flatness>>,
}

impl Sample {
    /// The neighbourhood on a level, where it is flat.
    pub fn flat(&self, level: usize) -> Option<Flatness> {
        self.flat_above(level, 0.0)
    }

    /// The normal of the neighbourhood on a level, where it is flat.
    fn normal(&self, level: usize) -> Option<Vec3> {
        self.flat(level).map(|flat| flat.normal.map(f64::from))
    }

    /// The finest level on which the neighbourhood is flat, and how flat it is there.
    pub fn finest(&self) -> Option<(usize, Flatness)> {
        (0..self.blocks.len()).find_map(|level| Some((level, self.flat(level)?)))
    }

    /// The neighbourhood on a level, made at least as thick as a floor, where it is flat.
    fn flat_above(&self, level: usize, floor: f32) -> Option<Flatness> {
        let flat = (*self.blocks.get(level)?)?.at_least(floor);
        Some(flat).filter(|f| f64::from(f.ratio) <= FLAT)
    }
}

/// The neighbourhoods of a sample of cells, spread evenly over the cloud.
pub(super) struct View {
    pub samples: Vec<Sample>,
    /// Number of different cells around the samples, level by level.
    different: Vec<usize>,
    /// Edge of the cells, level by level, in steps.
    sizes: Vec<f64>,
}

impl View {
    /// Judges the neighbourhoods on all levels; `sums` are those of the base cells and are used up.
    pub fn new(cells: &Cells, sums: &mut Vec<Sums>) -> View {
        View::look(cells, sums, false)
    }

    /// The same without scattered points, which make the wider neighbourhoods of a surface thicker, as waves do.
    pub fn without_strays(cells: &Cells, sums: &mut Vec<Sums>) -> View {
        View::look(cells, sums, true)
    }

    fn look(cells: &Cells, sums: &mut Vec<Sums>, without_strays: bool) -> View {
        let base = cells.base();
        let stride = base.len().div_ceil(SAMPLE).max(1);
        let sampled: Vec<u32> = (0..base.len() as u32).step_by(stride).collect();
        let middle = |&cell: &u32| {
            let cell = cell as usize;
            base.local(cell, base.moments(sums, cell).mean())
        };
        let middles: Vec<Vec3> = sampled.par_iter().map(middle).collect();
        let mut around = sampled.clone();
        // For each level, the blocks that were judged, and for each sample which of them is around it.
        let mut judged: Vec<(Vec<Option<Flatness>>, Vec<u32>)> = Vec::new();
        for (number, level) in cells.levels.iter().enumerate() {
            leave_strays_out((cells, number), sums, without_strays);
            // Samples that follow each other share their larger cells.
            let mut different = around.clone();
            different.dedup();
            let mut at = 0;
            let place = |&cell: &u32| {
                at += usize::from(different[at] != cell);
                at as u32
            };
            let places = around.iter().map(place).collect();
            judged.push((judge_some(cells, number, sums, &different), places));
            level.join_sums(sums);
            if let Some(parents) = Some(&level.parent).filter(|parents| !parents.is_empty()) {
                around.iter_mut().for_each(|cell| *cell = parents[*cell as usize]);
            }
        }
        let block = |(blocks, places): &(Vec<Option<Flatness>>, Vec<u32>), i: usize| {
            blocks[places[i] as usize]
        };
        let sample = |(i, (&cell, middle)): (usize, (&u32, Vec3))| {
            let blocks = judged.iter().map(|level| block(level, i)).collect();
            Sample { cell, middle, blocks }
        };
        let samples = sampled.par_iter().zip(middles).enumerate().map(sample).collect();
        let different = judged.iter().map(|(blocks, _)| blocks.len()).collect();
        View { samples, different, sizes: cells.levels.iter().map(|level| level.size).collect() }
    }

    /// The same view with each neighbourhood at least so thick, in steps: narrow ones that are thinner are not flat.
    pub fn with_floor(mut self, floor: f32) -> View {
        let blocks = self.samples.iter_mut().flat_map(|sample| &mut sample.blocks).flatten();
        blocks.for_each(|flat| *flat = flat.at_least(floor));
        self
    }

    /// The view of the smoother of two kinds of surface, such as a road and the grass beside it, if the cloud holds two.
    pub fn smooth_kind(&self, cells: &Cells) -> Option<View> {
        let level =
            (0..cells.levels.len()).find(|&l| cells.len(l) * OF_KIND <= self.samples.len())?;
        let thickness = |sample: &Sample| Some(f64::from(sample.finest()?.1.thickness));
        let mut regions = vec![Vec::new(); cells.len(level)];
        for sample in &self.samples {
            regions[cells.ancestor(sample.cell, level) as usize].extend(thickness(sample));
        }
        let typical = regions.iter().filter_map(|places| roughness::typical(places));
        let rough = roughness::gap(&typical.collect::<Vec<_>>())?;
        let is_smooth = |sample: &&Sample| thickness(sample).is_some_and(|t| t <= rough);
        let samples: Vec<Sample> = self.samples.iter().filter(is_smooth).cloned().collect();
        let share = samples.len() as f64 / self.samples.len() as f64;
        let different = self.different.iter().map(|&n| (share * n as f64).round() as usize);
        Some(View { samples, different: different.collect(), sizes: self.sizes.clone() })
    }

    /// Whether many of the finest neighbourhoods are as wide as the faces of the cloud: those that are twice as wide are flat far more
    /// rarely.
    pub fn hides_faces(&self) -> bool {
        let flat = |level: usize| self.samples.iter().filter(|s| s.flat(level).is_some()).count();
        let [narrow, wide] = [0, 1].map(|level| flat(level) as f64);
        // Of foliage, hardly any neighbourhood is flat, and those are chance.
        narrow > SOME * self.samples.len() as f64 && wide < STILL_FLAT * narrow
    }

    /// The number of points that nearly all neighbourhoods have which are as wide as most faces of the cloud: wider ones are flat more
    /// rarely. Still wider ones may be flat again, as those of a whole landscape are. Levels finer than `first` do not count.
    pub fn points_of_faces(&self, first: usize) -> f64 {
        let curve = self.curve(0.0);
        let mut best = Scale::default();
        for (narrow, wide) in curve.iter().zip(curve.iter().skip(1)).skip(first) {
            if narrow.flat > best.flat {
                best = *narrow;
            }
            let least = MOSTLY_FLAT * best.flat;
            if best.flat > SOME && wide.flat < least {
                let rarely = wide.flat.max(f64::MIN_POSITIVE);
                let share = (narrow.flat / least).ln() / (narrow.flat / rarely).ln();
                return narrow.points * (wide.points / narrow.points).max(1.0).powf(share);
            }
        }
        f64::INFINITY
    }

    /// Number of levels.
    pub fn levels(&self) -> usize {
        self.samples.first().map_or(0, |sample| sample.blocks.len())
    }

    /// The noise that neighbourhoods of a level show.
    pub fn noise(&self, level: f64, drawn: Drawn) -> Option<f64> {
        noise(&self.samples.iter().collect::<Vec<_>>(), level, drawn)
    }

    /// How many times as large the thickness on a level is far away as it would be if it fell off with the inverse of the
    /// depth, which `far` gives for the middle of each cell; `None` if hardly any neighbourhood is flat.
    pub fn growth(&self, level: usize, far: impl Fn(Vec3) -> f64) -> Option<f64> {
        let thickness = |s: &Sample| Some((far(s.middle), s.flat(level)?.thickness));
        let places = self.samples.iter().filter_map(thickness);
        let mut places: Vec<(f64, f32)> = places.collect();
        places.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1)));
        let third = places.len() / 3;
        let usual = |some: &[(f64, f32)]| {
            let range = some.get(some.len() / 2).map_or(0.0, |p| p.0);
            range * usual_of(some.iter().map(|p| f64::from(p.1)).collect())
        };
        (third > 0).then(|| usual(&places[places.len() - third..]) / usual(&places[..third]))
    }

    /// Whether steps still show on a level.
    pub fn clears_up(&self, level: usize) -> bool {
        clears_up(&self.curve(0.0), level)
    }

    /// The first level on which wide neighbourhoods show the surfaces that narrow ones hide, if the narrow ones are slices:
    /// nearly all of those are parallel, and few of the wide ones are parallel to them. Slices lie across the direction
    /// `ahead`; where that is unknown, the wide ones must lie along surfaces of several directions, which those along the
    /// treads of stairs do not.
    pub fn beyond_slices(&self, plateau: &Plateau, ahead: Option<Vec3>) -> Option<usize> {
        // Most clouds have no such level, and need no curve.
        let clear = plateau.clear?;
        let curve = self.curve(0.0);
        let finest = curve.iter().position(|s| s.flat > SOME)?;
        let clear = (clear..curve.len()).find(|&level| !clears_up(&curve, level))?;
        let [fine, wide] = [finest, clear].map(|level| self.normals(level));
        let (share, slices) = most_parallel(&fine, PARALLEL)?;
        let are_slices = match ahead {
            Some(ahead) => dot(slices, ahead).abs() > FACING,
            None => most_parallel(&wide, PARALLEL)?.0 < RAMP,
        };
        // Where few places are flat on the finest level, these may all be on one wall.
        let both = self.samples.iter().filter(|s| s.flat(finest).is_some());
        let both: Vec<Vec3> = both.filter_map(|s| s.normal(clear)).collect();
        let hide_surfaces = |wide: &[Vec3]| parallel(wide, slices, PARALLEL) < MANY;
        (are_slices
            && share >= NEARLY_ALL
            && hide_surfaces(&wide)
            && (both.is_empty() || hide_surfaces(&both)))
        .then_some(clear)
    }

    /// The normals of the flat neighbourhoods of a level.
    fn normals(&self, level: usize) -> Vec<Vec3> {
        self.samples.iter().filter_map(|s| s.normal(level)).collect()
    }

    /// Whether nearly all thin neighbourhoods of a level are parallel, as the slices of a depth camera's frame are, and
    /// the steps of a staircase are not.
    fn faces_one_way(&self, level: usize) -> bool {
        let flat = |s: &Sample| s.blocks[level].filter(|f| f.ratio <= STRICT);
        let flat: Vec<Flatness> = self.samples.iter().filter_map(flat).collect();
        let thinnest = flat.iter().min_by(|a, b| a.thickness.total_cmp(&b.thickness));
        thinnest.is_some_and(|thinnest| {
            let cosine =
                |f: &Flatness| dot(f.normal.map(f64::from), thinnest.normal.map(f64::from));
            let parallel = flat.iter().filter(|f| cosine(f).abs() > PARALLEL).count();
            parallel as f64 >= NEARLY_ALL * flat.len() as f64
        })
    }

    /// Whether nearly all flat neighbourhoods of a level face a few ways, some at a small angle to each other, and not most of
    /// them the same way: they are pieces of the faces of a roof, and wider ones that hold several faces are flat, too. Slices of a
    /// depth camera's frame face one way, those of a grid along the axes, and those of copied points any way.
    fn shows_facets(&self, level: usize) -> bool {
        let mut left = self.normals(level);
        let all = left.len() as f64;
        let mut ways: Vec<(f64, Vec3)> = Vec::new();
        for _ in 0..FACETS {
            let Some((share, way)) = most_parallel(&left, FACET) else { break };
            ways.push((share * left.len() as f64, way));
            left.retain(|&normal| dot(normal, way).abs() <= FACET);
        }
        let most = ways.iter().map(|way| way.0).fold(0.0, f64::max);
        ways.retain(|way| way.0 >= FACE * all);
        let is_fold = |(i, a): (usize, &(f64, Vec3))| {
            ways[i + 1..].iter().any(|b| dot(a.1, b.1).abs() > FOLD)
        };
        most <= ONE_WAY * all
            && left.len() as f64 <= OTHERS * all
            && ways.iter().enumerate().any(is_fold)
    }

    /// The standard deviation that rounding adds to the distances of points from their surfaces, if it adds so much to each of the
    /// coordinates: what it adds to those that are rounded most, unless most surfaces lie along these axes. So lie those that a
    /// scanner on a rail sees in profiles, which are exact.
    pub fn rounding(&self, rounding: Vec3) -> f64 {
        let mut sorted = rounding;
        sorted.sort_by(f64::total_cmp);
        let [_, next, most] = sorted;
        // Rounding of depths is fine against the points, and that of a file is hardly ever along one axis alone.
        let cells = self.sizes.first().map_or(0.0, |size| most * 12f64.sqrt() / size);
        if most <= ALONE * next || cells <= FINE {
            return most;
        }
        let share = if cells > COARSE { HALF } else { ALL_BUT_FEW };
        // Narrower neighbourhoods lie within one step.
        let is_wide = |&level: &usize| self.sizes[level] > most * 12f64.sqrt();
        let wide = (0..self.levels()).filter(is_wide);
        let normals = wide.map(|level| self.normals(level)).max_by_key(Vec::len);
        let across = |n: Vec3| {
            let along: Vec3 = std::array::from_fn(|a| n[a] * rounding[a]);
            dot(along, along).sqrt()
        };
        let mut all: Vec<f64> = normals.unwrap_or_default().into_iter().map(across).collect();
        let usual = quantile(&mut all, share);
        if !all.is_empty() && most > PROFILES * usual { usual } else { most }
    }

    /// Where the curve of thickness over size levels out for most of a cloud; `rounding` is the standard deviation that rounding
    /// adds to the distances of points from their surfaces.
    pub fn plateau(&self, drawn: Drawn, rounding: f64) -> Plateau {
        let exact = self.curve(0.0);
        let plateau = self.read(&exact, (drawn, rounding));
        let is_rounded = || is_rounded(&exact, rounding, |level| self.faces_one_way(level));
        if plateau.alike && !plateau.sliced || !is_rounded() {
            return plateau;
        }
        log::debug!("again, neighbourhoods at least as thick as rounding makes them");
        let rounded = self.read(&self.curve(rounding as f32), (drawn, rounding));
        // What else rounding hides, a camera's view may show.
        Plateau { stepped: plateau.stepped, clear: plateau.clear, ..rounded }
    }

    /// What the neighbourhoods show, level by level, made at least as thick as a floor.
    fn curve(&self, floor: f32) -> Vec<Scale> {
        let samples: Vec<&Sample> = self.samples.iter().collect();
        let mut curve = thicknesses(&samples, floor);
        for (level, scale) in curve.iter_mut().enumerate() {
            let mut turns: Vec<f64> =
                samples.iter().filter_map(|s| turn(s, level, floor)).collect();
            scale.turn = quantile(&mut turns, 0.5);
            let flat = samples.iter().filter_map(|s| s.flat_above(level, floor));
            let mut points: Vec<f64> = flat.map(|f| f.points()).collect();
            scale.points = quantile(&mut points, 0.1);
            scale.places = scale.flat * self.different[level] as f64;
        }
        curve
    }

    /// Where this curve levels out.
    fn read(&self, curve: &[Scale], (drawn, rounding): (Drawn, f64)) -> Plateau {
        for (level, scale) in curve.iter().enumerate() {
            log::debug!("level {level}: {scale:.3?}");
        }
        // Slices of rounding face few ways as well.
        let shows_facets = |level: usize| {
            drawn == Drawn::InSpace
                && curve[level].thin > ROUNDED * rounding
                && self.shows_facets(level)
        };
        let plateau = plateau::read(curve, drawn, |level| self.faces_one_way(level), shows_facets);
        log::debug!("{plateau:?}");
        if plateau.sliced
            && drawn == Drawn::InSpace
            && self.shows_surfaces_behind(curve, &plateau, rounding)
        {
            let plateau = plateau::unsliced(curve, plateau);
            log::debug!("no slices but surfaces close behind each other: {plateau:?}");
            return plateau;
        }
        plateau
    }

    /// Whether what looks like slices are surfaces with noise and others close behind them, such as a wall and its windows: they are
    /// thicker than rounding makes slices, and most wide neighbourhoods are parallel to the fine ones in them, which cut through the
    /// surfaces where they are slices.
    fn shows_surfaces_behind(&self, curve: &[Scale], plateau: &Plateau, rounding: f64) -> bool {
        let Some(fine) = curve.iter().position(|s| s.flat > SOME) else { return false };
        let wide = plateau.level.ceil() as usize;
        if curve[fine].thin <= f64::max(NOISY * rounding, OFF) {
            return false;
        }
        let both = self.samples.iter().filter_map(|s| Some([s.normal(fine)?, s.normal(wide)?]));
        let cosines: Vec<f64> = both.map(|[fine, wide]| dot(fine, wide).abs()).collect();
        let parallel = cosines.iter().filter(|&&cosine| cosine > PARALLEL).count();
        // Slices that are flat nowhere on the wide level tell nothing.
        cosines.len() as f64 >= SOME * self.samples.len() as f64
            && parallel as f64 >= MANY * cosines.len() as f64
    }
}

/// Empties the cells of a level that hold strays. Cells of a few points tell these only by what is around. There are many such cells,
/// so they are judged only if `all` are to be.
fn leave_strays_out((cells, level): (&Cells, usize), sums: &mut [Sums], all: bool) {
    let points: i64 = sums.par_iter().map(Sums::count).sum();
    let are_few = points < FEW * sums.len() as i64;
    if are_few && !all {
        return;
    }
    let counts: Vec<i64> = sums.par_iter().map(Sums::count).collect();
    let strays = if are_few { alone(cells, level, &counts) } else { sparse(cells, level, &counts) };
    let strays = sums.par_iter_mut().zip(strays).filter(|(_, is_stray)| *is_stray);
    strays.for_each(|(sums, _)| *sums = Sums::default());
}

/// For each cell of a level whether it has far fewer points than another one in its block.
fn sparse(cells: &Cells, level: usize, counts: &[i64]) -> Vec<bool> {
    let most = counts.par_iter().copied().max().unwrap_or(0);
    cells.map_cells(level, |finder, cell| {
        let limit = counts[cell as usize] * STRAYS;
        (1..most).contains(&limit)
            && finder.block(cell).iter().any(|&near| limit < counts[near as usize])
    })
}

/// For each cell of a level whether its block has far fewer points than that of the next level around it.
fn alone(cells: &Cells, level: usize, counts: &[i64]) -> Vec<bool> {
    let parents = &cells.levels[level].parent;
    if parents.is_empty() {
        return vec![false; counts.len()];
    }
    let mut joined = vec![0; cells.len(level + 1)];
    parents.iter().zip(counts).for_each(|(&parent, count)| joined[parent as usize] += count);
    let of_block = |finder: &mut Finder, cell: u32, counts: &[i64]| -> i64 {
        finder.block(cell).iter().map(|&near| counts[near as usize]).sum()
    };
    let around = cells.map_cells(level + 1, |finder, cell| of_block(finder, cell, &joined));
    cells.map_cells(level, |finder, cell| {
        let limit = around[parents[cell as usize] as usize];
        // Most cells have so many points themselves.
        let own = counts[cell as usize] * ALONE_BY;
        own < limit && of_block(finder, cell, counts) * ALONE_BY < limit
    })
}

/// The share of some normals whose cosine with a direction is larger than this.
fn parallel(normals: &[Vec3], to: Vec3, than: f64) -> f64 {
    let cosines = normals.iter().map(|normal| dot(*normal, to).abs());
    cosines.filter(|&cosine| cosine > than).count() as f64 / normals.len() as f64
}

/// The direction with which most of some normals have a cosine larger than this, and their share; `None` if there are
/// no normals.
fn most_parallel(normals: &[Vec3], than: f64) -> Option<(f64, Vec3)> {
    let tried = normals.iter().step_by(normals.len().div_ceil(TRIED).max(1));
    tried.map(|&to| (parallel(normals, to, than), to)).max_by(|a, b| a.0.total_cmp(&b.0))
}

/// How far points are off their surface, root mean square, as the thinner neighbourhoods of a level show it.
pub(super) fn noise(samples: &[&Sample], level: f64, drawn: Drawn) -> Option<f64> {
    between(level, |level| {
        let flat: Vec<Flatness> = samples.iter().filter_map(|s| s.flat(level)).collect();
        let tells = flat.iter().filter(|f| drawn.tells_error(f));
        let errors: Vec<f64> = tells.map(|f| drawn.error(f)).collect();
        let is_enough = errors.len() as f64 >= TELLING * flat.len() as f64;
        let all = || flat.iter().map(|f| drawn.error(f)).collect();
        Some(usual_of(if is_enough { errors } else { all() })).filter(|&noise| noise > 0.0)
    })
}

/// The usual thickness: the median of the thinner ones.
pub(super) fn usual_of(mut thickness: Vec<f64>) -> f64 {
    let thin = 3.0 * quantile(&mut thickness, 0.25);
    thickness.retain(|&t| t <= thin);
    quantile(&mut thickness, 0.5)
}

/// The share and the thickness of the flat neighbourhoods of some cells, level by level, made at least as thick as a floor. All
/// else stays 0.
pub(super) fn thicknesses(samples: &[&Sample], floor: f32) -> Vec<Scale> {
    let levels = samples.first().map_or(0, |s| s.blocks.len());
    let n = samples.len().max(1) as f64;
    let one = |level: usize| {
        let flat: Vec<Flatness> =
            samples.iter().filter_map(|s| s.flat_above(level, floor)).collect();
        let strict = flat.iter().filter(|f| f.ratio <= STRICT).count();
        let mut thickness: Vec<f64> = flat.iter().map(|f| f64::from(f.thickness)).collect();
        let mut rise: Vec<f64> = flat.iter().map(|f| f64::from(f.ratio).sqrt()).collect();
        Scale {
            flat: flat.len() as f64 / n,
            strict: strict as f64 / n,
            thin: quantile(&mut thickness, 0.25),
            thinnest: quantile(&mut thickness, 0.1),
            rise: quantile(&mut rise, 0.5),
            turn: 0.0,
            points: 0.0,
            places: 0.0,
            floor: f64::from(floor),
        }
    };
    (0..levels).map(one).collect()
}

/// How far the normal of a cell turns from a level to the next, relative to thickness over width.
fn turn(sample: &Sample, level: usize, floor: f32) -> Option<f64> {
    let (here, next) = (sample.flat_above(level, floor)?, sample.flat_above(level + 1, floor)?);
    let cosine = dot(here.normal.map(f64::from), next.normal.map(f64::from)).abs().min(1.0);
    Some((1.0 - cosine * cosine).sqrt() / f64::from(here.ratio).sqrt())
}

#[cfg(test)]
mod tests {
    use super::super::noise_field::measure;
    use super::super::rounded;
    use super::*;
    use crate::cpu::cut::{cut, whole};
    use crate::frame::Points;
    use crate::surface::cloud::CellCloud;
    use crate::surface::flat::judge_all;
    use crate::surface::noise_field::NoiseField;

    /// A sloping plane of 40 000 points, 100 steps apart, with heights changed by `of`.
    fn slope(of: impl Fn(f64, i64) -> f64) -> Points {
        let point = |i: i64| {
            let (x, y) = ((i % 200 * 100) as f64, (i / 200 * 100) as f64);
            let jitter = (i * 7919 % 97 - 48) as f64;
            [x + jitter, y + (i * 104_729 % 89 - 44) as f64, of(0.4 * x, i)].map(|v| v as f32)
        };
        (0..40_000).map(point).collect()
    }

    fn most_rounding(points: &Points) -> f64 {
        let rounding = rounded::rounding(points.len(), |i| points.get(i));
        rounding.into_iter().fold(0.0, f64::max)
    }

    /// Roofs side by side, whose faces have this width, in steps.
    fn roofs(width: f64) -> View {
        let height = |x: f64| 1.5 * ((x / 0.4).rem_euclid(2.0 * width) - width).abs();
        let cloud = whole(&slope(|x, i| height(x) + (i * 7919 % 13) as f64));
        View::new(&cloud.cells, &mut cloud.sums())
    }

    #[test]
    fn nothing_in_a_view_is_thinner_than_its_floor() {
        let cloud = whole(&slope(|x, i| x + (i * 7919 % 13) as f64));
        // Thickness, and the ratio of the least variance to the next.
        let blocks = |view: &View| {
            let blocks = view.samples.iter().flat_map(|sample| &sample.blocks).flatten();
            blocks.map(|flat| (flat.thickness, flat.ratio)).collect::<Vec<(f32, f32)>>()
        };
        let view = View::new(&cloud.cells, &mut cloud.sums());
        let before = blocks(&view);
        let floor = before.iter().map(|(t, _)| t).sum::<f32>() / before.len() as f32;
        assert!(before.iter().any(|(t, _)| *t < floor) && before.iter().any(|(t, _)| *t > floor));
        let after = blocks(&view.with_floor(floor));
        for ((t, ratio), (thickness, ratio_now)) in before.into_iter().zip(after) {
            assert_eq!(thickness, t.max(floor));
            assert!(if t < floor { ratio_now > ratio } else { ratio_now == ratio });
        }
    }

    #[test]
    fn wide_neighbourhoods_are_not_flat_on_narrow_faces() {
        let views = [600.0, 2000.0, 4000.0].map(roofs);
        assert_eq!(views.each_ref().map(View::hides_faces), [true, true, false]);
        let points = views.each_ref().map(|view| view.points_of_faces(0));
        assert!(points.is_sorted_by(|a, b| a < b), "{points:?}");
        // A square as wide as a face of the last roofs has 1600.
        assert!((160.0..1600.0).contains(&points[2]), "{points:?}");
        let flat = slope(|x, i| x + (i * 7919 % 13) as f64);
        let cloud = whole(&flat);
        let view = View::new(&cloud.cells, &mut cloud.sums());
        assert!(!view.hides_faces() && view.points_of_faces(0) == f64::INFINITY);
    }

    #[test]
    fn the_places_of_profiles_are_not_rounded() {
        // A floor and a wall that profiles run along, so far apart, as are their points.
        let point = |i: usize, [apart, next]: [usize; 2]| {
            let (profile, along) = ((i * 7 % 59 * apart) as f64, (i / 60 * next) as f64);
            let noise = (i * 7919 % 97) as f64 - 48.0;
            let wall = (500 * next) as f64;
            let at = if i < 30_000 { [along, noise] } else { [wall + noise, along - wall] };
            [profile, at[0], at[1]].map(|v| v.round() as f32)
        };
        let profiles =
            |apart: [usize; 2]| -> Points { (0..60_000).map(|i| point(i, apart)).collect() };
        let round = |p: [f32; 3]| p.map(|v| (v / 800.0).round() * 800.0);
        let rounded: Points = (0..60_000).map(|i| round(point(i, [800, 40]))).collect();
        let shown = |points: &Points| {
            let cloud = whole(points);
            let view = View::new(&cloud.cells, &mut cloud.sums());
            let rounding = rounded::rounding(points.len(), |i| points.get(i));
            assert!(rounding[0] > 28.0, "{rounding:?}");
            view.rounding(rounding)
        };
        for apart in [[800, 40], [400, 100]] {
            let shown = shown(&profiles(apart));
            assert!(shown < 20.0, "{apart:?}: {shown}");
        }
        assert!(shown(&rounded) > 200.0, "{}", shown(&rounded));
    }

    fn plateau_of(points: &Points) -> (f64, bool, NoiseField) {
        let view = |cloud: &CellCloud| View::new(&cloud.cells, &mut cloud.sums());
        let cloud = whole(points);
        let rounding = most_rounding(points);
        let plateau = view(&cloud).plateau(Drawn::InSpace, rounding);
        let cloud = cut(points, cloud.cells.unit.coarser(plateau.widening())).1;
        let known = judge_all(&cloud.cells, cloud.sums());
        let flatness = |level: usize, cell: u32| known[level].of(cell as usize);
        let field = measure(&cloud, &view(&cloud), plateau, (rounding, false), flatness);
        (plateau.level, plateau.sliced, field)
    }

    #[test]
    fn independent_noise_is_seen_at_the_finest_scale() {
        let noisy = slope(|z, i| (z + (i * 48_271 % 201 - 100) as f64 / 4.0).round());
        let (level, sliced, field) = plateau_of(&noisy);
        assert_eq!((level, sliced), (0.0, false));
        assert!(field.is_even());
    }

    #[test]
    fn strays_do_not_make_neighbourhoods_thicker() {
        let smooth = slope(|z, i| z + (i * 48_271 % 201 - 100) as f64 / 4.0);
        let stray = |i: usize| [i * 7919 % 20_000, i * 104_729 % 20_000, i * 48_271 % 20_000];
        let strays = (0..800).map(|i| stray(i).map(|v| v as f32));
        let among: Points = (0..smooth.len()).map(|i| smooth.get(i)).chain(strays).collect();
        let curve = |points: &Points| {
            let cloud = whole(points);
            View::new(&cloud.cells, &mut cloud.sums()).curve(0.0)
        };
        let (alone, among) = (curve(&smooth), curve(&among));
        for (level, (alone, among)) in alone.iter().zip(&among).enumerate().take(6) {
            let times = among.thin / alone.thin;
            assert!((0.9..1.3).contains(&times), "{level}: {} {}", alone.thin, among.thin);
        }
    }

    #[test]
    fn scattered_points_do_not_look_like_waves() {
        // So few points lie in a cell that cells alone do not tell strays.
        let smooth = slope(|z, i| z + (i * 48_271 % 201 - 100) as f64 / 4.0);
        let stray = |i: usize| [i * 7919 % 20_011, i * 104_729 % 20_021, i * 48_271 % 8009];
        let strays = (0..2000).map(|i| stray(i).map(|v| v as f32));
        let among: Points = (0..smooth.len()).map(|i| smooth.get(i)).chain(strays).collect();
        let curve = |points: &Points, look: fn(&Cells, &mut Vec<Sums>) -> View| {
            let cloud = whole(points);
            look(&cloud.cells, &mut cloud.sums()).curve(0.0)
        };
        let alone = curve(&smooth, View::new);
        let [with, without] = [View::new, View::without_strays].map(|look| curve(&among, look));
        for level in 2..5 {
            let times = |curve: &[Scale]| curve[level].thin / alone[level].thin;
            assert!(times(&without) < 1.15, "{level}: {}", times(&without));
            assert!(times(&with) > 1.1 * times(&without), "{level}: {}", times(&with));
        }
        // Nothing is a stray where there are none.
        let thin = |curve: &[Scale]| curve.iter().map(|s| s.thin).collect::<Vec<f64>>();
        assert_eq!(thin(&curve(&smooth, View::without_strays)), thin(&alone));
    }

    #[test]
    fn slices_of_rounded_heights_are_no_surfaces() {
        // Depth in steps of 200: a slice is 500 wide, and cells are a good 140.
        let depth = 200.0;
        let sliced = slope(|z, i| ((z + (i % 7) as f64) / depth).round() * depth);
        let (level, is_sliced, field) = plateau_of(&sliced);
        // The floor keeps narrow neighbourhoods from being flat.
        assert!(!is_sliced && level == 0.0, "{level}");
        let flat = Flatness { ratio: 1e-6, thickness: 1.0, error: 1e-4, normal: [0.0, 0.0, 1.0] };
        let least = f64::from(field.at_least(0, flat).thickness);
        assert!((0.5..2.0).contains(&(least / (depth / 12f64.sqrt()))), "{least}");
    }

    #[test]
    fn slices_of_rounded_coordinates_are_no_noise() {
        // The centres of voxels that a slope and a wall occupy.
        let edge = 200i64;
        let centre = |v: f64| ((v as i64).div_euclid(edge) * edge + edge / 2) as f32;
        let mut centres: Vec<[i32; 3]> = (0..300_000i64)
            .flat_map(|i| {
                let (x, y) = ((i % 600 * 50) as f64, (i / 600 * 50) as f64);
                [[x, y, 0.3 * x + 0.1 * y], [0.2 * y, y, x]].map(|p| p.map(|v| centre(v) as i32))
            })
            .collect();
        centres.sort_unstable();
        centres.dedup();
        let points: Points = centres.into_iter().map(|p| p.map(|v| v as f32)).collect();
        let cloud = whole(&points);
        let view = View::new(&cloud.cells, &mut cloud.sums());
        let rounding = most_rounding(&points);
        assert!((rounding / (edge as f64 / 12f64.sqrt()) - 1.0).abs() < 1e-6);
        let plateau = view.plateau(Drawn::InSpace, rounding);
        assert!(plateau.level == 0.0 && !plateau.sliced && !plateau.alike, "{plateau:?}");
        // Where rounding does not explain them, the steps are slices, or faces that lie a few ways, as here.
        for rounding in [0.0, 0.1 * rounding] {
            let plateau = view.plateau(Drawn::InSpace, rounding);
            assert!(plateau.sliced || plateau.facets, "{plateau:?}");
        }
    }

    #[test]
    fn pieces_of_a_few_faces_are_no_slices() {
        // A pyramid of 10 degrees.
        let face = |i: i64| {
            let [x, y] = [i * 7919 % 20_011, i * 104_729 % 20_021].map(|v| v as f64);
            let edge = x.min(y).min(20_011.0 - x).min(20_021.0 - y);
            [x, y, (0.176 * edge + (i * 48_271 % 3 - 1) as f64).round()].map(|v| v as f32)
        };
        let shows_facets = |points: &Points| {
            let cloud = whole(points);
            View::new(&cloud.cells, &mut cloud.sums()).shows_facets(0)
        };
        let roof: Points = (0..3000).map(face).collect();
        assert!(shows_facets(&roof));
        let cloud = whole(&roof);
        let plateau = View::new(&cloud.cells, &mut cloud.sums()).plateau(Drawn::InSpace, 0.0);
        assert!(plateau.facets && !plateau.sliced && plateau.level == 0.0, "{plateau:?}");
        // A single plane, and a dome.
        assert!(!shows_facets(&slope(|z, _| z.round())));
        let dome = |i: i64| {
            let [x, y] = [i * 7919 % 20_011, i * 104_729 % 20_021].map(|v| v as f64 - 1e4);
            [x, y, (3e4f64.powi(2) - x * x - y * y).sqrt().round()].map(|v| v as f32)
        };
        assert!(!shows_facets(&(0..3000).map(dome).collect()));
    }

    #[test]
    fn correlated_noise_shows_where_coordinates_are_rounded() {
        let wave = |v: f64, length: f64| (v * std::f64::consts::TAU / length).sin();
        let waves = |x: f64, i: i64| {
            let y = (i / 200 * 100) as f64;
            60.0 * wave(x, 3100.0) * wave(y, 3700.0) + 150.0 * wave(x + y, 9700.0)
        };
        let rounded = |v: f64| (v / 30.0).round() * 30.0;
        let plateau = |points: &Points| {
            let cloud = whole(points);
            let view = View::new(&cloud.cells, &mut cloud.sums());
            view.plateau(Drawn::InSpace, most_rounding(points))
        };
        let [flat, waving] = [0.0, 1.0].map(|times| {
            let all = slope(|z, i| 0.05 * z + times * waves((i % 200 * 100) as f64, i));
            let round = |i| all.get(i).map(|v| rounded(f64::from(v)) as f32);
            plateau(&(0..all.len()).map(round).collect())
        });
        assert!(!flat.alike && !flat.sliced, "{flat:?}");
        assert!(waving.alike && !waving.sliced, "{waving:?}");
    }

    #[test]
    fn slices_that_are_blurred_a_little_are_seen_through() {
        let blur = |i: i64| (i * 48_271 % 201 - 100) as f64 / 25.0;
        let sliced = slope(|z, i| ((z + (i % 7) as f64) / 200.0).round() * 200.0 + blur(i));
        let (level, is_sliced, _) = plateau_of(&sliced);
        assert!(is_sliced && level >= 1.0, "{level}");
    }
}
