//! The backend's own vote, suppression and winners, each timed on the device's clock.

use super::Cuda;
use super::device::Device;
use super::groups::{self, DevicePoints, Groups};
use super::peaks::Peaks;
use super::vote::{Near, Voting};
use crate::Result;
use crate::backend::{PeakOptions, Sign};
use crate::frame::Points;
use crate::space::{Neighbours, Space};
use crate::vote::Peak;
use cudarc::driver::CudaSlice;
use std::borrow::Cow;

/// Time of each step.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Seconds {
    /// Copying the points to the device.
    pub upload: f64,
    /// Sorting the points into groups of neighbours.
    pub sort: f64,
    /// Every point's votes for every direction.
    pub vote: f64,
    /// Dropping all bins that are not maxima.
    pub suppress: f64,
    /// Picking the best of the rest, on the host.
    pub winners: f64,
}

impl Seconds {
    /// The sum of all steps.
    pub fn total(&self) -> f64 {
        self.upload + self.sort + self.vote + self.suppress + self.winners
    }
}

/// The backend with a space, ready for repeated measurements.
pub struct Measuring<'a> {
    device: &'a Device,
    voting: Voting<'a>,
    near: Near,
    peaks: Peaks,
    counts: CudaSlice<u32>,
    /// Rows and bins.
    size: [u32; 2],
}

impl Cuda {
    /// Prepares everything except the points.
    ///
    /// # Errors
    /// If the device fails or has no room.
    pub fn measuring(&self, space: &Space, neighbours: &Neighbours) -> Result<Measuring<'_>> {
        let device = self.first();
        Ok(Measuring {
            device,
            voting: Voting::new(device, space)?,
            near: Near::upload(device, neighbours)?,
            peaks: Peaks::new(device)?,
            counts: device.zeros(space.size())?,
            size: [space.rows() as u32, space.bins() as u32],
        })
    }

    /// The driver's name for the GPU: `NVIDIA H200`.
    pub fn device_name(&self) -> &str {
        self.first().name()
    }
}

impl Measuring<'_> {
    /// Votes with all points, as many at a time as fit, starting from zero, and finds the winners.
    ///
    /// # Errors
    /// If the device fails.
    pub fn run(&mut self, points: &Points, options: PeakOptions) -> Result<(Vec<Peak>, Seconds)> {
        self.device.clear(&mut self.counts)?;
        let room = groups::room(self.device)?;
        let mut seconds = Seconds::default();
        // Kept to the end, since freeing its memory takes time that belongs to no step.
        let mut kept = None;
        for start in (0..points.len()).step_by(room) {
            drop(kept.take());
            let end = points.len().min(start + room);
            let chunk = match end - start {
                all if all == points.len() => &Cow::Borrowed(points),
                _ => &Cow::Owned(points.slice(start..end)),
            };
            kept = Some(self.vote(chunk, &mut seconds)?);
        }
        let Measuring { device, near, peaks, counts, size, .. } = self;
        let suppress = || peaks.suppress(device, counts, *size, near, options);
        let (left, suppress) = device.timed(suppress)?;
        let (winners, last) = device.timed(|| peaks.winners(device, left, options.limit))?;
        drop(kept);
        Ok((winners, Seconds { suppress, winners: last, ..seconds }))
    }

    /// Votes with a chunk of points, and adds the times of the steps.
    fn vote(&mut self, points: &Points, seconds: &mut Seconds) -> Result<(DevicePoints, Groups)> {
        let Measuring { device, voting, counts, .. } = self;
        let (uploaded, upload) = device.timed(|| DevicePoints::upload(device, points))?;
        let (groups, sort) = device.timed(|| Groups::new(device, &uploaded))?;
        let vote = || voting.vote(&groups, Sign::Add, counts);
        let ((), vote) = device.timed(vote)?;
        seconds.upload += upload;
        seconds.sort += sort;
        seconds.vote += vote;
        Ok((uploaded, groups))
    }

    /// The accumulator, row by row.
    ///
    /// # Errors
    /// If the device fails.
    pub fn counts(&self) -> Result<Vec<u32>> {
        let [rows, bins] = self.size;
        self.device.download(&self.counts, rows as usize * bins as usize)
    }
}
