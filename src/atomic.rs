//! Output files that are written whole or not at all.

use crate::error::in_words;
use crate::{Error, Result};
use std::cell::RefCell;
use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::{self, BufWriter, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tempfile::NamedTempFile;

/// Prefix and suffix of the names of temporary files.
const NAME: (&str, &str) = (".planes-", ".tmp");
/// Letters and digits between the two.
const RANDOM: usize = 6;
/// Bytes gathered before they are passed to the operating system.
const BUFFER: usize = 1 << 18;

/// A file that appears under its name only when [`commit`](AtomicFile::commit) is called.
///
/// Until then the bytes go to a temporary file in the same folder. On Linux it has no name, so nothing is
/// left of it however the program ends. Where unnamed files are not available, it is a hidden file that is
/// removed when the value is dropped, and after a kill by [`remove_leftovers`]. An existing file of that name
/// stays as it was until the commit replaces it; a symbolic link is followed. If the name is a device or a
/// pipe (`/dev/stdout`), the bytes are copied to it at the commit.
#[derive(Debug)]
pub struct AtomicFile {
    buffer: BufWriter<Temporary>,
    /// As the user gave it, for messages.
    path: PathBuf,
    /// What the commit replaces: `path` with links followed.
    target: PathBuf,
    /// Whether the content is copied instead: a rename would destroy a device.
    copied: bool,
    permit: Option<Permit>,
}

impl AtomicFile {
    /// Starts the file that will be named `path`.
    ///
    /// # Errors
    /// [`Error::Io`] if the folder is missing or not writable, if `path` is a folder, or if it is
    /// an existing file that is write-protected.
    pub fn create(path: impl AsRef<Path>) -> Result<Self> {
        let path = path.as_ref().to_path_buf();
        if names_a_folder(&path) {
            return Err(Error::io(&path)(io::ErrorKind::IsADirectory.into()));
        }
        let existing = fs::metadata(&path).ok();
        let target = match &existing {
            // A pipe may have no path of its own.
            Some(found) if !found.is_file() => path.clone(),
            Some(_) => fs::canonicalize(&path).map_err(Error::io(&path))?,
            None => followed(&path),
        };
        if let Some(problem) = existing.as_ref().and_then(refusal) {
            return Err(Error::io(&path)(problem));
        }
        let copied = existing.as_ref().is_some_and(|found| is_stream(&path) || !found.is_file());
        let folder = if copied { std::env::temp_dir() } else { folder_of(&target).to_path_buf() };
        let start = || {
            let file = Temporary::new(&folder)?;
            if let Some(found) = existing.as_ref().filter(|_| !copied) {
                file.file().set_permissions(found.permissions())?;
            }
            Ok(file)
        };
        let file = start().map_err(|source| match copied {
            true => no_temporary(&source),
            false if source.kind() == io::ErrorKind::NotFound => {
                Error::io(&path)(no_place(&folder))
            }
            false => Error::io(&path)(plain(source)),
        })?;
        let buffer = BufWriter::with_capacity(BUFFER, file);
        let permit = PERMIT.with_borrow(Clone::clone);
        Ok(AtomicFile { buffer, path, target, copied, permit })
    }

    /// The name the file will have.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Gives the file its name, replacing what was there; within [`together`] at its end.
    ///
    /// # Errors
    /// [`Error::Io`], or [`Error::Cancelled`] without a [`Permit`]; the temporary file is then removed and what
    /// was there stays.
    pub fn commit(self) -> Result<()> {
        let AtomicFile { buffer, path, target, copied, permit } = self;
        let file = buffer.into_inner().map_err(|failed| Error::io(&path)(failed.into_error()))?;
        let whole = Whole { file, path, target, copied, permit };
        match WAITING.take() {
            None => whole.call(),
            Some(mut waiting) => {
                waiting.push(whole);
                WAITING.set(Some(waiting));
                Ok(())
            }
        }
    }
}

/// Whether a path leads to a stream of this process, which is written to, not replaced.
pub fn is_stream(path: &Path) -> bool {
    ["/dev/stdout", "/dev/stderr", "/dev/fd", "/proc"].iter().any(|stream| path.starts_with(stream))
}

/// A file that is written and still has no name.
#[derive(Debug)]
struct Whole {
    file: Temporary,
    path: PathBuf,
    target: PathBuf,
    copied: bool,
    permit: Option<Permit>,
}

impl Whole {
    /// Gives it its name.
    fn call(self) -> Result<()> {
        let Whole { file, path, target, copied, permit } = self;
        let withdrawn = permit.as_ref().map(Permit::lock);
        if withdrawn.as_deref().is_some_and(|&withdrawn| withdrawn) {
            return Err(Error::Cancelled);
        }
        if copied {
            // Whoever reads a pipe may take its time.
            drop(withdrawn);
            let copy = || -> io::Result<()> {
                let mut from = file.file();
                from.rewind()?;
                let mut device = fs::OpenOptions::new().append(true).open(&target)?;
                io::copy(&mut from, &mut device)?;
                device.flush()
            };
            return copy().map_err(Error::io(&path));
        }
        file.call(&target).map_err(|error| Error::io(&path)(plain(error)))
    }
}

/// Held while files get their names together.
static NAMING: Mutex<()> = Mutex::new(());

/// Does `work`. The files that it commits on this thread get their names at its end, one right after the other, so that an end of
/// the program by a signal leaves all of them or none; if it fails, none gets its name.
///
/// # Errors
/// That of `work`, or [`Error::Io`] if a file does not get its name. New ones before it are then removed; those that replaced
/// older files stay.
pub fn together<T>(work: impl FnOnce() -> Result<T>) -> Result<T> {
    /// Puts back what was there before, also after a panic.
    struct Before(Option<Vec<Whole>>);
    impl Drop for Before {
        fn drop(&mut self) {
            WAITING.set(self.0.take());
        }
    }
    let before = Before(WAITING.replace(Some(Vec::new())));
    let done = work()?;
    let waiting = WAITING.take().unwrap_or_default();
    drop(before);
    // Pipes first and without the lock: a reader may take its time.
    let (copied, named): (Vec<Whole>, Vec<Whole>) = waiting.into_iter().partition(|f| f.copied);
    copied.into_iter().try_for_each(Whole::call)?;
    let _naming = NAMING.lock().unwrap_or_else(PoisonError::into_inner);
    let mut new = Vec::new();
    for file in named {
        let (target, is_new) = (file.target.clone(), !file.target.exists());
        if let Err(error) = file.call() {
            // What cannot be removed stays.
            new.iter().for_each(|path| drop(fs::remove_file(path)));
            return Err(error);
        }
        new.extend(is_new.then_some(target));
    }
    Ok(done)
}

thread_local! {
    /// What the files that this thread begins need for their commit.
    static PERMIT: RefCell<Option<Permit>> = const { RefCell::new(None) };
    /// The files of this thread that wait for others to get their names [`together`].
    static WAITING: RefCell<Option<Vec<Whole>>> = const { RefCell::new(None) };
}

/// Permission to commit files, until it is withdrawn.
#[derive(Debug, Clone, Default)]
pub struct Permit {
    /// Locked during a commit.
    withdrawn: Arc<Mutex<bool>>,
}

impl Permit {
    /// Does `work`; the files that it begins on this thread cannot be committed without this permit.
    pub fn during<T>(&self, work: impl FnOnce() -> T) -> T {
        /// Puts back what was there before, also after a panic.
        struct Before(Option<Permit>);
        impl Drop for Before {
            fn drop(&mut self) {
                PERMIT.set(self.0.take());
            }
        }
        let _before = Before(PERMIT.replace(Some(self.clone())));
        work()
    }

    /// Refuses all commits from now on. A commit that has begun is waited for.
    pub fn withdraw(&self) {
        *self.lock() = true;
    }

    fn lock(&self) -> MutexGuard<'_, bool> {
        self.withdrawn.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Writes the file at `path`, whole or not at all.
///
/// # Errors
/// [`Error::Io`] on `path`, also for errors of `write`.
pub fn save(path: &Path, write: impl FnOnce(&mut AtomicFile) -> io::Result<()>) -> Result<()> {
    let mut file = AtomicFile::create(path)?;
    write(&mut file).map_err(Error::io(path))?;
    file.commit()
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

/// A file that vanishes unless it is given a name.
#[derive(Debug)]
enum Temporary {
    /// Without a name; the system frees it when it is closed.
    #[cfg_attr(not(target_os = "linux"), expect(dead_code, reason = "Linux alone has such files"))]
    Unnamed(File),
    Named(NamedTempFile, Listed),
}

impl Temporary {
    /// A file in `folder` with the permissions of any new file. It is locked, so that [`remove_leftovers`]
    /// knows it is in use.
    fn new(folder: &Path) -> io::Result<Temporary> {
        #[cfg(target_os = "linux")]
        if let Ok(file) = unnamed::create(folder) {
            // Nobody else can hold the lock yet. Where locks do not work, nobody removes the file either.
            let _ = file.try_lock();
            return Ok(Temporary::Unnamed(file));
        }
        loop {
            let (file, listed) = Listed::file_in(folder)?;
            let _ = file.as_file().lock();
            // Somebody may have removed it as a leftover before it was locked.
            if file.path().exists() {
                return Ok(Temporary::Named(file, listed));
            }
        }
    }

    fn file(&self) -> &File {
        match self {
            Temporary::Unnamed(file) => file,
            Temporary::Named(file, _) => file.as_file(),
        }
    }

    /// Gives it a name, replacing any file of that name.
    fn call(self, target: &Path) -> io::Result<()> {
        match self {
            Temporary::Unnamed(file) => {
                #[cfg(target_os = "linux")]
                return unnamed::call(&file, target);
                #[cfg(not(target_os = "linux"))]
                Err(io::Error::other(format!("{file:?} cannot be named")))
            }
            Temporary::Named(file, listed) => listed.call(file, target),
        }
    }
}

impl Write for Temporary {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file().flush()
    }
}

impl Seek for Temporary {
    fn seek(&mut self, position: SeekFrom) -> io::Result<u64> {
        self.file().seek(position)
    }
}

/// Files without a name, which only Linux has.
#[cfg(target_os = "linux")]
mod unnamed {
    use super::{Listed, builder, folder_of, named};
    use rustix::fs::{AtFlags, CWD, linkat};
    use std::fs::{File, OpenOptions};
    use std::io::{self, Seek};
    use std::os::fd::AsRawFd;
    use std::os::unix::fs::OpenOptionsExt;
    use std::path::Path;

    /// Where the system lists the open files of this process.
    const OPEN: &str = "/proc/self/fd";

    /// A file in `folder`; an error if the file system has no unnamed files, or if they could not be named.
    pub fn create(folder: &Path) -> io::Result<File> {
        if !Path::new(OPEN).exists() {
            return Err(io::ErrorKind::Unsupported.into());
        }
        // The umask restricts these permissions.
        let mut options = OpenOptions::new();
        options.read(true).write(true).mode(0o666).custom_flags(libc::O_TMPFILE);
        options.open(folder)
    }

    /// Names the file. A link cannot replace a file, so an existing file is replaced through a temporary
    /// name: only at that moment can a kill leave something behind. Where the file system has unnamed files
    /// but cannot link them, the file is copied.
    pub fn call(file: &File, target: &Path) -> io::Result<()> {
        call_by(&link, file, target)
    }

    /// The same with a given way to link.
    pub fn call_by(
        link: &dyn Fn(&File, &Path) -> io::Result<()>,
        file: &File,
        target: &Path,
    ) -> io::Result<()> {
        let error = match link(file, target) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                // Whoever discards all waits until the temporary name is gone.
                let _all = named();
                match builder().make_in(folder_of(target), |path| link(file, path)) {
                    Ok(named) => {
                        return named.persist(target).map(drop).map_err(|failed| failed.error);
                    }
                    Err(error) => error,
                }
            }
            Err(error) => error,
            Ok(()) => return Ok(()),
        };
        // Of the two errors, the first tells more.
        copy(file, target).map_err(|_| error)
    }

    /// Copies the file to a named one beside the target, and renames that.
    fn copy(mut from: &File, target: &Path) -> io::Result<()> {
        let (mut named, listed) = Listed::file_in(folder_of(target))?;
        let _ = named.as_file().lock();
        from.rewind()?;
        io::copy(&mut from, &mut named)?;
        named.as_file().set_permissions(from.metadata()?.permissions())?;
        listed.call(named, target)
    }

    fn link(file: &File, name: &Path) -> io::Result<()> {
        let open = format!("{OPEN}/{}", file.as_raw_fd());
        Ok(linkat(CWD, open, CWD, name, AtFlags::SYMLINK_FOLLOW)?)
    }
}

