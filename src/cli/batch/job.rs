//! One file of a batch, from the question whether it is finished to its record.

use super::super::engine::Engine;
use super::super::outputs::{Kind, same_file};
use super::super::progress::{Bar, BatchBar};
use super::Batch;
use super::folder::Folder;
use super::inputs::Input;
use super::record::{Done, Record, Stamp, digest, remove};
use crate::cli::reading::say_notes;
use clap::ValueEnum;
use planes::cloud::Source;
use planes::detect::{Mode, Options, Progress};
use planes::{Detection, Error};
use serde_json::{Value, json};
use std::collections::{BTreeMap, HashSet};
use std::fs;
use std::path::{Path, PathBuf};

/// What is the same for every file of a batch.
pub struct Job<'a> {
    batch: &'a Batch,
    folder: &'a Folder,
    options: &'a Options,
    kinds: &'a [Kind],
    engine: &'a Engine,
    /// All that decides a result beside the file and the program.
    decisive: Value,
    /// Files that no result may replace.
    inputs: HashSet<&'a Path>,
}

/// How a file came to be finished.
pub enum Outcome {
    Done(Done),
    /// In an earlier run.
    WasDone(Done),
}

impl<'a> Job<'a> {
    pub fn new(
        batch: &'a Batch,
        folder: &'a Folder,
        options: &'a Options,
        kinds: &'a [Kind],
        engine: &'a Engine,
        inputs: &'a [Input],
    ) -> Job<'a> {
        Job {
            batch,
            folder,
            options,
            kinds,
            engine,
            decisive: decisive(batch, options, kinds),
            inputs: inputs.iter().map(|input| input.identity.as_path()).collect(),
        }
    }

    /// Brings the results of a file up to date.
    ///
    /// While results are being replaced, the record lists all that may be there and says that they
    /// are not done; so whoever comes after a kill knows what to replace and what to remove.
    pub fn run(&self, input: &Input, name: &Path, bars: &BatchBar) -> Result<Outcome, Error> {
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
        let done = self.find_and_write(input, name, &stamp, before.as_ref(), &bar);
        bar.finish();
        match done {
            Ok(done) => {
                bar.aside(|| log::info!("{}: done", input.path.display()));
                Ok(Outcome::Done(done))
            }
            Err(error) => {
                // What is left is of another version of the file, or half of this one's; but a file
                // that could not be read may be what it was.
                let unreadable = matches!(&error, Error::Io { path, .. } if *path == input.path);
                if let Some(record) = Record::read(self.folder, name)
                    && !(unreadable && record.done.is_some())
                {
                    record.discard(self.folder, name)?;
                }
                Err(error)
            }
        }
    }

    /// What came of the file in an earlier run, if that still holds.
    fn finished(
        &self,
        record: &Record,
        input: &Input,
        name: &Path,
        stamp: &Stamp,
        bar: &Bar,
    ) -> Result<Option<Done>, Error> {
        let Some(done) = &record.done else { return Ok(None) };
        let same = record.version == env!("CARGO_PKG_VERSION")
            && record.options == self.decisive
            && done.bytes == stamp.bytes()
            && record.results_are_there(self.folder, name);
        if !same {
            return Ok(None);
        }
        let known = Record::has_stamp(self.folder, name, stamp);
        if !known {
            bar.stage("comparing", Some(stamp.bytes()));
            if digest(&input.path, &|n| bar.advance(n))? != done.sha256 {
                return Ok(None);
            }
        }
        let file = input.path.display().to_string();
        if !known || record.file != file {
            Record { file, ..record.clone() }.save(self.folder, name, stamp)?;
        }
        Ok(Some(done.clone()))
    }

    /// Refuses to replace the results of another file, which an earlier run was given.
    fn check_owner(&self, record: &Record, input: &Input, name: &Path) -> Result<(), Error> {
        let owner = Path::new(&record.file);
        if owner == input.path || !owner.exists() || same_file(owner, &input.path) {
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
        bar: &Bar,
    ) -> Result<Done, Error> {
        let source = Source::open_with(&input.path, &self.batch.reading.options())?;
        say_notes(&source, bar);
        let how = (self.options, &self.batch.search.choice());
        let detection = self.batch.machine.find(&source, how, self.engine, bar)?;
        bar.stage("digest", Some(stamp.bytes()));
        let sha256 = digest(&input.path, &|n| bar.advance(n))?;
        bar.stage("writing", None);
        let results = self.results(&source, name)?;
        let endings = results.iter().map(|(_, ending, _)| *ending);
        self.folder.make_room(name)?;
        let mut record = self.begin(input, name, stamp, before, endings)?;
        let outputs = &self.batch.outputs;
        let how = (outputs.labelling.by(), outputs.drawing.up);
        for (kind, _, path) in &results {
            kind.save(&source, &detection, how, path)?;
        }
        if Stamp::of(&input.path)? != *stamp {
            return Err(Error::format(&input.path, "file", "it was changed while it was read"));
        }
        self.end(&mut record, name, &results)?;
        let done = summed(&detection, stamp.bytes(), sha256);
        record.done = Some(done.clone());
        record.save(self.folder, name, stamp)?;
        Ok(done)
    }

    /// What is to be written of a file: kind, ending and path.
    fn results(&self, source: &Source, name: &Path) -> Result<Vec<Target>, Error> {
        let mut results = Vec::new();
        for &kind in self.kinds {
            let ending = self.batch.outputs.ending(kind, source.format());
            let path = self.folder.result(name, ending);
            if fs::canonicalize(&path).is_ok_and(|path| self.inputs.contains(path.as_path())) {
                let message = format!("{}: that is an input of this batch", path.display());
                return Err(Error::Parameter(message));
            }
            results.push((kind, ending, path));
        }
        Ok(results)
    }

    /// Says in the record what may be there from now on.
    fn begin<'b>(
        &self,
        input: &Input,
        name: &Path,
        stamp: &Stamp,
        before: Option<&Record>,
        endings: impl Iterator<Item = &'b str>,
    ) -> Result<Record, Error> {
        let mut results = before.map_or_else(BTreeMap::new, |record| record.results.clone());
        results.extend(endings.map(|ending| (ending.to_owned(), 0)));
        let record = Record {
            file: input.path.display().to_string(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            options: self.decisive.clone(),
            results,
            done: None,
        };
        record.save(self.folder, name, stamp)?;
        Ok(record)
    }

    /// Removes what an earlier run left that is no result any more, and measures what is one.
    fn end(&self, record: &mut Record, name: &Path, results: &[Target]) -> Result<(), Error> {
        for ending in record.results.keys() {
            if !results.iter().any(|(_, kept, _)| kept == ending) {
                remove(&self.folder.result(name, ending))?;
            }
        }
        record.results.clear();
        for (_, ending, path) in results {
            let bytes = fs::metadata(path).map_err(Error::io(path))?.len();
            record.results.insert((*ending).to_owned(), bytes);
        }
        Ok(())
    }
}

