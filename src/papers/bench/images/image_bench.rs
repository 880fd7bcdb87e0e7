//! Which versions are measured.

use super::super::rows::Mode;
use crate::cuda::Cuda;
use crate::papers::line_voters::Version;

/// Measures images, one after the other.
pub struct ImageBench<'a> {
    pub(super) gpu: Option<&'a Cuda>,
    pub(super) versions: Vec<Version>,
    pub(super) fast: bool,
}

impl<'a> ImageBench<'a> {
    /// Measures the versions of some modes; versions that need a GPU only if there is one.
    pub fn new(gpu: Option<&'a Cuda>, modes: &[Mode]) -> ImageBench<'a> {
        let is_wanted =
            |v: &Version| (gpu.is_some() || v.is_on_the_cpu()) && modes.contains(&mode(*v));
        let versions = Version::ALL.into_iter().filter(is_wanted).collect();
        ImageBench { gpu, versions, fast: modes.contains(&Mode::Fast) }
    }

    /// Whether there is nothing to measure.
    pub fn is_empty(&self) -> bool {
        self.versions.is_empty()
    }
}

/// The mode in which a version is measured.
pub fn mode(version: Version) -> Mode {
    match version {
        Version::Serial => Mode::Serial,
        Version::AllCores | Version::KumarBaseline | Version::BraakBasic | Version::TomagouA => {
            Mode::Naive
        }
        Version::KumarFast
        | Version::BraakFast
        | Version::BraakConstant
        | Version::TomagouB
        | Version::TomagouC => Mode::Optimized,
        Version::AllCoresSlices | Version::Slices | Version::Lists | Version::Fast => Mode::Fast,
    }
}
