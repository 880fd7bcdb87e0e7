//! Measures clouds, one after the other.

use super::case::{Case, Reference};
use super::report::{self, Measurement};
use super::rows::{Mode, Row};
use super::{on_cpu, on_gpu};
use crate::cuda::Cuda;
use crate::detect::Progress;
use crate::frame::Points;
use crate::papers::slides::{MOST_WINNERS, RADIUS};
use crate::space::Neighbours;
use crate::{Error, Result};
use std::cell::OnceCell;

/// Measures clouds, one after the other.
pub struct Bench<'a> {
    gpu: Option<&'a Cuda>,
    rows: Vec<Row>,
    /// Directions within the slides' radius: the same for every cloud.
    neighbours: OnceCell<Neighbours>,
}

impl<'a> Bench<'a> {
    /// Measures the rows of some modes; rows that need a GPU only if there is one.
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

    /// Measures a cloud, once for each number of winners.
    ///
    /// # Errors
    /// [`Error::Parameter`] without points, and for no winners or too many; [`Error::Device`] if a
    /// device fails, or its votes differ from the CPU's.
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
            let near = match self.neighbours.get() {
                Some(near) => near,
                None => {
                    let near = Neighbours::within(&case.space, RADIUS as f64)?;
                    self.neighbours.get_or_init(|| near)
                }
            };
            measurements.extend(match self.gpu {
                Some(gpu) => on_gpu::fast(gpu, &case, &reference, near, tops)?,
                None => on_cpu::fast(&case, &reference, near, tops)?,
            });
        }
        report::compare_with_cpu(&mut measurements);
        Ok(measurements)
    }
}

/// Refuses numbers of winners that some version cannot find.
fn check_tops(tops: &[u32]) -> Result<()> {
    match tops.iter().find(|&&top| !(1..=MOST_WINNERS).contains(&(top as usize))) {
        None if !tops.is_empty() => Ok(()),
        _ => {
            Err(Error::Parameter(format!("the slides' versions find 1 to {MOST_WINNERS} winners")))
        }
    }
}
