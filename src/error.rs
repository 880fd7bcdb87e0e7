//! The one error type of the library.

use std::borrow::Cow;
use std::io;
use std::path::{Path, PathBuf};

/// What can go wrong, with the file and the place in it.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The operating system refused to open, read or write a file.
    #[error("{}: {}", path.display(), in_words(source))]
    Io {
        /// The file.
        path: PathBuf,
        /// What the operating system said.
        source: io::Error,
    },
    /// A file is not what its content or header promises.
    #[error("{}: {place}: {message}", path.display())]
    Format {
        /// The file.
        path: PathBuf,
        /// The place in it: `"header"`, `"line 12"`, `"point 1234"`, `"byte 96"`.
        place: String,
        /// What is wrong there.
        message: String,
    },
    /// A file is of a kind that `planes` does not read.
    #[error("{}: not a cloud that planes can read: {message}", path.display())]
    Unrecognized {
        /// The file.
        path: PathBuf,
        /// What was seen instead.
        message: String,
    },
    /// A cloud has too few usable points for the request, or coordinates in degrees.
    #[error("{}: {message}", path.display())]
    Degenerate {
        /// The file.
        path: PathBuf,
        /// What is missing, or wrong.
        message: String,
    },
    /// More memory is needed than there is.
    #[error(
        "{}: needs about {} MB of memory, and {} MB are free; free some, raise the limit, or give it a \
        smaller cloud",
        path.display(), needed.div_ceil(1_000_000), available / 1_000_000
    )]
    Memory {
        /// The file.
        path: PathBuf,
        /// Least number of bytes needed.
        needed: u64,
        /// Bytes still available.
        available: u64,
    },
    /// No usable GPU; says what was looked for.
    #[error("{0}")]
    NoDevice(String),
    /// A GPU failed.
    #[error("{device}: {message}")]
    Device {
        /// Its name.
        device: String,
        /// What was tried, and what its driver said.
        message: String,
    },
    /// A GPU ran out of memory.
    #[error("{device}: {message}")]
    DeviceMemory {
        /// Its name.
        device: String,
        /// What was tried, and what its driver said.
        message: String,
    },
    /// The caller cancelled the search.
    #[error("cancelled")]
    Cancelled,
    /// A parameter or a combination of parameters is invalid; names of fields are in backticks.
    #[error("{0}")]
    Parameter(String),
}

/// The result of a library call.
pub type Result<T> = std::result::Result<T, Error>;

impl Error {
    /// An [`Error::Io`] on `path`, to be used with `map_err`.
    pub fn io(path: impl AsRef<Path>) -> impl FnOnce(io::Error) -> Error {
        let path = path.as_ref().to_path_buf();
        move |source| Error::Io { path, source }
    }

    /// An [`Error::Unrecognized`] on `path`.
    pub fn unrecognized(path: impl AsRef<Path>, message: impl Into<String>) -> Error {
        Error::Unrecognized { path: path.as_ref().to_path_buf(), message: message.into() }
    }

    /// An [`Error::Format`] at `place` in `path`.
    pub fn format(
        path: impl AsRef<Path>,
        place: impl Into<String>,
        message: impl Into<String>,
    ) -> Error {
        Error::Format {
            path: path.as_ref().to_path_buf(),
            place: place.into(),
            message: message.into(),
        }
    }

    /// An [`Error::Format`] at a line of `path`, a file of JSON, to be used with `map_err`.
    pub(crate) fn json(path: &Path) -> impl Fn(serde_json::Error) -> Error {
        move |error| {
            // The message repeats the position, which is given separately.
            let message = error.to_string();
            let end = message.rfind(" at line ").unwrap_or(message.len());
            Error::format(path, format!("line {}", error.line()), &message[..end])
        }
    }
}

/// What the operating system said, without its number.
///
/// An error may come with that number or only with its kind, depending on who found it; the words are the same.
pub fn in_words(error: &io::Error) -> String {
    // Some errors of the standard library have words of their own.
    if error.raw_os_error().is_none() && error.to_string() == error.kind().to_string() {
        return of_kind(error.kind()).into_owned();
    }
    let mut text = error.to_string();
    // The standard library adds the number to the words of the system.
    while let Some(start) = text.find(" (os error ") {
        let end = text[start..].find(')').map_or(text.len(), |length| start + length + 1);
        text.replace_range(start..end, "");
    }
    text
}

/// The words of Unix for a kind of error.
fn of_kind(kind: io::ErrorKind) -> Cow<'static, str> {
    use io::ErrorKind as Kind;
    Cow::Borrowed(match kind {
        Kind::AlreadyExists => "File exists",
        Kind::DirectoryNotEmpty => "Directory not empty",
        Kind::IsADirectory => "Is a directory",
        Kind::NotADirectory => "Not a directory",
        Kind::NotFound => "No such file or directory",
        Kind::PermissionDenied => "Permission denied",
        Kind::QuotaExceeded => "Disk quota exceeded",
        Kind::ReadOnlyFilesystem => "Read-only file system",
        Kind::StorageFull => "No space left on device",
        other => return Cow::Owned(other.to_string()),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(unix)]
    #[test]
    fn an_error_has_the_same_words_whoever_found_it() {
        let codes = [
            libc::EEXIST,
            libc::ENOTEMPTY,
            libc::EISDIR,
            libc::ENOTDIR,
            libc::ENOENT,
            libc::EACCES,
            libc::EDQUOT,
            libc::EROFS,
            libc::ENOSPC,
        ];
        for code in codes {
            let found = io::Error::from_raw_os_error(code);
            let words = in_words(&found);
            assert_eq!(words, in_words(&found.kind().into()), "{code}");
            assert!(!words.contains("os error"), "{words}");
            let wrapped = io::Error::new(found.kind(), format!("a: {found}, b: {found}"));
            assert_eq!(in_words(&wrapped), format!("a: {words}, b: {words}"));
        }
        let own = io::Error::new(io::ErrorKind::NotFound, "its folder does not exist");
        assert_eq!(Error::io("a")(own).to_string(), "a: its folder does not exist");
    }
}
