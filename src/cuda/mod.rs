//! The GPU backend.
//!
//! Kernels are CUDA C++ in `kernels/`, shipped as PTX: a user needs an NVIDIA driver (525 or later)
//! and a GPU of compute capability 7.5 or later, and nothing else. All `unsafe` of the library but
//! that of the CPU's vectors is here: launching kernels, and memory that they fill.

mod device;
mod groups;
mod held;
mod layers;
pub mod measure;
mod peaks;
pub mod slides;
mod sort;
mod vote;

use crate::backend::{Accumulator, Backend, Held, PeakOptions, Sign};
use crate::frame::Points;
use crate::space::{Neighbours, Space};
use crate::vote::{Ballots, Peak};
use crate::{Error, Result};
use cudarc::driver::{CudaContext, CudaSlice, sys};
use device::Device;
use groups::{Bounds, DevicePoints, Groups};
use held::HeldPoints;
use peaks::Peaks;
use vote::{Near, Voting};

/// Share of the free memory that a chunk of points may take.
const MEMORY_SHARE: f64 = 0.8;
/// A chunk of fewer points is not cut again for want of memory.
const SMALLEST_CHUNK: usize = 1 << 12;

/// Fewer points are cut into cells sooner than they are copied.
const FEWEST_HELD: usize = 1 << 12;

/// An NVIDIA GPU as a backend.
pub struct Cuda {
    device: Device,
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
        Cuda::count()?;
        let device = Device::new(0)?;
        device.load()?;
        Ok(Cuda { device, chunk: usize::MAX })
    }

    /// The same with at most so many points on the device at a time.
    pub fn with_chunk(self, points: usize) -> Cuda {
        Cuda { chunk: points.max(1), ..self }
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
        format!("GPU, {}", self.device.name())
    }

    fn accumulator<'a>(&'a self, space: &'a Space) -> Result<Box<dyn Accumulator + 'a>> {
        let device = &self.device;
        Ok(Box::new(CudaAccumulator {
            device,
            chunk: self.chunk,
            size: [space.rows() as u32, space.bins() as u32],
            voting: Voting::new(device, space)?,
            counts: device.zeros(space.size())?,
            near: None,
            peaks: Peaks::new(device)?,
        }))
    }

    fn hold<'a>(&'a self, points: &Points) -> Result<Option<Box<dyn Held + 'a>>> {
        if points.len() < FEWEST_HELD {
            return Ok(None);
        }
        let held = device::if_room(HeldPoints::new(&self.device, points))?;
        Ok(held.map(|held| Box::new(held) as Box<dyn Held>))
    }
}

struct CudaAccumulator<'a> {
    device: &'a Device,
    chunk: usize,
    /// Rows and bins.
    size: [u32; 2],
    voting: Voting<'a>,
    counts: CudaSlice<u32>,
    /// The neighbours that were asked for last.
    near: Option<(Neighbours, Near)>,
    peaks: Peaks,
}

impl CudaAccumulator<'_> {
    /// Makes `near` be on the device.
    fn keep(&mut self, near: &Neighbours) -> Result<()> {
        if self.near.as_ref().is_none_or(|(kept, _)| !kept.is_same(near)) {
            self.near = Some((near.clone(), Near::upload(self.device, near)?));
        }
        Ok(())
    }

    /// Votes with a chunk of points, or with its halves if there is no room for all of it.
    fn vote_chunk(&mut self, points: &Points, sign: Sign) -> Result<()> {
        match self.groups(points) {
            Ok((groups, bounds)) => self.voting.vote(&groups, &bounds, sign, &mut self.counts),
            Err(e) if device::is_out_of_memory(&e) && points.len() > SMALLEST_CHUNK => {
                let half = points.len() / 2;
                self.vote_chunk(&points.slice(0..half), sign)?;
                self.vote_chunk(&points.slice(half..points.len()), sign)
            }
            Err(e) => Err(e),
        }
    }

    fn groups(&self, points: &Points) -> Result<(Groups, Bounds)> {
        let bounds = Bounds::of(points);
        let uploaded = DevicePoints::upload(self.device, points)?;
        Ok((Groups::new(self.device, &uploaded, &bounds)?, bounds))
    }
}

impl Accumulator for CudaAccumulator<'_> {
    fn vote(&mut self, points: &Points, sign: Sign) -> Result<()> {
        let room = self.device.free_memory()? as f64 * MEMORY_SHARE;
        let chunk = (room as usize / groups::BYTES_A_POINT).clamp(SMALLEST_CHUNK, 1 << 30);
        let chunk = chunk.min(self.chunk);
        for start in (0..points.len()).step_by(chunk) {
            let end = (start + chunk).min(points.len());
            if (start, end) == (0, points.len()) {
                self.vote_chunk(points, sign)?;
            } else {
                self.vote_chunk(&points.slice(start..end), sign)?;
            }
        }
        Ok(())
    }

    fn vote_near(&mut self, ballots: &Ballots, near: &Neighbours, sign: Sign) -> Result<()> {
        self.keep(near)?;
        match &self.near {
            Some((_, near)) => self.voting.vote_near(ballots, near, sign, &mut self.counts),
            None => Ok(()),
        }
    }

    fn peaks(&mut self, neighbours: &Neighbours, options: PeakOptions) -> Result<Vec<Peak>> {
        self.keep(neighbours)?;
        let Some((_, near)) = &self.near else { return Ok(Vec::new()) };
        let left = self.peaks.suppress(self.device, &self.counts, self.size, near, options)?;
        self.peaks.winners(self.device, left, options.limit)
    }

    fn counts(&mut self) -> Result<Vec<u32>> {
        let [rows, bins] = self.size;
        self.device.download(&self.counts, rows as usize * bins as usize)
    }
}
