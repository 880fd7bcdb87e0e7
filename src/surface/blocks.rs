//! Which cells lie next to each other, on all levels.

use super::level::Level;
use crate::ranges::ranges;
use rayon::prelude::*;
use std::ops::Range;

/// The blocks of one level.
pub struct Blocks {
    /// For each cell, from the highest bits to the lowest: which list holds its block, where the block begins
    /// in it, and its length.
    place: Vec<u64>,
    /// The neighbours of cells, themselves included, ascending.
    lists: Vec<Vec<u32>>,
}

/// Bits for the length of a block, which is at most 27, and for where it begins.
const LENGTH: u32 = 5;
const BEGIN: u32 = 32;
/// About as many cells as a block on a surface has, or a few more.
const USUAL: usize = 12;
/// Cells whose blocks one thread finds at a time.
const PIECE: usize = 1 << 10;

impl Blocks {
    /// The blocks of the cells of all levels.
    ///
    /// From the top down: the neighbours of a cell are children of its parent's neighbours.
    pub fn of_levels(levels: &[Level]) -> Vec<Blocks> {
        let mut blocks: Vec<Blocks> = Vec::with_capacity(levels.len());
        for pair in levels.windows(2).rev() {
            let [level, above] = pair else { continue };
            let known = blocks.pop().unwrap_or_else(|| Blocks::searched(above));
            let below = Blocks::below(level, above, &known);
            blocks.extend([known, below]);
        }
        blocks.reverse();
        blocks
    }

    /// The occupied cells of a cell's block, ascending.
    #[inline(always)]
    pub fn of(&self, cell: u32) -> &[u32] {
        let place = self.place[cell as usize];
        let list = &self.lists[(place >> (LENGTH + BEGIN)) as usize];
        let (begin, length) = ((place >> LENGTH) as u32, place as u32 & ((1 << LENGTH) - 1));
        &list[begin as usize..(begin + length) as usize]
    }

    /// The blocks of a level, each found by a search.
    fn searched(level: &Level) -> Blocks {
        let piece = |cells: Range<usize>| {
            let mut found = BlockRun::with_room(cells.len());
            for cell in cells.map(|cell| cell as u32) {
                level.each_around(cell, |neighbour| found.list.push(neighbour));
                found.end(cell);
            }
            found
        };
        Blocks::joined(level.len(), ranges(level.len(), PIECE).map(piece).collect())
    }

    /// The blocks of a level, from those of the level `above`.
    fn below(level: &Level, above: &Level, known: &Blocks) -> Blocks {
        let children = Children::new(level, above.len());
        let piece = |parents: Range<usize>| {
            let count = children.start[parents.end] - children.start[parents.start];
            let mut found = BlockRun::with_room(count as usize);
            for parent in parents.map(|parent| parent as u32) {
                let around = Around::new(parent, (level, above), &children, known.of(parent));
                for &child in children.of(parent) {
                    around.each_next_to(level.coordinates(child), |cell| found.list.push(cell));
                    found.end(child);
                }
            }
            found
        };
        Blocks::joined(level.len(), ranges(above.len(), PIECE).map(piece).collect())
    }

    /// Joins the blocks that were found piece by piece.
    fn joined(cells: usize, pieces: Vec<BlockRun>) -> Blocks {
        let mut place = vec![0; cells];
        for (list, found) in (0u64..).zip(&pieces) {
            let mut begin = 0;
            for &(cell, length) in &found.cells {
                place[cell as usize] = (list << BEGIN | begin) << LENGTH | u64::from(length);
                begin += u64::from(length);
            }
        }
        Blocks { place, lists: pieces.into_iter().map(|piece| piece.list).collect() }
    }
}

/// The blocks of some cells, one after the other.
struct BlockRun {
    /// Each cell and the length of its block.
    cells: Vec<(u32, u32)>,
    list: Vec<u32>,
    before: usize,
}

impl BlockRun {
    fn with_room(cells: usize) -> BlockRun {
        let list = Vec::with_capacity(USUAL * cells);
        BlockRun { cells: Vec::with_capacity(cells), list, before: 0 }
    }

