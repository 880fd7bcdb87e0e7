//! The report.

use super::super::machine::Machine;
use super::super::stopwatch::Timing;
use crate::papers::line_voters::PaperSpace;
use serde::{Deserialize, Serialize};

/// Layout of [`ImageReport`]'s JSON document.
pub const IMAGE_REPORT_VERSION: u32 = 1;

/// All that was measured of images.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ImageReport {
    /// `planes-bench-images`.
    pub format: String,
    /// [`IMAGE_REPORT_VERSION`].
    pub version: u32,
    /// The machine.
    pub machine: Machine,
    /// The file of an image, or the sweeps.
    pub source: String,
    /// Voter by voter, space by space, image by image.
    pub voters: Vec<VoterRow>,
    /// From grey images to sorted bins.
    pub grey: Vec<GreyRow>,
}

/// A voter for one image and space.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct VoterRow {
    /// Its table: the rows of a table have images or spaces that differ in one property.
    pub table: String,
    /// The property that differs.
    pub column: String,
    /// Width and height.
    pub size: [u32; 2],
    /// Edge pixels.
    pub edges: u64,
    /// The space.
    pub space: PaperSpace,
    /// Name of the [version](crate::papers::line_voters::Version).
    pub voter: String,
    /// The edge list, or the image in bits.
    pub list: Timing,
    /// The votes.
    pub vote: Timing,
    /// The bins with more than half of the largest count.
    pub select: Timing,
    /// Copying the voter's input to the device.
    pub transfers: Timing,
    /// All of these together.
    pub total: Timing,
    /// Votes a second of `vote`.
    pub votes_per_second: f64,
    /// Time of the serial loop divided by this one, if the serial loop was measured.
    pub speedup: Option<f64>,
    /// Seconds of list and vote in the paper, if it reports them.
    pub paper: Option<f64>,
    /// Edges whose votes were compared with the serial loop's; beyond them, votes were compared with those
    /// of all cores.
    pub compared_with_serial: u64,
}

/// The way from a grey image to its sorted bins.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct GreyRow {
    /// The image, and how its edges were found.
    pub image: String,
    /// Whether on the GPU, where one kernel follows another on an image that is there already; otherwise on the
    /// CPU.
    pub on_gpu: bool,
    /// Width and height.
    pub size: [u32; 2],
    /// Edge pixels.
    pub edges: u64,
    /// Bins that stand out.
    pub bins: u64,
    /// Seconds from grey to the list of edges.
    pub find: f64,
    /// Seconds of the vote.
    pub vote: f64,
    /// Seconds for the bins that stand out, sorted.
    pub select: f64,
    /// Seconds of everything, on the GPU in separate runs. All times are medians, so the steps need not add up to it.
    pub total: f64,
}
