//! Cutting a cloud into cells of one size.
//!
//! Points are sorted by the cell that holds them and copied once in that order. Later passes then read memory
//! from front to back.

use crate::frame::Points;
use crate::sort::Ordered;
use crate::surface::cells::{CellTable, Cells};
use crate::surface::cloud::CellCloud;
use crate::surface::lattice::{Divisor, OFFSET, morton_key, pairs, positive};
use crate::surface::unit::Unit;
use rayon::prelude::*;
use std::ops::Range;
use std::sync::Arc;

/// A cell of this many points is sorted by several threads.
const CROWD: usize = 1 << 14;
/// Approximate number of points that one thread takes at a time; more if a cell holds more.
const PIECE: u32 = 1 << 12;

/// Cuts points into cells; also returns their order.
pub(crate) fn cut(points: &Points, unit: Unit) -> (Vec<u32>, CellCloud) {
    let (order, points, table) = table(points, unit);
    let cells = Cells::new(table, points.len(), unit);
    (order, CellCloud { cells, points: Arc::new(points) })
}

/// Cuts points into cells of the size that suits them.
#[cfg(test)]
pub(crate) fn whole(points: &Points) -> CellCloud {
    cut(points, Unit::for_counts(&super::count::count_cells(points))).1
}

/// The order of the points, the points in that order, and the cells.
fn table(points: &Points, unit: Unit) -> (Vec<u32>, Points, CellTable) {
    let (keys, starts, mut order) = sorted(points, unit.span * unit.steps);
    let mut points = points.select(&order);
    arrange(&mut points, &mut order, &starts);
    let count = |cell: usize| {
        let end = starts.get(cell + 1).map_or(points.len(), |&end| end as usize);
        let members = starts[cell] as usize..end;
        // Copies of a point lie together.
        let copies = members.clone().skip(1).filter(|&i| points.get(i) == points.get(i - 1));
        (members.len() - copies.count()) as u32
    };
    // In some clouds a few neighbouring cells hold most of the points, so pieces are small.
    let counts = (0..keys.len()).into_par_iter().with_max_len(64).map(count).collect();
    (order, points, CellTable { keys, starts, counts })
}

/// The Morton keys of the occupied cells, ascending; where each cell begins; and the points in cell order,
/// within a cell by index.
fn sorted(points: &Points, edge: u32) -> (Vec<u64>, Vec<u32>, Vec<u32>) {
    let divisor = Divisor::new(edge);
    let key = |i: usize| morton_key(points.get(i), divisor);
    let bits = 3 * (u32::BITS - ((2 * OFFSET as u32) / edge).leading_zeros());
    match Ordered::new(points.len(), bits, key) {
        Some(ordered) => {
            let (keys, starts) = runs(ordered.numbers());
            (keys, starts, ordered.indices())
        }
        None => {
            let keyed = pairs(points.len(), key);
            let (keys, starts) = runs(keyed.iter().map(|&(key, _)| key));
            (keys, starts, keyed.into_par_iter().map(|(_, i)| i).collect())
        }
    }
}

/// The distinct values of an ascending sequence, and where each begins.
fn runs(numbers: impl Iterator<Item = u64> + Clone) -> (Vec<u64>, Vec<u32>) {
    let mut last = None;
    let count = numbers.clone().filter(|&number| last.replace(number) != Some(number)).count();
    // There is room for one more start, the end of the last cell.
    let (mut different, mut starts) = (Vec::with_capacity(count), Vec::with_capacity(count + 1));
    for (i, number) in numbers.enumerate() {
        if different.last() != Some(&number) {
            different.push(number);
            starts.push(i as u32);
        }
    }
    (different, starts)
}

/// Sorts the points of each cell by their coordinates. Copies of a point then lie together, and the order
/// does not depend on the file.
fn arrange(points: &mut Points, order: &mut [u32], starts: &[u32]) {
    let (end, mut parts) = (order.len() as u32, Vec::new());
    let mut rest = Part { axes: [&mut points.x, &mut points.y, &mut points.z], order };
    let mut ahead = starts;
    while let Some(&begin) = ahead.first() {
        let cells = ahead.partition_point(|&start| start - begin < PIECE);
        let (starts_in, after) = ahead.split_at(cells);
        let end = after.first().copied().unwrap_or(end);
        let (own, others) = rest.split_at((end - begin) as usize);
        parts.push((own, starts_in));
        (rest, ahead) = (others, after);
    }
    let arrange = |room: &mut Vec<Placed>, (mut part, starts): (Part, &[u32])| {
        for (i, &start) in starts.iter().enumerate() {
            let end = starts.get(i + 1).map_or(part.order.len(), |&end| (end - starts[0]) as usize);
            part.arrange((start - starts[0]) as usize..end, room);
        }
    };
    parts.into_par_iter().for_each_init(Vec::new, arrange);
}

