//! What a reader had to decide or found odd, for whoever reads the result.

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
    /// x and y are in another unit than z.
    UnitsDiffer {
        /// Unit of x and y.
        horizontal: String,
        /// Unit of z.
        vertical: String,
    },
}

impl fmt::Display for Note {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Note::PointNumbers => f.write_str(
                "the first column counts up and is taken as the points' numbers, x y z as the next \
                 ones; if that is wrong, use --columns x,y,z",
            ),
            Note::UnknownHeader { line, text, columns } => write!(
                f,
                "line {line}, '{text}', is not understood; the columns are taken as {columns}; if \
                 not so, say it with --columns, as in --columns -,x,y,z",
            ),
            Note::MorePoints { promised, held: Some(held) } => write!(
                f,
                "the header says {promised} points, the file holds {held}; the first {promised} are read"
            ),
            Note::MorePoints { promised, held: None } => write!(
                f,
                "the header says {promised} points, the file holds more; the first {promised} are read"
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
            Note::UnitsDiffer { horizontal, vertical } => write!(
                f,
                "x and y are in {horizontal}, z is in {vertical}: slopes, lengths and areas are wrong \
                 unless z is scaled first"
            ),
        }
    }
}
