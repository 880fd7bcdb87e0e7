//! Point records out, compressed or not.

use crate::{Error, Result};
use laz::{LasZipError, LazVlr, ParLasZipCompressor};
use std::io::{self, Seek, Write};
use std::path::Path;

/// Points of a chunk of LAZ.
pub(super) const CHUNK: usize = 50_000;

/// Where point records go.
pub(super) enum Sink<W: Write + Seek + Send + Sync> {
    /// As they are.
    Plain(W),
    /// Compressed.
    Compressed(Box<ParLasZipCompressor<W>>),
}

impl<W: Write + Seek + Send + Sync> Sink<W> {
    /// Records that follow what `file` holds; compressed when the description of LAZ is given.
    pub(super) fn new(file: W, laszip: Option<LazVlr>) -> io::Result<Sink<W>> {
        let Some(laszip) = laszip else { return Ok(Sink::Plain(file)) };
        ParLasZipCompressor::new(file, laszip)
            .map(|c| Sink::Compressed(Box::new(c)))
            .map_err(io_error)
    }

    /// Whether it compresses.
    pub(super) fn is_compressed(&self) -> bool {
        matches!(self, Sink::Compressed(_))
    }

    /// Adds whole records.
    pub(super) fn write(&mut self, records: &[u8]) -> io::Result<()> {
        match self {
            Sink::Plain(file) => file.write_all(records),
            Sink::Compressed(compressor) => compressor.compress_many(records).map_err(unwrapped),
        }
    }

    /// Writes what compression has kept back, and gives the file.
    pub(super) fn finish(self) -> io::Result<W> {
        match self {
            Sink::Plain(file) => Ok(file),
            Sink::Compressed(mut compressor) => {
                compressor.done().map_err(io_error)?;
                Ok(compressor.into_inner())
            }
        }
    }
}

fn io_error(error: LasZipError) -> io::Error {
    match error {
        LasZipError::IoError(error) => unwrapped(error),
        other => io::Error::other(other),
    }
}

/// What the system said: the compressor wraps it in errors of its own, and these in one of the system.
fn unwrapped(error: io::Error) -> io::Error {
    error.downcast::<LasZipError>().map_or_else(|error| error, io_error)
}

/// Adds the records that `make` makes, until it says that it made the last: those of one call are written while
/// the next are made, in place of those of the call before.
pub(super) fn pass_on<W: Write + Seek + Send + Sync>(
    sink: &mut Sink<W>,
    path: &Path,
    mut make: impl FnMut(&mut Vec<u8>) -> Result<bool> + Send,
) -> Result<()> {
    let (mut made, mut next) = (Vec::new(), Vec::new());
    let mut is_more = true;
    while is_more {
        let (written, done) = rayon::join(|| sink.write(&made), || make(&mut next));
        written.map_err(Error::io(path))?;
        is_more = done?;
        std::mem::swap(&mut made, &mut next);
    }
    sink.write(&made).map_err(Error::io(path))
}

/// Points that are written at a time as they are: few, so that they are still in a cache.
const PLAIN: usize = 1 << 16;

/// Points that are written at a time: of LAZ whole chunks, for those are coded side by side. The chunk that a
/// part is left of is coded alone.
pub(super) fn batch(is_compressed: bool) -> usize {
    /// Where there are few threads, each gets several.
    const FEWEST: usize = 6;
    /// Where there are many, the points would take a lot of memory.
    const MOST: usize = 32;
    if !is_compressed {
        return PLAIN;
    }
    CHUNK * rayon::current_num_threads().clamp(FEWEST, MOST)
}

#[cfg(test)]
mod tests {
    use super::*;
    use laz::LazItemRecordBuilder;

    /// A disk without room.
    struct Full;

    impl Write for Full {
        fn write(&mut self, _: &[u8]) -> io::Result<usize> {
            Err(io::ErrorKind::StorageFull.into())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    impl Seek for Full {
        fn seek(&mut self, _: io::SeekFrom) -> io::Result<u64> {
            Ok(0)
        }
    }

    #[test]
    fn a_failing_disk_is_an_error_and_no_panic() {
        let items = LazItemRecordBuilder::default_for_point_format_id(6, 0).unwrap();
        for laszip in [None, Some(LazVlr::from_laz_items(items))] {
            // A whole chunk is written at once, a part of one at the end.
            for records in [1, CHUNK, 3 * CHUNK + 1] {
                let mut sink = Sink::new(Full, laszip.clone()).unwrap();
                let written = sink.write(&vec![0; 30 * records]);
                let error = written.and_then(|()| sink.finish().map(drop)).unwrap_err();
                assert_eq!(error.kind(), io::ErrorKind::StorageFull);
                assert_eq!(error.to_string(), io::ErrorKind::StorageFull.to_string());
            }
        }
    }
}
