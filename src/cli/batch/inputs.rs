//! From arguments to clouds and images: files, folders, patterns.

use super::folder::has_records;
use super::pattern::{Expanded, expand, is_pattern};
use super::record::Record;
use super::summary::{self, shown};
use crate::cli::results::{is_beside, is_called, is_result, is_written_elsewhere};
use crate::cli::stem::PACKED;
use planes::Error;
use planes::cloud::{Format, ReadOptions, Source};
use planes::input::{Kind, peek};
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

impl Input {
    /// Whether a path leads into the folder of this file.
    pub fn is_beside(&self, path: &Path) -> bool {
        let folder = path.parent().and_then(|folder| fs::canonicalize(folder).ok());
        folder.as_deref() == self.identity.parent()
    }
}

/// What the arguments led to.
#[derive(Debug, Default)]
pub struct Inputs {
    /// The files, each once, sorted by path.
    pub files: Vec<Input>,
    /// Arguments and folders that led to none, and why.
    pub failed: Vec<(PathBuf, Error)>,
    /// Files in folders that are passed over, and why; not those that are hidden or that `planes` wrote.
    pub skipped: Vec<(PathBuf, String)>,
}

impl Inputs {
    /// Everything that `arguments` name; what `planes` itself wrote into `out` is passed over.
    pub fn of(arguments: &[PathBuf], out: &Path) -> Inputs {
        let out = fs::canonicalize(out).ok();
        let mut finder = Finder { found: Inputs::default(), out, others: Vec::new() };
        for argument in arguments {
            if let Err(error) = finder.argument(argument) {
                finder.found.failed.push((argument.clone(), error));
            }
        }
        let Inputs { mut files, mut failed, mut skipped } = finder.found;
        files.sort();
        let mut seen = HashSet::new();
        files.retain(|file| seen.insert(file.identity.clone()));
        let mut seen = HashSet::new();
        failed.retain(|(path, _)| seen.insert(path.clone()));
        skipped.sort();
        skipped.dedup();
        Inputs { files, failed, skipped }
    }
}

struct Finder {
    found: Inputs,
    /// The folder of the results, if it is there.
    out: Option<PathBuf>,
    /// The folders of results of any batch in which the folder at hand lies.
    others: Vec<PathBuf>,
}

