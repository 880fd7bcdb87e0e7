//! `planes batch`.

mod arguments;
mod decisive;
mod folder;
mod inputs;
mod job;
mod names;
mod pattern;
mod record;
mod summary;
mod wanted;

pub use arguments::Batch;

use super::console::say;
use super::engine::Engine;
use super::failure::{Failure, concerns_all, message};
use super::guard::FileId;
use super::progress::BatchBar;
use super::warnings;
use folder::Folder;
use inputs::{Input, Inputs};
use job::{Job, is_large};
use planes::detect::Options;
use planes::input::{Kind, peek};
use planes::lms::Refine;
use planes::{Error, memory};
use rayon::ThreadPoolBuilder;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::{Mutex, OnceLock, PoisonError};
use std::thread;
use summary::{Outcome, SummaryRow};

impl Batch {
    pub fn run(&self, quiet: bool) -> Result<(), Failure> {
        self.run_on(|| self.machine.start_each(quiet), quiet)
    }

    /// Runs it on the devices that are started once the arguments are known to be right.
    fn run_on(
        &self,
        start: impl FnOnce() -> Result<Vec<Engine>, Error>,
        quiet: bool,
    ) -> Result<(), Failure> {
        let options = self.search.options();
        // Lines have one more; of a cloud it is refused when that is read.
        let is_stroke = options.refine == Some(Refine::Stroke);
        Options { refine: options.refine.filter(|_| !is_stroke), ..options.clone() }.check()?;
        self.line_search.options(&self.search).check()?;
        self.outputs.check()?;
        let out = &self.outputs.out;
        let reading = self.reading.options();
        let inputs = Inputs::of(&self.files, out);
        if inputs.files.is_empty() {
            return Err(nothing(inputs.failed).into());
        }
        let is_image = |input: &Input| peek(&input.path, &reading) == Some(Kind::Image);
        if let Err(error) = self.machine.check_files(options.mode)
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
        let engines = start()?;
        let folder = Folder::open(out)?;
        let decisive = decisive::decisive(self, &options);
        let job = Job::new(self, &folder, &options, &decisive, &inputs.files);
        let work = Work { batch: self, job: &job, engines: &engines, quiet };
        let (rows, was_done) = work.all(inputs)?;
        summary::save(folder.path(), &rows, &decisive)?;
        report(&rows, was_done, &folder.path().join(summary::NAMES[0]), quiet)
    }
}

/// How the files are worked through.
struct Work<'a> {
    batch: &'a Batch,
    job: &'a Job<'a>,
    engines: &'a [Engine],
    quiet: bool,
}

/// A file and what its results are called.
type Named<'a> = (&'a Input, &'a Path);

/// Who works on files at the same time.
struct Crew {
    workers: usize,
    /// Whether each has but the thread it runs on; else they share all threads.
    is_alone: bool,
}

/// What came of the files so far.
struct Progress {
    bars: BatchBar,
    was_done: AtomicUsize,
    failed: AtomicUsize,
    rows: Mutex<Vec<SummaryRow>>,
    /// What ends the whole batch.
    error: OnceLock<Error>,
}

