//! The densest slab of a small space on the device: see `kernels/zoom.cu`.

use super::device::Device;
use super::kernels::zoom;
use super::launch::grid;
use crate::Result;
use crate::backend::Weighted;
use crate::space::Space;

/// Threads of a block.
const THREADS: u32 = 256;
/// Fewer votes than this are counted by the CPU faster than they are copied.
const FEWEST_VOTES: usize = 1 << 17;

/// Whether it is worth asking the device: for enough votes, and rows that fit.
pub(super) fn is_worth(device: &Device, space: &Space, places: &[Weighted], slab: usize) -> bool {
    places.len() * space.rows() >= FEWEST_VOTES
        && row_bytes(space) <= device.block_shared as usize
        && slab <= space.bins()
}

fn row_bytes(space: &Space) -> usize {
    space.bins() * size_of::<u32>()
}

/// The row and the first bin of the slab; see [`Backend::densest_slab`](crate::backend::Backend).
pub(super) fn densest_slab(
    device: &Device,
    space: &Space,
    places: &[Weighted],
    slab: usize,
) -> Result<(usize, usize)> {
    let packed: Vec<[u32; 4]> = places
        .iter()
        .map(|&Weighted { at: [x, y, z], weight }| [x.to_bits(), y.to_bits(), z.to_bits(), weight])
        .collect();
    let (table, packed) = (device.upload(&space.vote_table())?, device.upload(&packed)?);
    let mut best = device.zeros::<u64>(1)?;
    let config = grid(space.rows() as u32, 1, THREADS, row_bytes(space) as u32);
    let (bins, n, slab) = (space.bins() as u32, places.len() as u32, slab as u32);
    zoom::densest_slab(device, config, &table, bins, &packed, n, slab, &mut best)?;
    let index = !(device.download(&best, 1)?[0] as u32) as usize;
    Ok((index / space.bins(), index % space.bins()))
}
