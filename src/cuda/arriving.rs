//! The points of a cloud on their way to the device while the cloud is read.

use super::device::Device;
use super::groups::DevicePoints;
use super::held::HeldPoints;
use crate::Result;
use crate::backend::{Held, Receiver};
use crate::frame::Points;

/// Fewer points wait for others, so that a copy is worth asking for.
const FEWEST: usize = 1 << 20;

/// Points that have come so far.
pub(super) struct Arriving<'a> {
    device: &'a Device,
    points: DevicePoints,
}

impl<'a> Arriving<'a> {
    /// Room for at most so many points.
    pub fn new(device: &'a Device, most: usize) -> Result<Arriving<'a>> {
        let points = DevicePoints::room(device, most)?;
        // The stream of copies must not write before the stream of kernels has the memory.
        device.copies_after(&device.event()?)?;
        Ok(Arriving { device, points })
    }
}

impl<'a> Receiver<'a> for Arriving<'a> {
    fn take(&mut self, points: &Points, ready: usize) -> Result<()> {
        let fresh = self.points.len.min(ready)..ready;
        if fresh.len() < FEWEST {
            return Ok(());
        }
        self.points.append(self.device, points, fresh)
    }

    fn finish(mut self: Box<Self>, points: &Points) -> Result<Option<Box<dyn Held + 'a>>> {
        let rest = self.points.len.min(points.len())..points.len();
        self.points.append(self.device, points, rest)?;
        let Arriving { device, points } = *self;
        Ok(Some(Box::new(HeldPoints::new(device, points))))
    }
}
