//! The experiments of Shapira and Hassner, "GPU-Based Computation of 2D Least Median of Squares with
//! Applications to Fast and Robust Line Detection".
//!
//! - Table 1: how long the thinnest slab of random points takes ([`times`]), and those of many sets
//!   ([`many_times`]).
//! - Figures 7 and 8: how exact lines are, over the size of the accumulator's cells and over noise
//!   ([`over_cells`], [`over_noise`]).
//! - Table 2: the same on a photograph with added noise ([`on_photo`]).
//!
//! Everywhere a line is found by the votes of a coarse accumulator; then it is the middle of the cell,
//! the least squares line of its voters, or their least median of squares line ([`METHODS`]).

mod accuracy;
mod cells;
mod photo;
mod times;

pub use accuracy::{Accuracy, IMAGES, over_cells, over_noise};
pub use photo::{PHOTO_CELL, PHOTO_NOISE, PhotoErrors, on_photo};
pub use times::{ManyTimes, POINTS, POINTS_OF_A_SET, SETS, SlabTimes, many_times, times};

use super::Machine;
use crate::lms::Refine;
use serde::{Deserialize, Serialize};

/// What is compared.
pub const METHODS: [Refine; 3] = [Refine::None, Refine::Ols, Refine::Lms];

/// Layout of [`LmsReport`]'s JSON document.
pub const LMS_REPORT_VERSION: u32 = 1;

/// All that was measured.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LmsReport {
    /// `planes-bench-lms`.
    pub format: String,
    /// [`LMS_REPORT_VERSION`].
    pub version: u32,
    /// On what.
    pub machine: Machine,
    /// Table 1 and beyond.
    pub times: Vec<SlabTimes>,
    /// Many sets at once; none without a GPU.
    pub many: Vec<ManyTimes>,
    /// Figure 7.
    pub cells: Vec<Accuracy>,
    /// Figure 8.
    pub noise: Vec<Accuracy>,
    /// Table 2.
    pub photo: Vec<PhotoErrors>,
    /// The photograph of that table.
    pub photo_name: String,
}

/// The paper's own figures.
pub mod published {
    use crate::lms::Refine;

    /// Seconds of the topological sweep and of the paper's algorithm in Table 1, on an Intel E6550 and
    /// an NVIDIA GTX 720 as the paper has it.
    pub fn seconds(points: usize) -> Option<[f64; 2]> {
        match points {
            128 => Some([42.52e-3, 0.98e-3]),
            256 => Some([172.12e-3, 4.22e-3]),
            512 => Some([691.35e-3, 35.3e-3]),
            _ => None,
        }
    }

    /// Mean error of the slope in percent over all cells of figure 7, where the text tells it.
    pub fn slope_percent(method: Refine) -> Option<f64> {
        match method {
            Refine::Ols => Some(12.4),
            Refine::Lms => Some(0.37),
            _ => None,
        }
    }

    /// Mean and standard deviation of the error in pixels in Table 2.
    pub fn photo(method: Refine) -> Option<[f64; 2]> {
        match method {
            Refine::None => Some([4.393, 2.658]),
            Refine::Ols => Some([4.893, 2.840]),
            Refine::Lms => Some([0.765, 0.404]),
            Refine::Stroke => None,
        }
    }
}