/// A result to be written: its kind, the ending of its name, its path.
type Target = (Kind, &'static str, PathBuf);

fn summed(detection: &Detection, bytes: u64, sha256: String) -> Done {
    Done {
        bytes,
        sha256,
        points: detection.input.points,
        planes: detection.planes.len() as u64,
        labelled: detection.labelled(),
    }
}

/// What a value of an option is called on the command line.
fn called(value: &impl ValueEnum) -> Option<String> {
    value.to_possible_value().map(|value| value.get_name().to_owned())
}

/// The options that decide a result. Each is named, so that none is forgotten when one is added.
fn decisive(batch: &Batch, options: &Options, kinds: &[Kind]) -> Value {
    let Options {
        mode,
        directions,
        rho_bin,
        tolerance,
        widen,
        angle,
        refine,
        orient,
        min_votes,
        min_inliers,
        top,
        min_area,
        // As `kinds` say.
        planes_only: _,
    } = options;
    json!({
        "mode": match mode {
            Mode::Near => "near",
            Mode::All => "all",
            Mode::OnePass => "one-pass",
        },
        "arithmetic": batch.machine.arithmetic(),
        "space": directions.map(|directions| directions.to_string()),
        "rho_bin": rho_bin,
        "tolerance": tolerance,
        "widen": widen,
        "angle": angle,
        "refine": refine,
        "orient": orient,
        "min_votes": min_votes,
        "min_inliers": min_inliers,
        "top": top,
        "min_area": min_area,
        "choice": batch.search.choice(),
        "columns": batch.reading.columns(),
        "only": kinds.iter().map(called).collect::<Vec<_>>(),
        "labels": batch.outputs.labels.as_ref().map(called),
        "label_by": called(&batch.outputs.labelling.label_by),
        "up": batch.outputs.drawing.up.to_string(),
    })
}
