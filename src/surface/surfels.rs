//! Surfels: the pieces of surface among which planes are searched.
//!
//! A base cell is a surfel. If all base cells of a larger cell lie on one surface, they form one surfel
//! together: a floor is thousands of pieces instead of hundreds of thousands, while creases, boards and
//! clutter keep their own.

use super::blocks::Finder;
use super::cells::Cells;
use super::cloud::CellCloud;
use super::flat::{Seen, Surface};
use super::moments::PAIRS;
use super::noise_field::NoiseField;
use super::quantile::weighted_quantile;
use super::spread::Spread;
use crate::ranges::split;
use crate::vector::{Vec3, dot, normalized};
use rayon::prelude::*;
use std::ops::Range;
use std::sync::Arc;

/// What is thicker than this many times the noise may be several layers.
pub const LAYERED: f64 = 1.6;
/// Levels on which base cells are joined.
const JOINED: usize = 3;
/// Cells of the highest of them that one thread joins at a time.
const PIECE: usize = 256;
/// Surfels whose base cells one thread notes at a time.
const FILLED: usize = 1 << 14;

/// A piece of surface as the search sees it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Surfel {
    /// Mean of its distinct points, local coordinates.
    pub centroid: Vec3,
    /// Covariance xx, xy, xz, yy, yz, zz of its distinct points, in steps squared.
    pub scatter: [f32; 6],
    /// Number of distinct points.
    pub weight: u32,
    /// The surface there, if it is flat at any scale.
    pub surface: Option<Surface>,
    /// The noise there as a multiple of the usual noise.
    pub scale: f32,
    /// Where its base cells begin and end.
    pub places: [u32; 2],
}

impl Surfel {
    /// Variance of its points along a unit normal, about their mean.
    pub fn variance_along(&self, normal: Vec3) -> f64 {
        variance_along(self.scatter.map(f64::from), normal)
    }

    /// Whether its surface is thicker than so many steps.
    fn is_rougher(&self, thickness: f64) -> bool {
        self.surface.is_some_and(|surface| f64::from(surface.thickness) > thickness)
    }

    /// Number of its base cells.
    pub fn cells(&self) -> u32 {
        self.places[1] - self.places[0]
    }
}

/// One of two kinds of surface: a smooth one, or one that is rougher.
#[derive(Debug, Clone, Copy)]
pub struct Kind {
    /// The rougher kind is thicker than so many steps.
    thickness: f64,
    is_rough: bool,
}

impl Kind {
    /// Whether this is the rougher kind.
    pub fn is_rough(self) -> bool {
        self.is_rough
    }

    /// Whether a surfel is of this kind.
    pub fn has(self, surfel: &Surfel) -> bool {
        surfel.is_rougher(self.thickness) == self.is_rough
    }
}

/// The variance along a unit normal of points with this covariance.
fn variance_along(covariance: [f64; 6], normal: Vec3) -> f64 {
    let term = |(c, (a, b)): (f64, (usize, usize))| {
        c * normal[a] * normal[b] * if a == b { 1.0 } else { 2.0 }
    };
    covariance.into_iter().zip(PAIRS).map(term).sum::<f64>().max(0.0)
}

/// The limit below which points count as one surface.
#[derive(Debug, Clone, Copy)]
pub struct Thinner {
    /// The usual standard deviation of points about their surface, in steps.
    pub noise: f64,
    /// The largest noise allowed anywhere: with a smaller tolerance, points within the noise may be more than
    /// one plane.
    pub most: f64,
    /// Whether the noise is the same everywhere and independent from point to point.
    pub white: bool,
}

/// All surfels of a cloud, in Morton order.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Surfels {
    pub list: Vec<Surfel>,
    /// For each base cell, the surfel it belongs to.
    at: Arc<Vec<u32>>,
}

impl Surfels {
    /// The surfels of a cloud from the `surfaces` around its base cells.
    pub fn new(
        cloud: &CellCloud,
        field: &NoiseField,
        surfaces: &dyn Seen,
        thinner: Thinner,
    ) -> Surfels {
        Joining { cloud, cells: &cloud.cells, field, surfaces, thinner }.surfels()
    }