impl Finder {
    fn argument(&mut self, argument: &Path) -> Result<(), Error> {
        if argument == "-" {
            return Err(wrong(argument, "standard input is for planes detect; name a file"));
        }
        match fs::metadata(argument) {
            Ok(_) => self.there(argument),
            Err(error) => match argument.to_str().filter(|text| is_pattern(text)) {
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
            let one_path = fs::canonicalize(path).map_err(Error::io(path))?;
            let outs = one_path.ancestors().skip(1).filter(|above| has_records(above));
            self.others = outs.map(Path::to_path_buf).collect();
            self.folder(path, 0)?;
            if self.found.files.len() == before {
                return Err(wrong(path, "no cloud and no image in this folder"));
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
        let Expanded { paths, failed } = expand(pattern)
            .map_err(|error| wrong(Path::new(pattern), &format!("not a pattern: {error}")))?;
        let is_none = paths.is_empty() && failed.is_empty();
        for (path, error) in failed {
            self.found.failed.push((path.clone(), Error::io(path)(error)));
        }
        for path in paths {
            if let Err(error) = self.there(&path) {
                self.found.failed.push((path, error));
            }
        }
        if is_none { Err(wrong(Path::new(pattern), "no file matches")) } else { Ok(()) }
    }

    /// The clouds and images in a folder and the folders in it. Links to folders are not followed: they may
    /// lead in circles.
    fn folder(&mut self, folder: &Path, depth: usize) -> Result<(), Error> {
        let others = self.others.len();
        if has_records(folder) {
            self.others.push(fs::canonicalize(folder).map_err(Error::io(folder))?);
        }
        let found = self.entries(folder, depth);
        self.others.truncate(others);
        found
    }

    /// Looks at the entries of a folder.
    fn entries(&mut self, folder: &Path, depth: usize) -> Result<(), Error> {
        for entry in fs::read_dir(folder).map_err(Error::io(folder))? {
            let entry = entry.map_err(Error::io(folder))?;
            let (name, path) = (entry.file_name(), entry.path());
            let is_hidden = name.as_encoded_bytes().starts_with(b".");
            if is_hidden
                || is_result(&name)
                || (is_beside(&path) && !self.was_input(&path))
                || self.others.iter().any(|out| is_recorded(out, &path))
            {
                continue;
            }
            if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                if let Err(error) = self.folder(&path, depth + 1) {
                    self.found.failed.push((path, error));
                }
            } else if path.is_file() {
                match unfit(&path) {
                    None => self.file(path, depth)?,
                    Some(why) if !self.is_ours(&path) && !is_written_elsewhere(&path) => {
                        self.found.skipped.push((path, why));
                    }
                    Some(_) => {}
                }
            } else {
                match fs::metadata(&path) {
                    // What a link to a folder leads to is found by itself, or not asked for.
                    Ok(kind) if kind.is_dir() => {}
                    // Never opened: who knows for how long.
                    Ok(kind) => self.found.skipped.push((path, special(kind.file_type()).into())),
                    // A link that leads nowhere.
                    Err(error) if is_called(&path, &CLOUDS) || is_called(&path, &IMAGES) => {
                        self.found.failed.push((path.clone(), Error::io(path)(error)));
                    }
                    Err(_) => {}
                }
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

    /// Whether a record in the folder of the results is one of this file.
    fn was_input(&self, path: &Path) -> bool {
        self.out.as_ref().is_some_and(|out| was_input(out, path))
    }

    /// Whether a batch wrote this file.
    fn is_ours(&self, path: &Path) -> bool {
        let parent = path.parent().and_then(|parent| fs::canonicalize(parent).ok());
        let parts = parent.zip(path.file_name());
        parts.is_some_and(|(parent, name)| self.is_written(&parent, name))
    }

    /// Whether a batch wrote the file `name` of the folder `parent`.
    fn is_written(&self, parent: &Path, name: &OsStr) -> bool {
        let Some(out) = &self.out else { return false };
        let Ok(below) = parent.strip_prefix(out) else { return false };
        let is_summary = below == "" && summary::NAMES.iter().any(|&summary| name == summary);
        (is_summary && summary::is_one(&out.join(name)))
            || is_result(name)
            || is_recorded(out, &parent.join(name))
    }
}

/// A path in the folder of results `out`: its one form, and what it is called below that folder.
fn below(out: &Path, path: &Path) -> Option<(PathBuf, PathBuf)> {
    let parent = path.parent().and_then(|parent| fs::canonicalize(parent).ok());
    let (parent, name) = parent.zip(path.file_name())?;
    let below = parent.strip_prefix(out).ok()?.join(name);
    Some((parent.join(name), below))
}

/// Whether a record in a folder of results is one of this file.
fn was_input(out: &Path, path: &Path) -> bool {
    let Some((place, below)) = below(out, path) else { return false };
    let place = shown(&place);
    // Files that would share a name have their extension in it.
    let names = [below.with_extension(""), below];
    let mut records = names.into_iter().filter_map(|name| Record::at(out, &name));
    records.any(|record| record.place == place)
}

/// Whether a batch that had its results in a folder wrote this file. Of an ending that other programs write, too, the record knows.
fn is_recorded(out: &Path, path: &Path) -> bool {
    let Some((_, below)) = below(out, path) else { return false };
    let name = below.file_name().unwrap_or_default();
    let stem = Path::new(name).file_stem().unwrap_or_default();
    let ending = &name.as_encoded_bytes()[stem.len()..];
    let has_ending = |record: Record| record.results.keys().any(|known| known.as_bytes() == ending);
    Record::at(out, &below.with_file_name(stem)).is_some_and(has_ending) && !was_input(out, path)
}

/// Extensions of clouds, in small letters.
const CLOUDS: [&str; 7] = ["las", "laz", "ply", "pcd", "e57", "xyz", "pts"];
/// Extensions of arrays, of which few are clouds.
const ARRAYS: [&str; 2] = ["npy", "npz"];
/// Extensions of images.
const IMAGES: [&str; 9] = ["png", "jpg", "jpeg", "webp", "tif", "tiff", "pbm", "pgm", "ppm"];
/// Extensions of texts that may be clouds.
const TEXTS: [&str; 3] = ["txt", "csv", "asc"];

/// Whether a file is called as clouds or images are, perhaps inside an archive.
pub fn is_called_as_inputs(path: &Path) -> bool {
    let inner = if is_called(path, &PACKED) { path.with_extension("") } else { path.to_path_buf() };
    [&CLOUDS[..], &ARRAYS, &IMAGES, &TEXTS].iter().any(|all| is_called(&inner, all))
}

/// Why a file of a folder is meant to be neither a cloud nor an image, if so. One that is damaged is meant to
/// be one, and shall be reported; a text that merely lies beside the clouds is not.
fn unfit(path: &Path) -> Option<String> {
    let is_meant = |path: &Path| is_called(path, &CLOUDS) || is_called(path, &IMAGES);
    let kind = peek(path, &ReadOptions::default());
    if is_meant(path) || kind == Some(Kind::Image) {
        return None;
    }
    if is_called(path, &PACKED) {
        // It is not unpacked for the question alone.
        let inner = path.with_extension("");
        return match kind {
            _ if is_meant(&inner) => None,
            Some(Kind::Cloud(format)) if format != Format::TEXT || is_called(&inner, &TEXTS) => {
                None
            }
            Some(_) => Some(not_called()),
            None => Some("an archive of something else".into()),
        };
    }
    match Source::open(path) {
        Ok(source) if source.format() != Format::TEXT || is_called(path, &TEXTS) => None,
        Ok(_) => Some(not_called()),
        Err(Error::Unrecognized { message, .. }) => Some(message),
        Err(_) => None,
    }
}

fn not_called() -> String {
    format!("text that is not called .{}", TEXTS.join(", ."))
}

/// What is neither a file nor a folder.
fn special(kind: fs::FileType) -> &'static str {
    #[cfg(unix)]
    {
        use std::os::unix::fs::FileTypeExt;
        if kind.is_fifo() {
            return "a pipe";
        }
        if kind.is_socket() {
            return "a socket";
        }
        if kind.is_char_device() || kind.is_block_device() {
            return "a device";
        }
    }
    let _ = kind;
    "not a regular file"
}

fn wrong(path: &Path, message: &str) -> Error {
    Error::Parameter(format!("{}: {message}", path.display()))
}
