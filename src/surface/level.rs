//! The cells of one size.

use super::lattice::{LAST, OFFSET, by_row, row_key, row_of, unpack};
use super::sums::{CellMoments, Sums};
use super::unit::Unit;
use rayon::prelude::*;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

/// Levels above the base.
const LEVELS: usize = 7;

/// All cells of one size, in the order of their row keys.
pub struct Level {
    /// Edge of a cell, in steps.
    pub size: f64,
    /// Edge of a cell, in units of the moments.
    span: i64,
    keys: Vec<u64>,
    /// Sums over the distinct points, in units of `size / span`.
    sums: Vec<Sums>,
    /// Index of the cell of the next level that holds each cell; empty on the last level.
    pub parent: Vec<u32>,
    /// The range of base cells within each cell, in [`Cells::by_place`](super::cells::Cells::by_place).
    pub inside: Vec<[u32; 2]>,
}

impl Level {
    /// Builds all levels, base first, from the Morton keys of the base cells, ascending, their order by rows,
    /// and their sums in that order. Also returns the base cells in Morton order.
    pub fn all(
        keys: Vec<u64>,
        by_row: &[u32],
        sums: Vec<Sums>,
        unit: Unit,
    ) -> (Vec<Level>, Vec<u32>) {
        let base = Level {
            size: f64::from(unit.span * unit.steps),
            span: i64::from(unit.span),
            keys: by_row.par_iter().map(|&m| row_of(keys[m as usize])).collect(),
            sums,
            parent: Vec::new(),
            inside: by_row.par_iter().map(|&m| [m, m + 1]).collect(),
        };
        let by_place = inverse(by_row);
        let mut places = Places { keys, rows: by_place.clone() };
        let mut levels = vec![base];
        for _ in 0..LEVELS {
            let above = levels.last_mut().map(|level| level.join(&mut places));
            levels.extend(above);
        }
        (levels, by_place)
    }

    /// Number of cells.
    pub fn len(&self) -> usize {
        self.keys.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.keys.is_empty()
    }

    /// Length of one unit of the moments, in steps.
    pub fn unit(&self) -> f64 {
        self.size / self.span as f64
    }

    /// Local coordinates of a point given relative to the corner of `cell`, in units of the moments.
    pub fn local(&self, cell: usize, relative: [f64; 3]) -> [f64; 3] {
        let corner = unpack(self.keys[cell]);
        // Half a unit, since coordinates were truncated to the unit, not rounded.
        let half = if self.unit() > 1.0 { 0.5 } else { 0.0 };
        std::array::from_fn(|a| {
            corner[a] as f64 * self.size + (relative[a] + half) * self.unit() - f64::from(OFFSET)
        })
    }

    /// Builds the level of twice the size and fills in this level's parents. `places` holds this level's
    /// cells in Morton order, and afterwards those of the new level.
    fn join(&mut self, places: &mut Places) -> Level {
        let (above, first) = places.parents();
        let rows = by_row(&above);
        let children = |place: u32| first[place as usize]..first[place as usize + 1];
        let parent: Vec<AtomicU32> = atomics(self.len());
        let one = |(cell, &place): (usize, &u32)| {
            let (mut sums, mut inside) = (Sums::default(), [u32::MAX, 0]);
            for child in children(place) {
                let row = places.rows[child as usize] as usize;
                parent[row].store(cell as u32, Relaxed);
                sums.add(&self.sums[row]);
                let [begin, end] = self.inside[row];
                inside = [inside[0].min(begin), inside[1].max(end)];
            }
            (sums, inside)
        };
        let (sums, inside) = rows.par_iter().enumerate().map(one).unzip();
        self.parent = parent.into_par_iter().map(AtomicU32::into_inner).collect();
        let keys = rows.par_iter().map(|&place| row_of(above[place as usize])).collect();
        *places = Places { keys: above, rows: inverse(&rows) };
        let (size, span) = (2.0 * self.size, 2 * self.span);
        Level { size, span, keys, sums, parent: Vec::new(), inside }
    }

    /// The coordinates of a cell.
    #[inline(always)]
    pub fn coordinates(&self, cell: u32) -> [u64; 3] {
        unpack(self.keys[cell as usize])
    }

    /// Calls `visit` with the occupied cells of the 3 × 3 × 3 block of a cell, ascending.
    pub fn each_around(&self, cell: u32, mut visit: impl FnMut(u32)) {
        let centre = self.coordinates(cell);
        for first in (0..9).filter_map(|row| row_key(centre, row)) {
            let last = first + 2 - u64::from(centre[0] == 0) - u64::from(centre[0] == LAST);
            let begin = self.keys.partition_point(|&k| k < first);
            let count = self.keys[begin..].iter().take_while(|&&k| k <= last).count();
            (begin..begin + count).for_each(|cell| visit(cell as u32));
        }
    }

    /// Number of distinct points in a cell.
    #[inline(always)]
    pub fn count(&self, cell: usize) -> i64 {
        self.sums[cell].count()
    }

