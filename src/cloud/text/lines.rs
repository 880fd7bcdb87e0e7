//! Points in lines of numbers, parsed block by block on all cores.

use super::{
    super::{
        Chunk, Note,
        blocks::BlockSource,
        bytes::{Bytes, Section},
        scale::{PointNumbers, Role},
    },
    line::LineFormat,
    schema::{is_front, names_others},
};
use crate::{Error, Result};
use memchr::{memchr, memchr_iter};
use rayon::prelude::*;
use std::{
    collections::VecDeque,
    io::{BufRead, BufReader},
    sync::Arc,
};

/// Bytes that one core parses at a time: they and their points stay in its cache.
const BLOCK: u64 = 1 << 19;
/// Longest line; what is longer is no line of numbers.
const LONGEST: usize = 1 << 20;

/// What is said of lines that belong to the front of a file.
const MERGED: &str = "names of columns or a count of points, as at the start of a file: this looks like several \
    exports in one; take such lines out, or give each file by itself";

/// How many points the lines hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in super::super) enum Expect {
    /// As many as there are.
    Any,
    /// The first so many lines; something else may follow.
    First(u64),
    /// So many, as the header says; nothing else may follow.
    All(u64),
    /// So many, as said on this line.
    Exactly(u64, u64),
}

/// A pass over lines of points.
pub(in super::super) struct Lines {
    bytes: Arc<Bytes>,
    format: LineFormat,
    expect: Expect,
    /// What the columns of a text are, and what they are by their names alone: a comment that names others is the start of another
    /// file. Nothing where it was said.
    columns: Vec<Vec<Option<Role>>>,
    /// Where lines start.
    start: u64,
    /// Where the next block starts.
    next: u64,
    /// Number of the first line of the next block.
    line: u64,
    /// Points given.
    given: u64,
    block: u64,
    /// Chunks whose memory is free again.
    spare: Vec<Chunk>,
}

/// What came of a block.
struct Parsed {
    chunk: Chunk,
    lines: u64,
    /// The line in the block that is wrong, counted from 0, and why.
    fault: Option<(u64, String)>,
}

impl Lines {
    /// Starts a pass at byte `start`, which is the start of line number `line`.
    pub(in super::super) fn new(
        bytes: &Arc<Bytes>,
        start: u64,
        line: u64,
        format: LineFormat,
        expect: Expect,
    ) -> Lines {
        Lines {
            bytes: bytes.clone(),
            format,
            expect,
            columns: Vec::new(),
            start,
            next: start,
            line,
            given: 0,
            block: BLOCK,
            spare: Vec::new(),
        }
    }

    /// Refuses comments that name other columns than these.
    pub(super) fn with_columns(self, columns: Vec<Vec<Option<Role>>>) -> Lines {
        Lines { columns, ..self }
    }

    /// Whether a line without content is a comment that names other columns.
    fn names_others(&self, line: &[u8]) -> bool {
        !self.columns.is_empty() && names_others(line.trim_ascii(), &self.columns)
    }

    /// Parses the lines that start in `from..from + block`; `chunk` and `text` are memory to use.
    fn parse(&self, from: u64, chunk: Chunk, text: &mut Vec<u8>) -> Result<Parsed> {
        let first = lines_within(&self.bytes, self.start, from, self.block, text)?;
        let mut parsed = Parsed { chunk, lines: 0, fault: None };
        parsed.chunk.clear();
        let mut row = PointNumbers::default();
        let mut rest = &text[first..];
        while !rest.is_empty() {
            let end = memchr(b'\n', rest).map_or(rest.len(), |at| at + 1);
            let (line, after) = rest.split_at(end);
            rest = after;
            if line.len() > LONGEST {
                parsed.fault = Some((parsed.lines, "the line is longer than 1 MiB".into()));
                break;
            }
            if let Some(line) = self.format.style.content(line) {
                if let Err((column, at)) = self.format.row(line, &mut row) {
                    let is_text = matches!(self.expect, Expect::Any | Expect::Exactly(..));
                    let message = if is_text && is_front(line.trim_ascii()) {
                        MERGED.to_owned()
                    } else {
                        self.format.complain(at, column)
                    };
                    parsed.fault = Some((parsed.lines, message));
                    break;
                }
                self.format.shape.push(&row, &mut parsed.chunk);
            } else if self.names_others(line) {
                parsed.fault = Some((parsed.lines, MERGED.to_owned()));
                break;
            }
            parsed.lines += 1;
        }
        Ok(parsed)
    }

