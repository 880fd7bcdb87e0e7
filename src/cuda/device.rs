//! One GPU: its context, its streams, its memory and the kernels loaded on it.

use super::module::Module;
use super::pool::Pool;
use super::staging::{LARGE, Staging};
use crate::{Error, Result};
use cudarc::driver::sys::{self, CUdevice_attribute, CUfunction_attribute, CUresult};
use cudarc::driver::{
    CudaContext, CudaEvent, CudaFunction, CudaModule, CudaSlice, CudaStream, CudaView, CudaViewMut,
    DeviceRepr, DriverError, ValidAsZeroBits,
};
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, Mutex};

/// A result of the driver.
type Driver<T> = std::result::Result<T, DriverError>;

/// One GPU.
pub(crate) struct Device {
    name: String,
    context: Arc<CudaContext>,
    stream: Arc<CudaStream>,
    /// For copies that run beside the kernels.
    copies: Arc<CudaStream>,
    modules: Mutex<HashMap<&'static str, Arc<CudaModule>>>,
    /// Kernels, each with the dynamic shared memory that it may use.
    functions: Mutex<HashMap<&'static str, (CudaFunction, u32)>>,
    /// For large copies; created when first needed.
    staging: Mutex<Vec<Staging>>,
    pool: Option<Pool>,
    /// Buffers that may be taken before one fails; `usize::MAX` if none shall fail.
    left: AtomicUsize,
    /// Whether it was shut down.
    is_down: AtomicBool,
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
        let wrong = |e: DriverError| driver_error(&at, "cannot be used", e);
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
        // SAFETY: work on the second stream is ordered by our own events: see `upload_beside`.
        unsafe { context.disable_event_tracking() };
        let stream = context.default_stream();
        let copies = context.new_stream().map_err(wrong)?;
        let pool = Pool::of(&context).map_err(wrong)?;
        Ok(Device {
            name,
            context,
            stream,
            copies,
            modules: Mutex::default(),
            functions: Mutex::default(),
            staging: Mutex::default(),
            pool,
            left: AtomicUsize::new(usize::MAX),
            is_down: AtomicBool::new(false),
            processors,
            block_shared,
            processor_shared,
        })
    }

    /// The driver's name for it: `NVIDIA H200`.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The stream on which all kernels run, in order.
    pub fn stream(&self) -> &Arc<CudaStream> {
        &self.stream
    }

    /// An error for an attempt that the driver refused.
    pub fn error(&self, attempt: &str, error: DriverError) -> Error {
        driver_error(&self.name, attempt, error)
    }

    /// A kernel that may use this much dynamic shared memory, loaded when first needed.
    pub fn function(
        &self,
        module: &Module,
        name: &'static str,
        shared: u32,
    ) -> Result<CudaFunction> {
        let mut functions = lock(&self.functions);
        let (function, allowed) = match functions.entry(name) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(new) => {
                let loaded = self.module(module)?.load_function(name);
                new.insert((loaded.map_err(|e| self.error(name, e))?, 0))
            }
        };
        // Never reduced: another thread may be about to launch with what it was allowed.
        if shared > *allowed {
            let attribute = CUfunction_attribute::CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES;
            let set = function.set_attribute(attribute, shared as i32);
            set.map_err(|e| self.error(name, e))?;
            *allowed = shared;
        }
        Ok(function.clone())
    }

    /// Loads files of kernels and creates the buffers for copies, so that the first search does not wait.
    pub fn load(&self, modules: &[&Module]) -> Result<()> {
        self.with_staging(|_| Ok(()))?;
        modules.iter().try_for_each(|module| self.module(module).map(|_| ()))
    }

    /// A file of kernels, loaded when first needed.
    pub fn module(&self, module: &Module) -> Result<Arc<CudaModule>> {
        let mut modules = lock(&self.modules);
        if let Some(loaded) = modules.get(module.name) {
            return Ok(loaded.clone());
        }
        let loaded = self
            .context
            .load_module(cudarc::nvrtc::Ptx::from_src(module.ptx))
            .map_err(|e| self.error("loading its kernels", e))?;
        modules.insert(module.name, loaded.clone());
        Ok(loaded)
    }

    /// Makes the buffer fail that is taken after `buffers` others, as if there were no memory for it. For
    /// tests of running out of memory.
    pub fn fail_after(&self, buffers: usize) {
        self.left.store(buffers, Relaxed);
    }

    /// Destroys everything that this process has on the device, which must not be used or dropped from then on. It gives
    /// out no more buffers.
    pub fn shut_down(&'static self) {
        if !self.is_down.swap(true, Relaxed) {
            // A failure changes nothing: the system does the same when the process ends.
            // SAFETY: the caller has dropped all that was made on the device, and its own streams, modules and buffers for
            // copies are never dropped: it lives as long as the process.
            let _ = unsafe { sys::cuDevicePrimaryCtxReset_v2(self.context.cu_device()) };
        }
    }

    /// Counts a buffer, if one shall fail.
    fn take(&self) -> Result<()> {
        let is_up = !self.is_down.load(Relaxed);
        if is_up && self.left.load(Relaxed) == usize::MAX {
            return Ok(());
        }
        match is_up && self.left.fetch_sub(1, Relaxed) > 0 {
            true => Ok(()),
            false => {
                Err(self.error("taking memory", DriverError(CUresult::CUDA_ERROR_OUT_OF_MEMORY)))
            }
        }
    }

    /// A buffer of zeros.
    pub fn zeros<T: DeviceRepr + ValidAsZeroBits>(&self, n: usize) -> Result<CudaSlice<T>> {
        self.take()?;
        // An empty buffer has no address that could be passed to a kernel.
        self.stream.alloc_zeros(n.max(1)).map_err(|e| self.error("taking memory", e))
    }

    /// A buffer that is written before it is read.
    pub fn buffer<T: DeviceRepr>(&self, n: usize) -> Result<CudaSlice<T>> {
        self.take()?;
        // SAFETY: every caller passes the buffer to a kernel or a copy that fills it first; all types used
        // are plain numbers, for which any bits are a value.
        unsafe { self.stream.alloc(n.max(1)) }.map_err(|e| self.error("taking memory", e))
    }

    /// A copy of host data.
    pub fn upload<T: DeviceRepr>(&self, from: &[T]) -> Result<CudaSlice<T>> {
        let mut to = self.buffer(from.len())?;
        self.upload_into(from, &mut to.slice_mut(0..))?;
        Ok(to)
    }

    /// Copies host data to the front of a part of a buffer that has room for it.
    pub fn upload_into<T: DeviceRepr>(&self, from: &[T], to: &mut CudaViewMut<T>) -> Result<()> {
        let size = size_of_val(from);
        if size < LARGE {
            let done = match from.len() {
                0 => Ok(()),
                n => self.stream.memcpy_htod(from, &mut to.slice_mut(0..n)),
            };
            return done.map_err(|e| self.error("copying to it", e));
        }
        // SAFETY: types that the device represents have plain bits, and any memory is bytes.
        let from = unsafe { std::slice::from_raw_parts(from.as_ptr().cast::<u8>(), size) };
        // SAFETY: the same on the device's side.
        let Some(mut to) = (unsafe { to.transmute_mut::<u8>(size) }) else {
            return Err(self.mistake("a copy is longer than its buffer"));
        };
        self.with_staging(|staging| staging.upload(&self.stream, from, &mut to))
    }

    /// Copies host data to a part of a buffer while the kernels queued before may run. Kernels queued from
    /// now on find the data there.
    ///
    /// The buffer must have been taken, and its previous use must be done, before an event that was passed to
    /// [`copies_after`](Device::copies_after).
    pub fn upload_beside<T: DeviceRepr>(
        &self,
        from: &[T],
        buffer: &mut CudaSlice<T>,
        to: Range<usize>,
    ) -> Result<()> {
        let bytes = to.start * size_of::<T>()..to.start * size_of::<T>() + size_of_val(from);
        // SAFETY: types that the device represents have plain bits, and any memory is bytes.
        let from = unsafe { std::slice::from_raw_parts(from.as_ptr().cast::<u8>(), bytes.len()) };
        let all = buffer.num_bytes();
        // SAFETY: the same on the device's side.
        let whole = unsafe { buffer.transmute_mut::<u8>(all) };
        let Some(mut to) =
            whole.filter(|_| bytes.end <= all && to.len() == from.len() / size_of::<T>())
        else {
            return Err(self.mistake("a copy is longer than its buffer"));
        };
        let mut to = to.slice_mut(bytes);
        let copied = self.with_staging(|staging| staging.upload(&self.copies, from, &mut to));
        // Even a copy that failed must have ended before the memory is used for something else.
        self.stream.join(&self.copies).map_err(|e| self.error("copying to it", e))?;
        copied
    }

    /// Makes later copies beside the kernels wait for an event.
    pub fn copies_after(&self, event: &CudaEvent) -> Result<()> {
        self.copies.wait(event).map_err(|e| self.error("copying to it", e))
    }

    /// The moment when all kernels queued so far are done.
    pub fn event(&self) -> Result<CudaEvent> {
        self.stream.record_event(None).map_err(|e| self.error("running", e))
    }

    /// A copy of the first `n` elements of device data.
    pub fn download<T: DeviceRepr + Default + Clone>(
        &self,
        from: &CudaSlice<T>,
        n: usize,
    ) -> Result<Vec<T>> {
        let mut to = vec![T::default(); n];
        self.download_into(from, &mut to)?;
        Ok(to)
    }

    /// Copies the first elements of device data, as many as fit into `to`.
    pub fn download_into<T: DeviceRepr>(&self, from: &CudaSlice<T>, to: &mut [T]) -> Result<()> {
        let size = size_of_val(to);
        if size < LARGE {
            if !to.is_empty() {
                self.stream
                    .memcpy_dtoh(&from.slice(0..to.len()), to)
                    .map_err(|e| self.error("copying from it", e))?;
                self.synchronize()?;
            }
            return Ok(());
        }
        // SAFETY: types that the device represents have plain bits: any bytes are a value.
        let bytes = unsafe { std::slice::from_raw_parts_mut(to.as_mut_ptr().cast::<u8>(), size) };
        // SAFETY: any memory of the device is bytes.
        let Some(from) = (unsafe { from.transmute::<u8>(size) }) else {
            return Err(self.mistake("a copy is longer than its buffer"));
        };
        self.with_staging(|staging| staging.download(&self.stream, &from, bytes))
    }

    /// Copies data on the device to the front of an array in the constant memory of a file of kernels.
    pub fn fill_constant<T: DeviceRepr>(
        &self,
        (module, array): (&Module, &str),
        from: &CudaView<T>,
    ) -> Result<()> {
        let wrong = |e| self.error("copying to constant memory", e);
        let module = self.module(module)?;
        let mut memory = module.get_global(array, &self.stream).map_err(wrong)?;
        // SAFETY: types that the device represents have plain bits, any of which are a value; the view checks
        // whether there is room for them.
        let Some(mut to) = (unsafe { memory.transmute_mut::<T>(from.len()) }) else {
            return Err(self.mistake("a copy is longer than its buffer"));
        };
        self.stream.memcpy_dtod(from, &mut to).map_err(wrong)
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

    /// Copies through staging buffers that no other thread uses, or new ones.
    fn with_staging(&self, copy: impl FnOnce(&mut Staging) -> Driver<()>) -> Result<()> {
        let wrong = |e: DriverError| self.error("copying", e);
        // No lock is held while rayon's threads copy: one of them may enter this function with other work.
        let free = lock(&self.staging).pop();
        let mut staging = match free {
            Some(staging) => staging,
            None => Staging::new(&self.context).map_err(wrong)?,
        };
        let copied = copy(&mut staging).map_err(wrong);
        lock(&self.staging).push(staging);
        copied
    }

    /// An error for a mistake in this crate.
    pub fn mistake(&self, message: &str) -> Error {
        Error::Device { device: self.name.clone(), message: message.into() }
    }

    /// Sets a buffer to zero.
    pub fn clear<T: DeviceRepr + ValidAsZeroBits>(&self, buffer: &mut CudaSlice<T>) -> Result<()> {
        self.stream.memset_zeros(buffer).map_err(|e| self.error("clearing memory", e))
    }

    /// Waits for everything that was queued.
    pub fn synchronize(&self) -> Result<()> {
        self.stream.synchronize().map_err(|e| self.error("running", e))
    }

    /// Free memory, in bytes.
    pub fn free_memory(&self) -> Result<usize> {
        let wrong = |e: DriverError| self.error("asking", e);
        let (free, _) = self.context.mem_get_info().map_err(wrong)?;
        Ok(free + self.pool.as_ref().map_or(Ok(0), Pool::unused).map_err(wrong)?)
    }
}

/// The result, or `None` if memory ran out.
pub(super) fn if_room<T>(done: Result<T>) -> Result<Option<T>> {
    match done {
        Ok(done) => Ok(Some(done)),
        Err(Error::DeviceMemory { .. }) => Ok(None),
        Err(error) => Err(error),
    }
}

fn driver_error(device: &str, attempt: &str, error: DriverError) -> Error {
    let said = error.error_string().ok().and_then(|s| s.to_str().ok()).map(str::to_owned);
    let said = said.unwrap_or_else(|| format!("{:?}", error.0));
    let (device, message) = (device.to_owned(), format!("{attempt}: {said}"));
    match error.0 {
        CUresult::CUDA_ERROR_OUT_OF_MEMORY => Error::DeviceMemory { device, message },
        _ => Error::Device { device, message },
    }
}

/// A lock that is held only for operations that cannot panic.
fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}