/// The named temporary files that this process is writing.
static NAMED: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());

fn named() -> MutexGuard<'static, BTreeSet<PathBuf>> {
    NAMED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// An entry of [`NAMED`] that lasts as long as this value.
#[derive(Debug)]
struct Listed(PathBuf);

impl Listed {
    /// A new temporary file in `folder`; no moment lies between its beginning and its entry.
    fn file_in(folder: &Path) -> io::Result<(NamedTempFile, Listed)> {
        let mut all = named();
        let file = builder().tempfile_in(folder)?;
        all.insert(file.path().to_path_buf());
        let listed = Listed(file.path().to_path_buf());
        Ok((file, listed))
    }

    /// Gives the file its name. Whoever discards all does so before or after, and where it was before, this
    /// waits for the end of the program rather than report that the file is missing.
    fn call(self, file: NamedTempFile, target: &Path) -> io::Result<()> {
        let _all = named();
        file.persist(target).map(drop).map_err(|failed| failed.error)
    }
}

impl Drop for Listed {
    fn drop(&mut self) {
        named().remove(&self.0);
    }
}

/// Removes the temporary files of this process, which is about to end early. While the result lives, threads that would begin
/// or name another one wait. If files are getting their names [`together`], it waits until all have them.
pub fn discard_all() -> Discarded {
    let naming = NAMING.lock().unwrap_or_else(PoisonError::into_inner);
    let all = named();
    for path in all.iter() {
        // What cannot be removed is left to a later run.
        let _ = fs::remove_file(path);
    }
    Discarded { _all: all, _naming: naming }
}

