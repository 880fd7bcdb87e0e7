//! `planes batch`.

mod decisive;
mod folder;
mod inputs;
mod job;
mod kinds;
mod names;
mod pattern;
mod record;
mod summary;

use super::guard::FileId;
use super::lines::search::LineSearch;
use super::outputs::{Drawing, Labelling};
use super::progress::BatchBar;
use super::reading::Reading;
use super::search::{Machine, Search};
use super::{Failure, concerns_all, say, warnings};
use clap::{Args, ValueEnum};
use folder::Folder;
use inputs::{Input, Inputs};
use job::Job;
use kinds::{LabelFormat, Wanted};
use planes::Error;
use planes::detect::Options;
use planes::input::{Kind, peek};
use planes::lms::Refine;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};
use std::thread;
use summary::{Outcome, Row};

/// Find the planes of many clouds and the lines of many images, into one folder
///
/// Each file's results are called as with `detect --out DIR`, and summary.csv and summary.json tell
/// what came of each. A file that cannot be read is named on stderr and passed over. Stopped at any
/// moment, even killed, the same command goes on where it was: files that are finished are not
/// done again, unless they, the options or the program changed or results are missing. No result is ever
/// removed: of a file that is done again, all that lie there are renewed, those that are not asked for, too.
///
/// Results are called after their file; of a folder, its inner folders are kept. Files that would
/// share a name get their extension or the folder above into it: scan.las and scan.ply become
/// scan.las.json and scan.ply.json, a/scan.las and b/scan.las become a/scan.json and b/scan.json.
#[derive(Debug, Args)]
#[command(allow_negative_numbers = true)]
#[command(after_help = "Exit codes: 0 all are done; 1 some failed, the others are done; \
    2 bad usage, or nothing could be done.\n\n\
    planes batch tiles --out results\n\
    planes batch 'scans/*.laz' more/scan.ply --out results --only json,labels")]
pub struct Batch {
    /// Clouds, images, folders, or patterns such as 'tiles/**/*.laz'; in a folder and those below it, the
    /// files that are clouds or images, except hidden ones and what planes wrote
    #[arg(required = true, value_name = "FILE|FOLDER|PATTERN")]
    files: Vec<PathBuf>,
    #[command(flatten)]
    outputs: Outputs,
    #[command(flatten)]
    reading: Reading,
    #[command(flatten)]
    search: Search,
    #[command(flatten)]
    line_search: LineSearch,
    #[command(flatten)]
    machine: Machine,
    /// Files to work on at the same time, which share the --threads; the results do not depend on it
    #[arg(long, value_name = "N", help_heading = "Machine", default_value_t = 1,
        value_parser = clap::value_parser!(u16).range(1..=256))]
    jobs: u16,
}

#[derive(Debug, Args)]
#[command(next_help_heading = "Output")]
struct Outputs {
    /// The folder of the results, made if it is missing; one batch at a time works in it
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// Write only some of the results, such as json,labels [default: all]
    #[arg(long, value_name = "KINDS", value_enum, value_delimiter = ',')]
    only: Vec<Wanted>,
    /// Format of the clouds with each point's plane; npy holds the labels alone
    /// [default: as the cloud came, text as ply]
    #[arg(long, value_name = "FORMAT", value_enum)]
    labels: Option<LabelFormat>,
    #[command(flatten)]
    labelling: Labelling,
    #[command(flatten)]
    drawing: Drawing,
}

impl Outputs {
    /// What is to be written of each file.
    fn wanted(&self) -> Vec<Wanted> {
        if self.only.is_empty() { Wanted::value_variants().to_vec() } else { self.only.clone() }
    }

    /// Refuses what contradicts itself.
    fn check(&self) -> Result<(), Error> {
        let has_labels = self.wanted().contains(&Wanted::Labels);
        if self.labels.is_some() && !has_labels {
            return Err(Error::Parameter("--labels: --only leaves the labels out".into()));
        }
        self.labelling.check(has_labels)?;
        self.drawing.check(self.wanted().contains(&Wanted::Overlay))
    }
}

impl Batch {
    pub fn run(&self, quiet: bool) -> Result<(), Failure> {
        let options = self.search.options();
        // Lines have one more; of a cloud it is refused when that is read.
        let is_stroke = options.refine == Some(Refine::Stroke);
        Options { refine: options.refine.filter(|_| !is_stroke), ..options.clone() }.check()?;
        self.line_search.options(&self.search).check()?;
        self.outputs.check()?;
        let out = &self.outputs.out;
        let inputs = Inputs::of(&self.files, out);
        if inputs.files.is_empty() {
            return Err(nothing(inputs.failed).into());
        }
        let is_image = |input: &Input| peek(&input.path) == Some(Kind::Image);
        if let Err(error) = self.machine.check(options.mode)
            && !inputs.files.iter().any(is_image)
        {
            return Err(error.into());
        }
        summary::check(out)?;
        for name in summary::NAMES {
            let path = out.join(name);
            let id = FileId::of(&path);
            if inputs.files.iter().any(|input| id.is_some() && FileId::of(&input.path) == id) {
                let message = format!("{}: that is an input of this batch", path.display());
                return Err(Error::Parameter(message).into());
            }
        }
        warnings::keep();
        let engine = self.machine.start(quiet)?;
        let folder = Folder::open(out)?;
        if self.jobs > 1 {
            engine.backend()?;
        }
        let decisive = decisive::decisive(self, &options);
        let job = Job::new(self, &folder, &options, &engine, &decisive, &inputs.files);
        let work = Work { job: &job, jobs: usize::from(self.jobs), quiet };
        let (rows, was_done) = work.all(inputs)?;
        summary::save(folder.path(), &rows, &decisive)?;
        report(&rows, was_done, &folder.path().join(summary::NAMES[0]), quiet)
    }
}

