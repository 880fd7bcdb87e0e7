//! Which cells lie next to each other.
//!
//! Lists of neighbours would take more memory than all else that is known of the cells. So a block is put
//! together when it is wanted, from the bricks that it reaches into: eight at most.

use super::bricks::{Brick, CELLS, NONE, WITHIN};
use super::lattice::BITS;
use super::level::Level;
use std::ops::Deref;

/// Cells of a block.
const BLOCK: usize = 27;
/// A brick that was not looked for.
const UNKNOWN: u32 = NONE - 1;

/// The occupied cells of a block, by z, then y, then x.
#[derive(Debug, Clone, Copy)]
pub struct Block {
    cells: [u32; BLOCK],
    len: usize,
}

impl Deref for Block {
    type Target = [u32];

    #[inline(always)]
    fn deref(&self) -> &[u32] {
        &self.cells[..self.len]
    }
}

impl IntoIterator for Block {
    type Item = u32;
    type IntoIter = std::iter::Take<std::array::IntoIter<u32, BLOCK>>;

    #[inline(always)]
    fn into_iter(self) -> Self::IntoIter {
        self.cells.into_iter().take(self.len)
    }
}

/// Finds blocks; fast where the next one is wanted for a cell of the same brick.
pub struct Finder<'a> {
    level: &'a Level,
    /// The key of a brick, and the slots of it and of the ones around it.
    home: u64,
    near: [u32; BLOCK],
}

impl<'a> Finder<'a> {
    /// Finds blocks among the cells of a level.
    #[inline(always)]
    pub fn new(level: &'a Level) -> Finder<'a> {
        // No brick has this key.
        Finder { level, home: u64::MAX, near: [UNKNOWN; BLOCK] }
    }

    /// The level of the cells.
    #[inline(always)]
    pub fn level(&self) -> &'a Level {
        self.level
    }

    /// The occupied cells of the block of a cell.
    #[inline(always)]
    pub fn block(&mut self, cell: u32) -> Block {
        let key = self.level.key(cell);
        if self.home != key >> WITHIN {
            (self.home, self.near) = (key >> WITHIN, [UNKNOWN; BLOCK]);
        }
        let cell = (key % CELLS as u64) as usize;
        // The cells by their places in the block, and a bit for each that is occupied.
        let (mut at, mut occupied) = ([0; BLOCK], 0u32);
        for (beyond, &within) in WITHIN_REACH[cell].iter().enumerate() {
            if within == 0 {
                continue;
            }
            let to = offset(cell, beyond);
            let Some(brick) = self.brick(to) else { continue };
            let mut left = brick.occupied & within;
            while left != 0 {
                let bit = left.trailing_zeros();
                let place = MIDDLE + PLACES[bit as usize] - PLACES[cell] + 4 * place(to);
                let before = brick.occupied & ((1 << bit) - 1);
                at[place as usize] = brick.first + before.count_ones();
                occupied |= 1 << place;
                left &= left - 1;
            }
        }
        let mut block = Block { cells: [0; BLOCK], len: 0 };
        while occupied != 0 {
            block.cells[block.len] = at[occupied.trailing_zeros() as usize];
            block.len += 1;
            occupied &= occupied - 1;
        }
        block
    }

    /// The brick `to` one side or the other of the last one, if there is one.
    #[inline(always)]
    fn brick(&mut self, to: [i32; 3]) -> Option<Brick> {
        let place = (MIDDLE + place(to)) as usize;
        let bricks = &self.level.bricks;
        if self.near[place] == UNKNOWN {
            self.near[place] = bricks.slot(moved(self.home, to), |cell| self.level.key(cell));
        }
        bricks.get(self.near[place])
    }
}

/// The place of a cell or brick in a block around one, from the middle on.
#[inline(always)]
const fn place([x, y, z]: [i32; 3]) -> i32 {
    x + 3 * y + 9 * z
}

/// The place of the middle.
const MIDDLE: i32 = 13;

/// The key of a brick next to another. Beyond the lattice there is none with that key, since the keys of
/// bricks are shorter than those of cells.
#[inline(always)]
fn moved(key: u64, to: [i32; 3]) -> u64 {
    let mut moved = 0;
    for (axis, to) in to.into_iter().enumerate() {
        let bits = AXIS << axis;
        moved |= match to {
            0 => key,
            1 => (key | !bits).wrapping_add(1 << axis),
            _ => (key & bits).wrapping_sub(1 << axis),
        } & bits;
    }
    moved
}

