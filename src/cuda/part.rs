//! The part of one device in a vote.

use super::device::Device;
use super::groups::{DevicePoints, Groups, SMALLEST_CHUNK};
use super::vote::Voting;
use crate::backend::Sign;
use crate::frame::Points;
use crate::space::Space;
use crate::{Error, Result};
use cudarc::driver::CudaSlice;
use std::ops::Range;

/// The votes that one device has counted.
pub(super) struct Part<'a> {
    pub device: &'a Device,
    pub voting: Voting<'a>,
    pub counts: CudaSlice<u32>,
}

impl<'a> Part<'a> {
    pub fn new(device: &'a Device, space: &Space) -> Result<Part<'a>> {
        Ok(Part {
            device,
            voting: Voting::new(device, space)?,
            counts: device.zeros(space.size())?,
        })
    }

    /// Votes with a range of the points, or with each of its halves if there is no room for all of it.
    pub fn vote(&mut self, points: &Points, range: Range<usize>, sign: Sign) -> Result<()> {
        let uploaded = DevicePoints::upload_range(self.device, points, range.clone());
        match uploaded.and_then(|points| Groups::new(self.device, &points)) {
            Ok(groups) => self.vote_groups(&groups, sign),
            Err(Error::DeviceMemory { .. }) if range.len() > SMALLEST_CHUNK => {
                let half = range.start + range.len() / 2;
                self.vote(points, range.start..half, sign)?;
                self.vote(points, half..range.end, sign)
            }
            Err(e) => Err(e),
        }
    }

    /// The points at the given places, in groups.
    pub fn picked(&self, points: &DevicePoints, places: &[u32]) -> Result<Groups> {
        let on_device = self.device.upload(places)?;
        let picked = points.pick(self.device, &on_device, places.len())?;
        Groups::new(self.device, &picked)
    }

    /// Votes with points that are on the device.
    pub fn vote_groups(&mut self, groups: &Groups, sign: Sign) -> Result<()> {
        self.voting.vote(groups, sign, &mut self.counts)
    }
}
