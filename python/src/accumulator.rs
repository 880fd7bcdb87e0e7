//! `planes.Accumulator`: the classic transform, in which every point votes for every direction.

use crate::cloud::{CHUNK, Cloud};
use crate::device::Machine;
use crate::errors::{named, wrong};
use crate::work::run;
use numpy::PyArray1;
use planes::Progress;
use planes::backend::{PeakOptions, Sign};
use planes::cloud::Fields;
use planes::detect::load;
use planes::space::{Directions, Neighbours, RhoAxis, Space};
use pyo3::prelude::*;

/// Bins of `ρ` of the papers, two of them to spare at either end.
const RHO_BINS: f64 = 180.0;
/// The counts, row by row; the directions; the origin; the lower edge of the first bin, the width of a bin
/// and their number; each peak's votes and index.
type Voted<'py> = (
    Bound<'py, PyArray1<u32>>,
    Bound<'py, PyArray1<f64>>,
    [f64; 3],
    (f64, f64, u32),
    Vec<(u32, u32)>,
);

/// Lets every point vote once for every direction.
#[pyfunction]
#[expect(clippy::too_many_arguments, reason = "called from one place, by name")]
pub fn accumulate<'py>(
    py: Python<'py>,
    cloud: &Cloud,
    space: &str,
    rho_bin: Option<f64>,
    radius: u32,
    device: &str,
    threads: Option<usize>,
    progress: Option<&Bound<'_, PyAny>>,
) -> PyResult<Voted<'py>> {
    let directions: Directions = named(py, space)?;
    if rho_bin.is_some_and(|width| !(width.is_normal() && width > 0.0)) {
        return Err(wrong("`rho_bin` must be a positive length in the cloud's unit"));
    }
    let machine = Machine::new(device, None, None)?;
    let source = cloud.0.clone();
    let (counts, table, frame, axis, peaks) = run(py, threads, progress, move |watch| {
        watch.stage("reading", source.info().points);
        let open = || source.reader(Fields::NONE);
        let cloud = load(source.path(), &open, CHUNK, &|points| watch.advance(points))?;
        watch.go_on()?;
        let (step, reach) = (cloud.frame.step, cloud.points.radius().max(1.0));
        let width = rho_bin.unwrap_or(2.0 * reach * step / RHO_BINS);
        let space = Space::new(directions.table(), RhoAxis::symmetric(reach, width / step))?;
        watch.stage("votes", Some(cloud.points.len() as u64));
        let backend = machine.start()?;
        let mut accumulator = backend.accumulator(&space)?;
        // In parts, so that it may end early.
        for first in (0..cloud.points.len()).step_by(CHUNK) {
            watch.go_on()?;
            let points = cloud.points.slice(first..cloud.points.len().min(first + CHUNK));
            accumulator.vote(&points, Sign::Add)?;
            watch.advance(points.len() as u64);
        }
        watch.go_on()?;
        watch.stage("peaks", None);
        let near = Neighbours::within(&space, f64::from(radius) * directions.step())?;
        let options = PeakOptions { rho_radius: radius, min_votes: 1, limit: usize::MAX };
        let peaks = accumulator.peaks(&near, options)?;
        let counts = accumulator.into_counts()?;
        Ok((counts, space.directions().to_vec(), cloud.frame, space.rho(), peaks))
    })?;
    let axis = (axis.min * frame.step, axis.bin * frame.step, axis.bins);
    Ok((
        PyArray1::from_vec(py, counts),
        PyArray1::from_vec(py, table.into_flattened()),
        frame.origin,
        axis,
        peaks.iter().map(|peak| (peak.votes, peak.index)).collect(),
    ))
}
