//! The table of counts in the host's memory.

use super::bin::count;
use super::rows::{Part, Row};
use super::voter::{Cpu, Voter};
use super::{parallel, peaks, planar, serial};
use crate::Result;
use crate::backend::{Accumulator, PeakOptions, Sign};
use crate::frame::Points;
use crate::space::{Neighbours, Space};
use crate::vote::{Ballots, Peak};
use rayon::prelude::*;

/// The counts of a space.
pub(super) struct CpuAccumulator<'a> {
    cpu: &'a Cpu,
    space: &'a Space,
    /// The bins with votes, as long as there are only votes for directions near normals; empty until the first
    /// vote.
    rows: Vec<Row>,
    /// Otherwise all bins, row by row.
    all: Option<Vec<u32>>,
}

impl<'a> CpuAccumulator<'a> {
    /// Zeros.
    pub fn new(cpu: &'a Cpu, space: &'a Space) -> CpuAccumulator<'a> {
        CpuAccumulator { cpu, space, rows: Vec::new(), all: None }
    }

    /// The whole table.
    fn all(&mut self) -> &mut Vec<u32> {
        let CpuAccumulator { space, rows, all, .. } = self;
        all.get_or_insert_with(|| {
            let mut all = vec![0; space.size()];
            for (row, to) in std::mem::take(rows).iter().zip(all.chunks_mut(space.bins())) {
                let Part { first, votes } = row.part();
                to[first..first + votes.len()].copy_from_slice(votes);
            }
            all
        })
    }
}

impl Accumulator for CpuAccumulator<'_> {
    fn vote(&mut self, points: &Points, sign: Sign) -> Result<()> {
        let (cpu, space) = (self.cpu, self.space);
        let counts = self.all();
        match cpu.voter {
            Voter::SerialF64 => serial::vote_f64(space, points, sign, counts),
            Voter::Serial => serial::vote(space, points, sign, counts),
            Voter::Parallel => {
                let vote = if planar::is_for(points) { planar::vote } else { parallel::vote };
                vote(cpu.instructions, space, points, sign, counts);
            }
        }
        Ok(())
    }

    fn vote_near(&mut self, ballots: &Ballots, near: &Neighbours, sign: Sign) -> Result<()> {
        let CpuAccumulator { space, rows, all, .. } = self;
        if let Some(all) = all {
            let add = |row: &mut [u32], first: usize, votes: &[u32]| {
                let bins = row[first..].iter_mut().zip(votes);
                bins.for_each(|(bin, &votes)| count(bin, votes, sign));
            };
            parallel::vote_near(space, ballots, near, all.par_chunks_mut(space.bins()), add);
        } else {
            let add = |row: &mut Row, first: usize, votes: &[u32]| row.count(first, votes, sign);
            rows.resize(space.rows(), Row::default());
            parallel::vote_near(space, ballots, near, rows.par_iter_mut(), add);
        }
        Ok(())
    }

    fn peaks(&mut self, neighbours: &Neighbours, options: PeakOptions) -> Result<Vec<Peak>> {
        let (space, bins, rows) = (self.space, self.space.bins(), &self.rows);
        Ok(if let Some(all) = &self.all {
            let part = |row: usize| Part { first: 0, votes: &all[row * bins..][..bins] };
            peaks::peaks(space, part, neighbours, options)
        } else if rows.is_empty() {
            Vec::new()
        } else {
            peaks::peaks(space, |row| rows[row].part(), neighbours, options)
        })
    }

    fn counts(&mut self) -> Result<Vec<u32>> {
        Ok(self.all().clone())
    }

    fn into_counts(mut self: Box<Self>) -> Result<Vec<u32>> {
        Ok(std::mem::take(self.all()))
    }
}
