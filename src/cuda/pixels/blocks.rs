//! Blocks of threads that process pixels.

use super::super::device::Device;
use super::super::launch::grid;
use crate::shared::PIXEL_THREADS;
use cudarc::driver::LaunchConfig;

/// Blocks that take turns on a multiprocessor.
const BLOCKS: u32 = 4;

/// A launch of `n` blocks.
pub(super) fn blocks(n: u32) -> LaunchConfig {
    grid(n, 1, PIXEL_THREADS, 0)
}

/// As many blocks as take turns on the device.
pub(super) fn turns(device: &Device) -> LaunchConfig {
    blocks(BLOCKS * device.processors)
}
