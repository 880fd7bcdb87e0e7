//! Local evidence: which way the surface lies around each cell, and how thick it is.
//!
//! Every base cell takes its normal from a block of 3 × 3 × 3 cells around it, at the finest level
//! at which that block is flat. Dense places are judged at a small scale, sparse or noisy ones at
//! a larger one, and places that are flat at no scale (foliage, edges, clutter) get no normal.

use super::cells::{Cells, Level};
use super::eigen::{self, LANES, Lane};
use super::in_rounds::Class;
use super::links::Links;
use super::noise_field::NoiseField;
use super::rounds::Found;
use super::surfels::{Surfel, Surfels};
use crate::Result;
use crate::backend::{CellSurface, Held, Layer, LocalNoise};
pub(super) use crate::shared::{FLAT, LINE, MIN_POINTS, NEARLY_FLAT};
use crate::shared::{MIXED, SLICES};
use crate::vector::{Vec3, normalized};
use crate::wide::{Work, widely};
use rayon::prelude::*;
use std::collections::HashMap;

/// Share of the flat places that are taken to show nothing but noise.
const THIN: f64 = 0.25;
/// Blocks that one thread judges in one go.
const PIECE: usize = 1 << 12;
/// A surface is at most so many times as thick as the noise.
const THICKEST: f64 = 3.0;

/// The surface around a base cell.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Surface {
    normal: [f32; 3],
    /// Standard error of the normal's direction, in radians.
    pub error: f32,
    /// Root mean square distance of the block's points from their plane, in steps.
    pub thickness: f32,
    level: u8,
}

impl Surface {
    /// A surface of a normal of unit length, seen in a block of `level`.
    pub fn new(normal: Vec3, error: f64, thickness: f64, level: usize) -> Surface {
        let (error, thickness) = (error as f32, thickness as f32);
        Surface { normal: normal.map(|v| v as f32), error, thickness, level: level as u8 }
    }

    /// The surface that a backend found around a cell, if there is one.
    fn found(surface: &CellSurface) -> Option<Surface> {
        let CellSurface { normal, error, thickness, level } = *surface;
        (thickness > 0.0).then_some(Surface { normal, error, thickness, level: level as u8 })
    }

    /// The surface of a layer that was seen in a block of `level`.
    pub fn of_layer(layer: &Layer, level: usize) -> Surface {
        let Layer { normal, error, thickness, .. } = *layer;
        Surface { normal, error, thickness, level: level as u8 }
    }

    /// Unit normal, of either sign.
    #[inline]
    pub fn normal(&self) -> Vec3 {
        self.normal.map(f64::from)
    }

    /// Level whose block was flat.
    #[inline]
    pub fn level(&self) -> usize {
        usize::from(self.level)
    }
}

/// How flat the blocks of all cells are.
///
/// Where a block is flat, its thickness is the noise of the scan; where it is an edge, a step or a
/// twig, it is more. So the noise is read off the thinner blocks first, and then only blocks about
/// as thin as that count as surfaces. What is left may be rougher, or farther from the scanner, and
/// is looked at by itself in the same way.
///
/// A backend that keeps the points judges them, where it has room for that.
pub(super) struct Evidence<'a> {
    cells: &'a Cells,
    links: &'a Links<'a>,
    field: &'a NoiseField,
    /// How flat the blocks of each level are; none as long as a backend knows.
    flatness: Option<Vec<LevelFlatness>>,
    /// What was known of the base cells after each class that was left behind: [`SEEN`], [`TAKEN`].
    left: Vec<Vec<u8>>,
}

/// How flat the block of each cell of a level is.
pub(super) type LevelFlatness = Vec<Option<Flatness>>;

/// Bit of a base cell whose surface is known from an earlier class.
const SEEN: u8 = 1;
/// Bit of a base cell that belongs to a plane of the class that was left last.
const TAKEN: u8 = 2;

/// Points of the blocks of a level that hold so many.
type Kinds = HashMap<(usize, i64), u64>;

/// The points where a backend keeps them.
type Holder<'h> = Option<Box<dyn Held + 'h>>;

