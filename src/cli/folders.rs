//! What is said of a folder, or of a pattern that the shell left alone, where a file is asked for.

use super::batch::is_pattern;
use planes::Error;
use planes::error::in_words;
use std::io;
use std::path::Path;

/// The error of opening an input; of a folder and of a pattern, it ends with what to do.
pub fn advise(file: &Path, error: Error, what_to_do: &str) -> Error {
    let is_pattern = || !file.exists() && file.to_str().is_some_and(is_pattern);
    match error {
        Error::Io { path, source } if file.is_dir() || is_pattern() => {
            let message = format!("{}; {what_to_do}", in_words(&source));
            Error::io(path)(io::Error::new(source.kind(), message))
        }
        error => error,
    }
}