/// A point: its coordinates made positive, its index, and the coordinates as they are.
type Placed = ([u32; 3], u32, [f32; 3]);

/// Consecutive points and their indices.
struct Part<'a> {
    axes: [&'a mut [f32]; 3],
    order: &'a mut [u32],
}

impl<'a> Part<'a> {
    fn split_at(self, at: usize) -> (Part<'a>, Part<'a>) {
        let [x, y, z] = self.axes.map(|axis| axis.split_at_mut(at));
        let order = self.order.split_at_mut(at);
        (
            Part { axes: [x.0, y.0, z.0], order: order.0 },
            Part { axes: [x.1, y.1, z.1], order: order.1 },
        )
    }

    fn point(&self, i: usize) -> [f32; 3] {
        [self.axes[0][i], self.axes[1][i], self.axes[2][i]]
    }

    /// Sorts the points of one cell.
    fn arrange(&mut self, cell: Range<usize>, room: &mut Vec<Placed>) {
        let place = |i: usize| self.point(i).map(positive);
        match cell.len() {
            0 | 1 => return,
            2 if place(cell.start) <= place(cell.start + 1) => return,
            _ => {}
        }
        room.clear();
        room.extend(cell.clone().map(|i| {
            let point = self.point(i);
            (point.map(positive), self.order[i], point)
        }));
        let key = |point: &Placed| (point.0, point.1);
        if cell.len() < CROWD {
            room.sort_unstable_by_key(key);
        } else {
            room.par_sort_unstable_by_key(key);
        }
        for (i, (_, index, point)) in cell.zip(room) {
            self.order[i] = *index;
            self.axes.iter_mut().zip(point).for_each(|(axis, v)| axis[i] = *v);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Points all over, each twice, and a crowd in one place with many copies.
    fn points() -> Points {
        let random = |i: u32, k: u32, most: u32| (i.wrapping_mul(k) >> 8) % most;
        let place = |i: u32, most| {
            [2_654_435_769, 2_246_822_519, 3_266_489_917].map(|k| random(i, k, most))
        };
        let wide =
            (0..20_000).map(|i| place(i % 10_000 + 1, 1000).map(|v| v as f32 * 16.0 - 8000.0));
        let dense = (0..2 * CROWD as u32).map(|i| place(i, 8).map(|v| v as f32 + 64.0));
        let (last, copies) = ([8_388_607.0; 3], 2);
        wide.chain(dense).chain(std::iter::repeat_n(last, copies)).collect()
    }

    #[test]
    fn points_are_in_the_order_of_cells_coordinates_and_indices() {
        let points = points();
        // Keys of the smaller cells do not fit 64 bits together with an index.
        for span in [64, 8] {
            let (order, sorted, cut) = table(&points, Unit { span, steps: 1, doublings: 0 });
            let key = |i: u32| morton_key(points.get(i as usize), Divisor::new(span));
            let place = |i: u32| points.get(i as usize).map(positive);
            let mut expected: Vec<u32> = (0..points.len() as u32).collect();
            expected.sort_by_key(|&i| (key(i), place(i)));
            assert!(order == expected);
            assert!(sorted == points.select(&expected));
            let cells: Vec<&[u32]> = expected.chunk_by(|&a, &b| key(a) == key(b)).collect();
            assert!(cells.iter().any(|cell| cell.len() > CROWD));
            assert!(points.len() > 4 * PIECE as usize);
            assert!(cells.iter().map(|cell| key(cell[0])).eq(cut.keys.iter().copied()));
            let sizes = cells.iter().map(|cell| cell.len() as u32);
            let starts = sizes.scan(0, |end, size| Some(std::mem::replace(end, *end + size)));
            assert!(starts.eq(cut.starts.iter().copied()));
            let distinct =
                |cell: &&[u32]| cell.chunk_by(|&a, &b| place(a) == place(b)).count() as u32;
            assert!(cells.iter().map(distinct).eq(cut.counts.iter().copied()));
        }
    }
}
