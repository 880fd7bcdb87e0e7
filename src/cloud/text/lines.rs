//! Points in lines of numbers, parsed block by block on all cores.

use super::super::{
    Chunk,
    blocks::BlockSource,
    bytes::{Bytes, Section},
    scale::{Role, Row, Shape},
};
use crate::{Error, Result};
use memchr::memchr;
use rayon::prelude::*;
use std::{
    borrow::Cow,
    collections::VecDeque,
    io::{BufRead, BufReader},
    sync::Arc,
};

/// Bytes that one core parses at a time.
const BLOCK: u64 = 4 << 20;
/// Longest line; what is longer is no line of numbers.
const LONGEST: usize = 1 << 20;
/// Bytes looked at to decide what columns hold.
pub(in super::super) const SAMPLE: u64 = 1 << 16;

/// What stands between two numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in super::super) enum Separator {
    /// Blanks and tabs, any number of them.
    Space,
    /// This character, with or without blanks around it.
    Char(u8),
}

impl Separator {
    /// The separator that a line of numbers seems to use.
    pub(super) fn guess(line: &[u8]) -> Separator {
        let found = [b';', b','].into_iter().find(|byte| line.contains(byte));
        found.map_or(Separator::Space, Separator::Char)
    }

    /// The first column of a line without blanks at its front.
    pub(super) fn first(self, line: &[u8]) -> &[u8] {
        let end = line.iter().position(|&byte| match self {
            Separator::Space => is_blank(byte),
            Separator::Char(separator) => byte == separator,
        });
        line[..end.unwrap_or(line.len())].trim_ascii_end()
    }

    /// What follows the separator at the front of `rest`, which stands behind a column; `None` if
    /// there is something else.
    #[inline]
    pub(super) fn skip(self, rest: &[u8]) -> Option<&[u8]> {
        let after = trim(rest);
        match self {
            Separator::Space => (after.len() < rest.len() || rest.is_empty()).then_some(after),
            Separator::Char(separator) => match after.split_first() {
                None => Some(after),
                Some((&first, after)) => (first == separator).then(|| trim(after)),
            },
        }
    }
}

#[inline]
fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\r')
}

/// `text` without the blanks at its front.
#[inline]
fn trim(text: &[u8]) -> &[u8] {
    let end = text.iter().position(|&byte| !is_blank(byte));
    &text[end.unwrap_or(text.len())..]
}

/// The content of a line; `None` if it is blank or a comment.
#[inline]
pub(super) fn content(line: &[u8]) -> Option<&[u8]> {
    let line = trim(line);
    match line {
        [] | [b'#', ..] | [b'/', b'/', ..] => None,
        _ => Some(line),
    }
}

/// The number at the front of `text` and its length.
#[inline]
pub(super) fn number(text: &[u8]) -> Option<(f64, usize)> {
    let (value, length) = fast_float2::parse_partial::<f64, _>(text).ok()?;
    match text.get(length) {
        // Some C libraries write infinities and NaN as 1.#INF, -1.#IND, 1.#QNAN; others as nan(ind).
        Some(b'#' | b'(') => {
            let rest = text.iter().skip(length);
            let more = rest.take_while(|&&b| b.is_ascii_alphanumeric() || b"#()".contains(&b));
            Some((f64::NAN, length + more.count()))
        }
        _ => Some((value, length)),
    }
}

/// What to do with a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in super::super) enum Step {
    /// It is this number of the point.
    Take(Role),
    /// It is of no use, whatever it is.
    Skip,
    /// It says how many columns follow that are of no use.
    List,
}

/// How a line becomes a point.
#[derive(Debug, Clone)]
pub(in super::super) struct LineFormat {
    separator: Separator,
    steps: Vec<Step>,
    shape: Shape,
}

impl LineFormat {
    /// Lines with these columns; columns behind the last one of use are never looked at.
    pub(in super::super) fn new(separator: Separator, mut steps: Vec<Step>) -> LineFormat {
        let last = steps.iter().rposition(|step| matches!(step, Step::Take(_)));
        steps.truncate(last.map_or(0, |last| last + 1));
        let roles = steps.iter().filter_map(|step| match step {
            Step::Take(role) => Some(*role),
            _ => None,
        });
        LineFormat {
            separator,
            shape: Shape::of(roles),
            steps,
        }
    }

    /// Decides the scales of colour and intensity by the lines from byte `start` on.
    pub(in super::super) fn fit_scales(
        &mut self,
        bytes: &Bytes,
        start: u64,
        floats: Option<[bool; 2]>,
    ) -> Result<()> {
        let sample = bytes.head(start, SAMPLE)?;
        let lines = sample.split_inclusive(|&byte| byte == b'\n');
        let whole = lines.filter(|line| line.ends_with(b"\n"));
        let rows = whole.filter_map(|line| self.row(content(line)?).ok());
        self.shape.fit(&rows.collect::<Vec<_>>(), floats);
        Ok(())
    }

    /// The numbers of a line with content.
    #[inline]
    fn row(&self, line: &[u8]) -> std::result::Result<Row, String> {
        let mut row = Row::default();
        let mut rest = line.strip_suffix(b"\n").unwrap_or(line);
        for (index, step) in self.steps.iter().enumerate() {
            match step {
                Step::Take(role) => {
                    let (value, after) = self.take(rest, index)?;
                    row[role.slot()] = value;
                    rest = after;
                }
                Step::Skip => rest = self.skip(rest, index)?,
                Step::List => {
                    let (count, after) = self.take(rest, index)?;
                    rest = after;
                    for _ in 0..count as u64 {
                        rest = self.skip(rest, index)?;
                    }
                }
            }
        }
        Ok(row)
    }

