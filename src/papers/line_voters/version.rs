//! The voters by name.

use crate::{Error, Result};
use std::str::FromStr;

/// A voter of the papers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Version {
    /// Kumar: one thread of the CPU.
    Serial,
    /// van den Braak: all cores of the CPU.
    AllCores,
    /// Ours: [`slices`](super::slices) on all cores of the CPU.
    AllCoresSlices,
    /// Kumar: a thread per pixel, atomics in global memory.
    KumarBaseline,
    /// Kumar: an edge list, a block per angle, its row in shared memory.
    KumarFast,
    /// van den Braak: a thread per pixel, atomics in global memory, both spaces at once.
    BraakBasic,
    /// van den Braak: an edge list by warps, a block per angle, its rows of both spaces in shared memory.
    BraakFast,
    /// van den Braak: bits, consecutive pixels for consecutive bins, no atomics.
    BraakConstant,
    /// Tomagou (A): atomics in global memory, a block per degree.
    TomagouA,
    /// Tomagou (B): its row in shared memory.
    TomagouB,
    /// Tomagou (C): a copy of the row in each bank.
    TomagouC,
    /// Ours: shifted bit columns, added 32 bins at a time.
    Slices,
    /// Ours: an edge list; each block keeps some rows in shared memory and processes a share of the list.
    Lists,
    /// Ours: [`Slices`](Version::Slices) if both vote and there are many edges, else
    /// [`Lists`](Version::Lists).
    Fast,
}

impl Version {
    /// All of them.
    pub const ALL: [Version; 14] = [
        Version::Serial,
        Version::AllCores,
        Version::AllCoresSlices,
        Version::KumarBaseline,
        Version::KumarFast,
        Version::BraakBasic,
        Version::BraakFast,
        Version::BraakConstant,
        Version::TomagouA,
        Version::TomagouB,
        Version::TomagouC,
        Version::Slices,
        Version::Lists,
        Version::Fast,
    ];

    /// Its name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Version::Serial => "serial",
            Version::AllCores => "all-cores",
            Version::AllCoresSlices => "all-cores-slices",
            Version::KumarBaseline => "kumar-baseline",
            Version::KumarFast => "kumar-fast",
            Version::BraakBasic => "braak-basic",
            Version::BraakFast => "braak-fast",
            Version::BraakConstant => "braak-constant",
            Version::TomagouA => "tomagou-a",
            Version::TomagouB => "tomagou-b",
            Version::TomagouC => "tomagou-c",
            Version::Slices => "slices",
            Version::Lists => "lists",
            Version::Fast => "fast",
        }
    }

    /// Whether it runs on the CPU.
    pub fn is_on_the_cpu(self) -> bool {
        matches!(self, Version::Serial | Version::AllCores | Version::AllCoresSlices)
    }

    /// Whether it votes only in the two Cartesian spaces.
    pub fn needs_slopes(self) -> bool {
        matches!(self, Version::AllCoresSlices | Version::BraakConstant | Version::Slices)
    }
}

impl FromStr for Version {
    type Err = Error;

    fn from_str(name: &str) -> Result<Version> {
        let found = Version::ALL.into_iter().find(|version| version.name() == name);
        found.ok_or_else(|| {
            let names = Version::ALL.map(Version::name).join(", ");
            Error::Parameter(format!("no voter {name:?}; there are {names}"))
        })
    }
}
