//! Compressed LAS: chunks of points, each decoded on its own.
//!
//! `laz` decodes the points of one chunk; everything that says where chunks start, how long they are
//! and how many points they hold is read and checked here, because the crate trusts it.

use super::{
    super::{
        Chunk,
        blocks::BlockSource,
        bytes::{Bytes, Section},
        quiet::catch,
        records::Layout,
    },
    header::Header,
};
use crate::{Error, Result};
use laz::{
    DecompressionSelection, LazItem, LazItemType, LazVlr,
    laszip::ChunkTable,
    record::{
        LayeredPointRecordDecompressor, RecordDecompressor, SequentialPointRecordDecompressor,
    },
};
use rayon::prelude::*;
use std::{
    collections::VecDeque,
    io::{self, BufReader, Seek},
    sync::Arc,
};

/// Largest chunk that is decoded as a whole; usual ones hold 50,000 points.
const WHOLE: u64 = 1 << 18;
/// Records decompressed before they are taken apart, and points of a block in the other case.
const STEP: usize = 1024;
const BLOCK: u64 = 1 << 16;
/// Most extra bytes a record may have: the decoder keeps 12 KiB of state for each.
const MOST_EXTRA: usize = 4096;

/// The compressed points of a file.
pub(super) struct Compressed {
    bytes: Arc<Bytes>,
    vlr: LazVlr,
    stride: usize,
    count: u64,
    /// First byte of the first chunk.
    start: u64,
    /// First byte behind the chunks.
    end: u64,
    chunks: Chunks,
}

/// How points are split into chunks.
enum Chunks {
    /// Listed in the file.
    Known(Vec<Span>),
    /// Each of so many points; where one ends is known when it is decoded.
    Unlisted(u64),
}

/// A chunk.
#[derive(Debug, Clone, Copy)]
struct Span {
    start: u64,
    end: u64,
    /// Index of its first point.
    first: u64,
    points: u64,
}

