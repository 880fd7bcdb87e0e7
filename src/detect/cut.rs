//! A cloud in cells of one size.

use super::load::Loaded;
use super::noise::View;
use super::plateau::Plateau;
use crate::Result;
use crate::backend::{Held, InCells, Room, Surfaces};
use crate::surface::cells::Cells;
use crate::surface::sums::Sums;
use crate::surface::unit::Unit;
use std::sync::Arc;

/// How the neighbourhoods of cells are looked at.
type Look = fn(&Cells, &mut Vec<Sums>) -> View;

/// A cloud that was cut into cells.
pub(super) struct Cut<'b> {
    /// For each point in cell order, its index before.
    pub order: Vec<u32>,
    pub cells: Box<dyn InCells<'b> + 'b>,
    /// The memory of the sums of the cells, which are made again.
    sums: Vec<Sums>,
    pub view: View,
    /// What is thinner in the view counts as so thick, in steps.
    thinnest: f32,
}

impl<'b> Cut<'b> {
    /// Base cells of this edge, and how their neighbourhoods `look`: those that are thinner than `thinnest`, in steps, count as so
    /// thick.
    pub fn new(held: &mut dyn Held<'b>, unit: Unit, (look, thinnest): (Look, f32)) -> Result<Self> {
        let (order, cells) = held.cut(unit)?;
        let mut sums = cells.sums();
        let view = look(cells.cells(), &mut sums).with_floor(thinnest);
        Ok(Self { order, cells, sums, view, thinnest })
    }

    /// The cells in which the surfaces of a plateau show, if `finest` are the finest base cells.
    pub fn for_plateau(
        held: &mut dyn Held<'b>,
        (finest, thinnest): (Unit, f32),
        plateau: Plateau,
    ) -> Result<Self> {
        let look: Look = if plateau.is_of_waves() { View::without_strays } else { View::new };
        Cut::new(held, finest.coarser(plateau.widening()), (look, thinnest))
    }

    /// The same, but keeps these cells if they already are.
    pub fn refit(self, held: &mut dyn Held<'b>, finest: Unit, plateau: Plateau) -> Result<Self> {
        let unit = self.cells.cells().unit;
        if unit == finest && plateau.widening() == 1.0 {
            return Ok(self);
        }
        // Finer cells do not show the surfaces. They are dropped before the wider ones are made, to save memory.
        let thinnest = self.thinnest;
        drop(self);
        Cut::for_plateau(held, (finest, thinnest), plateau)
    }

    /// Looks at the cells once more, without scattered points.
    pub fn leave_strays_out(&mut self) {
        // Both at once would take twice the memory.
        self.sums = Vec::new();
        self.sums = self.cells.sums();
        let view = View::without_strays(self.cells.cells(), &mut self.sums);
        self.view = view.with_floor(self.thinnest);
    }

    /// The surfaces in the cells, and how rough they look. The cloud's points get the order of the cells.
    pub fn judge(self, cloud: &mut Loaded) -> Result<(Box<dyn Surfaces<'b> + 'b>, View)> {
        let points = Arc::try_unwrap(std::mem::take(&mut cloud.points)).unwrap_or_default();
        let surfaces = self.cells.judge(Room { points, sums: self.sums })?;
        cloud.reorder(self.order, surfaces.cloud().points.clone());
        Ok((surfaces, self.view))
    }
}
