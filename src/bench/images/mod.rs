//! How long every voter for lines in images takes: the papers' tables.
//!
//! An image votes in the papers' spaces: Kumar's polar one and van den Braak's two Cartesian ones, or
//! in Tomagou's. Steps on a device are timed by its events, those on the CPU by the clock. Every voter's
//! accumulator is compared with the reference before it is timed: all cores' loops, which are compared
//! with the serial loop's on as many of the first edges as that does in about a second. More of them
//! are extrapolated: it is linear in the edges.
//!
//! [`ImageBench::grey`] times the way from a grey image to its sorted bins (see
//! [`BinSearch`](crate::lines::BinSearch)).

mod grey;
pub mod published;
mod report;
mod sweep;
mod voters;

pub use report::{GreyRow, IMAGE_REPORT_VERSION, ImageReport, VoterRow};
pub use sweep::{Sweep, strewn};

use super::Mode;
use crate::cuda::Cuda;
use crate::line_voters::Version;

/// Measures images, one after the other.
pub struct ImageBench<'a> {
    gpu: Option<&'a Cuda>,
    versions: Vec<Version>,
    fast: bool,
}

impl<'a> ImageBench<'a> {
    /// Measures the versions of some modes; those that need a GPU, only if there is one.
    pub fn new(gpu: Option<&'a Cuda>, modes: &[Mode]) -> ImageBench<'a> {
        let is_wanted =
            |v: &Version| (gpu.is_some() || v.is_on_the_cpu()) && modes.contains(&mode(*v));
        let versions = Version::ALL.into_iter().filter(is_wanted).collect();
        ImageBench { gpu, versions, fast: modes.contains(&Mode::Fast) }
    }

    /// Whether there is nothing to measure.
    pub fn is_empty(&self) -> bool {
        self.versions.is_empty()
    }
}

/// With what a version is measured.
pub fn mode(version: Version) -> Mode {
    match version {
        Version::Serial => Mode::Serial,
        Version::AllCores | Version::KumarBaseline | Version::BraakBasic | Version::TomagouA => {
            Mode::Naive
        }
        Version::KumarFast
        | Version::BraakFast
        | Version::BraakConstant
        | Version::TomagouB
        | Version::TomagouC => Mode::Optimized,
        Version::AllCoresSlices | Version::Slices | Version::Lists | Version::Fast => Mode::Fast,
    }
}
