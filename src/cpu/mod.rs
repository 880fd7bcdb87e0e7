//! The CPU backend.

mod count;
pub(crate) mod cut;
mod groups;
mod held;
mod joint;
mod labels;
mod lanes;
mod layers;
mod parallel;
mod patch;
mod peaks;
mod planar;
mod reach;
mod serial;
mod slab;
mod surfaces;
mod tally;

pub use lanes::Level;

use crate::Result;
use crate::backend::{Accumulator, Backend, PeakOptions, Receiver, Sign, Weighted};
use crate::frame::Points;
use crate::space::{Neighbours, Space};
use crate::vote::{Ballots, Peak};
pub(crate) use held::{CpuPoints, CpuReceiver};
pub(crate) use labels::CloudLabels;
pub(crate) use layers::layers;
pub(crate) use slab::densest_slab;
pub(crate) use surfaces::CpuSurfaces;

/// A way to vote on the CPU.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Voter {
    /// The papers' loop, point by point and direction by direction, in `f64`.
    SerialF64,
    /// The same loop with the `f32` arithmetic that all other voters share.
    Serial,
    /// Groups of neighbouring points vote at once, vectorized, on all cores.
    #[default]
    Parallel,
}

/// The CPU as a backend.
#[derive(Debug, Clone, Copy)]
pub struct Cpu {
    voter: Voter,
    level: Level,
}

impl Cpu {
    /// The CPU with the given voter and the widest vectors that it has.
    pub fn new(voter: Voter) -> Cpu {
        Cpu { voter, level: Level::best() }
    }

    /// The CPU with `parallel` at one vector width, or `None` if it lacks that.
    pub fn with_level(level: Level) -> Option<Cpu> {
        level.is_available().then_some(Cpu { voter: Voter::Parallel, level })
    }
}

impl Default for Cpu {
    fn default() -> Cpu {
        Cpu::new(Voter::default())
    }
}

impl Backend for Cpu {
    fn name(&self) -> String {
        let threads = rayon::current_num_threads();
        match self.voter {
            Voter::SerialF64 => "CPU, serial in f64".into(),
            Voter::Serial => "CPU, serial in f32".into(),
            Voter::Parallel => format!("CPU, parallel ({}), {threads} threads", self.level),
        }
    }

    fn accumulator<'a>(&'a self, space: &'a Space) -> Result<Box<dyn Accumulator + 'a>> {
        Ok(Box::new(CpuAccumulator::new(self, space)))
    }

    fn receive<'a>(&'a self, _: usize) -> Result<Box<dyn Receiver<'a> + 'a>> {
        Ok(Box::new(CpuReceiver(*self)))
    }

    fn densest_slab(
        &self,
        space: &Space,
        places: &[Weighted],
        slab: usize,
    ) -> Result<Option<(usize, usize)>> {
        Ok(densest_slab(space, places, slab))
    }
}

struct CpuAccumulator<'a> {
    cpu: &'a Cpu,
    space: &'a Space,
    counts: Vec<u32>,
}

impl<'a> CpuAccumulator<'a> {
    fn new(cpu: &'a Cpu, space: &'a Space) -> CpuAccumulator<'a> {
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
                vote(self.cpu.level, self.space, points, sign, &mut self.counts);
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

/// Adds or subtracts `votes` in a bin.
#[inline(always)]
fn count(bin: &mut u32, votes: u32, sign: Sign) {
    *bin = match sign {
        Sign::Add => bin.wrapping_add(votes),
        Sign::Subtract => bin.wrapping_sub(votes),
    };
}
