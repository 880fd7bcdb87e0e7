//! The description of the compression, and the list of chunks.

use super::super::super::{
    bytes::{Bytes, Section},
    quiet::catch,
};
use super::super::header::Header;
use crate::{Error, Result};
use laz::{LazItem, LazItemRecordBuilder, LazItemType, LazVlr, laszip::ChunkTable};
use std::{io::BufReader, sync::Arc};

/// Most extra bytes a record may have: the decoder keeps 12 KiB of state for each.
const MOST_EXTRA: usize = 4096;

/// The compressed points of a file.
pub(in super::super) struct Compressed {
    pub(super) bytes: Arc<Bytes>,
    pub(super) vlr: LazVlr,
    pub(super) stride: usize,
    pub(super) count: u64,
    /// First byte of the first chunk.
    pub(super) start: u64,
    /// First byte behind the chunks.
    pub(super) end: u64,
    pub(super) chunks: Chunks,
}

/// How points are split into chunks.
pub(super) enum Chunks {
    /// Listed in the file.
    Known(Vec<Span>),
    /// Each of so many points; where one ends is known when it is decoded.
    Unlisted(u64),
}

/// A chunk.
#[derive(Debug, Clone, Copy)]
pub(super) struct Span {
    pub(super) start: u64,
    pub(super) end: u64,
    /// Index of its first point.
    pub(super) first: u64,
    pub(super) points: u64,
}

impl Compressed {
    /// Reads the description of the compression and the list of chunks.
    pub(in super::super) fn open(bytes: &Arc<Bytes>, header: &Header) -> Result<Compressed> {
        let record = header.laszip.as_deref();
        let record =
            record.ok_or_else(|| header.fault("the record that describes LAZ is missing"))?;
        let vlr = LazVlr::from_buffer(record)
            .map_err(|error| header.fault(format!("the LAZ record is damaged: {error}")))?;
        let fault = |message: &str| header.fault(format!("the LAZ record is damaged: {message}"));
        if !fits(&vlr, header) {
            return Err(fault("it does not fit the point format"));
        }
        if header.extra_bytes() > MOST_EXTRA {
            return Err(header.fault("more than 4096 extra bytes a point"));
        }
        let mut file = Compressed {
            bytes: bytes.clone(),
            stride: header.stride(),
            count: header.count,
            start: header.start(),
            end: bytes.len(),
            chunks: Chunks::Unlisted(u64::MAX),
            vlr,
        };
        match record {
            // Compressed as one chunk, without a list.
            [1, 0, ..] => {}
            [2 | 3, 0, ..] => file.read_chunks()?,
            _ => return Err(fault("unknown compressor")),
        }
        Ok(file)
    }

    fn read_chunks(&mut self) -> Result<()> {
        let list = self.list_position()?;
        self.start += 8;
        if let Some(list) = list {
            self.end = list;
            self.chunks = Chunks::Known(self.read_list(list)?);
        } else if self.vlr.uses_variable_size_chunks() {
            return Err(self.fault("the list of chunks is missing"));
        } else {
            self.chunks = Chunks::Unlisted(self.vlr.chunk_size().into());
        }
        Ok(())
    }

    /// Where the list of chunks is: said before the points or, by writers that could not go back,
    /// at the end of the file.
    fn list_position(&self) -> Result<Option<u64>> {
        let last = self.bytes.len().saturating_sub(8);
        if last < self.start {
            return Err(self.fault("the file ends before the points"));
        }
        for place in [self.start, last] {
            let mut position = [0; 8];
            self.bytes.read_exact(place, &mut position)?;
            let position = u64::from_le_bytes(position);
            if position > self.start && position < self.bytes.len() {
                return Ok(Some(position));
            }
        }
        Ok(None)
    }

