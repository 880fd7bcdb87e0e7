//! The papers' voters for lines in images: see `kernels/kumar.cu`, `kernels/braak.cu`,
//! `kernels/tomagou.cu`, and ours for slopes, `kernels/slices.cu`.

use super::Cuda;
use super::device::{Device, Kernels, each, launch};
use crate::line_voters::{EdgeImage, Version, spaces};
use crate::space::Space;
use crate::{Error, Result};
use cudarc::driver::{CudaSlice, LaunchConfig};

/// Threads of the blocks that make lists, and pixels of such a block of van den Braak's.
const THREADS: u32 = 256;
const BRAAK_PIXELS: u32 = 8 * THREADS;
/// Threads of a block that votes for an angle: Kumar's and van den Braak's, and Tomagou's.
const VOTERS: u32 = 512;
const TOMAGOU_VOTERS: u32 = 1024;
/// Lines of the image in a band of `constant`, and rows of the space that a block of it makes.
const BAND: u32 = 64;
const BAND_ROWS: u32 = 8;
/// Most lines of a segment, and rows of a block; as in `kernels/slices.cu`.
const SEGMENT: u32 = 64;
const SLICE_ROWS: u32 = 4;
const WARP: u32 = 32;

/// How long the steps of a vote took on the device, in seconds.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Steps {
    /// The edge list or the image in bits; zero for voters that read the image as it is, or get a
    /// list from the host.
    pub edges: f64,
    /// The votes, with clearing the accumulator where the voter does not write it whole.
    pub vote: f64,
}

/// An edge image on a device, and the spaces it votes in.
pub struct LineVotes<'a> {
    device: &'a Device,
    size: [u32; 2],
    origin: [i32; 2],
    pixels: CudaSlice<u8>,
    /// The edges as the host lists them, for Tomagou's voters.
    host_list: CudaSlice<u32>,
    edges: u32,
    list: CudaSlice<u32>,
    /// Lines of bits: rows, and columns.
    bits: [CudaSlice<u32>; 2],
    spaces: Vec<OnDevice>,
}

/// A space on the device, with its accumulator.
struct OnDevice {
    table: CudaSlice<[f32; 4]>,
    slopes: CudaSlice<[f32; 2]>,
    counts: CudaSlice<u32>,
    rows: u32,
    bins: u32,
}

impl OnDevice {
    fn new(device: &Device, space: &Space, lines_are_columns: bool) -> Result<OnDevice> {
        Ok(OnDevice {
            table: device.upload(&space.vote_table())?,
            slopes: device.upload(&spaces::slopes(space, lines_are_columns))?,
            counts: device.zeros(space.size())?,
            rows: space.rows() as u32,
            bins: space.bins() as u32,
        })
    }

    fn size(&self) -> u32 {
        self.rows * self.bins
    }
}

impl Cuda {
    /// Copies an edge image to the device; it will vote in one space, or in the two
    /// [`cartesian`](spaces::cartesian) ones.
    ///
    /// # Errors
    /// [`Error::Parameter`] for an image without pixels or of a side of 2¹⁶ or more, and for another
    /// number of spaces; [`Error::Device`] where the device fails or has no room.
    pub fn line_votes(&self, image: &EdgeImage, spaces: &[Space]) -> Result<LineVotes<'_>> {
        let [width, height] = image.size;
        let sides = 1..1 << 16;
        if !sides.contains(&width) || !sides.contains(&height) || !(1..=2).contains(&spaces.len()) {
            return Err(Error::Parameter("an image votes in one space or in two".into()));
        }
        let device = self.first();
        let pixels = image.pixels.len();
        let list: Vec<u32> = image.edges().map(|[x, y]| y << 16 | x).collect();
        let words = |lines: u32, length: u32| lines as usize * length.div_ceil(WARP) as usize;
        let on_device = |(space, first): (&Space, bool)| OnDevice::new(device, space, first);
        Ok(LineVotes {
            device,
            size: image.size,
            origin: image.origin,
            pixels: device.upload(&image.pixels)?,
            edges: list.len() as u32,
            host_list: device.upload(&list)?,
            list: device.buffer(pixels)?,
            bits: [device.buffer(words(height, width))?, device.buffer(words(width, height))?],
            spaces: spaces.iter().zip([true, false]).map(on_device).collect::<Result<_>>()?,
        })
    }
}

