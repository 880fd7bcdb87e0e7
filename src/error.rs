//! The one error type of the library.

use std::path::{Path, PathBuf};

/// What can go wrong, with the file and the place in it.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The operating system refused to open, read or write a file.
    #[error("{}: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What the operating system said.
        source: std::io::Error,
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
    pub fn io(path: impl AsRef<Path>) -> impl FnOnce(std::io::Error) -> Error {
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
}
