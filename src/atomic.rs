//! Output files that are written whole or not at all.

use crate::{Error, Result};
use std::fs;
use std::io::{self, BufWriter, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use tempfile::NamedTempFile;

/// What the names of temporary files begin and end with.
const NAME: (&str, &str) = (".planes-", ".tmp");
/// Bytes gathered before they go to the operating system.
const BUFFER: usize = 1 << 18;

/// A file that appears under its name only when [`commit`](AtomicFile::commit) is called.
///
/// Until then the bytes go to a hidden temporary file in the same folder, which is removed when
/// the value is dropped. An existing file of that name stays as it was until the commit replaces
/// it; a symbolic link is followed. Where the name is a device or a pipe (`/dev/stdout`), the
/// bytes are handed to it at the commit.
#[derive(Debug)]
pub struct AtomicFile {
    buffer: BufWriter<NamedTempFile>,
    /// As the user named it, for messages.
    path: PathBuf,
    /// What the commit replaces: `path` with links followed.
    target: PathBuf,
    /// A rename would destroy a device; its content is copied instead.
    copied: bool,
}

impl AtomicFile {
    /// Starts the file that will be called `path`.
    ///
    /// # Errors
    /// [`Error::Io`] if the folder is missing or not writable, if `path` is a folder, or if it is
    /// an existing file that is write-protected.
    pub fn create(path: impl AsRef<Path>) -> Result<Self> {
        let path = path.as_ref().to_path_buf();
        let existing = fs::metadata(&path).ok();
        let target = match existing {
            Some(_) => fs::canonicalize(&path).map_err(Error::io(&path))?,
            None => path.clone(),
        };
        if let Some(problem) = existing.as_ref().and_then(refusal) {
            return Err(Error::io(&path)(problem));
        }
        let copied = existing.as_ref().is_some_and(|found| !found.is_file());
        let folder = match target.parent() {
            _ if copied => std::env::temp_dir(),
            Some(parent) if !parent.as_os_str().is_empty() => parent.to_path_buf(),
            _ => PathBuf::from("."),
        };
        let file = temporary(&folder, existing.as_ref().filter(|_| !copied))
            .map_err(|source| Error::io(&path)(plain(source)))?;
        Ok(AtomicFile { buffer: BufWriter::with_capacity(BUFFER, file), path, target, copied })
    }

    /// The name the file will have.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Gives the file its name, replacing what was there.
    ///
    /// # Errors
    /// [`Error::Io`]; the temporary file is then removed and what was there stays.
    pub fn commit(self) -> Result<()> {
        let path = self.path;
        let mut file =
            self.buffer.into_inner().map_err(|failed| Error::io(&path)(failed.into_error()))?;
        if self.copied {
            let mut copy = || -> io::Result<()> {
                file.rewind()?;
                let mut device = fs::OpenOptions::new().write(true).open(&self.target)?;
                io::copy(&mut file, &mut device)?;
                device.flush()
            };
            return copy().map_err(Error::io(&path));
        }
        file.persist(&self.target).map_err(|failed| Error::io(&path)(failed.error))?;
        Ok(())
    }
}

impl Write for AtomicFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.buffer.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.buffer.flush()
    }
}

impl Seek for AtomicFile {
    fn seek(&mut self, position: SeekFrom) -> io::Result<u64> {
        self.buffer.seek(position)
    }

    fn stream_position(&mut self) -> io::Result<u64> {
        self.buffer.stream_position()
    }
}

/// Removes the temporary files in `folder` whose writers are gone, such as those of a program that
/// was killed. Files that somebody is still writing are left alone; a folder that is missing holds
/// none.
///
/// # Errors
/// [`Error::Io`] if the folder cannot be read or a file not be removed.
pub fn remove_leftovers(folder: &Path) -> Result<()> {
    let entries = match fs::read_dir(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        entries => entries.map_err(Error::io(folder))?,
    };
    for entry in entries {
        let entry = entry.map_err(Error::io(folder))?;
        let name = entry.file_name();
        let ours = name.to_str().is_some_and(|n| n.starts_with(NAME.0) && n.ends_with(NAME.1));
        if !ours || !entry.file_type().is_ok_and(|kind| kind.is_file()) {
            continue;
        }
        let path = entry.path();
        let abandoned = fs::File::open(&path).is_ok_and(|file| file.try_lock().is_ok());
        if abandoned {
            fs::remove_file(&path).map_err(Error::io(&path))?;
        }
    }
    Ok(())
}