    /// Surfels that together hold all of `cells` base cells.
    pub fn of(list: Vec<Surfel>, cells: usize) -> Surfels {
        let mut at = vec![0; cells];
        let length = |piece: &[Surfel]| piece.iter().map(Surfel::cells).sum::<u32>() as usize;
        let lengths: Vec<usize> = list.par_chunks(FILLED).map(length).collect();
        let parts = split(&mut at, lengths).into_par_iter().zip(list.par_chunks(FILLED));
        parts.enumerate().for_each(|(k, (mut part, piece))| {
            for (i, surfel) in ((k * FILLED) as u32..).zip(piece) {
                let own;
                (own, part) = part.split_at_mut(surfel.cells() as usize);
                own.fill(i);
            }
        });
        Surfels { list, at: Arc::new(at) }
    }

    /// Distinct points of a set of surfels.
    pub fn weight(&self, set: &[u32]) -> u64 {
        set.iter().map(|&i| u64::from(self.list[i as usize].weight)).sum()
    }

    /// The kind of surface on which most points of a set of surfels lie, if a rough one is thicker than so many steps.
    pub fn kind(&self, set: &[u32], thickness: f64) -> Kind {
        let mut weights = [0; 2];
        for &i in set {
            let surfel = &self.list[i as usize];
            weights[usize::from(surfel.is_rougher(thickness))] += u64::from(surfel.weight);
        }
        Kind { thickness, is_rough: weights[1] > weights[0] }
    }

    /// The plane of least squares through the centres of surfels, as normal and distance.
    pub fn fit(&self, set: &[u32]) -> Option<(Vec3, f64)> {
        let mut spread = Spread::default();
        self.add_to(&mut spread, set);
        spread.plane()
    }

    /// Adds the centres of surfels to a spread, each with its weight in terms of its own noise over the usual one.
    pub fn add_to(&self, spread: &mut Spread, set: &[u32]) {
        for &i in set {
            let s = &self.list[i as usize];
            spread.add(s.centroid, f64::from(s.weight) / f64::from(s.scale * s.scale));
        }
    }

    /// The same surfels with other `surfaces` around the base cells: those of a rougher class. Joined surfels
    /// get none.
    pub fn rougher(&self, cloud: &CellCloud, surfaces: &dyn Seen) -> Surfels {
        let single = |surfel: &Surfel| {
            let base = surfel.places[0];
            let (centroid, scatter, weight) = shape(cloud, 0, base);
            Surfel { centroid, scatter, weight, surface: surfaces.around(base as usize), ..*surfel }
        };
        let again = |surfel: &Surfel| match surfel.cells() {
            1 => single(surfel),
            _ => Surfel { surface: None, ..*surfel },
        };
        Surfels { list: self.list.par_iter().map(again).collect(), at: self.at.clone() }
    }

    /// Index of the surfel of a base cell.
    #[inline(always)]
    pub fn at(&self, cell: usize) -> usize {
        self.at[cell] as usize
    }

    /// Number of base cells.
    pub fn base_cells(&self) -> usize {
        self.at.len()
    }

    /// The base cells of a surfel.
    pub fn cells(&self, surfel: u32) -> Range<u32> {
        let [first, end] = self.list[surfel as usize].places;
        first..end
    }

    /// The cells of a level that a surfel lies in.
    pub fn homes(&self, cells: &Cells, surfel: u32, level: usize) -> impl Iterator<Item = u32> {
        let [mut place, end] = self.list[surfel as usize].places;
        std::iter::from_fn(move || {
            let cell = (place < end).then(|| cells.ancestor(place, level))?;
            place = cells.run(level, cell)[1];
            Some(cell)
        })
    }

    /// Indices of the surfels in the block around a cell of a level.
    pub fn around<'a>(
        &'a self,
        finders: &mut [Finder<'a>],
        level: usize,
        cell: u32,
    ) -> impl Iterator<Item = u32> + use<'a> {
        let finder = &mut finders[level];
        let (level, block) = (finder.level(), finder.block(cell).into_iter());
        block.flat_map(move |cell| self.within(level.run(cell)))
    }

    /// Indices of the surfels that hold a run of base cells.
    #[inline(always)]
    pub fn within(&self, [first, last]: [u32; 2]) -> Range<u32> {
        self.at[first as usize]..self.at[last as usize - 1] + 1
    }
}