/// No temporary file begins or gets a name while this lives: see [`discard_all`].
#[derive(Debug)]
#[must_use = "files may begin again once it is dropped"]
pub struct Discarded {
    _all: MutexGuard<'static, BTreeSet<PathBuf>>,
    _naming: MutexGuard<'static, ()>,
}

/// Removes the temporary files in `folder` whose writers are gone, for example after a kill. Files that are
/// still being written are left alone. A missing folder counts as empty.
///
/// # Errors
/// [`Error::Io`] if the folder cannot be read or a file cannot be removed.
pub fn remove_leftovers(folder: &Path) -> Result<()> {
    let entries = match fs::read_dir(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        entries => entries.map_err(Error::io(folder))?,
    };
    for entry in entries {
        let entry = entry.map_err(Error::io(folder))?;
        let ours = entry.file_name().to_str().is_some_and(is_temporary);
        if !ours || !entry.file_type().is_ok_and(|kind| kind.is_file()) {
            continue;
        }
        let path = entry.path();
        // A writer holds the lock on its file, or checks after locking that the file still exists.
        let Ok(file) = File::open(&path) else { continue };
        if file.try_lock().is_err() {
            continue;
        }
        match fs::remove_file(&path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                return Err(Error::io(&path)(error));
            }
            _ => {}
        }
    }
    Ok(())
}

