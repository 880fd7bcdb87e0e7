//! `planes synth`.

use super::failure::Failure;
use super::guard::{self, Output};
use super::lines::synth::LineScene;
use super::progress::Bar;
use super::results::is_document;
use super::values::{count, first_given, number, said, whole};
use super::words::counted;
use clap::Args;
use planes::Error;
use planes::atomic::folder_of;
use planes::detect::Progress;
use planes::synth::lines::write_image;
use planes::synth::{
    Passes, Scene, SceneOptions, Sensor, Truth, Voxel, generate, truth_path, write_scene,
};
use std::path::{Path, PathBuf};

/// Write a synthetic cloud or image with its exact truth
///
/// The scene `lines` is an image of lines (a .png), see --kind. The scenes of clouds are room, street, roofs,
/// boards, hard, and the parts of hard: hard-parallel, hard-poles, hard-seam, hard-stairs, hard-strips,
/// hard-giant, hard-outliers, hard-duplicates. The truth, planes with their outlines, goes to NAME.truth.json
/// beside the cloud. LAS, LAZ, PLY, PCD and CSV files also contain each point's plane as plane_id; beside .xyz, .txt
/// and .pts it goes to NAME.labels. The same arguments give the same bytes on every machine.
///
/// With --sensor the scene is drawn as an instrument sees it; points between surfaces, as at edges,
/// get plane_id −1. Options are applied in this order: floors sag, each pass is surveyed,
/// points are thinned to voxels, copied, and rounded.
#[derive(Debug, Args)]
#[command(allow_negative_numbers = true)]
pub struct Synth {
    /// The scene
    #[arg(value_parser = subject)]
    scene: Subject,
    /// The cloud to write: .las, .laz, .ply, .pcd, .xyz, .txt (Semantic3D), .csv or .pts; for lines, .png
    #[arg(short, long, value_name = "FILE")]
    out: PathBuf,
    /// Number of points [default: 100000]
    #[arg(long, value_name = "N", value_parser = whole)]
    points: Option<u64>,
    /// Standard deviation of the points' distances from their surfaces, in metres; for a sensor, see
    /// --sensor [default: 0.005, roofs 0.03, or the sensor's]
    #[arg(long, value_name = "METRES", value_parser = number)]
    noise: Option<f64>,
    /// Share of outliers [default: 0.1; sensors 0.01, depth 0]
    #[arg(long, value_name = "SHARE", value_parser = number)]
    outliers: Option<f64>,
    /// Seed of the random numbers
    #[arg(long, default_value_t = 1, value_name = "N", value_parser = whole)]
    seed: u64,
    /// Position of the scene's own origin, such as 0,0,0
    /// [default: 0,0,0; roofs 500000,4600000,300]
    #[arg(
        long,
        value_name = "X,Y,Z",
        value_delimiter = ',',
        num_args = 1,
        allow_hyphen_values = true,
        value_parser = number
    )]
    origin: Option<Vec<f64>>,
    #[command(flatten)]
    survey: SurveyArgs,
    #[command(flatten)]
    lines: LineScene,
}

