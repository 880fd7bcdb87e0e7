//! The voters of the CPU.

use super::lanes::InstructionSet;

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
    pub(super) voter: Voter,
    pub(super) instructions: InstructionSet,
}

impl Cpu {
    /// The CPU with the given voter and the widest vectors that it has.
    pub fn new(voter: Voter) -> Cpu {
        Cpu { voter, instructions: InstructionSet::best() }
    }

    /// The CPU with the parallel voter at one vector width, or `None` if it lacks that width.
    pub fn with_instructions(instructions: InstructionSet) -> Option<Cpu> {
        instructions.is_available().then_some(Cpu { voter: Voter::Parallel, instructions })
    }
}

impl Default for Cpu {
    fn default() -> Cpu {
        Cpu::new(Voter::default())
    }
}