    #[inline]
    fn take<'a>(
        &self,
        rest: &'a [u8],
        index: usize,
    ) -> std::result::Result<(f64, &'a [u8]), String> {
        let taken = number(rest).and_then(|(value, length)| {
            let after = self.separator.skip(rest.get(length..)?)?;
            Some((value, after))
        });
        taken.ok_or_else(|| self.complain(rest, index))
    }

    fn skip<'a>(&self, rest: &'a [u8], index: usize) -> std::result::Result<&'a [u8], String> {
        if rest.is_empty() {
            return Err(self.complain(rest, index));
        }
        let after = &rest[self.separator.first(rest).len()..];
        self.separator
            .skip(after)
            .ok_or_else(|| self.complain(rest, index))
    }

    #[cold]
    fn complain(&self, rest: &[u8], index: usize) -> String {
        if trim(rest).is_empty() {
            return format!("column {} is missing", index + 1);
        }
        let text = String::from_utf8_lossy(self.separator.first(rest));
        format!("column {}: '{}' is not a number", index + 1, shorten(&text))
    }
}

/// The first characters of a text, fit for a message of one line.
pub(super) fn shorten(text: &str) -> Cow<'_, str> {
    const MOST: usize = 24;
    let odd = text.chars().any(char::is_control);
    if !odd && text.chars().count() <= MOST {
        return Cow::Borrowed(text);
    }
    let clean = text
        .chars()
        .map(|c| if c.is_control() { '\u{fffd}' } else { c });
    Cow::Owned(clean.take(MOST).chain(['…']).collect())
}

/// How many points the lines hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in super::super) enum Expect {
    /// As many as there are.
    Any,
    /// The first so many lines; something else may follow.
    First(u64),
    /// So many, as said on this line.
    Exactly(u64, u64),
}

/// A pass over lines of points.
pub(in super::super) struct Lines {
    bytes: Arc<Bytes>,
    format: LineFormat,
    expect: Expect,
    /// Where lines start.
    start: u64,
    /// Where the next block starts.
    next: u64,
    /// Number of the first line of the next block.
    line: u64,
    /// Points given.
    given: u64,
    block: u64,
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
            start,
            next: start,
            line,
            given: 0,
            block: BLOCK,
        }
    }

    /// Parses the lines that start in `from..from + block`.
    fn parse(&self, from: u64) -> Result<Parsed> {
        let (text, first) = lines_within(&self.bytes, self.start, from, self.block)?;
        let mut parsed = Parsed {
            chunk: Chunk::default(),
            lines: 0,
            fault: None,
        };
        parsed.chunk.x.reserve(text.len() / 24);
        parsed.chunk.y.reserve(text.len() / 24);
        parsed.chunk.z.reserve(text.len() / 24);
        let mut rest = &text[first..];
        while !rest.is_empty() {
            let end = memchr(b'\n', rest).map_or(rest.len(), |at| at + 1);
            let (line, after) = rest.split_at(end);
            rest = after;
            if line.len() > LONGEST {
                parsed.fault = Some((parsed.lines, "the line is longer than 1 MiB".into()));
                break;
            }
            if let Some(line) = content(line) {
                match self.format.row(line) {
                    Ok(row) => self.format.shape.push(&row, &mut parsed.chunk),
                    Err(message) => {
                        parsed.fault = Some((parsed.lines, message));
                        break;
                    }
                }
            }
            parsed.lines += 1;
        }
        Ok(parsed)
    }

    /// Points that may still be given.
    fn left(&self, given: u64) -> u64 {
        match self.expect {
            Expect::Any => u64::MAX,
            Expect::First(count) | Expect::Exactly(count, _) => count - given,
        }
    }

    fn fault(&self, place: String, message: impl Into<String>) -> Error {
        Error::format(self.bytes.path(), place, message)
    }

    /// Checks the number of points at the end of the file.
    fn finish(&self) -> Result<()> {
        match self.expect {
            Expect::First(count) if self.given < count => Err(self.fault(
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
            let Parsed {
                mut chunk,
                lines,
                fault,
            } = block?;
            let left = self.left(given);
            if chunk.len() as u64 >= left && matches!(self.expect, Expect::First(_)) {
                chunk.truncate(left as usize);
            } else if let Some((at, message)) = fault {
                return Err(self.fault(format!("line {}", line + at), message));
            }
            if let Expect::Exactly(count, at) = self.expect
                && chunk.len() as u64 > left
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
        let blocks = left.min(rayon::current_num_threads() as u64);
        let parsed: Vec<_> = (0..blocks)
            .into_par_iter()
            .map(|index| self.parse(self.next + index * self.block))
            .collect();
        self.accept(parsed, queue)?;
        self.next += blocks * self.block;
        Ok(())
    }
}

/// The lines that start in `from..from + block`, `start` being the start of the first line of all:
/// bytes, and where in them the first such line starts.
fn lines_within(bytes: &Bytes, start: u64, from: u64, block: u64) -> Result<(Vec<u8>, usize)> {
    let end = bytes.len().min(from + block);
    let mut text = Vec::with_capacity((end - from) as usize + 4096);
    // A line starts where the byte before is a line's end.
    let front = if from == start { from } else { from - 1 };
    bytes.append(front, end, &mut text)?;
    let mut first = 0;
    if front < from {
        first = memchr(b'\n', &text).map_or(text.len(), |at| at + 1);
    }
    // The last line may go on behind the block.
    let mut at = end;
    let most = end.saturating_add(LONGEST as u64).min(bytes.len());
    while at < most && first < text.len() && text.last() != Some(&b'\n') {
        let old = text.len();
        let to = most.min(at + 4096);
        bytes.append(at, to, &mut text)?;
        at = to;
        if let Some(end) = memchr(b'\n', &text[old..]) {
            text.truncate(old + end + 1);
        }
    }
    Ok((text, first))
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