/// How the files are worked through.
struct Work<'a> {
    job: &'a Job<'a>,
    /// So many at a time.
    jobs: usize,
    quiet: bool,
}

impl Work<'_> {
    /// Works through all files; returns a row for each, sorted, and how many were finished before.
    fn all(&self, inputs: Inputs) -> Result<(Vec<Row>, usize), Error> {
        let Inputs { files, failed, skipped } = inputs;
        let mut rows: Vec<Row> = Vec::with_capacity(files.len() + failed.len() + skipped.len());
        for (file, error) in failed {
            say(&error.to_string());
            let outcome = Outcome::Failed(error.to_string(), Vec::new());
            rows.push(Row { file, name: None, outcome });
        }
        let skipped = skipped.into_iter().map(|(file, why)| (file, Outcome::Skipped(why)));
        rows.extend(skipped.map(|(file, outcome)| Row { file, name: None, outcome }));
        let names = names::names(&files);
        let bars = BatchBar::new(files.len() as u64, self.quiet);
        let (next, was_done) = (AtomicUsize::new(0), AtomicUsize::new(0));
        let is_over = AtomicBool::new(false);
        let done = Mutex::new((rows, None));
        let worker = || {
            while !is_over.load(Relaxed) {
                let i = next.fetch_add(1, Relaxed);
                let (Some(input), Some(name)) = (files.get(i), names.get(i)) else { break };
                let outcome = self.one(input, name, &bars, &was_done);
                let mut done = done.lock().unwrap_or_else(PoisonError::into_inner);
                match outcome {
                    Ok(outcome) => done.0.push(Row {
                        file: input.path.clone(),
                        name: Some(name.clone()),
                        outcome,
                    }),
                    Err(error) => {
                        is_over.store(true, Relaxed);
                        done.1.get_or_insert(error);
                    }
                }
                let failed = done.0.iter().filter(|row| row.has_failed()).count();
                bars.advance(failed);
            }
        };
        thread::scope(|scope| {
            for _ in 1..self.jobs.min(files.len()) {
                // Where no more threads can be had, those that are there do it all.
                let _ = thread::Builder::new().spawn_scoped(scope, worker);
            }
            worker();
        });
        let (mut rows, error) = done.into_inner().unwrap_or_else(PoisonError::into_inner);
        if let Some(error) = error {
            return Err(error);
        }
        rows.sort_by(|a, b| a.file.cmp(&b.file));
        Ok((rows, was_done.into_inner()))
    }

    /// Does one file; an error is one that no other file would escape, and none that this one is to blame for.
    fn one(
        &self,
        input: &Input,
        name: &Path,
        bars: &BatchBar,
        was_done: &AtomicUsize,
    ) -> Result<Outcome, Error> {
        match self.job.run(input, name, bars) {
            Ok(job::Outcome::Done(done)) => Ok(Outcome::Done(done)),
            Ok(job::Outcome::WasDone(done)) => {
                was_done.fetch_add(1, Relaxed);
                Ok(Outcome::Done(done))
            }
            Err(error) if concerns_all(&error) => Err(error),
            Err(error) => {
                let stay = self.job.has_results(input, name);
                let stay = if stay { "; its results of an earlier run stay" } else { "" };
                let message = format!("{error}{stay}");
                bars.aside(|| say(&message));
                let warnings = warnings::take(&input.path.display().to_string());
                Ok(Outcome::Failed(message, warnings))
            }
        }
    }
}

/// Says what came of all files.
fn report(rows: &[Row], was_done: usize, summary: &Path, quiet: bool) -> Result<(), Failure> {
    let skipped = rows.iter().filter(|row| row.is_skipped()).count();
    let failed = rows.iter().filter(|row| row.has_failed()).count();
    let all = rows.len() - skipped;
    let counts = counts(all, was_done, failed, skipped, summary);
    if failed == all {
        return Err(Error::Parameter(counts).into());
    }
    if failed > 0 || !quiet {
        say(&counts);
    }
    if failed > 0 { Err(Failure::Some) } else { Ok(()) }
}

/// What came of a batch, in one line.
fn counts(all: usize, was_done: usize, failed: usize, skipped: usize, summary: &Path) -> String {
    let parts =
        [(all - was_done - failed, "done"), (was_done, "finished before"), (failed, "failed")];
    let parts = parts.into_iter().filter(|&(n, _)| n > 0).map(|(n, what)| format!("{n} {what}"));
    let files = if all == 1 { "file" } else { "files" };
    let parts = parts.collect::<Vec<_>>().join(", ");
    let others = match skipped {
        0 => String::new(),
        n => format!(
            "; passed over {n} that {} no cloud and no image",
            if n == 1 { "is" } else { "are" }
        ),
    };
    format!("{all} {files}: {parts}{others}; see {}", summary.display())
}

/// Why there is nothing to do, in one line.
fn nothing(failed: Vec<(PathBuf, Error)>) -> Error {
    let mut failed = failed.into_iter();
    match (failed.next(), failed.len()) {
        (None, _) => Error::Parameter("no cloud and no image but what planes wrote itself".into()),
        (Some((_, error)), 0) => error,
        (Some((_, error)), more) => Error::Parameter(format!("{error}; and {more} more failed")),
    }
}
