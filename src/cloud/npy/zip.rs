//! The arrays of an `.npz` file, which is a zip archive.

use super::super::bytes::{Bytes, Section};
use super::super::quiet::catch;
use super::array::{Array, MOST};
use crate::atomic::no_temporary;
use crate::{Error, Result};
use flate2::{CrcReader, bufread::DeflateDecoder};
use rawzip::{CompressionMethod, RECOMMENDED_BUFFER_SIZE, ReaderAt, ZipArchive};
use std::io::{self, BufReader, Read, Write};
use std::sync::Arc;

/// Most entries of an archive.
const MOST_ENTRIES: usize = 4096;
/// Most bytes that one deflated byte can stand for.
const MOST_TIMES: u64 = 1032;

/// An array in an archive.
pub(super) struct Entry {
    pub(super) name: String,
    is_deflated: bool,
    /// Its range of bytes in the archive.
    start: u64,
    end: u64,
    /// The length and checksum of its content.
    length: u64,
    checksum: u32,
}

/// The archive's bytes, in the form in which `rawzip` reads them.
struct Archive<'a>(&'a Bytes);

impl ReaderAt for Archive<'_> {
    fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
        let head = self.0.head(offset, buffer.len() as u64).map_err(io::Error::other)?;
        buffer[..head.len()].copy_from_slice(&head);
        Ok(head.len())
    }
}

/// The arrays of an archive, in its order.
pub(super) fn entries(bytes: &Bytes) -> Result<Vec<Entry>> {
    catch(|| directory(bytes)).unwrap_or_else(|panic| Err(fault(bytes, panic)))
}

fn fault(bytes: &Bytes, message: String) -> Error {
    Error::format(bytes.path(), "zip archive", message)
}

fn directory(bytes: &Bytes) -> Result<Vec<Entry>> {
    let fault = |message: String| fault(bytes, message);
    let said = |error: rawzip::Error| {
        fault(error.to_string().lines().next().unwrap_or_default().to_owned())
    };
    let mut buffer = vec![0; RECOMMENDED_BUFFER_SIZE];
    let locator = ZipArchive::with_max_search_space(1 << 17);
    let archive = locator.locate_in_reader(Archive(bytes), &mut buffer, bytes.len());
    let archive = archive.map_err(|(_, error)| said(error))?;
    let mut found = Vec::new();
    let mut all = archive.entries(&mut buffer);
    while let Some(entry) = all.next_entry().map_err(said)? {
        let path = String::from_utf8_lossy(entry.file_path().as_bytes()).into_owned();
        let Some(name) = path.strip_suffix(".npy") else { continue };
        let is_deflated = match entry.compression_method() {
            CompressionMethod::STORE => false,
            CompressionMethod::DEFLATE => true,
            _ => return Err(fault(format!("{} is neither stored nor deflated", plain(name)))),
        };
        if entry.flags().is_encrypted() {
            return Err(fault(format!("{} is encrypted", plain(name))));
        }
        if found.len() == MOST_ENTRIES {
            return Err(fault(format!("more than {MOST_ENTRIES} arrays")));
        }
        let (length, checksum) = (entry.uncompressed_size_hint(), entry.crc32());
        let (start, end) =
            archive.get_entry(entry.wayfinder()).map_err(said)?.compressed_data_range();
        if start > end || end > bytes.len() || (!is_deflated && end - start != length) {
            return Err(fault(format!("{} does not lie within the file", plain(name))));
        }
        found.push(Entry { name: plain(name), is_deflated, start, end, length, checksum });
    }
    Ok(found)
}

/// A name that fits into a one-line message.
fn plain(name: &str) -> String {
    name.chars().take(40).map(|c| if c.is_control() { '\u{fffd}' } else { c }).collect()
}

impl Entry {
    /// The header of the array, or the reason why it cannot be read.
    pub(super) fn array(&self, bytes: &Arc<Bytes>) -> std::result::Result<Array, String> {
        let mut head = Vec::new();
        let read = self.content(bytes).take(MOST.min(1 << 16)).read_to_end(&mut head);
        read.map_err(|error| error.to_string())?;
        Array::parse(&head)
    }

    /// Refuses an array that cannot be as long as it says.
    pub(super) fn check(&self, bytes: &Bytes) -> Result<()> {
        let packed = self.end - self.start;
        if self.is_deflated && self.length > packed.saturating_mul(MOST_TIMES) {
            return Err(self.fault(bytes, format!("{packed} bytes cannot hold {}", self.length)));
        }
        Ok(())
    }

    fn fault(&self, bytes: &Bytes, message: String) -> Error {
        Error::format(bytes.path(), format!("array {}", self.name), message)
    }

    /// The bytes that hold the array, and where it starts in them.
    pub(super) fn unpacked(&self, bytes: &Arc<Bytes>) -> Result<(Arc<Bytes>, u64)> {
        if !self.is_deflated {
            return Ok((bytes.clone(), self.start));
        }
        let fault = |message| self.fault(bytes, message);
        let unpacked = bytes.derived(self.length, |file| {
            let mut from = CrcReader::new(self.content(bytes));
            let (mut left, mut buffer) = (self.length, vec![0; 1 << 16]);
            while left > 0 {
                let most = left.min(buffer.len() as u64) as usize;
                let read = from.read(&mut buffer[..most]);
                let n = read.map_err(|error| fault(format!("damaged: {error}")))?;
                if n == 0 {
                    return Err(fault(format!("it ends {left} bytes early")));
                }
                file.write_all(&buffer[..n]).map_err(|error| no_temporary(&error))?;
                left -= n as u64;
            }
            if from.crc().sum() != self.checksum {
                return Err(fault("damaged: its checksum is another".into()));
            }
            Ok(())
        })?;
        Ok((Arc::new(unpacked), 0))
    }

    fn content(&self, bytes: &Arc<Bytes>) -> Box<dyn Read> {
        let section = BufReader::new(Section::new(bytes.clone(), self.start, self.end));
        if self.is_deflated { Box::new(DeflateDecoder::new(section)) } else { Box::new(section) }
    }

    /// Its length, unpacked.
    pub(super) fn length(&self) -> u64 {
        self.length
    }
}
