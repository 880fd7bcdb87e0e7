//! `planes batch`.

mod arguments;
mod counts;
mod decisive;
mod folder;
mod inputs;
mod job;
mod names;
mod pattern;
mod record;
mod shard;
mod share;
pub mod summary;
mod wanted;

pub use arguments::Batch;
pub use inputs::is_called_as_inputs;
pub use pattern::is_pattern;

use super::console::say;
use super::engine::{DeviceName, Engine};
use super::failure::{Failure, concerns_all, message};
use super::guard::FileId;
use super::progress::BatchBar;
use super::warnings;
use counts::{Counts, report, report_shard};
use folder::Folder;
use inputs::{Input, Inputs};
use job::{Job, is_large};
use planes::detect::{Mode, Options};
use planes::input::{Kind, peek};
use planes::lms::Refine;
use planes::{Error, memory};
use rayon::ThreadPoolBuilder;
use share::{Share, Task};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::{Mutex, OnceLock, PoisonError};
use std::thread;
use summary::{Outcome, SummaryRow, shown};

impl Batch {
    pub fn run(&self, quiet: bool) -> Result<(), Failure> {
        match self.collect {
            Some(of) => self.collect(of, quiet),
            None => self.run_on(|| self.machine.start_each(quiet), quiet),
        }
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
        let inputs = Inputs::of(&self.files, out);
        if inputs.files.is_empty() {
            return Err(nothing(inputs.failed).into());
        }
        self.check_inputs(&inputs.files, options.mode)?;
        let names = names::names(&inputs.files);
        let task = self.task(&inputs.files, &names, &options);
        warnings::keep();
        let engines = start()?;
        let cores = self.start_cores(options.mode)?;
        let folder = match self.shard {
            None => Folder::open(out)?,
            Some(shard) => Folder::open_for(out, shard, &task.id(shard.of))?,
        };
        let job = Job::new(self, &folder, &options, &task.options, &inputs.files);
        let work = Work { batch: self, job: &job, engines: &engines, cores: cores.as_ref(), quiet };
        let (rows, was_done) = work.all(self.share(inputs, names))?;
        let lines = summary::lines(&rows, &task.options);
        let Some(shard) = self.shard else {
            summary::save(folder.path(), &lines, &task.options)?;
            return report(&Counts::new(&lines, was_done), folder.path(), quiet);
        };
        let counts = Counts::new(&lines, was_done);
        Share::new(task, lines).save(&folder, shard)?;
        report_shard(&counts, shard, quiet)
    }

    /// The CPU, where it searches small files sooner than a GPU on which they take turns.
    fn start_cores(&self, mode: Mode) -> Result<Option<Engine>, Error> {
        /// On a GPU, a small file takes about as long as on so many cores.
        const AS_FAST: usize = 3;
        let machine = &self.machine;
        let wanted = machine.is_automatic()
            && machine.may_have_gpu()
            && mode == Mode::Near
            && rayon::current_num_threads() > AS_FAST;
        wanted.then(|| Engine::start(DeviceName::Cpu, None, Vec::new(), true)).transpose()
    }

    /// Refuses what these files have no use for, and summaries that would replace one of them.
    fn check_inputs(&self, files: &[Input], mode: Mode) -> Result<(), Error> {
        if let Err(error) = self.machine.check_files(mode)
            && !files.iter().any(|input| self.is_image(input))
        {
            return Err(error);
        }
        self.check_use(files)?;
        let out = &self.outputs.out;
        summary::check(out)?;
        for name in summary::NAMES {
            let path = out.join(name);
            let id = FileId::of(&path);
            if files.iter().any(|input| id.is_some() && FileId::of(&input.path) == id) {
                let message = format!("{}: that is an input of this batch", path.display());
                return Err(Error::Parameter(message));
            }
        }
        Ok(())
    }

    /// Says which option no input has a use for; refuses outputs that none has.
    fn check_use(&self, files: &[Input]) -> Result<(), Error> {
        let for_images = self.line_search.given().map(str::to_owned);
        let for_images = for_images.or(self.outputs.given_for(true));
        let for_clouds = self.search.given_for_clouds().or(self.reading.given());
        let for_clouds = for_clouds.map(str::to_owned).or(self.outputs.given_for(false));
        let is_cloud = |input: &Input| matches!(self.kind(input), Some(Kind::Cloud(_)));
        let is_image = |input: &Input| self.is_image(input);
        let (given, what, others) = match (for_images, for_clouds) {
            (Some(given), _) if !files.iter().any(is_image) => (given, "images", wanted::CLOUD),
            (_, Some(given)) if !files.iter().any(is_cloud) => (given, "clouds", Kind::Image),
            _ => return Ok(()),
        };
        let message = format!("{given} is for {what}, and there are none");
        if self.outputs.wanted(others).is_empty() {
            return Err(Error::Parameter(message));
        }
        log::warn!("{message}");
        Ok(())
    }

    /// What a file is, as it is to be read.
    fn kind(&self, input: &Input) -> Option<Kind> {
        peek(&input.path, &self.reading.options())
    }

    fn is_image(&self, input: &Input) -> bool {
        self.kind(input) == Some(Kind::Image)
    }

