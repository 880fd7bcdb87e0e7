//! The packets of a scan, and the streams of bytes that they hold.

use super::pages::Pages;
use crate::Result;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

// The first byte of a packet is its kind.
const INDEX: u8 = 0;
const DATA: u8 = 1;
const IGNORED: u8 = 2;

/// A run of bytes of a stream.
#[derive(Debug, Clone, Copy)]
struct Part {
    /// Bytes of the stream before it.
    before: u64,
    /// Its first logical byte.
    at: u64,
}

/// One field of all records of a scan: a sequence of bits, cut into packets.
#[derive(Debug, Default)]
pub(super) struct Stream {
    parts: Vec<Part>,
    /// Its length in bytes.
    len: u64,
}

impl Stream {
    /// Appends the bytes `from..to` of the stream, which must hold them.
    pub(super) fn append(
        &self,
        pages: &Pages,
        from: u64,
        to: u64,
        out: &mut Vec<u8>,
    ) -> Result<()> {
        let mut k = self.parts.partition_point(|part| part.before <= from).saturating_sub(1);
        let mut at = from;
        while at < to {
            let part = self.parts[k];
            let end = self.parts.get(k + 1).map_or(self.len, |next| next.before).min(to);
            pages.append(part.at + (at - part.before), end - at, out)?;
            (at, k) = (end, k + 1);
        }
        Ok(())
    }
}

/// Finds the streams of the binary section at this byte of the file: one for each of `bits`, which is how many
/// bits a number takes, long enough for `records` of them.
///
/// The bytes of its packets are taken from `left`, which all scans of a file share: no packet belongs to two.
pub(super) fn streams(
    pages: &Pages,
    section: u64,
    records: u64,
    bits: &[u32],
    left: &AtomicU64,
) -> Result<Vec<Stream>> {
    let mut streams: Vec<Stream> = bits.iter().map(|_| Stream::default()).collect();
    if records == 0 {
        return Ok(streams);
    }
    let nowhere = || pages.fault(0, "the points of a scan cannot start where the file says");
    let start = pages.logical(section).ok_or_else(nowhere)?;
    let head: [u8; 32] = pages.read(start)?;
    let first = u64::from_le_bytes(std::array::from_fn(|k| head[16 + k]));
    let mut at = pages.logical(first).filter(|_| head[0] == 1).ok_or_else(nowhere)?;
    let needed = |bits: u32| (u128::from(records) * u128::from(bits)).div_ceil(8);
    for (k, &bits) in bits.iter().enumerate() {
        while u128::from(streams[k].len) < needed(bits) {
            let head: [u8; 4] = pages.read(at)?;
            let length = u64::from(u16::from_le_bytes([head[2], head[3]])) + 1;
            // Packets start at multiples of four bytes, so each is longer than nothing.
            let whole = length.next_multiple_of(4);
            let taken = left.fetch_update(Relaxed, Relaxed, |left| left.checked_sub(whole));
            taken.map_err(|_| pages.fault(at, "several scans share packets"))?;
            match head[0] {
                DATA => add(pages, at, length, &mut streams)?,
                INDEX | IGNORED => {}
                _ => return Err(pages.fault(at, "a packet of unknown kind")),
            }
            at += whole;
        }
    }
    Ok(streams)
}

/// Adds the parts that the packet at `at` holds.
fn add(pages: &Pages, at: u64, length: u64, streams: &mut [Stream]) -> Result<()> {
    let count: [u8; 2] = pages.read(at + 4)?;
    if usize::from(u16::from_le_bytes(count)) != streams.len() {
        return Err(pages.fault(at, "a packet has not as many streams as a record has numbers"));
    }
    let mut lengths = Vec::new();
    pages.append(at + 6, 2 * streams.len() as u64, &mut lengths)?;
    let mut next = at + 6 + lengths.len() as u64;
    for (stream, &bytes) in streams.iter_mut().zip(lengths.as_chunks().0) {
        let held = u64::from(u16::from_le_bytes(bytes));
        if held > 0 {
            stream.parts.push(Part { before: stream.len, at: next });
            stream.len += held;
            next += held;
        }
    }
    if next > at + length {
        return Err(pages.fault(at, "a packet is shorter than its streams"));
    }
    Ok(())
}