#[derive(Debug, Args)]
#[command(next_help_heading = "What instruments and programs do to clouds")]
struct SurveyArgs {
    /// Draw the scene as an instrument sees it: tripod (grids of directions from three or four
    /// positions, mixed pixels at edges, registration off by 2 mm; noise of ranges at 10 m, default
    /// 0.002), depth (one frame of a Kinect in rows, disparities in steps of 1/8 pixel, shadows;
    /// noise at a depth of 1 m, 0.0015), slam (a trolley's laser, twice around, 5 mm of drift over
    /// decimetres to metres; noise of ranges, 0.001), airborne (strips 3 cm apart, scan lines,
    /// several returns from trees; noise of ranges, 0.02), photo (photogrammetry: waves over
    /// decimetres, holes, blobs at edges; noise is the size of the waves, 0.004), spinning (one sweep of
    /// 16 to 128 lasers, in the scanner's coordinates; noise of ranges, 0.01)
    #[arg(long, value_name = "NAME")]
    sensor: Option<Sensor>,
    /// Round coordinates to multiples of this, such as 0.01
    #[arg(long, value_name = "METRES", value_parser = number)]
    round: Option<f64>,
    /// Keep one point per voxel, its centre; with :mean, the mean of its points. --points is the number
    /// before thinning
    #[arg(long, value_name = "METRES[:mean]", value_parser = said::<Voxel>)]
    voxel: Option<Voxel>,
    /// Number of times that each point appears in the cloud, within 0.05 mm
    #[arg(long, value_name = "N", value_parser = |text: &str| count::<u32>(text, 1000))]
    copies: Option<u32>,
    /// How far level surfaces with sides of at least 2 m sag in their middle
    #[arg(long, value_name = "METRES", allow_hyphen_values = true, value_parser = number)]
    sag: Option<f64>,
    /// Add curved objects to the room: a vault for its ceiling, balls, columns, a dome
    #[arg(long)]
    curved: bool,
    /// Survey the scene several times, each time displaced from the first by up to this distance, such as 2:0.02
    #[arg(long, value_name = "COUNT:METRES", value_parser = said::<Passes>)]
    passes: Option<Passes>,
}

impl SurveyArgs {
    /// The first option given.
    fn given(&self) -> Option<&'static str> {
        first_given(&[
            ("--sensor", self.sensor.is_some()),
            ("--round", self.round.is_some()),
            ("--voxel", self.voxel.is_some()),
            ("--copies", self.copies.is_some()),
            ("--sag", self.sag.is_some()),
            ("--curved", self.curved),
            ("--passes", self.passes.is_some()),
        ])
    }

    /// A scene's options with these applied.
    fn applied(&self, scene: Scene, mut options: SceneOptions) -> SceneOptions {
        if let Some(sensor) = self.sensor {
            options = options.with_sensor(scene, sensor);
        }
        SceneOptions {
            round: self.round,
            voxel: self.voxel,
            copies: self.copies.unwrap_or(options.copies),
            sag: self.sag.unwrap_or(options.sag),
            curved: self.curved,
            passes: self.passes,
            ..options
        }
    }
}

/// What can be made.
#[derive(Debug, Clone, Copy)]
enum Subject {
    Scene(Scene),
    Lines,
}

fn subject(name: &str) -> Result<Subject, String> {
    if name == "lines" {
        return Ok(Subject::Lines);
    }
    name.parse().map(Subject::Scene).map_err(|e: Error| format!("{e}, and lines"))
}

impl Synth {
    pub fn run(&self, quiet: bool) -> Result<(), Failure> {
        let given = match self.scene {
            Subject::Scene(_) => self.lines.given(),
            Subject::Lines => self.given_for_clouds(),
        };
        if given.is_none() {
            guard::check(&[], &self.outputs())?;
            self.check_truth()?;
        }
        match (self.scene, given) {
            (Subject::Scene(_), Some(option)) => {
                Err(Error::Parameter(format!("{option} is for lines")).into())
            }
            (Subject::Lines, Some(option)) => {
                Err(Error::Parameter(format!("{option} is for clouds, not for lines")).into())
            }
            (Subject::Scene(scene), None) => self.cloud(scene, quiet),
            (Subject::Lines, None) => {
                let truth = write_image(&self.lines.options(self.seed), &self.out)?;
                let lines = counted(truth.lines.len() as u64, "line");
                log::info!("{}: {lines}", self.out.display());
                Ok(())
            }
        }
    }