    /// What this batch does, as all its shards have it in common.
    fn task(&self, files: &[Input], names: &[PathBuf], options: &Options) -> Task {
        let files = files.iter().zip(names);
        let files: Vec<_> = files.map(|(file, name)| (shown(&file.path), shown(name))).collect();
        Task::new(&files, decisive::decisive(self, options), self.outputs.chosen())
    }

    /// The files to do, with the names of their results, which are those of the whole list. What is no file
    /// to work on is the first shard's.
    fn share(&self, inputs: Inputs, names: Vec<PathBuf>) -> ToDo {
        let Inputs { files, failed, skipped } = inputs;
        let files: Vec<_> = files.into_iter().zip(names).collect();
        match self.shard {
            None => ToDo { files, failed, skipped },
            Some(shard) if shard.is_first() => {
                ToDo { files: shard.of_list(files), failed, skipped }
            }
            Some(shard) => ToDo { files: shard.of_list(files), ..ToDo::default() },
        }
    }

    /// Joins what the shards did.
    fn collect(&self, of: Option<u32>, quiet: bool) -> Result<(), Failure> {
        let out = &self.outputs.out;
        summary::check(out)?;
        let folder = Folder::open_to_join(out)?;
        let (lines, options) = share::joined(&folder, of)?;
        summary::save(out, &lines, &options)?;
        report(&Counts::new(&lines, 0), out, quiet)
    }
}

/// What there is to do, and to tell of.
#[derive(Default)]
struct ToDo {
    files: Vec<(Input, PathBuf)>,
    failed: Vec<(PathBuf, Error)>,
    skipped: Vec<(PathBuf, String)>,
}

/// How the files are worked through.
struct Work<'a> {
    batch: &'a Batch,
    job: &'a Job<'a>,
    engines: &'a [Engine],
    /// The CPU, if it searches the small files.
    cores: Option<&'a Engine>,
    quiet: bool,
}

/// A file and what its results are called.
type Named<'a> = (&'a Input, &'a Path);

/// Who works on files at the same time.
struct Crew<'a> {
    engines: &'a [Engine],
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
    fn all(&self, todo: ToDo) -> Result<(Vec<SummaryRow>, usize), Error> {
        let ToDo { files, failed, skipped } = todo;
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
        let all = files.iter().map(|(input, name)| (input, name.as_path()));
        let engines = self.engines;
        match self.batch.jobs {
            Some(jobs) => {
                let crew = Crew { engines, workers: jobs.into(), is_alone: false };
                self.some(&all.collect::<Vec<_>>(), &crew, &progress);
            }
            None => {
                let (large, small): (Vec<Named>, Vec<Named>) = all.partition(|(input, _)| {
                    std::fs::metadata(&input.path).is_ok_and(|found| is_large(found.len()))
                });
                let one_by_one = Crew { engines, workers: engines.len(), is_alone: false };
                self.some(&large, &one_by_one, &progress);
                if self.cores.is_some() && !small.is_empty() && !self.quiet {
                    say(
                        "small files are searched on the CPU, one on each thread; on a GPU with --device cuda",
                    );
                }
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
    fn crew_of_small(&self) -> Crew<'_> {
        /// Memory that the largest of them may take.
        const MOST_MEMORY: u64 = 512 << 20;
        let Work { engines, cores, .. } = *self;
        if cores.is_none() && self.batch.machine.may_have_gpu() {
            // A GPU searches one file, while the next one is read and the one before written.
            return Crew { engines, workers: 2 * engines.len(), is_alone: false };
        }
        let engines = cores.map_or(engines, std::slice::from_ref);
        let room = memory::available().map_or(u64::MAX, |bytes| bytes / MOST_MEMORY);
        let threads = rayon::current_num_threads();
        let workers = usize::try_from(room).map_or(threads, |room| threads.min(room));
        Crew { engines, workers: workers.max(1), is_alone: workers == threads }
    }

    /// Works through some of the files.
    fn some(&self, files: &[Named], crew: &Crew, progress: &Progress) {
        let next = AtomicUsize::new(0);
        let worker = |number: usize| {
            // What is meant for all threads is then done by this one, which waits for no other.
            let _alone = crew
                .is_alone
                .then(|| ThreadPoolBuilder::new().num_threads(1).use_current_thread().build());
            let engine = &crew.engines[number % crew.engines.len()];
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
        let batch = |name: &str, device: &str| {
            let shipped = Path::new(env!("CARGO_MANIFEST_DIR")).join("clouds");
            let words: [&std::ffi::OsStr; 8] = [
                "planes".as_ref(),
                shipped.as_os_str(),
                "--device".as_ref(),
                device.as_ref(),
                "--only".as_ref(),
                "json,labels".as_ref(),
                "--out".as_ref(),
                &out(name).into_os_string(),
            ];
            Line::try_parse_from(words).unwrap().batch
        };
        let start = |device, gpu| Engine::start(device, None, vec![gpu], true);
        let two = || [0, second].map(|gpu| start(DeviceName::Cuda, gpu)).into_iter().collect();
        batch("gpu", "cuda").run_on(two, true).unwrap();
        batch("cpu", "cpu").run_on(|| Ok(vec![start(DeviceName::Cpu, 0)?]), true).unwrap();
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
