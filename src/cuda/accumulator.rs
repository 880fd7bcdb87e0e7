//! An accumulator on one or several devices.

use super::chunks::Chunks;
use super::device;
use super::gpus::Cuda;
use super::groups::{self, DevicePoints, Groups, SMALLEST_CHUNK};
use super::kernels::vote;
use super::launch::each;
use super::part::Part;
use super::peaks::Peaks;
use super::vote::Near;
use crate::Result;
use crate::backend::{Accumulator, PeakOptions, Sign};
use crate::frame::Points;
use crate::space::{Neighbours, Space};
use crate::vote::{Ballots, Peak};
use rayon::prelude::*;
use std::thread;

/// Fewer points than this are not shared between devices.
const SMALLEST_SHARE: usize = 1 << 16;

/// The counts of a space on the devices of a backend.
pub(super) struct CudaAccumulator<'a> {
    /// Most points that vote at a time.
    chunk: usize,
    /// Rows and bins.
    size: [u32; 2],
    /// One part on each device; the votes are the sum over all of them.
    parts: Vec<Part<'a>>,
    /// The neighbours used last.
    near: Option<(Neighbours, Near)>,
    peaks: Peaks,
}

impl<'a> CudaAccumulator<'a> {
    /// An accumulator of zeros on at least one device; the first one finds the peaks.
    pub fn new(cuda: &'a Cuda, space: &Space) -> Result<CudaAccumulator<'a>> {
        let Cuda { devices, chunk } = cuda;
        let parts = devices.iter().map(|device| Part::new(device, space));
        Ok(CudaAccumulator {
            chunk: *chunk,
            size: [space.rows() as u32, space.bins() as u32],
            parts: parts.collect::<Result<_>>()?,
            near: None,
            peaks: Peaks::new(&devices[0])?,
        })
    }

    /// Votes with points on the first device, all or only those at some places. Returns whether it did: the
    /// device may lack room, and several devices share the work from host memory instead.
    pub fn vote_there(
        &mut self,
        points: &DevicePoints,
        places: Option<&[u32]>,
        sign: Sign,
    ) -> Result<bool> {
        let [part] = &mut self.parts[..] else { return Ok(false) };
        let count = places.map_or(points.len, <[u32]>::len);
        let is_there = |&place: &u32| (place as usize) < points.len;
        if count > self.chunk || !places.is_none_or(|places| places.par_iter().all(is_there)) {
            return Ok(false);
        }
        let groups = match places {
            _ if count == 0 => return Ok(true),
            None => Groups::new(part.device, points),
            Some(places) => part.picked(points, places),
        };
        match device::if_room(groups)? {
            Some(groups) => part.vote_groups(&groups, sign).map(|()| true),
            None => Ok(false),
        }
    }

    /// Makes sure that `near` is on the first device.
    fn keep(&mut self, near: &Neighbours) -> Result<()> {
        if self.near.as_ref().is_none_or(|(kept, _)| !kept.is_same(near)) {
            self.near = Some((near.clone(), Near::upload(self.parts[0].device, near)?));
        }
        Ok(())
    }

    /// Adds all votes up on the first device.
    fn gather(&mut self) -> Result<()> {
        let Some((first, others)) = self.parts.split_first_mut() else { return Ok(()) };
        let size = self.size[0] * self.size[1];
        for other in others {
            let votes = other.device.download(&other.counts, size as usize)?;
            other.device.clear(&mut other.counts)?;
            let votes = first.device.upload(&votes)?;
            let counts = &mut first.counts;
            vote::add_votes(first.device, each(size), counts, &votes, size)?;
        }
        Ok(())
    }
}

impl Accumulator for CudaAccumulator<'_> {
    fn vote(&mut self, points: &Points, sign: Sign) -> Result<()> {
        let room = |part: &Part| groups::room(part.device);
        let rooms: Vec<usize> = self.parts.iter().map(room).collect::<Result<_>>()?;
        let room = rooms.into_iter().min().unwrap_or(SMALLEST_CHUNK).min(self.chunk);
        // Several devices take turns: two chunks each, unless these would be small.
        let turns = if self.parts.len() > 1 { 2 * self.parts.len() } else { 1 };
        let chunk = points.len().div_ceil(turns).max(SMALLEST_SHARE).min(room);
        let chunks = &Chunks::new(points, chunk);
        thread::scope(|scope| {
            let work = |part| move || chunks.vote(part, sign);
            let threads: Vec<_> =
                self.parts.iter_mut().map(|part| scope.spawn(work(part))).collect();
            // These threads do not panic; if one does, so does this one.
            threads
                .into_iter()
                .try_for_each(|t| t.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
        })
    }

    fn vote_near(&mut self, ballots: &Ballots, near: &Neighbours, sign: Sign) -> Result<()> {
        self.keep(near)?;
        let part = &mut self.parts[0];
        match &self.near {
            Some((_, near)) => part.voting.vote_near(ballots, near, sign, &mut part.counts),
            None => Ok(()),
        }
    }

    fn peaks(&mut self, neighbours: &Neighbours, options: PeakOptions) -> Result<Vec<Peak>> {
        self.keep(neighbours)?;
        self.gather()?;
        let Some((_, near)) = &self.near else { return Ok(Vec::new()) };
        let Part { device, counts, .. } = &self.parts[0];
        let left = self.peaks.suppress(device, counts, self.size, near, options)?;
        self.peaks.winners(device, left, options.limit)
    }

    fn counts(&mut self) -> Result<Vec<u32>> {
        self.gather()?;
        let [rows, bins] = self.size;
        self.parts[0].device.download(&self.parts[0].counts, rows as usize * bins as usize)
    }
}
