//! The report.

use super::machine::Machine;
use super::published;
use super::rows::Row;
use super::stopwatch::Timing;
use serde::{Deserialize, Serialize};

/// Layout of [`Report`]'s JSON document.
pub const REPORT_VERSION: u32 = 1;

/// All that was measured.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Report {
    /// `planes-bench`.
    pub format: String,
    /// [`REPORT_VERSION`].
    pub version: u32,
    /// The machine.
    pub machine: Machine,
    /// A scene, or the file of a cloud.
    pub source: String,
    /// Numbers of winners of the table over them, and the points of that table's cloud.
    pub tops: Vec<u32>,
    /// See `tops`.
    pub tops_points: u64,
    /// Measurements, by row and cloud.
    pub measurements: Vec<Measurement>,
}

/// A row for one cloud and one number of winners.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Measurement {
    /// The versions.
    pub row: Row,
    /// Points of the cloud.
    pub points: u64,
    /// Winners.
    pub top: u32,
    /// Each point votes once in each direction; includes sorting the points, if that is done.
    pub vote: Timing,
    /// The part of `vote` that sorting the points took, if that is done.
    pub sort: Option<Timing>,
    /// Dropping bins that are not maxima. For [`Row::Fast`] on the CPU, includes finding the winners.
    pub suppress: Timing,
    /// Finding the best bins and copying them to the host.
    pub winners: Timing,
    /// Copying the points to the device.
    pub transfers: Timing,
    /// All of these together.
    pub total: Timing,
    /// Votes a second of `vote`.
    pub votes_per_second: f64,
    /// Time of [`Row::Cpu`] divided by this one, if that was measured.
    pub speedup: Option<f64>,
    /// Seconds in the slides, if they have them.
    pub slides: Option<f64>,
    /// How its accumulator compares with the CPU's.
    pub check: Check,
}

/// Comparison of an accumulator with its reference: in `f64` the slides' loop on the CPU, for [`Row::Fast`]
/// the serial loop in `f32`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Check {
    /// Points that voted: the first ones of the cloud.
    pub points: u64,
    /// Their votes.
    pub votes: u64,
    /// Votes that fall into another bin. In `f32` any such vote is an error; in `f64` the
    /// device's sines and cosines may differ from the CPU's in their last bit.
    pub differing: u64,
}

impl Measurement {
    /// Assembles the measurement.
    pub(super) fn new(
        (row, points, top): (Row, u64, u32),
        [vote, suppress, winners, transfers]: [Timing; 4],
        votes: f64,
        check: Check,
    ) -> Measurement {
        let total = Timing::sum(&[vote, suppress, winners, transfers]);
        Measurement {
            row,
            points,
            top,
            vote,
            sort: None,
            suppress,
            winners,
            transfers,
            total,
            votes_per_second: votes / vote.seconds.max(1e-9),
            speedup: None,
            slides: published::seconds(row, points, top),
            check,
        }
    }
}

/// Fills in the speed-up of each measurement over the CPU.
pub(super) fn compare_with_cpu(measurements: &mut [Measurement]) {
    let cpu: Vec<(u64, u32, f64)> = measurements
        .iter()
        .filter(|m| m.row == Row::Cpu)
        .map(|m| (m.points, m.top, m.total.seconds))
        .collect();
    for m in measurements {
        let own = cpu.iter().find(|c| (c.0, c.1) == (m.points, m.top));
        m.speedup = own.map(|&(_, _, seconds)| seconds / m.total.seconds.max(1e-9));
    }
}
