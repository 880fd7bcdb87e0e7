//! `planes detect`.

use super::explain::explain;
use super::outputs::Outputs;
use super::progress::Bar;
use super::search::{Machine, Search};
use super::{Failure, write_stdout};
use clap::Args;
use planes::Detection;
use planes::cloud::Source;
use planes::detect::{Options, Progress};
use std::path::PathBuf;

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
    /// Say what was measured and chosen, and why the best other candidates are no planes
    /// (on stderr where --json - prints the planes)
    #[arg(long)]
    explain: bool,
    /// Say how long each stage took (on stderr)
    #[arg(long)]
    timings: bool,
    #[command(flatten)]
    search: Search,
    #[command(flatten)]
    machine: Machine,
}

impl Detect {
    pub fn run(&self, quiet: bool) -> Result<(), Failure> {
        let options = self.search.options();
        options.check()?;
        self.outputs.check(&self.files)?;
        let engine = self.machine.start(quiet)?;
        for file in &self.files {
            let source = Source::open(file)?;
            let bar = Bar::new(&source.path().display().to_string(), quiet);
            let detection = self.machine.find(&source, &options, &engine, &bar)?;
            bar.stage("writing", None);
            let printed = self.outputs.write(&source, file, &detection)?;
            bar.finish();
            write_stdout(&printed)?;
            if self.timings {
                eprint!("{}", bar.timings());
            }
            if self.explain {
                self.explain(&detection, &options)?;
            }
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
