//! Runs any voter in any space.

use super::bits::slices;
use super::cpu;
use super::edge_image::EdgeImage;
use super::gpu::LineVotes;
use super::version::Version;
use crate::cuda::Cuda;
use crate::space::Space;
use crate::{Error, Result};

/// The accumulators of an image in one space, or in the two [`cartesian`](crate::space::cartesian()) ones, row by
/// row, computed by any version.
///
/// # Errors
/// [`Error::Parameter`] for a version that does not vote in these spaces; [`Error::NoDevice`] for one that
/// needs a GPU if there is none; [`Error::Device`] if the device fails.
pub fn accumulators(
    image: &EdgeImage,
    spaces: &[Space],
    version: Version,
    gpu: Option<&Cuda>,
) -> Result<Vec<Vec<u32>>> {
    match (version, spaces) {
        (Version::Serial, _) => Ok(spaces.iter().map(|s| cpu::serial(image, s)).collect()),
        (Version::AllCores, _) => Ok(spaces.iter().map(|s| cpu::all_cores(image, s)).collect()),
        (Version::AllCoresSlices, [first, second]) => {
            Ok(slices(image, &[first.clone(), second.clone()])?.into())
        }
        (Version::AllCoresSlices, _) => {
            Err(Error::Parameter(format!("{} votes in the space cartesian", version.name())))
        }
        _ => {
            let none = || {
                Error::NoDevice(format!(
                    "the voter {} needs an NVIDIA GPU; serial, all-cores and all-cores-slices do not",
                    version.name()
                ))
            };
            let mut votes = LineVotes::new(gpu.ok_or_else(none)?, image, spaces)?;
            votes.vote(version)?;
            votes.counts()
        }
    }
}
