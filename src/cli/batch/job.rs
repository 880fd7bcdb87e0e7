//! One file of a batch, from the question whether it is finished to its record.

use super::super::engine::Engine;
use super::super::exports;
use super::super::guard::FileId;
use super::super::progress::{Bar, BatchBar};
use super::super::warnings;
use super::arguments::Batch;
use super::folder::Folder;
use super::inputs::Input;
use super::record::{Counts, Done, Record, Stamp, Written, digest};
use super::summary::{self, shown, unshown};
use super::wanted::Target;
use crate::cli::reading::{say_deep, say_notes};
use crate::cli::results::may_be_result;
use planes::atomic::move_to;
use planes::cloud::{Format, Source};
use planes::detect::{Options, Progress};
use planes::export::{LINES, Lines, PLANES, Planes};
use planes::image::{EdgeMap, Image};
use planes::input::{self, peek};
use planes::{Detection, Error, lines, memory};
use serde_json::Value;
use std::collections::HashSet;
use std::fs;
#[cfg(target_os = "linux")]
use std::fs::File;
use std::io;
#[cfg(target_os = "linux")]
use std::num::NonZeroU64;
use std::path::Path;
use std::thread::{self, JoinHandle};
use std::time::Instant;

/// Whether a file of so many bytes is worth the threads of the whole machine. Of those below, a LAZ of
/// two million points the largest, threads that have one each get more done: none waits for another.
pub fn is_large(bytes: u64) -> bool {
    bytes > 8 << 20
}

/// What is the same for every file of a batch.
pub struct Job<'a> {
    batch: &'a Batch,
    folder: &'a Folder,
    options: &'a Options,
    /// All that decides what is found, beside the file and the program.
    decisive: &'a summary::Options,
    /// Files that no result may replace.
    inputs: HashSet<FileId>,
}

/// How a file came to be finished.
pub enum Outcome {
    Done(Done),
    /// In an earlier run.
    WasDone(Done),
}

/// What was found in a file, with all that its results are made from.
enum Answer {
    Cloud(Source, Box<Detection>),
    Image(Image, EdgeMap, Box<lines::Detection>),
}

