//! One GPU: its context, its stream and the kernels that are loaded on it.

use crate::{Error, Result};
use cudarc::driver::sys::{CUdevice_attribute, CUevent_flags, CUfunction_attribute};
use cudarc::driver::{
    CudaContext, CudaFunction, CudaModule, CudaSlice, CudaStream, DeviceRepr, DriverError,
    LaunchConfig, ValidAsZeroBits,
};
use rayon::prelude::*;
use std::collections::HashMap;
use std::sync::{Arc, Mutex};

/// So many elements are prepared for by all cores.
const MANY: usize = 1 << 16;

/// A file of kernels, compiled ahead to PTX, which any driver from 525 on turns into machine code.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Kernels {
    Cells,
    Layers,
    Levels,
    Peaks,
    SlidesSuppress,
    SlidesVote,
    SlidesWinners,
    Sort,
    Vote,
}

impl Kernels {
    fn ptx(self) -> &'static str {
        match self {
            Kernels::Cells => include_str!("../../kernels/ptx/cells.ptx"),
            Kernels::Layers => include_str!("../../kernels/ptx/layers.ptx"),
            Kernels::Levels => include_str!("../../kernels/ptx/levels.ptx"),
            Kernels::Peaks => include_str!("../../kernels/ptx/peaks.ptx"),
            Kernels::SlidesSuppress => include_str!("../../kernels/ptx/slides_suppress.ptx"),
            Kernels::SlidesVote => include_str!("../../kernels/ptx/slides_vote.ptx"),
            Kernels::SlidesWinners => include_str!("../../kernels/ptx/slides_winners.ptx"),
            Kernels::Sort => include_str!("../../kernels/ptx/sort.ptx"),
            Kernels::Vote => include_str!("../../kernels/ptx/vote.ptx"),
        }
    }
}

/// Launches a kernel: `launch!(device, Kernels::Vote, "vote_each", config, arguments…)?`.
///
/// The arguments must be those of the kernel, in order and type, and the buffers as long as the
/// kernel asks for.
macro_rules! launch {
    ($device:expr, $kernels:expr, $name:expr, $config:expr, $($arg:expr),+ $(,)?) => {{
        use cudarc::driver::PushKernelArg;
        let device: &$crate::cuda::device::Device = $device;
        let function = device.function($kernels, $name)?;
        let launched = {
            // SAFETY: each call lists the parameters of its kernel, and passes buffers of the lengths
            // that the kernel states; the tests run every kernel, under compute-sanitizer as well.
            unsafe { device.stream().launch_builder(&function)$(.arg($arg))+.launch($config) }
        };
        launched.map(|_| ()).map_err(|e| device.error($name, e))
    }};
}
pub(super) use launch;

/// One GPU.
pub(super) struct Device {
    name: String,
    context: Arc<CudaContext>,
    stream: Arc<CudaStream>,
    modules: Mutex<HashMap<Kernels, Arc<CudaModule>>>,
    functions: Mutex<HashMap<&'static str, CudaFunction>>,
    /// Multiprocessors.
    pub processors: u32,
    /// Shared memory that a block may have, and that a multiprocessor has, in bytes.
    pub block_shared: u32,
    pub processor_shared: u32,
}

impl Device {
    /// The GPU of the given number.
    pub fn new(ordinal: usize) -> Result<Device> {
        let at = format!("GPU {ordinal}");
        let wrong = |e| driver_error(&at, "cannot be used", e);
        let context = CudaContext::new(ordinal).map_err(wrong)?;
        let attribute = |a| context.attribute(a).map(|v| v as u32).map_err(wrong);
        use CUdevice_attribute as A;
        let processors = attribute(A::CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT)?;
        let block_shared = attribute(A::CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN)?;
        let processor_shared =
            attribute(A::CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR)?;
        let (major, minor) = context.compute_capability().map_err(wrong)?;
        let name = context.name().map_err(wrong)?;
        if (major, minor) < (7, 5) {
            let message = format!("compute capability {major}.{minor}; planes needs 7.5 or later");
            return Err(Error::Device { device: name, message });
        }
        let stream = context.default_stream();
        Ok(Device {
            name,
            context,
            stream,
            modules: Mutex::default(),
            functions: Mutex::default(),
            processors,
            block_shared,
            processor_shared,
        })
    }

    /// What the driver calls it: `NVIDIA H200`.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The stream on which everything runs, in order.
    pub fn stream(&self) -> &Arc<CudaStream> {
        &self.stream
    }

    /// What the driver said to an attempt, as an error.
    pub fn error(&self, attempt: &str, error: DriverError) -> Error {
        driver_error(&self.name, attempt, error)
    }

    /// A kernel, loaded when it is first asked for.
    pub fn function(&self, kernels: Kernels, name: &'static str) -> Result<CudaFunction> {
        let mut functions = lock(&self.functions);
        if let Some(function) = functions.get(name) {
            return Ok(function.clone());
        }
        let module = self.module(kernels)?;
        let function = module.load_function(name).map_err(|e| self.error(name, e))?;
        functions.insert(name, function.clone());
        Ok(function)
    }

    /// Loads what every search uses, so that the first does not wait for it.
    pub fn load(&self) -> Result<()> {
        use Kernels::*;
        [Cells, Levels, Layers, Sort, Vote, Peaks]
            .into_iter()
            .try_for_each(|k| self.module(k).map(|_| ()))
    }

