//! The rows of the tables: which version of each step.

use crate::names::names;
use crate::papers::slides::{Suppress, Vote, Winners};
use serde::{Deserialize, Serialize};

/// Groups of rows that are selected together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Mode {
    /// The CPU, loop by loop.
    Serial,
    /// The first versions on the GPU.
    Naive,
    /// The slides' optimized versions.
    Optimized,
    /// What `planes` uses itself.
    Fast,
}

names! { Mode, "mode":
    Serial = "serial",
    Naive = "naive",
    Optimized = "optimized",
    Fast = "fast",
}

/// A row of the slides' timings, or our own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Row {
    /// "CPU".
    Cpu,
    /// "Naive Scatter".
    NaiveScatter,
    /// "Naive Gather".
    NaiveGather,
    /// "Optimized Gather".
    OptimizedGather,
    /// "Optimized nms+Gather".
    OptimizedNms,
    /// "Optimized Final".
    OptimizedFinal,
    /// The backend's own versions: on the GPU if there is one, else on all cores.
    Fast,
}

impl Row {
    /// All rows in the slides' order, and ours.
    pub const ALL: [Row; 7] = [
        Row::Cpu,
        Row::NaiveScatter,
        Row::NaiveGather,
        Row::OptimizedGather,
        Row::OptimizedNms,
        Row::OptimizedFinal,
        Row::Fast,
    ];

    /// Its name in a table.
    pub const fn name(self) -> &'static str {
        match self {
            Row::Cpu => "CPU",
            Row::NaiveScatter => "Naive scatter",
            Row::NaiveGather => "Naive gather",
            Row::OptimizedGather => "Optimized gather",
            Row::OptimizedNms => "Optimized nms + gather",
            Row::OptimizedFinal => "Optimized final",
            Row::Fast => "Fast",
        }
    }

    /// The mode in which it is measured.
    pub const fn mode(self) -> Mode {
        match self {
            Row::Cpu => Mode::Serial,
            Row::NaiveScatter | Row::NaiveGather => Mode::Naive,
            Row::OptimizedGather | Row::OptimizedNms | Row::OptimizedFinal => Mode::Optimized,
            Row::Fast => Mode::Fast,
        }
    }

    /// Its versions of the slides' steps on the GPU, if any.
    pub const fn on_the_gpu(self) -> Option<(Vote, Suppress, Winners)> {
        match self {
            Row::Cpu | Row::Fast => None,
            Row::NaiveScatter => Some((Vote::NaiveScatter, Suppress::Naive, Winners::Naive)),
            Row::NaiveGather => Some((Vote::NaiveGather, Suppress::Naive, Winners::Naive)),
            Row::OptimizedGather => Some((Vote::Gather, Suppress::Naive, Winners::Naive)),
            Row::OptimizedNms => Some((Vote::Gather, Suppress::Tiled, Winners::Naive)),
            Row::OptimizedFinal => Some((Vote::Gather, Suppress::Tiled, Winners::RankReduction)),
        }
    }
}
