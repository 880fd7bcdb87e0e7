//! The GPU backend.
//!
//! Kernels are CUDA C++ in `kernels/`, shipped as PTX: a user needs an NVIDIA driver (525 or later)
//! and a GPU of compute capability 7.5 or later, and nothing else. All `unsafe` of the library but
//! that of the CPU's vectors is here: launching kernels, and memory that they fill.

mod accumulator;
mod arriving;
mod chunks;
mod clock;
mod cut;
mod device;
mod groups;
mod held;
mod image_space;
mod kernels;
mod labels;
mod launch;
mod layers;
mod layouts;
mod levels;
pub mod line_bins;
pub mod line_voters;
pub mod lms;
pub mod measure;
mod module;
mod part;
mod peaks;
mod pixels;
mod pool;
mod sheets;
pub mod slides;
mod sort;
mod staging;
mod vote;
mod zoom;

use crate::backend::{Accumulator, Backend, Receiver, Weighted};
use crate::cpu;
use crate::image::{EdgeMap, Image, Method};
use crate::lms::{Problem, Sheet, Slab, Version};
use crate::space::Space;
use crate::{Error, Result};
use accumulator::CudaAccumulator;
use arriving::Arriving;
use cudarc::driver::{CudaContext, sys};
use device::Device;

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
            Some(first) => first.load(kernels::OF_EVERY_SEARCH)?,
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
        Ok(Box::new(CudaAccumulator::new(&self.devices, space, self.chunk)?))
    }

    fn receive<'a>(&'a self, most: usize) -> Result<Option<Box<dyn Receiver<'a> + 'a>>> {
        if most < FEWEST_HELD {
            return Ok(None);
        }
        let arriving = device::if_room(Arriving::new(self.first(), most))?;
        Ok(arriving.map(|arriving| Box::new(arriving) as Box<dyn Receiver>))
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