impl<'a> Evidence<'a> {
    /// Judges all blocks, unless their `flatness` is known; `held` are the points of the cells where a
    /// backend keeps them.
    pub fn new(
        cells: &'a Cells,
        links: &'a Links<'a>,
        field: &'a NoiseField,
        flatness: Option<Vec<LevelFlatness>>,
        held: &mut Holder<'_>,
    ) -> Result<Evidence<'a>> {
        let mut evidence = Evidence { cells, links, field, flatness, left: Vec::new() };
        let judged = match held {
            Some(held) if evidence.flatness.is_none() => {
                let [scale, floor] = field.in_order(links.by_place());
                held.judge(cells.levels.len(), &LocalNoise { scale: &scale, floor: &floor })?
            }
            _ => false,
        };
        if !judged {
            evidence.judge();
        }
        Ok(evidence)
    }

    /// Judges all blocks here.
    fn judge(&mut self) {
        if self.flatness.is_some() {
            return;
        }
        let mut flatness = judge_all(self.cells, self.links);
        self.left.iter().for_each(|known| self.strike(known, &mut flatness));
        self.flatness = Some(flatness);
    }

    /// Leaves a class behind: its `surfels`, and the blocks of which a good part belongs to the
    /// planes `found` in it, since what is flat there is the edge of something known.
    pub fn next_class(
        &mut self,
        surfels: &Surfels,
        found: &[Found],
        held: &mut Holder<'_>,
    ) -> Result<()> {
        let seen = |s: &Surfel| if s.surface.is_some() { SEEN } else { 0 };
        let mut state: Vec<u8> = surfels.list.par_iter().map(seen).collect();
        for &i in found.iter().flat_map(|f| &f.support.surfels) {
            state[i as usize] |= TAKEN;
        }
        let of_cell = |cell: usize| state[surfels.at(self.place(cell))] | self.known(cell) & SEEN;
        let known = (0..self.cells.base().len()).into_par_iter().map(of_cell).collect();
        self.leave(known, held)
    }

    /// Leaves behind what is known of the base cells.
    fn leave(&mut self, known: Vec<u8>, held: &mut Holder<'_>) -> Result<()> {
        match (&mut self.flatness, held) {
            (None, Some(held)) => {
                let left = held.leave(&known)?;
                self.left.push(known);
                if !left {
                    self.judge();
                }
            }
            _ => {
                let mut flatness = self.flatness.take();
                flatness.iter_mut().for_each(|flatness| self.strike(&known, flatness));
                self.flatness = flatness;
                self.left.push(known);
            }
        }
        Ok(())
    }

    /// Strikes out the blocks of which a good part belongs to planes.
    fn strike(&self, known: &[u8], flatness: &mut [LevelFlatness]) {
        let base = self.cells.base();
        let points = |cell: usize| if known[cell] & TAKEN == 0 { 0 } else { base.count(cell) };
        let mut taken: Vec<i64> = (0..base.len()).into_par_iter().map(points).collect();
        for (number, (level, judged)) in self.cells.levels.iter().zip(flatness).enumerate() {
            let is_mixed = |cell: usize| {
                let block = self.links.block(number, cell as u32);
                let taken: i64 = block.iter().map(|&cell| taken[cell as usize]).sum();
                let all = || block.iter().map(|&cell| level.count(cell as usize)).sum::<i64>();
                taken > 0 && taken * MIXED > all()
            };
            let strike = |(cell, judged): (usize, &mut Option<Flatness>)| {
                if judged.is_some() && is_mixed(cell) {
                    *judged = None;
                }
            };
            judged.par_iter_mut().with_min_len(1024).enumerate().for_each(strike);
            if !level.parent.is_empty() {
                let below = std::mem::replace(&mut taken, vec![0; self.links.len(number + 1)]);
                level.parent.iter().zip(below).for_each(|(&cell, n)| taken[cell as usize] += n);
            }
        }
    }

    /// Where a base cell is in Morton order.
    fn place(&self, base_cell: usize) -> usize {
        self.links.run(0, base_cell as u32)[0] as usize
    }

    /// What is known of a base cell.
    fn known(&self, base_cell: usize) -> u8 {
        self.left.last().map_or(0, |known| known[base_cell])
    }

    /// The noise of the flat places, in steps, and the number of points there.
    pub fn noise(&mut self, held: &mut Holder<'_>) -> Result<(f64, u64)> {
        let (thin, weight) = self.thickness(f64::INFINITY, THIN, held)?;
        let (noise, _) = self.thickness(THICKEST * thin, 0.5, held)?;
        Ok((noise, weight))
    }

    /// Distance between neighbouring points on surfaces, in steps: the median over the points.
    pub fn spacing(&self, surfels: &[Surfel]) -> f64 {
        let place = |s: &Surfel| {
            let level = s.surface?.level();
            let cell = self.links.ancestor_at(s.places[0], level);
            let cells = &self.cells.levels[level];
            let block = self.links.block(level, cell).iter();
            let n: i64 = block.map(|&c| cells.count(c as usize)).sum();
            Some(((level, n), u64::from(s.weight)))
        };
        // Blocks of one size and of as many points are alike, and there are few kinds of them.
        let count = |mut kinds: Kinds, (kind, weight)| {
            *kinds.entry(kind).or_default() += weight;
            kinds
        };
        let all: Kinds = surfels
            .par_iter()
            .filter_map(place)
            .fold(Kinds::new, count)
            .reduce(Kinds::new, |all, some| some.into_iter().fold(all, count));
        let spacing = |((level, n), weight): ((usize, i64), u64)| {
            // The block is as wide as three cells, and the surface crosses it once.
            let width = 3.0 * self.cells.levels[level].size;
            (width / (n as f64).sqrt(), weight)
        };
        weighted_quantile(all.into_iter().map(spacing).collect(), 0.5)
    }

    /// The thickness below which `share` of the points lie, of those with a surface of at most
    /// `thickest`, and the number of these points.
    fn thickness(
        &mut self,
        thickest: f64,
        share: f64,
        held: &mut Holder<'_>,
    ) -> Result<(f64, u64)> {
        if let (None, Some(held)) = (&self.flatness, held)
            && let Some(answer) = held.thickness(thickest, share)?
        {
            return Ok(answer);
        }
        self.judge();
        let base = self.cells.base();
        let thickness = |cell: usize| {
            let thickness = f64::from(self.surface(cell, thickest)?.thickness);
            // As many digits as a backend keeps.
            let usual = (thickness / self.field.scale(cell)) as f32;
            Some((f64::from(usual), base.count(cell) as u64))
        };
        let all: Vec<(f64, u64)> = (0..base.len()).into_par_iter().filter_map(thickness).collect();
        let weight = all.par_iter().map(|v| v.1).sum();
        Ok((weighted_quantile(all, share), weight))
    }

    /// The surfaces around all base cells, in Morton order, for a given noise.
    pub fn surfaces(&mut self, noise: f64, held: &mut Holder<'_>) -> Result<Vec<Option<Surface>>> {
        let thickest = THICKEST * noise;
        if let (None, Some(held)) = (&self.flatness, held)
            && let Some(found) = held.surfaces(thickest)?
        {
            let of = |&cell: &u32| Surface::found(&found[cell as usize]);
            return Ok(self.links.by_place().par_iter().map(of).collect());
        }
        self.judge();
        let of = |&cell: &u32| self.surface(cell as usize, thickest);
        Ok(self.links.by_place().par_iter().map(of).collect())
    }

    /// The finest level that is flat around a base cell, or else the flattest that nearly is, among
    /// blocks of at most the given thickness.
    fn surface(&self, base_cell: usize, thickest: f64) -> Option<Surface> {
        if self.known(base_cell) & SEEN != 0 {
            return None;
        }
        let mut cell = base_cell;
        let mut best: Option<(usize, Flatness)> = None;
        // The finest of the levels on which the block is an exact slice, and how many these are.
        let (mut slice, mut slices) = (None, 0);
        let thickest = thickest * self.field.scale(base_cell);
        for (level, judged) in self.flatness.iter().flatten().enumerate() {
            if let Some(flat) = judged[cell].filter(|f| f64::from(f.thickness) <= thickest) {
                let is_slice = self.field.is_slice(base_cell, flat.thickness);
                let flat = self.field.at_least(base_cell, flat);
                if is_slice {
                    slice = slice.or(Some((level, flat)));
                    slices += 1;
                    if slices == SLICES {
                        break;
                    }
                } else if best.is_none_or(|(_, b)| flat.ratio < b.ratio) {
                    best = Some((level, flat));
                }
                if !is_slice && f64::from(flat.ratio) <= FLAT {
                    break;
                }
            }
            cell = match self.cells.levels[level].parent.get(cell) {
                Some(&parent) => parent as usize,
                None => break,
            };
        }
        // A step is no surface, but a wall that faces the camera is as exact at any size.
        let best = if slices == SLICES { slice } else { best };
        best.map(|(level, flat)| Surface {
            normal: normalized(flat.normal.map(f64::from)).map(|v| v as f32),
            error: flat.error,
            thickness: flat.thickness,
            level: level as u8,
        })
    }
}

