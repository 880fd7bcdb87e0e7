//! Writes to the console.

use super::failure::Failure;
use super::words;
use std::io::{self, Write};

/// Writes a line to standard error.
pub fn say(message: &str) {
    let _ = writeln!(io::stderr(), "planes: {}", words::clean(message));
}

/// Writes text to standard output.
pub fn write_stdout(text: &str) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    out.write_all(text.as_bytes())?;
    Ok(out.flush()?)
}