/// Whether a name is that of a temporary file of ours.
fn is_temporary(name: &str) -> bool {
    let random = name.strip_prefix(NAME.0).and_then(|rest| rest.strip_suffix(NAME.1));
    random.is_some_and(|r| r.len() == RANDOM && r.bytes().all(|b| b.is_ascii_alphanumeric()))
}

/// How temporary files are named, and their permissions.
fn builder() -> tempfile::Builder<'static, 'static> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(NAME.0).suffix(NAME.1).rand_bytes(RANDOM);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        // The umask restricts these when the file is created.
        builder.permissions(fs::Permissions::from_mode(0o666));
    }
    builder
}

/// Renames a file, replacing any file of the new name; a link there is followed. If that is on another file
/// system, the file is copied.
///
/// # Errors
/// [`Error::Io`] on the file at fault; `to` is then complete, with either the old or the new content.
pub fn move_to(from: &Path, to: &Path) -> Result<()> {
    let place = fs::canonicalize(to).unwrap_or_else(|_| followed(to));
    match fs::rename(from, &place) {
        Err(error) if error.kind() == io::ErrorKind::CrossesDevices => {}
        moved => return moved.map_err(Error::io(to)),
    }
    let mut file = AtomicFile::create(to)?;
    let mut content = File::open(from).map_err(Error::io(from))?;
    io::copy(&mut content, &mut file).map_err(Error::io(to))?;
    file.commit()?;
    fs::remove_file(from).map_err(Error::io(from))
}

