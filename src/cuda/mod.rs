//! The GPU backend.
//!
//! Kernels are CUDA C++ in `kernels/`, shipped as PTX: a user needs an NVIDIA driver (525 or later)
//! and a GPU of compute capability 7.5 or later, and nothing else. All `unsafe` of the library but
//! that of the CPU's vectors is here: launching kernels, and memory that they fill.

mod device;
mod groups;
mod held;
mod image_space;
mod labels;
mod layers;
mod levels;
pub mod line_bins;
pub mod line_voters;
pub mod lms;
pub mod measure;
mod peaks;
mod pixels;
mod pool;
mod sheets;
pub mod slides;
mod sort;
mod staging;
mod vote;
mod zoom;

use crate::backend::{Accumulator, Backend, Held, PeakOptions, Sign, Weighted};
use crate::cpu;
use crate::frame::Points;
use crate::image::{EdgeMap, Image, Method};
use crate::lms::{Problem, Sheet, Slab, Version};
use crate::space::{Neighbours, Space};
use crate::vote::{Ballots, Peak};
use crate::{Error, Result};
use cudarc::driver::{CudaContext, CudaSlice, sys};
use device::{Device, Kernels, each, launch};
use groups::{Bounds, DevicePoints, Groups, SMALLEST_CHUNK};
use held::HeldPoints;
use peaks::Peaks;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::thread;
use vote::{Near, Voting};

/// So many points are not shared between devices.
const SMALLEST_SHARE: usize = 1 << 16;
/// Fewer points are cut into cells sooner than they are copied.
const FEWEST_HELD: usize = 1 << 12;

/// NVIDIA GPUs as a backend.
///
/// The first does all the work; the others help it where every point votes for every direction.
pub struct Cuda {
    devices: Vec<Device>,
    /// Most points that are voted at a time.
    chunk: usize,
}

impl Cuda {
    /// The first GPU.
    ///
    /// # Errors
    /// [`Error::NoDevice`] where there is no driver or no GPU, and says what was looked for;
    /// [`Error::Device`] where there is one that does not work.
    pub fn new() -> Result<Cuda> {
        Cuda::on(&[0])
    }

    /// The GPUs of the given numbers, at least one.
    ///
    /// # Errors
    /// As for [`Cuda::new`].
    pub fn on(numbers: &[usize]) -> Result<Cuda> {
        let count = Cuda::count()?;
        if let Some(wrong) = numbers.iter().find(|&&n| n >= count) {
            let message = format!("there is no GPU {wrong}: the NVIDIA driver sees {count}");
            return Err(Error::NoDevice(message));
        }
        let devices: Vec<Device> =
            numbers.iter().map(|&n| Device::new(n)).collect::<Result<_>>()?;
        match devices.first() {
            Some(first) => first.load()?,
            None => return Err(Error::Parameter("at least one GPU is needed".into())),
        }
        Ok(Cuda { devices, chunk: usize::MAX })
    }

    /// The same with at most so many points on a device at a time.
    pub fn with_chunk(self, points: usize) -> Cuda {
        Cuda { chunk: points.max(1), ..self }
    }

    /// The device that does all work but the shared votes.
    fn first(&self) -> &Device {
        &self.devices[0]
    }

    /// Looks for the NVIDIA driver, and does not start it yet.
    ///
    /// # Errors
    /// [`Error::NoDevice`] where there is none.
    pub fn find_driver() -> Result<()> {
        // SAFETY: this opens the driver's library, if there is one, and closes it again.
        if unsafe { sys::is_culib_present() } {
            Ok(())
        } else {
            Err(Error::NoDevice("no NVIDIA driver: libcuda was not found".into()))
        }
    }

    /// Number of GPUs; at least one.
    ///
    /// # Errors
    /// As for [`Cuda::new`].
    pub fn count() -> Result<usize> {
        Cuda::find_driver()?;
        let broken = |e: cudarc::driver::DriverError| {
            Error::NoDevice(format!("the NVIDIA driver does not work: {:?}", e.0))
        };
        cudarc::driver::result::init().map_err(broken)?;
        match CudaContext::device_count().map_err(broken)? {
            n if n > 0 => Ok(n as usize),
            _ => Err(Error::NoDevice("the NVIDIA driver sees no GPU".into())),
        }
    }
}