/// The bits of the first coordinate in a Morton key.
const AXIS: u64 = {
    let (mut bits, mut i) = (0, 0);
    while i < BITS {
        bits |= 1 << (3 * i);
        i += 1;
    }
    bits
};

/// In which direction the next brick along an axis is reached from a cell, by its coordinate in its brick.
const SIDES: [i32; 4] = [-1, 0, 0, 1];

/// The coordinate of a cell of a brick along an axis.
const fn coordinate(cell: usize, axis: usize) -> usize {
    (cell >> axis & 1) | (cell >> (axis + 3) & 1) << 1
}

/// The brick beyond the sides of a cell's brick; a bit of `beyond` says along which axes.
#[inline(always)]
const fn offset(cell: usize, beyond: usize) -> [i32; 3] {
    let (mut to, mut axis) = ([0; 3], 0);
    while axis < 3 {
        to[axis] = SIDES[coordinate(cell, axis)] * (beyond >> axis & 1) as i32;
        axis += 1;
    }
    to
}

/// The place of each cell of a brick in a block around the first one, from the middle on.
static PLACES: [i32; CELLS] = {
    let (mut places, mut cell) = ([0; CELLS], 0);
    while cell < CELLS {
        let of = [coordinate(cell, 0), coordinate(cell, 1), coordinate(cell, 2)];
        places[cell] = place([of[0] as i32, of[1] as i32, of[2] as i32]);
        cell += 1;
    }
    places
};

/// For each cell of a brick, the cells of its block in its own brick and in those beyond its sides.
static WITHIN_REACH: [[u64; 8]; CELLS] = {
    let mut near = [[0; 8]; CELLS];
    let mut cell = 0;
    while cell < CELLS {
        let mut beyond = 0;
        while beyond < 8 {
            let mut other = 0;
            while other < CELLS {
                if is_near(cell, beyond, other) {
                    near[cell][beyond] |= 1 << other;
                }
                other += 1;
            }
            beyond += 1;
        }
        cell += 1;
    }
    near
};

/// Whether a cell of the brick beyond some sides of another cell's brick lies in the block of that cell.
const fn is_near(cell: usize, beyond: usize, other: usize) -> bool {
    let (mut near, mut axis) = (true, 0);
    while axis < 3 {
        let [from, to] = [coordinate(cell, axis) as i32, coordinate(other, axis) as i32];
        let side = SIDES[from as usize];
        near &= match beyond >> axis & 1 {
            0 => (from - to).abs() <= 1,
            _ => side != 0 && (from - to - 4 * side).abs() <= 1,
        };
        axis += 1;
    }
    near
}

#[cfg(test)]
mod tests {
    use super::super::level::tests::points;
    use super::*;
    use crate::cpu::cut::whole;
    use crate::morton::interleave;
    use std::collections::HashMap;

    #[test]
    fn blocks_are_the_cells_around() {
        let cells = whole(&points(|i| (i % 200 / 5) as f32 - 8_388_608.0)).cells;
        for (number, level) in cells.levels.iter().enumerate() {
            let all = 0..level.len() as u32;
            let at: HashMap<[u64; 3], u32> =
                all.clone().map(|cell| (level.coordinates(cell), cell)).collect();
            for cell in all {
                let middle = level.coordinates(cell);
                let around = (0..BLOCK as u64).filter_map(|i| {
                    let offset = [i % 3, i / 3 % 3, i / 9];
                    let at_offset = |a: usize| (middle[a] + offset[a]).checked_sub(1);
                    at.get(&[at_offset(0)?, at_offset(1)?, at_offset(2)?]).copied()
                });
                assert!(around.eq(cells.block(number, cell)));
            }
        }
    }

    #[test]
    fn keys_move_along_each_axis() {
        let [near, far] = [[5, 0, 9], [6, 1, 8]].map(interleave);
        assert_eq!(moved(near, [1, 1, -1]), far);
        assert_eq!(moved(far, [-1, -1, 1]), near);
        // Below zero.
        assert!(moved(near, [0, -1, 0]) >> (3 * (BITS - 2)) != 0);
    }
}
