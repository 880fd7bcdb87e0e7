//! Suppression and the winners on the device: see `kernels/peaks.cu`.

use super::device::Device;
use super::kernels::peaks;
use super::launch::grid;
use super::vote::Near;
use crate::Result;
use crate::backend::PeakOptions;
use crate::shared::{PEAK_BINS, PEAK_THREADS, VOTE_CLASSES};
use crate::vote::Peak;
use cudarc::driver::CudaSlice;

/// Up to this many more peaks than requested are copied unselected.
const FEW: usize = 4096;
/// Initial room for peaks.
const ROOM: usize = 1 << 16;

/// The peaks of one accumulator; keeps its buffers.
pub(super) struct Peaks {
    /// For every bin, the largest count nearby in its row; created when first needed.
    maxima: Option<CudaSlice<u32>>,
    /// The bins that are the largest nearby in their row; created together with `maxima`.
    candidates: Option<CudaSlice<u32>>,
    found: CudaSlice<u64>,
    pending: CudaSlice<u32>,
    /// The room of both, in elements.
    room: usize,
    /// The lengths of both, and that of the candidates.
    lengths: CudaSlice<u32>,
}

impl Peaks {
    pub fn new(device: &Device) -> Result<Peaks> {
        Ok(Peaks {
            maxima: None,
            candidates: None,
            found: device.buffer(ROOM)?,
            pending: device.buffer(ROOM)?,
            room: ROOM,
            lengths: device.zeros(3)?,
        })
    }

    /// Suppresses all bins that are not the maximum of their neighbourhood; returns the number of peaks left.
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
            let lengths = device.download(&self.lengths, 2)?;
            let most = lengths[0].max(lengths[1]) as usize;
            if most <= self.room {
                return Ok(lengths[0] as usize);
            }
            // Pending bins may be added to those found.
            self.room = (lengths[0] + lengths[1]) as usize;
            self.found = device.buffer(self.room)?;
            self.pending = device.buffer(self.room)?;
        }
    }

    fn launch(
        &mut self,
        device: &Device,
        counts: &CudaSlice<u32>,
        [rows, bins]: [u32; 2],
        near: &Near,
        options: PeakOptions,
    ) -> Result<()> {
        device.clear(&mut self.lengths)?;
        let radius = options.rho_radius.min(bins);
        let maxima = match &mut self.maxima {
            Some(maxima) => maxima,
            none => none.insert(device.buffer(rows as usize * bins as usize)?),
        };
        // Two candidates of a row are farther apart than the radius.
        let most = rows as usize * bins.div_ceil(radius + 1) as usize;
        let candidates = match &mut self.candidates {
            Some(candidates) if candidates.len() >= most => candidates,
            none => none.insert(device.buffer(most)?),
        };
        let room = self.room as u32;
        let quads = u64::from(rows) * u64::from(bins.div_ceil(PEAK_BINS));
        let blocks = quads.div_ceil(u64::from(PEAK_THREADS)) as u32;
        let all = grid(blocks, 1, PEAK_THREADS, 0);
        peaks::row_maxima(
            device,
            all,
            counts,
            rows,
            bins,
            radius,
            options.min_votes.max(1),
            maxima,
            candidates,
            &mut self.lengths,
        )?;
        let config = grid(8 * device.processors, 1, PEAK_THREADS, 0);
        peaks::suppress(
            device,
            config,
            counts,
            maxima,
            bins,
            &near.start,
            &near.list,
            candidates,
            &mut self.found,
            &mut self.pending,
            room,
            &mut self.lengths,
        )?;
        let config = grid(4 * device.processors, 1, PEAK_THREADS, 0);
        peaks::suppress_pending(
            device,
            config,
            counts,
            maxima,
            bins,
            &near.start,
            &near.list,
            &mut self.found,
            &self.pending,
            room,
            &mut self.lengths,
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
        let mut classes = device.zeros::<u32>(VOTE_CLASSES)?;
        let mut chosen = device.buffer::<u64>(length)?;
        let mut chosen_length = device.zeros::<u32>(1)?;
        let blocks = (length as u32).div_ceil(8 * PEAK_THREADS).min(4 * device.processors);
        let config = grid(blocks, 1, PEAK_THREADS, 0);
        let room = self.room as u32;
        peaks::count_classes(device, config, &self.found, &self.lengths, room, &mut classes)?;
        peaks::select(
            device,
            config,
            &self.found,
            &self.lengths,
            room,
            &classes,
            limit as u32,
            &mut chosen,
            length as u32,
            &mut chosen_length,
        )?;
        let n = device.download(&chosen_length, 1)?[0] as usize;
        device.download(&chosen, n)
    }
}
