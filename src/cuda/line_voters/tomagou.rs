//! Tomagou's voters: see `kernels/tomagou.cu`.

use super::super::image_space::room_for;
use super::super::kernels::{Kernels, grid, launch};
use super::{LineVotes, Steps};
use crate::Result;

/// Threads of a block that votes for an angle.
const VOTERS: u32 = 1024;

impl LineVotes<'_> {
    /// A version of Tomagou's that keeps so many copies of a row in shared memory.
    pub(super) fn tomagou(&mut self, kernel: &'static str, copies: u32) -> Result<Steps> {
        let LineVotes { device, origin: [x, y], host_list, edges, spaces, .. } = self;
        let ((), vote) = device.timed_at_once(|| {
            spaces.iter_mut().try_for_each(|s| {
                let room = s.bins.saturating_mul(copies);
                let shared = room_for(device, Kernels::Tomagou, kernel, room)?;
                device.clear(&mut s.counts)?;
                launch!(
                    device,
                    Kernels::Tomagou,
                    kernel,
                    grid(s.rows, 1, VOTERS, shared),
                    &*host_list,
                    &*edges,
                    &*x,
                    &*y,
                    &s.table,
                    &s.bins,
                    &mut s.counts
                )
            })
        })?;
        Ok(Steps { edges: 0.0, vote })
    }
}
