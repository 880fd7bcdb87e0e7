//! The cells of a square grid that hold points: sparse, in tiles of 8 × 8 bits.
//!
//! A tile is one word, so closing gaps takes a few shifts for 64 cells, and memory follows the number of
//! occupied tiles, not the extent of the plane.

use rustc_hash::FxHashMap;

/// No tile, no neighbour.
const NONE: u32 = u32::MAX;

/// Leftmost and rightmost column of a tile; bit `8 row + column`.
const COLUMN_0: u64 = 0x0101_0101_0101_0101;
const COLUMN_7: u64 = COLUMN_0 << 7;

/// A direction along the grid; the next one is a quarter turn to the left.
pub type Direction = u8;
/// To larger columns.
pub const EAST: Direction = 0;
/// To larger rows.
pub const NORTH: Direction = 1;
/// To smaller columns.
pub const WEST: Direction = 2;
/// To smaller rows.
pub const SOUTH: Direction = 3;

/// A cell: its tile's index times 64, plus its bit in the tile.
pub type Cell = u64;

/// Tile column and row packed so that keys sort by row, then column.
fn key(column: u32, row: u32) -> u64 {
    u64::from(row) << 32 | u64::from(column)
}

type TileMap = FxHashMap<u64, u32>;

/// Looks up cells of a set; remembers the last tile, which mostly holds the next cell as well.
pub struct Finder<'a> {
    set: &'a CellSet,
    last: (u64, u32),
}

impl Finder<'_> {
    /// The cell at a column and row, if it is in the set.
    pub fn find(&mut self, column: u32, row: u32) -> Option<Cell> {
        let key = key(column >> 3, row >> 3);
        if key != self.last.0 {
            self.last = (key, self.set.index.get(&key).copied().unwrap_or(NONE));
        }
        let bit = (row & 7) << 3 | (column & 7);
        let tile = self.last.1;
        (tile != NONE && self.set.masks[tile as usize] >> bit & 1 == 1)
            .then(|| u64::from(tile) * 64 + u64::from(bit))
    }
}

/// A set of cells with non-negative coordinates below 2³⁰.
#[derive(Default)]
pub struct CellSet {
    keys: Vec<u64>,
    masks: Vec<u64>,
    neighbours: Vec<[u32; 4]>,
    index: TileMap,
    last: (u64, u32),
}

impl CellSet {
    /// The empty set.
    pub fn new() -> CellSet {
        CellSet { last: (u64::MAX, NONE), ..CellSet::default() }
    }

    /// Adds a cell. [`Cell`]s found before [`CellSet::finish`] are invalid after it.
    pub fn insert(&mut self, column: u32, row: u32) {
        let key = key(column >> 3, row >> 3);
        if key != self.last.0 {
            self.last = (key, self.tile_or_new(key));
        }
        self.masks[self.last.1 as usize] |= 1 << ((row & 7) << 3 | (column & 7));
    }

    /// Adds the cells of another set.
    pub fn absorb(&mut self, other: &CellSet) {
        for (&key, &mask) in other.keys.iter().zip(&other.masks) {
            let tile = self.tile_or_new(key);
            self.masks[tile as usize] |= mask;
        }
    }

    fn tile_or_new(&mut self, key: u64) -> u32 {
        *self.index.entry(key).or_insert_with(|| {
            self.keys.push(key);
            self.masks.push(0);
            (self.masks.len() - 1) as u32
        })
    }

    /// Sorts the tiles and links neighbours, so that all later results are independent of the order of
    /// insertion.
    pub fn finish(&mut self) {
        self.sort_and_link(false);
    }

    fn sort_and_link(&mut self, keep_empty: bool) {
        let mut order: Vec<(u64, u64)> = self
            .keys
            .iter()
            .copied()
            .zip(self.masks.iter().copied())
            .filter(|&(_, mask)| keep_empty || mask != 0)
            .collect();
        order.sort_unstable();
        self.keys = order.iter().map(|t| t.0).collect();
        self.masks = order.iter().map(|t| t.1).collect();
        self.last = (u64::MAX, NONE);
        self.index.clear();
        self.index.extend(self.keys.iter().enumerate().map(|(t, &k)| (k, t as u32)));
        let find = |c: u32, r: u32| self.index.get(&key(c, r)).copied().unwrap_or(NONE);
        self.neighbours = self
            .keys
            .iter()
            .map(|&k| {
                let (column, row) = (k as u32, (k >> 32) as u32);
                [
                    find(column + 1, row),
                    find(column, row + 1),
                    find(column.wrapping_sub(1), row),
                    find(column, row.wrapping_sub(1)),
                ]
            })
            .collect();
    }

