//! The points of a cloud in the host's memory.

use super::count::count_cells;
use super::cut::cut;
use super::surfaces::CpuCells;
use crate::Result;
use crate::backend::{Held, InCells, Receiver};
use crate::frame::Points;
use crate::surface::unit::{CellCounts, Unit};
use std::sync::Arc;

/// The points of a cloud.
pub(crate) struct CpuPoints {
    pub points: Arc<Points>,
}

impl<'a> Held<'a> for CpuPoints {
    fn count_cells(&mut self) -> Result<CellCounts> {
        Ok(count_cells(&self.points))
    }

    fn cut(&mut self, unit: Unit) -> Result<(Vec<u32>, Box<dyn InCells<'a> + 'a>)> {
        let (order, cloud) = cut(&self.points, unit);
        Ok((order, Box::new(CpuCells { cloud })))
    }
}

/// Nothing to do: points that are read are already where they are needed.
pub(crate) struct CpuReceiver;

impl<'a> Receiver<'a> for CpuReceiver {
    fn take(&mut self, _: &Points, _: usize) -> Result<()> {
        Ok(())
    }

    fn finish(self: Box<Self>, points: Arc<Points>) -> Result<Box<dyn Held<'a> + 'a>> {
        Ok(Box::new(CpuPoints { points }))
    }
}
