//! From arguments to clouds: files, folders, patterns.

use super::folder::record;
use planes::Error;
use planes::cloud::{Format, Source};
use std::collections::HashSet;
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};

/// A file to work on.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Input {
    /// As it was given, or found in a folder that was given.
    pub path: PathBuf,
    /// The one name of the file, however it is reached. A link is a file of its own.
    pub identity: PathBuf,
    /// So many folders above it were inside the folder that was given.
    pub depth: usize,
}

/// What the arguments led to.
#[derive(Debug, Default)]
pub struct Inputs {
    /// The files, each once, sorted by path.
    pub files: Vec<Input>,
    /// Arguments and folders that led to none, and why.
    pub failed: Vec<(PathBuf, Error)>,
}

impl Inputs {
    /// Everything that `arguments` name; what `planes` itself wrote into `out` is passed over.
    pub fn of(arguments: &[PathBuf], out: &Path) -> Inputs {
        let mut finder = Finder { found: Inputs::default(), out: fs::canonicalize(out).ok() };
        for argument in arguments {
            if let Err(error) = finder.argument(argument) {
                finder.found.failed.push((argument.clone(), error));
            }
        }
        let Inputs { mut files, mut failed } = finder.found;
        files.sort();
        let mut seen = HashSet::new();
        files.retain(|file| seen.insert(file.identity.clone()));
        let mut seen = HashSet::new();
        failed.retain(|(path, _)| seen.insert(path.clone()));
        Inputs { files, failed }
    }
}

struct Finder {
    found: Inputs,
    /// The folder of the results, if it is there.
    out: Option<PathBuf>,
}

impl Finder {
    fn argument(&mut self, argument: &Path) -> Result<(), Error> {
        if argument == "-" {
            return Err(wrong(argument, "standard input is for planes detect; name a file"));
        }
        match fs::metadata(argument) {
            Ok(_) => self.there(argument),
            Err(error) => match argument.to_str().filter(|text| text.contains(['*', '?', '['])) {
                Some(pattern) => self.pattern(pattern),
                None => Err(Error::io(argument)(error)),
            },
        }
    }

    /// A file or a folder that is there.
    fn there(&mut self, path: &Path) -> Result<(), Error> {
        let kind = fs::metadata(path).map_err(Error::io(path))?;
        if kind.is_dir() {
            let before = self.found.files.len();
            self.folder(path, 0)?;
            if self.found.files.len() == before {
                return Err(wrong(path, "no cloud in this folder"));
            }
        } else if kind.is_file() {
            self.file(path.to_path_buf(), 0)?;
        } else {
            return Err(wrong(path, "not a regular file; planes detect reads it"));
        }
        Ok(())
    }

    /// What a pattern matches, as a shell would have expanded it.
    fn pattern(&mut self, pattern: &str) -> Result<(), Error> {
        let as_shells_do = glob::MatchOptions {
            case_sensitive: true,
            require_literal_separator: true,
            require_literal_leading_dot: true,
        };
        let matches = glob::glob_with(pattern, as_shells_do)
            .map_err(|error| wrong(Path::new(pattern), &format!("not a pattern: {error}")))?;
        let mut none = true;
        for path in matches {
            none = false;
            let (path, done) = match path {
                Ok(path) => (path.clone(), self.there(&path)),
                Err(error) => {
                    let path = error.path().to_path_buf();
                    (path.clone(), Err(Error::io(path)(error.into())))
                }
            };
            if let Err(error) = done {
                self.found.failed.push((path, error));
            }
        }
        if none { Err(wrong(Path::new(pattern), "no file matches")) } else { Ok(()) }
    }

    /// The clouds in a folder and the folders in it. Links to folders are not followed: they may
    /// lead in circles.
    fn folder(&mut self, folder: &Path, depth: usize) -> Result<(), Error> {
        for entry in fs::read_dir(folder).map_err(Error::io(folder))? {
            let entry = entry.map_err(Error::io(folder))?;
            let (name, path) = (entry.file_name(), entry.path());
            if name.as_encoded_bytes().starts_with(b".") || is_result(&name) {
                continue;
            }
            if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                if let Err(error) = self.folder(&path, depth + 1) {
                    self.found.failed.push((path, error));
                }
            } else if path.is_file() {
                if is_cloud(&path) {
                    self.file(path, depth)?;
                }
            } else if is_called(&path, &CLOUDS)
                && let Err(error) = fs::metadata(&path)
            {
                // A link that leads nowhere.
                self.found.failed.push((path.clone(), Error::io(path)(error)));
            }
        }
        Ok(())
    }

    fn file(&mut self, path: PathBuf, depth: usize) -> Result<(), Error> {
        let parent = path.parent().filter(|parent| *parent != "").unwrap_or(Path::new("."));
        let parent = fs::canonicalize(parent).map_err(Error::io(&path))?;
        let Some(name) = path.file_name() else {
            return Err(wrong(&path, "a file without a name"));
        };
        if self.is_written(&parent, name) {
            log::debug!("{}: a result, not an input", path.display());
            return Ok(());
        }
        let identity = parent.join(name);
        self.found.files.push(Input { path, identity, depth });
        Ok(())
    }

    /// Whether a batch wrote the file `name` of the folder `parent`.
    fn is_written(&self, parent: &Path, name: &OsStr) -> bool {
        let Some(out) = &self.out else { return false };
        let Ok(below) = parent.strip_prefix(out) else { return false };
        let summary = below == "" && (name == "summary.csv" || name == "summary.json");
        let recorded = |ending| {
            let of = name.to_str().and_then(|name| name.strip_suffix(ending));
            of.is_some_and(|of| record(out, &below.join(of)).exists())
        };
        summary || is_result(name) || [".json", ".png", ".labels.npy"].into_iter().any(recorded)
    }
}

/// Whether a file is called as the clouds among the results are.
fn is_result(name: &OsStr) -> bool {
    let name = name.to_string_lossy();
    [".labels.las", ".labels.laz", ".labels.ply", ".planes.ply", ".planes.csv"]
        .iter()
        .any(|ending| name.ends_with(ending))
}

/// Extensions of clouds, in small letters.
const CLOUDS: [&str; 5] = ["las", "laz", "ply", "xyz", "pts"];
/// Extensions of texts that may be clouds.
const TEXTS: [&str; 3] = ["txt", "csv", "asc"];

fn is_called(path: &Path, extensions: &[&str]) -> bool {
    let extension = path.extension().unwrap_or_default().to_ascii_lowercase();
    extensions.iter().any(|&known| extension == known)
}

/// Whether a file of a folder is meant to be a cloud. One that is damaged is, and shall be
/// reported; a text that merely lies beside the clouds is not.
fn is_cloud(path: &Path) -> bool {
    is_called(path, &CLOUDS)
        || match Source::open(path) {
            Ok(source) => source.format() != Format::Text || is_called(path, &TEXTS),
            Err(error) => !matches!(error, Error::Unrecognized { .. }),
        }
}

fn wrong(path: &Path, message: &str) -> Error {
    Error::Parameter(format!("{}: {message}", path.display()))
}
