//! How long every voter for lines in images takes: the papers' tables.
//!
//! An image votes in the papers' spaces: Kumar's polar one and van den Braak's two Cartesian ones, or
//! in Tomagou's. Steps on a device are timed by its events, those on the CPU by the clock. Every voter's
//! accumulator is compared with the reference before it is timed: all cores' loops, which are compared
//! with the serial loop's on as many of the first edges as that does in about a second. More of them
//! are extrapolated: it is linear in the edges.
//!
//! [`ImageBench::grey`] times the way from a grey image on the device to its sorted bins
//! (see [`crate::cuda::line_bins`]).

mod grey;
pub mod published;
mod report;
mod sweep;
mod voters;

pub use report::{GreyRow, IMAGE_REPORT_VERSION, ImageReport, VoterRow};
pub use sweep::{Sweep, strewn};

use super::Mode;
use crate::cuda::Cuda;
use crate::line_voters::{EdgeImage, Version, spaces};
use crate::space::Space;
use crate::{Error, Result};
use serde::{Deserialize, Serialize};

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

/// A space of the papers.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PaperSpace {
    /// Kumar's: 181 angles, bins of a pixel.
    Kumar,
    /// van den Braak's two, with slopes in steps of so many degrees.
    Cartesian(f64),
    /// Tomagou's for square images: 180 angles, 192 bins.
    Tomagou,
}

impl PaperSpace {
    /// What it is called in a table.
    pub fn name(self) -> String {
        match self {
            PaperSpace::Kumar => "polar, 181 angles".into(),
            PaperSpace::Cartesian(step) => format!("Cartesian, two spaces, {step}°"),
            PaperSpace::Tomagou => "Tomagou's, 180 × 192".into(),
        }
    }

    /// The space or spaces of an image, and the image with its origin.
    fn of(self, image: &EdgeImage) -> Result<(EdgeImage, Vec<Space>)> {
        let image = image.clone().with_origin([0, 0]);
        Ok(match self {
            PaperSpace::Kumar => {
                let spaces = vec![spaces::kumar(image.size)?];
                (image, spaces)
            }
            PaperSpace::Cartesian(step) => {
                let spaces = spaces::cartesian(image.size, step)?.to_vec();
                (image, spaces)
            }
            PaperSpace::Tomagou => {
                let [width, height] = image.size;
                if width != height {
                    let message = "Tomagou's space is for square images";
                    return Err(Error::Parameter(message.into()));
                }
                let spaces = vec![spaces::tomagou(width)?];
                (image.with_origin(spaces::tomagou_origin(width)), spaces)
            }
        })
    }
}
