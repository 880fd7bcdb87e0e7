//! What comes out.

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
    /// On what.
    pub machine: Machine,
    /// A scene, or the file of a cloud.
    pub source: String,
    /// Numbers of winners of the table over them, and the points of that table's cloud.
    pub tops: Vec<u32>,
    /// See `tops`.
    pub tops_points: u64,
    /// Row by row and cloud by cloud.
    pub measurements: Vec<Measurement>,
}

/// A row for one cloud and one number of winners.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Measurement {
    /// Which versions.
    pub row: Row,
    /// Points of the cloud.
    pub points: u64,
    /// Winners.
    pub top: u32,
    /// Points in, in each direction one vote of each; with sorting them, where that is done.
    pub vote: Timing,
    /// Of `vote`, what sorting the points took, where that is done.
    pub sort: Option<Timing>,
    /// What is not a maximum is dropped. For [`Row::Fast`] on the CPU with the winners.
    pub suppress: Timing,
    /// The best bins, on their way to the host.
    pub winners: Timing,
    /// Points on their way to the device.
    pub transfers: Timing,
    /// All of these together.
    pub total: Timing,
    /// Votes a second of `vote`.
    pub votes_per_second: f64,
    /// How many times [`Row::Cpu`] takes as long, where that was measured.
    pub speedup: Option<f64>,
    /// Seconds in the slides, where they have them.
    pub slides: Option<f64>,
    /// How its accumulator compares with the CPU's.
    pub check: Check,
}

/// An accumulator beside its reference: in `f64` the slides' loop on the CPU, for [`Row::Fast`]
/// the serial loop in `f32`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Check {
    /// Points that voted: the first ones of the cloud.
    pub points: u64,
    /// Their votes.
    pub votes: u64,
    /// Votes that fall into another bin. In `f32` there are none, or there is an error; in `f64`
    /// sines and cosines of the device may differ from the CPU's in their last bit.
    pub differing: u64,
}

impl Measurement {
    /// Puts together what was measured.
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

/// Fills in how much faster than the CPU each is.
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
