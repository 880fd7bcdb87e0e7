//! From a grey image on the device to its sorted bins, without the host in between.
//!
//! Kernels run one after another on one stream: edges (`kernels/pixels.cu`), the vote of the edge list, the bins
//! that stand out, and their sorting (`kernels/lines.cu`). The result equals that of
//! [`BinSearch::find`], bin for bin and `z` for `z`.

use super::search::{Bin, BinSearch};
use crate::cuda::Cuda;
use crate::cuda::device::Device;
use crate::cuda::kernels::lines;
use crate::cuda::launch::{each_in_blocks, grid};
use crate::cuda::pixels::{Packed, Pixels};
use crate::image::{Image, Method, Recipe};
use crate::papers::line_voters::ImageSpace;
use crate::shared::BIN_THREADS;
use crate::{Error, Result};
use cudarc::driver::CudaSlice;

/// Initial room for bins.
const ROOM: usize = 1 << 13;

/// The device's times, in seconds.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Seconds {
    /// From grey to the list of edges.
    pub edges: f64,
    /// The votes.
    pub vote: f64,
    /// The bins that stand out, sorted.
    pub select: f64,
    /// Everything, in a separate run without events in between.
    pub total: f64,
}

/// A [`BinSearch`] on a device, for images of its size, one after the other.
pub struct LineBins<'a> {
    device: &'a Device,
    search: &'a BinSearch,
    /// How the edges of the uploaded image are found; none before the first image.
    recipe: Option<Recipe>,
    pixels: Pixels<'a>,
    edges: Packed,
    space: ImageSpace,
    /// The number of image pixels in each bin, computed once.
    areas: CudaSlice<u32>,
    found: CudaSlice<[u64; 2]>,
    sorted: CudaSlice<[u64; 2]>,
}

impl<'a> LineBins<'a> {
    /// Prepares to find bins in images of the search's size.
    ///
    /// # Errors
    /// [`Error::Parameter`] if a row of the space does not fit in shared memory; [`Error::Device`]
    /// if the device fails or runs out of memory.
    pub fn new(gpu: &'a Cuda, search: &'a BinSearch) -> Result<LineBins<'a>> {
        let device = gpu.first();
        let size = search.polar().size;
        Ok(LineBins {
            device,
            search,
            recipe: None,
            pixels: Pixels::new(device, size)?,
            edges: Packed::new(device, size)?,
            space: ImageSpace::new(device, &search.polar().space, true)?,
            areas: device.upload(search.areas())?,
            found: device.buffer(ROOM)?,
            sorted: device.buffer(ROOM)?,
        })
    }

    /// Copies an image to the device.
    ///
    /// # Errors
    /// [`Error::Parameter`] for an image of another size, and for a method's numbers out of range.
    pub fn upload(&mut self, image: &Image, method: &Method) -> Result<()> {
        if [image.width(), image.height()] != self.search.polar().size {
            return Err(Error::Parameter("the image is not of the size of the space".into()));
        }
        let recipe = Recipe::of(image, method)?;
        self.pixels.upload(image.grey(), &recipe)?;
        self.recipe = Some(recipe);
        Ok(())
    }

    /// The bins that stand out in the image, best first.
    ///
    /// # Errors
    /// If the device fails, or there is no image.
    pub fn find(&mut self) -> Result<Vec<Bin>> {
        self.find_edges()?;
        self.vote()?;
        self.select()?;
        let n = self.device.get(&self.edges.lengths, 1)? as usize;
        if n > self.found.len() {
            self.found = self.device.buffer(n)?;
            self.sorted = self.device.buffer(n)?;
            return self.find();
        }
        let bins = self.space.bins;
        let bin = |&[z, place]: &[u64; 2]| {
            let index = place as u32;
            let votes = (place >> 32) as u32;
            Bin { theta: index / bins, rho: index % bins, votes, z: f64::from_bits(z) }
        };
        Ok(self.device.download(&self.sorted, n)?.iter().map(bin).collect())
    }

    /// The time of each step, and of all together. All kernels are queued before the device starts, so the
    /// host's time is not included.
    ///
    /// # Errors
    /// As [`LineBins::find`].
    pub fn measure(&mut self) -> Result<Seconds> {
        let device = self.device;
        let steps: [fn(&mut Self) -> Result<()>; 3] = [Self::find_edges, Self::vote, Self::select];
        let [edges, vote, select] = device.timed_steps(self, steps)?;
        let all = |own: &mut Self| steps.iter().try_for_each(|step| step(own));
        let [total] = device.timed_steps(self, [all])?;
        Ok(Seconds { edges, vote, select, total })
    }

    /// The accumulator, row by row.
    ///
    /// # Errors
    /// If the device fails.
    pub fn counts(&self) -> Result<Vec<u32>> {
        self.device.download(&self.space.counts, self.space.size() as usize)
    }

    fn find_edges(&mut self) -> Result<()> {
        match &self.recipe {
            Some(recipe) => self.pixels.find(recipe, &mut self.edges, Some(&mut self.space.counts)),
            None => Err(Error::Parameter("there is no image yet".into())),
        }
    }

    fn vote(&mut self) -> Result<()> {
        let origin = self.search.polar().origin.map(|v| v as i32);
        self.space.vote_list(self.device, &self.edges, origin)
    }

    fn select(&mut self) -> Result<()> {
        let LineBins { device, search, edges, space, areas, found, sorted, .. } = self;
        let [width, height] = search.polar().size.map(f64::from);
        let room = found.len() as u32;
        lines::score_bins(
            device,
            each_in_blocks(space.size(), BIN_THREADS),
            &space.counts,
            areas,
            space.rows,
            space.bins,
            width * height,
            search.least(),
            found,
            room,
            &mut edges.lengths,
        )?;
        let turns = grid(device.processors, 1, BIN_THREADS, 0);
        lines::rank_bins(device, turns, found, &edges.lengths, room, sorted)
    }
}
