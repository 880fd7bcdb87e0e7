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

/// Column and row of a cell.
pub type Position = (u32, u32);

/// Closing joins cells that are up to this many columns or rows apart: with two empty ones between.
const JOINED: u32 = 3;

/// Beside a stray, cells have at least so many of their eight neighbours, on average: those along a straight edge have five. Where
/// they have fewer, points are sparse.
const FULL: usize = 4;

/// The eight directions between cells.
const DIRECTIONS: [(i64, i64); 8] =
    [(1, 0), (1, 1), (0, 1), (-1, 1), (-1, 0), (-1, -1), (0, -1), (1, -1)];

type TileMap = FxHashMap<u64, u32>;

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

    /// Adds a cell and returns it. What is returned before [`CellSet::finish`] is invalid after it.
    #[inline]
    pub fn insert(&mut self, column: u32, row: u32) -> Cell {
        let key = key(column >> 3, row >> 3);
        if key != self.last.0 {
            self.last = (key, self.tile_or_new(key));
        }
        let bit = (row & 7) << 3 | (column & 7);
        self.masks[self.last.1 as usize] |= 1 << bit;
        u64::from(self.last.1) << 6 | u64::from(bit)
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
        self.sort_and_link(|_, mask| mask != 0);
    }

    /// Sorts and links the tiles that are `kept`, by their index and their mask.
    fn sort_and_link(&mut self, kept: impl Fn(usize, u64) -> bool) {
        let mut order: Vec<(u64, u64)> = self
            .keys
            .iter()
            .copied()
            .zip(self.masks.iter().copied())
            .enumerate()
            .filter(|&(t, (_, mask))| kept(t, mask))
            .map(|(_, tile)| tile)
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

    /// Fills gaps of up to two cells: a dilation by one cell in all eight directions, then the erosion
    /// that undoes it wherever no gap was closed. No cell is lost but [strays](CellSet::strays), which are returned.
    ///
    /// Cells must stay three cells away from column 0 and row 0.
    pub fn close(&mut self) -> Vec<Position> {
        self.add_border_tiles();
        let strays = self.strays();
        let mut holds_stray = vec![false; self.masks.len()];
        for cell in strays.iter().filter_map(|&at| self.cell_at(at)).collect::<Vec<_>>() {
            let tile = (cell >> 6) as usize;
            self.masks[tile] &= !(1 << (cell & 63));
            holds_stray[tile] = true;
        }
        for (ahead, back) in [(EAST, WEST), (NORTH, SOUTH)] {
            self.masks = self.map(|t, m| m | self.shifted(t, ahead) | self.shifted(t, back));
        }
        for (ahead, back) in [(EAST, WEST), (NORTH, SOUTH)] {
            self.masks = self.map(|t, m| m & self.shifted(t, ahead) & self.shifted(t, back));
        }
        self.sort_and_link(|t, mask| mask != 0 || holds_stray[t]);
        strays
    }

    /// Cells that touch no other, but have others to one side that may be joined with them. A scattered point beside the edge
    /// of a window makes such a cell, and the outline would turn aside to it. Where the others have few
    /// neighbours, or another lone cell is as close, points are sparse, and there is no stray; nor is one between parts on opposite sides.
    fn strays(&mut self) -> Vec<Position> {
        let lone = self.lone();
        let cells = lone.iter().enumerate();
        let cells = cells.flat_map(|(t, &mask)| bits(mask).map(move |bit| t as u64 * 64 + bit));
        cells.map(|cell| self.position(cell)).filter(|&at| self.is_stray(at, &lone)).collect()
    }

    /// Whether a lone cell is a stray; `lone` are all lone cells of each tile.
    fn is_stray(&self, at: Position, lone: &[u64]) -> bool {
        let holds = |masks: &[u64], cell: Cell| masks[(cell >> 6) as usize] >> (cell & 63) & 1 == 1;
        // Those in which none of the others is beside or behind the cell.
        let mut is_ahead = [true; DIRECTIONS.len()];
        let (mut joined, mut neighbours) = (0, 0);
        for near in within_reach(at) {
            let Some(cell) = self.cell_at(near).filter(|&cell| holds(&self.masks, cell)) else {
                continue;
            };
            if holds(lone, cell) {
                return false;
            }
            let offset = [(near.0, at.0), (near.1, at.1)].map(|(a, b)| i64::from(a) - i64::from(b));
            for (is_ahead, (x, y)) in is_ahead.iter_mut().zip(DIRECTIONS) {
                *is_ahead &= x * offset[0] + y * offset[1] > 0;
            }
            joined += 1;
            let beside = DIRECTIONS.iter().filter_map(|&(x, y)| {
                let to = |at: u32, by: i64| at.wrapping_add_signed(by as i32);
                self.cell_at((to(near.0, x), to(near.1, y)))
            });
            neighbours += beside.filter(|&cell| holds(&self.masks, cell)).count();
        }
        joined > 0 && is_ahead.contains(&true) && neighbours >= FULL * joined
    }

    /// For each tile, its cells that have none of their eight neighbours.
    fn lone(&mut self) -> Vec<u64> {
        let beside = self.map(|t, _| self.shifted(t, EAST) | self.shifted(t, WEST));
        let rows = self.map(|t, m| m | beside[t]);
        let own = std::mem::replace(&mut self.masks, rows);
        let above = self.map(|t, _| self.shifted(t, NORTH) | self.shifted(t, SOUTH));
        self.masks = own;
        self.map(|t, m| m & !(beside[t] | above[t]))
    }

    /// The cell at a column and a row, whether or not it is in the set; `None` where there is no tile.
    fn cell_at(&self, (column, row): Position) -> Option<Cell> {
        let tile = self.index.get(&key(column >> 3, row >> 3))?;
        Some(u64::from(*tile) << 6 | u64::from((row & 7) << 3 | (column & 7)))
    }

    /// Gives each stray the component of the nearest cell; of several as near, the first in a fixed order. There is one: cells
    /// that make a stray remain when gaps are closed. The stray itself does not come back, since all others lie to one side of it.
    pub fn place_strays(&self, strays: &[Position], component: &mut [u32]) {
        for &at in strays {
            let of = |near: Position| {
                let component = component[self.cell_at(near)? as usize];
                let distance = near.0.abs_diff(at.0).pow(2) + near.1.abs_diff(at.1).pow(2);
                (component != NONE).then_some((distance, component))
            };
            let nearest = within_reach(at).filter_map(of).min_by_key(|&(distance, _)| distance);
            if let (Some(cell), Some((_, nearest))) = (self.cell_at(at), nearest) {
                component[cell as usize] = nearest;
            }
        }
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
        self.sort_and_link(|_, _| true);
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
    #[cfg(test)]
    pub fn cells(&self) -> impl Iterator<Item = Cell> + '_ {
        let masks = self.masks.iter().enumerate();
        masks.flat_map(|(t, &mask)| bits(mask).map(move |bit| t as u64 * 64 + bit))
    }

    /// The tiles in which those of a set lie that was [absorbed](CellSet::absorb).
    pub fn tiles_of(&self, absorbed: &CellSet) -> Vec<u32> {
        absorbed.keys.iter().map(|key| self.index[key]).collect()
    }

    /// Column and row of a cell.
    pub fn position(&self, cell: Cell) -> Position {
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

    /// The cells of each tile that have a free side.
    pub fn borders(&self) -> impl Iterator<Item = Cell> + '_ {
        let border = |t: usize| {
            let inner = (EAST..=SOUTH).fold(u64::MAX, |inner, side| inner & self.shifted(t, side));
            self.masks[t] & !inner
        };
        (0..self.masks.len()).flat_map(move |t| bits(border(t)).map(move |bit| t as u64 * 64 + bit))
    }

    /// The connected components over shared edges: for each [`Cell`] the number of its component,
    /// `u32::MAX` where there is no cell, and the number of cells of each component.
    pub fn components(&self) -> (Vec<u32>, Vec<u64>) {
        let (first, parts) = self.parts_of_tiles();
        let of_tile = |t: u32| first[t as usize]..first[t as usize + 1];
        // The first of the parts of a component is its root.
        let mut parents: Vec<u32> = (0..parts.len() as u32).collect();
        for t in 0..self.masks.len() as u32 {
            for side in [EAST, NORTH] {
                let next = self.neighbours[t as usize][usize::from(side)];
                if next == NONE {
                    continue;
                }
                for i in of_tile(t) {
                    let part = parts[i as usize];
                    let beyond = if side == EAST { (part & COLUMN_7) >> 7 } else { part >> 56 };
                    for j in of_tile(next).filter(|&j| parts[j as usize] & beyond != 0) {
                        unite(&mut parents, i, j);
                    }
                }
            }
        }
        let mut component = vec![NONE; self.cell_limit()];
        let (mut sizes, mut numbers) = (Vec::new(), vec![NONE; parts.len()]);
        for t in 0..self.masks.len() as u32 {
            for i in of_tile(t) {
                let root = root(&mut parents, i) as usize;
                if numbers[root] == NONE {
                    numbers[root] = sizes.len() as u32;
                    sizes.push(0);
                }
                let (part, number) = (parts[i as usize], numbers[root]);
                sizes[number as usize] += u64::from(part.count_ones());
                let cells = &mut component[t as usize * 64..][..64];
                bits(part).for_each(|bit| cells[bit as usize] = number);
            }
        }
        (component, sizes)
    }

    /// Where the parts of each tile begin and end, and the parts: the connected cells of a tile, ordered by their first.
    fn parts_of_tiles(&self) -> (Vec<u32>, Vec<u64>) {
        let (mut first, mut parts) = (vec![0], Vec::new());
        for &mask in &self.masks {
            let mut rest = mask;
            while rest != 0 {
                let part = connected(rest & rest.wrapping_neg(), mask);
                parts.push(part);
                rest &= !part;
            }
            first.push(parts.len() as u32);
        }
        (first, parts)
    }
}

