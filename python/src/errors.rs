//! The library's errors as Python's.

use planes::Error;
use planes::error::in_words;
use pyo3::exceptions::{PyOSError, PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use std::fmt::Display;
use std::io;
use std::path::Path;

/// The fields that errors name in backticks, where the arguments are called otherwise.
const ARGUMENTS: [(&str, &str); 2] = [("`classes`", "`class_`"), ("`directions`", "`space`")];

/// An error as an exception of the module `planes`, or an `OSError` that knows its file.
pub fn to_python(py: Python<'_>, error: &Error) -> PyErr {
    let class = match error {
        Error::Io { path, source } => return os_error(path, source),
        Error::Format { .. } | Error::Unrecognized { .. } => "FormatError",
        Error::Degenerate { .. } => "DegenerateError",
        Error::Memory { .. } => "OutOfMemoryError",
        Error::NoDevice(_) | Error::Device { .. } | Error::DeviceMemory { .. } => "DeviceError",
        Error::Parameter(_) => "ParameterError",
        _ => "Error",
    };
    let message = match error {
        // These quote files and systems.
        Error::Format { .. } => error.to_string(),
        _ => ARGUMENTS
            .iter()
            .fold(error.to_string(), |said, (field, argument)| said.replace(field, argument)),
    };
    let raised =
        py.import("planes._errors").and_then(|errors| errors.getattr(class)?.call1((message,)));
    raised.map_or_else(|failed| failed, PyErr::from_value)
}

/// What the operating system said of a file: `FileNotFoundError` and its like.
fn os_error(path: &Path, source: &io::Error) -> PyErr {
    let named = NUMBERS.iter().find(|(kind, _)| *kind == source.kind()).map(|&(_, code)| code);
    let code = source.raw_os_error().or(named);
    match code {
        // Python makes its own text and class of the number.
        Some(code) => PyOSError::new_err((code, in_words(source), path.display().to_string())),
        None => PyOSError::new_err(format!("{}: {}", path.display(), in_words(source))),
    }
}

/// The numbers of what the library itself says of files; Python's classes go by them.
const NUMBERS: [(io::ErrorKind, i32); 5] = [
    (io::ErrorKind::NotFound, 2),
    (io::ErrorKind::PermissionDenied, 13),
    (io::ErrorKind::AlreadyExists, 17),
    (io::ErrorKind::NotADirectory, 20),
    (io::ErrorKind::IsADirectory, 21),
];

/// A combination of arguments that makes no sense.
pub fn wrong(message: impl Into<String>) -> PyErr {
    let error = Error::Parameter(message.into());
    Python::attach(|py| to_python(py, &error))
}

/// The JSON document that `write` writes, as a text.
pub fn document<E: Display>(write: impl FnOnce(&mut Vec<u8>) -> Result<(), E>) -> PyResult<String> {
    let mut text = Vec::new();
    write(&mut text).map_err(broken)?;
    String::from_utf8(text).map_err(broken)
}

/// A document that could not be written, which never happens to a result of ours.
pub fn broken(error: impl Display) -> PyErr {
    PyRuntimeError::new_err(error.to_string())
}

/// The value that a text names.
pub fn named<T: std::str::FromStr<Err = Error>>(py: Python<'_>, text: &str) -> PyResult<T> {
    text.parse().map_err(|error| to_python(py, &error))
}

/// The value that a text names, if there is one.
pub fn maybe_named<T: std::str::FromStr<Err = Error>>(
    py: Python<'_>,
    text: Option<&str>,
) -> PyResult<Option<T>> {
    text.map(|text| named(py, text)).transpose()
}

/// A document of JSON from Python.
pub fn parsed<T: serde::de::DeserializeOwned>(text: &str) -> PyResult<T> {
    serde_json::from_str(text).map_err(|error| PyValueError::new_err(error.to_string()))
}

/// The value of an argument by its name, for enumerations that the library does not name itself.
pub fn choice<T: Copy>(argument: &str, name: &str, values: &[(&str, T)]) -> PyResult<T> {
    let found = values.iter().find(|(known, _)| *known == name);
    found.map(|&(_, value)| value).ok_or_else(|| {
        let names: Vec<&str> = values.iter().map(|&(name, _)| name).collect();
        wrong(format!("`{argument}` is one of {}, not {name:?}", names.join(", ")))
    })
}