/// What was found in all classes, and the surfels with the surface of the first class that has one.
pub(super) fn combined(classes: Vec<Class>) -> Class {
    let mut all = Class::default();
    for (surfels, findings) in classes {
        if all.0.list.is_empty() {
            all.0 = surfels;
        } else {
            all.0.list.par_iter_mut().zip(surfels.list).for_each(|(first, later)| {
                if first.surface.is_none() && later.surface.is_some() {
                    *first = later;
                }
            });
        }
        all.1.found.extend(findings.found);
        all.1.failed.extend(findings.failed);
    }
    all
}

/// How flat one block is.
#[derive(Clone, Copy)]
pub(super) struct Flatness {
    /// Thickness over width, squared.
    pub ratio: f32,
    /// Root mean square distance of the points from their plane, in steps.
    pub thickness: f32,
    /// Standard error of the normal's direction where noise is independent, in radians.
    pub error: f32,
    /// Unit normal.
    pub normal: [f32; 3],
}

/// Judges all blocks.
pub(super) fn judge_all(cells: &Cells, links: &Links) -> Vec<LevelFlatness> {
    let level = |number: usize| {
        let n = links.len(number);
        let mut judged: LevelFlatness = (0..n).into_par_iter().map(|_| None).collect();
        judged.par_chunks_mut(PIECE).enumerate().for_each(|(piece, judged)| {
            let first = (piece * PIECE) as u32;
            widely(Judging { cells, links, level: number, of: first.., judged });
        });
        judged
    };
    (0..cells.levels.len()).map(level).collect()
}

