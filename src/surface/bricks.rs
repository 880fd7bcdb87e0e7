//! Bricks of 4 × 4 × 4 cells, by which the cells of a level are found.
//!
//! A brick knows in one bit for each of its cells whether the cell is occupied, and in Morton order the occupied
//! cells of a brick have consecutive indices. The bricks of a level are the cells two levels above it, if there is
//! such a level.

use crate::ranges::ranges;
use rayon::prelude::*;
use std::ops::Range;

/// Bits of a cell's key within its brick.
pub const WITHIN: u32 = 6;
/// Cells of a brick.
pub const CELLS: usize = 1 << WITHIN;
/// The index of no cell and of no brick. A cloud has some millions of cells at most, since larger clouds get larger
/// cells.
pub const NONE: u32 = u32::MAX;

/// The bricks of a level, in Morton order.
#[derive(Default)]
pub struct Bricks {
    all: Vec<Brick>,
}

/// A brick of cells of which at least one is occupied.
#[derive(Clone, Copy)]
pub struct Brick {
    /// A bit for each cell, in Morton order.
    pub occupied: u64,
    /// Index of the first occupied one.
    pub first: u32,
}

/// Cells that one thread takes at a time.
const PIECE: usize = 1 << 14;

impl Bricks {
    /// The bricks of so many `cells`, whose Morton keys ascend.
    pub fn new(cells: u32, key: impl Fn(u32) -> u64 + Sync) -> Bricks {
        let pieces: Vec<Vec<Brick>> =
            ranges(cells as usize, PIECE).map(|piece| begun(piece, cells, &key)).collect();
        Bricks { all: pieces.concat() }
    }

    /// The brick with this index, if there is one.
    #[inline(always)]
    pub fn get(&self, index: u32) -> Option<Brick> {
        self.all.get(index as usize).copied()
    }

    /// The index of the brick with this key; `key_of` gives the keys of cells.
    pub fn find(&self, key: u64, key_of: impl Fn(u32) -> u64) -> u32 {
        let found = self.all.binary_search_by_key(&key, |brick| key_of(brick.first) >> WITHIN);
        found.map_or(NONE, |index| index as u32)
    }
}

/// The bricks that begin in a range of so many `cells`; the last one may end behind it.
fn begun(range: Range<usize>, cells: u32, key: impl Fn(u32) -> u64) -> Vec<Brick> {
    let (begin, end) = (range.start as u32, range.end as u32);
    let mut bricks: Vec<Brick> = Vec::new();
    let mut last = begin.checked_sub(1).map(|before| key(before) >> WITHIN);
    for cell in begin..cells {
        let (brick, place) = (key(cell) >> WITHIN, key(cell) % CELLS as u64);
        if last.replace(brick) != Some(brick) {
            if cell >= end {
                break;
            }
            bricks.push(Brick { occupied: 0, first: cell });
        }
        // The first cells may belong to a brick of the range before.
        if let Some(brick) = bricks.last_mut() {
            brick.occupied |= 1 << place;
        }
    }
    bricks
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bricks_are_found_by_their_keys() {
        for apart in [1, 7 << 6, 3 << 40] {
            let keys: Vec<u64> =
                (0..3 * PIECE as u64).map(|i| i * i % 7 + i * 11 * apart).collect();
            let key = |cell: u32| keys[cell as usize];
            assert!(keys.is_sorted_by(|a, b| a < b));
            let bricks = Bricks::new(keys.len() as u32, key);
            let families = keys.chunk_by(|a, b| a >> WITHIN == b >> WITHIN);
            for (index, family) in (0..).zip(families) {
                assert_eq!(bricks.find(family[0] >> WITHIN, key), index);
                let brick = bricks.get(index).unwrap();
                assert_eq!(keys[brick.first as usize], family[0]);
                let bits = family.iter().map(|key| 1 << (key % CELLS as u64));
                assert_eq!(brick.occupied, bits.sum::<u64>());
                // The same low bits.
                assert_eq!(bricks.find(family[0] >> WITHIN | 1 << 57, key), NONE);
            }
        }
        assert_eq!(Bricks::new(0, |_| 0).find(5, |_| 0), NONE);
        assert!(Bricks::default().get(NONE).is_none());
    }
}
