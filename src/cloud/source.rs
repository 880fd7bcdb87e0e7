//! A cloud that can be read more than once.

use super::{
    Columns, Crs, Fields, Note, PointReader,
    bytes::{Bytes, HEAD, Section},
    las::Las,
    ply::Ply,
    sniff::sniff,
    text::Text,
};
use crate::{Error, Result};
use serde::Serialize;
use std::{fmt, path::Path, sync::Arc};

/// The kinds of file that are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[non_exhaustive]
#[serde(rename_all = "lowercase")]
pub enum Format {
    /// LAS, points as they are.
    Las,
    /// LAS, points compressed.
    Laz,
    /// PLY, as text or binary.
    Ply,
    /// Lines of numbers.
    Text,
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Format::Las => "LAS",
            Format::Laz => "LAZ",
            Format::Ply => "PLY",
            Format::Text => "text",
        })
    }
}

/// What is known of a cloud before its points are read.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct HeaderInfo {
    /// The format in words: `LAS 1.2, point format 3`.
    pub description: String,
    /// Number of points that the header promises, if it does.
    pub points: Option<u64>,
    /// What points have beside coordinates.
    pub fields: Fields,
    /// Names of what else points have, which is not read, as far as the file names it.
    pub others: Vec<String>,
    /// Smallest and largest coordinates, as the header says; nobody checked them.
    pub bounds: Option<([f64; 3], [f64; 3])>,
    /// The coordinate system, if the file names one.
    pub crs: Option<Crs>,
}

/// How a file is to be read.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ReadOptions {
    /// What the columns of a text are; without it they are told by its first lines. Other formats
    /// say themselves what they hold.
    pub columns: Option<Columns>,
}

/// The format of a cloud that starts so, if it is one.
pub(crate) fn format_of(head: &[u8]) -> Option<Format> {
    sniff(head).ok()
}

/// Says why a stream that starts so is no cloud, where that can be told before it is read to its end.
pub(crate) fn recognise(head: &[u8]) -> std::result::Result<(), String> {
    if sniff(&head[..head.len().min(SNIFFED)])? != Format::Text {
        return Ok(());
    }
    let goes_on = head.len() as u64 == HEAD;
    if goes_on && !head.contains(&b'\n') {
        return Err(format!("text without a line end in its first {HEAD} bytes"));
    }
    if goes_on && !head.iter().any(u8::is_ascii_digit) {
        return Err(format!("text without a number in its first {HEAD} bytes"));
    }
    Ok(())
}

/// Bytes that tell a format.
const SNIFFED: usize = 4096;

/// A format's view of an opened file.
pub(super) trait Cloud: Send + Sync {
    fn format(&self) -> Format;
    fn info(&self) -> &HeaderInfo;
    fn notes(&self) -> &[Note];
    fn reader(&self, fields: Fields) -> Result<Box<dyn PointReader>>;
}

/// A cloud that can be read more than once, its format told by its content.
///
/// ```
/// use planes::cloud::{Chunk, Fields, Source};
///
/// let source = Source::from_bytes(b"1 2 3\n4 5 6\n".to_vec())?;
/// let mut reader = source.reader(Fields::default())?;
/// let mut chunk = Chunk::default();
/// reader.read(&mut chunk, 1000)?;
/// assert_eq!(chunk.z, [3.0, 6.0]);
/// reader.read(&mut chunk, 1000)?;
/// assert!(chunk.is_empty());
/// # Ok::<(), planes::Error>(())
/// ```
pub struct Source {
    bytes: Arc<Bytes>,
    cloud: Box<dyn Cloud>,
}

impl fmt::Debug for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Source")
            .field("path", &self.path())
            .field("info", self.info())
            .finish_non_exhaustive()
    }
}

impl Source {
    /// Opens a file; `-` is standard input.
    ///
    /// Standard input, pipes and devices can be read once only, so they are first copied to a
    /// temporary file that has no name and goes when the program ends: if they start as a cloud does, and
    /// at most 8 GiB or half of what is free there.
    ///
    /// # Errors
    /// [`Error::Io`] if it cannot be opened, [`Error::Unrecognized`] if it is no cloud, and
    /// [`Error::Format`] if its header is damaged or promises more than the file holds.
    pub fn open(path: impl AsRef<Path>) -> Result<Source> {
        Source::open_with(path, &ReadOptions::default())
    }

