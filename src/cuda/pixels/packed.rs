//! Edges in bits and as a list.

use super::super::device::Device;
use super::super::kernels::pixels;
use super::blocks::blocks;
use crate::Result;
use crate::shared::{PIXEL_THREADS, WARP};
use cudarc::driver::CudaSlice;

/// Edges in bits and as a list.
pub(crate) struct Packed {
    /// Lines of bits: rows, and columns.
    pub upright: CudaSlice<u32>,
    pub rotated: CudaSlice<u32>,
    /// Row in the upper half, column in the lower half; unordered.
    pub list: CudaSlice<u32>,
    /// Number of edges in the list, and a counter for later kernels; both are cleared before the list is
    /// filled.
    pub lengths: CudaSlice<u32>,
    /// Stands in where there are no counts to clear.
    none: CudaSlice<u32>,
    size: [u32; 2],
}

impl Packed {
    pub fn new(device: &Device, [width, height]: [u32; 2]) -> Result<Packed> {
        let words = |lines: u32, length: u32| lines as usize * length.div_ceil(WARP) as usize;
        Ok(Packed {
            upright: device.buffer(words(height, width))?,
            rotated: device.buffer(words(width, height))?,
            list: device.buffer(width as usize * height as usize)?,
            lengths: device.zeros(2)?,
            none: device.zeros(1)?,
            size: [width, height],
        })
    }

    /// Takes the pixels above a threshold, or with `dark` the others, as bits and, if wanted, as a list.
    /// Clears `counts` on the way. `levels` must have [`PIXEL_MARGIN`](crate::shared::PIXEL_MARGIN) more
    /// bytes after the pixels.
    pub fn fill(
        &mut self,
        device: &Device,
        levels: &CudaSlice<u8>,
        threshold: &CudaSlice<u32>,
        dark: bool,
        wants_list: bool,
        counts: Option<&mut CudaSlice<u32>>,
    ) -> Result<()> {
        let [width, height] = self.size;
        let size = counts.as_ref().map_or(0, |counts| counts.len() as u32);
        let counts = counts.unwrap_or(&mut self.none);
        device.clear(&mut self.lengths)?;
        let tiles = width.div_ceil(WARP) * height.div_ceil(WARP);
        pixels::pack_edges(
            device,
            blocks(tiles.div_ceil(PIXEL_THREADS / WARP)),
            levels,
            width,
            height,
            threshold,
            u32::from(dark),
            &mut self.upright,
            &mut self.rotated,
            u32::from(wants_list),
            &mut self.list,
            &mut self.lengths,
            counts,
            size,
        )
    }
}
