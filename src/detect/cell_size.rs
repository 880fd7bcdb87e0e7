//! How large the base cells of a cloud are.

use super::cells::BITS;
use super::cut::morton_key;
use crate::Result;
use crate::backend::{CellCounts, Held};
use crate::frame::Points;
use crate::sort::sort;
use rayon::prelude::*;

/// Distinct points that a base cell holds on average, at most.
const OCCUPANCY: f64 = 2.0;
/// Where a cloud is denser than on average, cells are so small that this share of the points …
const DENSE: f64 = 0.9;
/// … lies in cells of at most so many.
const FULL: usize = 6;
/// But there are at most so many cells a point.
const MOST_CELLS: f64 = 0.75;
/// And so many at all: a cloud of more points is judged on cells of more points.
const LIMIT: f64 = 1.5e6;
/// Edge of the finest cells that are counted, in steps: what shares one counts as one point.
const FINEST: u32 = 8;
/// Points stand in clusters when there are so many times fewer clusters than points, …
const CLUSTERED: f64 = 1.5;
/// … whose number falls by less than this when cells double: of points strewn over a surface it falls by
/// more long before it has halved.
const STILL: f64 = 1.12;
/// Share of the points that must be in clusters of few, so that these are copies and no objects.
const SMALL: f64 = 0.8;
/// Clusters that are worth looking for.
const FEWEST: u64 = 500;
/// Units of the moments in the edge of a base cell, at most: finer detail says nothing about the
/// shape of the surface there.
const DETAIL: u32 = 256;

/// The edge of a base cell: `span` units of `steps` local steps.
#[derive(Clone, Copy)]
pub(super) struct Unit {
    /// Units in the edge of a base cell.
    pub span: u32,
    /// Steps in a unit.
    pub steps: u32,
    /// Points that stand for one, since they lie closer together than a surface is sampled.
    pub copies: f64,
}

impl Unit {
    /// The edge for a cloud.
    ///
    /// Counted on a lattice whose cells double, and read off between two of its sizes. What lies
    /// closer together than a surface is sampled, such as copies of points, counts once.
    pub fn for_points(points: &Points, held: &mut Option<Box<dyn Held + '_>>) -> Result<Unit> {
        let counted = match held {
            Some(held) => held.count_cells(FINEST, FULL as u32)?,
            None => None,
        };
        let counts = counted.unwrap_or_else(|| count_cells(points));
        // The larger the cells the fewer there are, and the fewer points have room.
        let distinct = sites(&counts) as f64;
        let cells = counts.cells.iter().map(|&n| n as f64);
        let fall_to = |n: f64| crossing(cells.clone().map(|c| (c / n).ln()));
        let mean = fall_to(distinct / OCCUPANCY);
        let most = fall_to(distinct * MOST_CELLS);
        let limit = fall_to(LIMIT);
        let crowd = counts.finest as f64 / distinct.max(1.0);
        let share = |&n: &u64| n as f64 / counts.finest.max(1) as f64;
        let dense = if crowd > CLUSTERED {
            f64::INFINITY
        } else {
            crossing(counts.roomy.iter().map(|n| share(n) - DENSE))
        };
        let edge = f64::from(FINEST) * mean.min(dense.max(most)).max(limit).exp2();
        Ok(Unit::of_edge(edge, crowd.max(1.0)))
    }

    /// The same for cells so many times as wide.
    pub fn coarser(self, times: f64) -> Unit {
        Unit::of_edge(times * f64::from(self.span * self.steps), self.copies)
    }

    fn of_edge(edge: f64, copies: f64) -> Unit {
        let steps = (edge / f64::from(DETAIL)).ceil().max(1.0) as u32;
        Unit { span: ((edge / f64::from(steps)).round() as u32).max(FINEST), steps, copies }
    }
}

/// The number of places of a cloud: its distinct points, unless nearly all of them stand in small
/// clusters that are far smaller than the clusters are apart. Cells between these two sizes are as many
/// as the clusters.
fn sites(counts: &CellCounts) -> u64 {
    let finest = counts.finest as f64;
    let is_clustered = |&at: &usize| {
        let [n, next, roomy] = [counts.cells[at], counts.cells[at + 1], counts.roomy[at]];
        n >= FEWEST
            && (n as f64) < STILL * next as f64
            && finest > CLUSTERED * n as f64
            && roomy as f64 > SMALL * finest
    };
    let coarsest = (0..counts.cells.len() - 1).rfind(is_clustered);
    coarsest.map_or(counts.finest, |at| counts.cells[at])
}

