//! How flat blocks are, and the surface that a flat one shows.
//!
//! A block is the 3 × 3 × 3 cells around a cell. Its thickness, width and length are the square roots of the
//! eigenvalues of its points' covariance.

use super::cells::Cells;
use super::eigen::{self, LANES, Lane};
use super::layers::Layer;
use super::level::Level;
pub use crate::shared::{FLAT, LINE, MIN_POINTS, NEARLY_FLAT};
use crate::vector::{Vec3, normalized};
use crate::wide::{Work, widely};
use rayon::prelude::*;

/// Blocks that one thread judges at a time.
const PIECE: usize = 1 << 12;

/// The surface around a base cell.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Surface {
    normal: [f32; 3],
    /// Standard error of the normal's direction, in radians.
    pub error: f32,
    /// Root mean square distance of the block's points from their plane, in steps.
    pub thickness: f32,
    level: u8,
}

impl Surface {
    /// A surface with a normal of unit length, seen in a block of `level`.
    pub fn new(normal: Vec3, error: f64, thickness: f64, level: usize) -> Surface {
        let (error, thickness) = (error as f32, thickness as f32);
        Surface { normal: normal.map(|v| v as f32), error, thickness, level: level as u8 }
    }

    /// The surface that a flat block of `level` shows.
    pub fn seen(flat: Flatness, level: usize) -> Surface {
        let normal = normalized(flat.normal.map(f64::from)).map(|v| v as f32);
        Surface { normal, error: flat.error, thickness: flat.thickness, level: level as u8 }
    }

    /// The surface of a layer that was seen in a block of `level`.
    pub fn of_layer(layer: &Layer, level: usize) -> Surface {
        Surface::of(layer.normal, layer.error, layer.thickness, level)
    }

    /// A surface with a normal of unit length, seen in a block of `level`.
    pub fn of(normal: [f32; 3], error: f32, thickness: f32, level: usize) -> Surface {
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

/// How flat the block of each cell of a level is.
pub type LevelFlatness = Vec<Option<Flatness>>;

/// How flat one block is.
#[derive(Clone, Copy)]
pub struct Flatness {
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
pub fn judge_all(cells: &Cells) -> Vec<LevelFlatness> {
    let level = |number: usize| {
        let n = cells.len(number);
        let mut judged: LevelFlatness = (0..n).into_par_iter().map(|_| None).collect();
        judged.par_chunks_mut(PIECE).enumerate().for_each(|(piece, judged)| {
            let first = (piece * PIECE) as u32;
            widely(Judging { cells, level: number, of: first.., judged });
        });
        judged
    };
    (0..cells.levels.len()).map(level).collect()
}

/// Judges the blocks of some cells of a level.
pub fn judge_some(cells: &Cells, level: usize, of: &[u32]) -> LevelFlatness {
    let mut judged = vec![None; of.len()];
    judged.par_chunks_mut(PIECE).zip(of.par_chunks(PIECE)).for_each(|(judged, of)| {
        widely(Judging { cells, level, of: of.iter().copied(), judged });
    });
    judged
}

/// The task of judging the blocks `of` some cells of a level, as many as `judged` has room for.
struct Judging<'a, I> {
    cells: &'a Cells,
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
            let block = self.cells.block(self.level, cell);
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

/// Blocks waiting to be judged side by side.
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

    /// Judges the waiting blocks; results of empty lanes are dropped.
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
pub fn judge_block(level: &Level, cell: usize, block: &[u32]) -> Option<Flatness> {
    let moments = level.block_moments(cell, block);
    if moments.n < MIN_POINTS {
        return None;
    }
    flatness(moments.n as f64, eigen::smallest(moments.covariance()), level.unit())
}

/// Whether a block with this covariance may be nearly flat, by a bound that costs less than the eigenvalues.
///
/// For eigenvalues a ≤ b ≤ c with a ≤ `NEARLY_FLAT` · b, the product is at most `NEARLY_FLAT` · b · bc, where
/// b is at most half their sum and bc at most the sum of their pairwise products.
#[inline(always)]
fn may_be_flat(&[xx, xy, xz, yy, yz, zz]: &[f64; 6]) -> bool {
    let minors = [yy * zz - yz * yz, xy * zz - yz * xz, xy * yz - yy * xz];
    let product = xx * minors[0] - xy * minors[1] + xz * minors[2];
    let pairs = minors[0] + (xx * zz - xz * xz) + (xx * yy - xy * xy);
    // Rounding errors are far smaller than this margin, unless the block is a line.
    product <= 0.5 * (NEARLY_FLAT + 1e-6) * (xx + yy + zz) * pairs
}

/// How flat a block of `n` points is, from the eigenvalues of their covariance and the eigenvector of the
/// smallest.
#[inline(always)]
fn flatness(n: f64, (values, normal): ([f64; 3], [f64; 3]), unit: f64) -> Option<Flatness> {
    // Coordinates were truncated to whole units, which adds the rounding variance of one unit.
    let least = values[0].max(1.0 / 12.0);
    let ratio = least / values[1];
    (ratio <= NEARLY_FLAT && values[1] >= LINE * values[2]).then(|| Flatness {
        ratio: ratio as f32,
        thickness: ((least * n / (n - 3.0)).sqrt() * unit) as f32,
        error: (ratio / n).sqrt() as f32,
        normal: normal.map(|v| v as f32),
    })
}

#[cfg(test)]
mod tests {
    use super::super::moments::PAIRS;
    use super::*;
    use crate::vector::cross;

    #[test]
    fn what_is_flat_may_be() {
        let (mut flat, mut sure) = (0, 0);
        for i in 0..20_000u32 {
            // Squares of widths along three axes, turned about all of them.
            let width = |k: u32| f64::from(1 + i.wrapping_mul(k) % 1009).powi(2);
            let values = [48_271, 69_621, 16_807].map(width);
            let values = match i % 2 {
                0 => [0.05 * values[0], values[1], values[2]],
                // Nearly as wide in one direction as in another.
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
}