    /// Ends the block of a cell.
    #[inline(always)]
    fn end(&mut self, cell: u32) {
        let length = self.list.len() - std::mem::replace(&mut self.before, self.list.len());
        self.cells.push((cell, length as u32));
    }
}

/// The cells within each cell of the level above, ascending.
struct Children {
    start: Vec<u32>,
    list: Vec<u32>,
}

impl Children {
    fn new(level: &Level, parents: usize) -> Children {
        let mut start = vec![0; parents + 2];
        level.parent.iter().for_each(|&parent| start[parent as usize + 2] += 1);
        for i in 2..start.len() {
            start[i] += start[i - 1];
        }
        // The place of a parent moves from where its children begin to where they end, which is where the
        // next begin.
        let mut list = vec![0; level.len()];
        for (child, &parent) in (0..).zip(&level.parent) {
            let at = &mut start[parent as usize + 1];
            list[*at as usize] = child;
            *at += 1;
        }
        Children { start, list }
    }

    fn of(&self, parent: u32) -> &[u32] {
        let parent = parent as usize;
        &self.list[self.start[parent] as usize..self.start[parent + 1] as usize]
    }
}

/// The 4 × 4 × 4 cells that are children of a parent or next to one.
struct Around {
    /// The coordinates of the first cell.
    first: [u64; 3],
    /// A bit for each occupied cell, and the index of each: x fastest, then y.
    occupied: u64,
    cells: [u32; 64],
}

/// The bits of the first 3 × 3 × 3 of the 4 × 4 × 4 cells.
const BLOCK: u64 = {
    let row = 0b111 | 0b111 << 4 | 0b111 << 8;
    row | row << 16 | row << 32
};

impl Around {
    /// The cells around a parent whose block is known.
    #[inline(always)]
    fn new(
        parent: u32,
        (level, above): (&Level, &Level),
        children: &Children,
        block: &[u32],
    ) -> Around {
        // At the edge of the lattice this wraps around; the subtraction in `place` wraps back.
        let first = above.coordinates(parent).map(|v| (2 * v).wrapping_sub(1));
        let mut around = Around { first, occupied: 0, cells: [0; 64] };
        for &child in block.iter().flat_map(|&cell| children.of(cell)) {
            let [x, y, z] = around.place(level.coordinates(child));
            if x < 4 && y < 4 && z < 4 {
                let at = x | y << 2 | z << 4;
                around.occupied |= 1 << at;
                around.cells[at as usize] = child;
            }
        }
        around
    }

    /// Where a cell lies among them.
    #[inline(always)]
    fn place(&self, coordinates: [u64; 3]) -> [u64; 3] {
        std::array::from_fn(|a| coordinates[a].wrapping_sub(self.first[a]))
    }

    /// Calls `visit` with the cells of the block of one of the parent's children, ascending.
    #[inline(always)]
    fn each_next_to(&self, child: [u64; 3], mut visit: impl FnMut(u32)) {
        let [x, y, z] = self.place(child).map(|v| v - 1);
        let mut left = self.occupied & BLOCK << (x | y << 2 | z << 4);
        while left != 0 {
            visit(self.cells[left.trailing_zeros() as usize]);
            left &= left - 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::level::tests::points;
    use crate::cpu::cut::whole;

    #[test]
    fn blocks_are_the_cells_around() {
        let cells = whole(&points(|i| (i % 200 / 5) as f32 - 8_388_608.0)).cells;
        for (number, level) in cells.levels.iter().enumerate() {
            for cell in 0..level.len() as u32 {
                let mut around = Vec::new();
                level.each_around(cell, |neighbour| around.push(neighbour));
                assert_eq!(cells.block(number, cell), around);
                let at = level.coordinates(cell);
                let is_near = |&other: &u32| {
                    let other = level.coordinates(other);
                    (0..3).all(|a| at[a].abs_diff(other[a]) <= 1)
                };
                assert!(around.is_sorted() && around.contains(&cell));
                if cell % 97 == 0 {
                    let plain = (0..level.len() as u32).filter(is_near).collect::<Vec<_>>();
                    assert_eq!(around, plain);
                }
            }
        }
    }
}
