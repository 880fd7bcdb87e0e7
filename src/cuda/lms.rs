//! The least median of squares on a GPU: see `kernels/lms.cu`, `kernels/lms_paper.cu` and the part they
//! share, `kernels/lms_settle.cu`.

use super::Cuda;
use super::device::Device;
use super::kernels::{lms, lms_paper, lms_settle};
use super::launch::each;
use super::layouts::{Set, Winner};
use crate::lms::{Problem, Side, Slab, Version};
use crate::shared::{
    BRACELET_THREADS, COUNTER_PAIRS, COUNTERS, CROSSING_SIDE, GUESSERS, PICKERS, REDUCERS,
    SETTLERS, WARP,
};
use crate::{Error, Result};
use cudarc::driver::{CudaSlice, LaunchConfig};

/// Most points of a set: a pair of places fits in 32 bits, and processing all pairs takes about a second.
pub const MOST_POINTS: usize = 1 << 15;
/// Most points of a set for the paper's version, which keeps every crossing.
pub const MOST_FOR_PAPER: usize = 1 << 13;

/// Pairs in the sample for the first guess.
const GUESSES: u32 = 1024;
/// Pairs that a counting block takes.
const PARTNERS: u32 = COUNTER_PAIRS * COUNTERS;
/// Blocks that measure candidates: per multiprocessor, and at least per set.
const BLOCKS: u32 = 4;
const FEWEST_BLOCKS: u32 = 8;
/// Most pairs whose candidates fit at a time.
const ROOM: usize = 1 << 22;
/// Most sets in a launch: the blocks along one axis.
const MOST_SETS: usize = 1 << 15;

/// Sets and first points that are processed together.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Batch {
    sets: std::ops::Range<usize>,
    /// All first points, or some of those of a large set.
    first: std::ops::Range<usize>,
}

/// Point sets on a device, and their thinnest slabs.
pub struct Slabs<'a> {
    device: &'a Device,
    problems: &'a [Problem],
    /// The problem of each set: problems in which pairs have slopes.
    of: Vec<usize>,
    batches: Vec<Batch>,
    points: CudaSlice<[f64; 2]>,
    sets: CudaSlice<Set>,
    counts: CudaSlice<u32>,
    best: CudaSlice<u64>,
    winners: CudaSlice<Winner>,
    candidates: CudaSlice<u32>,
    rises: CudaSlice<u64>,
    /// Whether the state of every set is cleared, as a search requires it and leaves it.
    ready: bool,
}

impl Cuda {
    /// The thinnest slabs of point sets.
    ///
    /// # Errors
    /// [`Error::Parameter`] for a set of more than [`MOST_POINTS`], or [`MOST_FOR_PAPER`] for
    /// [`Version::Paper`]; [`Error::Device`] if the device fails or has no room.
    pub fn lms(&self, problems: &[Problem], version: Version) -> Result<Vec<Slab>> {
        Ok(self.slabs(problems)?.find(version)?.0)
    }

    /// Copies point sets to the device.
    ///
    /// # Errors
    /// As for [`Cuda::lms`].
    pub fn slabs<'a>(&'a self, problems: &'a [Problem]) -> Result<Slabs<'a>> {
        let device = self.first();
        if let Some(large) = problems.iter().find(|p| p.points().len() > MOST_POINTS) {
            return Err(too_many(large.points().len(), MOST_POINTS));
        }
        let of: Vec<usize> = (0..problems.len()).filter(|&i| !problems[i].is_upright()).collect();
        let sizes: Vec<usize> = of.iter().map(|&i| problems[i].points().len()).collect();
        let (batches, lists, room) = batches(&sizes);
        let mut points = Vec::with_capacity(sizes.iter().sum());
        let mut sets = Vec::with_capacity(of.len());
        for (&i, &list) in of.iter().zip(&lists) {
            sets.push(set(&problems[i], points.len(), list)?);
            points.extend_from_slice(problems[i].points());
        }
        let mut slabs = Slabs {
            device,
            problems,
            batches,
            ready: false,
            points: device.upload(&points)?,
            sets: device.upload(&sets)?,
            counts: device.buffer(of.len())?,
            best: device.buffer(of.len())?,
            winners: device.zeros(of.len())?,
            candidates: device.buffer(room)?,
            rises: device.buffer(2 * room)?,
            of,
        };
        slabs.begin()?;
        Ok(slabs)
    }
}

fn too_many(n: usize, most: usize) -> Error {
    Error::Parameter(format!("a slab is sought on a GPU for at most {most} points, not {n}"))
}

/// A set whose points begin at `start`.
fn set(problem: &Problem, start: usize, list: u32) -> Result<Set> {
    let points = problem.points();
    let start = u32::try_from(start)
        .map_err(|_| Error::Parameter("the sets have more than 2^32 points in all".into()))?;
    let unit = |axis: usize| {
        let (low, high) = points
            .iter()
            .map(|p| p[axis])
            .fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), v| (a.min(v), b.max(v)));
        if high > low { (1.0 / (high - low)).min(1e300) } else { 1.0 }
    };
    let (n, h) = (points.len() as u32, problem.h() as u32);
    Ok(Set { start, n, h, list, across: unit(0), up: unit(1) })
}

