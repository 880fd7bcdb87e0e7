//! Every voter of the papers on lines in images.
//!
//! - M. Kumar, "Hough Transform Implementation Using CUDA" (2022);
//! - G. van den Braak et al., "Fast Hough Transform on GPUs: Exploration of Algorithm Trade-offs" (2011);
//! - N. Tomagou, K. Nakano, Y. Ito, "An Implementation of Hough Transform on the GPU".
//!
//! All of them compute the bin of a pixel as every other voter here does (see [`crate::vote`]), so that the
//! same image and space give the same accumulator to the vote, whoever voted; the papers' own
//! [`spaces`] are tables of directions as any. Those that need a slope ([`Version::needs_slopes`])
//! vote in the two Cartesian spaces of an image, the others in any. What the kernels do otherwise than
//! the listings is said in `kernels/kumar.cu`, `kernels/braak.cu` and `kernels/tomagou.cu`.
//!
//! Voters on the CPU are here, those on a GPU in [`crate::cuda::line_voters`].
//!
//! ```
//! use planes::line_voters::{EdgeImage, cpu, spaces};
//!
//! // A column of edges.
//! let image = EdgeImage::new([64, 48], (0..48).map(|y| [20, y]));
//! let space = spaces::kumar([64, 48])?;
//! let votes = cpu::serial(&image, &space);
//! // θ = 0° is row 90; there all of them vote for ρ = 20, as the bins begin at minus the diagonal, 80.
//! assert_eq!(votes[90 * space.bins() + 80 + 20], 48);
//! # Ok::<(), planes::Error>(())
//! ```

mod bits;
pub mod cpu;
pub mod spaces;

pub use bits::slices;

use crate::cuda::Cuda;
use crate::space::Space;
use crate::{Error, Result};
use std::str::FromStr;

/// Which pixels of an image are edges, a byte each.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EdgeImage {
    /// Width and height.
    pub size: [u32; 2],
    /// Pixels vote relative to this column and row.
    pub origin: [i32; 2],
    /// Row by row from the top; 255 is an edge, 0 is none.
    pub pixels: Vec<u8>,
}

impl EdgeImage {
    /// An image of the given edges, `[column, row]`, with its origin in the top left pixel; edges
    /// outside are left out.
    pub fn new(size: [u32; 2], edges: impl IntoIterator<Item = [u16; 2]>) -> EdgeImage {
        let [width, height] = size.map(|n| n as usize);
        let mut pixels = vec![0; width * height];
        for [x, y] in edges.into_iter().map(|p| p.map(usize::from)) {
            if x < width && y < height {
                pixels[y * width + x] = 255;
            }
        }
        EdgeImage { size, origin: [0, 0], pixels }
    }

    /// The same with another origin.
    pub fn with_origin(self, origin: [i32; 2]) -> EdgeImage {
        EdgeImage { origin, ..self }
    }

    /// The edges, `[column, row]`, row by row.
    pub fn edges(&self) -> impl Iterator<Item = [u32; 2]> {
        let width = self.size[0].max(1);
        (0..).zip(&self.pixels).filter(|p| *p.1 != 0).map(move |(i, _)| [i % width, i / width])
    }
}

/// A voter of the papers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Version {
    /// Kumar: one thread of the CPU.
    Serial,
    /// van den Braak: all cores of the CPU.
    AllCores,
    /// Ours: [`slices`] on all cores of the CPU.
    AllCoresSlices,
    /// Kumar: a thread a pixel, atomics in global memory.
    KumarBaseline,
    /// Kumar: an edge list, a block an angle, its row in shared memory.
    KumarFast,
    /// van den Braak: a thread a pixel, atomics in global memory, both spaces at once.
    BraakBasic,
    /// van den Braak: an edge list by warps, a block an angle, its rows of both spaces in shared memory.
    BraakFast,
    /// van den Braak: bits, consecutive pixels for consecutive bins, no atomics.
    BraakConstant,
    /// Tomagou (A): atomics in global memory, a block a degree.
    TomagouA,
    /// Tomagou (B): its row in shared memory.
    TomagouB,
    /// Tomagou (C): a copy of the row in each bank.
    TomagouC,
    /// Ours: shifted bit columns, added 32 bins at a time.
    Slices,
    /// Ours: an edge list, some rows in the shared memory of a block that takes a share of it.
    Lists,
    /// Ours: [`Slices`](Version::Slices) where both vote and edges are many, else
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

    /// Whether it votes in the two Cartesian spaces alone.
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

/// The accumulators of an image in one space or in the two [`cartesian`](spaces::cartesian) ones, row by
/// row, by any version.
///
/// # Errors
/// [`Error::Parameter`] for a version that does not vote in such spaces; [`Error::NoDevice`] for one that
/// needs a GPU where there is none; [`Error::Device`] where the device fails.
pub fn accumulators(
    image: &EdgeImage,
    spaces: &[Space],
    version: Version,
    gpu: Option<&Cuda>,
) -> Result<Vec<Vec<u32>>> {
    match (version, spaces) {
        (Version::Serial, _) => Ok(spaces.iter().map(|s| cpu::serial(image, s)).collect()),
        (Version::AllCores, _) => Ok(spaces.iter().map(|s| cpu::all_cores(image, s)).collect()),
        (Version::AllCoresSlices, [first, second]) => {
            Ok(slices(image, &[first.clone(), second.clone()])?.into())
        }
        (Version::AllCoresSlices, _) => {
            Err(Error::Parameter(format!("{} votes in the space cartesian", version.name())))
        }
        _ => {
            let none = || {
                Error::NoDevice(format!(
                    "the voter {} needs an NVIDIA GPU; serial, all-cores and all-cores-slices do not",
                    version.name()
                ))
            };
            let mut votes = gpu.ok_or_else(none)?.line_votes(image, spaces)?;
            votes.vote(version)?;
            votes.counts()
        }
    }
}
