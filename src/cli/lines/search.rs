//! Options and run of a search for lines.

use crate::cli::engine::Engine;
use crate::cli::progress::Bar;
use crate::cli::search::{Machine, Search};
use crate::cli::values::{first_given, number, said};
use clap::Args;
use planes::Error;
use planes::detect::Progress;
use planes::image::{EdgeMap, Image, Method};
use planes::lines::{self, Detection, Options, Strokes};
use planes::lms::Refine;
use planes::papers::line_voters::{PaperSpace, Version};
use planes::papers::{OnePass, one_pass};

#[derive(Debug, Args)]
#[command(next_help_heading = "Search in images")]
pub struct LineSearch {
    /// How edges are found: auto, none (the image is an edge map; none:dark for a dark one on a light
    /// background), sobel, sobel:THRESHOLD, canny, canny:SIGMA or canny:SIGMA,LOW,HIGH
    /// [default: auto: none for strokes on an even background, else canny]
    #[arg(long, value_name = "METHOD", value_parser = said::<Method>)]
    edges: Option<Method>,
    /// Angle between neighbouring directions, 0.05 to 10 [default: 0.25]
    #[arg(long, value_name = "DEGREES", value_parser = number)]
    theta_step: Option<f64>,
    /// Width of a bin of the distance axis [default: 1]
    #[arg(long, value_name = "PIXELS", value_parser = number)]
    rho_step: Option<f64>,
    /// Close gaps in a segment up to this length [default: 10]
    #[arg(long, value_name = "PIXELS", value_parser = number)]
    max_gap: Option<f64>,
    /// Shortest segment [default: 1/60 of the image's diagonal, 20 at least]
    #[arg(long, value_name = "PIXELS", value_parser = number)]
    min_length: Option<f64>,
    /// Largest expected number of lines made by chance in an image [default: 0.001]
    #[arg(long, value_name = "N", value_parser = number)]
    false_alarms: Option<f64>,
    /// How the two sides of a stroke, at most 12 pixels apart, are reported: as one line (middle), or each as
    /// a line (sides; edges are then found by canny, unless --edges says otherwise) [default: auto, which is middle]
    #[arg(long, value_name = "WHICH", conflicts_with = "one_pass",
        value_parser = |s: &str| s.parse::<Strokes>().map_err(|e| e.to_string()))]
    stroke: Option<Strokes>,
    /// The space of --one-pass: kumar, cartesian or cartesian:DEGREES, tomagou (for square images)
    /// [default: polar, with --theta-step and --rho-step]
    #[arg(long, value_name = "SPACE", requires = "one_pass")]
    line_space: Option<PaperSpace>,
    /// The voter of --one-pass; all give the same votes. On the CPU: serial, all-cores,
    /// all-cores-slices. These need an NVIDIA GPU: kumar-baseline, kumar-fast, braak-basic,
    /// braak-fast, braak-constant, tomagou-a, tomagou-b, tomagou-c, slices, lists, fast
    /// [default: fast, without a GPU all-cores]
    #[arg(long, value_name = "NAME", requires = "one_pass")]
    line_voter: Option<Version>,
}

impl LineSearch {
    /// The options for the library.
    pub fn options(&self, search: &Search) -> Options {
        let default = Options::default();
        Options {
            edges: self.edges.unwrap_or(default.edges),
            theta_step: self.theta_step.unwrap_or(default.theta_step),
            rho_step: self.rho_step.unwrap_or(default.rho_step),
            max_gap: self.max_gap.unwrap_or(default.max_gap),
            min_length: self.min_length,
            false_alarms: self.false_alarms.unwrap_or(default.false_alarms),
            refine: search.refine.unwrap_or(default.refine),
            strokes: self.stroke.unwrap_or(default.strokes),
            top: search.top,
        }
    }

    /// Finds the edges and the lines of an image.
    pub fn find(
        &self,
        image: &Image,
        search: &Search,
        machine: &Machine,
        engine: &Engine,
        bar: &Bar,
    ) -> Result<(EdgeMap, Detection), Error> {
        let asked = search.refine.filter(|&refine| refine != Refine::None);
        if let Some(refine) = asked.filter(|_| search.one_pass) {
            let message = "with --one-pass the lines of an image stay as they stand";
            let name = image.path().display();
            return Err(Error::Parameter(format!("{name}: --refine {refine}: {message}")));
        }
        let options = self.options(search);
        bar.stage("device", None);
        let backend = bar.aside(|| engine.backend())?;
        bar.stage("edges", None);
        let edges = backend.edges(image, &options.method())?;
        bar.stage("lines", None);
        let detection = if search.one_pass {
            let gpu = machine.gpu();
            let pass = self.one_pass(search.min_votes, gpu.is_some());
            one_pass(&edges, &options, &pass, gpu.as_ref())?
        } else {
            lines::detect_in(&edges, &options, backend)?
        };
        Ok((edges, detection))
    }

    /// The options of one pass, with or without a GPU.
    fn one_pass(&self, min_votes: Option<u64>, has_gpu: bool) -> OnePass {
        let default = if has_gpu { Version::Fast } else { Version::AllCores };
        OnePass {
            version: self.line_voter.unwrap_or(default),
            space: self.line_space,
            min_votes: min_votes.map(|n| u32::try_from(n).unwrap_or(u32::MAX)),
        }
    }

    /// The space of one pass, if given.
    pub fn space(&self) -> Option<String> {
        self.line_space.map(|space| space.to_string())
    }

    /// The voter of one pass, if given.
    pub fn voter(&self) -> Option<&'static str> {
        self.line_voter.map(Version::name)
    }

    /// The first option given; all are for images only.
    pub fn given(&self) -> Option<&'static str> {
        first_given(&[
            ("--edges", self.edges.is_some()),
            ("--theta-step", self.theta_step.is_some()),
            ("--rho-step", self.rho_step.is_some()),
            ("--max-gap", self.max_gap.is_some()),
            ("--min-length", self.min_length.is_some()),
            ("--false-alarms", self.false_alarms.is_some()),
            ("--stroke", self.stroke.is_some()),
            ("--line-space", self.line_space.is_some()),
            ("--line-voter", self.line_voter.is_some()),
        ])
    }
}