/// Partners of each point in a set of `n`.
fn partners(n: usize) -> usize {
    n / 2
}

/// The batches for sets of these sizes, where the list of candidates of each set begins, and the room for the
/// candidates of a batch.
fn batches(sizes: &[usize]) -> (Vec<Batch>, Vec<u32>, usize) {
    let (mut batches, mut lists, mut most) = (Vec::new(), Vec::new(), 0);
    let mut next = 0;
    while next < sizes.len() {
        let (start, mut used) = (next, 0);
        while next < sizes.len() && next - start < MOST_SETS {
            let pairs = sizes[next] * partners(sizes[next]);
            if used + pairs > ROOM && next > start {
                break;
            }
            lists.push(used as u32);
            used += pairs;
            next += 1;
        }
        let largest = sizes[start..next].iter().copied().max().unwrap_or(0);
        // Only a set that is alone in its batch may have more pairs than fit.
        let points = if used > ROOM { (ROOM / partners(largest)).max(1) } else { largest };
        for first in (0..largest).step_by(points) {
            batches.push(Batch { sets: start..next, first: first..largest.min(first + points) });
        }
        most = most.max(used.min(points * partners(largest) * (next - start)));
    }
    (batches, lists, most)
}

impl Slabs<'_> {
    /// Finds the slabs, and returns how long the device took, in seconds.
    ///
    /// # Errors
    /// As for [`Cuda::lms`].
    pub fn find(&mut self, version: Version) -> Result<(Vec<Slab>, f64)> {
        let device = self.device;
        self.begin()?;
        self.ready = false;
        let ((), seconds) = match version {
            Version::Fast => device.timed(|| self.fast())?,
            Version::Paper => self.paper()?,
        };
        let winners = device.download(&self.winners, self.of.len())?;
        self.ready = true;
        let mut slabs: Vec<Option<Slab>> = vec![None; self.problems.len()];
        for (&i, winner) in self.of.iter().zip(winners) {
            if winner.height.is_finite() {
                let side = if winner.below == 0 { Side::Above } else { Side::Below };
                let pair = winner.pair.map(|place| place as usize);
                slabs[i] = Some(self.problems[i].slab(pair, side));
            }
        }
        let slabs = slabs.into_iter().zip(self.problems);
        Ok((slabs.map(|(slab, p)| slab.unwrap_or_else(|| p.upright())).collect(), seconds))
    }

    /// Clears the state of every set: at first, and after a search that failed.
    fn begin(&mut self) -> Result<()> {
        let Slabs { device, of, counts, best, ready, .. } = self;
        if !*ready && !of.is_empty() {
            let sets = of.len() as u32;
            let config = each(sets);
            lms_settle::lms_begin(device, config, sets, counts, best)?;
        }
        *ready = true;
        Ok(())
    }

    fn fast(&mut self) -> Result<()> {
        for batch in &self.batches.clone() {
            if batch.first.start == 0 {
                self.guess(batch)?;
            }
            self.count(batch)?;
            self.settle(batch)?;
        }
        Ok(())
    }

    fn guess(&mut self, batch: &Batch) -> Result<()> {
        let Slabs { device, points, sets, best, .. } = self;
        let blocks = (GUESSES * WARP / GUESSERS, batch.sets.len() as u32, 1);
        lms::lms_guess(
            device,
            grid(blocks, GUESSERS),
            points,
            &sets.slice(batch.sets.clone()),
            &mut best.slice_mut(batch.sets.clone()),
        )
    }

    fn count(&mut self, batch: &Batch) -> Result<()> {
        let largest = batch.sets.clone().map(|s| self.size(s)).max().unwrap_or(0);
        let Slabs { device, points, sets, best, counts, candidates, .. } = self;
        let blocks = (
            batch.first.len() as u32,
            (partners(largest) as u32).div_ceil(PARTNERS).max(1),
            batch.sets.len() as u32,
        );
        lms::lms_count(
            device,
            grid(blocks, COUNTERS),
            points,
            &sets.slice(batch.sets.clone()),
            &best.slice(batch.sets.clone()),
            batch.first.start as u32,
            &mut counts.slice_mut(batch.sets.clone()),
            candidates,
        )
    }

    /// Points of a set.
    fn size(&self, set: usize) -> usize {
        self.problems[self.of[set]].points().len()
    }

    /// Measures the candidates of a batch and picks the best.
    fn settle(&mut self, batch: &Batch) -> Result<()> {
        let largest = batch.sets.clone().map(|s| self.size(s)).max().unwrap_or(0);
        let is_first = u32::from(batch.first.start == 0);
        let is_last = u32::from(batch.first.end >= largest);
        let Slabs { device, points, sets, counts, best, winners, candidates, rises, .. } = self;
        let number = batch.sets.len() as u32;
        let blocks = (device.processors * BLOCKS).div_ceil(number).max(FEWEST_BLOCKS);
        let own = sets.slice(batch.sets.clone());
        lms_settle::lms_settle(
            device,
            grid((blocks, number, 1), SETTLERS),
            points,
            &own,
            &counts.slice(batch.sets.clone()),
            candidates,
            &mut best.slice_mut(batch.sets.clone()),
            rises,
        )?;
        lms_settle::lms_pick(
            device,
            grid((number, 1, 1), PICKERS),
            points,
            &own,
            &mut counts.slice_mut(batch.sets.clone()),
            candidates,
            &mut best.slice_mut(batch.sets.clone()),
            rises,
            is_first,
            is_last,
            &mut winners.slice_mut(batch.sets.clone()),
        )
    }

    /// The paper's version, set by set; its buffers are made before the time is taken.
    fn paper(&mut self) -> Result<((), f64)> {
        let largest = (0..self.of.len()).map(|s| self.size(s)).max().unwrap_or(0);
        if largest > MOST_FOR_PAPER {
            return Err(too_many(largest, MOST_FOR_PAPER));
        }
        let pairs = largest * largest.saturating_sub(1) / 2;
        let mut work = Paper {
            lines: self.device.buffer(largest)?,
            crossings: self.device.buffer(pairs)?,
            bracelets: self.device.buffer(pairs)?,
            minimum: self.device.buffer(1)?,
        };
        if pairs > self.candidates.len() {
            self.candidates = self.device.buffer(pairs)?;
            self.rises = self.device.buffer(2 * pairs)?;
        }
        let device = self.device;
        device.timed(|| (0..self.of.len()).try_for_each(|set| self.paper_of(set, &mut work)))
    }

    fn paper_of(&mut self, set: usize, work: &mut Paper) -> Result<()> {
        let n = self.size(set) as u32;
        let pairs = n * (n - 1) / 2;
        let Slabs { device, points, sets, counts, candidates, .. } = &mut *self;
        let own = sets.slice(set..set + 1);
        let Paper { lines, crossings, bracelets, minimum } = work;
        lms_paper::lms_paper_duals(device, each(n), points, &own, lines)?;
        let tiles = n.div_ceil(CROSSING_SIDE);
        let square = LaunchConfig {
            block_dim: (CROSSING_SIDE, CROSSING_SIDE, 1),
            ..grid((tiles, tiles, 1), CROSSING_SIDE)
        };
        lms_paper::lms_paper_crossings(device, square, points, &own, crossings)?;
        let padded = n.next_power_of_two().max(2);
        let sorters = LaunchConfig {
            shared_mem_bytes: padded * size_of::<f32>() as u32,
            ..grid((pairs, 1, 1), (padded / 2).min(BRACELET_THREADS))
        };
        lms_paper::lms_paper_bracelets(device, sorters, lines, &own, crossings, padded, bracelets)?;
        device.upload_into(&[f32::INFINITY.to_bits()], &mut minimum.slice_mut(0..))?;
        let reducers = grid((device.processors * 4, 1, 1), REDUCERS);
        lms_paper::lms_paper_minimum(device, reducers, crossings, bracelets, pairs, minimum)?;
        lms_paper::lms_paper_collect(
            device,
            each(pairs),
            crossings,
            bracelets,
            pairs,
            minimum,
            &own,
            &mut counts.slice_mut(set..set + 1),
            candidates,
        )?;
        self.settle(&Batch { sets: set..set + 1, first: 0..n as usize })
    }
}

