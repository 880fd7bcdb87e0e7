//! `planes detect`.

use super::console::{say, write_stdout};
use super::engine::Engine;
use super::explain::explain;
use super::failure::{Failure, concerns_all, message};
use super::folders;
use super::lines::search::LineSearch;
use super::outputs::Outputs;
use super::progress::Bar;
use super::reading::{Reading, say_deep, say_notes};
use super::search::{Machine, Search};
use clap::Args;
use planes::Error;
use planes::detect::{Options, Progress};
use planes::export::{Lines, Planes};
use planes::input::{Input, Kind, peek};
use planes::lms::Refine;
use std::path::{Path, PathBuf};

/// Find the planes of clouds and the lines of images
///
/// Without an output option, prints a table of what was found. Lengths are in the cloud's own
/// unit, for images in pixels.
#[derive(Debug, Args)]
#[command(allow_negative_numbers = true)]
pub struct Detect {
    /// Clouds (LAS, LAZ, COPC, E57, PLY, PCD, NumPy's .npy and .npz, text; with --camera depth images) and images (PNG,
    /// JPEG, WebP, TIFF, PBM, PGM or PPM), plain or inside gzip or zstd, recognised by their content; - is
    /// standard input
    #[arg(required = true, value_name = "CLOUD|IMAGE")]
    files: Vec<PathBuf>,
    #[command(flatten)]
    outputs: Outputs,
    /// Say what was measured and chosen, and why the best rejected candidates are not planes
    /// (on stderr if --json - prints the planes)
    #[arg(long, help_heading = "Messages")]
    explain: bool,
    /// Say how long each stage took (on stderr)
    #[arg(long, help_heading = "Messages")]
    timings: bool,
    #[command(flatten)]
    reading: Reading,
    #[command(flatten)]
    search: Search,
    #[command(flatten)]
    line_search: LineSearch,
    #[command(flatten)]
    machine: Machine,
}

impl Detect {
    pub fn run(&self, quiet: bool) -> Result<(), Failure> {
        let planes_only = !self.outputs.need_labels();
        let options = Options { planes_only, ..self.search.options() };
        // Whether a refinement suits a file is checked when the file's kind is known.
        Options { refine: None, ..options.clone() }.check()?;
        self.line_search.options(&self.search).check()?;
        let reading = self.reading.options();
        let is_cloud = |file: &PathBuf| peek(file, &reading).is_some_and(|k| k != Kind::Image);
        if self.files.iter().all(is_cloud) {
            self.machine.check(options.mode)?;
        }
        for file in &self.files {
            if let Some(kind) = peek(file, &reading) {
                self.check_kind(file, kind == Kind::Image)?;
            }
        }
        self.outputs.check(&self.files, &reading)?;
        let engine = self.machine.start(quiet)?;
        let mut failed = Vec::new();
        for (i, file) in self.files.iter().enumerate() {
            let is_last = i + 1 == self.files.len();
            match self.file(file, &options, (&engine, is_last), quiet) {
                Err(Failure::Library(error)) if self.files.len() > 1 && !concerns_all(&error) => {
                    say(&message(&error));
                    failed.push(file);
                }
                done => done?,
            }
        }
        match failed.len() {
            0 => Ok(()),
            n if n == self.files.len() => Err(Failure::All),
            _ => Err(Failure::Some),
        }
    }

    /// Finds and writes the planes or lines of one file.
    fn file(
        &self,
        file: &Path,
        options: &Options,
        (engine, is_last): (&Engine, bool),
        quiet: bool,
    ) -> Result<(), Failure> {
        let bar = Bar::new(&file.display().to_string(), quiet);
        let input = Input::open_with(file, &self.reading.options()).map_err(|error| {
            folders::advise(file, error, "planes batch takes folders and patterns")
        })?;
        let (written, explained) = match &input {
            Input::Cloud(source) => {
                self.check_kind(source.path(), false)?;
                self.reading.check(source)?;
                self.outputs.check_labels(source)?;
                if self.files.len() == 1 {
                    self.machine.check(options.mode)?;
                }
                say_notes(source, &bar);
                let how = (options, &self.search.choice());
                let detection = self.machine.find(source, how, (engine, is_last), &bar)?;
                bar.stage("writing", None);
                let explained = self.explain.then(|| explain(&detection, options));
                let style = self.outputs.style();
                let planes = Planes { source, detection: &detection, style };
                (self.outputs.write(&planes, file)?, explained)
            }
            Input::Image(image) => {
                self.check_kind(image.path(), true)?;
                say_deep(image, &bar);
                let found = self.line_search.find(image, &self.search, &self.machine, engine, &bar);
                let (edges, detection) = found?;
                bar.stage("writing", None);
                let backend = engine.backend()?;
                let lines = Lines { image, edges: &edges, detection: &detection, backend };
                (self.outputs.write_lines(&lines, file)?, None)
            }
        };
        bar.finish();
        write_stdout(&written.printed)?;
        if let Some(wrote) = written.wrote.filter(|_| !quiet) {
            say(&wrote);
        }
        if self.timings {
            eprint!("{}", bar.timings());
        }
        match explained {
            Some(text) if self.outputs.prints_json() => eprint!("{text}"),
            Some(text) => write_stdout(&text)?,
            None => {}
        }
        Ok(())
    }

    /// Refuses options that do not apply to the kind of input.
    fn check_kind(&self, file: &Path, is_image: bool) -> Result<(), Error> {
        if is_image {
            self.reading.check_image(file)?;
        }
        let (given, message) = if is_image {
            let given = self.search.given_for_clouds().or(self.reading.given());
            if given == Some("--min-votes") {
                let message = "on images, --min-votes needs --one-pass";
                return Err(Error::Parameter(format!("{}: {message}", file.display())));
            }
            let given = given.or(self.explain.then_some("--explain"));
            (
                self.outputs.given_for(false).or(given.map(str::to_owned)),
                "is for clouds, and this is an image",
            )
        } else {
            let stroke = self.search.refine == Some(Refine::Stroke);
            let given = self.line_search.given().or(stroke.then_some("--refine stroke"));
            (
                self.outputs.given_for(true).or(given.map(str::to_owned)),
                "is for images, and this is a cloud",
            )
        };
        match given {
            Some(option) => {
                Err(Error::Parameter(format!("{}: {option} {message}", file.display())))
            }
            None => Ok(()),
        }
    }
}
