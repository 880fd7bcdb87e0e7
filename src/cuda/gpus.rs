//! The GPUs of a machine.

use super::device::Device;
use super::kernels;
use crate::{Error, Result};
use cudarc::driver::{CudaContext, sys};

/// NVIDIA GPUs as a backend.
///
/// The first does all the work; the others help when every point votes for every direction.
pub struct Cuda {
    pub(super) devices: Vec<Device>,
    /// Most points that vote at a time.
    pub(super) chunk: usize,
}

impl Cuda {
    /// The first GPU.
    ///
    /// # Errors
    /// [`Error::NoDevice`] if there is no driver or no GPU, with what was looked for; [`Error::Device`] for a
    /// GPU that does not work.
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

    /// The same with at most `points` points on a device at a time.
    pub fn with_chunk(self, points: usize) -> Cuda {
        Cuda { chunk: points.max(1), ..self }
    }

    /// Makes the buffer of the first device fail that is taken after `buffers` others, as if there were no
    /// memory for it.
    #[doc(hidden)]
    pub fn fail_after(&self, buffers: usize) {
        self.first().fail_after(buffers);
    }

    /// The device that does all work except the shared votes.
    pub(crate) fn first(&self) -> &Device {
        &self.devices[0]
    }

    /// Looks for the NVIDIA driver without starting it.
    ///
    /// # Errors
    /// [`Error::NoDevice`] if there is none.
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