    /// A file of kernels, loaded when it is first asked for.
    pub fn module(&self, kernels: Kernels) -> Result<Arc<CudaModule>> {
        let mut modules = lock(&self.modules);
        if let Some(module) = modules.get(&kernels) {
            return Ok(module.clone());
        }
        let module = self
            .context
            .load_module(cudarc::nvrtc::Ptx::from_src(kernels.ptx()))
            .map_err(|e| self.error("loading its kernels", e))?;
        modules.insert(kernels, module.clone());
        Ok(module)
    }

    /// Lets a kernel have so much dynamic shared memory.
    pub fn allow_shared(&self, kernels: Kernels, name: &'static str, bytes: u32) -> Result<()> {
        let attribute = CUfunction_attribute::CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES;
        self.function(kernels, name)?
            .set_attribute(attribute, bytes as i32)
            .map_err(|e| self.error(name, e))
    }

    /// A buffer of zeros.
    pub fn zeros<T: DeviceRepr + ValidAsZeroBits>(&self, n: usize) -> Result<CudaSlice<T>> {
        // A buffer of nothing has no address that a kernel could be given.
        self.stream.alloc_zeros(n.max(1)).map_err(|e| self.error("taking memory", e))
    }

    /// A buffer that is written before it is read.
    pub fn buffer<T: DeviceRepr>(&self, n: usize) -> Result<CudaSlice<T>> {
        // SAFETY: every caller hands the buffer to a kernel or a copy that fills it first; all
        // types used are plain numbers, of which any bits are a value.
        unsafe { self.stream.alloc(n.max(1)) }.map_err(|e| self.error("taking memory", e))
    }

    /// A copy of host data.
    pub fn upload<T: DeviceRepr>(&self, from: &[T]) -> Result<CudaSlice<T>> {
        let mut to = self.buffer(from.len())?;
        if !from.is_empty() {
            self.stream
                .memcpy_htod(from, &mut to.slice_mut(0..from.len()))
                .map_err(|e| self.error("copying to it", e))?;
        }
        Ok(to)
    }

    /// A copy of the first `n` elements of device data.
    pub fn download<T: DeviceRepr + Default + Send>(
        &self,
        from: &CudaSlice<T>,
        n: usize,
    ) -> Result<Vec<T>> {
        // Much new memory is slow to touch for the first time: all cores do it, then one copies.
        let mut to: Vec<T> = match n {
            ..MANY => (0..n).map(|_| T::default()).collect(),
            _ => (0..n).into_par_iter().map(|_| T::default()).collect(),
        };
        if n > 0 {
            self.stream
                .memcpy_dtoh(&from.slice(0..n), &mut to)
                .map_err(|e| self.error("copying from it", e))?;
            self.synchronize()?;
        }
        Ok(to)
    }

    /// One element of device data.
    pub fn get(&self, from: &CudaSlice<u32>, at: usize) -> Result<u32> {
        let mut to = [0];
        self.stream
            .memcpy_dtoh(&from.slice(at..at + 1), &mut to)
            .map_err(|e| self.error("copying from it", e))?;
        self.synchronize()?;
        Ok(to[0])
    }

    /// Sets a buffer to zero.
    pub fn clear<T: DeviceRepr + ValidAsZeroBits>(&self, buffer: &mut CudaSlice<T>) -> Result<()> {
        self.stream.memset_zeros(buffer).map_err(|e| self.error("clearing memory", e))
    }

    /// Waits for everything that was asked of it.
    pub fn synchronize(&self) -> Result<()> {
        self.stream.synchronize().map_err(|e| self.error("running", e))
    }

    /// Free memory, in bytes.
    pub fn free_memory(&self) -> Result<usize> {
        self.context.mem_get_info().map(|(free, _)| free).map_err(|e| self.error("asking", e))
    }

    /// Does something and tells how long the device took for it, in seconds.
    pub fn timed<T>(&self, work: impl FnOnce() -> Result<T>) -> Result<(T, f64)> {
        let mark = || {
            let flags = Some(CUevent_flags::CU_EVENT_DEFAULT);
            self.stream.record_event(flags).map_err(|e| self.error("taking the time", e))
        };
        let start = mark()?;
        let done = work()?;
        let end = mark()?;
        let ms = start.elapsed_ms(&end).map_err(|e| self.error("taking the time", e))?;
        Ok((done, f64::from(ms) / 1e3))
    }
}

/// A thread for each of `n` things.
pub(super) fn each(n: u32) -> LaunchConfig {
    const THREADS: u32 = 256;
    LaunchConfig {
        grid_dim: (n.div_ceil(THREADS).max(1), 1, 1),
        block_dim: (THREADS, 1, 1),
        shared_mem_bytes: 0,
    }
}

/// Whether an error is want of memory.
pub(super) fn is_out_of_memory(error: &Error) -> bool {
    matches!(error, Error::Device { message, .. } if message.contains(OUT_OF_MEMORY))
}

/// What was done, or `None` for want of memory.
pub(super) fn if_room<T>(done: Result<T>) -> Result<Option<T>> {
    match done {
        Ok(done) => Ok(Some(done)),
        Err(error) if is_out_of_memory(&error) => Ok(None),
        Err(error) => Err(error),
    }
}

const OUT_OF_MEMORY: &str = "out of memory";

fn driver_error(device: &str, attempt: &str, error: DriverError) -> Error {
    let said = error.error_string().ok().and_then(|s| s.to_str().ok()).map(str::to_owned);
    let said = said.unwrap_or_else(|| format!("{:?}", error.0));
    Error::Device { device: device.to_owned(), message: format!("{attempt}: {said}") }
}

/// A lock that is taken for a look-up and nothing that could panic.
fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}