impl<'a> Job<'a> {
    pub fn new(
        batch: &'a Batch,
        folder: &'a Folder,
        options: &'a Options,
        decisive: &'a summary::Options,
        inputs: &[Input],
    ) -> Job<'a> {
        let inputs = inputs.iter().filter_map(|input| FileId::of(&input.path)).collect();
        Job { batch, folder, options, decisive, inputs }
    }

    /// Brings the results of a file up to date.
    ///
    /// They are written aside and take their places when all of them are whole. Until all have, the record
    /// lists what may be there and says that it is not done; so whoever comes after a kill knows what to
    /// renew. Of an earlier run nothing is taken away: what is not asked for again is still right, or is
    /// renewed with the rest.
    pub fn run(
        &self,
        input: &Input,
        name: &Path,
        engine: &Engine,
        bars: &BatchBar,
    ) -> Result<Outcome, Error> {
        let bar = bars.file(&input.path.display().to_string());
        let stamp = Stamp::of(&input.path)?;
        let before = Record::read(self.folder, name);
        if let Some(record) = &before {
            if let Some(done) = self.finished(record, input, name, &stamp, &bar)? {
                bar.aside(|| log::info!("{}: finished before", input.path.display()));
                return Ok(Outcome::WasDone(done));
            }
            self.check_owner(record, input, name)?;
        }
        // Better now than after the search.
        if let Some(kind) = self.peek(&input.path) {
            self.check_targets(input, name, &self.batch.outputs.wanted(kind), before.as_ref())?;
        }
        let done = self.find_and_write(input, name, &stamp, before.as_ref(), (engine, &bar));
        if is_large(stamp.bytes()) {
            // What is kept of so much memory is more than the files that follow need.
            memory::trim();
        }
        bar.finish();
        if done.is_ok() {
            bar.aside(|| log::info!("{}: done", input.path.display()));
        }
        done.map(Outcome::Done)
    }

    /// The kind of a file, read as this batch reads it.
    fn peek(&self, path: &Path) -> Option<input::Kind> {
        peek(path, &self.batch.reading.options())
    }

    /// Says of a file that it will soon be read: the system reads it from its disk beside what is done now.
    pub fn announce(&self, input: &Input, name: &Path) {
        #[cfg(target_os = "linux")]
        {
            use rustix::fs::{Advice, fadvise};
            /// Most bytes of a file that are read beforehand.
            const MOST: Option<NonZeroU64> = NonZeroU64::new(1 << 28);
            // One that is finished may not be read at all.
            if !self.folder.record(name).exists()
                && let Ok(file) = File::open(&input.path)
            {
                // It is advice, and nothing is wrong if nobody takes it.
                let _ = fadvise(&file, 0, MOST, Advice::WillNeed);
            }
        }
        #[cfg(not(target_os = "linux"))]
        let _ = (input, name);
    }

    /// Whether results of an earlier run with this file lie there.
    pub fn has_results(&self, input: &Input, name: &Path) -> bool {
        Record::read(self.folder, name).is_some_and(|record| {
            let mut results = record.results.keys().map(|ending| self.folder.result(name, ending));
            is_of(&record, input) && results.any(|result| result.exists())
        })
    }

    /// What came of the file in an earlier run, if that still holds and all that is asked for is there.
    fn finished(
        &self,
        record: &Record,
        input: &Input,
        name: &Path,
        stamp: &Stamp,
        bar: &Bar,
    ) -> Result<Option<Done>, Error> {
        let (Some(done), Some(kind)) = (&record.done, self.peek(&input.path)) else {
            return Ok(None);
        };
        let asked = self.batch.outputs.wanted(kind);
        let same = record.version == env!("CARGO_PKG_VERSION")
            && record.options == self.decisive_of(kind)
            && done.bytes == stamp.bytes()
            && asked.iter().all(|t| record.has(self.folder, name, t.ending, t.style));
        if !same {
            return Ok(None);
        }
        let known = is_of(record, input) && Record::has_stamp(self.folder, name, stamp);
        if !known {
            bar.stage("comparing", Some(stamp.bytes()));
            if digest(&input.path, &|n| bar.advance(n))? != done.sha256 {
                return Ok(None);
            }
        }
        let file = shown(&input.path);
        if !known || record.file != file {
            let place = shown(&input.identity);
            Record { file, place, ..record.clone() }.save(self.folder, name, stamp)?;
        }
        Ok(Some(done.clone()))
    }

    /// Refuses to replace the results of another file, which an earlier run was given.
    fn check_owner(&self, record: &Record, input: &Input, name: &Path) -> Result<(), Error> {
        let owner = unshown(&record.place);
        let is_same = || FileId::of(&owner) == FileId::of(&input.path);
        if is_of(record, input) || !owner.exists() || is_same() {
            return Ok(());
        }
        Err(Error::Parameter(format!(
            "{}: {} is the result of {}; use another --out",
            input.path.display(),
            self.folder.result(name, ".*").display(),
            record.file
        )))
    }

    fn find_and_write(
        &self,
        input: &Input,
        name: &Path,
        stamp: &Stamp,
        before: Option<&Record>,
        (engine, bar): (&Engine, &Bar),
    ) -> Result<Done, Error> {
        let start = Instant::now();
        let digesting = digest_meanwhile(&input.path, stamp);
        let answer = self.find(&input.path, before, (engine, bar))?;
        bar.stage("digest", Some(stamp.bytes()));
        let sha256 = match digesting.map(JoinHandle::join) {
            Some(Ok(sha256)) => sha256?,
            _ => digest(&input.path, &|n| bar.advance(n))?,
        };
        bar.stage("writing", None);
        let kind = answer.kind();
        let is_same = before.is_some_and(|record| self.is_same(record, kind, &sha256));
        let targets = self.targets(name, kind, before.filter(|_| !is_same));
        self.check_targets(input, name, &targets, before)?;
        self.folder.make_room(name)?;
        let fresh = |target: &Target| self.folder.fresh(name, target.ending);
        let save = |target: &Target| self.save(&answer, name, target, engine);
        let saved =
            targets.iter().try_for_each(save).and_then(|()| match Stamp::of(&input.path)? {
                now if now == *stamp => Ok(()),
                _ => Err(Error::format(&input.path, "file", "it was changed while it was read")),
            });
        if saved.is_err() {
            // They may be as large as the cloud.
            targets.iter().for_each(|target| drop(fs::remove_file(fresh(target))));
        }
        saved?;
        let mut record = Record {
            file: shown(&input.path),
            place: shown(&input.identity),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            options: self.decisive_of(kind),
            results: before.map(|record| record.results.clone()).unwrap_or_default(),
            done: None,
        };
        self.replace(&mut record, name, stamp, &targets, is_same)?;
        let done = Done {
            bytes: stamp.bytes(),
            sha256,
            found: answer.found(),
            warnings: warnings::take(&input.path.display().to_string()),
            seconds: (start.elapsed().as_secs_f64() * 1e3).round() / 1e3,
        };
        record.done = Some(done.clone());
        record.save(self.folder, name, stamp)?;
        Ok(done)
    }

    /// Opens a file and finds what is in it; the plane of each point only where some result tells it.
    fn find(
        &self,
        path: &Path,
        before: Option<&Record>,
        (engine, bar): (&Engine, &Bar),
    ) -> Result<Answer, Error> {
        let Batch { search, line_search, machine, .. } = self.batch;
        match input::Input::open_with(path, &self.batch.reading.options())? {
            input::Input::Cloud(source) => {
                say_notes(&source, bar);
                let kind = input::Kind::Cloud(source.format());
                let results = before.into_iter().flat_map(|record| record.results(kind));
                let mut targets = self.batch.outputs.wanted(kind).into_iter().chain(results);
                let planes_only = !targets.any(|target| target.about.needs_labels);
                let options = Options { planes_only, ..self.options.clone() };
                let how = (&options, &search.choice());
                let found = machine.find(&source, how, (engine, false), bar)?;
                Ok(Answer::Cloud(source, found.into()))
            }
            input::Input::Image(image) => {
                say_deep(&image, bar);
                bar.aside(|| engine.backend())?;
                let _turn = engine.turn();
                let (edges, found) = line_search.find(&image, search, machine, engine, bar)?;
                Ok(Answer::Image(image, edges, found.into()))
            }
        }
    }

    /// Whether a record is of what would be found again.
    fn is_same(&self, record: &Record, kind: input::Kind, sha256: &str) -> bool {
        record.version == env!("CARGO_PKG_VERSION")
            && record.options == self.decisive_of(kind)
            && record.done.as_ref().is_some_and(|done| done.sha256 == sha256)
    }

    /// The options that decide what is found.
    fn decisive_of(&self, kind: input::Kind) -> Value {
        match kind {
            input::Kind::Cloud(format) => self.decisive.of_cloud(format == Format::TEXT),
            input::Kind::Image => self.decisive.images.clone(),
        }
    }

    /// The results to be written, those first that may yet find fault with the file: what is asked for and,
    /// of an earlier run that found something else, what lies there, lest it be stale.
    fn targets(&self, name: &Path, kind: input::Kind, stale: Option<&Record>) -> Vec<Target> {
        let mut targets = self.batch.outputs.wanted(kind);
        for (ending, written) in stale.iter().flat_map(|record| &record.results) {
            let path = self.folder.result(name, ending);
            if targets.iter().any(|target| target.ending == *ending) || !path.exists() {
                continue;
            }
            match Target::new(kind, ending, written.style()) {
                Some(target) => targets.push(target),
                None => log::warn!("{}: of an earlier version of its file", path.display()),
            }
        }
        let order = exports::outputs_of(kind);
        targets.sort_by_key(|t| order.iter().position(|about| about.name == t.about.name));
        targets
    }

    /// Refuses results that would replace an input, a folder, or a file of somebody else.
    fn check_targets(
        &self,
        input: &Input,
        name: &Path,
        targets: &[Target],
        before: Option<&Record>,
    ) -> Result<(), Error> {
        for target in targets {
            let path = self.folder.result(name, target.ending);
            let is_ours = || match before {
                Some(record) if record.results.contains_key(target.ending) => true,
                Some(_) if input.is_beside(&path) => false,
                _ => may_be_result(&path),
            };
            if FileId::of(&path).is_some_and(|id| self.inputs.contains(&id)) {
                let message = format!("{}: that is an input of this batch", path.display());
                return Err(Error::Parameter(message));
            }
            if path.is_file() && !is_ours() {
                let message = "was not written by planes, as far as records tell; move it, or choose another --out";
                return Err(Error::Parameter(format!("{}: {message}", path.display())));
            }
            if path.is_dir() {
                return Err(Error::io(path)(io::ErrorKind::IsADirectory.into()));
            }
        }
        Ok(())
    }

    /// Writes a result aside. What is wrong with that is said of its place: that is what people know.
    fn save(
        &self,
        answer: &Answer,
        name: &Path,
        target: &Target,
        engine: &Engine,
    ) -> Result<(), Error> {
        let path = self.folder.fresh(name, target.ending);
        self.save_as(answer, target, engine, &path).map_err(|error| match error {
            Error::Io { path: at, source } if at == path => {
                Error::io(self.folder.result(name, target.ending))(source)
            }
            error => error,
        })
    }

    fn save_as(
        &self,
        answer: &Answer,
        target: &Target,
        engine: &Engine,
        path: &Path,
    ) -> Result<(), Error> {
        let Target { about, style, .. } = *target;
        match answer {
            Answer::Cloud(source, detection) => {
                exports::save(PLANES, about.name, &Planes { source, detection, style }, path)
            }
            Answer::Image(image, edges, detection) => {
                let backend = engine.backend()?;
                let lines = Lines { image, edges, detection, backend };
                exports::save(LINES, about.name, &lines, path)
            }
        }
    }

    /// Moves the results to their places and notes in the record what is there.
    fn replace(
        &self,
        record: &mut Record,
        name: &Path,
        stamp: &Stamp,
        targets: &[Target],
        is_same: bool,
    ) -> Result<(), Error> {
        let mut written = Vec::with_capacity(targets.len());
        for target in targets {
            let fresh = self.folder.fresh(name, target.ending);
            let bytes = fs::metadata(&fresh).map_err(Error::io(&fresh))?.len();
            written.push((target.ending.to_owned(), Written::new(bytes, target.style)));
        }
        record.results.extend(written.iter().cloned());
        record.save(self.folder, name, stamp)?;
        for target in targets {
            let fresh = self.folder.fresh(name, target.ending);
            move_to(&fresh, &self.folder.result(name, target.ending))?;
        }
        if !is_same {
            record.results.retain(|ending, _| targets.iter().any(|t| t.ending == *ending));
        }
        Ok(())
    }
}

