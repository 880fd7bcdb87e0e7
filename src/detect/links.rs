//! Which cells lie next to each other, on all levels.

use super::cells::{Cells, Level};
use rayon::prelude::*;

/// The blocks of all cells of a cloud, and the base cells inside each.
pub(super) struct Links<'a> {
    cells: &'a Cells,
    blocks: Vec<Blocks>,
}

/// The blocks of one level: the neighbours of cell `c`, itself included, are
/// `list[start[c]..start[c + 1]]`.
struct Blocks {
    start: Vec<u32>,
    list: Vec<u32>,
}

impl<'a> Links<'a> {
    /// Links the cells of a cloud.
    pub fn new(cells: &'a Cells) -> Links<'a> {
        let blocks = |level: &Level| {
            let (start, list) = level.blocks();
            Blocks { start, list }
        };
        Links { cells, blocks: cells.levels.iter().map(blocks).collect() }
    }

    /// Number of levels.
    pub fn levels(&self) -> usize {
        self.blocks.len()
    }

    /// The base cells in Morton order.
    pub fn by_place(&self) -> &[u32] {
        &self.cells.by_place
    }

    /// Number of cells of a level.
    pub fn len(&self, level: usize) -> usize {
        self.cells.levels[level].len()
    }

    /// The cell of a level that holds a base cell.
    pub fn ancestor(&self, base: u32, level: usize) -> u32 {
        self.cells.levels[..level].iter().fold(base, |cell, level| level.parent[cell as usize])
    }

    /// The occupied cells of the block of a cell, ascending.
    pub fn block(&self, level: usize, cell: u32) -> &[u32] {
        let Blocks { start, list } = &self.blocks[level];
        &list[start[cell as usize] as usize..start[cell as usize + 1] as usize]
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

    /// The cells of the level above that hold those of a level.
    pub fn parents(&self, level: usize) -> &[u32] {
        &self.cells.levels[level].parent
    }

    /// The base cells inside a cell.
    pub fn inside(&self, level: usize, cell: u32) -> &[u32] {
        let [first, last] = self.cells.levels[level].inside[cell as usize];
        &self.cells.by_place[first as usize..last as usize]
    }
}