impl Backend for Cuda {
    fn name(&self) -> String {
        let names: Vec<&str> = self.devices.iter().map(Device::name).collect();
        format!("GPU, {}", names.join(" and "))
    }

    fn accumulator<'a>(&'a self, space: &'a Space) -> Result<Box<dyn Accumulator + 'a>> {
        let parts = self.devices.iter().map(|device| Part::new(device, space));
        Ok(Box::new(CudaAccumulator {
            chunk: self.chunk,
            size: [space.rows() as u32, space.bins() as u32],
            parts: parts.collect::<Result<_>>()?,
            near: None,
            peaks: Peaks::new(self.first())?,
        }))
    }

    fn hold<'a>(&'a self, points: &Points) -> Result<Option<Box<dyn Held + 'a>>> {
        if points.len() < FEWEST_HELD {
            return Ok(None);
        }
        let held = device::if_room(HeldPoints::new(self.first(), points))?;
        Ok(held.map(|held| Box::new(held) as Box<dyn Held>))
    }

    fn slabs(&self, problems: &[Problem]) -> Result<Vec<Slab>> {
        let fits = |p: &Problem| p.points().len() <= lms::MOST_POINTS;
        let done = if problems.iter().all(fits) {
            device::if_room(self.lms(problems, Version::Fast))?
        } else {
            None
        };
        Ok(done.unwrap_or_else(|| crate::lms::slabs(problems)))
    }

    fn sheets(&self, sets: &[Vec<[f32; 3]>]) -> Result<Vec<Option<Sheet>>> {
        let done = device::if_room(sheets::sheets(self.first(), sets))?;
        Ok(done.unwrap_or_else(|| crate::lms::sheets(sets)))
    }

    fn densest_slab(
        &self,
        space: &Space,
        places: &[Weighted],
        slab: usize,
    ) -> Result<Option<(usize, usize)>> {
        if zoom::is_worth(self.first(), space, places, slab) {
            return zoom::densest_slab(self.first(), space, places, slab).map(Some);
        }
        Ok(cpu::densest_slab(space, places, slab))
    }

    fn edges(&self, image: &Image, method: &Method) -> Result<EdgeMap> {
        match self.find_edges(image, method)? {
            Some(edges) => Ok(edges),
            None => EdgeMap::find(image, method),
        }
    }
}

/// The votes that one device has counted.
struct Part<'a> {
    device: &'a Device,
    voting: Voting<'a>,
    counts: CudaSlice<u32>,
}

impl<'a> Part<'a> {
    fn new(device: &'a Device, space: &Space) -> Result<Part<'a>> {
        Ok(Part {
            device,
            voting: Voting::new(device, space)?,
            counts: device.zeros(space.size())?,
        })
    }

    /// Votes with a chunk of points, or with its halves if there is no room for all of it.
    fn vote(&mut self, points: &Points, sign: Sign) -> Result<()> {
        match self.groups(points) {
            Ok((groups, bounds)) => self.voting.vote(&groups, &bounds, sign, &mut self.counts),
            Err(e) if device::is_out_of_memory(&e) && points.len() > SMALLEST_CHUNK => {
                let half = points.len() / 2;
                self.vote(&points.slice(0..half), sign)?;
                self.vote(&points.slice(half..points.len()), sign)
            }
            Err(e) => Err(e),
        }
    }

    fn groups(&self, points: &Points) -> Result<(Groups, Bounds)> {
        let uploaded = DevicePoints::upload(self.device, points)?;
        let bounds = Bounds::of(self.device, &uploaded)?;
        Ok((Groups::new(self.device, &uploaded, &bounds)?, bounds))
    }
}

struct CudaAccumulator<'a> {
    chunk: usize,
    /// Rows and bins.
    size: [u32; 2],
    /// One of each device; the votes are the sum of all of them.
    parts: Vec<Part<'a>>,
    /// The neighbours that were asked for last.
    near: Option<(Neighbours, Near)>,
    peaks: Peaks,
}