/// Whether a record is of this file, however it was named.
fn is_of(record: &Record, input: &Input) -> bool {
    record.place == shown(&input.identity)
}

impl Answer {
    fn kind(&self) -> input::Kind {
        match self {
            Answer::Cloud(source, _) => input::Kind::Cloud(source.format()),
            Answer::Image(..) => input::Kind::Image,
        }
    }

    fn found(&self) -> Counts {
        match self {
            Answer::Cloud(source, found) => Counts::Cloud {
                is_text: source.format() == Format::TEXT,
                points: found.input.points,
                searched: found.input.searched(),
                planes: found.planes.len() as u64,
                labelled: found.labelled(),
                // A sum of nothing is −0.
                area: found.planes.iter().map(|plane| plane.area).sum::<f64>() + 0.0,
            },
            Answer::Image(_, edges, found) => Counts::Image {
                pixels: u64::from(edges.width) * u64::from(edges.height),
                lines: found.lines.len() as u64,
            },
        }
    }
}

/// The digest of a large file, which is made while it is searched; of a small one, that is not worth a thread. If the
/// search fails, nobody waits for it.
fn digest_meanwhile(path: &Path, stamp: &Stamp) -> Option<JoinHandle<Result<String, Error>>> {
    let path = path.to_owned();
    let start = || thread::Builder::new().spawn(move || digest(&path, &|_| ())).ok();
    is_large(stamp.bytes()).then(start).flatten()
}