/// The places that may be joined with a cell, in a fixed order.
fn within_reach((column, row): Position) -> impl Iterator<Item = Position> {
    let from = |at: u32| at - JOINED..=at + JOINED;
    let places = from(row).flat_map(move |r| from(column).map(move |c| (c, r)));
    places.filter(move |&at| at != (column, row))
}

/// The bits of a tile that are set, ascending.
fn bits(mut mask: u64) -> impl Iterator<Item = u64> {
    std::iter::from_fn(move || {
        let bit = mask.trailing_zeros();
        mask &= mask.wrapping_sub(1);
        (bit < 64).then_some(u64::from(bit))
    })
}

/// The cells of a tile that are connected with some of them.
fn connected(mut some: u64, mask: u64) -> u64 {
    if mask == u64::MAX {
        return mask;
    }
    loop {
        let across = (some & !COLUMN_7) << 1 | (some & !COLUMN_0) >> 1;
        let more = (some | across | some << 8 | some >> 8) & mask;
        if more == some {
            return some;
        }
        some = more;
    }
}

/// The root of a tree in a forest of numbers, each of which has a parent, roots themselves.
fn root(parents: &mut [u32], mut i: u32) -> u32 {
    while parents[i as usize] != i {
        let above = parents[parents[i as usize] as usize];
        parents[i as usize] = above;
        i = above;
    }
    i
}

