//! Suppression and the winners on the device: see `kernels/peaks.cu`.

use super::device::{Device, Kernels, launch};
use super::vote::Near;
use crate::Result;
use crate::backend::PeakOptions;
use crate::vote::Peak;
use cudarc::driver::{CudaSlice, LaunchConfig};

/// Classes of votes and threads of a block, as in `kernels/peaks.cu`.
const CLASSES: usize = 4096;
const THREADS: u32 = 256;
/// So many peaks more than are asked for are copied as they are.
const FEW: usize = 4096;
/// Room for peaks, to begin with.
const ROOM: usize = 1 << 16;

/// The peaks of one accumulator; keeps its buffers.
pub(super) struct Peaks {
    found: CudaSlice<u64>,
    room: usize,
    length: CudaSlice<u32>,
}

impl Peaks {
    pub fn new(device: &Device) -> Result<Peaks> {
        Ok(Peaks { found: device.buffer(ROOM)?, room: ROOM, length: device.zeros(1)? })
    }

    /// Suppresses what is not the maximum of its neighbourhood; the number of peaks left.
    pub fn suppress(
        &mut self,
        device: &Device,
        counts: &CudaSlice<u32>,
        [rows, bins]: [u32; 2],
        near: &Near,
        options: PeakOptions,
    ) -> Result<usize> {
        loop {
            self.launch(device, counts, [rows, bins], near, options)?;
            let length = device.download(&self.length, 1)?[0] as usize;
            if length <= self.room {
                return Ok(length);
            }
            self.room = length;
            self.found = device.buffer(self.room)?;
        }
    }

    /// Suppresses without asking how many are left.
    pub fn launch(
        &mut self,
        device: &Device,
        counts: &CudaSlice<u32>,
        [rows, bins]: [u32; 2],
        near: &Near,
        options: PeakOptions,
    ) -> Result<()> {
        device.clear(&mut self.length)?;
        let threads = bins.next_power_of_two().clamp(32, THREADS);
        let y = rows.min(32_768);
        let config = LaunchConfig {
            grid_dim: (bins.div_ceil(threads), y, rows.div_ceil(y)),
            block_dim: (threads, 1, 1),
            shared_mem_bytes: 0,
        };
        launch!(
            device,
            Kernels::Peaks,
            "suppress",
            config,
            counts,
            &rows,
            &bins,
            &near.start,
            &near.list,
            &options.rho_radius,
            &options.min_votes.max(1),
            &mut self.found,
            &(self.room as u32),
            &mut self.length,
        )
    }

    /// The best `limit` of the `length` peaks that are left, best first.
    pub fn winners(&mut self, device: &Device, length: usize, limit: usize) -> Result<Vec<Peak>> {
        let keys = if length <= limit.saturating_add(FEW) {
            device.download(&self.found, length)?
        } else {
            self.chosen(device, length, limit)?
        };
        let peak = |key: &u64| Peak { votes: (key >> 32) as u32, index: !(*key as u32) };
        let mut peaks: Vec<Peak> = keys.iter().map(peak).collect();
        peaks.sort_unstable_by_key(Peak::rank);
        peaks.truncate(limit);
        Ok(peaks)
    }

    /// The keys of at least the best `limit` peaks.
    fn chosen(&mut self, device: &Device, length: usize, limit: usize) -> Result<Vec<u64>> {
        let mut classes = device.zeros::<u32>(CLASSES)?;
        let mut chosen = device.buffer::<u64>(length)?;
        let mut chosen_length = device.zeros::<u32>(1)?;
        let blocks = (length as u32).div_ceil(8 * THREADS).min(4 * device.processors);
        let config = LaunchConfig {
            grid_dim: (blocks, 1, 1),
            block_dim: (THREADS, 1, 1),
            shared_mem_bytes: 0,
        };
        let room = self.room as u32;
        launch!(
            device,
            Kernels::Peaks,
            "count_classes",
            config,
            &self.found,
            &self.length,
            &room,
            &mut classes
        )?;
        launch!(
            device,
            Kernels::Peaks,
            "select",
            config,
            &self.found,
            &self.length,
            &room,
            &classes,
            &(limit as u32),
            &mut chosen,
            &(length as u32),
            &mut chosen_length,
        )?;
        let n = device.download(&chosen_length, 1)?[0] as usize;
        device.download(&chosen, n)
    }
}
