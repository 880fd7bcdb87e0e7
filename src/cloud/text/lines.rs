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

/// Bytes that one core parses at a time: they and their points stay in its cache.
const BLOCK: u64 = 1 << 19;
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
    matches!(byte, b' ' | b'\t' | b'\r' | b'\n')
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
    match decimal(text) {
        Some(number) => Some(number),
        None => odd_number(text),
    }
}

/// A number of up to 15 digits without an exponent, which nearly all are: a whole number below 2⁵³
/// divided by a power of ten that is exact, so rounded once, as the parser for all numbers rounds.
#[inline]
fn decimal(text: &[u8]) -> Option<(f64, usize)> {
    const POWERS: [f64; 16] =
        [1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15];
    let (mut mantissa, mut digits, mut fraction) = (0_u64, 0, None);
    let signed = matches!(text.first(), Some(b'-' | b'+'));
    let mut length = usize::from(signed);
    let next = loop {
        let next = text.get(length).copied().unwrap_or(b' ');
        let digit = next.wrapping_sub(b'0');
        if digit < 10 {
            mantissa = mantissa.wrapping_mul(10).wrapping_add(digit.into());
            digits += 1;
        } else if next == b'.' && fraction.is_none() {
            fraction = Some(digits);
        } else {
            break next;
        }
        length += 1;
    };
    if digits == 0 || digits > 15 || !(is_blank(next) || next == b',' || next == b';') {
        return None;
    }
    // Converting from a signed number takes one instruction.
    let value = mantissa as i64 as f64 / POWERS[digits - fraction.unwrap_or(digits)];
    let negative = text.first() == Some(&b'-');
    Some((if negative { -value } else { value }, length))
}

/// A number of any other kind.
#[cold]
fn odd_number(text: &[u8]) -> Option<(f64, usize)> {
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
        LineFormat { separator, shape: Shape::of(roles), steps }
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
        let rows = whole.filter_map(|line| {
            let mut row = Row::default();
            self.row(content(line)?, &mut row).ok().map(|()| row)
        });
        self.shape.fit(&rows.collect::<Vec<_>>(), floats);
        Ok(())
    }

    /// Fills `row` from a line with content. In case of a fault: the column, and the line from there.
    #[inline(always)]
    fn row<'a>(&self, line: &'a [u8], row: &mut Row) -> std::result::Result<(), (usize, &'a [u8])> {
        let mut rest = line;
        for (index, step) in self.steps.iter().enumerate() {
            let after = match step {
                Step::Take(role) => self.take(rest).map(|(value, after)| {
                    row[role.slot()] = value;
                    after
                }),
                Step::Skip => self.skip(rest),
                Step::List => self.skip_list(rest),
            };
            rest = after.ok_or((index, rest))?;
        }
        Ok(())
    }

    #[inline(always)]
    fn take<'a>(&self, rest: &'a [u8]) -> Option<(f64, &'a [u8])> {
        let (value, length) = number(rest)?;
        Some((value, self.separator.skip(rest.get(length..)?)?))
    }

    fn skip<'a>(&self, rest: &'a [u8]) -> Option<&'a [u8]> {
        let after = &rest[self.separator.first(rest).len()..];
        self.separator.skip(after).filter(|_| !rest.is_empty())
    }

    fn skip_list<'a>(&self, rest: &'a [u8]) -> Option<&'a [u8]> {
        let (count, mut rest) = self.take(rest)?;
        for _ in 0..count as u64 {
            rest = self.skip(rest)?;
        }
        Some(rest)
    }

    #[cold]
    fn complain(&self, rest: &[u8], index: usize) -> String {
        let text = self.separator.first(rest);
        if text.is_empty() {
            return format!("column {} is missing", index + 1);
        }
        let text = String::from_utf8_lossy(text);
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
    let clean = text.chars().map(|c| if c.is_control() { '\u{fffd}' } else { c });
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
            start,
            next: start,
            line,
            given: 0,
            block: BLOCK,
            spare: Vec::new(),
        }
    }

    /// Parses the lines that start in `from..from + block`; `chunk` and `text` are memory to use.
    fn parse(&self, from: u64, chunk: Chunk, text: &mut Vec<u8>) -> Result<Parsed> {
        let first = lines_within(&self.bytes, self.start, from, self.block, text)?;
        let mut parsed = Parsed { chunk, lines: 0, fault: None };
        parsed.chunk.clear();
        let mut row = Row::default();
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
                if let Err((column, at)) = self.format.row(line, &mut row) {
                    parsed.fault = Some((parsed.lines, self.format.complain(at, column)));
                    break;
                }
                self.format.shape.push(&row, &mut parsed.chunk);
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
            let Parsed { mut chunk, lines, fault } = block?;
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

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    /// A small generator of numbers that are always the same.
    fn noise(state: &mut u64) -> u64 {
        *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        *state >> 20
    }

    #[test]
    fn short_decimals_are_what_the_standard_library_makes_of_them() {
        let mut state = 1;
        for _ in 0..200_000 {
            let digits = noise(&mut state) % 1_000_000_000_000_000;
            let mut text = format!("{digits}");
            text.truncate(1 + noise(&mut state) as usize % 16);
            text.insert(noise(&mut state) as usize % (text.len() + 1), '.');
            text.insert_str(0, ["", "-", "+"][noise(&mut state) as usize % 3]);
            let want: f64 = text.parse().unwrap();
            let (got, length) = decimal(text.as_bytes()).unwrap();
            assert_eq!(got.to_bits(), want.to_bits(), "{text}");
            assert_eq!(length, text.len());
        }
        assert_eq!(decimal(b"0123456789012345"), None, "16 digits");
        assert_eq!(decimal(b"1e5"), None);
        assert_eq!(decimal(b"."), None);
        assert_eq!(decimal(b"1.2.3"), None);
        assert_eq!(number(b"1e5 "), Some((1e5, 3)));
        assert_eq!(number(b"x"), None);
    }

    #[test]
    fn blocks_of_any_size_hold_each_line_once() {
        let text = b"head\n1 2 3\n\n44 55 66\r\n# no\n7 8 9 tail\n10 11 12".to_vec();
        let bytes = Arc::new(Bytes::memory(Path::new("m"), text));
        let steps = [0, 1, 2].map(|axis| Step::Take(Role::Axis(axis)));
        for block in 1..60 {
            let format = LineFormat::new(Separator::Space, steps.to_vec());
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
