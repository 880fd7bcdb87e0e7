//! The CPU backend.

mod accumulator;
mod backend;
mod bin;
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
mod rows;
mod serial;
mod slab;
mod surfaces;
mod tally;
mod voter;

pub use lanes::InstructionSet;
pub use voter::{Cpu, Voter};

pub(crate) use held::{CpuPoints, CpuReceiver};
pub(crate) use labels::CloudLabels;
pub(crate) use layers::layers;
pub(crate) use slab::densest_slab;
pub(crate) use surfaces::CpuSurfaces;
