//! Cells: the cloud in cubes of several sizes, each with the exact sums of its points.
//!
//! The finest cells hold a few points each; every level above joins 2 × 2 × 2. A cell's *block* is the 3 × 3
//! × 3 cells around it. Cells lie on a lattice of local coordinates and keep integer sums of their distinct
//! points, so nothing here depends on the order of the points.

use super::blocks::Blocks;
use super::level::Level;
use super::sums::Sums;
use super::unit::Unit;
use rayon::prelude::*;
use std::ops::Range;

/// The cells of a cloud on all levels.
pub struct Cells {
    /// Base level first.
    pub levels: Vec<Level>,
    /// Where each base cell's points begin and end.
    ranges: Vec<[u32; 2]>,
    /// The base cells in Morton order, in which the base cells inside any larger cell are consecutive.
    pub by_place: Vec<u32>,
    /// Number of distinct points.
    pub distinct: u64,
    /// Edge of the base cells.
    pub unit: Unit,
    /// Which cells lie next to each other, on each level.
    blocks: Vec<Blocks>,
}

/// The base cells of a cloud, as a backend cuts it.
pub struct CellTable {
    /// The Morton key of each cell, ascending.
    pub keys: Vec<u64>,
    /// Where each cell begins among the points in cell order.
    pub starts: Vec<u32>,
    /// The cells row by row: by z, then y, then x.
    pub by_row: Vec<u32>,
    /// Sums over the distinct points of each cell, in the order of `by_row`.
    pub sums: Vec<Sums>,
}

impl Cells {
    /// Builds all levels from the base cells of `points` points.
    pub fn new(table: CellTable, points: usize, unit: Unit) -> Cells {
        let CellTable { keys, starts, by_row, sums } = table;
        let end = |m: usize| starts.get(m + 1).map_or(points as u32, |&end| end);
        let range = |&m: &u32| [starts[m as usize], end(m as usize)];
        let distinct = sums.par_iter().map(|sums| sums.count() as u64).sum();
        let ranges = by_row.par_iter().map(range).collect();
        let (levels, by_place) = Level::all(keys, &by_row, sums, unit);
        let blocks = Blocks::of_levels(&levels);
        Cells { levels, ranges, by_place, distinct, unit, blocks }
    }

    /// The base cells.
    pub fn base(&self) -> &Level {
        &self.levels[0]
    }

    /// Number of cells of a level.
    pub fn len(&self, level: usize) -> usize {
        self.levels[level].len()
    }

    /// The cell of a level that holds a base cell.
    pub fn ancestor(&self, base: u32, level: usize) -> u32 {
        self.levels[..level].iter().fold(base, |cell, level| level.parent[cell as usize])
    }

    /// The occupied cells of the block of a cell, ascending.
    #[inline(always)]
    pub fn block(&self, level: usize, cell: u32) -> &[u32] {
        self.blocks[level].of(cell)
    }

    /// For every cell of a level, `of(cell, block)`.
    pub fn map_blocks<T: Send>(
        &self,
        level: usize,
        of: impl Fn(usize, &[u32]) -> T + Sync,
    ) -> Vec<T> {
        let one = |cell: u32| of(cell as usize, self.block(level, cell));
        (0..self.len(level) as u32).into_par_iter().with_min_len(1024).map(one).collect()
    }

    /// For each cell of a level, the cell of the level above that holds it.
    pub fn parents(&self, level: usize) -> &[u32] {
        &self.levels[level].parent
    }

    /// The cell of a level that holds the base cell at a place in Morton order.
    pub fn ancestor_at(&self, place: u32, level: usize) -> u32 {
        self.ancestor(self.by_place[place as usize], level)
    }

    /// The range of places in Morton order of the base cells inside a cell.
    #[inline(always)]
    pub fn run(&self, level: usize, cell: u32) -> [u32; 2] {
        self.levels[level].inside[cell as usize]
    }

    /// The base cells inside a cell.
    pub fn inside(&self, level: usize, cell: u32) -> &[u32] {
        let [first, last] = self.run(level, cell);
        &self.by_place[first as usize..last as usize]
    }

    /// The points of base cell `cell`, once they are in cell order.
    pub fn points_of(&self, cell: usize) -> Range<usize> {
        let [start, end] = self.ranges[cell];
        start as usize..end as usize
    }
}