/// Why what is there cannot be replaced, as opening it for writing would have said.
fn refusal(found: &fs::Metadata) -> Option<io::Error> {
    if found.is_dir() {
        Some(io::ErrorKind::IsADirectory.into())
    } else if found.is_file() && found.permissions().readonly() {
        Some(io::ErrorKind::PermissionDenied.into())
    } else {
        None
    }
}

/// A hidden temporary file in `folder`, with the permissions of the file it will replace, or else
/// those of any new file.
fn temporary(folder: &Path, replaced: Option<&fs::Metadata>) -> io::Result<NamedTempFile> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(NAME.0).suffix(NAME.1);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        // The umask takes away from these when the file is made.
        builder.permissions(fs::Permissions::from_mode(0o666));
    }
    let file = builder.tempfile_in(folder)?;
    // Tells `remove_leftovers` that somebody is at work on it. Where there are no locks, it leaves
    // the file alone as well.
    let _ = file.as_file().try_lock();
    if let Some(found) = replaced {
        fs::set_permissions(file.path(), found.permissions())?;
    }
    Ok(file)
}

/// The error without the temporary file's name, which would mean nothing to the user.
fn plain(error: io::Error) -> io::Error {
    match error.raw_os_error() {
        Some(code) => io::Error::from_raw_os_error(code),
        None => error.kind().into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(folder: &Path) -> Vec<String> {
        let mut names: Vec<String> = fs::read_dir(folder)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }

    #[test]
    fn nothing_is_left_without_a_commit() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.txt");
        let mut file = AtomicFile::create(&path).unwrap();
        file.write_all(b"half").unwrap();
        file.flush().unwrap();
        assert!(!path.exists());
        drop(file);
        assert!(names(folder.path()).is_empty());
    }

    #[test]
    fn a_commit_replaces_the_old_content() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.txt");
        fs::write(&path, "old and longer").unwrap();
        let mut file = AtomicFile::create(&path).unwrap();
        file.write_all(b"xew").unwrap();
        file.seek(SeekFrom::Start(0)).unwrap();
        file.write_all(b"n").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"old and longer");
        file.commit().unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"new");
        assert_eq!(names(folder.path()), ["a.txt"]);
    }

    #[cfg(unix)]
    #[test]
    fn links_are_followed_and_permissions_kept() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let (real, link) = (folder.path().join("real"), folder.path().join("link"));
        fs::write(&real, "old").unwrap();
        fs::set_permissions(&real, fs::Permissions::from_mode(0o640)).unwrap();
        std::os::unix::fs::symlink(&real, &link).unwrap();
        let mut file = AtomicFile::create(&link).unwrap();
        file.write_all(b"new").unwrap();
        file.commit().unwrap();
        assert_eq!(fs::read(&real).unwrap(), b"new");
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        let mode = fs::metadata(&real).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o640);
    }

    #[cfg(unix)]
    #[test]
    fn a_new_file_has_the_permissions_of_any_new_file() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let (ours, any) = (folder.path().join("ours"), folder.path().join("any"));
        fs::write(&any, "").unwrap();
        AtomicFile::create(&ours).unwrap().commit().unwrap();
        let mode = |path| fs::metadata(path).unwrap().permissions().mode();
        assert_eq!(mode(ours), mode(any));
    }

    #[cfg(unix)]
    #[test]
    fn a_device_stays_a_device() {
        let before = fs::metadata("/dev/null").unwrap().file_type();
        let mut file = AtomicFile::create("/dev/null").unwrap();
        file.write_all(b"gone").unwrap();
        file.commit().unwrap();
        assert_eq!(fs::metadata("/dev/null").unwrap().file_type(), before);
        assert!(!before.is_file());
    }

    #[test]
    fn leftovers_go_and_files_at_work_stay() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        for name in [".planes-abc123.tmp", ".planes-notes", "planes-abc.tmp"] {
            fs::write(at(name), "half").unwrap();
        }
        let mut file = AtomicFile::create(at("a.txt")).unwrap();
        file.write_all(b"whole").unwrap();
        remove_leftovers(folder.path()).unwrap();
        assert_eq!(names(folder.path()).len(), 3, "{:?}", names(folder.path()));
        file.commit().unwrap();
        assert_eq!(names(folder.path()), [".planes-notes", "a.txt", "planes-abc.tmp"]);
        assert_eq!(fs::read(at("a.txt")).unwrap(), b"whole");
        remove_leftovers(&at("missing")).unwrap();
    }

    #[test]
    fn folders_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let error = AtomicFile::create(folder.path()).unwrap_err();
        assert!(matches!(error, Error::Io { .. }));
        let missing = folder.path().join("missing").join("a.txt");
        let message = AtomicFile::create(&missing).unwrap_err().to_string();
        assert!(!message.contains(".planes-"), "{message}");
    }
}
