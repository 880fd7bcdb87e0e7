//! `planes detect`.

use super::progress::Bar;
use super::{Failure, table, write_stdout};
use clap::{Args, ValueEnum};
use planes::backend::Backend;
use planes::cloud::{Fields, Format, Source};
use planes::cpu::{Cpu, Voter};
use planes::detect::{Mode, Options, Progress, detect, load};
use planes::export::{json, labels, picture, ply};
use planes::space::Directions;
use planes::{Detection, Error};
use std::path::{Path, PathBuf};

/// Find the planes of clouds
///
/// Without an output option a table of the planes is printed. Lengths are in the cloud's own unit.
#[derive(Debug, Args)]
pub struct Detect {
    /// Clouds: LAS, LAZ, PLY or text, told by their content; - is standard input
    #[arg(required = true, value_name = "CLOUD")]
    files: Vec<PathBuf>,
    #[command(flatten)]
    outputs: Outputs,
    #[command(flatten)]
    search: Search,
    #[command(flatten)]
    machine: Machine,
}

#[derive(Debug, Args)]
#[command(next_help_heading = "Output")]
struct Outputs {
    /// Write everything into this folder: NAME.json, NAME.planes.ply, NAME.png and the labelled
    /// cloud NAME.labels.las, .laz or .ply, as the input is
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Write the planes as JSON; - prints it
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Write the planes' outlines as PLY polygons
    #[arg(long, value_name = "FILE")]
    ply: Option<PathBuf>,
    /// Write the cloud with each point's plane: .las, .laz, .ply, or .npy for the labels alone
    #[arg(long, value_name = "FILE")]
    labels: Option<PathBuf>,
    /// Write a picture of the cloud coloured by plane, .png
    #[arg(long, value_name = "FILE")]
    overlay: Option<PathBuf>,
}

#[derive(Debug, Args)]
#[command(next_help_heading = "Search")]
struct Search {
    /// Report only the N largest planes
    #[arg(long, value_name = "N")]
    top: Option<u64>,
    /// Largest distance of a point from its plane [default: 3 times the measured noise]
    #[arg(long, value_name = "LENGTH")]
    tolerance: Option<f64>,
    /// Largest angle between a point's surface and its plane [default: 20]
    #[arg(long, value_name = "DEGREES")]
    angle: Option<f64>,
    /// Fewest points of a plane [default: from the number of points]
    #[arg(long, value_name = "N")]
    min_inliers: Option<u64>,
    /// Fewest votes of a peak [default: from --min-inliers]
    #[arg(long, value_name = "N")]
    min_votes: Option<u64>,
    /// Directions to vote for: ball:STEP or polar:THETAxPHI
    /// [default: ball:2; with --one-pass polar:180x180]
    #[arg(long, value_name = "SPACE")]
    space: Option<Directions>,
    /// Width of a bin of the distance axis [default: from the tolerance and the extent]
    #[arg(long, value_name = "LENGTH")]
    rho_bin: Option<f64>,
    /// Who votes for what
    #[arg(long, value_enum, default_value_t = Vote::Near)]
    vote: Vote,
    /// The papers' flow: vote, suppress, take every peak over --min-votes, or the --top N
    /// (10 if neither is given); no rounds, no refinement
    #[arg(long, conflicts_with_all = ["vote", "angle", "min_inliers"])]
    one_pass: bool,
}

