//! A cloud in cells.

use super::cells::Cells;
use super::lattice::{Divisor, positive};
use super::sums::{CellMoments, Sums};
use crate::frame::Points;
use rayon::prelude::*;
use std::sync::Arc;

/// A cloud in cells, its points in cell order.
pub struct CellCloud {
    /// The cells of all levels.
    pub cells: Cells,
    /// The points, base cell by base cell in Morton order; within a cell by x, then y, then z, then their
    /// previous order.
    pub points: Arc<Points>,
}

impl CellCloud {
    /// Calls `visit` with the distinct points of a base cell.
    #[inline(always)]
    pub fn each_distinct(&self, cell: u32, mut visit: impl FnMut([f64; 3])) {
        self.each_distinct_in([cell, cell + 1], |point| visit(point.map(f64::from)));
    }

    /// The same for a run of base cells.
    #[inline(always)]
    fn each_distinct_in(&self, run: [u32; 2], mut visit: impl FnMut([f32; 3])) {
        let points = self.cells.points_in(run);
        let [x, y, z] = [&self.points.x, &self.points.y, &self.points.z]
            .map(|axis| axis[points.clone()].iter());
        let mut last = None;
        for ((&x, &y), &z) in x.zip(y).zip(z) {
            let point = [x, y, z];
            if last.replace(point) != Some(point) {
                visit(point);
            }
        }
    }

    /// The sums over the distinct points of each base cell.
    pub fn sums(&self) -> Vec<Sums> {
        self.sums_in(Vec::new())
    }

    /// The sums over the distinct points of each base cell, in memory that was used for such sums before.
    pub fn sums_in(&self, mut room: Vec<Sums>) -> Vec<Sums> {
        let base = self.cells.base();
        let sums = |cell: usize| Sums::of(&self.moments(0, cell as u32), base.corner(cell));
        // In some clouds a few neighbouring cells hold most of the points, so pieces are small.
        (0..base.len()).into_par_iter().with_max_len(64).map(sums).collect_into_vec(&mut room);
        room
    }

    /// The sums over the distinct points of a cell, relative to its corner.
    pub fn moments(&self, level: usize, cell: u32) -> CellMoments {
        let on_level = &self.cells.levels[level];
        let steps = self.cells.unit.steps;
        let (corner, unit) =
            (on_level.corner(cell as usize).map(|v| v as u32 * steps), Divisor::new(steps));
        let mut moments = CellMoments::default();
        self.each_distinct_in(on_level.run(cell), |point| {
            let place = point.map(positive);
            moments.add(std::array::from_fn(|a| i64::from(unit.quotient(place[a] - corner[a]))));
        });
        moments
    }
}