/// Judges the blocks of some cells of a level.
pub(super) fn judge_some(cells: &Cells, links: &Links, level: usize, of: &[u32]) -> LevelFlatness {
    let mut judged = vec![None; of.len()];
    judged.par_chunks_mut(PIECE).zip(of.par_chunks(PIECE)).for_each(|(judged, of)| {
        widely(Judging { cells, links, level, of: of.iter().copied(), judged });
    });
    judged
}

/// The work of judging the blocks `of` some cells of a level: as many as are to be `judged`.
struct Judging<'a, I> {
    cells: &'a Cells,
    links: &'a Links<'a>,
    level: usize,
    of: I,
    judged: &'a mut [Option<Flatness>],
}

impl<I: IntoIterator<Item = u32>> Work for Judging<'_, I> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let level = &self.cells.levels[self.level];
        let mut waiting = Waiting::default();
        for (place, cell) in (0..self.judged.len()).zip(self.of) {
            let block = self.links.block(self.level, cell);
            let moments = level.block_moments(cell as usize, block);
            let covariance = moments.covariance();
            if moments.n < MIN_POINTS || !may_be_flat(&covariance) {
                self.judged[place] = None;
                continue;
            }
            waiting.add(place, moments.n, covariance);
            if waiting.len == LANES {
                waiting.judge(level.unit(), self.judged);
            }
        }
        waiting.judge(level.unit(), self.judged);
    }
}

/// Blocks that are to be judged side by side.
#[derive(Default)]
struct Waiting {
    len: usize,
    places: [usize; LANES],
    counts: Lane,
    covariances: [Lane; 6],
}

impl Waiting {
    #[inline(always)]
    fn add(&mut self, place: usize, n: i64, covariance: [f64; 6]) {
        self.places[self.len] = place;
        self.counts[self.len] = n as f64;
        self.covariances.iter_mut().zip(covariance).for_each(|(lane, c)| lane[self.len] = c);
        self.len += 1;
    }

