//! How large the base cells of a cloud are.

use super::cells::{BITS, morton_key};
use crate::frame::Points;
use rayon::prelude::*;

/// Distinct points that a base cell holds on average, at most.
const OCCUPANCY: f64 = 2.0;
/// Where a cloud is denser than on average, cells are so small that this share of the points …
const DENSE: f64 = 0.9;
/// … lies in cells of at most so many.
const FULL: usize = 6;
/// But there are at most so many cells a point.
const MOST_CELLS: f64 = 0.75;
/// Edge of the finest cells that are counted, in steps: what shares one counts as one point.
const FINEST: u32 = 8;
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
}

/// Cells of one size.
struct Count {
    /// Their number.
    cells: f64,
    /// Share of the points in cells of at most [`FULL`].
    roomy: f64,
}

impl Unit {
    /// The edge for a cloud.
    ///
    /// Counted on a lattice whose cells double, and read off between two of its sizes.
    pub fn for_points(points: &Points) -> Unit {
        let mut keys: Vec<u64> =
            (0..points.len()).into_par_iter().map(|i| morton_key(points.get(i), FINEST)).collect();
        keys.par_sort_unstable();
        keys.dedup();
        let counts: Vec<Count> = (0..BITS).into_par_iter().map(|b| count(&keys, b)).collect();
        let distinct = keys.len() as f64;
        // The larger the cells the fewer there are, and the fewer points have room.
        let mean = crossing(&counts, |c| (c.cells / distinct * OCCUPANCY).ln());
        let dense = crossing(&counts, |c| c.roomy - DENSE);
        let most = crossing(&counts, |c| (c.cells / distinct / MOST_CELLS).ln());
        let edge = f64::from(FINEST) * mean.min(dense.max(most)).exp2();
        let steps = (edge / f64::from(DETAIL)).ceil().max(1.0) as u32;
        Unit { span: ((edge / f64::from(steps)).round() as u32).max(FINEST), steps }
    }
}

/// Counts the cells of `2^bits` finest ones.
fn count(keys: &[u64], bits: u32) -> Count {
    let (mut cells, mut roomy) = (0usize, 0usize);
    for cell in keys.chunk_by(|a, b| a >> (3 * bits) == b >> (3 * bits)) {
        cells += 1;
        roomy += if cell.len() <= FULL { cell.len() } else { 0 };
    }
    Count { cells: cells as f64, roomy: roomy as f64 / keys.len().max(1) as f64 }
}

/// The binary logarithm of the size, in finest cells, at which a falling value crosses zero.
fn crossing(counts: &[Count], value: impl Fn(&Count) -> f64) -> f64 {
    let values: Vec<f64> = counts.iter().map(value).collect();
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

    #[test]
    fn cells_of_an_even_cloud_hold_two_points() {
        let unit = Unit::for_points(&square(200, 1024, 0.0).collect());
        let edge = f64::from(unit.span * unit.steps);
        assert!((edge / 1024.0 - 2f64.sqrt()).abs() < 0.1, "{edge}");
    }

    #[test]
    fn dense_places_make_cells_smaller() {
        let even = Unit::for_points(&square(200, 4096, 0.0).collect());
        let both = square(200, 4096, 0.0).chain(square(150, 512, -1e6)).collect();
        let both = Unit::for_points(&both);
        assert!(2 * both.span * both.steps < even.span * even.steps);
    }

    #[test]
    fn no_points_and_equal_points_have_cells_of_some_size() {
        for n in [0, 1, 1000] {
            let unit = Unit::for_points(&vec![[5.0; 3]; n].into_iter().collect());
            assert!(unit.span > 0 && unit.steps > 0);
        }
    }
}
