//! A space that the edges of an image vote in, on the device, and our vote for lists of edges.

use super::device::Device;
use super::kernels::{Kernels, grid, launch};
use super::pixels::Packed;
use crate::line_voters::spaces;
use crate::space::Space;
use crate::{Error, Result};
use cudarc::driver::CudaSlice;

/// Threads of a block that votes for a list, such blocks on a multiprocessor, and the rows that it may
/// have; as in `kernels/lines.cu`.
const VOTERS: u32 = 1024;
const BLOCKS: u32 = 2;
const ROWS: [(u32, &str); 4] =
    [(6, "vote_list_6"), (4, "vote_list_4"), (2, "vote_list_2"), (1, "vote_list_1")];

/// A space on the device, with its accumulator.
pub(super) struct ImageSpace {
    pub table: CudaSlice<[f32; 4]>,
    /// Slope and offset of each row, in one of the two Cartesian spaces.
    pub slopes: CudaSlice<[f32; 2]>,
    pub counts: CudaSlice<u32>,
    pub rows: u32,
    pub bins: u32,
}

impl ImageSpace {
    /// A space; of the two Cartesian ones, that in which lines are columns or the other.
    pub fn new(device: &Device, space: &Space, lines_are_columns: bool) -> Result<ImageSpace> {
        Ok(ImageSpace {
            table: device.upload(&space.vote_table())?,
            slopes: device.upload(&spaces::slopes(space, lines_are_columns))?,
            counts: device.zeros(space.size())?,
            rows: space.rows() as u32,
            bins: space.bins() as u32,
        })
    }

    pub fn size(&self) -> u32 {
        self.rows * self.bins
    }

    /// Lets every edge of a list vote, relative to an origin; the counts begin as zeros.
    pub fn vote_list(&mut self, device: &Device, edges: &Packed, [x, y]: [i32; 2]) -> Result<()> {
        // Two blocks share a multiprocessor, unless a row is too long.
        let half = device.processor_shared / BLOCKS - 1024;
        let bytes = |rows: u32| rows.saturating_mul(self.bins).saturating_mul(4);
        let fits = |&(rows, _): &(u32, &str)| rows <= self.rows && bytes(rows) <= half;
        let (rows, kernel) = ROWS.into_iter().find(fits).unwrap_or(ROWS[3]);
        let shared = room_for(device, Kernels::Lines, kernel, rows.saturating_mul(self.bins))?;
        let groups = self.rows.div_ceil(rows);
        let blocks = if shared <= half { BLOCKS } else { 1 };
        let shares = (blocks * device.processors / groups).clamp(1, 65_535);
        launch!(
            device,
            Kernels::Lines,
            kernel,
            grid(groups, shares, VOTERS, shared),
            &edges.list,
            &edges.lengths,
            &x,
            &y,
            &self.table,
            &self.rows,
            &self.bins,
            &mut self.counts
        )
    }
}

/// Lets a kernel have so many words of shared memory; their bytes.
pub(super) fn room_for(
    device: &Device,
    kernels: Kernels,
    kernel: &'static str,
    words: u32,
) -> Result<u32> {
    let bytes = words.saturating_mul(4);
    if bytes > device.block_shared {
        let message = format!(
            "{kernel} needs {bytes} bytes of shared memory for a row; the device has {}",
            device.block_shared
        );
        return Err(Error::Parameter(message));
    }
    device.allow_shared(kernels, kernel, bytes)?;
    Ok(bytes)
}