    /// The sums over the points of a cell, relative to its corner.
    pub fn moments(&self, cell: usize) -> CellMoments {
        self.sums[cell].about(self.corner(cell))
    }

    /// The sums over the cells of a block, relative to the corner of its middle cell.
    #[inline(always)]
    pub fn block_moments(&self, middle: usize, block: &[u32]) -> CellMoments {
        let mut total = Sums::default();
        block.iter().for_each(|&cell| total.add(&self.sums[cell as usize]));
        total.about(self.corner(middle))
    }

    /// The corner of a cell, in units of the moments.
    #[inline(always)]
    fn corner(&self, cell: usize) -> [i64; 3] {
        unpack(self.keys[cell]).map(|v| v as i64 * self.span)
    }
}

/// The cells of a level in Morton order.
struct Places {
    /// Morton keys, ascending.
    keys: Vec<u64>,
    /// The index of each in its level.
    rows: Vec<u32>,
}

impl Places {
    /// The Morton keys of the cells of the next level, and where the children of each begin; the last entry
    /// is where the last ones end.
    fn parents(&self) -> (Vec<u64>, Vec<u32>) {
        let family = |children: &[u64]| (children[0] >> 3, children.len() as u32);
        let families = self.keys.par_chunk_by(|a, b| a >> 3 == b >> 3).map(family);
        let (keys, mut first): (Vec<u64>, Vec<u32>) = families.unzip();
        let mut end = 0;
        for count in &mut first {
            end += std::mem::replace(count, end);
        }
        first.push(end);
        (keys, first)
    }
}

/// The inverse of a permutation.
fn inverse(order: &[u32]) -> Vec<u32> {
    let places: Vec<AtomicU32> = atomics(order.len());
    // Every place is written once.
    order.par_iter().zip(0..order.len() as u32).for_each(|(&at, place)| {
        places[at as usize].store(place, Relaxed);
    });
    places.into_par_iter().map(AtomicU32::into_inner).collect()
}

/// Zeros that all threads may write.
fn atomics(n: usize) -> Vec<AtomicU32> {
    (0..n).into_par_iter().map(|_| AtomicU32::new(0)).collect()
}

#[cfg(test)]
pub mod tests {
    use super::*;
    use crate::cpu::cut::cut;
    use crate::frame::Points;
    use crate::surface::cells::Cells;

    /// A surface with the given heights, and points all over the lattice and at its corners.
    pub fn points(height: impl Fn(u32) -> f32) -> Points {
        let far = [-8_388_608.0, 8_388_607.0];
        let random = |i: u32, k: u32| (i.wrapping_mul(k) % (1 << 24)) as f32 - 8_388_608.0;
        let scattered = (0..500).map(|i| [48_271, 69_621, 16_807].map(|k| random(i, k)));
        let surface =
            (0..20_000).map(|i| [(i % 200) as f32 * 7.0, (i / 200) as f32 * 7.0, height(i)]);
        let corners = (0..8).map(|i| [far[i & 1], far[i >> 1 & 1], far[i >> 2]]);
        surface.chain(scattered).chain(corners).collect()
    }

    fn cells(points: &Points, span: u32) -> Cells {
        let unit = Unit { span, steps: 1 };
        cut(points, unit).1.cells
    }

    #[test]
    fn every_level_holds_the_cells_below() {
        let points = points(|_| 5.0);
        let cells = cells(&points, 8);
        for (below, above) in cells.levels.iter().zip(&cells.levels[1..]) {
            assert!(above.keys.is_sorted_by(|a, b| a < b));
            let mut sums = vec![Sums::default(); above.len()];
            let mut inside = vec![Vec::new(); above.len()];
            for (cell, &parent) in below.parent.iter().enumerate() {
                let parent = parent as usize;
                assert_eq!(unpack(above.keys[parent]), unpack(below.keys[cell]).map(|v| v >> 1));
                sums[parent].add(&below.sums[cell]);
                inside[parent].push(below.inside[cell]);
            }
            assert!(sums == above.sums);
            for (mut runs, [begin, end]) in inside.into_iter().zip(above.inside.iter().copied()) {
                runs.sort_unstable();
                assert!(runs.windows(2).all(|w| w[0][1] == w[1][0]));
                assert_eq!(
                    (runs.first().map(|r| r[0]), runs.last().map(|r| r[1])),
                    (Some(begin), Some(end))
                );
            }
        }
        let base = cells.base();
        for (cell, &[begin, end]) in base.inside.iter().enumerate() {
            assert_eq!(cells.by_place[begin as usize..end as usize], [cell as u32]);
        }
        assert_eq!(base.sums.iter().map(Sums::count).sum::<i64>() as u64, cells.distinct);
    }

    #[test]
    fn no_points_have_no_cells() {
        let cells = cells(&Points::default(), 8);
        assert_eq!(cells.levels.len(), LEVELS + 1);
        assert!(cells.levels.iter().all(Level::is_empty));
    }
}
