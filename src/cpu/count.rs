//! Counts of cells of all sizes.

use crate::frame::Points;
use crate::ranges::ranges;
use crate::shared::DOUBLINGS;
use crate::sort::sort;
use crate::surface::lattice::{Divisor, morton_key};
use crate::surface::unit::{CellCounts, FINEST, FULL};
use rayon::prelude::*;
use std::ops::Range;

/// Keys that one thread counts at a time.
const PIECE: usize = 1 << 14;

/// Counts the cells of all sizes.
pub fn count_cells(points: &Points) -> CellCounts {
    let finest = Divisor::new(FINEST);
    let mut keys: Vec<u64> =
        (0..points.len()).into_par_iter().map(|i| morton_key(points.get(i), finest)).collect();
    sort(&mut keys);
    keys.dedup();
    let joined = ranges(keys.len(), PIECE).map(|piece| Joined::of(&keys, piece));
    let joined = joined.reduce(Joined::default, Joined::with);
    // A key begins a cell of so many doublings if it joins the previous key only after more of them.
    let later = |of: &[u64], doublings: usize| of[doublings + 1..].iter().sum::<u64>();
    let begun = |doublings: usize| later(&joined.with_last, doublings) + !keys.is_empty() as u64;
    CellCounts {
        points: points.len() as u64,
        finest: keys.len() as u64,
        cells: (0..DOUBLINGS - 1).map(begun).collect(),
        roomy: (0..DOUBLINGS - 1).map(|b| later(&joined.with_many, b)).collect(),
    }
}

/// After how many doublings of the finest cells keys join others; [`DOUBLINGS`] stands for never.
#[derive(Default)]
struct Joined {
    /// Keys by when they join the one before them, …
    with_last: [u64; DOUBLINGS + 1],
    /// … and by when their cell holds more than [`FULL`] keys.
    with_many: [u64; DOUBLINGS + 1],
}

impl Joined {
    /// A piece of all keys, which are distinct and ascending.
    fn of(keys: &[u64], piece: Range<usize>) -> Joined {
        let full = FULL as usize;
        let mut joined = Joined::default();
        for i in piece {
            if i > 0 {
                joined.with_last[doublings(keys[i - 1] ^ keys[i])] += 1;
            }
            // So many keys that follow each other, itself among them, must come into one cell.
            let first = i.saturating_sub(full)..(i + 1).min(keys.len().saturating_sub(full));
            let least = first.map(|k| keys[k] ^ keys[k + full]).min();
            joined.with_many[least.map_or(DOUBLINGS, doublings)] += 1;
        }
        joined
    }

    fn with(mut self, other: Joined) -> Joined {
        for (all, more) in
            [(&mut self.with_last, other.with_last), (&mut self.with_many, other.with_many)]
        {
            all.iter_mut().zip(more).for_each(|(all, more)| *all += more);
        }
        self
    }
}

