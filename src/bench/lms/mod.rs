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
mod methods;
mod photo;
pub mod published;
mod times;

pub use accuracy::{Accuracy, IMAGES, over_cells, over_noise};
pub use methods::METHODS;
pub use photo::{PHOTO_CELL, PHOTO_NOISE, PhotoErrors, on_photo};
pub use times::{ManyTimes, POINTS, POINTS_OF_A_SET, SETS, SlabTimes, many_times, times};

use super::machine::Machine;
use serde::{Deserialize, Serialize};

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
