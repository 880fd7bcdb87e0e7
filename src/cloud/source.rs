//! A cloud that can be read more than once.

use super::{
    Bbox, Fields, Format, HeaderInfo, Note, PointReader, ReadOptions,
    bytes::Bytes,
    driver::{Cloud, Driver},
    formats,
    labels::{Labels, LeftOut},
    points::{IN_MEMORY, Kept, PointCloud},
};
use crate::{Error, Result};
use std::{fmt, path::Path, ptr, sync::Arc};

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
    /// Who opened it; nobody where it is no file.
    driver: Option<&'static Driver>,
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
    /// [`Error::Io`](crate::Error::Io) if it cannot be opened,
    /// [`Error::Unrecognized`](crate::Error::Unrecognized) if it is no cloud, and
    /// [`Error::Format`](crate::Error::Format) if its header is damaged or promises more than the file holds.
    pub fn open(path: impl AsRef<Path>) -> Result<Source> {
        Source::open_with(path, &ReadOptions::default())
    }

    /// The same, where it is known how the file is to be read.
    ///
    /// # Errors
    /// As [`Source::open`].
    pub fn open_with(path: impl AsRef<Path>, options: &ReadOptions) -> Result<Source> {
        let recognise = |head: &[u8]| formats::recognise_with(head, options);
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
        let recognise = |head: &[u8]| formats::recognise_with(head, options);
        let bytes = Bytes::of_memory(Path::new("<memory>"), bytes, &recognise)?;
        Source::new(bytes, options)
    }

    /// Points in memory, which errors call so. Their number must stay what it is.
    ///
    /// ```
    /// use planes::cloud::Source;
    /// use std::sync::Arc;
    ///
    /// let source = Source::from_points(Arc::new(vec![[1.0_f64, 2.0, 3.0], [4.0, 5.0, 6.0]]))?;
    /// assert_eq!(source.info().points, Some(2));
    /// # Ok::<(), planes::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Parameter`](crate::Error::Parameter) for what is [no cloud](PointCloud::check).
    pub fn from_points(points: Arc<dyn PointCloud + Send>) -> Result<Source> {
        let cloud = Box::new(Kept::new(points)?);
        let bytes = Arc::new(Bytes::memory(Path::new(IN_MEMORY), Vec::new()));
        Ok(Source { bytes, driver: None, cloud })
    }

    pub(crate) fn new(bytes: Bytes, options: &ReadOptions) -> Result<Source> {
        Source::of(&Arc::new(bytes), options)
    }

    /// A cloud whose bytes others hold, too.
    pub(crate) fn of(bytes: &Arc<Bytes>, options: &ReadOptions) -> Result<Source> {
        let bytes = bytes.clone();
        let (driver, cloud) = formats::open(&bytes, options)?;
        Ok(Source { bytes, driver: Some(driver), cloud })
    }

    /// The file, or `<stdin>` or `<memory>`.
    pub fn path(&self) -> &Path {
        self.bytes.path()
    }

    /// How the file is compressed as a whole, if it is: `gzip`, `zstd`.
    pub fn packing(&self) -> Option<String> {
        self.bytes.packing().map(|packing| packing.to_string())
    }

    /// Size of the file in bytes; of a compressed one, of its content; 0 of points in memory.
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

    /// Where the scanner stood, if the file says so.
    ///
    /// # Errors
    /// [`Error::Parameter`] where it stood at several places.
    pub fn scanner(&self) -> Result<Option<[f64; 3]>> {
        let stations = self.cloud.stations();
        if stations > 1 {
            return Err(Error::Parameter(format!(
                "{}: its scans are from {stations} places, and `orient` scanner can turn planes to one; name \
                 it, as in `orient` scanner:1,2,3",
                self.path().display()
            )));
        }
        Ok(self.info().scanner)
    }

    /// Whether (0, 0, 0), which stands for the scanner of a file that does not give its position, is farther from
    /// coordinates with these bounds than they are from each other.
    pub fn far_scanner(&self, min: [f64; 3], max: [f64; 3]) -> Option<Note> {
        let away = |axis: usize| 0.0_f64.clamp(min[axis], max[axis]);
        let square =
            |side: &dyn Fn(usize) -> f64| (0..3).map(|axis| side(axis).powi(2)).sum::<f64>();
        let is_far = square(&away) > square(&|axis| max[axis] - min[axis]);
        (self.info().scanner.is_none() && is_far).then_some(Note::FarScanner)
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

    /// Starts a pass over the points, with those of the `fields` that the file has.
    ///
    /// Every pass gives the same points in the same order.
    ///
    /// # Errors
    /// [`Error::Io`](crate::Error::Io) and [`Error::Format`](crate::Error::Format): colours and
    /// intensities are sampled to see how they are scaled.
    pub fn reader(&self, fields: Fields) -> Result<Box<dyn PointReader>> {
        self.cloud.reader(fields)
    }

    /// The same for who wants the points of a box alone: others may be NaN.
    pub(super) fn reader_within(
        &self,
        bbox: &Bbox,
        fields: Fields,
    ) -> Result<Box<dyn PointReader>> {
        self.cloud.reader_within(bbox, fields)
    }

    /// Whether the cloud can be written with labels to a file of this name. A format that is not written anew holds
    /// labels in copies of its own files.
    pub(crate) fn can_be_labelled(&self, path: &Path) -> bool {
        formats::writer_of(path).is_some_and(|driver| {
            driver.save_labelled.is_some() || (driver.create.is_none() && self.is_of(driver))
        })
    }

    /// Writes the cloud with labels to `path`: as a copy of the file with everything it holds if the name asks for
    /// the file's own format and that format has copies, otherwise anew from its points. `None` if the cloud
    /// [cannot](Source::can_be_labelled) be written to a file of this name.
    pub(crate) fn save_labelled(&self, labels: Labels<'_>, path: &Path) -> Option<Result<LeftOut>> {
        let driver = formats::writer_of(path)?;
        if self.is_of(driver)
            && let Some(copied) = self.cloud.copy(labels, path)
        {
            return Some(copied.map(|()| LeftOut::default()));
        }
        Some(driver.save_labelled?(&*self.cloud, labels, path))
    }

    fn is_of(&self, driver: &Driver) -> bool {
        self.driver.is_some_and(|own| ptr::eq(driver, own))
    }
}
