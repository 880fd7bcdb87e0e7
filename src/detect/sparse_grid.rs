//! Values at the places of an unbounded lattice: sparse, in tiles of 4 × 4.

use rustc_hash::FxHashMap;

/// A place of a lattice.
pub(super) type Place = (i64, i64);

/// Places along the edge of a tile, as a power of two.
const BITS: u32 = 2;
/// Places in a tile.
const TILE: usize = 1 << (2 * BITS);

/// A value at each place; the default one at all but some.
pub(super) struct SparseGrid<T> {
    /// The index of each tile, by its position.
    index: FxHashMap<Place, usize>,
    tiles: Vec<(Place, [T; TILE])>,
    /// The last tile that was looked for, which mostly holds the next place as well.
    last: Option<(Place, usize)>,
}

/// The position of the tile of a place, and the place's number in it.
fn in_tile((u, v): Place) -> (Place, usize) {
    let inside = |v: i64| (v & ((1 << BITS) - 1)) as usize;
    ((u >> BITS, v >> BITS), inside(v) << BITS | inside(u))
}

impl<T: Copy + Default> SparseGrid<T> {
    /// The default value everywhere.
    pub fn new() -> SparseGrid<T> {
        SparseGrid { index: FxHashMap::default(), tiles: Vec::new(), last: None }
    }

    /// The value at a place, to be changed.
    #[inline]
    pub fn at(&mut self, place: Place) -> &mut T {
        let (tile, number) = in_tile(place);
        let at = match self.last {
            Some((last, at)) if last == tile => at,
            _ => *self.index.entry(tile).or_insert_with(|| {
                self.tiles.push((tile, [T::default(); TILE]));
                self.tiles.len() - 1
            }),
        };
        self.last = Some((tile, at));
        &mut self.tiles[at].1[number]
    }

    /// Looks up values.
    pub fn finder(&self) -> Finder<'_, T> {
        Finder { places: self, last: None }
    }

    /// All places of the tiles in use, with their values.
    pub fn iter(&self) -> impl Iterator<Item = (Place, T)> + '_ {
        self.tiles.iter().flat_map(|&((u, v), ref tile)| {
            let place = move |number: usize| {
                let [a, b] = [number & ((1 << BITS) - 1), number >> BITS];
                ((u << BITS) + a as i64, (v << BITS) + b as i64)
            };
            tile.iter().enumerate().map(move |(number, &value)| (place(number), value))
        })
    }
}

/// Looks up values; remembers the last tile.
pub(super) struct Finder<'a, T> {
    places: &'a SparseGrid<T>,
    last: Option<(Place, Option<usize>)>,
}

impl<T: Copy + Default> Finder<'_, T> {
    /// The value at a place.
    #[inline]
    pub fn get(&mut self, place: Place) -> T {
        let (tile, number) = in_tile(place);
        let at = match self.last {
            Some((last, at)) if last == tile => at,
            _ => self.places.index.get(&tile).copied(),
        };
        self.last = Some((tile, at));
        at.map_or(T::default(), |at| self.places.tiles[at].1[number])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    #[test]
    fn each_place_keeps_its_value() {
        let place = |i: i64| (i * 7919 % 61 - 30, i * 104_729 % 53 - 40);
        let (mut places, mut plain) = (SparseGrid::new(), BTreeMap::new());
        for i in 1..900 {
            *places.at(place(i)) += i;
            *plain.entry(place(i)).or_insert(0) += i;
        }
        let mut finder = places.finder();
        for p in (-60..60).flat_map(|u| (-60..60).map(move |v| (u, v))) {
            assert_eq!(finder.get(p), plain.get(&p).copied().unwrap_or(0), "{p:?}");
        }
        let used: BTreeMap<Place, i64> = places.iter().filter(|&(_, sum)| sum != 0).collect();
        assert_eq!(used, plain);
    }
}
