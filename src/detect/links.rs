//! Which cells lie next to each other, on all levels.

use super::cells::{CellMoments, Cells, Level};
use crate::backend::LevelBlocks;
use rayon::prelude::*;

/// The blocks of all cells of a cloud, and the base cells inside each.
pub(super) struct Links {
    /// Base cells in Morton order, in which the base cells of any cell are one range.
    by_place: Vec<u32>,
    levels: Vec<LevelLinks>,
}

/// The cells of one level.
struct LevelLinks {
    /// Neighbours of cell `c`, itself included: `list[start[c]..start[c + 1]]`.
    start: Vec<u32>,
    list: Vec<u32>,
    /// Range of each cell in `by_place`.
    inside: Vec<[u32; 2]>,
    /// Cell of the next level that holds each cell; empty on the last level.
    parent: Vec<u32>,
}

impl Links {
    /// Links the cells of a cloud.
    pub fn new(cells: &Cells) -> Links {
        let by_place = cells.base_in_morton_order();
        let mut ancestor: Vec<u32> = (0..by_place.len() as u32).collect();
        let mut levels = Vec::with_capacity(cells.levels.len());
        for level in &cells.levels {
            levels.push(LevelLinks::new(level, &by_place, &ancestor));
            if !level.parent.is_empty() {
                ancestor.iter_mut().for_each(|a| *a = level.parent[*a as usize]);
            }
        }
        Links { by_place, levels }
    }

    /// Number of levels.
    pub fn levels(&self) -> usize {
        self.levels.len()
    }

    /// The base cells in Morton order.
    pub fn by_place(&self) -> &[u32] {
        &self.by_place
    }

    /// The blocks of a level, whose cells have the given sums.
    pub fn blocks(&self, level: usize, moments: &[CellMoments]) -> LevelBlocks<'_> {
        let LevelLinks { start, list, inside, .. } = &self.levels[level];
        let distinct = moments.par_iter().map(|m| m.n as u32).collect();
        LevelBlocks { start, list, inside, distinct }
    }

    /// Number of cells of a level.
    pub fn len(&self, level: usize) -> usize {
        self.levels[level].inside.len()
    }

    /// The cell of a level that holds a base cell.
    pub fn ancestor(&self, base: u32, level: usize) -> u32 {
        self.levels[..level].iter().fold(base, |cell, level| level.parent[cell as usize])
    }

    /// The occupied cells of the block of a cell, ascending.
    pub fn block(&self, level: usize, cell: u32) -> &[u32] {
        let links = &self.levels[level];
        let range = links.start[cell as usize]..links.start[cell as usize + 1];
        &links.list[range.start as usize..range.end as usize]
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

    /// For every cell of a level, `of` the base cells inside.
    pub fn map_cells<T: Send>(&self, level: usize, of: impl Fn(&[u32]) -> T + Sync) -> Vec<T> {
        let one = |cell: u32| of(self.inside(level, cell));
        (0..self.len(level) as u32).into_par_iter().with_min_len(1024).map(one).collect()
    }

    /// The base cells inside a cell.
    pub fn inside(&self, level: usize, cell: u32) -> &[u32] {
        let [first, last] = self.levels[level].inside[cell as usize];
        &self.by_place[first as usize..last as usize]
    }
}

impl LevelLinks {
    fn new(level: &Level, by_place: &[u32], ancestor: &[u32]) -> LevelLinks {
        let (start, list) = level.blocks();
        let mut inside = vec![[0, 0]; level.len()];
        let mut first = 0;
        for run in by_place.chunk_by(|&a, &b| ancestor[a as usize] == ancestor[b as usize]) {
            let last = first + run.len() as u32;
            inside[ancestor[run[0] as usize] as usize] = [first, last];
            first = last;
        }
        LevelLinks { start, list, inside, parent: level.parent.clone() }
    }
}
