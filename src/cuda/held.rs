//! The points of a cloud on the device.

use super::cells::Cutting;
use super::device::if_room;
use super::gpus::Cuda;
use super::groups::DevicePoints;
use super::surfaces::CudaCells;
use crate::Result;
use crate::backend::{Held, InCells, Receiver};
use crate::cpu::CpuPoints;
use crate::frame::Points;
use crate::surface::cells::Cells;
use crate::surface::unit::{CellCounts, Unit};
use std::sync::Arc;

/// Fewer points than this wait for more, so that a copy is worthwhile.
const FEWEST: usize = 1 << 20;

/// Points on their way to the device while the cloud is read.
pub(super) struct Arriving<'a> {
    cuda: &'a Cuda,
    points: DevicePoints,
}

impl<'a> Arriving<'a> {
    /// Room for at most `most` points.
    pub fn new(cuda: &'a Cuda, most: usize) -> Result<Arriving<'a>> {
        let device = cuda.first();
        let points = DevicePoints::room(device, most)?;
        // The copy stream must not write before the kernel stream has the memory.
        device.copies_after(&device.event()?)?;
        Ok(Arriving { cuda, points })
    }
}

impl<'a> Receiver<'a> for Arriving<'a> {
    fn take(&mut self, points: &Points, ready: usize) -> Result<()> {
        let fresh = self.points.len.min(ready)..ready;
        if fresh.len() < FEWEST {
            return Ok(());
        }
        self.points.append(self.cuda.first(), points, fresh)
    }

    fn finish(self: Box<Self>, points: Arc<Points>) -> Result<Box<dyn Held<'a> + 'a>> {
        let Arriving { cuda, points: mut there } = *self;
        there.append(cuda.first(), &points, there.len.min(points.len())..points.len())?;
        Ok(Box::new(CudaPoints { cuda, there, here: CpuPoints { points } }))
    }
}

/// The points of a cloud, on the device and on the host.
struct CudaPoints<'a> {
    cuda: &'a Cuda,
    there: DevicePoints,
    here: CpuPoints,
}

impl<'a> CudaPoints<'a> {
    fn cutting(&self) -> Cutting<'_> {
        Cutting { device: self.cuda.first(), points: &self.there }
    }

    /// Cuts the points on the device, if it has room.
    fn cut_there(&self, unit: Unit) -> Result<Option<(Vec<u32>, CudaCells<'a>)>> {
        let Some(table) = if_room(self.cutting().table(unit))?.flatten() else { return Ok(None) };
        let cells = Cells::new(table.cells, table.order.len(), unit);
        let (cuda, cut, base, sums) = (self.cuda, table.cut, table.base, table.sums);
        Ok(Some((table.order, CudaCells { cuda, cut, base, cells, sums })))
    }
}

impl<'a> Held<'a> for CudaPoints<'a> {
    fn count_cells(&mut self) -> Result<CellCounts> {
        match if_room(self.cutting().count())? {
            Some(counts) => Ok(counts),
            None => self.here.count_cells(),
        }
    }

    fn cut(&mut self, unit: Unit) -> Result<(Vec<u32>, Box<dyn InCells<'a> + 'a>)> {
        match self.cut_there(unit)? {
            Some((order, cells)) => Ok((order, Box::new(cells))),
            None => self.here.cut(unit),
        }
    }
}
