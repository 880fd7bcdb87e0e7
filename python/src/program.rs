//! The program `planes`, which a wheel holds as well: its command line, called by a script of Python.

use crate::cli;
use pyo3::prelude::*;
use std::ffi::OsString;

/// Runs the command line, the name of the program first, and ends the process as the program does.
///
/// Ctrl-C, `kill` and a reader who leaves do what they do to the program, so Python is not asked.
#[pyfunction]
pub fn program(py: Python<'_>, line: Vec<OsString>) {
    py.detach(|| std::process::exit(cli::run(line).into()))
}
