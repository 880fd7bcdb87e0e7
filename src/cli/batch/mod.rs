//! `planes batch`.

mod folder;
mod inputs;
mod job;
mod names;
mod record;
mod summary;

use super::outputs::{Drawing, Kind, Labelling};
use super::progress::BatchBar;
use super::reading::Reading;
use super::search::{Machine, Search};
use super::{Failure, say};
use clap::{Args, ValueEnum};
use folder::Folder;
use inputs::{Input, Inputs};
use job::{Job, Outcome};
use planes::Error;
use planes::cloud::Format;
use planes::detect::Options;
use std::io;
use std::path::{Path, PathBuf};
use summary::Row;

/// Find the planes of many clouds, into one folder
///
/// Each cloud's results are called as with `detect --out DIR`, and summary.csv and summary.json tell
/// what came of each. A file that cannot be read is named on stderr and passed over. Stopped at any
/// moment, even killed, the same command goes on where it was: files that are finished are not
/// done again, unless they, the options or the program changed or results are missing.
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
    /// Clouds, folders, or patterns such as 'tiles/**/*.laz'; in a folder and those below it, the
    /// files that are clouds, except hidden ones and what planes wrote
    #[arg(required = true, value_name = "FILE|FOLDER|PATTERN")]
    files: Vec<PathBuf>,
    #[command(flatten)]
    outputs: Outputs,
    #[command(flatten)]
    reading: Reading,
    #[command(flatten)]
    search: Search,
    #[command(flatten)]
    machine: Machine,
}

#[derive(Debug, Args)]
#[command(next_help_heading = "Output")]
struct Outputs {
    /// The folder of the results, made if it is missing; one batch at a time works in it
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// Write only some of the results, such as json,labels [default: all]
    #[arg(long, value_name = "KINDS", value_enum, value_delimiter = ',')]
    only: Vec<Kind>,
    /// Format of the clouds with each point's plane; npy holds the labels alone
    /// [default: as the cloud came, text as ply]
    #[arg(long, value_name = "FORMAT", value_enum)]
    labels: Option<LabelFormat>,
    #[command(flatten)]
    labelling: Labelling,
    #[command(flatten)]
    drawing: Drawing,
}

#[derive(Debug, Clone, Copy, PartialEq, ValueEnum)]
enum LabelFormat {
    Las,
    Laz,
    Ply,
    Npy,
}

impl Outputs {
    /// What is to be written of each cloud, those first that may yet find fault with it.
    fn kinds(&self) -> Result<Vec<Kind>, Error> {
        let mut kinds = if self.only.is_empty() { Kind::ALL.to_vec() } else { self.only.clone() };
        kinds.sort();
        kinds.dedup();
        if self.labels.is_some() && !kinds.contains(&Kind::Labels) {
            return Err(Error::Parameter("--labels: --only leaves the labels out".into()));
        }
        self.labelling.check(kinds.contains(&Kind::Labels))?;
        self.drawing.check(kinds.contains(&Kind::Picture))?;
        Ok(kinds)
    }

    /// How the name of a result ends.
    fn ending(&self, kind: Kind, format: Format) -> &'static str {
        match (kind, self.labels) {
            (Kind::Labels, Some(LabelFormat::Las)) => ".labels.las",
            (Kind::Labels, Some(LabelFormat::Laz)) => ".labels.laz",
            (Kind::Labels, Some(LabelFormat::Ply)) => ".labels.ply",
            (Kind::Labels, Some(LabelFormat::Npy)) => ".labels.npy",
            _ => kind.ending(format),
        }
    }
}

impl Batch {
    pub fn run(&self, quiet: bool) -> Result<(), Failure> {
        let options = self.search.options();
        options.check()?;
        let kinds = self.outputs.kinds()?;
        let planes_only = !kinds.iter().any(|kind| kind.needs_labels());
        let options = Options { planes_only, ..options };
        let Inputs { files, failed } = Inputs::of(&self.files, &self.outputs.out);
        if files.is_empty() {
            return Err(nothing(failed).into());
        }
        let engine = self.machine.start(quiet)?;
        let folder = Folder::open(&self.outputs.out)?;
        let job = Job::new(self, &folder, &options, &kinds, &engine, &files);
        work(&job, &folder, &files, failed, quiet)
    }
}

/// One file after the other, and the summary.
fn work(
    job: &Job,
    folder: &Folder,
    files: &[Input],
    failed: Vec<(PathBuf, Error)>,
    quiet: bool,
) -> Result<(), Failure> {
    let mut rows = Vec::with_capacity(files.len() + failed.len());
    for (file, error) in failed {
        say(&error.to_string());
        rows.push(Row { file, name: None, outcome: Err(error.to_string()) });
    }
    let (mut failed, mut skipped) = (rows.len(), 0);
    let bars = BatchBar::new(files.len() as u64, quiet);
    for (input, name) in files.iter().zip(names::names(files)) {
        let outcome = match job.run(input, &name, &bars) {
            Ok(Outcome::Done(done)) => Ok(done),
            Ok(Outcome::WasDone(done)) => {
                skipped += 1;
                Ok(done)
            }
            // No other file would fare better, and this one is not to blame.
            Err(error) if is_full(&error) => return Err(error.into()),
            Err(error) => {
                failed += 1;
                bars.aside(|| say(&error.to_string()));
                Err(error.to_string())
            }
        };
        rows.push(Row { file: input.path.clone(), name: Some(name), outcome });
        bars.advance(failed);
    }
    drop(bars);
    rows.sort_by(|a, b| a.file.cmp(&b.file));
    summary::save(folder.path(), &rows)?;
    let counts = counts(rows.len(), skipped, failed, &folder.path().join("summary.csv"));
    if failed == rows.len() {
        return Err(Error::Parameter(counts).into());
    }
    if failed > 0 || !quiet {
        say(&counts);
    }
    if failed > 0 { Err(Failure::Some) } else { Ok(()) }
}

/// What came of a batch, in one line.
fn counts(all: usize, skipped: usize, failed: usize, summary: &Path) -> String {
    let parts =
        [(all - skipped - failed, "done"), (skipped, "finished before"), (failed, "failed")];
    let parts = parts.into_iter().filter(|&(n, _)| n > 0).map(|(n, what)| format!("{n} {what}"));
    let files = if all == 1 { "file" } else { "files" };
    let parts = parts.collect::<Vec<_>>().join(", ");
    format!("{all} {files}: {parts}; see {}", summary.display())
}

/// Why there is nothing to do, in one line.
fn nothing(failed: Vec<(PathBuf, Error)>) -> Error {
    let mut failed = failed.into_iter();
    match (failed.next(), failed.len()) {
        (None, _) => Error::Parameter("no cloud but what planes wrote itself".into()),
        (Some((_, error)), 0) => error,
        (Some((_, error)), more) => Error::Parameter(format!("{error}; nor {more} more")),
    }
}

/// Whether a result could not be written for want of room.
fn is_full(error: &Error) -> bool {
    use io::ErrorKind::{QuotaExceeded, ReadOnlyFilesystem, StorageFull};
    let Error::Io { source, .. } = error else { return false };
    matches!(source.kind(), StorageFull | QuotaExceeded | ReadOnlyFilesystem)
}
