//! Planes as a table: all of the JSON document but the outlines.

use crate::atomic::AtomicFile;
use crate::detection::Detection;
use crate::measures::Measures;
use crate::{Error, Result};
use std::io::{self, Write};
use std::path::Path;

/// The names of the columns.
const HEADING: &str = "id,normal_x,normal_y,normal_z,offset,slope,aspect,inliers,tolerance,rmse,\
    normal_error,offset_error,significance,votes,centroid_x,centroid_y,centroid_z,area,length,width,\
    pieces";

/// Writes a row for each plane, under a row of column names; a cell is empty where the document has
/// null.
///
/// # Errors
/// What `out` answers.
pub fn write_csv(detection: &Detection, mut out: impl Write) -> io::Result<()> {
    let shown = |value: Option<f64>| value.map_or_else(String::new, |value| value.to_string());
    writeln!(out, "{HEADING}")?;
    for (id, plane) in detection.planes.iter().enumerate() {
        let Measures { slope, aspect, length, width } = Measures::of(plane);
        let ([nx, ny, nz], [x, y, z]) = (plane.normal, plane.centroid);
        write!(out, "{id},{nx},{ny},{nz},{},{slope},{},", plane.offset, shown(aspect))?;
        write!(out, "{},{},{},", plane.inliers, plane.tolerance, plane.rmse)?;
        write!(out, "{},{},", shown(plane.normal_error), shown(plane.offset_error))?;
        write!(out, "{},{},{x},{y},{z},", plane.significance, plane.votes)?;
        writeln!(out, "{},{length},{width},{}", plane.area, plane.pieces.len())?;
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
