//! Kumar's voters and his selection: see `kernels/kumar.cu`.

use super::super::image_space::{ImageSpace, room_for};
use super::super::kernels::{Kernels, each, grid, launch};
use super::{LineVotes, Steps, THREADS, VOTERS};
use crate::Result;

impl LineVotes<'_> {
    /// The bins of each space with more than `threshold` votes, ascending: Kumar's selection. And
    /// the seconds it took.
    ///
    /// # Errors
    /// Where the device fails.
    pub fn above(&mut self, threshold: u32) -> Result<(Vec<Vec<u32>>, f64)> {
        let LineVotes { device, spaces, .. } = self;
        let most = spaces.iter().map(ImageSpace::size).max().unwrap_or(0);
        let mut found = device.buffer(most as usize)?;
        let mut length = device.zeros::<u32>(1)?;
        let (mut above, mut all) = (Vec::new(), 0.0);
        for space in spaces {
            let (counts, size) = (&space.counts, space.size());
            let ((), seconds) = device.timed_at_once(|| {
                let (kernels, kernel, config) = (Kernels::Kumar, "kumar_select", each(size));
                device.clear(&mut length)?;
                let (found, length) = (&mut found, &mut length);
                launch!(device, kernels, kernel, config, counts, &size, &threshold, found, length)
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
                launch!(
                    device,
                    Kernels::Kumar,
                    "kumar_baseline",
                    each(*width * *height),
                    &*pixels,
                    &*width,
                    &*height,
                    &*x,
                    &*y,
                    &s.table,
                    &s.rows,
                    &s.bins,
                    &mut s.counts
                )
            })
        })?;
        Ok(Steps { edges: 0.0, vote })
    }

    /// Makes the edge list by a kernel whose blocks take so many pixels.
    pub(super) fn make_list(
        &mut self,
        kernels: Kernels,
        kernel: &'static str,
        pixels_a_block: u32,
    ) -> Result<f64> {
        let LineVotes { device, pixels, size: [width, height], origin: [x, y], packed, .. } = self;
        device.clear(&mut packed.lengths)?;
        let blocks = (*width * *height).div_ceil(pixels_a_block);
        let ((), seconds) = device.timed_at_once(|| {
            launch!(
                device,
                kernels,
                kernel,
                grid(blocks, 1, THREADS, 0),
                &*pixels,
                &*width,
                &*height,
                &*x,
                &*y,
                &mut packed.list,
                &mut packed.lengths
            )
        })?;
        Ok(seconds)
    }

    pub(super) fn kumar_fast(&mut self) -> Result<Steps> {
        let edges = self.make_list(Kernels::Kumar, "kumar_list", THREADS)?;
        let LineVotes { device, origin: [x, y], packed, spaces, .. } = self;
        let ((), vote) = device.timed_at_once(|| {
            spaces.iter_mut().try_for_each(|s| {
                let shared = room_for(device, Kernels::Kumar, "kumar_vote", s.bins)?;
                launch!(
                    device,
                    Kernels::Kumar,
                    "kumar_vote",
                    grid(s.rows, 1, VOTERS, shared),
                    &packed.list,
                    &packed.lengths,
                    &*x,
                    &*y,
                    &s.table,
                    &s.bins,
                    &mut s.counts
                )
            })
        })?;
        Ok(Steps { edges, vote })
    }
}
