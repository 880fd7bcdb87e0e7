//! LAS point records in and out, compressed or not.

use crate::atomic::AtomicFile;
use crate::cloud::{Section, Source, quiet::catch};
use crate::{Error, Result};
use laz::laszip::{LazVlr, LazVlrBuilder};
use laz::{LasZipDecompressor, LazItemRecordBuilder, ParLasZipCompressor, ParLasZipDecompressor};
use std::io::{BufReader, Read, Seek, SeekFrom, Write};
use std::path::Path;

/// Points of a chunk of LAZ as it is written.
const CHUNK: usize = 50_000;
/// Larger chunks are not decoded side by side: the decoder takes memory for whole chunks, as large
/// as the file says they are.
const LARGEST_CHUNK: u32 = 1 << 20;

/// The point records of a file.
pub enum Records {
    /// As they are.
    Plain(BufReader<Section>),
    /// Chunks decoded side by side.
    Parallel(Box<ParLasZipDecompressor<BufReader<Section>>>),
    /// One chunk after the other.
    Serial(Box<LasZipDecompressor<'static, BufReader<Section>>>),
}

impl Records {
    /// The records that start at byte `start`; compressed when the record of LAZ is given.
    pub fn open(source: &Source, start: u64, laszip: Option<&[u8]>) -> Result<Records> {
        let (path, length) = (source.path(), source.size());
        let mut file = BufReader::with_capacity(1 << 20, source.section());
        let Some(laszip) = laszip else {
            file.seek(SeekFrom::Start(start)).map_err(Error::io(path))?;
            return Ok(Records::Plain(file));
        };
        let damaged = |message: String| Error::format(path, "header", message);
        let vlr = LazVlr::from_buffer(laszip).map_err(|e| damaged(e.to_string()))?;
        let chunks = number_of_chunks(&mut file, start, length).map_err(Error::io(path))?;
        file.seek(SeekFrom::Start(start)).map_err(Error::io(path))?;
        let parallel = chunks.is_some_and(|n| n < length) && vlr.chunk_size() <= LARGEST_CHUNK;
        guarded(|| {
            if parallel {
                ParLasZipDecompressor::new(file, vlr).map(|d| Records::Parallel(Box::new(d)))
            } else {
                LasZipDecompressor::new(file, vlr).map(|d| Records::Serial(Box::new(d)))
            }
        })
        .map_err(damaged)
    }

    /// Fills `out` with whole records; the answer to damage is a message.
    pub fn read(&mut self, out: &mut [u8]) -> std::result::Result<(), String> {
        guarded(|| match self {
            Records::Plain(file) => Ok(file.read_exact(out)?),
            Records::Parallel(file) => file.decompress_many(out),
            Records::Serial(file) => Ok(file.decompress_many(out)?),
        })
    }
}

/// What `work` gives; errors and panics of the decoder become a message.
fn guarded<T>(work: impl FnOnce() -> laz::Result<T>) -> std::result::Result<T, String> {
    catch(work)?.map_err(|error| error.to_string())
}

/// How many chunks the list of chunks promises, if there is one.
fn number_of_chunks(
    file: &mut BufReader<Section>,
    start: u64,
    length: u64,
) -> std::io::Result<Option<u64>> {
    let mut bytes = [0; 8];
    file.seek(SeekFrom::Start(start))?;
    if file.read_exact(&mut bytes).is_err() {
        return Ok(None);
    }
    let at = u64::from_le_bytes(bytes);
    if at <= start || at.saturating_add(8) > length {
        return Ok(None);
    }
    file.seek(SeekFrom::Start(at))?;
    file.read_exact(&mut bytes)?;
    let [_, _, _, _, a, b, c, d] = bytes;
    Ok(Some(u32::from_le_bytes([a, b, c, d]).into()))
}

/// The description of LAZ for a point format with extra bytes.
pub fn laszip(point_format: u8, extra: u16) -> laz::Result<LazVlr> {
    let items = LazItemRecordBuilder::default_for_point_format_id(point_format, extra)?;
    Ok(LazVlrBuilder::new(items).with_fixed_chunk_size(CHUNK as u32).build())
}

/// Where point records go.
pub enum Sink<'a> {
    /// As they are.
    Plain(&'a mut AtomicFile),
    /// Compressed.
    Compressed(Box<ParLasZipCompressor<&'a mut AtomicFile>>),
}

impl<'a> Sink<'a> {
    /// Records that follow what `file` holds; compressed when the description of LAZ is given.
    pub fn new(file: &'a mut AtomicFile, laszip: Option<LazVlr>) -> Result<Sink<'a>> {
        let path = file.path().to_path_buf();
        match laszip {
            None => Ok(Sink::Plain(file)),
            Some(vlr) => ParLasZipCompressor::new(file, vlr)
                .map(|c| Sink::Compressed(Box::new(c)))
                .map_err(|e| Error::io(path)(std::io::Error::other(e))),
        }
    }

    /// Adds whole records.
    pub fn write(&mut self, records: &[u8]) -> std::io::Result<()> {
        match self {
            Sink::Plain(file) => file.write_all(records),
            Sink::Compressed(compressor) => compressor.compress_many(records),
        }
    }

    /// Writes what compression has kept back.
    pub fn finish(self) -> std::io::Result<()> {
        match self {
            Sink::Plain(_) => Ok(()),
            Sink::Compressed(mut compressor) => compressor.done().map_err(std::io::Error::other),
        }
    }
}

/// Adds the records that `make` makes, until it says that it made the last: those of one call are written while
/// the next are made.
pub fn pass_on(
    sink: &mut Sink<'_>,
    path: &Path,
    mut make: impl FnMut(&mut Vec<u8>) -> Result<bool> + Send,
) -> Result<()> {
    let (mut made, mut next) = (Vec::new(), Vec::new());
    let mut is_more = true;
    while is_more {
        next.clear();
        let (written, done) = rayon::join(|| sink.write(&made), || make(&mut next));
        written.map_err(Error::io(path))?;
        is_more = done?;
        std::mem::swap(&mut made, &mut next);
    }
    sink.write(&made).map_err(Error::io(path))
}

/// Points that are written at a time: whole chunks of LAZ, for those are coded side by side. The chunk that a
/// part is left of is coded alone.
pub fn batch() -> usize {
    /// Where there are few threads, each gets several.
    const FEWEST: usize = 6;
    /// Where there are many, the points would take a lot of memory.
    const MOST: usize = 32;
    CHUNK * rayon::current_num_threads().clamp(FEWEST, MOST)
}
