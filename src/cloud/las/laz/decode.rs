//! Chunks of compressed points, decoded side by side or, if they are large, part by part.

use super::{
    super::super::{Chunk, blocks::BlockSource, bytes::Section, quiet::catch, records::Layout},
    compressed::{Chunks, Compressed, Span},
    gps::GpsTimes,
};
use crate::{Error, Result};
use laz::{
    DecompressionSelection, LazItem, LazItemType,
    record::{
        LayeredPointRecordDecompressor, RecordDecompressor, SequentialPointRecordDecompressor,
    },
};
use rayon::prelude::*;
use std::{
    collections::VecDeque,
    io::{self, BufReader, Read, Seek},
    sync::Arc,
};

/// Largest chunk that is decoded as a whole; usual ones hold 50,000 points.
pub(super) const WHOLE: u64 = 1 << 18;
/// Points of a block in the other case.
const BLOCK: u64 = 1 << 16;
/// Records that are decompressed before they are taken apart.
const STEP: usize = 1024;

/// A chunk that is being decoded.
pub(super) struct Decoder {
    records: Box<dyn RecordDecompressor<BufReader<Section>> + Send + Sync>,
    span: Span,
    /// Points decoded.
    done: u64,
}

impl Decoder {
    /// Starts with a chunk.
    pub(super) fn open(
        file: &Compressed,
        span: Span,
        selection: DecompressionSelection,
    ) -> Result<Decoder> {
        let source = BufReader::with_capacity(
            1 << 16,
            Section::new(file.bytes.clone(), span.start, span.end),
        );
        let layered = file.vlr.items().first().is_some_and(|item| item.version() >= 3);
        let items = file.vlr.items();
        let mut records: Box<dyn RecordDecompressor<_> + Send + Sync> = if layered {
            file.check_layers(span)?;
            let mut records = LayeredPointRecordDecompressor::new(source);
            records
                .set_fields_from(items)
                .map_err(|error| file.damage(span.first, &error.to_string()))?;
            Box::new(records)
        } else {
            let records = sequential(items, source);
            let unknown = || file.damage(span.first, "an item of unknown version");
            Box::new(records.ok_or_else(unknown)?)
        };
        records.set_selection(selection);
        Ok(Decoder { records, span, done: 0 })
    }

    fn left(&self) -> u64 {
        self.span.points - self.done
    }

    /// Fills `out` with whole records.
    pub(super) fn read(&mut self, file: &Compressed, out: &mut [u8]) -> Result<()> {
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
            Ok(Err(error)) if error.kind() == io::ErrorKind::InvalidData => error.to_string(),
            Ok(Err(error)) => return Err(Error::io(file.bytes.path())(error)),
            Err(message) => message,
        };
        Err(file.damage(self.span.first + self.done, &message))
    }

    /// Decodes up to `most` further points.
    pub(super) fn chunk(&mut self, file: &Compressed, layout: &Layout, most: u64) -> Result<Chunk> {
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

    /// Decodes up to `most` further records and leaves them as they stand.
    fn records(&mut self, file: &Compressed, _layout: &Layout, most: u64) -> Result<Vec<u8>> {
        let mut records = vec![0; self.left().min(most) as usize * file.stride];
        self.read(file, &mut records)?;
        Ok(records)
    }
}

/// What is made of up to so many further points.
type Make<B> = fn(&mut Decoder, &Compressed, &Layout, u64) -> Result<B>;

/// The decoder of records without layers; `None` for items of another kind or version.
fn sequential<R: Read>(
    items: &[LazItem],
    source: R,
) -> Option<SequentialPointRecordDecompressor<'static, R>> {
    use laz::las::{v1, v2};

    let mut records = SequentialPointRecordDecompressor::new(source);
    for item in items {
        let size = item.size().into();
        match (item.item_type(), item.version()) {
            (LazItemType::Point10, 1) => {
                records.add_field_decompressor(v1::LasPoint0Decompressor::default());
            }
            (LazItemType::Point10, 2) => {
                records.add_field_decompressor(v2::LasPoint0Decompressor::default());
            }
            (LazItemType::GpsTime, 1) => {
                records.add_field_decompressor(v1::LasGpsTimeDecompressor::default());
            }
            (LazItemType::GpsTime, 2) => records.add_field_decompressor(GpsTimes::default()),
            (LazItemType::RGB12, 1) => {
                records.add_field_decompressor(v1::LasRGBDecompressor::default());
            }
            (LazItemType::RGB12, 2) => {
                records.add_field_decompressor(v2::LasRGBDecompressor::default());
            }
            (LazItemType::WavePacket13, 1 | 2) => {
                records.add_field_decompressor(v1::LasWavepacketDecompressor::default());
            }
            (LazItemType::Byte(_), 1) => {
                records.add_field_decompressor(v1::LasExtraByteDecompressor::new(size));
            }
            (LazItemType::Byte(_), 2) => {
                records.add_field_decompressor(v2::LasExtraByteDecompressor::new(size));
            }
            _ => return None,
        }
    }
    Some(records)
}

