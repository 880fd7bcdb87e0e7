//! Layers: the surface through a cell where another surface is too close for its block to be flat.
//!
//! The two sides of a table lie in one block, which is as thick as the board. So where a block is
//! not flat, or thicker than the noise, the points of the layer in which the cell itself lies are
//! taken alone: seen along the block's normal, around the densest place of the cell's own points,
//! and then fitted and chosen again in turn.

use super::cells::Cells;
use super::eigen;
use super::evidence::{FLAT, LINE, MIN_POINTS, Surface, Surfel};
use super::links::Links;
use super::spread::Spread;
use super::vector::{Vec3, dot};
use crate::frame::Points;
use rayon::prelude::*;

/// Blocks thicker than so many times the noise may be several layers.
const LAYERED: f64 = 1.6;
/// Fits of one layer.
const ITERATIONS: usize = 4;
/// Half the thickness of the slab from which a layer is fitted, in standard deviations of the noise.
const SLAB: f64 = 2.5;
/// The same for the first choice, when the normal is still that of all layers together.
const FIRST_SLAB: f64 = 3.0;
/// A layer is at most so many times as thick as the noise: what fills its slab evenly is more.
const THICKEST: f64 = 1.25;
/// A block is wide enough when its edge is so many times the noise; less is never flat.
const WIDE: f64 = 14.0;
/// Levels that are tried from the first that is wide enough.
const LEVELS: usize = 2;
/// The emptier side of a layer holds at most one in so many points as its half of the slab.
const CONTRAST: usize = 3;

/// What layers are looked for in.
pub(super) struct Layers<'a> {
    pub cells: &'a Cells,
    pub links: &'a Links,
    pub points: &'a Points,
    /// Standard deviation of points about their surface, in steps.
    pub noise: f64,
}

impl Layers<'_> {
    /// Replaces the surfels whose block is not flat, or too thick for one surface, by those of
    /// their layer, where there is one.
    pub fn refine(&self, surfels: &mut [Surfel]) {
        let thick = LAYERED * self.noise;
        surfels.par_iter_mut().enumerate().with_min_len(256).for_each_init(
            Vec::new,
            |block, (cell, surfel)| {
                if surfel.surface.is_none_or(|s| s.thickness > thick)
                    && let Some(layer) = self.surfel(cell as u32, block)
                {
                    *surfel = layer;
                }
            },
        );
    }

    /// The layer through a base cell; `block` is room for points.
    fn surfel(&self, cell: u32, block: &mut Vec<Vec3>) -> Option<Surfel> {
        let edge = 3.0 * self.cells.base().size;
        let first = (WIDE * self.noise / edge).log2().ceil().max(0.0) as usize;
        let mut own = Vec::new();
        self.collect(cell, &mut own);
        (first..self.links.levels().min(first + LEVELS)).find_map(|level| {
            block.clear();
            for &neighbour in self.links.block(level, self.links.ancestor(cell, level)) {
                self.links.inside(level, neighbour).iter().for_each(|&c| self.collect(c, block));
            }
            self.layer(&own, block, level)
        })
    }

    /// Appends the distinct points of a base cell.
    fn collect(&self, cell: u32, to: &mut Vec<Vec3>) {
        let mut last = None;
        for &i in self.cells.points_of(cell as usize) {
            let p = self.points.get(i as usize);
            if last.replace(p) != Some(p) {
                to.push(p.map(f64::from));
            }
        }
    }

    /// The layer of a block that is densest at one of the cell's `own` points.
    fn layer(&self, own: &[Vec3], block: &[Vec3], level: usize) -> Option<Surfel> {
        if (block.len() as i64) < MIN_POINTS {
            return None;
        }
        let (_, mut normal) = eigen::smallest(spread(block, |_| true).covariance());
        let mut rho = self.densest(own, block, normal);
        let mut slab = FIRST_SLAB * self.noise;
        let mut found = None;
        for _ in 0..ITERATIONS {
            let layer = spread(block, |p| (dot(p, normal) - rho).abs() <= slab);
            if layer.weight() < MIN_POINTS as f64 {
                return None;
            }
            let values;
            (values, normal) = eigen::smallest(layer.covariance());
            rho = dot(normal, layer.mean());
            slab = SLAB * self.noise;
            found = Some((layer.weight(), values));
        }
        let (n, values) = found?;
        let thickness = (values[0].max(0.0) * n / (n - 3.0)).sqrt();
        let flat = values[0] <= FLAT * values[1] && values[1] >= LINE * values[2];
        if !flat || thickness > THICKEST * self.noise || !self.stands_out(block, normal, rho) {
            return None;
        }
        let mine = spread(own, |p| (dot(p, normal) - rho).abs() <= slab);
        (mine.weight() > 0.0).then(|| Surfel {
            centroid: mine.mean(),
            scatter: mine.covariance().map(|c| c as f32),
            weight: mine.weight() as u32,
            surface: Some(Surface {
                normal,
                error: (values[0].max(0.0) / values[1] / n).sqrt(),
                thickness,
                level,
            }),
        })
    }

    /// Where, along `normal`, the block is densest among the places of the `own` points.
    fn densest(&self, own: &[Vec3], block: &[Vec3], normal: Vec3) -> f64 {
        let near = |rho: f64| {
            block.iter().filter(|&&p| (dot(p, normal) - rho).abs() <= 2.0 * self.noise).count()
        };
        let (mut best, mut most) = (0.0, 0);
        for rho in own.iter().map(|&p| dot(p, normal)) {
            let count = near(rho);
            if count > most {
                (best, most) = (rho, count);
            }
        }
        best
    }

    /// Whether a layer is denser than what lies on one side of it.
    fn stands_out(&self, block: &[Vec3], normal: Vec3, rho: f64) -> bool {
        let slab = SLAB * self.noise;
        let (mut inside, mut below, mut above) = (0, 0, 0);
        for distance in block.iter().map(|&p| dot(p, normal) - rho) {
            inside += usize::from(distance.abs() <= slab);
            below += usize::from(distance < -slab && distance >= -2.0 * slab);
            above += usize::from(distance > slab && distance <= 2.0 * slab);
        }
        2 * CONTRAST * below.min(above) <= inside
    }
}

/// The sums over the points that `of` chooses.
fn spread(points: &[Vec3], of: impl Fn(Vec3) -> bool) -> Spread {
    let mut spread = Spread::default();
    points.iter().filter(|&&p| of(p)).for_each(|&p| spread.add(p, 1.0));
    spread
}