/// Makes one tree of two; its root is the smaller one.
fn unite(parents: &mut [u32], i: u32, j: u32) {
    let [a, b] = [i, j].map(|k| root(parents, k));
    parents[a.max(b) as usize] = a.min(b);
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
    }

    #[test]
    fn cells_of_a_part_are_found_in_the_whole() {
        let cells = scatter();
        let (mut part, mut whole) = (CellSet::new(), CellSet::new());
        let named: Vec<(Cell, (u32, u32))> =
            cells.iter().skip(40).map(|&(c, r)| (part.insert(c, r), (c, r))).collect();
        for &(c, r) in &cells {
            whole.insert(c, r);
        }
        whole.absorb(&part);
        whole.finish();
        let tiles = whole.tiles_of(&part);
        for (cell, place) in named {
            let cell = u64::from(tiles[(cell >> 6) as usize]) << 6 | cell & 63;
            assert_eq!(whole.position(cell), place);
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
    fn closing_equals_dilation_and_erosion_cell_by_cell_without_strays() {
        let block = (0..400).map(|k| (70 + k % 20, 5 + k / 20)).chain([(92, 12), (86, 27)]);
        let cells: BTreeSet<Position> = scatter().into_iter().chain(block).collect();
        let is_lone = |p: &Position| around(*p).filter(|q| cells.contains(q)).count() == 1;
        let near = |p: Position| within_reach(p).filter(|q| cells.contains(q));
        let is_to = |p: Position, (x, y): (i64, i64)| {
            let along = |q: Position| {
                x * (i64::from(q.0) - i64::from(p.0)) + y * (i64::from(q.1) - i64::from(p.1))
            };
            near(p).all(|q| along(q) > 0)
        };
        let neighbours = |p: Position| {
            let beside = |q: Position| around(q).filter(|r| *r != q && cells.contains(r)).count();
            near(p).map(beside).sum::<usize>()
        };
        let is_stray = |p: &Position| {
            is_lone(p)
                && near(*p).next().is_some()
                && !near(*p).any(|q| is_lone(&q))
                && DIRECTIONS.iter().any(|&side| is_to(*p, side))
                && neighbours(*p) >= FULL * near(*p).count()
        };
        let strays: BTreeSet<Position> = cells.iter().copied().filter(is_stray).collect();
        assert!(!strays.is_empty() && strays.len() < cells.iter().filter(|p| is_lone(p)).count());
        let mut closed = set(&cells);
        assert_eq!(closed.close().into_iter().collect::<BTreeSet<_>>(), strays);
        let wide: BTreeSet<_> = cells.difference(&strays).flat_map(|&p| around(p)).collect();
        let expected =
            wide.iter().copied().filter(|&p| around(p).all(|q| wide.contains(&q))).collect();
        assert_eq!(all(&closed), expected);
        assert!(closed.cells().count() > cells.len());
    }

    /// A block of cells, 4 wide and 5 high.
    fn block(column: u32) -> impl Iterator<Item = Position> {
        (0..20).map(move |k| (column + k % 4, 10 + k / 4))
    }

    #[test]
    fn strays_belong_to_the_nearest_component() {
        // The second is alone in its tile.
        for stray in [(15, 12), (16, 12)] {
            let mut set = set(&block(10).chain(block(30)).chain([stray]).collect());
            assert_eq!(set.close(), [stray]);
            let (mut component, sizes) = set.components();
            assert_eq!(sizes, [20, 20]);
            set.place_strays(&[stray], &mut component);
            let of = |at| component[set.cell_at(at).unwrap() as usize];
            assert_eq!(of(stray), of((13, 12)));
        }
        // Too far to be joined, and beside a single row.
        for others in [vec![(17, 12)], (20..30).map(|c| (c, 13)).chain([(25, 15)]).collect()] {
            assert_eq!(set(&block(10).chain(others).collect()).close(), []);
        }
    }

    #[test]
    fn a_stray_belongs_to_the_nearer_of_two_components() {
        for (below, above, nearer) in [(10, 11, (14, 18)), (11, 10, (14, 14)), (10, 10, (13, 14))] {
            let above = block(above).map(|(c, r)| (c, r + 8));
            let stray = (16, 16);
            let mut set = set(&block(below).chain(above).chain([stray]).collect());
            assert_eq!(set.close(), [stray]);
            let (mut component, sizes) = set.components();
            assert_eq!(sizes, [20, 20]);
            set.place_strays(&[stray], &mut component);
            let of = |at| component[set.cell_at(at).unwrap() as usize];
            assert_eq!(of(stray), of(nearer), "{nearer:?}");
        }
    }

    #[test]
    fn beside_sparse_cells_there_is_no_stray() {
        // Of the block, a corner with three neighbours and a cell of its side with five, or the corner alone.
        for (row, strays) in [(16, &[(16, 16)][..]), (17, &[])] {
            assert_eq!(set(&block(10).chain([(16, row)]).collect()).close(), strays, "{row}");
        }
    }

    #[test]
    fn what_bridges_a_gap_or_lies_within_is_no_stray() {
        let mut bridge = set(&block(10).chain(block(17)).chain([(15, 12)]).collect());
        assert_eq!(bridge.close(), []);
        assert_eq!(bridge.components().1.len(), 1);
        let ring = (0..49u32).map(|k| (10 + k % 7, 10 + k / 7));
        let ring = ring.filter(|&(c, r)| c.abs_diff(13).max(r.abs_diff(13)) == 3);
        let mut within = set(&ring.chain([(13, 13)]).collect());
        assert_eq!(within.close(), []);
        assert_eq!(within.cells().count(), 49);
    }

    #[test]
    fn components_are_numbered_by_their_first_cells() {
        let block = (0..400).map(|k| (70 + k % 20, 5 + k / 20));
        let set = set(&scatter().into_iter().chain(block).collect());
        let (component, sizes) = set.components();
        let mut expected = vec![NONE; set.cell_limit()];
        let mut counts = Vec::new();
        for seed in set.cells() {
            if expected[seed as usize] != NONE {
                continue;
            }
            let mut open = vec![seed];
            counts.push(0);
            while let Some(cell) = open.pop() {
                if expected[cell as usize] == NONE {
                    expected[cell as usize] = counts.len() as u32 - 1;
                    counts[expected[cell as usize] as usize] += 1;
                    open.extend((EAST..=SOUTH).filter_map(|side| set.step(cell, side)));
                }
            }
        }
        assert!(counts.len() > 10 && counts.contains(&400), "{counts:?}");
        assert_eq!((component, sizes), (expected, counts));
    }

    #[test]
    fn borders_have_a_free_side() {
        let set = set(&(0..400).map(|k| (7 + k % 20, 7 + k / 20)).collect());
        let is_border = |&cell: &Cell| (EAST..=SOUTH).any(|side| set.step(cell, side).is_none());
        let expected: Vec<Cell> = set.cells().filter(is_border).collect();
        assert_eq!(expected.len(), 76);
        assert!(set.borders().eq(expected));
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