    /// Judges those that wait; of the lanes that are empty nothing is kept.
    #[inline(always)]
    fn judge(&mut self, unit: f64, judged: &mut [Option<Flatness>]) {
        let eigen = eigen::smallest_of(&self.covariances);
        for (lane, eigen) in eigen.into_iter().enumerate().take(self.len) {
            judged[self.places[lane]] = flatness(self.counts[lane], eigen, unit);
        }
        self.len = 0;
    }
}

/// Judges the block of one cell.
pub(super) fn judge_block(level: &Level, cell: usize, block: &[u32]) -> Option<Flatness> {
    let moments = level.block_moments(cell, block);
    if moments.n < MIN_POINTS {
        return None;
    }
    flatness(moments.n as f64, eigen::smallest(moments.covariance()), level.unit())
}

/// Whether a block with this covariance may be nearly flat: a bound that costs less than its eigenvalues.
///
/// Of eigenvalues a ≤ b ≤ c with a ≤ `NEARLY_FLAT` · b, the product is at most `NEARLY_FLAT` · b · bc, where b is at most
/// half their sum and bc at most the sum of their products in pairs.
#[inline(always)]
fn may_be_flat(&[xx, xy, xz, yy, yz, zz]: &[f64; 6]) -> bool {
    let minors = [yy * zz - yz * yz, xy * zz - yz * xz, xy * yz - yy * xz];
    let product = xx * minors[0] - xy * minors[1] + xz * minors[2];
    let pairs = minors[0] + (xx * zz - xz * xz) + (xx * yy - xy * xy);
    // What rounding errors change is far less, unless the block is a line.
    product <= 0.5 * (NEARLY_FLAT + 1e-6) * (xx + yy + zz) * pairs
}

/// How flat a block of `n` points is, with these eigenvalues of their covariance and the eigenvector of
/// the smallest.
#[inline(always)]
fn flatness(n: f64, (values, normal): ([f64; 3], [f64; 3]), unit: f64) -> Option<Flatness> {
    // Coordinates were cut to whole units, which adds the variance of one unit's rounding.
    let least = values[0].max(1.0 / 12.0);
    let ratio = least / values[1];
    (ratio <= NEARLY_FLAT && values[1] >= LINE * values[2]).then(|| Flatness {
        ratio: ratio as f32,
        thickness: ((least * n / (n - 3.0)).sqrt() * unit) as f32,
        error: (ratio / n).sqrt() as f32,
        normal: normal.map(|v| v as f32),
    })
}

/// The value below which `share` of the total weight lies; 0 without any.
pub(super) fn weighted_quantile(mut values: Vec<(f64, u64)>, share: f64) -> f64 {
    let weight = |values: &[(f64, u64)]| values.iter().map(|v| v.1).sum::<u64>();
    let wanted = share * weight(&values) as f64;
    let (mut rest, mut below) = (&mut values[..], 0);
    // The half in which it lies, and of that the half, and so on.
    while rest.len() > 1 {
        let middle = rest.len() / 2;
        rest.select_nth_unstable_by(middle, |a, b| a.0.total_cmp(&b.0));
        let (less, more) = rest.split_at_mut(middle);
        let to_middle = below + weight(less);
        (rest, below) = if to_middle as f64 >= wanted { (less, below) } else { (more, to_middle) };
    }
    rest.first().map_or(0.0, |v| v.0)
}

#[cfg(test)]
mod tests {
    use super::super::moments::PAIRS;
    use super::super::sums::CellMoments;
    use super::super::surfels::Thinner;
    use super::*;
    use crate::Error;
    use crate::backend::Backend;
    use crate::cuda::Cuda;
    use crate::frame::Points;
    use crate::vector::{cross, dot};

    fn surfels(cells: &Cells) -> Vec<Surfel> {
        let (links, field) = (Links::new(cells), NoiseField::even());
        let mut evidence = Evidence::new(cells, &links, &field, None, &mut None).unwrap();
        let noise = evidence.noise(&mut None).unwrap().0;
        let surfaces = evidence.surfaces(noise, &mut None).unwrap();
        let thinner = Thinner { noise, most: f64::INFINITY, white: true };
        Surfels::new(cells, &links, &field, &surfaces, thinner).list
    }

