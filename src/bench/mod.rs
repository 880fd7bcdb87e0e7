//! How long every version of the Hough transform takes: the slides' timing mode.
//!
//! The rows are those of the slides (Duca, "3D Plane Detection via Hough Transform", "Timing"), and
//! [`Row::Fast`], the versions that `planes` uses itself. All of them work in one space, 180 × 180
//! directions and 184 bins of `ρ` that the cloud fills, on the same points.
//!
//! - Steps on a device are timed by its events, those on the CPU by the clock; each is the
//!   [median](Timing) of some runs after one that warms up. A row's total is the sum of its steps,
//!   and a version that several rows share is timed once.
//! - Every vote's accumulator is [compared](Check) with the serial loop's before it is timed: on the
//!   first points of the cloud, as many as that loop does in about a second.
//! - What would take more than a minute, on one core more than a second, is measured in part, and
//!   the rest extrapolated: votes are linear in the points, suppression in the bins. The parallel
//!   voter of the CPU is linear in the directions alone: the closer points are, the more of them
//!   vote at once.

mod case;
pub mod images;
pub mod lms;
mod machine;
mod on_cpu;
mod on_gpu;
pub mod published;
mod report;
mod rows;
pub mod stages;
mod stopwatch;

pub use machine::Machine;
pub use report::{Check, Measurement, REPORT_VERSION, Report};
pub use rows::{Mode, Row};
pub use stopwatch::{Limits, Timing, linear, repeat};

use crate::cuda::Cuda;
use crate::cuda::slides::MOST_WINNERS;
use crate::detect::Progress;
use crate::frame::Points;
use crate::slides::RADIUS;
use crate::space::Neighbours;
use crate::{Error, Result};
use case::{Case, Reference};
use std::cell::OnceCell;

/// Measures clouds, one after the other.
pub struct Bench<'a> {
    gpu: Option<&'a Cuda>,
    rows: Vec<Row>,
    /// Directions within the slides' radius: the same for every cloud.
    neighbours: OnceCell<Neighbours>,
}

impl<'a> Bench<'a> {
    /// Measures the rows of some modes; those that need a GPU, only if there is one.
    pub fn new(gpu: Option<&'a Cuda>, modes: &[Mode]) -> Bench<'a> {
        let is_possible = |row: &Row| gpu.is_some() || row.on_the_gpu().is_none();
        let is_asked_for = |row: &Row| modes.contains(&row.mode());
        let rows = Row::ALL.into_iter().filter(|r| is_possible(r) && is_asked_for(r)).collect();
        Bench { gpu, rows, neighbours: OnceCell::new() }
    }

    /// The rows that are measured.
    pub fn rows(&self) -> &[Row] {
        &self.rows
    }

    /// Measures a cloud, with each of the numbers of winners.
    ///
    /// # Errors
    /// [`Error::Parameter`] without points, for no winners or too many; [`Error::Device`] where a
    /// device fails, or votes otherwise than the CPU.
    pub fn measure(
        &self,
        points: Points,
        tops: &[u32],
        progress: &dyn Progress,
    ) -> Result<Vec<Measurement>> {
        check_tops(tops)?;
        let case = Case::new(points)?;
        progress.stage("serial loop", None);
        let reference = Reference::new(&case)?;
        let mut measurements = Vec::new();
        if self.rows.contains(&Row::Cpu) {
            measurements.extend(on_cpu::serial(&case, &reference, tops)?);
        }
        if let Some(gpu) = self.gpu {
            progress.stage("the slides' kernels", None);
            measurements.extend(on_gpu::slides(gpu, &case, &reference, &self.rows, tops)?);
        }
        if self.rows.contains(&Row::Fast) {
            progress.stage("fast", None);
            let near = || Neighbours::within(&case.space, RADIUS as f64);
            let near = self.neighbours.get_or_init(near);
            measurements.extend(match self.gpu {
                Some(gpu) => on_gpu::fast(gpu, &case, &reference, near, tops)?,
                None => on_cpu::fast(&case, &reference, near, tops)?,
            });
        }
        report::compare_with_cpu(&mut measurements);
        Ok(measurements)
    }
}

/// Refuses numbers of winners that not every version can find.
fn check_tops(tops: &[u32]) -> Result<()> {
    match tops.iter().find(|&&top| !(1..=MOST_WINNERS).contains(&(top as usize))) {
        None if !tops.is_empty() => Ok(()),
        _ => {
            Err(Error::Parameter(format!("the slides' versions find 1 to {MOST_WINNERS} winners")))
        }
    }
}