impl LineVotes<'_> {
    /// Lets every edge vote, from zero.
    ///
    /// # Errors
    /// [`Error::Parameter`] for a version for the CPU, one that needs slopes where there is one
    /// space or another origin than the top left pixel, and for spaces whose rows do not fit where the version keeps them; [`Error::Device`]
    /// where the device fails.
    pub fn vote(&mut self, version: Version) -> Result<Steps> {
        if version.needs_slopes() && (self.spaces.len() != 2 || self.origin != [0, 0]) {
            return Err(no_slopes(version));
        }
        match version {
            Version::Serial | Version::AllCores => {
                Err(Error::Parameter(format!("{} is a version for the CPU", version.name())))
            }
            Version::KumarBaseline => self.kumar_baseline(),
            Version::KumarFast => self.kumar_fast(),
            Version::BraakBasic => self.braak_basic(),
            Version::BraakFast => self.braak_fast(),
            Version::BraakConstant => self.braak_constant(),
            Version::TomagouA => self.tomagou("tomagou_a", 0),
            Version::TomagouB => self.tomagou("tomagou_b", 1),
            Version::TomagouC => self.tomagou("tomagou_c", WARP),
            Version::Slices => self.slices(),
        }
    }

    /// The accumulators, row by row.
    ///
    /// # Errors
    /// Where the device fails.
    pub fn counts(&self) -> Result<Vec<Vec<u32>>> {
        let counts = |s: &OnDevice| self.device.download(&s.counts, s.size() as usize);
        self.spaces.iter().map(counts).collect()
    }

    /// The bins of the first space with more than `threshold` votes, ascending: Kumar's selection.
    /// And the seconds it took.
    ///
    /// # Errors
    /// Where the device fails.
    pub fn above(&mut self, threshold: u32) -> Result<(Vec<u32>, f64)> {
        let LineVotes { device, spaces, .. } = self;
        let (counts, size) = (&spaces[0].counts, spaces[0].size());
        let mut found = device.buffer(size as usize)?;
        let mut length = device.zeros::<u32>(1)?;
        let ((), seconds) = device.timed(|| {
            let kernel = "kumar_select";
            let config = each(size);
            launch!(
                device,
                Kernels::Kumar,
                kernel,
                config,
                counts,
                &size,
                &threshold,
                &mut found,
                &mut length
            )
        })?;
        let length = device.download(&length, 1)?[0] as usize;
        let mut above = device.download(&found, length)?;
        above.sort_unstable();
        Ok((above, seconds))
    }

    fn kumar_baseline(&mut self) -> Result<Steps> {
        let LineVotes { device, pixels, size: [width, height], origin: [x, y], spaces, .. } = self;
        let ((), vote) = device.timed(|| {
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
    fn make_list(
        &mut self,
        kernels: Kernels,
        kernel: &'static str,
        pixels_a_block: u32,
    ) -> Result<(CudaSlice<u32>, f64)> {
        let LineVotes { device, pixels, size: [width, height], origin: [x, y], list, .. } = self;
        let mut length = device.zeros(1)?;
        let blocks = (*width * *height).div_ceil(pixels_a_block);
        let ((), seconds) = device.timed(|| {
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
                list,
                &mut length
            )
        })?;
        Ok((length, seconds))
    }

    fn kumar_fast(&mut self) -> Result<Steps> {
        let (length, edges) = self.make_list(Kernels::Kumar, "kumar_list", THREADS)?;
        let LineVotes { device, origin: [x, y], list, spaces, .. } = self;
        let ((), vote) = device.timed(|| {
            spaces.iter_mut().try_for_each(|s| {
                let shared = room_for(device, Kernels::Kumar, "kumar_vote", s.bins)?;
                launch!(
                    device,
                    Kernels::Kumar,
                    "kumar_vote",
                    grid(s.rows, 1, VOTERS, shared),
                    &*list,
                    &length,
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

    fn braak_basic(&mut self) -> Result<Steps> {
        let LineVotes { device, pixels, size: [width, height], origin: [x, y], spaces, .. } = self;
        let ((), vote) = device.timed(|| {
            spaces.iter_mut().try_for_each(|s| device.clear(&mut s.counts))?;
            let (first, mut second) = both(spaces)?;
            let mut none = device.zeros(1)?;
            let (table, rows, bins, counts) = other(&first.table, &mut second, &mut none);
            launch!(
                device,
                Kernels::Braak,
                "braak_basic",
                each(*width * *height),
                &*pixels,
                &*width,
                &*height,
                &*x,
                &*y,
                &first.table,
                &first.rows,
                &first.bins,
                &mut first.counts,
                table,
                &rows,
                &bins,
                counts
            )
        })?;
        Ok(Steps { edges: 0.0, vote })
    }

    fn braak_fast(&mut self) -> Result<Steps> {
        let (length, edges) = self.make_list(Kernels::Braak, "braak_list", BRAAK_PIXELS)?;
        let LineVotes { device, origin: [x, y], list, spaces, .. } = self;
        let mut none = device.zeros(1)?;
        let bins = spaces.iter().map(|s| s.bins).sum();
        let shared = room_for(device, Kernels::Braak, "braak_vote", bins)?;
        let (first, mut second) = both(spaces)?;
        let config = grid(first.rows, 1, VOTERS, shared);
        let ((), vote) = device.timed(|| {
            let (table, rows, bins, counts) = other(&first.table, &mut second, &mut none);
            launch!(
                device,
                Kernels::Braak,
                "braak_vote",
                config,
                &*list,
                &length,
                &*x,
                &*y,
                &first.table,
                &first.rows,
                &first.bins,
                &mut first.counts,
                table,
                &rows,
                &bins,
                counts
            )
        })?;
        Ok(Steps { edges, vote })
    }

    /// The image in bits, and the seconds that took.
    fn pack(&mut self) -> Result<f64> {
        let LineVotes { device, pixels, size: [width, height], bits: [upright, rotated], .. } =
            self;
        let config = grid(width.div_ceil(WARP), height.div_ceil(WARP), WARP, 0);
        let kernel = "braak_pack";
        let packed = || {
            launch!(
                device,
                Kernels::Braak,
                kernel,
                config,
                &*pixels,
                &*width,
                &*height,
                upright,
                rotated
            )
        };
        Ok(device.timed(packed)?.1)
    }

    fn braak_constant(&mut self) -> Result<Steps> {
        let edges = self.pack()?;
        let LineVotes { device, size: [width, height], bits: [upright, rotated], spaces, .. } =
            self;
        let lines = [(&*rotated, *width, *height), (&*upright, *height, *width)];
        let sub_size = |(s, (_, lines, _)): (&OnDevice, &(_, u32, _))| {
            s.size() as usize * lines.div_ceil(BAND) as usize
        };
        let most = spaces.iter().zip(&lines).map(sub_size).max().unwrap_or(0);
        let mut subs = device.buffer::<u32>(most)?;
        let ((), vote) = device.timed(|| {
            spaces.iter_mut().zip(lines).try_for_each(|(s, (bits, lines, length))| {
                let words = length.div_ceil(WARP);
                let bands = lines.div_ceil(BAND);
                // Bits beyond the end of a line are zero, and read no counter.
                let room = BAND * words + s.bins;
                let shared = room_for(device, Kernels::Braak, "braak_constant", room)?;
                launch!(
                    device,
                    Kernels::Braak,
                    "braak_constant",
                    grid(bands, s.rows.div_ceil(BAND_ROWS), VOTERS, shared),
                    bits,
                    &lines,
                    &words,
                    &s.slopes,
                    &s.rows,
                    &s.bins,
                    &BAND,
                    &BAND_ROWS,
                    &mut subs
                )?;
                let (size, kernel) = (s.size(), "braak_sum");
                let config = each(size);
                launch!(device, Kernels::Braak, kernel, config, &subs, &bands, &size, &mut s.counts)
            })
        })?;
        Ok(Steps { edges, vote })
    }

    /// A version of Tomagou's that keeps so many copies of a row in shared memory.
    fn tomagou(&mut self, kernel: &'static str, copies: u32) -> Result<Steps> {
        let LineVotes { device, origin: [x, y], host_list, edges, spaces, .. } = self;
        let ((), vote) = device.timed(|| {
            spaces.iter_mut().try_for_each(|s| {
                let room = s.bins.saturating_mul(copies);
                let shared = room_for(device, Kernels::Tomagou, kernel, room)?;
                device.clear(&mut s.counts)?;
                launch!(
                    device,
                    Kernels::Tomagou,
                    kernel,
                    grid(s.rows, 1, TOMAGOU_VOTERS, shared),
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

    fn slices(&mut self) -> Result<Steps> {
        let edges = self.pack()?;
        let LineVotes { device, size: [width, height], bits: [upright, rotated], spaces, .. } =
            self;
        let lines = [(&*rotated, *width, *height), (&*upright, *height, *width)];
        let ((), vote) = device.timed(|| {
            spaces.iter_mut().zip(lines).try_for_each(|(s, (bits, lines, length))| {
                let words = length.div_ceil(WARP);
                let stride = words + 2;
                let segment = ((device.block_shared / 4 / stride).min(SEGMENT) / 8 * 8).max(8);
                let (kernels, kernel) = (Kernels::Slices, "slice_votes");
                let shared = room_for(device, kernels, kernel, segment * stride)?;
                device.clear(&mut s.counts)?;
                launch!(
                    device,
                    kernels,
                    kernel,
                    grid(lines.div_ceil(segment), s.rows.div_ceil(SLICE_ROWS), THREADS, shared),
                    bits,
                    &lines,
                    &words,
                    &s.slopes,
                    &s.rows,
                    &s.bins,
                    &segment,
                    &mut s.counts
                )
            })
        })?;
        Ok(Steps { edges, vote })
    }
}

fn no_slopes(version: Version) -> Error {
    let message =
        "votes in the two Cartesian spaces of an image with its origin in the top left pixel";
    Error::Parameter(format!("{} {message}", version.name()))
}

/// The first space and the second, if there is one.
fn both(spaces: &mut [OnDevice]) -> Result<(&mut OnDevice, Option<&mut OnDevice>)> {
    match spaces {
        [first] => Ok((first, None)),
        [first, second] => Ok((first, Some(second))),
        _ => Err(Error::Parameter("an image votes in one space or in two".into())),
    }
}

/// What the kernels for two spaces are told of the second: its table, rows, bins and counts.
type Other<'a> = (&'a CudaSlice<[f32; 4]>, u32, u32, &'a mut CudaSlice<u32>);

/// The second space, or one of no rows.
fn other<'a>(
    table: &'a CudaSlice<[f32; 4]>,
    second: &'a mut Option<&mut OnDevice>,
    none: &'a mut CudaSlice<u32>,
) -> Other<'a> {
    match second {
        Some(s) => (&s.table, s.rows, s.bins, &mut s.counts),
        None => (table, 0, 1, none),
    }
}

/// Lets a kernel have so many words of shared memory; their bytes.
fn room_for(device: &Device, kernels: Kernels, kernel: &'static str, words: u32) -> Result<u32> {
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

fn grid(x: u32, y: u32, threads: u32, shared_mem_bytes: u32) -> LaunchConfig {
    LaunchConfig { grid_dim: (x, y, 1), block_dim: (threads, 1, 1), shared_mem_bytes }
}
