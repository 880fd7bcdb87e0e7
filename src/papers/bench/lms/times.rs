//! Table 1: the time to find the thinnest slab of random points.

use super::super::stopwatch::{Timing, repeat};
use super::published;
use crate::cuda::Cuda;
use crate::cuda::lms::MOST_FOR_PAPER;
use crate::lms::{Problem, Slab, Version, majority, sweep};
use crate::synth::lines::uniform_points;
use crate::{Error, Result};
use serde::{Deserialize, Serialize};
use std::hint::black_box;
use std::time::Instant;

/// Numbers of points: the paper's, and larger ones.
pub const POINTS: [usize; 6] = [128, 256, 512, 1024, 2048, 4096];

/// The heights found by all versions must agree within this share.
const AGREE: f64 = 1e-6;

/// The time of each version for one number of points.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SlabTimes {
    /// Number of points.
    pub points: usize,
    /// How many of them the slab holds.
    pub h: usize,
    /// The topological sweep on one thread.
    pub sweep: Timing,
    /// The paper's algorithm; kernels only, like all times on a GPU.
    pub paper: Option<Timing>,
    /// Ours.
    pub fast: Option<Timing>,
    /// The paper's seconds for `sweep` and `paper`.
    pub published: Option<[f64; 2]>,
}

/// Times the versions on points scattered evenly over a square, for a slab that holds `h` of them, by default
/// more than half.
///
/// # Errors
/// [`Error::Parameter`] for no points or too many, and for an `h` that is not from 1 to their number;
/// [`Error::Device`] if the device fails, or finds another slab.
pub fn times(gpu: Option<&Cuda>, points: usize, h: Option<usize>) -> Result<SlabTimes> {
    let problem = [Problem::new(&uniform_points(points, points as u64), h)?];
    let h = problem[0].h();
    let mut expected = None;
    let swept = repeat(|| {
        let start = Instant::now();
        expected = Some(black_box(sweep(&problem[0])));
        Ok(start.elapsed().as_secs_f64())
    })?;
    let on_gpu = |version: Version| {
        let Some(gpu) = gpu.filter(|_| version == Version::Fast || points <= MOST_FOR_PAPER) else {
            return Ok(None);
        };
        let mut slabs = gpu.slabs(&problem)?;
        let time = repeat(|| {
            let (found, seconds) = slabs.find(version)?;
            check(version, &found, &expected)?;
            Ok(seconds)
        })?;
        Ok(Some(time))
    };
    Ok(SlabTimes {
        points,
        h,
        sweep: swept,
        paper: on_gpu(Version::Paper)?,
        fast: on_gpu(Version::Fast)?,
        published: published::seconds(points).filter(|_| h == majority(points)),
    })
}

/// Numbers of sets of 512 points that are processed at once.
pub const SETS: [usize; 5] = [1, 4, 16, 64, 256];
/// Points of each.
pub const POINTS_OF_A_SET: usize = 512;

/// The time for many sets together.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ManyTimes {
    /// Number of sets of [`POINTS_OF_A_SET`] points.
    pub sets: usize,
    /// Our version, kernels only.
    pub fast: Timing,
}

/// Times our version on many sets.
///
/// # Errors
/// If the device fails.
pub fn many_times(gpu: &Cuda, sets: usize) -> Result<ManyTimes> {
    let problem = |seed: usize| Problem::new(&uniform_points(POINTS_OF_A_SET, seed as u64), None);
    let problems = (0..sets).map(problem).collect::<Result<Vec<_>>>()?;
    let mut slabs = gpu.slabs(&problems)?;
    Ok(ManyTimes { sets, fast: repeat(|| Ok(slabs.find(Version::Fast)?.1))? })
}

/// Compares the slab of a version with that of the sweep.
fn check(version: Version, found: &[Slab], expected: &Option<Slab>) -> Result<()> {
    let (Some(found), Some(expected)) = (found.first(), expected) else { return Ok(()) };
    let near = |a: f64, b: f64| (a - b).abs() <= AGREE * b.abs();
    if near(found.height, expected.height) && near(found.slope, expected.slope) {
        return Ok(());
    }
    let message = format!("its slab is {found:?}, the sweep's {expected:?}");
    Err(Error::Device { device: version.name().into(), message })
}
