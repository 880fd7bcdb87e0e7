//! The steps of the slides, and their versions.

/// A version of the first step: every point votes for every direction.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Vote {
    /// The CPU, point by point.
    Serial,
    /// A thread per point, atomic additions: slide "Hough Transform: Naive GPU".
    NaiveScatter,
    /// A thread per direction, all in global memory: "Naive Gather" of the timings.
    NaiveGather,
    /// Points in constant memory, a local row: slide "Hough Transform: Optimized GPU".
    Gather,
}

impl Vote {
    /// All versions.
    pub const ALL: [Vote; 4] = [Vote::Serial, Vote::NaiveScatter, Vote::NaiveGather, Vote::Gather];

    /// Its name.
    pub const fn name(self) -> &'static str {
        match self {
            Vote::Serial => "serial",
            Vote::NaiveScatter => "naive-scatter",
            Vote::NaiveGather => "naive-gather",
            Vote::Gather => "gather",
        }
    }
}

/// A version of the second step: bins that are not the maximum of their neighbourhood become zero.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Suppress {
    /// The CPU, bin by bin.
    Cpu,
    /// A thread per bin: slide "Non-maximum Suppression: Naive GPU".
    Naive,
    /// Tiles in shared memory, a thread per row: slide "Non-maximum Suppression: Optimized GPU".
    ///
    /// Unlike the other versions, it keeps none of several equal maxima, and nothing in the first [`TILE`](super::TILE)
    /// bins of `ρ`.
    Tiled,
}

impl Suppress {
    /// All versions.
    pub const ALL: [Suppress; 3] = [Suppress::Cpu, Suppress::Naive, Suppress::Tiled];

    /// Its name.
    pub const fn name(self) -> &'static str {
        match self {
            Suppress::Cpu => "cpu",
            Suppress::Naive => "naive",
            Suppress::Tiled => "tiled",
        }
    }
}

/// A version of the third step: the bins with the most votes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Winners {
    /// The CPU: the maximum, again and again.
    Cpu,
    /// A rank sort in global memory: slide "Determine Winning Planes: Naive GPU".
    Naive,
    /// The best of each block, launch by launch: slide "Determine Winning Planes: Optimized GPU".
    RankReduction,
}

impl Winners {
    /// All versions.
    pub const ALL: [Winners; 3] = [Winners::Cpu, Winners::Naive, Winners::RankReduction];

    /// Its name.
    pub const fn name(self) -> &'static str {
        match self {
            Winners::Cpu => "cpu",
            Winners::Naive => "naive",
            Winners::RankReduction => "rank-reduction",
        }
    }
}

/// A bin with many votes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Winner {
    /// Its votes, at least one.
    pub votes: u64,
    /// Its index in the accumulator.
    pub index: u64,
}
