//! Sorting and running sums on the device: see `kernels/sort.cu`.

use super::device::Device;
use super::kernels::{Kernels, launch};
use crate::Result;
use cudarc::driver::{CudaSlice, LaunchConfig};

/// Threads of a block, and the keys that one sorts; as in `kernels/sort.cu`.
const THREADS: u32 = 256;
const TILE: u32 = 16 * THREADS;
/// Bits that a pass sorts by.
const DIGIT_BITS: u32 = 8;

/// Keys, each with a value.
pub(super) struct Sorted {
    pub keys: CudaSlice<u64>,
    pub values: CudaSlice<u32>,
}

/// Sorts by the lowest `bits` of the keys; equal keys keep their order.
pub(super) fn sort(device: &Device, mut from: Sorted, n: u32, bits: u32) -> Result<Sorted> {
    let tiles = n.div_ceil(TILE);
    let config =
        LaunchConfig { grid_dim: (tiles, 1, 1), block_dim: (THREADS, 1, 1), shared_mem_bytes: 0 };
    let mut to = Sorted { keys: device.buffer(n as usize)?, values: device.buffer(n as usize)? };
    let mut counts = device.buffer((tiles << DIGIT_BITS) as usize)?;
    for shift in (0..bits).step_by(DIGIT_BITS as usize) {
        launch!(
            device,
            Kernels::Sort,
            "radix_histogram",
            config,
            &from.keys,
            &n,
            &shift,
            &mut counts
        )?;
        scan(device, &mut counts, tiles << DIGIT_BITS)?;
        launch!(
            device,
            Kernels::Sort,
            "radix_scatter",
            config,
            &from.keys,
            &from.values,
            &n,
            &shift,
            &counts,
            &mut to.keys,
            &mut to.values,
        )?;
        std::mem::swap(&mut from, &mut to);
    }
    Ok(from)
}

/// Turns values into their running sums, from zero.
pub(super) fn scan(device: &Device, values: &mut CudaSlice<u32>, n: u32) -> Result<()> {
    let tiles = n.div_ceil(TILE);
    let config =
        LaunchConfig { grid_dim: (tiles, 1, 1), block_dim: (THREADS, 1, 1), shared_mem_bytes: 0 };
    let one = LaunchConfig { grid_dim: (1, 1, 1), block_dim: (THREADS, 1, 1), shared_mem_bytes: 0 };
    let mut totals = device.buffer::<u32>(tiles as usize)?;
    launch!(device, Kernels::Sort, "scan_tiles", config, &mut *values, &n, &mut totals)?;
    launch!(device, Kernels::Sort, "scan_totals", one, &mut totals, &tiles)?;
    launch!(device, Kernels::Sort, "scan_add", config, values, &n, &totals)
}
