//! van den Braak's voters: see `kernels/braak.cu`.

use super::image_space::{ImageSpace, room_for};
use super::votes::{LineVotes, Steps, VOTERS};
use crate::cuda::kernels::braak;
use crate::cuda::launch::{each, grid};
use crate::shared::{BRAAK_PIXELS, BRAAK_THREADS, WARP};
use crate::{Error, Result};
use cudarc::driver::CudaSlice;

/// Lines of the image in a band of `constant`, and rows of the space that a block computes from it.
const BAND: u32 = 64;
const BAND_ROWS: u32 = 8;

impl LineVotes<'_> {
    pub(super) fn braak_basic(&mut self) -> Result<Steps> {
        let LineVotes { device, pixels, size: [width, height], origin: [x, y], spaces, .. } = self;
        let ((), vote) = device.timed_at_once(|| {
            spaces.iter_mut().try_for_each(|s| device.clear(&mut s.counts))?;
            let (first, mut second) = both(spaces)?;
            let mut none = device.zeros(1)?;
            let (table, rows, bins, counts) = other(&first.table, &mut second, &mut none);
            braak::braak_basic(
                device,
                each(*width * *height),
                pixels,
                *width,
                *height,
                *x,
                *y,
                &first.table,
                first.rows,
                first.bins,
                &mut first.counts,
                table,
                rows,
                bins,
                counts,
            )
        })?;
        Ok(Steps { edges: 0.0, vote })
    }

    pub(super) fn braak_fast(&mut self) -> Result<Steps> {
        let edges = self.make_list(braak::braak_list, [BRAAK_THREADS, BRAAK_PIXELS])?;
        let LineVotes { device, origin: [x, y], packed, spaces, .. } = self;
        let mut none = device.zeros(1)?;
        let bins = spaces.iter().map(|s| s.bins).sum();
        let shared = room_for(device, "braak_vote", bins)?;
        let (first, mut second) = both(spaces)?;
        let config = grid(first.rows, 1, VOTERS, shared);
        let ((), vote) = device.timed_at_once(|| {
            let (table, rows, bins, counts) = other(&first.table, &mut second, &mut none);
            braak::braak_vote(
                device,
                config,
                &packed.list,
                &packed.lengths,
                *x,
                *y,
                &first.table,
                first.rows,
                first.bins,
                &mut first.counts,
                table,
                rows,
                bins,
                counts,
            )
        })?;
        Ok(Steps { edges, vote })
    }

    /// Packs the image into bits; returns the seconds it took.
    fn pack(&mut self) -> Result<f64> {
        let LineVotes { device, pixels, size: [width, height], packed, .. } = self;
        let config = grid(width.div_ceil(WARP), height.div_ceil(WARP), WARP, 0);
        let packed = || {
            braak::braak_pack(
                device,
                config,
                pixels,
                *width,
                *height,
                &mut packed.upright,
                &mut packed.rotated,
            )
        };
        Ok(device.timed_at_once(packed)?.1)
    }

    pub(super) fn braak_constant(&mut self) -> Result<Steps> {
        let edges = self.pack()?;
        let LineVotes { device, size: [width, height], packed, spaces, .. } = self;
        let lines = [(&packed.rotated, *width, *height), (&packed.upright, *height, *width)];
        let sub_size = |(s, (_, lines, _)): (&ImageSpace, &(_, u32, _))| {
            s.size() as usize * lines.div_ceil(BAND) as usize
        };
        let most = spaces.iter().zip(&lines).map(sub_size).max().unwrap_or(0);
        let mut subs = device.buffer::<u32>(most)?;
        let ((), vote) = device.timed_at_once(|| {
            spaces.iter_mut().zip(lines).try_for_each(|(s, (bits, lines, length))| {
                let words = length.div_ceil(WARP);
                let bands = lines.div_ceil(BAND);
                // Bits beyond the end of a line are zero and read no counter.
                let room = BAND * words + s.bins;
                let shared = room_for(device, "braak_constant", room)?;
                braak::braak_constant(
                    device,
                    grid(bands, s.rows.div_ceil(BAND_ROWS), VOTERS, shared),
                    bits,
                    lines,
                    words,
                    &s.slopes,
                    s.rows,
                    s.bins,
                    BAND,
                    BAND_ROWS,
                    &mut subs,
                )?;
                let size = s.size();
                braak::braak_sum(device, each(size), &subs, bands, size, &mut s.counts)
            })
        })?;
        Ok(Steps { edges, vote })
    }
}

/// The first space and the second, if there is one.
fn both(spaces: &mut [ImageSpace]) -> Result<(&mut ImageSpace, Option<&mut ImageSpace>)> {
    match spaces {
        [first] => Ok((first, None)),
        [first, second] => Ok((first, Some(second))),
        _ => Err(Error::Parameter("an image votes in one space or in two".into())),
    }
}

/// Arguments of the kernels for two spaces about the second space: its table, rows, bins and counts.
type Other<'a> = (&'a CudaSlice<[f32; 4]>, u32, u32, &'a mut CudaSlice<u32>);

/// The second space, or an empty one with no rows.
fn other<'a>(
    table: &'a CudaSlice<[f32; 4]>,
    second: &'a mut Option<&mut ImageSpace>,
    none: &'a mut CudaSlice<u32>,
) -> Other<'a> {
    match second {
        Some(s) => (&s.table, s.rows, s.bins, &mut s.counts),
        None => (table, 0, 1, none),
    }
}