    /// Points that may still be given.
    fn left(&self, given: u64) -> u64 {
        match self.expect {
            Expect::Any => u64::MAX,
            Expect::First(count) | Expect::All(count) | Expect::Exactly(count, _) => count - given,
        }
    }

    fn fault(&self, place: String, message: impl Into<String>) -> Error {
        Error::format(self.bytes.path(), place, message)
    }

    /// Checks the number of points at the end of the file.
    fn finish(&self) -> Result<()> {
        match self.expect {
            Expect::First(count) | Expect::All(count) if self.given < count => Err(self.fault(
                format!("point {}", self.given),
                format!("the file ends before, its header promises {count}"),
            )),
            Expect::Exactly(count, line) if self.given < count => Err(self.fault(
                format!("line {line}"),
                format!("{count} points are promised, the file holds {}", self.given),
            )),
            _ => Ok(()),
        }
    }

    /// Takes over the parsed blocks in their order.
    fn accept(&mut self, parsed: Vec<Result<Parsed>>, queue: &mut VecDeque<Chunk>) -> Result<()> {
        let (mut given, mut line) = (self.given, self.line);
        let mut blocks = Vec::new();
        for block in parsed {
            let Parsed { mut chunk, lines, fault } = block?;
            let left = self.left(given);
            let (has_more, has_all) = (chunk.len() as u64 > left, chunk.len() as u64 == left);
            if let Expect::All(count) = self.expect
                && (has_more || has_all && fault.is_some())
            {
                let message = format!(
                    "the header promises {count}, and the file goes on; if it is several in one, give each by itself"
                );
                return Err(self.fault(format!("point {count}"), message));
            }
            if chunk.len() as u64 >= left && matches!(self.expect, Expect::First(_)) {
                chunk.truncate(left as usize);
            } else if let Some((at, message)) = fault {
                return Err(self.fault(format!("line {}", line + at), message));
            }
            if let Expect::Exactly(count, at) = self.expect
                && has_more
            {
                return Err(self.fault(
                    format!("line {at}"),
                    format!("{count} points are promised, there are more"),
                ));
            }
            given += chunk.len() as u64;
            line += lines;
            blocks.push(chunk);
        }
        (self.given, self.line) = (given, line);
        queue.extend(blocks);
        Ok(())
    }
}

impl BlockSource for Lines {
    fn fill(&mut self, queue: &mut VecDeque<Chunk>) -> Result<()> {
        let ended = matches!(self.expect, Expect::First(count) if count == self.given);
        if ended || self.next >= self.bytes.len() {
            return self.finish();
        }
        let left = (self.bytes.len() - self.next).div_ceil(self.block);
        let blocks = left.min(4 * rayon::current_num_threads() as u64);
        let spare = std::mem::take(&mut self.spare).into_iter();
        let spare = spare.chain(std::iter::repeat_with(Chunk::default));
        let work: Vec<(u64, Chunk)> = (0..blocks).zip(spare).collect();
        let parsed: Vec<_> = work
            .into_par_iter()
            .map_init(Vec::new, |text, (index, chunk)| {
                self.parse(self.next + index * self.block, chunk, text)
            })
            .collect();
        self.accept(parsed, queue)?;
        self.next += blocks * self.block;
        Ok(())
    }

    fn recycle(&mut self, block: Chunk) {
        self.spare.push(block);
    }
}

/// Replaces `text` by the lines that start in `from..from + block`, `start` being the start of the
/// first line of all; returns where in `text` the first such line starts.
fn lines_within(
    bytes: &Bytes,
    start: u64,
    from: u64,
    block: u64,
    text: &mut Vec<u8>,
) -> Result<usize> {
    text.clear();
    let end = bytes.len().min(from + block);
    // A line starts where the byte before is a line's end.
    let front = if from == start { from } else { from - 1 };
    bytes.append(front, end, text)?;
    let mut first = 0;
    if front < from {
        first = memchr(b'\n', text).map_or(text.len(), |at| at + 1);
    }
    // The last line may go on behind the block.
    let mut at = end;
    let most = end.saturating_add(LONGEST as u64).min(bytes.len());
    while at < most && first < text.len() && text.last() != Some(&b'\n') {
        let old = text.len();
        let to = most.min(at + 4096);
        bytes.append(at, to, text)?;
        at = to;
        if let Some(end) = memchr(b'\n', &text[old..]) {
            text.truncate(old + end + 1);
        }
    }
    Ok(first)
}

