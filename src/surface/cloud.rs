//! A cloud in cells.

use super::cells::Cells;
use crate::frame::Points;
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
        let mut last = None;
        for i in self.cells.points_of(cell as usize) {
            let point = self.points.get(i);
            if last.replace(point) != Some(point) {
                visit(point.map(f64::from));
            }
        }
    }
}