/// The working memory of the paper's version.
struct Paper {
    lines: CudaSlice<[f32; 2]>,
    crossings: CudaSlice<[f32; 2]>,
    bracelets: CudaSlice<f32>,
    minimum: CudaSlice<u32>,
}

fn grid(blocks: (u32, u32, u32), threads: u32) -> LaunchConfig {
    LaunchConfig { grid_dim: blocks, block_dim: (threads, 1, 1), shared_mem_bytes: 0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn batches_hold_every_set_once_and_have_room_for_it() {
        for sizes in
            [vec![], vec![2], vec![3, 512, 70, 2], vec![512; 100], vec![4096, 2, 20_000, 9]]
        {
            let (batches, lists, room) = batches(&sizes);
            assert_eq!(lists.len(), sizes.len());
            let mut next = (0, 0);
            for batch in &batches {
                let largest = batch.sets.clone().map(|s| sizes[s]).max().unwrap();
                assert_eq!((batch.sets.start, batch.first.start), next);
                let is_last = batch.first.end == largest;
                next = if is_last { (batch.sets.end, 0) } else { (next.0, batch.first.end) };
                for set in batch.sets.clone() {
                    let firsts = batch.first.len().min(sizes[set]);
                    let end = lists[set] as usize + firsts * partners(sizes[set]);
                    assert!(end <= room, "{sizes:?} {set} {end} {room}");
                    let after = lists.get(set + 1).filter(|_| set + 1 < batch.sets.end);
                    assert!(after.is_none_or(|&after| end <= after as usize));
                }
            }
            assert_eq!(next, (sizes.len(), 0));
            assert!(room <= ROOM, "{room}");
        }
    }
}
