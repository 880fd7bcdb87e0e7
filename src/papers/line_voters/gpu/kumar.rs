//! Kumar's voters and his selection: see `kernels/kumar.cu`.

use super::image_space::{ImageSpace, room_for};
use super::votes::{LineVotes, Steps, VOTERS};
use crate::Result;
use crate::cuda::device::Device;
use crate::cuda::kernels::kumar;
use crate::cuda::launch::{each, each_in_blocks, grid};
use crate::shared::KUMAR_THREADS;
use cudarc::driver::{CudaSlice, LaunchConfig};

/// A kernel that lists the edges of an image, relative to an origin.
pub(super) type ListEdges = fn(
    &Device,
    LaunchConfig,
    &CudaSlice<u8>,
    u32,
    u32,
    i32,
    i32,
    &mut CudaSlice<u32>,
    &mut CudaSlice<u32>,
) -> Result<()>;

impl LineVotes<'_> {
    /// Kumar's selection: the bins of each space with more than `threshold` votes, ascending; and
    /// the seconds it took.
    ///
    /// # Errors
    /// If the device fails.
    pub fn above(&mut self, threshold: u32) -> Result<(Vec<Vec<u32>>, f64)> {
        let LineVotes { device, spaces, .. } = self;
        let most = spaces.iter().map(ImageSpace::size).max().unwrap_or(0);
        let mut found = device.buffer(most as usize)?;
        let mut length = device.zeros::<u32>(1)?;
        let (mut above, mut all) = (Vec::new(), 0.0);
        for space in spaces {
            let (counts, size) = (&space.counts, space.size());
            let ((), seconds) = device.timed_at_once(|| {
                device.clear(&mut length)?;
                let config = each_in_blocks(size, KUMAR_THREADS);
                kumar::kumar_select(
                    device,
                    config,
                    counts,
                    size,
                    threshold,
                    &mut found,
                    &mut length,
                )
            })?;
            let n = device.get(&length, 0)? as usize;
            let mut bins = device.download(&found, n)?;
            bins.sort_unstable();
            above.push(bins);
            all += seconds;
        }
        Ok((above, all))
    }

    pub(super) fn kumar_baseline(&mut self) -> Result<Steps> {
        let LineVotes { device, pixels, size: [width, height], origin: [x, y], spaces, .. } = self;
        let ((), vote) = device.timed_at_once(|| {
            spaces.iter_mut().try_for_each(|s| {
                device.clear(&mut s.counts)?;
                kumar::kumar_baseline(
                    device,
                    each(*width * *height),
                    pixels,
                    *width,
                    *height,
                    *x,
                    *y,
                    &s.table,
                    s.rows,
                    s.bins,
                    &mut s.counts,
                )
            })
        })?;
        Ok(Steps { edges: 0.0, vote })
    }

    /// Makes the edge list by a kernel whose blocks have `threads` threads, each for `pixels` pixels.
    pub(super) fn make_list(
        &mut self,
        list: ListEdges,
        [threads, pixels]: [u32; 2],
    ) -> Result<f64> {
        let LineVotes { device, size: [width, height], origin: [x, y], packed, .. } = self;
        let image = &self.pixels;
        device.clear(&mut packed.lengths)?;
        let config = grid((*width * *height).div_ceil(threads * pixels), 1, threads, 0);
        let ((), seconds) = device.timed_at_once(|| {
            list(
                device,
                config,
                image,
                *width,
                *height,
                *x,
                *y,
                &mut packed.list,
                &mut packed.lengths,
            )
        })?;
        Ok(seconds)
    }

    pub(super) fn kumar_fast(&mut self) -> Result<Steps> {
        let edges = self.make_list(kumar::kumar_list, [KUMAR_THREADS, 1])?;
        let LineVotes { device, origin: [x, y], packed, spaces, .. } = self;
        let ((), vote) = device.timed_at_once(|| {
            spaces.iter_mut().try_for_each(|s| {
                let shared = room_for(device, "kumar_vote", s.bins)?;
                kumar::kumar_vote(
                    device,
                    grid(s.rows, 1, VOTERS, shared),
                    &packed.list,
                    &packed.lengths,
                    *x,
                    *y,
                    &s.table,
                    s.bins,
                    &mut s.counts,
                )
            })
        })?;
        Ok(Steps { edges, vote })
    }
}