/// The number of doublings after which keys with this difference, which is not zero, are in one cell.
fn doublings(difference: u64) -> usize {
    difference.ilog2() as usize / 3 + 1
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::surface::unit::Unit;

    /// A square lattice of `side²` points, `apart` from each other, starting at a corner.
    fn square(side: u32, apart: u32, corner: f32) -> impl Iterator<Item = [f32; 3]> {
        (0..side * side)
            .map(move |i| [(i % side * apart) as f32 + corner, (i / side * apart) as f32, 0.0])
    }

    fn unit(points: impl Iterator<Item = [f32; 3]>) -> Unit {
        Unit::for_counts(&count_cells(&points.collect()))
    }

    #[test]
    fn cells_of_an_even_cloud_hold_two_points() {
        let unit = unit(square(200, 1024, 0.0));
        let edge = f64::from(unit.span * unit.steps);
        assert!((edge / 1024.0 - 2f64.sqrt()).abs() < 0.1, "{edge}");
    }

    #[test]
    fn cells_of_a_large_cloud_hold_more_points() {
        // 500,000 points have as many cells as 300,000.
        let large = unit(square(707, 1024, 0.0));
        let edge = f64::from(large.span * large.steps);
        assert!((edge / 1024.0 - (2.0f64 * 5.0 / 3.0).sqrt()).abs() < 0.1, "{edge}");
        assert_eq!([unit(square(200, 1024, 0.0)), large].map(|unit| unit.doublings), [0, 0]);
        // 1,960,000 points have as many as 442,700.
        let larger = unit(square(1400, 1024, 0.0));
        let edge = f64::from(larger.span * larger.steps);
        assert!((edge / 1024.0 - (2.0 * 19.6f64.sqrt()).sqrt()).abs() < 0.15, "{edge}");
        assert_eq!([larger, larger.coarser(1.1)].map(|unit| unit.doublings), [1, 1]);
    }

    #[test]
    fn cells_become_finer_until_they_hold_two_points() {
        let counts = count_cells(&square(1400, 1024, 0.0).collect());
        let edge = |unit: Unit| f64::from(unit.span * unit.steps);
        let wide = Unit::for_counts(&counts);
        let finer = wide.finer(&counts).unwrap();
        assert!((edge(wide) / edge(finer) - 2.0).abs() < 0.02, "{wide:?} {finer:?}");
        let of_two_points = 1024.0 * 2f64.sqrt();
        assert!((1.0..1.1).contains(&(edge(finer) / of_two_points)), "{finer:?}");
        assert_eq!([wide, finer].map(|unit| unit.doublings), [1, 0]);
        assert_eq!(finer.finer(&counts), None);
        // It is not worth while for a hair's breadth.
        let counts_of_more = count_cells(&square(560, 1024, 0.0).collect());
        assert_eq!(Unit::for_counts(&counts_of_more).finer(&counts_of_more), None);
        // There are at most twelve million.
        let many = counts.cells.iter().map(|n| n * 40).collect();
        let many = CellCounts { finest: counts.finest * 40, cells: many, ..counts };
        let mut unit = Unit::for_counts(&many);
        while let Some(finer) = unit.finer(&many) {
            unit = finer;
        }
        let share = 12e6 / (40.0 * 980_000.0);
        let ratio = of_two_points / edge(unit);
        assert!((ratio - f64::sqrt(share)).abs() < 0.03, "{ratio}");
    }

    #[test]
    fn dense_places_make_cells_smaller() {
        let even = unit(square(200, 4096, 0.0));
        let both = unit(square(200, 4096, 0.0).chain(square(150, 512, -1e6)));
        assert!(2 * both.span * both.steps < even.span * even.steps);
    }

    fn clusters(points: impl Iterator<Item = [f32; 3]>) -> Option<[u32; 2]> {
        count_cells(&points.collect()).clusters()
    }

    #[test]
    fn copies_that_are_nearly_equal_are_clusters() {
        let copies = |n: u32| {
            let near =
                move |p: [f32; 3], k: u32| [p[0] + (k % 5 * 16) as f32, p[1], (k / 5 * 16) as f32];
            square(200, 4096, 0.0).flat_map(move |p| (0..n).map(move |k| near(p, k)))
        };
        assert_eq!(clusters(copies(1)), None);
        // Those that coincide count as well.
        let coinciding = square(200, 4096, 0.0).chain(square(200, 4096, 0.0));
        let [width, edge] = clusters(coinciding).unwrap();
        assert!(width == FINEST && edge <= 32, "{width}, {edge}");
        // Copies that are shifted, each of them twice.
        let shifted = clusters(copies(2).chain(copies(2)));
        assert_eq!(shifted.map(|[_, edge]| edge), clusters(copies(2)).map(|[_, edge]| edge));
        for n in [2, 4, 8, 20] {
            let [width, edge] = clusters(copies(n)).unwrap();
            assert!(width <= 512 && (width..4096).contains(&edge), "{n} copies: {width}, {edge}");
        }
    }

    #[test]
    fn pairs_that_drifted_apart_are_clusters() {
        // At one place in ten, the copy is as far away as the neighbours are.
        let pairs = |k: i64| {
            let apart = move |i: i64| if i % 10 == 0 { 2048 } else { 20 + i * 7919 % 60 };
            (0..)
                .zip(square(200, 4096, 0.0))
                .map(move |(i, p)| [p[0] + (k * apart(i)) as f32, p[1], p[2]])
        };
        let [_, edge] = clusters(pairs(0).chain(pairs(1))).unwrap();
        assert!((64..4096).contains(&edge), "{edge}");
    }

    #[test]
    fn no_points_and_equal_points_have_cells_of_some_size() {
        for n in [0, 1, 1000] {
            let unit = unit(vec![[5.0; 3]; n].into_iter());
            assert!(unit.span > 0 && unit.steps > 0);
        }
    }
}
