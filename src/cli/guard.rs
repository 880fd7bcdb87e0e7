//! Compares a command's outputs with its inputs before anything is read or written: no input is lost, no output
//! replaces another, and an output that cannot be written is reported before the work.

use planes::Error;
use planes::atomic::{AtomicFile, folder_of, followed, is_stream, remove_leftovers};
use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// A file to be written.
#[derive(Debug)]
pub struct Output {
    /// The option that asks for it.
    pub option: String,
    pub path: PathBuf,
    /// The folder that was named instead of the file; it is created if missing.
    pub folder: Option<PathBuf>,
}

impl Output {
    /// A file that was named.
    pub fn named(option: &str, path: &Path) -> Output {
        Output { option: option.to_owned(), path: path.to_path_buf(), folder: None }
    }

    /// A file in a folder that was named.
    pub fn within(option: &str, folder: &Path, name: OsString) -> Output {
        let path = folder.join(name);
        Output { option: option.to_owned(), path, folder: Some(folder.to_path_buf()) }
    }

    /// The message of a refusal.
    fn wrong(&self, message: &str) -> Error {
        let file = self.path.display();
        Error::Parameter(match &self.folder {
            Some(folder) => format!("{} {}: {file}: {message}", self.option, folder.display()),
            None => format!("{} {file}: {message}", self.option),
        })
    }
}

/// Refuses a file whose name does not end in an extension: it may be a cloud that was named by mistake. A stream, a device or a pipe
/// may have any name; what else is no file is refused elsewhere.
pub fn check_extension(option: &str, path: &Path, extension: &str) -> Result<(), Error> {
    let is_no_file = path.exists() && !path.is_file();
    let is_right = path.extension().is_some_and(|own| own.eq_ignore_ascii_case(extension));
    if is_stream(path) || is_no_file || is_right {
        return Ok(());
    }
    let message = format!("its name must end in .{extension}");
    Err(Output::named(option, path).wrong(&message))
}

/// Refuses outputs that are an input or another output, under whatever name or link, and outputs that cannot be
/// written; removes leftovers of killed runs from the folders of the outputs.
pub fn check(inputs: &[PathBuf], outputs: &[Output]) -> Result<(), Error> {
    let inputs: Vec<FileId> = inputs.iter().filter_map(|input| FileId::of(input)).collect();
    let mut before: Vec<(FileId, &Output)> = Vec::new();
    for output in outputs {
        let Some(id) = FileId::of(&output.path) else { continue };
        if inputs.contains(&id) {
            return Err(output.wrong("that is the input itself; write to another place"));
        }
        if let Some((_, other)) = before.iter().find(|(other, _)| *other == id) {
            return Err(output.wrong(&format!("{} writes to the same file", other.option)));
        }
        before.push((id, output));
    }
    let folders: BTreeSet<&Path> =
        outputs.iter().map(|output| folder_of(&output.path)).filter(|f| f.is_dir()).collect();
    for folder in folders {
        if let Err(error) = remove_leftovers(folder) {
            log::debug!("{error}");
        }
    }
    outputs.iter().try_for_each(probe)
}

/// Creates the file, or one where its folder will be, and drops it again.
fn probe(output: &Output) -> Result<(), Error> {
    match &output.folder {
        Some(folder) if !folder.is_dir() => probe_folder(&output.option, folder),
        _ => match AtomicFile::create(&output.path) {
            Err(Error::Io { source, .. }) if source.kind() == io::ErrorKind::IsADirectory => {
                Err(output.wrong("it is a folder, not a file"))
            }
            other => other.map(drop),
        },
    }
}

/// Creates a file in the nearest existing parent of a folder, and drops it again.
fn probe_folder(option: &str, folder: &Path) -> Result<(), Error> {
    check_folder(option, folder)?;
    let there = folder.ancestors().find(|a| !a.as_os_str().is_empty() && a.exists());
    let there = there.unwrap_or(Path::new("."));
    if !there.is_dir() {
        return Err(Error::io(folder)(io::ErrorKind::NotADirectory.into()));
    }
    match AtomicFile::create(there.join("new")) {
        // The parent is there, but takes nothing new, as /proc.
        Err(Error::Io { source, .. }) if source.kind() == io::ErrorKind::NotFound => {
            Err(Error::io(folder)(io::ErrorKind::NotFound.into()))
        }
        Err(Error::Io { source, .. }) => Err(Error::io(folder)(source)),
        other => other.map(drop),
    }
}

/// Refuses a name that something else than a folder has.
pub fn check_folder(option: &str, folder: &Path) -> Result<(), Error> {
    if folder.is_dir() || fs::symlink_metadata(folder).is_err() {
        return Ok(());
    }
    let message = format!("{option} {}: not a folder; choose another", folder.display());
    Err(Error::Parameter(message))
}

/// The identity of a file.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum FileId {
    /// An existing file, which may have several names.
    #[cfg(unix)]
    There { device: u64, inode: u64 },
    /// A file that does not exist, or whose system has no better identity: its folder, links resolved, and its name.
    Named(PathBuf),
}

impl FileId {
    /// The file that a path leads to; `None` for a device or a pipe, which no output replaces. `-` is standard
    /// input.
    pub fn of(path: &Path) -> Option<FileId> {
        let path = if path == "-" { Path::new("/dev/stdin") } else { path };
        match fs::metadata(path) {
            Ok(found) if found.is_file() => Some(FileId::there(path, &found)),
            Ok(_) => None,
            Err(_) => Some(FileId::Named(resolved(path))),
        }
    }

    #[cfg(unix)]
    fn there(_: &Path, found: &fs::Metadata) -> FileId {
        use std::os::unix::fs::MetadataExt;
        FileId::There { device: found.dev(), inode: found.ino() }
    }

    #[cfg(not(unix))]
    fn there(path: &Path, _: &fs::Metadata) -> FileId {
        FileId::Named(fs::canonicalize(path).unwrap_or_else(|_| resolved(path)))
    }
}

/// The final path of a file that does not exist yet; the path itself may be a link.
fn resolved(path: &Path) -> PathBuf {
    let path = followed(path);
    let folder = folder_of(&path);
    let folder = fs::canonicalize(folder).unwrap_or_else(|_| folder.to_path_buf());
    let name = path.file_name().unwrap_or_default();
    // Some systems do not distinguish capital and small letters.
    if cfg!(any(windows, target_vendor = "apple")) {
        return folder.join(name.to_ascii_lowercase());
    }
    folder.join(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_known_by_any_name() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        fs::create_dir(at("sub")).unwrap();
        fs::write(at("a"), "").unwrap();
        fs::write(at("b"), "").unwrap();
        let id = |name: &str| FileId::of(&at(name));
        assert_eq!(id("a"), id("sub/../a"));
        assert_ne!(id("a"), id("b"));
        assert_eq!(id("new"), id("sub/../new"));
        assert_ne!(id("new"), id("other"));
        #[cfg(unix)]
        {
            fs::hard_link(at("a"), at("hard")).unwrap();
            std::os::unix::fs::symlink("a", at("soft")).unwrap();
            std::os::unix::fs::symlink("../new", at("sub/dangling")).unwrap();
            assert_eq!([id("hard"), id("soft")], [id("a"), id("a")]);
            assert_eq!(id("sub/dangling"), id("new"));
            assert_eq!(FileId::of(Path::new("/dev/null")), None);
        }
    }
}