/// The byte and the line number behind `count` lines that are not blank.
pub(in super::super) fn skip(
    bytes: &Arc<Bytes>,
    start: u64,
    line: u64,
    count: u64,
) -> Result<(u64, u64)> {
    let section = Section::new(bytes.clone(), start, bytes.len());
    let mut stream = BufReader::with_capacity(1 << 16, section);
    let (mut at, mut line, mut left, mut blank) = (start, line, count, true);
    while left > 0 {
        let buffer = stream.fill_buf().map_err(Error::io(bytes.path()))?;
        if buffer.is_empty() {
            return Err(Error::format(
                bytes.path(),
                format!("line {line}"),
                "the file ends before the first vertex",
            ));
        }
        let end = memchr(b'\n', buffer);
        let length = end.map_or(buffer.len(), |end| end + 1);
        blank &= buffer[..length].trim_ascii().is_empty();
        stream.consume(length);
        at += length as u64;
        if end.is_some() {
            left -= u64::from(!blank);
            line += 1;
            blank = true;
        }
    }
    Ok((at, line))
}

/// What to say where more than `count` lines that are not blank follow byte `start`.
pub(in super::super) fn more(bytes: &Arc<Bytes>, start: u64, count: u64) -> Result<Option<Note>> {
    let blocks = (bytes.len() - start).div_ceil(BLOCK);
    let ends = |text: &mut Vec<u8>, block: u64| -> Result<u64> {
        let from = start + block * BLOCK;
        text.clear();
        bytes.append(from, bytes.len().min(from + BLOCK), text)?;
        Ok(memchr_iter(b'\n', text).count() as u64)
    };
    // A file that is as it should be has no line to spare, and to count them takes little time.
    let lines: u64 = (0..blocks).into_par_iter().map_init(Vec::new, ends).sum::<Result<u64>>()?;
    let mut last = Vec::new();
    bytes.append(bytes.len().saturating_sub(1).max(start), bytes.len(), &mut last)?;
    if lines < count || lines == count && last == b"\n" {
        return Ok(None);
    }
    // A file that ends before is an error when it is read.
    let Ok((end, _)) = skip(bytes, start, 1, count) else { return Ok(None) };
    let is_blank = bytes.head(end, BLOCK)?.trim_ascii().is_empty();
    Ok((!is_blank).then_some(Note::MoreBytes { bytes: bytes.len() - end }))
}

#[cfg(test)]
mod tests {
    use super::{
        super::{
            super::scale::Role,
            line::{Separator, Step, Style},
        },
        *,
    };
    use std::path::Path;

    #[test]
    fn blocks_of_any_size_hold_each_line_once() {
        let text = b"head\n1 2 3\n\n44 55 66\r\n# no\n7 8 9 tail\n10 11 12".to_vec();
        let bytes = Arc::new(Bytes::memory(Path::new("m"), text));
        let steps = [0, 1, 2].map(|axis| Step::Take(Role::Axis(axis)));
        for block in 1..60 {
            let format = LineFormat::new(Style::plain(Separator::Space), steps.to_vec());
            let mut lines = Lines::new(&bytes, 5, 2, format, Expect::Any);
            lines.block = block;
            let mut queue = VecDeque::new();
            let mut x = Vec::new();
            loop {
                lines.fill(&mut queue).unwrap();
                if queue.is_empty() {
                    break;
                }
                queue.drain(..).for_each(|chunk| x.extend(chunk.x));
            }
            assert_eq!(x, [1.0, 44.0, 7.0, 10.0], "blocks of {block}");
            assert_eq!(lines.line, 8, "the line behind the last");
        }
    }

    #[test]
    fn skipping_counts_lines_that_are_not_blank() {
        let bytes = Arc::new(Bytes::memory(Path::new("m"), b"a\n\n \r\nbb\nccc".to_vec()));
        assert_eq!(skip(&bytes, 0, 1, 2).unwrap(), (9, 5));
        assert_eq!(skip(&bytes, 0, 1, 0).unwrap(), (0, 1));
        assert!(skip(&bytes, 0, 1, u64::MAX).is_err());
    }
}
