//! Which cells lie next to each other.
//!
//! Lists of the neighbours of all cells of all levels would take more memory than all else that is known of the
//! cells. So a block is put together when it is wanted, from the bricks that it reaches into: eight at most.

use super::bricks::{CELLS, NONE, WITHIN};
use super::lattice::BITS;
use super::level::Level;
use std::ops::Deref;

/// Cells of a block.
const BLOCK: usize = 27;

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

/// Edge, in cells, of a brick and the cells next to it.
const EDGE: usize = 6;
/// Number of these cells.
const AROUND: usize = EDGE * EDGE * EDGE;

/// Finds blocks; fast where the next one is wanted for a cell of the same brick.
pub struct Finder<'a> {
    level: &'a Level,
    /// The next level, and what finds the bricks, which are the cells of the level after it; none on the top two
    /// levels.
    above: Option<(&'a Level, Box<Finder<'a>>)>,
    /// The key of a brick.
    home: u64,
    /// The bricks of the block of bricks around it, if there is a level that says so.
    bricks: [u32; BLOCK],
    /// A bit for each of them whose cells are known.
    known: u32,
    /// The occupied cells of the brick and next to it, by z, then y, then x, as far as they are known.
    around: [u32; AROUND],
}

impl<'a> Finder<'a> {
    /// Finds blocks among the cells of the first of these levels, each of which joins the cells of the one before.
    pub fn new(levels: &'a [Level]) -> Finder<'a> {
        let above = match levels {
            [_, next, above @ ..] if !above.is_empty() => {
                Some((next, Box::new(Finder::new(above))))
            }
            _ => None,
        };
        Finder {
            level: &levels[0],
            above,
            // No brick has this key.
            home: u64::MAX,
            bricks: [NONE; BLOCK],
            known: 0,
            around: [NONE; AROUND],
        }
    }

    /// The level of the cells.
    #[inline(always)]
    pub fn level(&self) -> &'a Level {
        self.level
    }

    /// The occupied cells of the block of a cell.
    #[inline(always)]
    pub fn block(&mut self, cell: u32) -> Block {
        let mut block = Block { cells: [0; BLOCK], len: 0 };
        for cell in self.near(cell) {
            // Written in any case: a branch would be taken at random.
            block.cells[block.len] = cell;
            block.len += usize::from(cell != NONE);
        }
        block
    }

    /// The cells of the block of a cell, occupied or [`NONE`].
    #[inline(always)]
    fn near(&mut self, cell: u32) -> [u32; BLOCK] {
        let key = self.level.key(cell);
        if self.home != key >> WITHIN {
            self.home = key >> WITHIN;
            self.enter(cell);
        }
        let within = (key % CELLS as u64) as usize;
        let mut unknown = BRICKS[within] & !self.known;
        self.known |= unknown;
        while unknown != 0 {
            self.learn(unknown.trailing_zeros() as usize);
            unknown &= unknown - 1;
        }
        // From the first corner to the last, so that only the first index is checked.
        const SPAN: usize = WITHIN_BLOCK[BLOCK - 1] + 1;
        let mut cells = [NONE; BLOCK];
        if let Some(near) = self.around[CORNERS[within]..].first_chunk::<SPAN>() {
            for (row, cells) in cells.as_chunks_mut::<3>().0.iter_mut().enumerate() {
                let first = WITHIN_BLOCK[3 * row];
                *cells = [near[first], near[first + 1], near[first + 2]];
            }
        }
        cells
    }

    /// Moves to the brick of a cell: forgets the last one, and finds the bricks around this one.
    #[inline(never)]
    fn enter(&mut self, cell: u32) {
        (self.known, self.around) = (0, [NONE; AROUND]);
        if let Some((next, above)) = &mut self.above {
            let brick = next.parent[self.level.parent[cell as usize] as usize];
            self.bricks = above.near(brick);
        }
    }

    /// Learns the cells of a brick, by its place in the block of bricks.
    #[inline(always)]
    fn learn(&mut self, place: usize) {
        let bricks = &self.level.bricks;
        let index = match self.above {
            Some(_) => self.bricks[place],
            None => bricks.find(moved(self.home, offset(place)), |cell| self.level.key(cell)),
        };
        let Some(brick) = bricks.get(index) else { return };
        let mut left = brick.occupied & NEXT[place];
        while left != 0 {
            let bit = left.trailing_zeros();
            let before = brick.occupied & ((1 << bit) - 1);
            let at = PLACES[place][bit as usize];
            self.around[usize::from(at)] = brick.first + before.count_ones();
            left &= left - 1;
        }
    }
}

