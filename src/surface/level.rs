//! The cells of one size.

use super::bricks::Bricks;
use super::lattice::OFFSET;
use super::sums::{CellMoments, Sums};
use super::unit::Unit;
use crate::morton::deinterleave;
use crate::ranges::{ranges, split};
use rayon::prelude::*;
use std::ops::Range;
use std::sync::Arc;

/// Levels above the base.
const LEVELS: usize = 7;
/// Cells that one thread takes at a time.
const PIECE: usize = 1 << 14;

/// All cells of one size, in Morton order.
pub struct Level {
    /// Edge of a cell, in steps.
    pub size: f64,
    /// Edge of a cell, in units of the moments.
    span: i64,
    base: Arc<Base>,
    /// Cells of the base along the edge of a cell, as a power of two.
    doublings: u32,
    /// Index of the cell of the next level that holds each cell; empty on the last level.
    pub parent: Vec<u32>,
    /// The first of the base cells within each cell; the last entry is where the last ones end. Empty on the
    /// base.
    first: Vec<u32>,
    /// Where cells are found by their places.
    pub(super) bricks: Bricks,
}

/// What is known of the base cells, and so of all larger ones.
struct Base {
    /// The Morton key of each, ascending.
    keys: Vec<u64>,
    /// Number of distinct points in the cells before each, and in all.
    before: Vec<u32>,
}

impl Level {
    /// Builds all levels, base first, from the Morton keys of the base cells, ascending, and their numbers of
    /// distinct points, fewer than 2³² in all.
    pub fn all(keys: Vec<u64>, counts: &[u32], unit: Unit) -> Vec<Level> {
        let before = sums_before(counts);
        let mut levels = vec![Level {
            size: f64::from(unit.span * unit.steps),
            span: i64::from(unit.span),
            base: Arc::new(Base { keys, before }),
            doublings: 0,
            parent: Vec::new(),
            first: Vec::new(),
            bricks: Bricks::default(),
        }];
        for _ in 0..LEVELS {
            let above = levels.last_mut().map(Level::join);
            levels.extend(above);
        }
        let bricks = |level: &Level| Bricks::new(level.len() as u32, |cell| level.key(cell));
        let bricks: Vec<Bricks> = levels.par_iter().map(bricks).collect();
        levels.iter_mut().zip(bricks).for_each(|(level, bricks)| level.bricks = bricks);
        levels
    }

    /// Number of cells.
    pub fn len(&self) -> usize {
        if self.doublings == 0 { self.base.keys.len() } else { self.first.len() - 1 }
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.base.keys.is_empty()
    }

    /// Length of one unit of the moments, in steps.
    pub fn unit(&self) -> f64 {
        self.size / self.span as f64
    }

    /// Local coordinates of a point given relative to the corner of `cell`, in units of the moments.
    pub fn local(&self, cell: usize, relative: [f64; 3]) -> [f64; 3] {
        let corner = self.coordinates(cell as u32);
        // Half a unit, since coordinates were truncated to the unit, not rounded.
        let half = if self.unit() > 1.0 { 0.5 } else { 0.0 };
        std::array::from_fn(|a| {
            corner[a] as f64 * self.size + (relative[a] + half) * self.unit() - f64::from(OFFSET)
        })
    }

    /// Builds the level of twice the size and fills in this level's parents.
    fn join(&mut self) -> Level {
        let counts: Vec<u32> = ranges(self.len(), PIECE).map(|range| self.parents(range)).collect();
        let before = sums_before(&counts);
        let parents = before[counts.len()] as usize;
        let (mut first, mut parent) = (vec![0; parents + 1], vec![0; self.len()]);
        first[parents] = self.base.keys.len() as u32;
        let pieces = split(&mut first, counts.iter().map(|&count| count as usize));
        let pieces = pieces.into_par_iter().zip(parent.par_chunks_mut(PIECE)).zip(&before);
        pieces.enumerate().for_each(|(piece, ((first, parent), &before))| {
            self.join_piece(piece * PIECE, before, first, parent);
        });
        self.parent = parent;
        Level {
            size: 2.0 * self.size,
            span: 2 * self.span,
            base: self.base.clone(),
            doublings: self.doublings + 1,
            parent: Vec::new(),
            first,
            bricks: Bricks::default(),
        }
    }