impl Work<'_> {
    /// Works through all files; returns a row for each, sorted, and how many were finished before.
    fn all(&self, inputs: Inputs) -> Result<(Vec<SummaryRow>, usize), Error> {
        let Inputs { files, failed, skipped } = inputs;
        let mut rows: Vec<SummaryRow> =
            Vec::with_capacity(files.len() + failed.len() + skipped.len());
        for (file, error) in failed {
            let message = message(&error);
            say(&message);
            let outcome = Outcome::Failed(message, Vec::new());
            rows.push(SummaryRow { file, name: None, outcome });
        }
        let skipped = skipped.into_iter().map(|(file, why)| (file, Outcome::Skipped(why)));
        rows.extend(skipped.map(|(file, outcome)| SummaryRow { file, name: None, outcome }));
        let progress = Progress {
            bars: BatchBar::new(files.len() as u64, self.quiet),
            was_done: AtomicUsize::new(0),
            failed: AtomicUsize::new(rows.iter().filter(|row| row.has_failed()).count()),
            rows: Mutex::new(rows),
            error: OnceLock::new(),
        };
        let names = names::names(&files);
        let all = files.iter().zip(names.iter().map(PathBuf::as_path));
        match self.batch.jobs {
            Some(jobs) => {
                let crew = Crew { workers: jobs.into(), is_alone: false };
                self.some(&all.collect::<Vec<_>>(), &crew, &progress);
            }
            None => {
                let (large, small): (Vec<Named>, Vec<Named>) = all.partition(|(input, _)| {
                    std::fs::metadata(&input.path).is_ok_and(|found| is_large(found.len()))
                });
                let one_by_one = Crew { workers: self.engines.len(), is_alone: false };
                self.some(&large, &one_by_one, &progress);
                self.some(&small, &self.crew_of_small(), &progress);
            }
        }
        let Progress { bars, was_done, rows, error, .. } = progress;
        drop(bars);
        if let Some(error) = error.into_inner() {
            return Err(error);
        }
        let mut rows = rows.into_inner().unwrap_or_else(PoisonError::into_inner);
        rows.sort_by(|a, b| a.file.cmp(&b.file));
        Ok((rows, was_done.into_inner()))
    }

    /// Who works on small files.
    fn crew_of_small(&self) -> Crew {
        /// Memory that the largest of them may take.
        const MOST_MEMORY: u64 = 512 << 20;
        if self.batch.machine.may_have_gpu() {
            // A GPU searches one file, while the next one is read and the one before written.
            return Crew { workers: 2 * self.engines.len(), is_alone: false };
        }
        let room = memory::available().map_or(u64::MAX, |bytes| bytes / MOST_MEMORY);
        let threads = rayon::current_num_threads();
        let workers = usize::try_from(room).map_or(threads, |room| threads.min(room));
        Crew { workers: workers.max(1), is_alone: workers == threads }
    }

    /// Works through some of the files.
    fn some(&self, files: &[Named], crew: &Crew, progress: &Progress) {
        let next = AtomicUsize::new(0);
        let worker = |number: usize| {
            // What is meant for all threads is then done by this one, which waits for no other.
            let _alone = crew
                .is_alone
                .then(|| ThreadPoolBuilder::new().num_threads(1).use_current_thread().build());
            let engine = &self.engines[number % self.engines.len()];
            while progress.error.get().is_none() {
                let k = next.fetch_add(1, Relaxed);
                let Some(file) = files.get(k) else { break };
                if let Some((input, name)) = files.get(k + crew.workers) {
                    self.job.announce(input, name);
                }
                self.one(file, engine, progress);
            }
        };
        thread::scope(|scope| {
            let worker = &worker;
            for number in 1..crew.workers.min(files.len()) {
                // Where no more threads can be had, those that are there do it all.
                let _ = thread::Builder::new().spawn_scoped(scope, move || worker(number));
            }
            worker(0);
        });
    }

    /// Works on one file, and notes what came of it.
    fn one(&self, &(input, name): &Named, engine: &Engine, progress: &Progress) {
        let Progress { bars, was_done, failed, rows, error } = progress;
        let outcome = match self.job.run(input, name, engine, bars) {
            Ok(job::Outcome::Done(done)) => Outcome::Done(done),
            Ok(job::Outcome::WasDone(done)) => {
                was_done.fetch_add(1, Relaxed);
                Outcome::Done(done)
            }
            // No other file would escape it, and none is to blame for it.
            Err(concerning) if concerns_all(&concerning) => {
                let _ = error.set(concerning);
                return;
            }
            Err(error) => {
                failed.fetch_add(1, Relaxed);
                let stay = self.job.has_results(input, name);
                let stay = if stay { "; its results of an earlier run stay" } else { "" };
                let message = format!("{}{stay}", message(&error));
                bars.aside(|| say(&message));
                let warnings = warnings::take(&input.path.display().to_string());
                Outcome::Failed(message, warnings)
            }
        };
        let row = SummaryRow { file: input.path.clone(), name: Some(name.to_owned()), outcome };
        rows.lock().unwrap_or_else(PoisonError::into_inner).push(row);
        bars.advance(failed.load(Relaxed));
    }
}

/// Says what came of all files.
fn report(
    rows: &[SummaryRow],
    was_done: usize,
    summary: &Path,
    quiet: bool,
) -> Result<(), Failure> {
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
        (Some((_, error)), more) => {
            Error::Parameter(format!("{}; and {more} more failed", message(&error)))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::engine::DeviceName;
    use super::*;
    use clap::Parser;
    use planes::cuda::Cuda;

    #[derive(Parser)]
    struct Line {
        #[command(flatten)]
        batch: Batch,
    }

    #[test]
    fn two_gpus_give_what_the_cpu_gives() {
        let second = match Cuda::count() {
            // Where there is one alone it is taken twice.
            Ok(count) => usize::from(count > 1),
            Err(none) => return println!("skipped: {none}"),
        };
        let folder = tempfile::tempdir().unwrap();
        let out = |name: &str| folder.path().join(name);
        let batch = |name: &str| {
            let shipped = Path::new(env!("CARGO_MANIFEST_DIR")).join("clouds");
            let words: [&std::ffi::OsStr; 6] = [
                "planes".as_ref(),
                shipped.as_os_str(),
                "--only".as_ref(),
                "json,labels".as_ref(),
                "--out".as_ref(),
                &out(name).into_os_string(),
            ];
            Line::try_parse_from(words).unwrap().batch
        };
        let start = |device, gpu| Engine::start(device, None, vec![gpu], true);
        let two = || [0, second].map(|gpu| start(DeviceName::Cuda, gpu)).into_iter().collect();
        batch("gpu").run_on(two, true).unwrap();
        batch("cpu").run_on(|| Ok(vec![start(DeviceName::Cpu, 0)?]), true).unwrap();
        let mut compared = 0;
        for entry in std::fs::read_dir(out("cpu")).unwrap() {
            let entry = entry.unwrap();
            let name = entry.file_name();
            if entry.path().is_file() && !summary::NAMES.iter().any(|&summary| name == summary) {
                let of = |folder| std::fs::read(out(folder).join(&name)).unwrap();
                assert!(of("gpu") == of("cpu"), "{name:?}");
                compared += 1;
            }
        }
        assert!(compared > 4);
    }
}