    /// Fills gaps of one cell: a dilation by one cell in all eight directions, then the erosion
    /// that undoes it wherever no gap was closed. No cell is lost.
    ///
    /// Cells must stay one cell away from column 0 and row 0.
    pub fn close(&mut self) {
        self.add_border_tiles();
        for (ahead, back) in [(EAST, WEST), (NORTH, SOUTH)] {
            self.masks = self.map(|t, m| m | self.shifted(t, ahead) | self.shifted(t, back));
        }
        for (ahead, back) in [(EAST, WEST), (NORTH, SOUTH)] {
            self.masks = self.map(|t, m| m & self.shifted(t, ahead) & self.shifted(t, back));
        }
        self.finish();
    }

    fn map(&self, f: impl Fn(usize, u64) -> u64) -> Vec<u64> {
        (0..self.masks.len()).map(|t| f(t, self.masks[t])).collect()
    }

    /// Adds the empty tiles that a dilation by one cell can reach.
    fn add_border_tiles(&mut self) {
        for t in 0..self.keys.len() {
            let (k, m) = (self.keys[t], self.masks[t]);
            let (column, row) = (k as u32, (k >> 32) as u32);
            let columns = [m & COLUMN_0 != 0, true, m & COLUMN_7 != 0];
            let rows = [m & 0xff != 0, true, m >> 56 != 0];
            for (dr, _) in rows.iter().enumerate().filter(|r| *r.1) {
                for (dc, _) in columns.iter().enumerate().filter(|c| *c.1) {
                    let c = (column + dc as u32).wrapping_sub(1);
                    let r = (row + dr as u32).wrapping_sub(1);
                    self.tile_or_new(key(c, r));
                }
            }
        }
        self.sort_and_link(true);
    }

    /// For each cell of tile `t`, whether its neighbour in `direction` is in the set.
    fn shifted(&self, t: usize, direction: Direction) -> u64 {
        let m = self.masks[t];
        let next = match self.neighbours[t][usize::from(direction)] {
            NONE => 0,
            n => self.masks[n as usize],
        };
        match direction {
            EAST => (m & !COLUMN_0) >> 1 | (next & COLUMN_0) << 7,
            WEST => (m & !COLUMN_7) << 1 | (next & COLUMN_7) >> 7,
            NORTH => m >> 8 | next << 56,
            _ => m << 8 | next >> 56,
        }
    }

    /// One more than the largest [`Cell`] of the set.
    pub fn cell_limit(&self) -> usize {
        self.masks.len() * 64
    }

