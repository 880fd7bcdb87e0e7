//! `planes bench`.

mod clouds;
mod common;
mod csv;
mod grid;
mod image_tables;
mod images;
mod lms;
mod outputs;
mod stages;
mod svg;
mod tables;

use super::engine::DeviceName;
use super::failure::Failure;
use super::line;
use super::progress::Bar;
use super::values::count;
use super::words::counted;
use clap::{Args, Subcommand};
use common::{find_gpu, to_json};
use images::{ImageOptions, Measuring};
use outputs::{Outputs, Texts};
use planes::Error;
use planes::cuda::Cuda;
use planes::input::Input;
use planes::papers::bench::images::ImageReport;
use planes::papers::bench::{Bench as Stopwatch, Machine, Mode, REPORT_VERSION, Report, published};
use planes::synth::Scene;
use std::path::PathBuf;

/// Measure every version of the Hough transform: serial, naive, optimized, and our own
///
/// The rows are those of the timings in "3D Plane Detection via Hough Transform" by A. Duca, whose
/// system is included in all its versions: 180 x 180 directions, 184 bins, f64. The row "fast" is what
/// this program uses itself, in the same space. Before a version is timed, its votes are compared with those
/// of the serial loop. Work that would take more than a minute is measured in part and marked.
///
/// For an image, every voter of three papers on lines is measured in the papers' spaces, and ours as well.
///
/// Without a GPU, the rows that need one are left out.
#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true)]
pub struct Bench {
    #[command(subcommand)]
    of: Option<Of>,
    /// A cloud or an image [default: generated scenes]
    #[arg(value_name = "CLOUD|IMAGE")]
    input: Option<PathBuf>,
    /// The scene to generate instead of reading a cloud [default: street]
    #[arg(long, conflicts_with = "input",
        value_parser = |s: &str| s.parse::<Scene>().map_err(|e| e.to_string()))]
    scene: Option<Scene>,
    /// Numbers of points, such as 1e3,1e6; for a cloud, that many of its first points
    /// [default: 1,1e3,1e4,1e5,1e6,1e7,2.3e7; for a cloud all]
    #[arg(long, value_name = "N,…", value_delimiter = ',', value_parser = number_of_points, allow_negative_numbers = true)]
    points: Option<Vec<u64>>,
    /// Numbers of winners, at most 128; the last table uses the largest [default: 2,5,10]
    #[arg(long, value_name = "N,…", value_delimiter = ',',
        value_parser = |text: &str| count::<u32>(text, 128))]
    top: Option<Vec<u32>>,
    /// What to measure: serial, naive, optimized, fast
    #[arg(long, value_name = "MODE,…", value_delimiter = ',',
        default_value = "serial,naive,optimized,fast",
        value_parser = |s: &str| s.parse::<Mode>().map_err(|e| e.to_string()))]
    modes: Vec<Mode>,
    /// Measure the stages of `detect` on a cloud, with default options: wall time, processor
    /// time, and memory
    #[arg(long, requires = "input", conflicts_with_all = ["scene", "points", "top", "modes", "svg", "edges", "sweep"])]
    stages: bool,
    /// Where to measure
    #[arg(long, value_enum, default_value_t = DeviceName::Auto)]
    device: DeviceName,
    #[command(flatten)]
    outputs: Outputs,
    #[command(flatten)]
    images: ImageOptions,
}

/// Other benches.
#[derive(Debug, Subcommand)]
enum Of {
    Lms(lms::LmsBench),
}

impl Bench {
    pub fn run(&self, quiet: bool) -> Result<(), Failure> {
        if let Some(Of::Lms(lms)) = &self.of {
            return lms.run(quiet);
        }
        self.outputs.write(self.input.as_deref(), || self.texts(quiet))
    }

