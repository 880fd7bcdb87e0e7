//! The CPU as a backend.

use super::accumulator::CpuAccumulator;
use super::held::CpuReceiver;
use super::slab::densest_slab;
use super::voter::{Cpu, Voter};
use crate::Result;
use crate::backend::{Accumulator, Backend, Receiver, Weighted};
use crate::space::Space;

impl Backend for Cpu {
    fn name(&self) -> String {
        let threads = rayon::current_num_threads();
        match self.voter {
            Voter::SerialF64 => "CPU, serial in f64".into(),
            Voter::Serial => "CPU, serial in f32".into(),
            Voter::Parallel => format!("CPU, parallel ({}), {threads} threads", self.instructions),
        }
    }

    fn accumulator<'a>(&'a self, space: &'a Space) -> Result<Box<dyn Accumulator + 'a>> {
        Ok(Box::new(CpuAccumulator::new(self, space)))
    }

    fn receive<'a>(&'a self, _: usize) -> Result<Box<dyn Receiver<'a> + 'a>> {
        Ok(Box::new(CpuReceiver))
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