/// Where a place in a block lies, seen from its middle.
#[inline(always)]
const fn offset(place: usize) -> [i32; 3] {
    [place as i32 % 3 - 1, place as i32 / 3 % 3 - 1, place as i32 / 9 - 1]
}

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

/// The place of the middle of a block.
const MIDDLE: usize = BLOCK / 2;

/// The bits of the first coordinate in a Morton key.
const AXIS: u64 = {
    let (mut bits, mut i) = (0, 0);
    while i < BITS {
        bits |= 1 << (3 * i);
        i += 1;
    }
    bits
};

/// The coordinate of a cell of a brick along an axis.
const fn coordinate(cell: usize, axis: usize) -> i32 {
    ((cell >> axis & 1) | (cell >> (axis + 3) & 1) << 1) as i32
}

/// The coordinates of a cell of a brick, by the brick's place in the block of bricks.
const fn coordinates(place: usize, cell: usize) -> [i32; 3] {
    let [x, y, z] = offset(place);
    [4 * x + coordinate(cell, 0), 4 * y + coordinate(cell, 1), 4 * z + coordinate(cell, 2)]
}

/// Where a cell at some coordinates is kept among those around a brick.
const fn kept([x, y, z]: [i32; 3]) -> usize {
    (x + 1) as usize + EDGE * ((y + 1) as usize + EDGE * (z + 1) as usize)
}

/// Where the first corner of the block of each cell of a brick is kept.
static CORNERS: [usize; CELLS] = {
    let (mut corners, mut cell) = ([0; CELLS], 0);
    while cell < CELLS {
        let [x, y, z] = coordinates(MIDDLE, cell);
        corners[cell] = kept([x - 1, y - 1, z - 1]);
        cell += 1;
    }
    corners
};

/// Where the cells of a block are kept, from its first corner on.
const WITHIN_BLOCK: [usize; BLOCK] = {
    let (mut within, mut i) = ([0; BLOCK], 0);
    while i < BLOCK {
        within[i] = i % 3 + EDGE * (i / 3 % 3 + EDGE * (i / 9));
        i += 1;
    }
    within
};

/// For each brick of a block of them, where its cells next to the middle one are kept.
static PLACES: [[u8; CELLS]; BLOCK] = {
    let (mut places, mut place) = ([[0; CELLS]; BLOCK], 0);
    while place < BLOCK {
        let mut cell = 0;
        while cell < CELLS {
            if NEXT[place] >> cell & 1 != 0 {
                places[place][cell] = kept(coordinates(place, cell)) as u8;
            }
            cell += 1;
        }
        place += 1;
    }
    places
};

/// For each brick of a block of them, its cells in the middle one and next to it.
const NEXT: [u64; BLOCK] = {
    let (mut next, mut place) = ([0; BLOCK], 0);
    while place < BLOCK {
        let mut cell = 0;
        while cell < CELLS {
            let [x, y, z] = coordinates(place, cell);
            let near = -1 <= x && x <= 4 && -1 <= y && y <= 4 && -1 <= z && z <= 4;
            next[place] |= (near as u64) << cell;
            cell += 1;
        }
        place += 1;
    }
    next
};

/// For each cell of a brick, the bricks that its block reaches into.
static BRICKS: [u32; CELLS] = {
    let (mut bricks, mut cell) = ([0; CELLS], 0);
    while cell < CELLS {
        let mut place = 0;
        while place < BLOCK {
            let (to, mut reaches, mut axis) = (offset(place), true, 0);
            while axis < 3 {
                let beyond = coordinate(cell, axis) + to[axis];
                reaches &= to[axis] == 0 || beyond < 0 || beyond > 3;
                axis += 1;
            }
            bricks[cell] |= (reaches as u32) << place;
            place += 1;
        }
        cell += 1;
    }
    bricks
};

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
            // What a finder keeps of the cell before changes nothing.
            let (mut finder, n) = (cells.finder(number), level.len() as u32);
            let in_order = 0..n;
            let jumping = (0..n).map(|i| (u64::from(i) * 7919 % u64::from(n)) as u32);
            for cell in in_order.chain(jumping) {
                assert!(finder.block(cell).iter().eq(cells.block(number, cell).iter()));
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