    /// Measures what was asked for.
    fn texts(&self, quiet: bool) -> Result<Texts, Failure> {
        if let Some(sweeps) = &self.images.sweep {
            self.check_image("--sweep")?;
            let gpu = find_gpu(self.device, quiet)?;
            let measuring = Measuring { gpu: gpu.as_ref(), modes: &self.modes, quiet };
            return self.of_images(&measuring.sweeps(sweeps)?);
        }
        let input = self.input.as_deref().map(Input::open).transpose()?;
        if let Some(Input::Image(image)) = &input {
            self.check_image(&image.path().display().to_string())?;
            let gpu = find_gpu(self.device, quiet)?;
            let measuring = Measuring { gpu: gpu.as_ref(), modes: &self.modes, quiet };
            let method = self.images.edges.unwrap_or_default();
            return self.of_images(&measuring.image(image, &method)?);
        }
        if let (true, Some(Input::Cloud(cloud))) = (self.stages, &input) {
            let gpu = find_gpu(self.device, quiet)?;
            return stages::measure(cloud, gpu.as_ref(), line::again(), self.outputs.markdown);
        }
        if self.images.edges.is_some() {
            return Err(
                Error::Parameter("--edges is for images, and this is a cloud".into()).into()
            );
        }
        let gpu = find_gpu(self.device, quiet)?;
        let report = self.measure(input, gpu.as_ref(), quiet)?;
        Ok(Texts {
            json: to_json(&report)?,
            csv: csv::lines(&report),
            svg: svg::plot(&report),
            tables: tables::tables(&report, self.outputs.markdown),
        })
    }

    fn of_images(&self, report: &ImageReport) -> Result<Texts, Failure> {
        Ok(Texts {
            json: to_json(report)?,
            csv: csv::image_lines(report),
            svg: svg::plot_images(report),
            tables: image_tables::tables(report, self.outputs.markdown),
        })
    }

    /// Refuses options that are only for clouds.
    fn check_image(&self, name: &str) -> Result<(), Error> {
        let given = [
            ("--points", self.points.is_some()),
            ("--top", self.top.is_some()),
            ("--scene", self.scene.is_some()),
            ("--stages", self.stages),
        ];
        match given.into_iter().find(|option| option.1) {
            Some((option, _)) => Err(Error::Parameter(format!(
                "{name}: {option} is for clouds, and this is an image"
            ))),
            None => Ok(()),
        }
    }

    fn measure(
        &self,
        input: Option<Input>,
        gpu: Option<&Cuda>,
        quiet: bool,
    ) -> Result<Report, Error> {
        let stopwatch = Stopwatch::new(gpu, &self.modes);
        if stopwatch.rows().is_empty() {
            let message = "none of the --modes can be measured without a GPU";
            return Err(Error::Parameter(message.into()));
        }
        let mut tops = self.top.clone().unwrap_or_else(|| published::TOPS.into());
        tops.sort_unstable();
        tops.dedup();
        let most = &tops[tops.len().saturating_sub(1)..];
        let clouds = self.clouds(input)?;
        let tops_points = tops_points(clouds.sizes());
        let mut measurements = Vec::new();
        for &size in clouds.sizes() {
            let bar = Bar::new(&counted(size, "point"), quiet);
            let points = clouds.read(size, &bar)?;
            let tops = if size == tops_points { &tops } else { most };
            measurements.extend(stopwatch.measure(points, tops, &bar)?);
            bar.finish();
        }
        Ok(Report {
            format: "planes-bench".into(),
            version: REPORT_VERSION,
            machine: Machine::this(gpu, line::again()),
            source: clouds.name(),
            tops,
            tops_points,
            measurements,
        })
    }

    fn clouds(&self, input: Option<Input>) -> Result<clouds::Clouds, Error> {
        match input {
            Some(Input::Cloud(cloud)) => clouds::Clouds::of_file(&cloud, self.points.as_deref()),
            _ => {
                let points = self.points.as_deref().unwrap_or(&published::POINTS);
                Ok(clouds::Clouds::of_scene(self.scene.unwrap_or(Scene::Street), points))
            }
        }
    }
}

/// The size of the cloud for the table over winners: the smallest that is at least the slides' size, or
/// the largest.
fn tops_points(sizes: &[u64]) -> u64 {
    let large = sizes.iter().find(|&&size| size >= published::TOP_POINTS);
    large.or(sizes.last()).copied().unwrap_or(0)
}

/// A whole number, perhaps written as 1e6.
fn number_of_points(text: &str) -> Result<u64, String> {
    count(text, u32::MAX.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_may_be_written_short() {
        assert_eq!(number_of_points("2.3e7"), Ok(23_000_000));
        assert_eq!(number_of_points("12"), Ok(12));
        for wrong in ["0", "1.5", "-1", "1e10", "nan", "many", ""] {
            assert!(number_of_points(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn the_table_over_winners_is_for_the_slides_cloud_or_one_like_it() {
        assert_eq!(tops_points(&published::POINTS), published::TOP_POINTS);
        assert_eq!(tops_points(&[7, 5000, 90_000]), 5000);
        assert_eq!(tops_points(&[7, 12]), 12);
    }
}