#[derive(Debug, Args)]
#[command(next_help_heading = "Machine")]
struct Machine {
    /// How votes for every direction are cast (--vote all, --one-pass)
    #[arg(long, value_enum, default_value_t = VoterName::Parallel)]
    voter: VoterName,
    /// Points read at a time; the result does not depend on it
    #[arg(long, value_name = "N", default_value_t = 1 << 18, hide_default_value = true,
        value_parser = clap::value_parser!(u32).range(1..))]
    chunk: u32,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Vote {
    /// Each surface for the directions near its normal
    Near,
    /// Each point for every direction: the standard Hough transform
    All,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum VoterName {
    /// The papers' loop in f64
    SerialF64,
    /// The papers' loop in f32
    Serial,
    /// Groups of points at once, vectorized, on all threads
    Parallel,
}

impl Search {
    fn options(&self) -> Options {
        Options {
            mode: match (self.one_pass, self.vote) {
                (true, _) => Mode::OnePass,
                (_, Vote::All) => Mode::All,
                (_, Vote::Near) => Mode::Near,
            },
            directions: self.space,
            rho_bin: self.rho_bin,
            tolerance: self.tolerance,
            angle: self.angle,
            min_votes: self.min_votes,
            min_inliers: self.min_inliers,
            top: self.top,
        }
    }
}

impl Machine {
    fn backend(&self) -> Cpu {
        Cpu::new(match self.voter {
            VoterName::SerialF64 => Voter::SerialF64,
            VoterName::Serial => Voter::Serial,
            VoterName::Parallel => Voter::Parallel,
        })
    }
}

impl Detect {
    pub fn run(&self, quiet: bool) -> Result<(), Failure> {
        let options = self.search.options();
        options.check()?;
        self.outputs.check(self.files.len())?;
        let backend = self.machine.backend();
        log::info!("{}", backend.name());
        for file in &self.files {
            let source = Source::open(file)?;
            let bar = Bar::new(&source.path().display().to_string(), quiet);
            let detection = self.detect(&source, &options, &backend, &bar)?;
            bar.stage("writing", None);
            let printed = self.outputs.write(&source, file, &detection)?;
            bar.finish();
            write_stdout(&printed)?;
        }
        Ok(())
    }

    fn detect(
        &self,
        source: &Source,
        options: &Options,
        backend: &dyn Backend,
        bar: &Bar,
    ) -> Result<Detection, Failure> {
        bar.stage("reading", source.info().points);
        let open = || source.reader(Fields::default());
        let cloud = load(source.path(), &open, self.machine.chunk as usize, &|n| bar.advance(n))?;
        if cloud.not_finite + cloud.stray > 0 {
            log::warn!(
                "{}: left out {} points that are not finite and {} far from all others",
                source.path().display(),
                cloud.not_finite,
                cloud.stray
            );
        }
        Ok(detect(cloud, options, backend, bar)?)
    }
}

impl Outputs {
    /// Refuses outputs that cannot be, before any work is done.
    fn check(&self, inputs: usize) -> Result<(), Error> {
        let single = [&self.json, &self.ply, &self.labels, &self.overlay];
        if inputs > 1 && single.iter().any(|path| path.as_deref().is_some_and(|p| p != "-")) {
            let message = "several clouds have no room in one file: use --out DIR";
            return Err(Error::Parameter(message.into()));
        }
        if let Some(path) = &self.labels {
            LabelFormat::of(path)?;
        }
        if let Some(path) = self.overlay.as_ref().filter(|p| extension(p) != "png") {
            let message = format!("--overlay {}: the picture is a .png", path.display());
            return Err(Error::Parameter(message));
        }
        Ok(())
    }

    /// Writes what was asked for; returns what is to be printed.
    fn write(
        &self,
        source: &Source,
        file: &Path,
        detection: &Detection,
    ) -> Result<String, Failure> {
        if let Some(folder) = &self.out {
            std::fs::create_dir_all(folder).map_err(Error::io(folder))?;
            let stem = file.file_stem().filter(|_| file != "-").unwrap_or("cloud".as_ref());
            let path = |ending: &str| {
                let mut name = stem.to_os_string();
                name.push(ending);
                folder.join(name)
            };
            let labels = match source.format() {
                Format::Las => ".labels.las",
                Format::Laz => ".labels.laz",
                _ => ".labels.ply",
            };
            json::save_json(detection, &path(".json"))?;
            ply::save_polygons(detection, ply::Encoding::Binary, &path(".planes.ply"))?;
            save_labels(source, detection, &path(labels))?;
            save_picture(source, detection, &path(".png"))?;
        }
        if let Some(path) = self.json.as_ref().filter(|&p| p != "-") {
            json::save_json(detection, path)?;
        }
        if let Some(path) = &self.ply {
            ply::save_polygons(detection, ply::Encoding::Binary, path)?;
        }
        if let Some(path) = &self.labels {
            save_labels(source, detection, path)?;
        }
        if let Some(path) = &self.overlay {
            save_picture(source, detection, path)?;
        }
        self.printed(source, detection)
    }

    /// JSON where that was asked for, a table where nothing else was.
    fn printed(&self, source: &Source, detection: &Detection) -> Result<String, Failure> {
        if self.json.as_deref() == Some(Path::new("-")) {
            let mut text = Vec::new();
            json::write_json(detection, &mut text)?;
            return Ok(String::from_utf8_lossy(&text).into_owned());
        }
        let files = [&self.out, &self.json, &self.ply, &self.labels, &self.overlay];
        if files.iter().any(|f| f.is_some()) {
            return Ok(String::new());
        }
        Ok(table::planes(&source.path().display().to_string(), detection))
    }
}

/// What a labelled cloud is written as.
enum LabelFormat {
    Las,
    Ply,
    Npy,
}

impl LabelFormat {
    fn of(path: &Path) -> Result<LabelFormat, Error> {
        match extension(path).as_str() {
            "las" | "laz" => Ok(LabelFormat::Las),
            "ply" => Ok(LabelFormat::Ply),
            "npy" => Ok(LabelFormat::Npy),
            _ => {
                let path = path.display();
                Err(Error::Parameter(format!("--labels {path}: use .las, .laz, .ply or .npy")))
            }
        }
    }
}

/// The extension in lower case; empty if there is none.
fn extension(path: &Path) -> String {
    path.extension().map_or_else(String::new, |e| e.to_string_lossy().to_lowercase())
}

fn save_labels(source: &Source, detection: &Detection, path: &Path) -> Result<(), Error> {
    let fields = Fields { colour: true, intensity: true, label: false };
    match LabelFormat::of(path)? {
        LabelFormat::Npy => labels::save_npy(&detection.labels, path),
        LabelFormat::Ply => labels::save_ply(source.reader(fields)?.as_mut(), detection, path),
        LabelFormat::Las if matches!(source.format(), Format::Las | Format::Laz) => {
            labels::copy_las(source, detection, path)
        }
        LabelFormat::Las => labels::save_las(source.reader(fields)?.as_mut(), detection, path),
    }
}

fn save_picture(source: &Source, detection: &Detection, path: &Path) -> Result<(), Error> {
    let mut reader = source.reader(Fields::default())?;
    picture::save_picture(reader.as_mut(), detection, picture::PictureOptions::default(), path)
}