/// The weight of the surfels whose surface was seen on each of so many levels.
pub fn weight_by_level(surfels: &[Surfel], levels: usize) -> Vec<u64> {
    let none = || vec![0; levels];
    let add = |mut weights: Vec<u64>, surfel: &Surfel| {
        if let Some(surface) = surfel.surface {
            weights[surface.level()] += u64::from(surfel.weight);
        }
        weights
    };
    let both = |mut a: Vec<u64>, b: Vec<u64>| {
        a.iter_mut().zip(b).for_each(|(a, b)| *a += b);
        a
    };
    surfels.par_iter().with_min_len(1 << 12).fold(none, add).reduce(none, both)
}

/// Edge of a lattice on which the surface of a set of surfels has no gaps, for base cells of edge `cell`: a
/// little more than the cells at which nine tenths of it was seen.
pub fn closing_edge(surfels: &[Surfel], set: &[u32], cell: f64) -> f64 {
    let levels = set.iter().filter_map(|&i| {
        let s = &surfels[i as usize];
        Some((s.surface?.level() as f64, u64::from(s.weight)))
    });
    1.5 * cell * weighted_quantile(levels.collect(), 0.9).exp2()
}

/// A cell whose base cells are one surfel.
struct Joined {
    level: usize,
    cell: u32,
    /// Its first base cell.
    first: u32,
    surface: Surface,
}

/// Base cells to be joined into surfels.
struct Joining<'a> {
    cloud: &'a CellCloud,
    cells: &'a Cells,
    field: &'a NoiseField,
    surfaces: &'a dyn Seen,
    thinner: Thinner,
}