/// Counts the cells of all sizes.
fn count_cells(points: &Points) -> CellCounts {
    let mut keys: Vec<u64> =
        (0..points.len()).into_par_iter().map(|i| morton_key(points.get(i), FINEST)).collect();
    sort(&mut keys);
    keys.dedup();
    let (cells, roomy) = (0..BITS).into_par_iter().map(|bits| count(&keys, bits)).unzip();
    CellCounts { finest: keys.len() as u64, cells, roomy }
}

/// Counts the cells of `2^bits` finest ones, and the keys in roomy ones.
fn count(keys: &[u64], bits: u32) -> (u64, u64) {
    let (mut cells, mut roomy) = (0, 0);
    for cell in keys.chunk_by(|a, b| a >> (3 * bits) == b >> (3 * bits)) {
        cells += 1;
        roomy += if cell.len() <= FULL { cell.len() as u64 } else { 0 };
    }
    (cells, roomy)
}

/// The binary logarithm of the size, in finest cells, at which a falling value crosses zero.
fn crossing(values: impl Iterator<Item = f64>) -> f64 {
    let values: Vec<f64> = values.collect();
    let above = (1..values.len()).find(|&i| values[i] <= 0.0).unwrap_or(values.len() - 1);
    let (fine, coarse) = (values[above - 1], values[above]);
    let share = if fine > coarse { fine / (fine - coarse) } else { 0.0 };
    (above - 1) as f64 + share.clamp(0.0, 1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A square lattice of `side²` points at a distance, from a corner.
    fn square(side: u32, apart: u32, corner: f32) -> impl Iterator<Item = [f32; 3]> {
        (0..side * side)
            .map(move |i| [(i % side * apart) as f32 + corner, (i / side * apart) as f32, 0.0])
    }

    fn unit(points: impl Iterator<Item = [f32; 3]>) -> Unit {
        Unit::for_points(&points.collect(), &mut None).unwrap()
    }

    #[test]
    fn cells_of_an_even_cloud_hold_two_points() {
        let unit = unit(square(200, 1024, 0.0));
        let edge = f64::from(unit.span * unit.steps);
        assert!((edge / 1024.0 - 2f64.sqrt()).abs() < 0.1, "{edge}");
    }

    #[test]
    fn dense_places_make_cells_smaller() {
        let even = unit(square(200, 4096, 0.0));
        let both = unit(square(200, 4096, 0.0).chain(square(150, 512, -1e6)));
        assert!(2 * both.span * both.steps < even.span * even.steps);
    }

    #[test]
    fn copies_that_are_nearly_equal_count_once() {
        let copies = |n: u32| {
            let near =
                move |p: [f32; 3], k: u32| [p[0] + (k % 2 * 16) as f32, p[1], (k / 2 * 16) as f32];
            square(200, 4096, 0.0).flat_map(move |p| (0..n).map(move |k| near(p, k)))
        };
        let (once, four) = (unit(copies(1)), unit(copies(4)));
        let ratio = f64::from(four.span * four.steps) / f64::from(once.span * once.steps);
        assert!((0.9..1.1).contains(&ratio), "{ratio}");
        assert_eq!((once.copies, four.copies), (1.0, 4.0));
    }

    #[test]
    fn pairs_that_drifted_apart_count_once() {
        // Of every ten places one has its copies as far away as its neighbours are.
        let pairs = |k: i64| {
            let apart = move |i: i64| if i % 10 == 0 { 2048 } else { 20 + i * 7919 % 60 };
            (0..)
                .zip(square(200, 4096, 0.0))
                .map(move |(i, p)| [p[0] + (k * apart(i)) as f32, p[1], p[2]])
        };
        let both = unit(pairs(0).chain(pairs(1)));
        assert!((1.7..2.1).contains(&both.copies), "{}", both.copies);
    }

    #[test]
    fn no_points_and_equal_points_have_cells_of_some_size() {
        for n in [0, 1, 1000] {
            let unit = unit(vec![[5.0; 3]; n].into_iter());
            assert!(unit.span > 0 && unit.steps > 0);
        }
    }
}
