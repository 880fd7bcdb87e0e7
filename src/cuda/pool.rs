//! The device's pool of memory.

use cudarc::driver::result::{device, mem_pool};
use cudarc::driver::sys::{CUmemPool_attribute, CUmemoryPool};
use cudarc::driver::{CudaContext, DriverError};
use std::sync::Arc;

/// The memory that buffers are taken from.
///
/// Freed memory stays with the process. Otherwise the system would take it back at every wait and hand it out
/// again, at a millisecond for each large buffer.
pub(super) struct Pool(CUmemoryPool);

// SAFETY: a driver handle that any thread may use, of a pool that lives as long as the device.
unsafe impl Send for Pool {}
// SAFETY: as above.
unsafe impl Sync for Pool {}

impl Pool {
    /// The pool of a device, if it has one.
    pub fn of(context: &Arc<CudaContext>) -> Result<Option<Pool>, DriverError> {
        if !context.has_async_alloc() {
            return Ok(None);
        }
        let mut all = u64::MAX;
        let threshold = CUmemPool_attribute::CU_MEMPOOL_ATTR_RELEASE_THRESHOLD;
        // SAFETY: the device of a living context, its pool, and a value of the attribute's type.
        unsafe {
            let pool = device::get_default_mem_pool(context.cu_device())?;
            mem_pool::set_attribute(pool, threshold, (&raw mut all).cast())?;
            Ok(Some(Pool(pool)))
        }
    }

    /// Bytes that it holds and that are not in use.
    pub fn unused(&self) -> Result<usize, DriverError> {
        let ask = |attribute| {
            let mut value = 0u64;
            // SAFETY: a living pool, and room for a value of the attribute's type.
            unsafe { mem_pool::get_attribute(self.0, attribute, (&raw mut value).cast()) }?;
            Ok(value)
        };
        let reserved = ask(CUmemPool_attribute::CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT)?;
        let used = ask(CUmemPool_attribute::CU_MEMPOOL_ATTR_USED_MEM_CURRENT)?;
        Ok(reserved.saturating_sub(used) as usize)
    }
}