impl Joining<'_> {
    /// All surfels, in Morton order.
    fn surfels(&self) -> Surfels {
        let base = self.cells.base().len();
        let thin: Vec<bool> = (0..base).into_par_iter().map(|cell| self.is_thin(cell)).collect();
        let level = JOINED.min(self.cells.levels.len() - 1);
        let cells = (0..self.cells.len(level) as u32).into_par_iter();
        let join = |mut joined: Vec<Joined>, cell: u32| {
            self.join((level, cell), &thin, &mut joined);
            joined
        };
        let pieces: Vec<Vec<Joined>> = cells.fold_chunks(PIECE, Vec::new, join).collect();
        let joined: Vec<Joined> = pieces.into_iter().flatten().collect();
        let firsts = self.firsts(&joined);
        let surfel = |i: usize| {
            let first = firsts[i];
            let end = firsts.get(i + 1).map_or(base, |&next| next as usize);
            let at = (end - first as usize > 1)
                .then(|| joined.binary_search_by_key(&first, |joined| joined.first).ok())
                .flatten();
            match at.map(|at| &joined[at]) {
                Some(&Joined { level, cell, surface, .. }) => {
                    self.surfel(level, cell, Some(surface))
                }
                None => self.surfel(0, first, self.surfaces.around(first as usize)),
            }
        };
        // Their number is known, so that no list has to grow or to be copied.
        Surfels::of((0..firsts.len()).into_par_iter().map(surfel).collect(), base)
    }

    /// Joins the base cells of a cell of a level, or else those of the cells in it.
    fn join(&self, (level, cell): (usize, u32), thin: &[bool], joined: &mut Vec<Joined>) {
        let run = self.cells.run(level, cell);
        let [first, end] = run.map(|cell| cell as usize);
        if end - first == 1 {
            return;
        }
        let is_thin = thin[first..end].iter().all(|&thin| thin);
        let surface = is_thin.then(|| self.one_surface(level, cell, run)).flatten();
        if let Some(surface) = surface {
            joined.push(Joined { level, cell, first: run[0], surface });
        } else if level > 1 {
            let [first, last] =
                [run[0], run[1] - 1].map(|cell| self.cells.ancestor(cell, level - 1));
            (first..=last).for_each(|cell| self.join((level - 1, cell), thin, joined));
        }
    }

    /// The first base cell of each surfel.
    fn firsts(&self, joined: &[Joined]) -> Vec<u32> {
        let base = self.cells.base().len() as u32;
        let run = |joined: &Joined| self.cells.run(joined.level, joined.cell);
        let inside: u32 = joined.iter().map(run).map(|[first, end]| end - first - 1).sum();
        let mut firsts = Vec::with_capacity((base - inside) as usize);
        let mut next = 0;
        for joined in joined {
            firsts.extend(next..=joined.first);
            next = run(joined)[1];
        }
        firsts.extend(next..base);
        firsts
    }

    /// The noise of a base cell, as far as one surface may show it.
    fn noise(&self, cell: usize) -> f64 {
        (self.thinner.noise * self.field.scale(cell)).min(self.thinner.most)
    }

    /// Whether a base cell lies on a surface that is no thicker than the noise.
    fn is_thin(&self, cell: usize) -> bool {
        let thick = || LAYERED * self.noise(cell);
        self.surfaces.around(cell).is_some_and(|surface| f64::from(surface.thickness) <= thick())
    }

    /// The surface of a cell whose base cells all have one, if they lie on one surface.
    fn one_surface(&self, level: usize, cell: u32, [first, end]: [u32; 2]) -> Option<Surface> {
        let inside = first as usize..end as usize;
        let all: Vec<Surface> =
            inside.clone().filter_map(|cell| self.surfaces.around(cell)).collect();
        // A surfel is about as large as the blocks in which its surface was seen: smaller than the blocks,
        // or, where the noise does not look the same everywhere, no larger than their middle cells.
        let finest = all.iter().map(Surface::level).min()?;
        if level > finest + usize::from(self.thinner.white) {
            return None;
        }
        let moments = self.cloud.moments(level, cell);
        let n = moments.n as f64;
        if n <= 3.0 {
            return None;
        }
        let (mut normal, mut error, mut thickness, mut seen) = ([0.0; 3], 0.0, 0.0, 0);
        let side = all.first()?.normal();
        for surface in &all {
            let own = surface.normal();
            let sign = dot(own, side).signum();
            (0..3).for_each(|a| normal[a] += sign * own[a]);
            error += f64::from(surface.error);
            thickness += f64::from(surface.thickness);
            seen = seen.max(surface.level());
        }
        let normal = normalized(normal);
        let unit = self.cells.levels[level].unit();
        let variance = variance_along(moments.covariance(), normal) * unit * unit * n / (n - 3.0);
        let count = inside.len() as f64;
        let thick = LAYERED * inside.map(|cell| self.noise(cell)).sum::<f64>() / count;
        (variance <= thick * thick)
            .then(|| Surface::new(normal, error / count, thickness / count, seen))
    }

    /// The surfel made of a cell of a level.
    fn surfel(&self, level: usize, cell: u32, surface: Option<Surface>) -> Surfel {
        let (centroid, scatter, weight) = shape(self.cloud, level, cell);
        let places = self.cells.run(level, cell);
        let scales = (places[0]..places[1]).map(|cell| self.field.scale(cell as usize));
        let scale = (scales.sum::<f64>() / f64::from(places[1] - places[0])) as f32;
        Surfel { centroid, scatter, weight, surface, scale, places }
    }
}

