//! An image on a device, and the voters for it.

use super::super::edge_image::EdgeImage;
use super::super::version::Version;
use super::image_space::ImageSpace;
use crate::cuda::Cuda;
use crate::cuda::device::Device;
use crate::cuda::kernels::tomagou::{tomagou_a, tomagou_b, tomagou_c};
use crate::cuda::pixels::Packed;
use crate::shared::{PIXEL_MARGIN, WARP};
use crate::space::Space;
use crate::{Error, Result};
use cudarc::driver::CudaSlice;

/// Threads of a block that votes for an angle, in Kumar's and van den Braak's versions.
pub(super) const VOTERS: u32 = 512;

/// How long the steps of a vote took on the device, in seconds.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Steps {
    /// The edge list or the image in bits; zero for voters that read the image directly or get a
    /// list from the host.
    pub edges: f64,
    /// The votes, including clearing the accumulator if the voter does not overwrite all of it.
    pub vote: f64,
}

/// An edge image on a device, and the spaces it votes in.
pub struct LineVotes<'a> {
    pub(super) device: &'a Device,
    pub(super) size: [u32; 2],
    pub(super) origin: [i32; 2],
    pub(super) pixels: CudaSlice<u8>,
    /// A pixel above this value is an edge.
    pub(super) threshold: CudaSlice<u32>,
    /// The edges as listed by the host, for Tomagou's voters.
    pub(super) host_list: CudaSlice<u32>,
    pub(super) edges: u32,
    /// The edges as packed by a voter's own kernel.
    pub(super) packed: Packed,
    pub(super) spaces: Vec<ImageSpace>,
}

impl<'a> LineVotes<'a> {
    /// Copies an edge image to the device; it will vote in one space, or in the two
    /// [`cartesian`](crate::space::cartesian()) ones.
    ///
    /// # Errors
    /// [`Error::Parameter`] for an image without pixels or with a side of 2¹⁶ or more, and for any other
    /// number of spaces; [`Error::Device`] if the device fails or runs out of memory.
    pub fn new(gpu: &'a Cuda, image: &EdgeImage, spaces: &[Space]) -> Result<LineVotes<'a>> {
        let [width, height] = image.size;
        let sides = 1..1 << 16;
        if !sides.contains(&width) || !sides.contains(&height) || !(1..=2).contains(&spaces.len()) {
            return Err(Error::Parameter("an image votes in one space or in two".into()));
        }
        let device = gpu.first();
        let list = packed_list(image);
        let on_device = |(space, first): (&Space, bool)| ImageSpace::new(device, space, first);
        Ok(LineVotes {
            device,
            size: image.size,
            origin: image.origin,
            pixels: {
                let mut pixels = device.zeros(image.pixels.len() + PIXEL_MARGIN)?;
                device.upload_into(&image.pixels, &mut pixels.slice_mut(0..))?;
                pixels
            },
            threshold: device.zeros(1)?,
            edges: list.len() as u32,
            host_list: device.upload(&list)?,
            packed: Packed::new(device, image.size)?,
            spaces: spaces.iter().zip([true, false]).map(on_device).collect::<Result<_>>()?,
        })
    }

    /// Lets every edge vote, starting from zero counts.
    ///
    /// # Errors
    /// [`Error::Parameter`] for a version for the CPU, for one that needs slopes if there is only one
    /// space or the origin is not the top left pixel, and for spaces whose rows do not fit where
    /// the version keeps them; [`Error::Device`] if the device fails.
    pub fn vote(&mut self, version: Version) -> Result<Steps> {
        if version.needs_slopes() && (self.spaces.len() != 2 || self.origin != [0, 0]) {
            return Err(no_slopes(version));
        }
        match version {
            Version::Serial | Version::AllCores | Version::AllCoresSlices => {
                Err(Error::Parameter(format!("{} is a version for the CPU", version.name())))
            }
            Version::KumarBaseline => self.kumar_baseline(),
            Version::KumarFast => self.kumar_fast(),
            Version::BraakBasic => self.braak_basic(),
            Version::BraakFast => self.braak_fast(),
            Version::BraakConstant => self.braak_constant(),
            Version::TomagouA => self.tomagou(("tomagou_a", tomagou_a), 0),
            Version::TomagouB => self.tomagou(("tomagou_b", tomagou_b), 1),
            Version::TomagouC => self.tomagou(("tomagou_c", tomagou_c), WARP),
            Version::Slices => self.slices(),
            Version::Lists => self.lists(),
            Version::Fast if self.is_dense() => self.slices(),
            Version::Fast => self.lists(),
        }
    }

    /// Copies a version's input to the device again: the image, or for Tomagou's versions the list of its
    /// edges. Returns the seconds it took.
    ///
    /// # Errors
    /// [`Error::Parameter`] for an image other than the one this was made for; [`Error::Device`] if the
    /// device fails.
    pub fn copy(&mut self, image: &EdgeImage, version: Version) -> Result<f64> {
        let LineVotes { device, pixels, host_list, .. } = self;
        let list = packed_list(image);
        if image.size != self.size || list.len() != self.edges as usize {
            return Err(Error::Parameter("an image is copied over itself".into()));
        }
        let copied = || match version {
            Version::TomagouA | Version::TomagouB | Version::TomagouC => {
                device.upload_into(&list, &mut host_list.slice_mut(0..))
            }
            _ => device.upload_into(&image.pixels, &mut pixels.slice_mut(0..)),
        };
        Ok(device.timed(copied)?.1)
    }

    /// The accumulators, row by row.
    ///
    /// # Errors
    /// If the device fails.
    pub fn counts(&self) -> Result<Vec<Vec<u32>>> {
        let counts = |s: &ImageSpace| self.device.download(&s.counts, s.size() as usize);
        self.spaces.iter().map(counts).collect()
    }
}

/// The edges as listed by the host: row in the upper half of a word, column in the lower half.
fn packed_list(image: &EdgeImage) -> Vec<u32> {
    image.edges().map(|[x, y]| y << 16 | x).collect()
}

fn no_slopes(version: Version) -> Error {
    let message =
        "votes in the two Cartesian spaces of an image with its origin in the top left pixel";
    Error::Parameter(format!("{} {message}", version.name()))
}
