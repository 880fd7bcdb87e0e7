//! Cells: the cloud in cubes of several sizes.
//!
//! The finest cells hold a few points each; every level above joins 2 × 2 × 2. A cell's *block* is the 3 × 3
//! × 3 cells around it. Cells lie on a lattice of local coordinates, in Morton order, so nothing here depends
//! on the order of the points, and the base cells inside any larger cell are consecutive.

use super::blocks::{Block, Finder};
use super::level::Level;
use super::unit::Unit;
use rayon::prelude::*;
use std::ops::Range;

/// The cells of a cloud on all levels.
pub struct Cells {
    /// Base level first.
    pub levels: Vec<Level>,
    /// Where each base cell begins among the points, and where the last one ends.
    starts: Vec<u32>,
    /// Number of distinct points.
    pub distinct: u64,
    /// Edge of the base cells.
    pub unit: Unit,
}

/// The base cells of a cloud, as a backend cuts it.
pub struct CellTable {
    /// The Morton key of each cell, ascending.
    pub keys: Vec<u64>,
    /// Where each cell begins among the points in cell order.
    pub starts: Vec<u32>,
    /// Number of distinct points of each.
    pub counts: Vec<u32>,
}

impl Cells {
    /// Builds all levels from the base cells of `points` points.
    pub fn new(table: CellTable, points: usize, unit: Unit) -> Cells {
        let CellTable { keys, mut starts, counts } = table;
        starts.push(points as u32);
        let distinct = counts.par_iter().map(|&n| u64::from(n)).sum();
        Cells { levels: Level::all(keys, &counts, unit), starts, distinct, unit }
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

    /// The occupied cells of the block of a cell.
    #[inline(always)]
    pub fn block(&self, level: usize, cell: u32) -> Block {
        self.finder(level).block(cell)
    }

    /// Finds the blocks of many cells of a level.
    pub fn finder(&self, level: usize) -> Finder<'_> {
        Finder::new(&self.levels[level..])
    }

    /// Finds the blocks of many cells of each level.
    pub fn finders(&self) -> Vec<Finder<'_>> {
        (0..self.levels.len()).map(|level| self.finder(level)).collect()
    }

    /// For every cell of a level, `of(cell, block)`.
    pub fn map_blocks<T: Send>(
        &self,
        level: usize,
        of: impl Fn(usize, &[u32]) -> T + Sync,
    ) -> Vec<T> {
        self.map_cells(level, |finder, cell| of(cell as usize, &finder.block(cell)))
    }

    /// For every cell of a level, `of(finder, cell)`, for work that needs the blocks of some of them.
    pub fn map_cells<T: Send>(
        &self,
        level: usize,
        of: impl Fn(&mut Finder, u32) -> T + Sync,
    ) -> Vec<T> {
        let all = (0..self.len(level) as u32).into_par_iter().with_min_len(1024);
        all.map_init(|| self.finder(level), &of).collect()
    }

    /// Where the base cells inside a cell begin and end.
    #[inline(always)]
    pub fn run(&self, level: usize, cell: u32) -> [u32; 2] {
        self.levels[level].run(cell)
    }

    /// The base cells inside a cell.
    pub fn inside(&self, level: usize, cell: u32) -> Range<u32> {
        let [first, end] = self.run(level, cell);
        first..end
    }

    /// The points of base cell `cell`, once they are in cell order.
    pub fn points_of(&self, cell: usize) -> Range<usize> {
        self.points_in([cell as u32, cell as u32 + 1])
    }

    /// The same for a run of base cells.
    pub fn points_in(&self, [first, end]: [u32; 2]) -> Range<usize> {
        self.starts[first as usize] as usize..self.starts[end as usize] as usize
    }
}