/// The mean, covariance and number of a cell's distinct points.
fn shape(cloud: &CellCloud, level: usize, cell: u32) -> (Vec3, [f32; 6], u32) {
    let moments = cloud.moments(level, cell);
    let level = &cloud.cells.levels[level];
    let square = (level.unit() * level.unit()) as f32;
    let scatter = moments.covariance().map(|c| c as f32 * square);
    (level.local(cell as usize, moments.mean()), scatter, moments.n as u32)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cpu::cut::whole;
    use crate::frame::Points;
    use crate::surface::flat::{FLAT, judge_all};

    /// The surfels of a cloud with noise 10: its surfaces are the finest flat blocks that are thin.
    fn surfels(cloud: &CellCloud, white: bool) -> Surfels {
        let cells = &cloud.cells;
        let flatness = judge_all(cells, cloud.sums());
        let surface = |base: u32| {
            (0..cells.levels.len()).find_map(|level| {
                let flat = flatness[level].of(cells.ancestor(base, level) as usize)?;
                (f64::from(flat.ratio) <= FLAT && flat.thickness <= 30.0)
                    .then(|| Surface::seen(flat, level))
            })
        };
        let surfaces: Vec<Option<Surface>> = (0..cells.len(0) as u32).map(surface).collect();
        let thinner = Thinner { noise: 10.0, most: f64::INFINITY, white };
        Surfels::new(cloud, &NoiseField::even(), &surfaces, thinner)
    }

    /// A floor with a step in it, and points above it.
    fn scene() -> Points {
        let floor = (0..40_000u32).map(|i| {
            let (u, v) = (i % 200 * 100, i / 200 * 100);
            let step = if u < 10_000 { 0 } else { 400 };
            [u, v, step + i * 7919 % 31].map(|v| v as f32)
        });
        let above = (0..500u32).map(|i| {
            [48_271, 69_621, 16_807].map(|k| (20_000 + i.wrapping_mul(k) % 20_000) as f32)
        });
        floor.chain(above).collect()
    }

    #[test]
    fn the_fit_goes_through_the_centres() {
        let tilted = |i: u32| {
            let (u, v) = (f64::from(i % 7), f64::from(i / 7));
            let centroid = [u, v, 4.0 + 0.5 * u];
            let surface = None;
            Surfel { centroid, scatter: [0.0; 6], weight: 4, surface, scale: 1.0, places: [0, 1] }
        };
        let surfels = Surfels::of((0..50).map(tilted).collect(), 50);
        let all: Vec<u32> = (0..50).collect();
        let (normal, rho) = surfels.fit(&all).unwrap();
        for s in &surfels.list {
            assert!((dot(normal, s.centroid) - rho).abs() < 1e-12);
        }
    }

    #[test]
    fn surfels_hold_every_cell_once_and_only_what_is_one_surface() {
        let cloud = whole(&scene());
        let cells = &cloud.cells;
        let [white, other] = [true, false].map(|white| surfels(&cloud, white));
        for surfels in [&white, &other] {
            let mut place = 0;
            for (i, s) in surfels.list.iter().enumerate() {
                assert_eq!(s.places[0], place);
                place = s.places[1];
                let base = surfels.cells(i as u32);
                let n: i64 = base.clone().map(|cell| cells.base().count(cell as usize)).sum();
                assert_eq!((i64::from(s.weight), base.len() as u32), (n, s.cells()));
                assert_eq!(surfels.within(s.places), i as u32..i as u32 + 1);
                assert!((s.places[0]..place).all(|place| surfels.at(place as usize) == i));
                if s.cells() > 1 {
                    let normal = s.surface.unwrap().normal();
                    // On the floor, on one side of the step.
                    assert!(normal[2].abs() > 0.99 && s.variance_along(normal).sqrt() < 16.0);
                    let level = s.surface.unwrap().level();
                    let homes: Vec<u32> = surfels.homes(cells, i as u32, level).collect();
                    let inside = |&home: &u32| cells.inside(level, home);
                    let inside: Vec<u32> = homes.iter().flat_map(inside).collect();
                    assert!(base.into_iter().all(|cell| inside.contains(&cell)));
                }
            }
            assert_eq!(place as usize, cells.base().len());
        }
        let sizes = [&cells.base().len(), &other.list.len(), &white.list.len()];
        assert!(3 * sizes[2] < 2 * sizes[0] && sizes[2] < sizes[1], "{sizes:?}");
    }

    #[test]
    fn rougher_surfels_are_the_same_pieces() {
        let cloud = whole(&scene());
        let surfels = surfels(&cloud, true);
        let rough = Surface::new([0.6, 0.0, 0.8], 0.1, 50.0, 1);
        let again = surfels.rougher(&cloud, &vec![Some(rough); cloud.cells.base().len()]);
        for (s, again) in surfels.list.iter().zip(&again.list) {
            assert_eq!(
                (s.places, s.weight, s.centroid),
                (again.places, again.weight, again.centroid)
            );
            assert_eq!(again.surface, (s.cells() == 1).then_some(rough));
        }
    }
}
