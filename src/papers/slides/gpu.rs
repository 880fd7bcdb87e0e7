//! The slides' versions on the device: see `kernels/slides_*.cu`.

use super::cloud::Cloud;
use super::grid::{PHIS, RADIUS, RHOS, SIZE, THETAS, TILE};
use super::steps::{Suppress, Vote, Winner, Winners};
use crate::cuda::Cuda;
use crate::cuda::device::Device;
use crate::cuda::kernels::{slides_suppress, slides_vote, slides_winners};
use crate::cuda::launch::each_in_blocks;
use crate::shared::{SLIDES_CHUNK, SLIDES_RANKED};
use crate::{Error, Result};
use cudarc::driver::{CudaSlice, LaunchConfig};

/// Threads per block, if the slides do not give them.
const THREADS: u32 = 128;
/// The array of points in constant memory.
const CONSTANT: &str = "slides_points";
/// Most winners: few enough of each block's bins that the reduction ends.
pub const MOST_WINNERS: usize = SLIDES_RANKED / 4;

/// The slides' system on a GPU: a cloud, its accumulator, and the accumulator after suppression.
///
/// Each step works on the result of the step before, and returns the seconds that the device took.
pub struct Slides<'a> {
    device: &'a Device,
    points: CudaSlice<[f64; 3]>,
    len: usize,
    accumulator: CudaSlice<u64>,
    suppressed: CudaSlice<u64>,
}

impl<'a> Slides<'a> {
    /// Copies a cloud to the device, for all of the slides' versions; returns the seconds as well.
    ///
    /// # Errors
    /// If the device fails or has no room for it.
    pub fn upload(gpu: &'a Cuda, cloud: &Cloud) -> Result<(Slides<'a>, f64)> {
        let (device, len) = (gpu.first(), cloud.points().len());
        if u32::try_from(len).is_err() {
            let message = "the slides' kernels take fewer than 2^32 points";
            return Err(Error::Parameter(message.into()));
        }
        let mut points = device.buffer(len)?;
        let copy = || match len {
            0 => Ok(()),
            _ => device
                .stream()
                .memcpy_htod(cloud.points(), &mut points)
                .map_err(|e| device.error("copying to it", e)),
        };
        let ((), seconds) = device.timed(copy)?;
        let accumulator = device.zeros(SIZE)?;
        let suppressed = device.zeros(SIZE)?;
        Ok((Slides { device, points, len, accumulator, suppressed }, seconds))
    }

    /// Clears the accumulator and lets the first `count` points vote, or all if there are fewer.
    ///
    /// # Errors
    /// [`Error::Parameter`] for [`Vote::Serial`]; [`Error::Device`] if the device fails.
    pub fn vote(&mut self, version: Vote, count: usize) -> Result<f64> {
        let count = count.min(self.len);
        self.device.clear(&mut self.accumulator)?;
        let device = self.device;
        let ((), seconds) = device.timed(|| match version {
            Vote::Serial => Err(on_the_cpu(version.name())),
            _ if count == 0 => Ok(()),
            Vote::NaiveScatter => {
                let (points, accumulator) = (&self.points, &mut self.accumulator);
                let config = grid(count, THREADS);
                slides_vote::slides_naive_scatter(device, config, points, accumulator, count as u32)
            }
            Vote::NaiveGather => {
                let (points, accumulator) = (&self.points, &mut self.accumulator);
                let config = grid(PHIS * THETAS, THREADS);
                slides_vote::slides_naive_gather(device, config, points, accumulator, count as u32)
            }
            Vote::Gather => self.gather(count),
        })?;
        Ok(seconds)
    }

    /// A vote that reads the points from constant memory, chunk by chunk. They are copied there from
    /// the device's global memory.
    fn gather(&mut self, count: usize) -> Result<()> {
        let Slides { device, points, accumulator, .. } = self;
        let config = grid(PHIS * THETAS, THREADS);
        for start in (0..count).step_by(SLIDES_CHUNK) {
            let chunk = points.slice(start..count.min(start + SLIDES_CHUNK));
            device.fill_constant((&slides_vote::MODULE, CONSTANT), &chunk)?;
            slides_vote::slides_gather(device, config, accumulator, chunk.len() as u32)?;
        }
        Ok(())
    }

