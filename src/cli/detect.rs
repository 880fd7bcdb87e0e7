//! `planes detect`.

use super::engine::Engine;
use super::explain::explain;
use super::lines::outputs::Lines;
use super::lines::search::LineSearch;
use super::outputs::Outputs;
use super::progress::Bar;
use super::reading::{Reading, say_notes};
use super::search::{Machine, Search};
use super::{Failure, write_stdout};
use clap::Args;
use planes::cloud::Source;
use planes::detect::{Options, Progress};
use planes::image::Image;
use planes::input::{Input, peek_is_image};
use planes::lms::Refine;
use planes::{Detection, Error, lines};
use std::path::{Path, PathBuf};

/// Find the planes of clouds and the lines of images
///
/// Without an output option a table of what was found is printed. Lengths are in the cloud's own
/// unit, in images in pixels.
#[derive(Debug, Args)]
#[command(allow_negative_numbers = true)]
pub struct Detect {
    /// Clouds (LAS, LAZ, PLY or text) and images (PNG, JPEG, WebP, TIFF, PBM, PGM or PPM), told by
    /// their content; - is standard input
    #[arg(required = true, value_name = "CLOUD|IMAGE")]
    files: Vec<PathBuf>,
    #[command(flatten)]
    outputs: Outputs,
    /// Say what was measured and chosen, and why the best other candidates are no planes
    /// (on stderr where --json - prints the planes)
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
        // Whether a refinement is for a file is seen when its kind is known.
        Options { refine: None, ..options.clone() }.check()?;
        self.line_options().check()?;
        for file in &self.files {
            if let Some(is_image) = peek_is_image(file) {
                self.check_kind(file, is_image)?;
            }
        }
        self.outputs.check(&self.files)?;
        let engine = self.machine.start(quiet)?;
        for file in &self.files {
            let bar = Bar::new(&file.display().to_string(), quiet);
            match Input::open_with(file, &self.reading.options())? {
                Input::Cloud(source) => {
                    self.check_kind(source.path(), false)?;
                    self.reading.check(&source)?;
                    say_notes(&source, &bar);
                    self.planes(file, &source, &options, &engine, &bar)?;
                }
                Input::Image(image) => {
                    self.check_kind(image.path(), true)?;
                    self.lines(file, &image, &engine, &bar)?;
                }
            }
        }
        Ok(())
    }

    fn line_options(&self) -> lines::Options {
        self.line_search.options(self.search.refine, self.search.top)
    }

    /// Refuses options that are not for the kind of input.
    fn check_kind(&self, file: &Path, is_image: bool) -> Result<(), Error> {
        let (given, message) = if is_image {
            let given = self.outputs.given_for(false).or(self.search.given_for_clouds());
            let given = given.or(self.reading.given());
            let given = given.or(self.explain.then_some("--explain"));
            (given, "is for clouds, and this is an image")
        } else {
            let given = self.outputs.given_for(true).or(self.line_search.given());
            let stroke = self.search.refine == Some(Refine::Stroke);
            let given = given.or(stroke.then_some("--refine stroke"));
            (given, "is for images, and this is none")
        };
        match given {
            Some(option) => {
                Err(Error::Parameter(format!("{}: {option} {message}", file.display())))
            }
            None => Ok(()),
        }
    }

    fn planes(
        &self,
        file: &Path,
        source: &Source,
        options: &Options,
        engine: &Engine,
        bar: &Bar,
    ) -> Result<(), Failure> {
        let detection = self.machine.find(source, (options, &self.search.choice()), engine, bar)?;
        bar.stage("writing", None);
        let printed = self.outputs.write(source, file, &detection)?;
        self.finish(bar, &printed)?;
        if self.explain {
            self.explain(&detection, options)?;
        }
        Ok(())
    }

    fn lines(&self, file: &Path, image: &Image, engine: &Engine, bar: &Bar) -> Result<(), Failure> {
        let options = self.line_options();
        let asked = self.search.refine.filter(|&refine| refine != Refine::None);
        if let Some(refine) = asked.filter(|_| self.search.one_pass) {
            let message = "with --one-pass the lines of an image stay as they stand";
            let name = image.path().display();
            return Err(Error::Parameter(format!("{name}: --refine {refine}: {message}")).into());
        }
        bar.stage("device", None);
        let backend = bar.aside(|| engine.backend())?;
        bar.stage("edges", None);
        let edges = backend.edges(image, &options.method())?;
        bar.stage("lines", None);
        let detection = if self.search.one_pass {
            let gpu = self.machine.gpu();
            let pass = self.line_search.one_pass(self.search.min_votes, gpu.is_some());
            lines::one_pass(&edges, &options, &pass, gpu.as_ref())?
        } else {
            lines::detect_in(&edges, &options, backend)?
        };
        bar.stage("writing", None);
        let lines = Lines { image, edges: &edges, detection: &detection, backend };
        let printed = self.outputs.write_lines(&lines, file)?;
        self.finish(bar, &printed)
    }

    /// Prints what is to be printed of one input.
    fn finish(&self, bar: &Bar, printed: &str) -> Result<(), Failure> {
        bar.finish();
        write_stdout(printed)?;
        if self.timings {
            eprint!("{}", bar.timings());
        }
        Ok(())
    }

    fn explain(&self, detection: &Detection, options: &Options) -> Result<(), Failure> {
        let text = explain(detection, options);
        if self.outputs.prints_json() {
            eprint!("{text}");
            return Ok(());
        }
        write_stdout(&text)
    }
}