impl Compressed {
    /// Reads the description of the compression and the list of chunks.
    pub(super) fn open(bytes: &Arc<Bytes>, header: &Header) -> Result<Compressed> {
        let record = header.laszip.as_deref();
        let record =
            record.ok_or_else(|| header.fault("the record that describes LAZ is missing"))?;
        let vlr = LazVlr::from_buffer(record)
            .map_err(|error| header.fault(format!("the LAZ record is damaged: {error}")))?;
        let fault = |message: &str| header.fault(format!("the LAZ record is damaged: {message}"));
        let size: usize = vlr.items().iter().map(item_size).sum();
        if size != header.stride()
            || vlr.items().iter().any(|item| item_size(item) != usize::from(item.size()))
        {
            return Err(fault("it does not fit the length of a point"));
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

    /// A pass over the points.
    pub(super) fn blocks(self: &Arc<Self>, layout: Layout) -> Blocks {
        Blocks {
            file: self.clone(),
            selection: selection(&layout),
            layout,
            given: 0,
            chunk: 0,
            open: None,
        }
    }

    /// Records from all over the file, or from its start where chunks are not listed.
    pub(super) fn sample(&self) -> Result<Vec<u8>> {
        const RUNS: usize = 16;
        let spans = match &self.chunks {
            Chunks::Known(spans) => {
                let step = spans.len().div_ceil(RUNS).max(1);
                spans.iter().step_by(step).copied().collect()
            }
            Chunks::Unlisted(_) => {
                vec![Span { start: self.start, end: self.end, first: 0, points: self.count }]
            }
        };
        let runs: Result<Vec<Vec<u8>>> = spans
            .into_par_iter()
            .map(|span| {
                let points = span.points.min(BLOCK / RUNS as u64);
                let mut records = vec![0; points as usize * self.stride];
                let everything = DecompressionSelection::all();
                Decoder::open(self, span, everything)?.read(self, &mut records)?;
                Ok(records)
            })
            .collect();
        Ok(runs?.concat())
    }

    /// Checks the lengths of the layers of a chunk, which the decoder allocates unseen.
    fn check_layers(&self, span: Span) -> Result<()> {
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

    fn damage(&self, point: u64, message: &str) -> Error {
        let place = format!("point {point}");
        Error::format(
            self.bytes.path(),
            place,
            format!("the compressed data are damaged: {message}"),
        )
    }
}

/// A chunk that is being decoded.
struct Decoder {
    records: Box<dyn RecordDecompressor<BufReader<Section>> + Send + Sync>,
    span: Span,
    /// Points decoded.
    done: u64,
}

impl Decoder {
    fn open(file: &Compressed, span: Span, selection: DecompressionSelection) -> Result<Decoder> {
        let source = BufReader::with_capacity(
            1 << 16,
            Section::new(file.bytes.clone(), span.start, span.end),
        );
        let layered = file.vlr.items().first().is_some_and(|item| item.version() >= 3);
        let mut records: Box<dyn RecordDecompressor<_> + Send + Sync> = if layered {
            file.check_layers(span)?;
            Box::new(LayeredPointRecordDecompressor::new(source))
        } else {
            Box::new(SequentialPointRecordDecompressor::new(source))
        };
        records
            .set_fields_from(file.vlr.items())
            .map_err(|error| file.damage(span.first, &error.to_string()))?;
        records.set_selection(selection);
        Ok(Decoder { records, span, done: 0 })
    }

    fn left(&self) -> u64 {
        self.span.points - self.done
    }

    /// Fills `out` with whole records.
    fn read(&mut self, file: &Compressed, out: &mut [u8]) -> Result<()> {
        let caught = catch(|| {
            for record in out.chunks_exact_mut(file.stride) {
                self.records.decompress_next(record)?;
                self.done += 1;
            }
            Ok::<_, io::Error>(())
        });
        let message = match caught {
            Ok(Ok(())) => return Ok(()),
            Ok(Err(error)) if error.kind() == io::ErrorKind::UnexpectedEof => {
                "they end early".into()
            }
            Ok(Err(error)) => return Err(Error::io(file.bytes.path())(error)),
            Err(message) => message,
        };
        Err(file.damage(self.span.first + self.done, &message))
    }

    /// Decodes up to `most` further points.
    fn block(&mut self, file: &Compressed, layout: &Layout, most: u64) -> Result<Chunk> {
        let mut chunk = Chunk::default();
        chunk.resize(self.left().min(most) as usize, layout.fields());
        let mut records = vec![0; STEP.min(chunk.len()) * file.stride];
        for columns in chunk.columns(STEP) {
            let records = &mut records[..columns.x.len() * file.stride];
            self.read(file, records)?;
            layout.decode(records, columns);
        }
        Ok(chunk)
    }
}

/// A pass over compressed points.
pub(super) struct Blocks {
    file: Arc<Compressed>,
    layout: Layout,
    selection: DecompressionSelection,
    /// Points given out.
    given: u64,
    /// Chunks started.
    chunk: usize,
    /// The chunk that is given out in parts.
    open: Option<Decoder>,
}

impl BlockSource for Blocks {
    fn fill(&mut self, queue: &mut VecDeque<Chunk>) -> Result<()> {
        let file = self.file.clone();
        if let Chunks::Known(spans) = &file.chunks {
            let spans = spans.get(self.chunk..).unwrap_or_default();
            let small = spans.iter().take_while(|span| span.points <= WHOLE);
            let small = small.take(rayon::current_num_threads()).count();
            if small > 0 && self.open.is_none() {
                return self.fill_whole(&file, &spans[..small], queue);
            }
        }
        self.fill_part(&file, queue)
    }
}

impl Blocks {
    /// Decodes whole chunks side by side.
    fn fill_whole(
        &mut self,
        file: &Compressed,
        spans: &[Span],
        queue: &mut VecDeque<Chunk>,
    ) -> Result<()> {
        let decoded: Vec<Result<Chunk>> = spans
            .par_iter()
            .map(|&span| {
                Decoder::open(file, span, self.selection)?.block(file, &self.layout, span.points)
            })
            .collect();
        let decoded: Vec<Chunk> = decoded.into_iter().collect::<Result<_>>()?;
        self.chunk += decoded.len();
        self.given += spans.iter().map(|span| span.points).sum::<u64>();
        queue.extend(decoded);
        Ok(())
    }

    /// Decodes a part of a chunk that is large, or whose end is not known.
    fn fill_part(&mut self, file: &Compressed, queue: &mut VecDeque<Chunk>) -> Result<()> {
        if self.given == file.count {
            return Ok(());
        }
        let mut decoder = match self.open.take() {
            Some(decoder) if decoder.left() > 0 => decoder,
            before => {
                let span = self.next_span(file, before)?;
                self.chunk += 1;
                Decoder::open(file, span, self.selection)?
            }
        };
        let block = decoder.block(file, &self.layout, BLOCK)?;
        self.given += block.len() as u64;
        let listed = matches!(file.chunks, Chunks::Known(_));
        self.open = (decoder.left() > 0 || !listed).then_some(decoder);
        queue.push_back(block);
        Ok(())
    }

    fn next_span(&self, file: &Compressed, before: Option<Decoder>) -> Result<Span> {
        match &file.chunks {
            Chunks::Known(spans) => {
                let span = spans.get(self.chunk).copied();
                span.ok_or_else(|| file.damage(self.given, "a chunk is missing"))
            }
            Chunks::Unlisted(size) => {
                let start = match before {
                    None => file.start,
                    Some(mut decoder) => {
                        let position = decoder.records.get_mut().stream_position();
                        position.map_err(Error::io(file.bytes.path()))?
                    }
                };
                Ok(Span {
                    start,
                    end: file.end,
                    first: self.given,
                    points: (*size).min(file.count - self.given),
                })
            }
        }
    }
}

/// The layers of a chunk that have to be decoded; the older form, without layers, has no choice.
fn selection(layout: &Layout) -> DecompressionSelection {
    let mut selection = DecompressionSelection::base().decompress_z();
    if layout.intensity.is_some() {
        selection = selection.decompress_intensity();
    }
    if layout.colour.is_some() {
        selection = selection.decompress_rgb();
    }
    if layout.label.is_some() {
        selection = selection.decompress_extra_bytes();
    }
    selection
}

/// Length of an item of a record.
fn item_size(item: &LazItem) -> usize {
    match item.item_type() {
        LazItemType::Byte(size) | LazItemType::Byte14(size) => size.into(),
        LazItemType::Point10 => 20,
        LazItemType::GpsTime => 8,
        LazItemType::RGB12 | LazItemType::RGB14 => 6,
        LazItemType::RGBNIR14 => 8,
        LazItemType::WavePacket13 | LazItemType::WavePacket14 => 29,
        LazItemType::Point14 => 30,
    }
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
