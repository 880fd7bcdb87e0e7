//! What a reader decided or found odd, for the user to see.

use super::Crs;
use std::fmt;

/// Something that a user should know of a cloud, although it can be read.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Note {
    /// The first column of a text counts, so it is taken as the points' numbers.
    PointNumbers,
    /// A line before the first point is neither names of columns nor a comment.
    UnknownHeader {
        /// Its number.
        line: u64,
        /// How it starts.
        text: String,
        /// What the columns are taken for.
        columns: String,
    },
    /// The file holds more points than its header says; those are not read.
    MorePoints {
        /// Points that the header promises.
        promised: u64,
        /// Points that there is room for, if that can be told.
        held: Option<u64>,
    },
    /// There are bytes behind the points that belong to nothing.
    MoreBytes {
        /// Their number.
        bytes: u64,
    },
    /// A coordinate is stored in steps of an odd size.
    OddScale {
        /// The axis: `x`, `y` or `z`.
        axis: char,
        /// The step.
        scale: f64,
    },
    /// Coordinates are degrees, or look so.
    Degrees {
        /// Whether the file says so itself.
        told: bool,
    },
    /// The file does not give the position of its scanner, and (0, 0, 0) is far from all points.
    FarScanner,
    /// Columns without names are taken for what such columns mostly are, and may well be something else.
    UnnamedColumns {
        /// What the columns are taken for.
        columns: String,
    },
    /// The last lines of a text have another number of columns than its first point.
    ColumnsChange {
        /// Columns of the first point.
        first: usize,
        /// Columns of the last lines.
        last: usize,
    },
    /// The names of columns give units that are not heeded.
    ColumnUnits {
        /// The units of x, y and z, where there are any.
        units: [Option<String>; 3],
    },
    /// A header promises more records of another kind than points than there is room for.
    MissingRecords {
        /// Records that it promises.
        promised: u64,
        /// Most that there is room for.
        room: u64,
    },
    /// x and y are in another unit than z.
    UnitsDiffer {
        /// Unit of x and y.
        horizontal: String,
        /// Unit of z.
        vertical: String,
    },
}

impl Note {
    /// What should be said of the units of a coordinate system.
    pub(super) fn of_units(crs: Option<&Crs>) -> Option<Note> {
        let (horizontal, vertical) = crs?.different_units()?;
        let [horizontal, vertical] = [horizontal, vertical].map(str::to_string);
        Some(Note::UnitsDiffer { horizontal, vertical })
    }
}

/// Columns as they may be meant, x one later than it was taken.
fn later_columns(taken: &str) -> &'static str {
    if taken.starts_with('–') { "-,-,x,y,z" } else { "-,x,y,z" }
}

impl fmt::Display for Note {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Note::PointNumbers => f.write_str(
                "the first column counts up and is taken as the points' numbers, x y z as the next \
                 ones; if that is wrong, use `columns` x,y,z",
            ),
            Note::UnknownHeader { line, text, columns } => write!(
                f,
                "line {line}, '{text}', is not understood; the columns are taken as {columns}; if \
                 not so, say it with `columns`, as in `columns` {}",
                if columns.split(' ').count() > 3 { later_columns(columns) } else { "y,x,z" }
            ),
            Note::MorePoints { promised, held: Some(held) } => write!(
                f,
                "the header says {promised} points, the file holds {held}; the first {promised} are read"
            ),
            Note::MorePoints { promised, held: None } => write!(
                f,
                "the header says {promised} points, the file holds more; the first {promised} are read"
            ),
            Note::MoreBytes { bytes } => write!(
                f,
                "{bytes} bytes behind the points are not read; if the file is several in one, give each by itself"
            ),
            Note::OddScale { axis, scale } => {
                write!(f, "header: {axis} is stored in steps of {scale:e}; the file may be damaged")
            }
            Note::Degrees { told } => write!(
                f,
                "x and y {} degrees, in which no plane is right; project the cloud to metres first, \
                 with QGIS, or pdal translate IN OUT reprojection --filters.reprojection.out_srs=EPSG:N",
                if *told { "are" } else { "look like" }
            ),
            Note::FarScanner => f.write_str(
                "`orient` scanner means 0,0,0, since the file gives no position, and that is far from all \
                 points; name the position, as in `orient` scanner:1,2,3",
            ),
            Note::UnnamedColumns { columns } => write!(
                f,
                "the columns have no names and are taken as {columns}; if not so, say it with `columns`, as \
                 in `columns` {}",
                if columns.split(' ').count() > 4 {
                    format!("{} (- skips a column)", later_columns(columns))
                } else {
                    "x,y,z,-".to_string()
                }
            ),
            Note::ColumnsChange { first, last } => write!(
                f,
                "the last lines have {last} columns, the first point has {first}: if the file is several exports in \
                 one, give each by itself"
            ),
            Note::ColumnUnits { units } => {
                f.write_str("the names of the columns say ")?;
                for (k, (axis, unit)) in ["x", "y", "z"].iter().zip(units).enumerate() {
                    let (before, unit) = (["", ", ", ", "][k], unit.as_deref());
                    match unit {
                        Some(unit) => write!(f, "{before}{axis} in {unit}")?,
                        None => write!(f, "{before}{axis} without a unit")?,
                    }
                }
                f.write_str("; all are taken as being in one unit, without which slopes, lengths and areas are wrong")
            }
            Note::MissingRecords { promised, room } => write!(
                f,
                "header: it promises {promised} records before the points, where there is room for {room} at \
                 most; the file may be damaged"
            ),
            Note::UnitsDiffer { horizontal, vertical } => write!(
                f,
                "x and y are in {horizontal}, z is in {vertical}: slopes, lengths and areas are wrong \
                 unless z is scaled first"
            ),
        }
    }
}
