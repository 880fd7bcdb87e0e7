//! Tomagou's voters: see `kernels/tomagou.cu`.

use super::image_space::room_for;
use super::votes::{LineVotes, Steps};
use crate::Result;
use crate::cuda::device::Device;
use crate::cuda::launch::grid;
use cudarc::driver::{CudaSlice, LaunchConfig};

/// Threads of a block that votes for an angle.
const VOTERS: u32 = 1024;

/// A kernel that lets a list of edges vote, relative to an origin, in a space given by a table and a number of
/// bins.
type VoteForRow = fn(
    &Device,
    LaunchConfig,
    &CudaSlice<u32>,
    u32,
    i32,
    i32,
    &CudaSlice<[f32; 4]>,
    u32,
    &mut CudaSlice<u32>,
) -> Result<()>;

impl LineVotes<'_> {
    /// Tomagou's version that keeps the given number of copies of a row in shared memory.
    pub(super) fn tomagou(
        &mut self,
        (name, vote): (&str, VoteForRow),
        copies: u32,
    ) -> Result<Steps> {
        let LineVotes { device, origin: [x, y], host_list, edges, spaces, .. } = self;
        let ((), vote) = device.timed_at_once(|| {
            spaces.iter_mut().try_for_each(|s| {
                let room = s.bins.saturating_mul(copies);
                let shared = room_for(device, name, room)?;
                device.clear(&mut s.counts)?;
                let config = grid(s.rows, 1, VOTERS, shared);
                vote(device, config, host_list, *edges, *x, *y, &s.table, s.bins, &mut s.counts)
            })
        })?;
        Ok(Steps { edges: 0.0, vote })
    }
}