    /// Suppresses bins that are not maxima, in a copy of the accumulator.
    ///
    /// # Errors
    /// [`Error::Parameter`] for [`Suppress::Cpu`]; [`Error::Device`] if the device fails.
    pub fn suppress(&mut self, version: Suppress) -> Result<f64> {
        let Slides { device, accumulator, suppressed, .. } = self;
        let ((), seconds) = device.timed(|| match version {
            Suppress::Cpu => Err(on_the_cpu(version.name())),
            Suppress::Naive => {
                let config = grid(SIZE, THREADS);
                slides_suppress::slides_suppress_naive(device, config, accumulator, suppressed)
            }
            Suppress::Tiled => {
                let tiles = |size: usize| size.div_ceil(TILE) as u32;
                let width = (TILE + 2 * RADIUS) as u32;
                let config = LaunchConfig {
                    grid_dim: (tiles(THETAS), tiles(PHIS), tiles(RHOS)),
                    block_dim: (width, width, 1),
                    shared_mem_bytes: 0,
                };
                slides_suppress::slides_suppress_tiled(device, config, accumulator, suppressed)
            }
        })?;
        Ok(seconds)
    }

    /// The `count` bins, at most [`MOST_WINNERS`], with the most votes after suppression;
    /// best first, of equal bins the one with the lowest index. Fewer if fewer bins have votes.
    ///
    /// # Errors
    /// [`Error::Parameter`] for [`Winners::Cpu`] and for too many; [`Error::Device`] if the device fails.
    pub fn winners(&mut self, version: Winners, count: usize) -> Result<(Vec<Winner>, f64)> {
        if !(1..=MOST_WINNERS).contains(&count) {
            let message = format!("the slides' kernels find 1 to {MOST_WINNERS} winners");
            return Err(Error::Parameter(message));
        }
        let device = self.device;
        device.timed(|| match version {
            Winners::Cpu => Err(on_the_cpu(version.name())),
            Winners::Naive => self.rank_all(count),
            Winners::RankReduction => self.reduce(count),
        })
    }

    /// The rank sort, and the votes of the bins that it selects.
    fn rank_all(&self, count: usize) -> Result<Vec<Winner>> {
        let Slides { device, suppressed, .. } = self;
        let mut found = device.upload(&vec![u64::MAX; count])?;
        slides_winners::slides_winners_naive(
            device,
            grid(SIZE, THREADS),
            suppressed,
            count as u32,
            &mut found,
        )?;
        let mut winners = Vec::new();
        for index in device.download(&found, count)? {
            let Some(at) = usize::try_from(index).ok().filter(|&at| at < SIZE) else { break };
            let mut votes = [0];
            device
                .stream()
                .memcpy_dtoh(&suppressed.slice(at..at + 1), &mut votes)
                .map_err(|e| device.error("copying from it", e))?;
            device.synchronize()?;
            winners.push(Winner { votes: votes[0], index });
        }
        Ok(winners)
    }

    /// The rank reduction.
    fn reduce(&self, count: usize) -> Result<Vec<Winner>> {
        let (device, wanted) = (self.device, count as u32);
        let mut len = SIZE.div_ceil(SLIDES_RANKED) * count;
        let mut elements = device.buffer::<[u64; 2]>(len)?;
        slides_winners::slides_rank_first(
            device,
            grid(SIZE, SLIDES_RANKED as u32),
            &self.suppressed,
            wanted,
            &mut elements,
        )?;
        while len > SLIDES_RANKED {
            let mut next = device.buffer(len.div_ceil(SLIDES_RANKED) * count)?;
            slides_winners::slides_rank_next(
                device,
                grid(len, SLIDES_RANKED as u32),
                &elements,
                len as u32,
                wanted,
                &mut next,
            )?;
            len = len.div_ceil(SLIDES_RANKED) * count;
            elements = next;
        }
        let left = device.download(&elements, len)?;
        let mut winners: Vec<Winner> =
            left.into_iter().map(|[votes, index]| Winner { votes, index }).collect();
        winners.retain(|w| w.votes > 0);
        winners.sort_by_key(|w| (std::cmp::Reverse(w.votes), w.index));
        winners.truncate(count);
        Ok(winners)
    }

    /// The accumulator.
    ///
    /// # Errors
    /// If the device fails.
    pub fn accumulator(&self) -> Result<Vec<u64>> {
        self.device.download(&self.accumulator, SIZE)
    }

    /// The accumulator after suppression.
    ///
    /// # Errors
    /// If the device fails.
    pub fn suppressed(&self) -> Result<Vec<u64>> {
        self.device.download(&self.suppressed, SIZE)
    }
}

fn on_the_cpu(version: &str) -> Error {
    Error::Parameter(format!("{version} is a version for the CPU"))
}

/// A launch of this many threads in blocks, with the last block filled up.
fn grid(threads: usize, block: u32) -> LaunchConfig {
    each_in_blocks(threads as u32, block)
}