    fn read_list(&self, list: u64) -> Result<Vec<Span>> {
        let mut head = [0; 8];
        self.bytes.read_exact(list, &mut head)?;
        let [_, _, _, _, count @ ..] = head;
        // Each chunk holds its first point uncompressed.
        if u64::from(u32::from_le_bytes(count)) > list / self.stride as u64 {
            return Err(self.fault("the list of chunks is longer than the points"));
        }
        let variable = self.vlr.uses_variable_size_chunks();
        let section = Section::new(self.bytes.clone(), list, self.bytes.len());
        let table = catch(|| ChunkTable::read(&mut BufReader::new(section), variable));
        let Ok(Ok(table)) = table else {
            return Err(self.fault("the list of chunks is damaged"));
        };
        let mut spans = Vec::with_capacity(table.len());
        let (mut start, mut first) = (self.start, 0);
        for entry in &table {
            let points = if variable { entry.point_count } else { self.vlr.chunk_size().into() };
            let points = points.min(self.count - first);
            let end = start.checked_add(entry.byte_count).filter(|&end| end <= list);
            let end = end.ok_or_else(|| self.fault("the chunks are longer than the file"))?;
            if points > 0 {
                spans.push(Span { start, end, first, points });
            }
            (start, first) = (end, first + points);
        }
        if first < self.count {
            return Err(Error::format(
                self.bytes.path(),
                format!("point {first}"),
                format!("the chunks end here, the header promises {} points", self.count),
            ));
        }
        Ok(spans)
    }

    fn fault(&self, message: &str) -> Error {
        Error::format(self.bytes.path(), format!("byte {}", self.start), message)
    }

    /// First byte behind the chunks.
    pub(in super::super) fn end(&self) -> u64 {
        self.end
    }

    /// Whether there is more than the points that the header promises, as far as that is seen
    /// without decoding: another chunk, or a last one that is longer than its points are
    /// uncompressed.
    pub(in super::super) fn holds_more(&self) -> bool {
        const SLACK: u64 = 1024;
        let Chunks::Known(spans) = &self.chunks else { return false };
        let Some(last) = spans.last() else { return false };
        let raw = last.points * self.stride as u64;
        // Spans without points are not kept, so the next chunk starts at the end of the last one.
        last.end - last.start > raw + raw / 8 + SLACK || last.end + SLACK < self.end
    }

    /// Checks the lengths of the layers of a chunk, which the decoder allocates unseen.
    pub(super) fn check_layers(&self, span: Span) -> Result<()> {
        let mut at = span.start + self.stride as u64 + 4;
        let layers: usize = self.vlr.items().iter().map(layers).sum();
        let mut sizes = vec![0; layers * 4];
        let short = || self.damage(span.first, "the chunk is shorter than its layers");
        if at + sizes.len() as u64 > span.end {
            return Err(short());
        }
        self.bytes.read_exact(at, &mut sizes)?;
        at += sizes.len() as u64;
        let sizes = sizes.as_chunks::<4>().0;
        let total: u64 = sizes.iter().map(|&size| u64::from(u32::from_le_bytes(size))).sum();
        if total > span.end - at { Err(short()) } else { Ok(()) }
    }

    pub(super) fn damage(&self, point: u64, message: &str) -> Error {
        let place = format!("point {point}");
        Error::format(
            self.bytes.path(),
            place,
            format!("the compressed data are damaged: {message}"),
        )
    }
}

/// Whether the items of a record are those of the point format.
fn fits(vlr: &LazVlr, header: &Header) -> bool {
    let extra = header.extra_bytes() as u16;
    let format = header.point_format;
    let expected = LazItemRecordBuilder::default_for_point_format_id(format.number(), extra);
    let expected = expected.unwrap_or_default();
    expected.iter().map(LazItem::item_type).eq(vlr.items().iter().map(LazItem::item_type))
}

/// Number of layers of an item, each with a length before the layers.
fn layers(item: &LazItem) -> usize {
    match item.item_type() {
        LazItemType::Point14 => 9,
        LazItemType::RGBNIR14 => 2,
        LazItemType::Byte14(size) => size.into(),
        _ => 1,
    }
}
