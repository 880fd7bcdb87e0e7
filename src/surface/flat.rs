//! How flat blocks are, and the surface that a flat one shows.
//!
//! A block is the 3 × 3 × 3 cells around a cell. Its thickness, width and length are the square roots of the
//! eigenvalues of its points' covariance.

use super::cells::Cells;
use super::eigen::{self, LANES, Lane};
use super::layers::Layer;
use super::level::Level;
use super::sums::Sums;
pub use crate::shared::{FLAT, LINE, MIN_POINTS, NEARLY_FLAT};
use crate::vector::{Vec3, normalized};
use crate::wide::{Work, widely};
use rayon::prelude::*;
use std::num::NonZeroU8;

/// Blocks that one thread judges at a time.
const PIECE: usize = 1 << 10;

/// The surface around a base cell.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Surface {
    normal: [f32; 3],
    /// Standard error of the normal's direction, in radians.
    pub error: f32,
    /// Root mean square distance of the block's points from their plane, in steps.
    pub thickness: f32,
    /// One more than the level, so that no surface takes no more memory than a surface.
    level: NonZeroU8,
}

impl Surface {
    /// A surface with a normal of unit length, seen in a block of `level`.
    pub fn new(normal: Vec3, error: f64, thickness: f64, level: usize) -> Surface {
        Surface::of(normal.map(|v| v as f32), error as f32, thickness as f32, level)
    }

    /// The surface that a flat block of `level` shows.
    pub fn seen(flat: Flatness, level: usize) -> Surface {
        let normal = normalized(flat.normal.map(f64::from)).map(|v| v as f32);
        Surface::of(normal, flat.error, flat.thickness, level)
    }

    /// The surface of a layer that was seen in a block of `level`.
    pub fn of_layer(layer: &Layer, level: usize) -> Surface {
        Surface::of(layer.normal, layer.error, layer.thickness, level)
    }

    /// A surface with a normal of unit length, seen in a block of `level`.
    pub fn of(normal: [f32; 3], error: f32, thickness: f32, level: usize) -> Surface {
        Surface { normal, error, thickness, level: NonZeroU8::MIN.saturating_add(level as u8) }
    }

    /// Unit normal, of either sign.
    #[inline]
    pub fn normal(&self) -> Vec3 {
        self.normal.map(f64::from)
    }

    /// Level whose block was flat.
    #[inline]
    pub fn level(&self) -> usize {
        usize::from(self.level.get() - 1)
    }
}

/// The surfaces around base cells.
pub trait Seen: Sync {
    /// The surface around a base cell, if there is one.
    fn around(&self, cell: usize) -> Option<Surface>;
}

#[cfg(test)]
impl Seen for Vec<Option<Surface>> {
    fn around(&self, cell: usize) -> Option<Surface> {
        self[cell]
    }
}

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

impl Flatness {
    /// Number of points, as the error tells it.
    pub fn points(&self) -> f64 {
        f64::from(self.ratio) / f64::from(self.error).powi(2)
    }

    /// The same block, made at least as thick as a floor.
    pub fn at_least(self, floor: f32) -> Flatness {
        if self.thickness >= floor {
            return self;
        }
        let times = floor / self.thickness;
        Flatness {
            ratio: self.ratio * times * times,
            thickness: floor,
            error: self.error * times,
            ..self
        }
    }
}

/// How flat the block of each cell of a level is. Only flat blocks take memory.
pub struct LevelFlatness {
    pieces: Vec<Piece>,
}

/// [`PIECE`] cells of a level.
struct Piece {
    /// For every 64 of them, a bit for each flat block and the number of flat blocks before.
    known: [(u64, u32); PIECE / 64],
    flat: Vec<Flatness>,
}

impl LevelFlatness {
    /// How flat the block of a cell is.
    #[inline]
    pub fn of(&self, cell: usize) -> Option<Flatness> {
        let piece = &self.pieces[cell / PIECE];
        let (known, before) = piece.known[cell % PIECE / 64];
        let bit = 1 << (cell % 64);
        let place = before + (known & (bit - 1)).count_ones();
        (known & bit != 0).then(|| piece.flat[place as usize])
    }