    /// Refuses to replace a truth that may belong to another cloud or image of the same name.
    fn check_truth(&self) -> Result<(), Error> {
        const ENDINGS: [&str; 8] = ["las", "laz", "ply", "xyz", "txt", "csv", "pts", "png"];
        let truth = truth_path(&self.out);
        if !truth.exists() {
            return Ok(());
        }
        if !is_truth(&truth) {
            return Err(Error::Parameter(format!(
                "{}: it would be replaced, and is no truth; choose another name or folder",
                truth.display()
            )));
        }
        let is_cloud = |path: &Path| {
            let ending = path.extension().unwrap_or_default();
            ENDINGS.into_iter().any(|known| ending.eq_ignore_ascii_case(known))
        };
        // A file with the same name and another extension, in whatever spelling.
        let files = std::fs::read_dir(folder_of(&self.out)).into_iter().flatten().flatten();
        let is_other = |path: &PathBuf| {
            path.file_stem() == self.out.file_stem()
                && path.file_name() != self.out.file_name()
                && is_cloud(path)
        };
        match files.map(|file| file.path()).find(is_other) {
            // The same points in another format.
            Some(_) if self.is_truth_of_this(&truth)? => Ok(()),
            Some(other) => Err(Error::Parameter(format!(
                "{}: it would be replaced, and may be the truth of {}; choose another name or folder",
                truth.display(),
                other.display()
            ))),
            None => Ok(()),
        }
    }

    /// Whether a truth is that of the same points as requested.
    fn is_truth_of_this(&self, path: &Path) -> Result<bool, Error> {
        let (Subject::Scene(scene), Ok(there)) = (self.scene, Truth::read(path)) else {
            return Ok(false);
        };
        let options = self.options(scene)?;
        // Everything known before the points are drawn; the noise of a survey is measured.
        let new = generate(scene, &options)?.truth();
        let has_noise = there.survey.is_some() || there.noise == new.noise;
        Ok(has_noise
            && there.points == options.points
            && (&there.scene, there.seed, &there.survey) == (&new.scene, new.seed, &new.survey)
            && (there.outliers, there.origin, there.step) == (new.outliers, new.origin, new.step))
    }

    /// The files to be written.
    fn outputs(&self) -> Vec<Output> {
        let cloud = Output::named("--out", &self.out);
        vec![cloud, Output::named("--out", &truth_path(&self.out))]
    }

    /// The first given option that is only for clouds.
    fn given_for_clouds(&self) -> Option<&'static str> {
        first_given(&[
            ("--points", self.points.is_some()),
            ("--noise", self.noise.is_some()),
            ("--outliers", self.outliers.is_some()),
            ("--origin", self.origin.is_some()),
        ])
        .or(self.survey.given())
    }

    /// The options for the library.
    fn options(&self, scene: Scene) -> Result<SceneOptions, Error> {
        let points = self.points.unwrap_or(100_000);
        let mut options = self.survey.applied(scene, SceneOptions::new(scene, points));
        options.noise = self.noise.unwrap_or(options.noise);
        options.outliers = self.outliers.unwrap_or(options.outliers);
        options.seed = self.seed;
        if let Some(origin) = &self.origin {
            let three = <[f64; 3]>::try_from(origin.as_slice())
                .map_err(|_| Error::Parameter("--origin takes three numbers: X,Y,Z".into()))?;
            options.origin = Some(three);
        }
        Ok(options)
    }

    fn cloud(&self, scene: Scene, quiet: bool) -> Result<(), Failure> {
        let options = self.options(scene)?;
        let bar = Bar::new(&self.out.display().to_string(), quiet);
        bar.stage("writing", Some(options.points));
        let mut before = 0;
        let truth = write_scene(scene, &options, &self.out, &mut |points| {
            bar.advance(points - before);
            before = points;
        })?;
        bar.finish();
        log::info!(
            "{}: {} on {}; truth in {}",
            self.out.display(),
            counted(truth.points, "point"),
            counted(truth.planes.len() as u64, "plane"),
            truth_path(&self.out).display()
        );
        Ok(())
    }
}

/// Whether a file is a truth, of whatever cloud or image.
fn is_truth(path: &Path) -> bool {
    Truth::read(path).is_ok() || is_document(path, &[planes::synth::lines::FORMAT])
}
