//! The report.

use super::super::machine::Machine;
use super::accuracy::Accuracy;
use super::photo::PhotoErrors;
use super::times::{ManyTimes, SlabTimes};
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
    /// The machine.
    pub machine: Machine,
    /// Table 1, and larger numbers of points.
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