    /// The number of parents whose first cell is in a range.
    fn parents(&self, range: Range<usize>) -> u32 {
        let above = |cell: usize| self.key(cell as u32) >> 3;
        range.filter(|&cell| cell == 0 || above(cell - 1) != above(cell)).count() as u32
    }

    /// For the cells from `begin` on, finds each `parent`, and the `first` of the base cells within each that
    /// begins there; there are so many parents `before` these.
    fn join_piece(&self, begin: usize, before: u32, first: &mut [u32], parent: &mut [u32]) {
        let above = |cell: usize| self.key(cell as u32) >> 3;
        let mut last = begin.checked_sub(1).map(above);
        let mut begun = 0;
        for (cell, parent) in (begin..).zip(parent) {
            let above = above(cell);
            if last.replace(above) != Some(above) {
                first[begun as usize] = self.run(cell as u32)[0];
                begun += 1;
            }
            *parent = before + begun - 1;
        }
    }

    /// The Morton key of a cell.
    #[inline(always)]
    pub(super) fn key(&self, cell: u32) -> u64 {
        self.base.keys[self.run(cell)[0] as usize] >> (3 * self.doublings)
    }

    /// The coordinates of a cell.
    #[inline(always)]
    pub fn coordinates(&self, cell: u32) -> [u64; 3] {
        deinterleave(self.key(cell))
    }

    /// Where the base cells inside a cell begin and end.
    #[inline(always)]
    pub fn run(&self, cell: u32) -> [u32; 2] {
        match self.first.get(cell as usize..cell as usize + 2) {
            Some(&[first, end]) => [first, end],
            _ => [cell, cell + 1],
        }
    }

    /// Number of distinct points in a cell.
    #[inline(always)]
    pub fn count(&self, cell: usize) -> i64 {
        let [first, end] = self.run(cell as u32).map(|base| self.base.before[base as usize]);
        i64::from(end - first)
    }

    /// The sums over the points of a cell, relative to its corner; `sums` are those of all cells.
    pub fn moments(&self, sums: &[Sums], cell: usize) -> CellMoments {
        sums[cell].about(self.corner(cell))
    }

    /// The sums over the cells of a block, relative to the corner of its middle cell; `sums` are those of all
    /// cells.
    #[inline(always)]
    pub fn block_moments(&self, sums: &[Sums], middle: usize, block: &[u32]) -> CellMoments {
        let mut total = Sums::default();
        block.iter().for_each(|&cell| total.add(&sums[cell as usize]));
        total.about(self.corner(middle))
    }

    /// The corner of a cell, in units of the moments.
    #[inline(always)]
    pub fn corner(&self, cell: usize) -> [i64; 3] {
        self.coordinates(cell as u32).map(|v| v as i64 * self.span)
    }

    /// Makes the sums of the cells of the next level from those of this one.
    pub fn join_sums(&self, sums: &mut Vec<Sums>) {
        // The cells of the next level are fewer and in the same order. So each piece is joined at its own
        // front, where everything has been read, and then moved to its place.
        sums.par_chunks_mut(PIECE).zip(self.parent.par_chunks(PIECE)).for_each(join_front);
        let mut joined = 0;
        for (piece, parents) in self.parent.chunks(PIECE).enumerate() {
            let (mut from, mut to) = (piece * PIECE, parents[0] as usize);
            let end = parents[parents.len() - 1] as usize + 1;
            if to < joined {
                // The piece before has cells of the same parent.
                let own = sums[from];
                sums[to].add(&own);
                (from, to) = (from + 1, to + 1);
            }
            sums.copy_within(from..from + end - to, to);
            joined = end;
        }
        sums.truncate(joined);
    }
}

