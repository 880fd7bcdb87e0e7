//! What comes out.

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
    /// On what.
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
    /// Table that it belongs to: rows of one have images or spaces that differ in one thing.
    pub table: String,
    /// What is different.
    pub column: String,
    /// Width and height.
    pub size: [u32; 2],
    /// Edge pixels.
    pub edges: u64,
    /// Where it votes.
    pub space: PaperSpace,
    /// Name of the [version](crate::papers::line_voters::Version).
    pub voter: String,
    /// The edge list, or the image in bits.
    pub list: Timing,
    /// The votes.
    pub vote: Timing,
    /// The bins with more than half of the largest count.
    pub select: Timing,
    /// What the voter reads, on its way to the device.
    pub transfers: Timing,
    /// All of these together.
    pub total: Timing,
    /// Votes a second of `vote`.
    pub votes_per_second: f64,
    /// How many times the serial loop takes as long, where that was measured.
    pub speedup: Option<f64>,
    /// Seconds of list and vote in the paper, where it has them.
    pub paper: Option<f64>,
    /// Edges whose votes the serial loop cast as well; of more of them those of all cores were
    /// compared.
    pub compared_with_serial: u64,
}

/// The way from a grey image to its sorted bins.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct GreyRow {
    /// The image, and how its edges were found.
    pub image: String,
    /// Whether on the GPU, where its kernels follow each other on an image that it has; else on the
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
    /// Seconds of all of it, on the GPU in runs of its own. Medians: the steps need not add up to it.
    pub total: f64,
}
