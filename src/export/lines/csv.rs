//! Lines as a table.

use crate::export::output::{About, Export, Lines};
use crate::lines::Detection;
use crate::{Result, atomic};
use std::io::{self, Write};
use std::path::Path;

/// Writes a row for each segment, below a row of column names.
///
/// # Errors
/// Errors of `out`.
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

/// The table as a file.
pub struct Csv;

impl Export<Lines<'_>> for Csv {
    fn about(&self) -> About {
        About::new("csv", "its segments as a table", &[".csv"])
    }

    fn save(&self, lines: &Lines, path: &Path) -> Result<()> {
        atomic::save(path, |file| write_csv(lines.detection, file))
    }
}