impl Compressed {
    /// A pass over the points.
    pub(in super::super) fn blocks(self: &Arc<Self>, layout: Layout) -> Blocks {
        let selection = selection(&layout);
        Blocks::new(self.clone(), layout, selection)
    }

    /// A pass over the points with all that they have.
    pub(in super::super) fn records(self: &Arc<Self>, layout: Layout) -> Blocks {
        Blocks::new(self.clone(), layout, DecompressionSelection::all())
    }

    /// Records from all over the file, or from its start where chunks are not listed.
    pub(in super::super) fn sample(&self, layout: &Layout) -> Result<Vec<u8>> {
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
                let points = span.points.min(4096);
                let mut records = vec![0; points as usize * self.stride];
                Decoder::open(self, span, selection(layout))?.read(self, &mut records)?;
                Ok(records)
            })
            .collect();
        Ok(runs?.concat())
    }
}

/// A pass over compressed points.
pub(in super::super) struct Blocks {
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
        self.decode(Decoder::chunk, queue)
    }
}

impl Blocks {
    /// Starts a pass.
    fn new(file: Arc<Compressed>, layout: Layout, selection: DecompressionSelection) -> Blocks {
        Blocks { file, selection, layout, given: 0, chunk: 0, open: None }
    }

    /// Length of a record.
    pub(in super::super) fn stride(&self) -> usize {
        self.file.stride
    }

    /// Appends further records as they stand; appends none at the end.
    pub(in super::super) fn records(&mut self, queue: &mut Vec<Vec<u8>>) -> Result<()> {
        self.decode(Decoder::records, queue)
    }

    /// Appends further blocks; appends none at the end.
    fn decode<B: Send>(&mut self, make: Make<B>, queue: &mut impl Extend<B>) -> Result<()> {
        let file = self.file.clone();
        if let Chunks::Known(spans) = &file.chunks {
            let spans = spans.get(self.chunk..).unwrap_or_default();
            let small = spans.iter().take_while(|span| span.points <= WHOLE);
            let small = small.take(rayon::current_num_threads()).count();
            if small > 0 && self.open.is_none() {
                return self.decode_whole(make, &file, &spans[..small], queue);
            }
        }
        self.decode_part(make, &file, queue)
    }

    /// Decodes whole chunks side by side.
    fn decode_whole<B: Send>(
        &mut self,
        make: Make<B>,
        file: &Compressed,
        spans: &[Span],
        queue: &mut impl Extend<B>,
    ) -> Result<()> {
        let decoded: Vec<Result<B>> = spans
            .par_iter()
            .map(|&span| {
                let mut decoder = Decoder::open(file, span, self.selection)?;
                make(&mut decoder, file, &self.layout, span.points)
            })
            .collect();
        let decoded: Vec<B> = decoded.into_iter().collect::<Result<_>>()?;
        self.chunk += decoded.len();
        self.given += spans.iter().map(|span| span.points).sum::<u64>();
        queue.extend(decoded);
        Ok(())
    }

    /// Decodes a part of a chunk that is large, or whose end is not known.
    fn decode_part<B>(
        &mut self,
        make: Make<B>,
        file: &Compressed,
        queue: &mut impl Extend<B>,
    ) -> Result<()> {
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
        let before = decoder.done;
        let block = make(&mut decoder, file, &self.layout, BLOCK)?;
        self.given += decoder.done - before;
        let listed = matches!(file.chunks, Chunks::Known(_));
        self.open = (decoder.left() > 0 || !listed).then_some(decoder);
        queue.extend([block]);
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
///
/// GPS times must never be among them: `laz` recurses without end on damaged ones.
pub(super) fn selection(layout: &Layout) -> DecompressionSelection {
    let mut selection = DecompressionSelection::base().decompress_z();
    if layout.intensity.is_some() {
        selection = selection.decompress_intensity();
    }
    if layout.colour.is_some() {
        selection = selection.decompress_rgb();
    }
    if layout.class.is_some() {
        selection = selection.decompress_classification();
    }
    if layout.label.is_some() {
        selection = selection.decompress_extra_bytes();
    }
    selection
}
