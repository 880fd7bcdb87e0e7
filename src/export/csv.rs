//! Planes as a table: the numbers of the JSON document without the outlines, and without the angles and the distance
//! that follow from the normal and the offset.

use super::output::{About, Export, Planes};
use crate::detection::Detection;
use crate::measures::Measures;
use crate::{Result, atomic};
use std::io::{self, Write};
use std::path::Path;

/// The names of the columns.
const HEADING: &str = "id,normal_x,normal_y,normal_z,offset,slope,aspect,inliers,tolerance,rmse,\
    normal_error,offset_error,significance,votes,centroid_x,centroid_y,centroid_z,area,length,width,\
    pieces";

/// Writes a row for each plane, below a row of column names; a cell is empty where the document has
/// null.
///
/// # Errors
/// Errors of `out`.
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

/// The table as a file.
pub(super) struct Csv;

impl Export<Planes<'_>> for Csv {
    fn about(&self) -> About {
        About::new("csv", "the planes as a table", &[".planes.csv"])
    }

    fn save(&self, planes: &Planes, path: &Path) -> Result<()> {
        atomic::save(path, |file| write_csv(planes.detection, file))
    }
}
