//! From a grey image to its sorted bins.

use super::image_bench::ImageBench;
use super::report::GreyRow;
use super::sweep::strewn;
use crate::cpu::Cpu;
use crate::cuda::Cuda;
use crate::image::{EdgeMap, Image, Method};
use crate::papers::line_bins::{Bin, BinSearch, LineBins, Seconds};
use crate::papers::line_voters::EdgeImage;
use crate::synth::lines::{Hardness, LineOptions, draw};
use crate::{Error, Result};
use std::hint::black_box;
use std::time::Instant;

/// Number of runs of which the median is taken.
const RUNS: usize = 15;
/// The space: 1° and a pixel, with the usual number of false alarms.
const DIRECTIONS: u32 = 180;
const RHO_STEP: f64 = 1.0;
const FALSE_ALARMS: f64 = 1e-3;
/// The images of the sweep, and their share of edges in thousandths where it can be chosen.
const WIDE: [u32; 2] = [1920, 1080];
const USUAL: usize = 59;
/// Number of edge pixels around a spot.
const AROUND: usize = 8;

/// An image and how its edges are found.
struct Case<'a> {
    search: &'a BinSearch,
    name: &'a str,
    image: &'a Image,
    method: &'a Method,
    edges: EdgeMap,
    /// The bins that the CPU finds.
    bins: Vec<Bin>,
}

impl ImageBench<'_> {
    /// Times an image, on the CPU from its edges on and, if there is one, on the GPU. Its bins are compared
    /// first. Nothing is measured if the fast versions are not asked for.
    ///
    /// # Errors
    /// [`Error::Device`] if a device fails, or finds other bins than the CPU.
    pub fn grey(&self, name: &str, image: &Image, method: &Method) -> Result<Vec<GreyRow>> {
        if !self.fast {
            return Ok(Vec::new());
        }
        let size = [image.width(), image.height()];
        let search = BinSearch::new(size, DIRECTIONS, RHO_STEP, FALSE_ALARMS)?;
        self.rows(&Case::new(&search, name, image, method)?)
    }

    /// The same for generated images.
    ///
    /// # Errors
    /// As [`ImageBench::grey`].
    pub fn grey_sweep(&self) -> Result<Vec<GreyRow>> {
        if !self.fast {
            return Ok(Vec::new());
        }
        let search = BinSearch::new(WIDE, DIRECTIONS, RHO_STEP, FALSE_ALARMS)?;
        let pixels = WIDE[0] as usize * WIDE[1] as usize;
        let edges = drawn(&strewn(WIDE, pixels * USUAL / 1000))?;
        let spots = drawn(&strewn(WIDE, pixels * USUAL / 1000 / AROUND))?;
        let lines =
            |kind| draw(&LineOptions { kind, size: WIDE, ..LineOptions::default() }).map(|d| d.0);
        let (clean, dense, photo) =
            (lines(Hardness::Clean)?, lines(Hardness::Dense)?, lines(Hardness::Photo)?);
        let mut rows = Vec::new();
        for (name, image, method) in [
            ("strewn edges", &edges, "none"),
            ("strewn spots", &spots, "sobel"),
            ("strewn spots", &spots, "canny"),
            ("lines, clean", &clean, "sobel"),
            ("lines, dense", &dense, "none"),
            ("lines, photo", &photo, "sobel"),
            ("lines, photo", &photo, "canny"),
        ] {
            rows.extend(self.rows(&Case::new(&search, name, image, &method.parse()?)?)?);
        }
        Ok(rows)
    }

    fn rows(&self, case: &Case) -> Result<Vec<GreyRow>> {
        let mut rows = vec![case.on_cpu()?];
        if let Some(gpu) = self.gpu {
            rows.push(case.on_gpu(gpu)?);
        }
        Ok(rows)
    }
}

impl<'a> Case<'a> {
    fn new(
        search: &'a BinSearch,
        name: &'a str,
        image: &'a Image,
        method: &'a Method,
    ) -> Result<Case<'a>> {
        let edges = EdgeMap::find(image, method)?;
        let bins = search.find(&edges, &Cpu::default())?;
        Ok(Case { search, name, image, method, edges, bins })
    }

    fn on_cpu(&self) -> Result<GreyRow> {
        let cpu = Cpu::default();
        self.row(false, || {
            let clock = Instant::now();
            black_box(EdgeMap::find(self.image, self.method)?);
            let edges = clock.elapsed().as_secs_f64();
            let clock = Instant::now();
            let counts = self.search.vote(&self.edges, &cpu)?;
            let vote = clock.elapsed().as_secs_f64();
            black_box(self.search.select(&counts, self.edges.pixels.len()));
            let both = clock.elapsed().as_secs_f64();
            Ok(Seconds { edges, vote, select: both - vote, total: edges + both })
        })
    }

    fn on_gpu(&self, gpu: &Cuda) -> Result<GreyRow> {
        let mut bins = LineBins::new(gpu, self.search)?;
        bins.upload(self.image, self.method)?;
        if bins.find()? != self.bins {
            let message = "its bins are not those of the CPU".into();
            return Err(Error::Device { device: gpu.device_name().into(), message });
        }
        self.row(true, || bins.measure())
    }

    /// The medians of several runs, after one that warms up.
    fn row(&self, on_gpu: bool, mut run: impl FnMut() -> Result<Seconds>) -> Result<GreyRow> {
        run()?;
        let runs: Vec<Seconds> = (0..RUNS).map(|_| run()).collect::<Result<_>>()?;
        let middle = |of: fn(&Seconds) -> f64| {
            let mut seconds: Vec<f64> = runs.iter().map(of).collect();
            seconds.sort_by(f64::total_cmp);
            seconds[RUNS / 2]
        };
        Ok(GreyRow {
            image: format!("{}, {}", self.name, self.edges.method),
            on_gpu,
            size: [self.image.width(), self.image.height()],
            edges: self.edges.pixels.len() as u64,
            bins: self.bins.len() as u64,
            find: middle(|s| s.edges),
            vote: middle(|s| s.vote),
            select: middle(|s| s.select),
            total: middle(|s| s.total),
        })
    }
}

/// White edges on black.
fn drawn(edges: &EdgeImage) -> Result<Image> {
    let [width, height] = edges.size;
    Image::from_rgb(width, height, edges.pixels.iter().flat_map(|&v| [v; 3]).collect())
}