    /// All cells in a fixed order.
    pub fn cells(&self) -> impl Iterator<Item = Cell> + '_ {
        self.masks.iter().enumerate().flat_map(|(t, &mask)| {
            (0..64u64).filter(move |bit| mask >> bit & 1 == 1).map(move |bit| t as u64 * 64 + bit)
        })
    }

    /// Looks up cells.
    pub fn finder(&self) -> Finder<'_> {
        Finder { set: self, last: (u64::MAX, NONE) }
    }

    /// Column and row of a cell.
    pub fn position(&self, cell: Cell) -> (u32, u32) {
        let key = self.keys[(cell >> 6) as usize];
        let bit = (cell & 63) as u32;
        ((key as u32) << 3 | bit & 7, ((key >> 32) as u32) << 3 | bit >> 3)
    }

    /// The neighbour of `cell` in `direction`, if it is in the set.
    pub fn step(&self, cell: Cell, direction: Direction) -> Option<Cell> {
        let tile = (cell >> 6) as u32;
        let bit = cell & 63;
        let (crosses, bit) = match direction {
            EAST => (bit & 7 == 7, bit.wrapping_add(1)),
            NORTH => (bit >= 56, bit + 8),
            WEST => (bit & 7 == 0, bit.wrapping_sub(1)),
            _ => (bit < 8, bit.wrapping_sub(8)),
        };
        let (tile, bit) = if crosses {
            let opposite = match direction {
                EAST => bit - 8,
                WEST => bit.wrapping_add(8),
                _ => bit & 63,
            };
            (self.neighbours[tile as usize][usize::from(direction)], opposite)
        } else {
            (tile, bit)
        };
        (tile != NONE && self.masks[tile as usize] >> bit & 1 == 1)
            .then(|| u64::from(tile) * 64 + bit)
    }

    /// The connected components over shared edges: for each [`Cell`] the number of its component,
    /// `u32::MAX` where there is no cell, and the number of cells of each component.
    pub fn components(&self) -> (Vec<u32>, Vec<u64>) {
        let mut component = vec![NONE; self.cell_limit()];
        let mut sizes = Vec::new();
        let mut open = Vec::new();
        for seed in self.cells() {
            if component[seed as usize] != NONE {
                continue;
            }
            let number = sizes.len() as u32;
            let mut size = 0;
            component[seed as usize] = number;
            open.push(seed);
            while let Some(cell) = open.pop() {
                size += 1;
                for direction in EAST..=SOUTH {
                    if let Some(next) = self.step(cell, direction)
                        && component[next as usize] == NONE
                    {
                        component[next as usize] = number;
                        open.push(next);
                    }
                }
            }
            sizes.push(size);
        }
        (component, sizes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    /// A scatter that crosses tile borders, denser to the left.
    fn scatter() -> BTreeSet<(u32, u32)> {
        let mut state = 1u32;
        let mut next = || {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            state >> 16
        };
        (0..500).map(|_| (4 + next() % (1 + next() % 60), 4 + next() % 40)).collect()
    }

    fn set(cells: &BTreeSet<(u32, u32)>) -> CellSet {
        let mut set = CellSet::new();
        for &(c, r) in cells {
            set.insert(c, r);
        }
        set.finish();
        set
    }

    fn all(set: &CellSet) -> BTreeSet<(u32, u32)> {
        set.cells().map(|c| set.position(c)).collect()
    }

    fn around((c, r): (u32, u32)) -> impl Iterator<Item = (u32, u32)> {
        (0..9).map(move |k| (c + k % 3 - 1, r + k / 3 - 1))
    }

    #[test]
    fn cells_come_back_at_their_positions() {
        let cells = scatter();
        let set = set(&cells);
        assert_eq!(all(&set), cells);
        for r in 0..50 {
            for c in 0..70 {
                let found = set.finder().find(c, r);
                assert_eq!(found.is_some(), cells.contains(&(c, r)));
                assert!(found.is_none_or(|cell| set.position(cell) == (c, r)));
            }
        }
    }

    #[test]
    fn steps_go_to_the_four_neighbours_across_tiles() {
        let cells = scatter();
        let set = set(&cells);
        for cell in set.cells() {
            let (c, r) = set.position(cell);
            let expected = [(c + 1, r), (c, r + 1), (c - 1, r), (c, r - 1)];
            for direction in EAST..=SOUTH {
                let next = expected[usize::from(direction)];
                let found = set.step(cell, direction).map(|n| set.position(n));
                assert_eq!(found, cells.contains(&next).then_some(next));
            }
        }
    }

    #[test]
    fn closing_equals_dilation_and_erosion_cell_by_cell() {
        let cells = scatter();
        let mut closed = set(&cells);
        closed.close();
        let wide: BTreeSet<_> = cells.iter().flat_map(|&p| around(p)).collect();
        let expected =
            wide.iter().copied().filter(|&p| around(p).all(|q| wide.contains(&q))).collect();
        assert_eq!(all(&closed), expected);
        assert!(closed.cells().count() > cells.len());
    }

    #[test]
    fn components_share_edges_not_corners() {
        let cells = [(9, 9), (10, 9), (11, 10), (12, 10), (20, 9)].into();
        let set = set(&cells);
        let (component, sizes) = set.components();
        assert_eq!(sizes, [2, 2, 1]);
        let numbers: Vec<_> = set.cells().map(|c| component[c as usize]).collect();
        assert_eq!(numbers.len(), 5);
        assert_eq!(numbers.iter().filter(|&&n| n == 0).count(), 2);
    }
}