    /// A tilted plane with a little roughness, and scattered points above it.
    fn scene() -> Points {
        let plane = (0..20_000).map(|i| {
            let (u, v) = ((i % 141) as f32 * 500.0, (i / 141) as f32 * 500.0);
            [u, v, (u / 4.0 + ((i * 7919) % 101) as f32).round()]
        });
        let scattered = (0..600).map(|i: u32| {
            let r = |k: u32| (i.wrapping_mul(k) % 70_001) as f32;
            [r(48_271), r(69_621), 200_000.0 + r(16_807) * 4.0]
        });
        plane.chain(scattered).collect()
    }

    #[test]
    fn a_plane_is_flat_and_scatter_is_not() {
        let points = scene();
        let cells = Cells::new(&points, &mut None).unwrap().0;
        let surfels = surfels(&cells);
        let expected = [-0.25f64, 0.0, 1.0].map(|v| v / 1.0625f64.sqrt());
        let (mut on, mut flat, mut off) = (0, 0, 0);
        for surfel in &surfels {
            match surfel.surface {
                Some(s) if surfel.centroid[2] < 100_000.0 => {
                    let cosine = dot(s.normal(), expected).abs();
                    assert!(cosine > 5f64.to_radians().cos(), "{s:?}");
                    flat += surfel.weight;
                }
                Some(_) => off += surfel.weight,
                None => {}
            }
            on += u32::from(surfel.centroid[2] < 100_000.0) * surfel.weight;
        }
        assert_eq!(on, 20_000);
        assert!(flat > 19_900, "{flat}");
        assert!(off < 120, "{off}");
    }

    fn moments(cells: &Cells) -> Vec<CellMoments> {
        (0..cells.base().len()).map(|cell| cells.base().moments(cell)).collect()
    }

    #[test]
    fn what_is_flat_may_be() {
        let (mut flat, mut sure) = (0, 0);
        for i in 0..20_000u32 {
            // Squares of widths along three axes, turned about all of them.
            let width = |k: u32| f64::from(1 + i.wrapping_mul(k) % 1009).powi(2);
            let values = [48_271, 69_621, 16_807].map(width);
            let values = match i % 2 {
                0 => [0.05 * values[0], values[1], values[2]],
                // Nearly as wide one way as another.
                _ => values.map(|v| 2e6 + v),
            };
            let angle = f64::from(i);
            let axes: [Vec3; 3] = {
                let x = normalized([angle.cos(), angle.sin(), (2.0 * angle).sin()]);
                let y = normalized(cross(x, [0.3, 0.5, 0.8]));
                [x, y, cross(x, y)]
            };
            let covariance = PAIRS.map(|(a, b)| {
                values.iter().zip(axes).map(|(value, axis)| value * axis[a] * axis[b]).sum()
            });
            let is_flat = flatness(1000.0, eigen::smallest(covariance), 1.0).is_some();
            assert!(!is_flat || may_be_flat(&covariance), "{values:?}");
            flat += u32::from(is_flat);
            sure += u32::from(!may_be_flat(&covariance));
        }
        assert!(flat > 5000 && sure > 500, "{flat} {sure}");
    }

    #[test]
    fn the_order_of_the_points_does_not_matter() {
        let points = scene();
        let shuffled: Vec<u32> = (0..points.len() as u32).map(|i| i * 7919 % 20_600).collect();
        let (a, b) = (
            Cells::new(&points, &mut None).unwrap().0,
            Cells::new(&points.select(&shuffled), &mut None).unwrap().0,
        );
        assert!(moments(&a) == moments(&b));
        assert!(surfels(&a) == surfels(&b));
    }

    #[test]
    fn duplicates_count_once() {
        let points = scene();
        let twice: Vec<u32> = (0..points.len() as u32).flat_map(|i| [i; 3]).collect();
        let (a, b) = (
            Cells::new(&points, &mut None).unwrap().0,
            Cells::new(&points.select(&twice), &mut None).unwrap().0,
        );
        assert_eq!(a.distinct, b.distinct);
        assert!(surfels(&a) == surfels(&b));
    }

