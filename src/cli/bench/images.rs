//! `planes bench` of images.

use super::super::line;
use super::super::progress::Bar;
use clap::Args;
use planes::Error;
use planes::cuda::Cuda;
use planes::detect::Progress;
use planes::image::{EdgeMap, Image, Method};
use planes::papers::bench::images::{IMAGE_REPORT_VERSION, ImageBench, ImageReport, Sweep};
use planes::papers::bench::{Machine, Mode};
use planes::papers::line_voters::{EdgeImage, PaperSpace};

/// The options for images only.
#[derive(Debug, Args)]
#[command(next_help_heading = "Images")]
pub struct ImageOptions {
    /// Measure the papers' sweeps instead of an image: edges (1e3 to 1e7 of them in 4096 x 4096 pixels),
    /// density (0.1 to 60 % edges in 1920 x 1080), angles (steps of 1, 3 and 6 degrees), grey (from grey
    /// images to sorted bins)
    #[arg(long, value_name = "SWEEP,…", value_delimiter = ',', conflicts_with_all = ["input", "scene"],
        value_parser = |s: &str| s.parse::<Sweep>().map_err(|e| e.to_string()))]
    pub sweep: Option<Vec<Sweep>>,
    /// How the edges of an image are found, as for detect [default: auto]
    #[arg(long, value_name = "METHOD")]
    pub edges: Option<Method>,
}

/// What to measure, on which device, and with how much output.
pub struct Measuring<'a> {
    pub gpu: Option<&'a Cuda>,
    pub modes: &'a [Mode],
    pub quiet: bool,
}

impl Measuring<'_> {
    fn bench(&self) -> Result<ImageBench<'_>, Error> {
        let bench = ImageBench::new(self.gpu, self.modes);
        if bench.is_empty() {
            let message = "none of the --modes can be measured without a GPU";
            return Err(Error::Parameter(message.into()));
        }
        Ok(bench)
    }

    fn report(&self, source: String) -> ImageReport {
        ImageReport {
            format: "planes-bench-images".into(),
            version: IMAGE_REPORT_VERSION,
            machine: Machine::this(self.gpu, line::again()),
            source,
            voters: Vec::new(),
            grey: Vec::new(),
        }
    }

    /// Measures an image in the papers' spaces.
    pub fn image(&self, image: &Image, method: &Method) -> Result<ImageReport, Error> {
        let bench = self.bench()?;
        let name = image.path().display().to_string();
        let bar = Bar::new(&name, self.quiet);
        bar.stage("edges", None);
        let map = EdgeMap::find(image, method)?;
        let edges = EdgeImage::new([map.width, map.height], map.pixels.iter().copied());
        let mut report = self.report(format!("{name}, edges {}", map.method));
        let square = (map.width == map.height).then_some(PaperSpace::Tomagou);
        let spaces = [PaperSpace::Kumar, PaperSpace::Cartesian(1.0)];
        for space in spaces.into_iter().chain(square) {
            bar.stage(&space.long_name(), None);
            report.voters.extend(bench.voters(&space.long_name(), &name, &edges, space)?);
        }
        bar.stage("grey", None);
        report.grey.extend(bench.grey(&name, image, method)?);
        bar.finish();
        Ok(report)
    }

    /// Measures the papers' sweeps.
    pub fn sweeps(&self, sweeps: &[Sweep]) -> Result<ImageReport, Error> {
        let bench = self.bench()?;
        let names: Vec<&str> = sweeps.iter().map(|sweep| sweep.name()).collect();
        let mut report = self.report(format!("sweeps: {}", names.join(", ")));
        for &sweep in sweeps {
            let bar = Bar::new(sweep.name(), self.quiet);
            report.voters.extend(bench.sweep(sweep, &bar)?);
            if sweep == Sweep::Grey {
                report.grey.extend(bench.grey_sweep()?);
            }
            bar.finish();
        }
        Ok(report)
    }
}