/// Whether a path can only be that of a folder.
fn names_a_folder(path: &Path) -> bool {
    let bytes = path.as_os_str().as_encoded_bytes();
    let ends = |end: &str| bytes.ends_with(end.as_bytes());
    ends("/") || ends("/.") || (cfg!(windows) && ends("\\"))
}

/// The error for a folder in which no temporary files can be written.
pub(crate) fn no_temporary(error: &io::Error) -> Error {
    let kind = error.kind();
    let why = match (kind, error.raw_os_error()) {
        (io::ErrorKind::NotFound, _) => "there is no such folder".to_owned(),
        (_, Some(code)) => in_words(&io::Error::from_raw_os_error(code)),
        _ => in_words(&kind.into()),
    };
    let message =
        format!("no temporary file can be written here ({why}); name another folder in TMPDIR");
    Error::io(std::env::temp_dir())(io::Error::new(kind, message))
}

/// The path with symbolic links followed, even to a file that does not exist yet.
#[must_use]
pub fn followed(path: &Path) -> PathBuf {
    /// Links followed in a row; the system follows no more.
    const LINKS: usize = 40;
    let mut path = path.to_path_buf();
    for _ in 0..LINKS {
        match fs::read_link(&path) {
            Ok(target) => path = folder_of(&path).join(target),
            Err(_) => break,
        }
    }
    path
}

/// The folder of a file.
#[must_use]
pub fn folder_of(path: &Path) -> &Path {
    let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty());
    parent.unwrap_or(Path::new("."))
}

/// Why an existing file cannot be replaced, as opening it for writing would say.
fn refusal(found: &fs::Metadata) -> Option<io::Error> {
    if found.is_dir() {
        Some(io::ErrorKind::IsADirectory.into())
    } else if found.is_file() && found.permissions().readonly() {
        Some(io::ErrorKind::PermissionDenied.into())
    } else {
        None
    }
}

/// The error without the temporary file's name, which would mean nothing to the user.
fn plain(error: io::Error) -> io::Error {
    match error.raw_os_error() {
        Some(code) => io::Error::from_raw_os_error(code),
        None => error.kind().into(),
    }
}

