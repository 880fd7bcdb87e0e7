//! Points in chunks: each chunk is copied to a device while the one before votes.

use super::device::{Device, if_room};
use super::groups::{DevicePoints, Groups};
use super::part::Part;
use crate::Result;
use crate::backend::Sign;
use crate::frame::Points;
use cudarc::driver::CudaEvent;
use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

/// Points in chunks. Each device takes the next chunk as soon as it has room.
pub(super) struct Chunks<'a> {
    points: &'a Points,
    size: usize,
    next: AtomicUsize,
}

impl<'a> Chunks<'a> {
    /// Chunks of at most `size` points.
    pub fn new(points: &'a Points, size: usize) -> Chunks<'a> {
        Chunks { points, size, next: AtomicUsize::new(0) }
    }

    /// The next chunk that is not taken yet.
    fn take(&self) -> Option<Range<usize>> {
        let start = self.next.fetch_add(1, Relaxed).saturating_mul(self.size);
        let end = start.saturating_add(self.size).min(self.points.len());
        (start < end).then_some(start..end)
    }

    /// Votes with chunks until none are left.
    pub fn vote(&self, part: &mut Part, sign: Sign) -> Result<()> {
        let mut ferry = if_room(Ferry::new(part.device, self.size, self.points.len()))?;
        let mut coming = self.take();
        while let Some(range) = coming {
            let groups = match &mut ferry {
                Some(ferry) => if_room(ferry.bring(self.points, range.clone()))?,
                None => None,
            };
            coming = self.take();
            match groups {
                Some(groups) => {
                    part.vote_groups(&groups, sign)?;
                    // The vote is only queued: it goes on while the next chunk is copied.
                    if let (Some(ferry), Some(range)) = (&mut ferry, &coming) {
                        ferry.fetch(self.points, range.clone())?;
                    }
                }
                None => {
                    ferry = None;
                    part.vote(self.points, range, sign)?;
                }
            }
        }
        part.device.synchronize()
    }
}

/// Two slots for points on a device, filled in turn by its copy stream.
struct Ferry<'a> {
    device: &'a Device,
    places: Vec<Slot>,
    /// The chunk that is in the first slot or on its way there.
    fetched: Option<Range<usize>>,
}

struct Slot {
    points: DevicePoints,
    /// When the kernel stream no longer needs the points.
    left: CudaEvent,
}

impl<'a> Ferry<'a> {
    /// Room for two chunks of at most `size` out of `all` points, or for a single one that holds them all.
    fn new(device: &'a Device, size: usize, all: usize) -> Result<Ferry<'a>> {
        let count = if all > size { 2 } else { 1 };
        let place = |_| {
            let points = DevicePoints::room(device, size.min(all))?;
            Ok(Slot { points, left: device.event()? })
        };
        Ok(Ferry { device, places: (0..count).map(place).collect::<Result<_>>()?, fetched: None })
    }

    /// Copies a chunk while the device works.
    fn fetch(&mut self, points: &Points, range: Range<usize>) -> Result<()> {
        // The slot that was used less recently is overwritten, once its points are no longer needed.
        self.places.rotate_left(1);
        let place = &mut self.places[0];
        self.device.copies_after(&place.left)?;
        place.points.len = 0;
        place.points.append(self.device, points, range.clone())?;
        self.fetched = Some(range);
        Ok(())
    }

    /// The points of a chunk in groups; copied now unless they are already on their way.
    fn bring(&mut self, points: &Points, range: Range<usize>) -> Result<Groups> {
        if self.fetched.take() != Some(range.clone()) {
            self.fetch(points, range)?;
        }
        let place = &mut self.places[0];
        let groups = Groups::new(self.device, &place.points)?;
        place.left = self.device.event()?;
        Ok(groups)
    }
}