    /// The same, where it is known how the file is to be read.
    ///
    /// # Errors
    /// As [`Source::open`].
    pub fn open_with(path: impl AsRef<Path>, options: &ReadOptions) -> Result<Source> {
        Source::new(Bytes::of_input(path.as_ref(), &recognise)?, options)
    }

    /// The content of a file that is in memory; errors name it `<memory>`.
    ///
    /// # Errors
    /// As [`Source::open`].
    pub fn from_bytes(bytes: Vec<u8>) -> Result<Source> {
        Source::from_bytes_with(bytes, &ReadOptions::default())
    }

    /// The same, where it is known how the content is to be read.
    ///
    /// # Errors
    /// As [`Source::open`].
    pub fn from_bytes_with(bytes: Vec<u8>, options: &ReadOptions) -> Result<Source> {
        Source::new(Bytes::memory(Path::new("<memory>"), bytes), options)
    }

    pub(crate) fn new(bytes: Bytes, options: &ReadOptions) -> Result<Source> {
        let bytes = Arc::new(bytes);
        let cloud: Box<dyn Cloud> = match sniff(&bytes.head(0, SNIFFED as u64)?) {
            Ok(Format::Las | Format::Laz) => Box::new(Las::open(&bytes)?),
            Ok(Format::Ply) => Box::new(Ply::open(&bytes)?),
            Ok(Format::Text) => Box::new(Text::open(&bytes, options.columns.as_ref())?),
            Err(what) => {
                return Err(Error::Unrecognized {
                    path: bytes.path().to_path_buf(),
                    message: what.into(),
                });
            }
        };
        Ok(Source { bytes, cloud })
    }

    /// The file, or `<stdin>` or `<memory>`.
    pub fn path(&self) -> &Path {
        self.bytes.path()
    }

    /// Size of the file in bytes.
    pub fn size(&self) -> u64 {
        self.bytes.len()
    }

    /// The file's format.
    pub fn format(&self) -> Format {
        self.cloud.format()
    }

    /// What the header says.
    pub fn info(&self) -> &HeaderInfo {
        self.cloud.info()
    }

    /// What should be said of the file; all of it is known when it is opened.
    pub fn notes(&self) -> &[Note] {
        self.cloud.notes()
    }

    /// Whether coordinates with these bounds are degrees: because the file says so, or because they
    /// are where degrees are and much higher than wide, as heights in metres make them.
    pub fn degrees(&self, min: [f64; 3], max: [f64; 3]) -> Option<Note> {
        const TIMES: f64 = 50.0;
        let reach = |axis: usize| min[axis].abs().max(max[axis].abs());
        let extent = |axis: usize| max[axis] - min[axis];
        if !(reach(0) <= 360.0 && reach(1) <= 90.0) {
            return None;
        }
        match &self.info().crs {
            Some(crs) => crs.geographic.then_some(Note::Degrees { told: true }),
            None => {
                let width = extent(0).max(extent(1));
                let is_thin = width > 0.0 && extent(2) > TIMES * width && extent(2) >= 1.0;
                // A pole in the middle of its own system is thin, too, but not far from zero.
                let is_far = reach(0).max(reach(1)) > TIMES * width;
                (is_thin && is_far && width < 1.0).then_some(Note::Degrees { told: false })
            }
        }
    }

    /// The file.
    pub(crate) fn bytes(&self) -> &Arc<Bytes> {
        &self.bytes
    }

    /// The bytes of the file.
    pub(crate) fn section(&self) -> Section {
        Section::new(self.bytes.clone(), 0, self.bytes.len())
    }

    /// Starts a pass over the points, with those of the `fields` that the file has.
    ///
    /// Every pass gives the same points in the same order.
    ///
    /// # Errors
    /// [`Error::Io`] and [`Error::Format`]: colours and intensities are sampled to see how they are
    /// scaled.
    pub fn reader(&self, fields: Fields) -> Result<Box<dyn PointReader>> {
        self.cloud.reader(fields)
    }
}