    /// Forgets the flat blocks of the cells that a judge strikes out; each judge is asked about ascending cells.
    pub fn strike<J: FnMut(usize) -> bool>(&mut self, judge: impl Fn() -> J + Sync) {
        self.pieces.par_iter_mut().enumerate().for_each(|(number, piece)| {
            let mut is_struck = judge();
            let Piece { known, flat } = std::mem::replace(piece, Piece::new());
            let mut flat = flat.into_iter();
            for (word, (known, _)) in known.into_iter().enumerate() {
                for bit in (0..64).filter(|bit| known >> bit & 1 != 0) {
                    let cell = 64 * word + bit;
                    let judged = flat.next().filter(|_| !is_struck(PIECE * number + cell));
                    piece.set(cell, judged);
                }
            }
        });
    }
}

impl Piece {
    fn new() -> Piece {
        Piece { known: [(0, 0); PIECE / 64], flat: Vec::new() }
    }

    /// The blocks of successive cells.
    fn of(judged: &[Option<Flatness>]) -> Piece {
        let mut piece = Piece::new();
        piece.flat.reserve_exact(judged.iter().flatten().count());
        judged.iter().enumerate().for_each(|(cell, &judged)| piece.set(cell, judged));
        piece
    }

    /// Sets how flat the block of a cell is, after those of all cells before it.
    fn set(&mut self, cell: usize, judged: Option<Flatness>) {
        let Some(flat) = judged else { return };
        let (known, before) = &mut self.known[cell / 64];
        if *known == 0 {
            *before = self.flat.len() as u32;
        }
        *known |= 1 << (cell % 64);
        self.flat.push(flat);
    }
}

/// Judges all blocks; `sums` are those of the base cells.
pub fn judge_all(cells: &Cells, mut sums: Vec<Sums>) -> Vec<LevelFlatness> {
    let mut all = Vec::with_capacity(cells.levels.len());
    for (number, level) in cells.levels.iter().enumerate() {
        let piece = |first: usize| {
            let mut judged = [None; PIECE];
            let judged = &mut judged[..(level.len() - first).min(PIECE)];
            let of = first as u32..;
            widely(Judging { cells, level: number, sums: &sums, of, judged });
            Piece::of(judged)
        };
        let firsts = (0..level.len()).into_par_iter().step_by(PIECE);
        all.push(LevelFlatness { pieces: firsts.map(piece).collect() });
        level.join_sums(&mut sums);
    }
    all
}

/// Judges the blocks of some cells of a level; `sums` are those of its cells.
pub fn judge_some(cells: &Cells, level: usize, sums: &[Sums], of: &[u32]) -> Vec<Option<Flatness>> {
    let mut judged = vec![None; of.len()];
    judged.par_chunks_mut(PIECE).zip(of.par_chunks(PIECE)).for_each(|(judged, of)| {
        widely(Judging { cells, level, sums, of: of.iter().copied(), judged });
    });
    judged
}

/// The task of judging the blocks `of` some cells of a level, as many as `judged` has room for.
struct Judging<'a, I> {
    cells: &'a Cells,
    level: usize,
    sums: &'a [Sums],
    of: I,
    judged: &'a mut [Option<Flatness>],
}

impl<I: IntoIterator<Item = u32>> Work for Judging<'_, I> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let level = &self.cells.levels[self.level];
        let mut finder = self.cells.finder(self.level);
        let mut waiting = Waiting::default();
        for (place, cell) in (0..self.judged.len()).zip(self.of) {
            let block = finder.block(cell);
            let moments = level.block_moments(self.sums, cell as usize, &block);
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
        let eigen = eigen::of_blocks(&self.covariances);
        for (lane, eigen) in eigen.into_iter().enumerate().take(self.len) {
            judged[self.places[lane]] = flatness(self.counts[lane], eigen, unit);
        }
        self.len = 0;
    }
}

/// Judges the block of one cell by itself, as tests compare backends with; `sums` are those of all cells of the
/// level.
pub fn judge_block(level: &Level, sums: &[Sums], cell: usize, block: &[u32]) -> Option<Flatness> {
    let moments = level.block_moments(sums, cell, block);
    if moments.n < MIN_POINTS {
        return None;
    }
    flatness(moments.n as f64, eigen::of_block(moments.covariance()), level.unit())
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
            let is_flat = flatness(1000.0, eigen::of_block(covariance), 1.0).is_some();
            assert!(!is_flat || may_be_flat(&covariance), "{values:?}");
            flat += u32::from(is_flat);
            sure += u32::from(!may_be_flat(&covariance));
        }
        assert!(flat > 5000 && sure > 500, "{flat} {sure}");
    }
}
