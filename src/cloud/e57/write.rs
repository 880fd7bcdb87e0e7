//! Pages and packets as they are written.

use super::pages::{HELD, PAGE};
use std::io::{self, Write};

/// Most bytes of a packet.
const PACKET: usize = 1 << 16;
/// Bytes of a packet before the lengths of its streams.
const PACKET_HEAD: usize = 6;
/// Bytes of the header of a section with points.
pub(super) const SECTION_HEAD: u64 = 32;

/// Cuts what is written into pages and adds their checksums.
pub(super) struct PageWriter<W: Write> {
    file: W,
    /// What the page at hand holds so far.
    held: Vec<u8>,
}

impl<W: Write> PageWriter<W> {
    pub(super) fn new(file: W) -> PageWriter<W> {
        PageWriter { file, held: Vec::with_capacity(PAGE as usize) }
    }

    pub(super) fn write(&mut self, mut bytes: &[u8]) -> io::Result<()> {
        while !bytes.is_empty() {
            let room = HELD as usize - self.held.len();
            let (now, rest) = bytes.split_at(room.min(bytes.len()));
            self.held.extend(now);
            bytes = rest;
            if self.held.len() == HELD as usize {
                self.end_page()?;
            }
        }
        Ok(())
    }

    fn end_page(&mut self) -> io::Result<()> {
        self.held.resize(HELD as usize, 0);
        self.held.extend(crc32c::crc32c(&self.held).to_be_bytes());
        self.file.write_all(&self.held)?;
        self.held.clear();
        Ok(())
    }

    /// Fills the last page with zeros and returns the file.
    pub(super) fn finish(mut self) -> io::Result<W> {
        if !self.held.is_empty() {
            self.end_page()?;
        }
        Ok(self.file)
    }
}

/// How the records of a scan are cut into packets.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Packets {
    /// Bits of each number of a record.
    bits: Vec<u32>,
    records: u64,
    /// Records of a packet, so many that each stream ends with a whole byte.
    pub(super) each: u64,
}

impl Packets {
    /// `None` if eight records do not fit into a packet.
    pub(super) fn new(bits: Vec<u32>, records: u64) -> Option<Packets> {
        // A packet may be padded by three bytes.
        let room = PACKET.checked_sub(PACKET_HEAD + 2 * bits.len() + 3)?;
        let all: usize = bits.iter().map(|&bits| bits as usize).sum();
        let each = room / all.max(1) * 8;
        (each > 0).then_some(Packets { bits, records, each: each as u64 })
    }

    /// Length of the section in logical bytes, a multiple of four.
    pub(super) fn section_len(&self) -> u64 {
        let whole = self.records / self.each;
        let rest = self.records % self.each;
        // A section without points has a packet, too: readers look for it.
        let last = if rest > 0 || whole == 0 { self.packet_len(rest) } else { 0 };
        SECTION_HEAD + whole * self.packet_len(self.each) + last
    }

    fn packet_len(&self, records: u64) -> u64 {
        let streams: u64 = self.bits.iter().map(|&bits| bytes_of(bits, records)).sum();
        let head = PACKET_HEAD + 2 * self.bits.len();
        (head as u64 + streams).next_multiple_of(4)
    }

    /// The header of a section whose first packet starts at this byte of the file.
    pub(super) fn section_head(&self, first_packet: u64) -> [u8; SECTION_HEAD as usize] {
        let mut head = [0; SECTION_HEAD as usize];
        head[0] = 1;
        head[8..16].copy_from_slice(&self.section_len().to_le_bytes());
        head[16..24].copy_from_slice(&first_packet.to_le_bytes());
        head
    }

    /// Appends the packets of `records` records, whose numbers are in `streams`, to `out`.
    pub(super) fn append(&self, records: u64, streams: &[Vec<u8>], out: &mut Vec<u8>) {
        let mut from = 0;
        loop {
            let to = records.min(from + self.each);
            self.append_packet(from..to, streams, out);
            from = to;
            if from == records {
                return;
            }
        }
    }

    fn append_packet(&self, records: std::ops::Range<u64>, streams: &[Vec<u8>], out: &mut Vec<u8>) {
        let length = self.packet_len(records.end - records.start);
        let end = out.len() + length as usize;
        out.extend([1, 0]);
        out.extend(((length - 1) as u16).to_le_bytes());
        out.extend((self.bits.len() as u16).to_le_bytes());
        let parts = self.bits.iter().zip(streams).map(|(&bits, stream)| {
            &stream[bytes_of(bits, records.start) as usize..bytes_of(bits, records.end) as usize]
        });
        for part in parts.clone() {
            out.extend((part.len() as u16).to_le_bytes());
        }
        for part in parts {
            out.extend(part);
        }
        out.resize(end, 0);
    }
}

/// Bytes that so many numbers take.
pub(super) fn bytes_of(bits: u32, records: u64) -> u64 {
    (u128::from(records) * u128::from(bits)).div_ceil(8) as u64
}