    /// The surfaces of a cloud, and those of what is left of it, told by the GPU or, without, here;
    /// where the noise is even, or has this floor.
    fn classes(
        points: &Points,
        floor: Option<f32>,
        held: &mut Holder<'_>,
        on_gpu: bool,
    ) -> Vec<(f64, u64, Vec<Option<Surface>>)> {
        let cells = Cells::new(points, held).unwrap().0;
        let links = Links::new(&cells);
        let field = floor
            .map_or_else(NoiseField::even, |floor| NoiseField::strange(cells.base().len(), floor));
        let held = if on_gpu { held } else { &mut None };
        let mut evidence = Evidence::new(&cells, &links, &field, None, held).unwrap();
        assert_eq!(evidence.flatness.is_none(), on_gpu);
        let mut class = |known: Option<Vec<u8>>| {
            known.into_iter().for_each(|known| evidence.leave(known, held).unwrap());
            let (noise, weight) = evidence.noise(held).unwrap();
            (noise, weight, evidence.surfaces(noise, held).unwrap())
        };
        let first = class(None);
        let known = |i: usize| match first.2[links.run(0, i as u32)[0] as usize] {
            Some(surface) => {
                SEEN | if surface.level() > 0 || i.is_multiple_of(3) { TAKEN } else { 0 }
            }
            None => 0,
        };
        let known: Vec<u8> = (0..cells.base().len()).map(known).collect();
        let all = known.iter().map(|k| k & TAKEN).collect();
        let second = class(Some(known));
        vec![first, second, class(Some(all))]
    }

    #[test]
    fn a_gpu_sees_the_same_surfaces() {
        let gpu = match Cuda::new() {
            Ok(gpu) => gpu,
            Err(Error::NoDevice(why)) => return println!("skipped: {why}"),
            Err(broken) => panic!("{broken}"),
        };
        let thrice: Vec<u32> = (0..20_600u32).flat_map(|i| [i; 3]).collect();
        let lattice =
            (0..27_000u32).map(|i| [i % 30, i / 30 % 30, i / 900].map(|v| v as f32 * 64.0));
        let wide = (0..50_000u32).map(|i| {
            [48_271, 69_621, 16_807].map(|k| (i.wrapping_mul(k) % (1 << 24)) as f32 - 8_388_608.0)
        });
        let few: Vec<u32> = (0..5000).collect();
        let scene = scene();
        for points in [
            scene.select(&thrice),
            scene.select(&few),
            scene,
            lattice.collect(),
            wide.collect(),
            (0..5000).map(|i| [50.0 * (i % 2) as f32; 3]).collect(),
        ] {
            let hold = || gpu.hold(&points).unwrap();
            for floor in [None, Some(0.0), Some(20.0), Some(3000.0)] {
                let there = classes(&points, floor, &mut hold(), true);
                assert!(there == classes(&points, floor, &mut hold(), false), "{floor:?}");
                assert!(there == classes(&points, floor, &mut None, false), "{floor:?}");
            }
        }
    }

    #[test]
    fn a_weighted_median_is_where_half_the_weight_lies() {
        assert_eq!(weighted_quantile(vec![(3.0, 1), (1.0, 1), (2.0, 10)], 0.5), 2.0);
        assert_eq!(weighted_quantile(vec![], 0.5), 0.0);
        let values: Vec<(f64, u64)> =
            (0..500u32).map(|i| (f64::from(i * 7919 % 97), u64::from(i % 5))).collect();
        let mut sorted = values.clone();
        sorted.sort_by(|a, b| a.0.total_cmp(&b.0));
        for share in [0.0, 0.1, 0.5, 0.9, 1.0] {
            let wanted = share * sorted.iter().map(|v| v.1).sum::<u64>() as f64;
            let mut sum = 0;
            let reaches = |v: &&(f64, u64)| {
                sum += v.1;
                sum as f64 >= wanted
            };
            let plain = sorted.iter().find(reaches).map(|v| v.0);
            assert_eq!(Some(weighted_quantile(values.clone(), share)), plain);
        }
    }
}
