//! The table of counts in the host's memory.

use super::voter::{Cpu, Voter};
use super::{parallel, peaks, planar, serial};
use crate::Result;
use crate::backend::{Accumulator, PeakOptions, Sign};
use crate::frame::Points;
use crate::space::{Neighbours, Space};
use crate::vote::{Ballots, Peak};

/// The counts of a space.
pub(super) struct CpuAccumulator<'a> {
    cpu: &'a Cpu,
    space: &'a Space,
    counts: Vec<u32>,
}

impl<'a> CpuAccumulator<'a> {
    /// Zeros.
    pub fn new(cpu: &'a Cpu, space: &'a Space) -> CpuAccumulator<'a> {
        CpuAccumulator { cpu, space, counts: vec![0; space.size()] }
    }
}

impl Accumulator for CpuAccumulator<'_> {
    fn vote(&mut self, points: &Points, sign: Sign) -> Result<()> {
        match self.cpu.voter {
            Voter::SerialF64 => serial::vote_f64(self.space, points, sign, &mut self.counts),
            Voter::Serial => serial::vote(self.space, points, sign, &mut self.counts),
            Voter::Parallel => {
                let vote = if planar::is_for(points) { planar::vote } else { parallel::vote };
                vote(self.cpu.instructions, self.space, points, sign, &mut self.counts);
            }
        }
        Ok(())
    }

    fn vote_near(&mut self, ballots: &Ballots, near: &Neighbours, sign: Sign) -> Result<()> {
        parallel::vote_near(self.space, ballots, near, sign, &mut self.counts);
        Ok(())
    }

    fn peaks(&mut self, neighbours: &Neighbours, options: PeakOptions) -> Result<Vec<Peak>> {
        Ok(peaks::peaks(self.space, &self.counts, neighbours, options))
    }

    fn counts(&mut self) -> Result<Vec<u32>> {
        Ok(self.counts.clone())
    }

    fn into_counts(self: Box<Self>) -> Result<Vec<u32>> {
        Ok(self.counts)
    }
}
