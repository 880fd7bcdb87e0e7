//! Lines as a table.

use crate::atomic::AtomicFile;
use crate::lines::Detection;
use crate::{Error, Result};
use std::io::{self, Write};
use std::path::Path;

/// Writes a row for each segment, under a row of column names.
///
/// # Errors
/// What `out` answers.
pub fn write_csv(detection: &Detection, mut out: impl Write) -> io::Result<()> {
    writeln!(out, "line,theta,rho,votes,z,significance,width,segment,x1,y1,x2,y2,pixels")?;
    for (id, line) in detection.lines.iter().enumerate() {
        for (number, segment) in line.segments.iter().enumerate() {
            write!(out, "{id},{},{},{},", line.theta, line.rho, line.votes)?;
            write!(out, "{},{},{},{number},", line.z, line.significance, line.width)?;
            let ([x1, y1], [x2, y2]) = (segment.start, segment.end);
            writeln!(out, "{x1},{y1},{x2},{y2},{}", segment.pixels)?;
        }
    }
    Ok(())
}

/// Writes the table to the file at `path`.
///
/// # Errors
/// [`Error::Io`] on `path`.
pub fn save_csv(detection: &Detection, path: &Path) -> Result<()> {
    let mut file = AtomicFile::create(path)?;
    write_csv(detection, &mut file).map_err(Error::io(path))?;
    file.commit()
}
