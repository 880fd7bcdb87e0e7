//! A space that the edges of an image vote in, on the device, and our vote for lists of edges.

use crate::cuda::device::Device;
use crate::cuda::kernels::lines;
use crate::cuda::launch::grid;
use crate::cuda::pixels::Packed;
use crate::shared::{LIST_BLOCKS, LIST_VOTERS};
use crate::space::{Space, slopes};
use crate::{Error, Result};
use cudarc::driver::CudaSlice;

/// Numbers of rows that a block of the list vote may have.
const ROWS: [u32; 4] = [6, 4, 2, 1];

/// A space on the device, with its accumulator.
pub(in crate::papers) struct ImageSpace {
    pub table: CudaSlice<[f32; 4]>,
    /// Slope and offset of each row, in one of the two Cartesian spaces.
    pub slopes: CudaSlice<[f32; 2]>,
    pub counts: CudaSlice<u32>,
    pub rows: u32,
    pub bins: u32,
}

impl ImageSpace {
    /// A space; `lines_are_columns` says which of the two Cartesian spaces it is.
    pub fn new(device: &Device, space: &Space, lines_are_columns: bool) -> Result<ImageSpace> {
        Ok(ImageSpace {
            table: device.upload(&space.vote_table())?,
            slopes: device.upload(&slopes(space, lines_are_columns))?,
            counts: device.zeros(space.size())?,
            rows: space.rows() as u32,
            bins: space.bins() as u32,
        })
    }

    pub fn size(&self) -> u32 {
        self.rows * self.bins
    }

    /// Lets every edge of a list vote, relative to an origin; the counts must start as zeros.
    pub fn vote_list(&mut self, device: &Device, edges: &Packed, [x, y]: [i32; 2]) -> Result<()> {
        // Two blocks share a multiprocessor, unless a row is too long.
        let half = device.processor_shared / LIST_BLOCKS - 1024;
        let bytes = |rows: u32| rows.saturating_mul(self.bins).saturating_mul(4);
        let fits = |&rows: &u32| rows <= self.rows && bytes(rows) <= half;
        let rows = ROWS.into_iter().find(fits).unwrap_or(ROWS[3]);
        let name = format!("vote_list_{rows}");
        let shared = room_for(device, &name, rows.saturating_mul(self.bins))?;
        let groups = self.rows.div_ceil(rows);
        let blocks = if shared <= half { LIST_BLOCKS } else { 1 };
        let shares = (blocks * device.processors / groups).clamp(1, 65_535);
        let vote = match rows {
            6 => lines::vote_list_6,
            4 => lines::vote_list_4,
            2 => lines::vote_list_2,
            _ => lines::vote_list_1,
        };
        let config = grid(groups, shares, LIST_VOTERS, shared);
        let (list, lengths) = (&edges.list, &edges.lengths);
        let ImageSpace { table, rows, bins, counts, .. } = self;
        vote(device, config, list, lengths, x, y, table, *rows, *bins, counts)
    }
}

/// The number of bytes of `words` words of shared memory; an error if a block may not have that many.
pub(super) fn room_for(device: &Device, kernel: &str, words: u32) -> Result<u32> {
    let bytes = words.saturating_mul(4);
    if bytes > device.block_shared {
        let message = format!(
            "{kernel} needs {bytes} bytes of shared memory for a row; the device has {}",
            device.block_shared
        );
        return Err(Error::Parameter(message));
    }
    Ok(bytes)
}
