//! Bricks of 4 × 4 × 4 cells, by which the cells of a level are found.
//!
//! A brick knows in one bit for each of its cells whether the cell is occupied, and in Morton order the occupied
//! cells of a brick have consecutive indices.

use crate::mix::STEP;
use crate::ranges::ranges;
use rayon::prelude::*;
use std::ops::Range;

/// Bits of a cell's key within its brick.
pub const WITHIN: u32 = 6;
/// Cells of a brick.
pub const CELLS: usize = 1 << WITHIN;
/// The slot of no brick. A cloud has some millions of bricks at most, since larger clouds get larger cells.
pub const NONE: u32 = u32::MAX;

/// The bricks of a level: a hash table of which two thirds are in use.
#[derive(Default)]
pub struct Bricks {
    slots: Vec<Brick>,
    /// Whether all keys have 32 bits.
    is_narrow: bool,
}

/// A brick of cells of which at least one is occupied.
#[derive(Clone, Copy)]
pub struct Brick {
    /// A bit for each cell, in Morton order; zero in a slot that is free.
    pub occupied: u64,
    /// Index of the first occupied one.
    pub first: u32,
    /// The lowest bits of the Morton key of its cells without their place in the brick.
    key: u32,
}

/// A free slot.
const FREE: Brick = Brick { occupied: 0, first: 0, key: 0 };

/// Cells that one thread takes at a time.
const PIECE: usize = 1 << 14;

impl Bricks {
    /// The bricks of so many `cells`, whose Morton keys ascend.
    pub fn new(cells: u32, key: impl Fn(u32) -> u64 + Sync) -> Bricks {
        let pieces = ranges(cells as usize, PIECE);
        let pieces: Vec<Vec<Brick>> = pieces.map(|piece| begun(piece, cells, &key)).collect();
        let count: usize = pieces.iter().map(Vec::len).sum();
        let is_narrow = cells == 0 || key(cells - 1) >> WITHIN <= u64::from(u32::MAX);
        let mut bricks = Bricks { slots: vec![FREE; count + count / 2 + 1], is_narrow };
        for brick in pieces.into_iter().flatten() {
            let mut slot = bricks.hash(key(brick.first) >> WITHIN);
            while bricks.slots[slot].occupied != 0 {
                slot = bricks.next(slot);
            }
            bricks.slots[slot] = brick;
        }
        bricks
    }

    /// The slot from which on a brick is sought.
    #[inline(always)]
    fn hash(&self, key: u64) -> usize {
        let hash = u128::from(key.wrapping_mul(STEP));
        ((hash * self.slots.len() as u128) >> u64::BITS) as usize
    }

    /// The slot after another.
    #[inline(always)]
    fn next(&self, slot: usize) -> usize {
        if slot + 1 == self.slots.len() { 0 } else { slot + 1 }
    }

    /// The slot of a brick; `key_of` gives the keys of cells.
    #[inline(always)]
    pub fn slot(&self, key: u64, key_of: impl Fn(u32) -> u64) -> u32 {
        let mut slot = self.hash(key);
        let low_bits_say = self.is_narrow && key <= u64::from(u32::MAX);
        loop {
            // There are free slots.
            let brick = &self.slots[slot];
            if brick.occupied == 0 {
                return NONE;
            }
            if brick.key == key as u32 && (low_bits_say || key_of(brick.first) >> WITHIN == key) {
                return slot as u32;
            }
            slot = self.next(slot);
        }
    }

    /// The brick in a slot, if there is one.
    #[inline(always)]
    pub fn get(&self, slot: u32) -> Option<Brick> {
        self.slots.get(slot as usize).copied()
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
            bricks.push(Brick { occupied: 0, first: cell, key: brick as u32 });
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
    fn bricks_are_found_by_short_and_by_long_keys() {
        for apart in [1, 7 << 6, 3 << 40] {
            let keys: Vec<u64> =
                (0..3 * PIECE as u64).map(|i| i * i % 7 + i * 11 * apart).collect();
            let key = |cell: u32| keys[cell as usize];
            assert!(keys.is_sorted_by(|a, b| a < b));
            let bricks = Bricks::new(keys.len() as u32, key);
            for family in keys.chunk_by(|a, b| a >> WITHIN == b >> WITHIN) {
                let brick = bricks.get(bricks.slot(family[0] >> WITHIN, key)).unwrap();
                assert_eq!(keys[brick.first as usize], family[0]);
                let bits = family.iter().map(|key| 1 << (key % CELLS as u64));
                assert_eq!(brick.occupied, bits.sum::<u64>());
                // The same low bits.
                assert_eq!(bricks.slot(family[0] >> WITHIN | 1 << 57, key), NONE);
            }
        }
        assert_eq!(Bricks::new(0, |_| 0).slot(5, |_| 0), NONE);
    }
}