/// The error for a file that is not found when it is created.
fn no_place(folder: &Path) -> io::Error {
    // Some folders that are there take no files, as /proc.
    let why = match folder.is_dir() {
        true => "no file can be created in its folder",
        false => "its folder does not exist",
    };
    io::Error::new(io::ErrorKind::NotFound, why)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Held by the test that discards the files of the whole process, and by those whose files have names on Linux.
    #[cfg(target_os = "linux")]
    static NAMES: Mutex<()> = Mutex::new(());

    fn names(folder: &Path) -> Vec<String> {
        let mut names: Vec<String> = fs::read_dir(folder)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }

    #[test]
    fn nothing_is_committed_without_a_permit() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.txt");
        let write = |text: &[u8]| {
            let mut file = AtomicFile::create(&path).unwrap();
            file.write_all(text).unwrap();
            file
        };
        let permit = Permit::default();
        let [first, second] = permit.during(|| [write(b"first"), write(b"second")]);
        first.commit().unwrap();
        permit.withdraw();
        assert!(matches!(second.commit(), Err(Error::Cancelled)));
        assert_eq!(fs::read(&path).unwrap(), b"first");
        assert_eq!(names(folder.path()), ["a.txt"]);
        write(b"third").commit().unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"third");
    }

    #[test]
    fn files_get_their_names_together() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        let write = |name: &str| save(&at(name), |file| file.write_all(name.as_bytes()));
        together(|| {
            write("a")?;
            write("b")?;
            assert!(names(folder.path()).is_empty());
            Ok(())
        })
        .unwrap();
        assert_eq!(names(folder.path()), ["a", "b"]);
        let failed = together(|| {
            write("c")?;
            write("none/d")
        });
        assert!(failed.is_err());
        assert_eq!(names(folder.path()), ["a", "b"]);
        // A name is taken while the files are written.
        let failed = together(|| {
            write("b")?;
            write("d")?;
            write("f")?;
            fs::create_dir(at("f")).map_err(Error::io(&at("f")))
        });
        assert!(failed.is_err());
        assert_eq!(names(folder.path()), ["a", "b", "f"]);
        fs::remove_dir(at("f")).unwrap();
        write("e").unwrap();
        assert_eq!(names(folder.path()), ["a", "b", "e"]);
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
        let busy = File::create(at(".planes-busy00.tmp")).unwrap();
        busy.lock().unwrap();
        remove_leftovers(folder.path()).unwrap();
        assert!(!at(".planes-abc123.tmp").exists());
        fs::remove_file(at(".planes-busy00.tmp")).unwrap();
        file.commit().unwrap();
        assert_eq!(names(folder.path()), [".planes-notes", "a.txt", "planes-abc.tmp"]);
        assert_eq!(fs::read(at("a.txt")).unwrap(), b"whole");
        remove_leftovers(&at("missing")).unwrap();
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_file_at_work_has_no_name() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.txt");
        let mut file = AtomicFile::create(&path).unwrap();
        file.write_all(b"half").unwrap();
        file.flush().unwrap();
        assert!(names(folder.path()).is_empty(), "{:?}", names(folder.path()));
        file.commit().unwrap();
        assert_eq!(names(folder.path()), ["a.txt"]);
    }

    #[test]
    fn a_file_with_a_name_is_listed_while_it_is_at_work() {
        #[cfg(target_os = "linux")]
        let _alone = NAMES.lock();
        let folder = tempfile::tempdir().unwrap();
        let start = || {
            let (mut file, listed) = Listed::file_in(folder.path()).unwrap();
            file.write_all(b"whole").unwrap();
            Temporary::Named(file, listed)
        };
        let ours = || named().iter().any(|path| path.starts_with(folder.path()));
        start().call(&folder.path().join("a.txt")).unwrap();
        assert!(!ours());
        let other = start();
        assert!(ours());
        drop(other);
        assert!(!ours());
        assert_eq!(names(folder.path()), ["a.txt"]);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_file_is_replaced_while_nobody_discards() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.txt");
        fs::write(&path, "old").unwrap();
        let file = unnamed::create(folder.path()).unwrap();
        (&file).write_all(b"new").unwrap();
        let first = std::cell::Cell::new(true);
        let link = |_: &File, name: &Path| {
            if first.replace(false) {
                return Err(io::ErrorKind::AlreadyExists.into());
            }
            // A file has a temporary name from here on.
            assert!(NAMED.try_lock().is_err());
            fs::write(name, "new")
        };
        unnamed::call_by(&link, &file, &path).unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"new");
        assert_eq!(names(folder.path()), ["a.txt"]);
    }

    #[test]
    fn a_file_gets_no_name_while_all_are_discarded() {
        let folder = tempfile::tempdir().unwrap();
        let (file, listed) = Listed::file_in(folder.path()).unwrap();
        let (own, target) = (file.path().to_path_buf(), folder.path().join("a.txt"));
        // As whoever discards all does.
        let all = named();
        let commit = std::thread::spawn({
            let target = target.clone();
            move || listed.call(file, &target)
        });
        std::thread::sleep(std::time::Duration::from_millis(50));
        assert!(own.exists() && !target.exists());
        drop(all);
        commit.join().unwrap().unwrap();
        assert!(!own.exists() && target.exists());
    }

    // Elsewhere all files of other tests have names.
    #[cfg(target_os = "linux")]
    #[test]
    fn files_begin_again_after_all_were_discarded() {
        let _alone = NAMES.lock();
        let folder = tempfile::tempdir().unwrap();
        drop(discard_all());
        let (file, listed) = Listed::file_in(folder.path()).unwrap();
        assert!(file.path().exists());
        drop(listed);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn what_cannot_be_linked_is_copied() {
        use std::os::unix::fs::PermissionsExt;
        let _alone = NAMES.lock();
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.txt");
        for code in [libc::EPERM, libc::EOPNOTSUPP, libc::ENOSYS, libc::ENOENT, libc::EEXIST] {
            let file = unnamed::create(folder.path()).unwrap();
            file.set_permissions(fs::Permissions::from_mode(0o640)).unwrap();
            (&file).write_all(b"whole").unwrap();
            let refused = |_: &File, _: &Path| Err(io::Error::from_raw_os_error(code));
            unnamed::call_by(&refused, &file, &path).unwrap();
            assert_eq!(fs::read(&path).unwrap(), b"whole", "{code}");
            assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o640);
            assert_eq!(names(folder.path()), ["a.txt"]);
        }
        let missing = folder.path().join("none/a.txt");
        let file = unnamed::create(folder.path()).unwrap();
        let refused = |_: &File, _: &Path| Err(io::Error::from_raw_os_error(libc::EPERM));
        let error = unnamed::call_by(&refused, &file, &missing).unwrap_err();
        assert_eq!(error.raw_os_error(), Some(libc::EPERM));
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_move_goes_across_file_systems() {
        let folder = tempfile::tempdir().unwrap();
        let (from, to) = (folder.path().join("from"), folder.path().join("to"));
        fs::write(&from, "new").unwrap();
        fs::write(&to, "old").unwrap();
        move_to(&from, &to).unwrap();
        assert_eq!((fs::read(&to).unwrap(), names(folder.path()).len()), (b"new".to_vec(), 1));
        let Ok(other) = tempfile::tempdir_in("/dev/shm") else { return };
        let (far, link) = (other.path().join("far"), folder.path().join("link"));
        fs::write(&far, "old").unwrap();
        std::os::unix::fs::symlink(&far, &link).unwrap();
        move_to(&to, &link).unwrap();
        assert_eq!(fs::read(&far).unwrap(), b"new");
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink() && !to.exists());
    }

    #[test]
    fn folders_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["new/", "new/."] {
            let error = AtomicFile::create(folder.path().join(name)).unwrap_err();
            assert!(
                matches!(error, Error::Io { source, .. } if source.kind() == io::ErrorKind::IsADirectory)
            );
        }
        let error = AtomicFile::create(folder.path()).unwrap_err();
        assert!(matches!(error, Error::Io { .. }));
        let missing = folder.path().join("missing").join("a.txt");
        let message = AtomicFile::create(&missing).unwrap_err().to_string();
        assert!(!message.contains(".planes-"), "{message}");
    }
}