impl CudaAccumulator<'_> {
    /// Makes `near` be on the first device.
    fn keep(&mut self, near: &Neighbours) -> Result<()> {
        if self.near.as_ref().is_none_or(|(kept, _)| !kept.is_same(near)) {
            self.near = Some((near.clone(), Near::upload(self.parts[0].device, near)?));
        }
        Ok(())
    }

    /// Brings all votes to the first device.
    fn gather(&mut self) -> Result<()> {
        let Some((first, others)) = self.parts.split_first_mut() else { return Ok(()) };
        let size = self.size[0] * self.size[1];
        for other in others {
            let votes = other.device.download(&other.counts, size as usize)?;
            other.device.clear(&mut other.counts)?;
            let votes = first.device.upload(&votes)?;
            let counts = &mut first.counts;
            launch!(first.device, Kernels::Vote, "add_votes", each(size), counts, &votes, &size)?;
        }
        Ok(())
    }
}

impl Accumulator for CudaAccumulator<'_> {
    fn vote(&mut self, points: &Points, sign: Sign) -> Result<()> {
        let room = |part: &Part| groups::room(part.device);
        let rooms: Vec<usize> = self.parts.iter().map(room).collect::<Result<_>>()?;
        let room = rooms.into_iter().min().unwrap_or(SMALLEST_CHUNK).min(self.chunk);
        // Several devices take turns: two chunks for each, unless they would be small.
        let turns = if self.parts.len() > 1 { 2 * self.parts.len() } else { 1 };
        let chunk = points.len().div_ceil(turns).max(SMALLEST_SHARE).min(room);
        let chunks = Chunks { points, size: chunk, next: AtomicUsize::new(0) };
        let chunks = &chunks;
        thread::scope(|scope| {
            let work = |part| move || chunks.vote(part, sign);
            let threads: Vec<_> =
                self.parts.iter_mut().map(|part| scope.spawn(work(part))).collect();
            // A thread of ours does not panic; if it did, so should we.
            threads
                .into_iter()
                .try_for_each(|t| t.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
        })
    }

    fn vote_near(&mut self, ballots: &Ballots, near: &Neighbours, sign: Sign) -> Result<()> {
        self.keep(near)?;
        let part = &mut self.parts[0];
        match &self.near {
            Some((_, near)) => part.voting.vote_near(ballots, near, sign, &mut part.counts),
            None => Ok(()),
        }
    }

    fn peaks(&mut self, neighbours: &Neighbours, options: PeakOptions) -> Result<Vec<Peak>> {
        self.keep(neighbours)?;
        self.gather()?;
        let Some((_, near)) = &self.near else { return Ok(Vec::new()) };
        let Part { device, counts, .. } = &self.parts[0];
        let left = self.peaks.suppress(device, counts, self.size, near, options)?;
        self.peaks.winners(device, left, options.limit)
    }

    fn counts(&mut self) -> Result<Vec<u32>> {
        self.gather()?;
        let [rows, bins] = self.size;
        self.parts[0].device.download(&self.parts[0].counts, rows as usize * bins as usize)
    }
}

/// Points in chunks, of which each device takes the next as soon as it is free.
struct Chunks<'a> {
    points: &'a Points,
    size: usize,
    next: AtomicUsize,
}

impl Chunks<'_> {
    fn vote(&self, part: &mut Part, sign: Sign) -> Result<()> {
        loop {
            let start = self.next.fetch_add(1, Relaxed).saturating_mul(self.size);
            let end = start.saturating_add(self.size).min(self.points.len());
            if start >= end {
                return Ok(());
            }
            if end - start == self.points.len() {
                part.vote(self.points, sign)?;
            } else {
                part.vote(&self.points.slice(start..end), sign)?;
            }
            part.device.synchronize()?;
        }
    }
}
