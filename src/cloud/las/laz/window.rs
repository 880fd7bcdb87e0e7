//! A pass over the chunks that may hold points of a box.

use super::super::super::{Chunk, blocks::BlockSource, records::Layout};
use super::compressed::{Chunks, Compressed, Span};
use super::decode::{Decoder, WHOLE, selection};
use crate::Result;
use rayon::prelude::*;
use std::{
    collections::{HashSet, VecDeque},
    sync::Arc,
};

/// Most chunks that are passed over in one go.
const PASSED: usize = 64;

/// A pass that gives points of NaN in place of those in some chunks.
pub(in super::super) struct Window {
    file: Arc<Compressed>,
    layout: Layout,
    /// Chunks that are passed over, by the bytes at which they start.
    outside: HashSet<u64>,
    /// Chunks started.
    chunk: usize,
}

impl Compressed {
    /// A pass over the points without those of the chunks that start at the bytes `outside`; `None` where
    /// chunks are not listed, or too large to be held as a whole.
    pub(in super::super) fn window(
        self: &Arc<Self>,
        layout: &Layout,
        outside: HashSet<u64>,
    ) -> Option<Window> {
        let Chunks::Known(spans) = &self.chunks else { return None };
        let is_small = spans.iter().all(|span| span.points <= WHOLE);
        let (file, layout) = (self.clone(), layout.clone());
        is_small.then_some(Window { file, layout, outside, chunk: 0 })
    }
}

impl Window {
    /// Whether a chunk is passed over. One that is too short for its first point is left for the decoder to judge.
    fn passes(&self, span: &Span) -> bool {
        let has_room = span.end - span.start >= self.file.stride as u64;
        has_room && self.outside.contains(&span.start)
    }

    fn read(&self, span: Span) -> Result<Chunk> {
        if !self.passes(&span) {
            let mut decoder = Decoder::open(&self.file, span, selection(&self.layout))?;
            return decoder.chunk(&self.file, &self.layout, span.points);
        }
        let mut chunk = Chunk::default();
        chunk.resize(span.points as usize, self.layout.fields());
        [&mut chunk.x, &mut chunk.y, &mut chunk.z].into_iter().for_each(|axis| axis.fill(f64::NAN));
        Ok(chunk)
    }
}

impl BlockSource for Window {
    fn fill(&mut self, queue: &mut VecDeque<Chunk>) -> Result<()> {
        let Chunks::Known(spans) = &self.file.chunks else { return Ok(()) };
        let spans = spans.get(self.chunk..).unwrap_or_default();
        let mut wanted = 0;
        let next = spans.iter().take(PASSED).take_while(|span| {
            wanted += usize::from(!self.passes(span));
            wanted <= rayon::current_num_threads()
        });
        let next: Vec<Span> = next.copied().collect();
        let read: Vec<Result<Chunk>> = next.par_iter().map(|&span| self.read(span)).collect();
        queue.extend(read.into_iter().collect::<Result<Vec<Chunk>>>()?);
        self.chunk += next.len();
        Ok(())
    }
}
