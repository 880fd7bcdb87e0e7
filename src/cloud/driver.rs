//! What a format of clouds does for the rest of the program: the contract between a folder like
//! `las` and the table in `formats`.

use super::{
    Bbox, Camera, Columns, Crs, Fields, Note, PointReader, PointWriter, WriteOptions,
    bytes::Bytes,
    labels::{Labels, LeftOut},
};
use crate::Result;
use serde::{Serialize, Serializer};
use std::{fmt, path::Path, sync::Arc};

/// A kind of file that is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Format(pub(super) &'static str);

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.0)
    }
}

impl Serialize for Format {
    /// In small letters.
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.0.to_ascii_lowercase())
    }
}

/// What is known of a cloud before its points are read.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct HeaderInfo {
    /// The format in words: `LAS 1.2, point format 3`.
    pub description: String,
    /// Number of points that the header promises, if it does.
    pub points: Option<u64>,
    /// Whether coordinates are stored as 32-bit floats.
    pub in_floats: bool,
    /// What points have beside coordinates.
    pub fields: Fields,
    /// Names of what else points have, which is not read, as far as the file names it.
    pub others: Vec<String>,
    /// Smallest and largest coordinates, as the header says; nobody checked them.
    pub bounds: Option<([f64; 3], [f64; 3])>,
    /// The coordinate system, if the file names one.
    pub crs: Option<Crs>,
    /// Where the scanner stood, in the cloud's coordinates, if the file says so.
    pub scanner: Option<[f64; 3]>,
    /// Number of points in a row, if the points are those of an image, row after row.
    pub row_length: Option<u32>,
}

/// How a file is to be read.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ReadOptions {
    /// What the columns of a text are; without it they are told by its first lines. Other formats
    /// say themselves what they hold.
    pub columns: Option<Columns>,
    /// The camera of depth images: an image of 16 bits in one channel is then a cloud in the camera's frame.
    pub camera: Option<Camera>,
}

/// A format's view of an opened file.
pub(super) trait Cloud: Send + Sync {
    fn format(&self) -> Format;
    fn info(&self) -> &HeaderInfo;
    fn notes(&self) -> &[Note];
    fn reader(&self, fields: Fields) -> Result<Box<dyn PointReader>>;

    /// A pass for who wants the points of a box alone: of others coordinates may be NaN.
    fn reader_within(&self, _bbox: &Bbox, fields: Fields) -> Result<Box<dyn PointReader>> {
        self.reader(fields)
    }

    /// From how many places the cloud was scanned, as far as the file says.
    fn stations(&self) -> usize {
        self.info().scanner.iter().len()
    }

    /// Copies the file to one of the same format, with all that it holds and with labels; `None` where
    /// the format has no such copies, and a labelled cloud is written anew.
    fn copy(&self, _labels: Labels<'_>, _path: &Path) -> Option<Result<()>> {
        None
    }
}

type Open = fn(&Arc<Bytes>, &ReadOptions) -> Result<Box<dyn Cloud>>;
type Create = fn(&Path, &WriteOptions) -> Result<Box<dyn PointWriter>>;
type SaveLabelled = fn(&dyn Cloud, Labels<'_>, &Path) -> Result<LeftOut>;

/// What a format can do.
pub(super) struct Driver {
    /// The format of a file that starts so, if it is this one.
    pub told: fn(head: &[u8]) -> Option<Format>,
    /// Says why a stream that starts so is not worth keeping, where that can be told.
    pub check_stream: fn(head: &[u8]) -> std::result::Result<(), String>,
    /// Opens a file of the format.
    pub open: Open,
    /// How the names of files end that are written.
    pub endings: &'static [&'static str],
    /// Starts a file whose name has one of the endings.
    pub create: Option<Create>,
    /// Writes the points of any cloud with labels to such a file.
    pub save_labelled: Option<SaveLabelled>,
}

impl Driver {
    /// Most formats: any stream is worth keeping.
    pub(super) fn any_stream(_head: &[u8]) -> std::result::Result<(), String> {
        Ok(())
    }
}

/// How the name of a file ends, in small letters.
pub(super) fn ending(path: &Path) -> String {
    path.extension().unwrap_or_default().to_string_lossy().to_ascii_lowercase()
}