/// Joins the sums of consecutive cells at their front, parent by parent.
fn join_front((sums, parents): (&mut [Sums], &[u32])) {
    let mut joined = 0;
    for (cell, parent) in parents.iter().enumerate() {
        let own = sums[cell];
        match (parent - parents[0]) as usize {
            place if place < joined => sums[place].add(&own),
            place => {
                sums[place] = own;
                joined = place + 1;
            }
        }
    }
}

/// For each count the sum of those before it, then the sum of all.
fn sums_before(counts: &[u32]) -> Vec<u32> {
    let mut before = vec![0; counts.len() + 1];
    let sums: Vec<u32> = counts.par_chunks(PIECE).map(|piece| piece.iter().sum()).collect();
    let before_piece = sums.iter().scan(0, |sum, own| Some(std::mem::replace(sum, *sum + own)));
    let before_piece: Vec<u32> = before_piece.collect();
    let pieces = before[1..].par_chunks_mut(PIECE).zip(counts.par_chunks(PIECE)).zip(before_piece);
    pieces.for_each(|((before, counts), mut sum)| {
        for (before, count) in before.iter_mut().zip(counts) {
            sum += count;
            *before = sum;
        }
    });
    before
}

#[cfg(test)]
pub mod tests {
    use super::*;
    use crate::cpu::cut::cut;
    use crate::frame::Points;
    use crate::surface::cloud::CellCloud;

    /// A surface with the given heights, and points all over the lattice and at its corners.
    pub fn points(height: impl Fn(u32) -> f32) -> Points {
        let far = [-8_388_608.0, 8_388_607.0];
        let random = |i: u32, k: u32| (i.wrapping_mul(k) % (1 << 24)) as f32 - 8_388_608.0;
        let scattered = (0..500).map(|i| [48_271, 69_621, 16_807].map(|k| random(i, k)));
        let surface =
            (0..60_000).map(|i| [(i % 200) as f32 * 9.0, (i / 200) as f32 * 9.0, height(i)]);
        let corners = (0..8).map(|i| [far[i & 1], far[i >> 1 & 1], far[i >> 2]]);
        surface.chain(scattered).chain(corners).collect()
    }

    fn cloud(points: &Points, span: u32) -> CellCloud {
        let unit = Unit { span, steps: 1, doublings: 0 };
        cut(points, unit).1
    }

    #[test]
    fn every_level_holds_the_cells_below() {
        let points = points(|_| 5.0);
        let cloud = cloud(&points, 8);
        let cells = &cloud.cells;
        let mut below_sums = cloud.sums();
        let count = |sums: &[Sums]| sums.iter().map(Sums::count).sum::<i64>() as u64;
        assert_eq!(count(&below_sums), cells.distinct);
        assert!(cells.base().len() > 2 * PIECE, "more than one piece");
        for (below, above) in cells.levels.iter().zip(&cells.levels[1..]) {
            let all = 0..above.len() as u32;
            assert!(all.clone().map(|cell| above.key(cell)).is_sorted_by(|a, b| a < b));
            let mut sums = vec![Sums::default(); above.len()];
            let mut inside = vec![Vec::new(); above.len()];
            for (cell, &parent) in (0..).zip(&below.parent) {
                let to = parent as usize;
                let halved = below.coordinates(cell).map(|v| v >> 1);
                assert_eq!(above.coordinates(parent), halved);
                sums[to].add(&below_sums[cell as usize]);
                inside[to].push(below.run(cell));
            }
            below.join_sums(&mut below_sums);
            assert!(sums == below_sums);
            let counts = all.map(|cell| above.count(cell as usize));
            assert!(counts.eq(sums.iter().map(Sums::count)));
            for (cell, runs) in (0..).zip(inside) {
                assert!(runs.windows(2).all(|w| w[0][1] == w[1][0]));
                let ends = [runs[0][0], runs[runs.len() - 1][1]];
                assert_eq!(above.run(cell), ends);
            }
        }
        assert_eq!(cells.base().run(7), [7, 8]);
    }

    #[test]
    fn no_points_have_no_cells() {
        let cells = cloud(&Points::default(), 8).cells;
        assert_eq!(cells.levels.len(), LEVELS + 1);
        assert!(cells.levels.iter().all(Level::is_empty));
    }
}
