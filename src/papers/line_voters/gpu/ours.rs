//! Our own voters for images: lists (`kernels/lines.cu`) and slices (`kernels/slices.cu`).

use super::image_space::ImageSpace;
use super::votes::{LineVotes, Steps};
use crate::cuda::kernels::slices;
use crate::cuda::launch::grid;
use crate::shared::{SLICE_BINS, SLICE_WARPS, WARP};
use crate::{Error, Result};

/// From this share of edges on, slices take less time than lists, if both are possible. In the tables of
/// `benches/results/line_voters.md` they cross at 0.18 in 1920 × 1080 pixels and at 0.09 in 4096 × 4096; this
/// value is between the two.
const DENSE: f64 = 0.12;

impl LineVotes<'_> {
    /// Whether [`Version::Fast`](super::super::Version::Fast) votes in slices.
    pub(super) fn is_dense(&self) -> bool {
        let [width, height] = self.size.map(f64::from);
        self.spaces.len() == 2
            && self.origin == [0, 0]
            && f64::from(self.edges) >= DENSE * width * height
    }

    /// Packs the edges into bits, and also into a list if `wants_list`; returns the seconds it took.
    fn pack_all(&mut self, wants_list: bool) -> Result<f64> {
        let LineVotes { device, pixels, packed, threshold, .. } = self;
        let fill = || packed.fill(device, pixels, threshold, false, wants_list, None);
        Ok(device.timed_at_once(fill)?.1)
    }

    pub(super) fn lists(&mut self) -> Result<Steps> {
        let edges = self.pack_all(true)?;
        let LineVotes { device, origin, packed, spaces, .. } = self;
        let vote = |s: &mut ImageSpace| {
            device.clear(&mut s.counts)?;
            s.vote_list(device, packed, *origin)
        };
        let ((), vote) = device.timed_at_once(|| spaces.iter_mut().try_for_each(vote))?;
        Ok(Steps { edges, vote })
    }

    pub(super) fn slices(&mut self) -> Result<Steps> {
        let edges = self.pack_all(false)?;
        let LineVotes { device, size: [width, height], packed, spaces, .. } = self;
        let [first, second] = &mut spaces[..] else {
            return Err(Error::Parameter("slices vote in two spaces".into()));
        };
        let chunks = first.bins.max(second.bins).div_ceil(SLICE_BINS);
        let ((), vote) = device.timed_at_once(|| {
            slices::slice_votes(
                device,
                grid(chunks, first.rows + second.rows, SLICE_WARPS * WARP, 0),
                &packed.rotated,
                *width,
                height.div_ceil(WARP),
                &first.slopes,
                first.rows,
                first.bins,
                &mut first.counts,
                &packed.upright,
                *height,
                width.div_ceil(WARP),
                &second.slopes,
                second.rows,
                second.bins,
                &mut second.counts,
            )
        })?;
        Ok(Steps { edges, vote })
    }
}
