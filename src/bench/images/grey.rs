//! From a grey image on the device to its sorted bins.

use super::{GreyRow, ImageBench, strewn};
use crate::cpu::Cpu;
use crate::cuda::Cuda;
use crate::cuda::line_bins::Seconds;
use crate::image::{EdgeMap, Image, Method};
use crate::line_voters::EdgeImage;
use crate::lines::BinSearch;
use crate::synth::lines::{Kind, LineOptions, draw};
use crate::{Error, Result};

/// Runs of which the median counts.
const RUNS: usize = 15;
/// The space: 1° and a pixel, with the usual number of false alarms.
const DIRECTIONS: u32 = 180;
const RHO_STEP: f64 = 1.0;
const FALSE_ALARMS: f64 = 1e-3;
/// The images of the sweep, and their share of edges in thousandths, where it can be chosen.
const WIDE: [u32; 2] = [1920, 1080];
const USUAL: usize = 59;
/// A spot has so many pixels of edge around it.
const AROUND: usize = 8;

impl ImageBench<'_> {
    /// Times an image, whose bins are compared with the CPU's before; nothing without a GPU, or where the
    /// fast versions are not asked for.
    ///
    /// # Errors
    /// [`Error::Device`] where a device fails, or finds other bins than the CPU.
    pub fn grey(&self, name: &str, image: &Image, method: &Method) -> Result<Option<GreyRow>> {
        let Some(gpu) = self.gpu.filter(|_| self.fast) else { return Ok(None) };
        let size = [image.width(), image.height()];
        let search = BinSearch::new(size, DIRECTIONS, RHO_STEP, FALSE_ALARMS)?;
        grey(gpu, &search, name, image, method).map(Some)
    }

    /// The same for images that are made for it.
    ///
    /// # Errors
    /// As [`ImageBench::grey`].
    pub fn grey_sweep(&self) -> Result<Vec<GreyRow>> {
        let Some(gpu) = self.gpu.filter(|_| self.fast) else { return Ok(Vec::new()) };
        let search = BinSearch::new(WIDE, DIRECTIONS, RHO_STEP, FALSE_ALARMS)?;
        let pixels = WIDE[0] as usize * WIDE[1] as usize;
        let edges = drawn(&strewn(WIDE, pixels * USUAL / 1000))?;
        let spots = drawn(&strewn(WIDE, pixels * USUAL / 1000 / AROUND))?;
        let lines =
            |kind| draw(&LineOptions { kind, size: WIDE, ..LineOptions::default() }).map(|d| d.0);
        let (clean, dense, photo) = (lines(Kind::Clean)?, lines(Kind::Dense)?, lines(Kind::Photo)?);
        [
            ("strewn edges", &edges, "none"),
            ("strewn spots", &spots, "sobel"),
            ("strewn spots", &spots, "canny"),
            ("lines, clean", &clean, "sobel"),
            ("lines, dense", &dense, "none"),
            ("lines, photo", &photo, "sobel"),
            ("lines, photo", &photo, "canny"),
        ]
        .into_iter()
        .map(|(name, image, method)| grey(gpu, &search, name, image, &method.parse()?))
        .collect()
    }
}

fn grey(
    gpu: &Cuda,
    search: &BinSearch,
    name: &str,
    image: &Image,
    method: &Method,
) -> Result<GreyRow> {
    let edges = EdgeMap::find(image, method)?;
    let mut bins = gpu.line_bins(search)?;
    bins.upload(image, method)?;
    let found = bins.find()?;
    if found != search.find(&edges, &Cpu::default())? {
        let message = "its bins are not those of the CPU".into();
        return Err(Error::Device { device: gpu.device_name().into(), message });
    }
    let runs: Vec<Seconds> = (0..RUNS).map(|_| bins.measure()).collect::<Result<_>>()?;
    let middle = |of: fn(&Seconds) -> f64| {
        let mut seconds: Vec<f64> = runs.iter().map(of).collect();
        seconds.sort_by(f64::total_cmp);
        seconds[RUNS / 2]
    };
    Ok(GreyRow {
        image: format!("{name}, {}", edges.method),
        size: [image.width(), image.height()],
        edges: edges.pixels.len() as u64,
        bins: found.len() as u64,
        find: middle(|s| s.edges),
        vote: middle(|s| s.vote),
        select: middle(|s| s.select),
        total: middle(|s| s.total),
    })
}

/// White edges on black.
fn drawn(edges: &EdgeImage) -> Result<Image> {
    let [width, height] = edges.size;
    Image::from_rgb(width, height, edges.pixels.iter().flat_map(|&v| [v; 3]).collect())
}
