//! Sorting and prefix sums on the device: see `kernels/sort.cu`.

use super::device::Device;
use super::kernels;
use super::launch::grid;
use crate::Result;
use crate::shared::{SORT_DIGIT_BITS, SORT_ITEMS, SORT_THREADS};
use cudarc::driver::CudaSlice;

/// Keys that a block sorts.
const TILE: u32 = SORT_ITEMS * SORT_THREADS;

/// Keys, each with a value.
pub(super) struct Sorted {
    pub keys: CudaSlice<u64>,
    pub values: CudaSlice<u32>,
}

/// Sorts by the lowest `bits` of the keys; equal keys keep their order.
pub(super) fn sort(device: &Device, mut from: Sorted, n: u32, bits: u32) -> Result<Sorted> {
    let tiles = n.div_ceil(TILE);
    let config = grid(tiles, 1, SORT_THREADS, 0);
    let mut to = Sorted { keys: device.buffer(n as usize)?, values: device.buffer(n as usize)? };
    let mut counts = device.buffer((tiles << SORT_DIGIT_BITS) as usize)?;
    for shift in (0..bits).step_by(SORT_DIGIT_BITS as usize) {
        kernels::sort::radix_histogram(device, config, &from.keys, n, shift, &mut counts)?;
        scan(device, &mut counts, tiles << SORT_DIGIT_BITS)?;
        kernels::sort::radix_scatter(
            device,
            config,
            &from.keys,
            &from.values,
            n,
            shift,
            &counts,
            &mut to.keys,
            &mut to.values,
        )?;
        std::mem::swap(&mut from, &mut to);
    }
    Ok(from)
}

/// Replaces values by their exclusive prefix sums.
pub(super) fn scan(device: &Device, values: &mut CudaSlice<u32>, n: u32) -> Result<()> {
    let tiles = n.div_ceil(TILE);
    let config = grid(tiles, 1, SORT_THREADS, 0);
    let one = grid(1, 1, SORT_THREADS, 0);
    let mut totals = device.buffer::<u32>(tiles as usize)?;
    kernels::sort::scan_tiles(device, config, values, n, &mut totals)?;
    kernels::sort::scan_totals(device, one, &mut totals, tiles)?;
    kernels::sort::scan_add(device, config, values, n, &totals)
}
