//! `planes bench lms`.

mod csv;
mod svg;
mod tables;

use super::super::line;
use super::super::values::{count, number};
use super::common::{find_gpu, to_json};
use super::outputs::{Outputs, Texts};
use crate::cli::engine::DeviceName;
use crate::cli::failure::Failure;
use crate::cli::progress::Bar;
use clap::Args;
use planes::Error;
use planes::backend::Backend;
use planes::cpu::Cpu;
use planes::cuda::Cuda;
use planes::detect::Progress;
use planes::image::Image;
use planes::papers::bench::Machine;
use planes::papers::bench::lms::{
    IMAGES, LMS_REPORT_VERSION, LmsReport, SETS, many_times, on_photo, over_cells, over_noise,
    times,
};
use std::path::PathBuf;

/// Repeat the experiments of the paper on the least median of squares
///
/// "GPU-Based Computation of 2D Least Median of Squares with Applications to Fast and Robust Line
/// Detection" by G. Shapira and T. Hassner: the time to find the thinnest slab of random points (Table 1),
/// the accuracy of lines for different sizes of the accumulator's cells (figure 7) and for different noise
/// (figure 8), and the lines of a photograph with added noise (Table 2).
#[derive(Debug, Args)]
pub struct LmsBench {
    /// Numbers of points for Table 1
    #[arg(long, value_name = "N,…", value_delimiter = ',',
        default_value = "128,256,512,1024,2048,4096",
        value_parser = |text: &str| count::<u32>(text, 8192))]
    points: Vec<u32>,
    /// Share of the points that a slab of Table 1 holds [default: the median, h = n / 2 + 1 of n points]
    #[arg(long, value_name = "SHARE", value_parser = number)]
    hold: Option<f64>,
    /// Number of images for each setting of figures 7 and 8
    #[arg(long, value_name = "N", default_value_t = IMAGES,
        value_parser = |text: &str| count::<u64>(text, 10_000))]
    images: u64,
    /// A photograph for Table 2; its true lines are those found without noise [default: a drawn image with
    /// known lines]
    #[arg(long, value_name = "IMAGE")]
    photo: Option<PathBuf>,
    /// Where to measure
    #[arg(long, value_enum, default_value_t = DeviceName::Auto)]
    device: DeviceName,
    #[command(flatten)]
    outputs: Outputs,
}

impl LmsBench {
    pub fn run(&self, quiet: bool) -> Result<(), Failure> {
        self.outputs.write(self.photo.as_deref(), || self.texts(quiet))
    }

    fn texts(&self, quiet: bool) -> Result<Texts, Failure> {
        let photo = self.photo.as_ref().map(Image::open).transpose()?;
        let gpu = find_gpu(self.device, quiet)?;
        let report = self.measure(gpu.as_ref(), photo.as_ref(), quiet)?;
        Ok(Texts {
            json: to_json(&report)?,
            csv: csv::lines(&report),
            svg: svg::plots(&report),
            tables: tables::tables(&report, self.outputs.markdown),
        })
    }

    fn measure(
        &self,
        gpu: Option<&Cuda>,
        photo: Option<&Image>,
        quiet: bool,
    ) -> Result<LmsReport, Error> {
        let cpu = Cpu::default();
        let backend: &dyn Backend = match gpu {
            Some(gpu) => gpu,
            None => &cpu,
        };
        let bar = Bar::new("least median of squares", quiet);
        bar.stage("slabs", None);
        let h = |n: u32| self.hold.map(|share| (share * f64::from(n)).ceil() as usize);
        let points = self.points.iter().map(|&n| times(gpu, n as usize, h(n)));
        let times = points.collect::<Result<_, _>>()?;
        let many = gpu.map(|gpu| SETS.map(|sets| many_times(gpu, sets)));
        let many = many.into_iter().flatten().collect::<Result<_, _>>()?;
        bar.stage("cells", None);
        let cells = over_cells(self.images, backend)?;
        bar.stage("noise", None);
        let noise = over_noise(self.images, backend)?;
        bar.stage("photograph", None);
        let (photo, photo_name) = on_photo(photo, backend)?;
        bar.finish();
        Ok(LmsReport {
            format: "planes-bench-lms".into(),
            version: LMS_REPORT_VERSION,
            machine: Machine::this(gpu, line::again()),
            times,
            many,
            cells,
            noise,
            photo,
            photo_name,
        })
    }
}
