//! The pages of an E57 file: 1020 bytes and a checksum each.

use super::super::bytes::Bytes;
use crate::{Error, Result};
use std::sync::Arc;

/// Length of a page in the file.
pub(super) const PAGE: u64 = 1024;
/// Bytes of a page without its checksum.
pub(super) const HELD: u64 = 1020;
/// Pages read at a time.
const RUN: u64 = 64;

/// The logical bytes of a file: those of its pages without the checksums.
#[derive(Debug, Clone)]
pub(super) struct Pages {
    bytes: Arc<Bytes>,
    /// Number of logical bytes.
    len: u64,
}

impl Pages {
    pub(super) fn new(bytes: &Arc<Bytes>) -> Pages {
        Pages { bytes: bytes.clone(), len: bytes.len() / PAGE * HELD }
    }

    pub(super) fn bytes(&self) -> &Arc<Bytes> {
        &self.bytes
    }

    /// Number of logical bytes.
    pub(super) fn len(&self) -> u64 {
        self.len
    }

    /// The logical position of a byte of the file; `None` for a byte of a checksum or past the end.
    pub(super) fn logical(&self, physical: u64) -> Option<u64> {
        let (page, within) = (physical / PAGE, physical % PAGE);
        let at = page * HELD + within;
        (within < HELD && at < self.len).then_some(at)
    }

    /// The position of a logical byte in the file.
    pub(super) fn physical(logical: u64) -> u64 {
        logical / HELD * PAGE + logical % HELD
    }

    /// Appends `length` logical bytes from `at` on to `out`, and verifies the checksums of their pages.
    pub(super) fn append(&self, at: u64, length: u64, out: &mut Vec<u8>) -> Result<()> {
        let end = at.checked_add(length).filter(|&end| end <= self.len);
        let end = end.ok_or_else(|| self.fault(self.len, "the file ends early"))?;
        let mut at = at;
        let mut run = Vec::new();
        while at < end {
            let first = at / HELD;
            let pages = end.div_ceil(HELD).min(first + RUN) - first;
            run.resize((pages * PAGE) as usize, 0);
            self.bytes.read_exact(first * PAGE, &mut run)?;
            for (k, page) in (first..).zip(run.chunks_exact(PAGE as usize)) {
                let (held, sum) = page.split_at(HELD as usize);
                if crc32c::crc32c(held).to_be_bytes() != sum {
                    return Err(self.fault(k * HELD, "the checksum of this page is wrong"));
                }
                let from = (at - k * HELD) as usize;
                let to = (end - k * HELD).min(HELD) as usize;
                out.extend_from_slice(&held[from..to]);
                at += (to - from) as u64;
            }
        }
        Ok(())
    }

    /// The `N` logical bytes from `at` on.
    pub(super) fn read<const N: usize>(&self, at: u64) -> Result<[u8; N]> {
        let mut bytes = Vec::with_capacity(N);
        self.append(at, N as u64, &mut bytes)?;
        Ok(std::array::from_fn(|k| bytes[k]))
    }

    /// An error at a logical byte.
    pub(super) fn fault(&self, logical: u64, message: &str) -> Error {
        let place = format!("byte {}", Pages::physical(logical));
        Error::format(self.bytes.path(), place, message)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    /// A file of three pages that count up.
    fn file() -> (Vec<u8>, Vec<u8>) {
        let logical: Vec<u8> = (0..3 * HELD).map(|k| (k % 251) as u8).collect();
        let pages = logical.chunks(HELD as usize);
        let file = pages
            .flat_map(|held| [held, &crc32c::crc32c(held).to_be_bytes()[..]].concat())
            .collect();
        (logical, file)
    }

    fn pages(file: Vec<u8>) -> Pages {
        Pages::new(&Arc::new(Bytes::memory(Path::new("m"), file)))
    }

    #[test]
    fn checksums_are_passed_over() {
        let (logical, file) = file();
        let pages = pages(file);
        for (at, length) in [(0, 3060), (1000, 40), (1019, 2), (1020, 1020), (3060, 0)] {
            let mut out = Vec::new();
            pages.append(at, length, &mut out).unwrap();
            assert_eq!(out, logical[at as usize..(at + length) as usize]);
        }
        assert!(pages.append(3050, 11, &mut Vec::new()).is_err());
        assert!(pages.append(u64::MAX, 2, &mut Vec::new()).is_err());
        let logical = [0, 1019, 1020, 1024, 3071, 3072].map(|at| pages.logical(at));
        assert_eq!(logical, [Some(0), Some(1019), None, Some(1020), None, None]);
        assert_eq!([0, 1019, 1020].map(Pages::physical), [0, 1019, 1024]);
    }

    #[test]
    fn an_altered_byte_is_found() {
        let (_, mut file) = file();
        file[1500] ^= 1;
        let pages = pages(file);
        assert!(pages.append(0, 1020, &mut Vec::new()).is_ok());
        let error = pages.append(0, 1021, &mut Vec::new()).unwrap_err();
        assert_eq!(error.to_string(), "m: byte 1024: the checksum of this page is wrong");
    }
}
