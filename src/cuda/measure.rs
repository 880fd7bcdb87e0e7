//! The backend's own vote, suppression and winners, piece by piece under the device's clock.

use super::Cuda;
use super::device::Device;
use super::groups::{Bounds, DevicePoints, Groups};
use super::peaks::Peaks;
use super::vote::{Near, Voting};
use crate::Result;
use crate::backend::{PeakOptions, Sign};
use crate::frame::Points;
use crate::space::{Neighbours, Space};
use crate::vote::Peak;
use cudarc::driver::CudaSlice;

/// How long each piece took.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Seconds {
    /// Points to the device.
    pub upload: f64,
    /// Points into groups of neighbours.
    pub sort: f64,
    /// Every point votes for every direction.
    pub vote: f64,
    /// What is not a maximum is dropped.
    pub suppress: f64,
    /// The best of what is left, on the host.
    pub winners: f64,
}

impl Seconds {
    /// All of it.
    pub fn total(&self) -> f64 {
        self.upload + self.sort + self.vote + self.suppress + self.winners
    }
}

/// The backend on a space, ready to be measured again and again.
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
    /// Makes everything ready but the points.
    ///
    /// # Errors
    /// Where the device fails or has no room.
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

    /// What the driver calls the GPU: `NVIDIA H200`.
    pub fn device_name(&self) -> &str {
        self.first().name()
    }
}

impl Measuring<'_> {
    /// Votes with all points at once, from zero, and finds the winners.
    ///
    /// # Errors
    /// Where the device fails or has no room for all of them.
    pub fn run(&mut self, points: &Points, options: PeakOptions) -> Result<(Vec<Peak>, Seconds)> {
        let Measuring { device, voting, near, peaks, counts, size } = self;
        device.clear(counts)?;
        let mut seconds = Seconds::default();
        if !points.is_empty() {
            let (uploaded, upload) = device.timed(|| DevicePoints::upload(device, points))?;
            let sort = || {
                let bounds = Bounds::of(device, &uploaded)?;
                Ok((Groups::new(device, &uploaded, &bounds)?, bounds))
            };
            let ((groups, bounds), sort) = device.timed(sort)?;
            let vote = || voting.vote(&groups, &bounds, Sign::Add, counts);
            let ((), vote) = device.timed(vote)?;
            seconds = Seconds { upload, sort, vote, ..seconds };
        }
        let suppress = || peaks.suppress(device, counts, *size, near, options);
        let (left, suppress) = device.timed(suppress)?;
        let (winners, last) = device.timed(|| peaks.winners(device, left, options.limit))?;
        Ok((winners, Seconds { suppress, winners: last, ..seconds }))
    }

    /// The accumulator, row by row.
    ///
    /// # Errors
    /// Where the device fails.
    pub fn counts(&self) -> Result<Vec<u32>> {
        let [rows, bins] = self.size;
        self.device.download(&self.counts, rows as usize * bins as usize)
    }
}
