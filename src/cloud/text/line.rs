//! How a line of numbers becomes a point.

use super::super::{
    bytes::Bytes,
    scale::{PointNumbers, Role, Shape},
};
use crate::Result;
use std::borrow::Cow;

/// Bytes looked at to decide what columns hold.
pub(super) const SAMPLE: u64 = 1 << 16;

/// What stands between two columns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in super::super) enum Separator {
    /// Blanks and tabs, any number of them.
    Space,
    /// One tab; nothing between two of them is an empty column.
    Tab,
    /// This character, with or without blanks around it.
    Char(u8),
}

impl Separator {
    /// What it is, in words.
    pub(super) fn in_words(self) -> String {
        match self {
            Separator::Space => "blanks".to_string(),
            Separator::Tab => "tabs".to_string(),
            Separator::Char(byte) => format!("'{}'", char::from(byte)),
        }
    }

    /// The first column of a line without blanks at its front.
    pub(super) fn first(self, line: &[u8]) -> &[u8] {
        let end = line.iter().position(|&byte| match self {
            Separator::Space => is_blank(byte),
            Separator::Tab => byte == b'\t',
            Separator::Char(separator) => byte == separator,
        });
        trim_end(&line[..end.unwrap_or(line.len())])
    }

    /// What follows the separator at the front of `rest`, which stands behind a column; `None` if
    /// there is something else.
    #[inline]
    pub(super) fn skip(self, rest: &[u8]) -> Option<&[u8]> {
        let after = trim(rest);
        match self {
            Separator::Space => (after.len() < rest.len() || rest.is_empty()).then_some(after),
            Separator::Tab => match trim_for_tab(rest).split_first() {
                None => Some(&[]),
                Some((&first, after)) => (first == b'\t').then(|| trim_for_tab(after)),
            },
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

/// `text` without the blanks at its end.
#[inline]
fn trim_end(text: &[u8]) -> &[u8] {
    let last = text.iter().rposition(|&byte| !is_blank(byte));
    &text[..last.map_or(0, |last| last + 1)]
}

/// `text` without the blanks at its front that are no tabs.
fn trim_for_tab(text: &[u8]) -> &[u8] {
    let end = text.iter().position(|&byte| byte == b'\t' || !is_blank(byte));
    &text[end.unwrap_or(text.len())..]
}

/// What DOS wrote at the end of a text, in a line of its own.
const END_OF_FILE: u8 = 0x1a;

/// The content of a line; `None` if it is blank or a comment.
#[inline]
pub(in super::super) fn content(line: &[u8]) -> Option<&[u8]> {
    let line = trim(line);
    match line {
        [] | [b'#', ..] | [b'/', b'/', ..] => None,
        [END_OF_FILE, rest @ ..] if rest.iter().all(|&b| b == END_OF_FILE || is_blank(b)) => None,
        _ => Some(line),
    }
}

/// How the columns of a line are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in super::super) struct Style {
    /// What stands between them.
    pub(super) separator: Separator,
    /// Whether fractions stand behind a comma.
    pub(super) comma: bool,
    /// Whether columns may stand in quotes.
    pub(super) quoted: bool,
}

impl Style {
    /// Columns as they stand.
    pub(in super::super) const fn plain(separator: Separator) -> Style {
        Style { separator, comma: false, quoted: false }
    }

    /// The content of a line in which empty columns at its front count; `None` if it is blank or a
    /// comment.
    #[inline]
    pub(super) fn content(self, line: &[u8]) -> Option<&[u8]> {
        let content = content(line)?;
        Some(if self.separator == Separator::Tab { trim_for_tab(line) } else { content })
    }

    /// The first column of a line, and what follows its separator; `None` for the line's end.
    pub(super) fn cell(self, line: &[u8]) -> (&[u8], Option<&[u8]>) {
        let cell = match line.split_first() {
            Some((b'"', inner)) if self.quoted => {
                let end = inner.iter().position(|&byte| byte == b'"');
                let end = end.unwrap_or(inner.len());
                let after = inner.get(end + 1..).unwrap_or_default();
                // Two quotes are one quote within the text: no number has any.
                let more = self.separator.first(after).len();
                let after = self.separator.skip(&after[more..]);
                return (inner[..end].trim_ascii(), after.filter(|rest| !rest.is_empty()));
            }
            _ => self.separator.first(line),
        };
        let after = self.separator.skip(&line[cell.len()..]);
        (cell, after.filter(|rest| !rest.is_empty()))
    }

    /// All columns of a line.
    pub(super) fn cells(self, line: &[u8]) -> Vec<&[u8]> {
        let mut cells = Vec::new();
        let mut rest = (!line.is_empty()).then_some(line);
        while let Some(line) = rest {
            let (cell, after) = self.cell(line);
            cells.push(cell);
            rest = after;
        }
        cells
    }

    /// The number that a column is, if it is one.
    pub(super) fn value(self, cell: &[u8]) -> Option<f64> {
        /// Longest number with a comma.
        const LONGEST: usize = 64;
        if !self.comma {
            return number(cell)
                .filter(|&(_, length)| length == cell.len())
                .map(|(value, _)| value);
        }
        // A point would part thousands.
        if cell.contains(&b'.') || cell.len() > LONGEST {
            return None;
        }
        let mut text = [0; LONGEST];
        let text = &mut text[..cell.len()];
        text.copy_from_slice(cell);
        text.iter_mut().filter(|byte| **byte == b',').for_each(|byte| *byte = b'.');
        Style { comma: false, ..self }.value(text)
    }
}

/// The number at the front of `text` and its length.
#[inline]
pub(in super::super) fn number(text: &[u8]) -> Option<(f64, usize)> {
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
    let Ok((value, length)) = fast_float2::parse_partial::<f64, _>(text) else {
        return missing(text).map(|length| (f64::NAN, length));
    };
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

/// The length of the word at the front of `text`, if it stands for a number that is missing.
fn missing(text: &[u8]) -> Option<usize> {
    /// As R, databases and spreadsheets write it.
    const WORDS: [&[u8]; 3] = [b"na", b"n/a", b"null"];
    let is_end = |byte: &u8| !byte.is_ascii_alphanumeric() && !b"/_.-".contains(byte);
    let length = text.iter().position(is_end).unwrap_or(text.len());
    WORDS.iter().any(|word| word.eq_ignore_ascii_case(&text[..length])).then_some(length)
}

/// What to do with a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in super::super) enum Step {
    /// It is this number of the point.
    Take(Role),
    /// It is a colour of three bytes, blue the lowest, as a whole number or as the `f32` that has these bits.
    PackedColour {
        /// Whether it is an `f32`.
        is_float: bool,
    },
    /// It is of no use, whatever it is.
    Skip,
    /// It says how many columns follow that are of no use.
    List,
}

/// How a line becomes a point.
#[derive(Debug, Clone)]
pub(in super::super) struct LineFormat {
    pub(super) style: Style,
    steps: Vec<Step>,
    /// What the points have.
    pub(super) shape: Shape,
}

impl LineFormat {
    /// Lines with these columns; columns behind the last one of use are never looked at.
    pub(in super::super) fn new(style: Style, mut steps: Vec<Step>) -> LineFormat {
        let is_of_use = |step: &Step| !matches!(step, Step::Skip | Step::List);
        let last = steps.iter().rposition(is_of_use);
        steps.truncate(last.map_or(0, |last| last + 1));
        let roles = steps.iter().filter_map(|step| match step {
            Step::Take(role) => Some(*role),
            Step::PackedColour { .. } => Some(Role::Colour(0)),
            Step::Skip | Step::List => None,
        });
        LineFormat { style, shape: Shape::of(roles), steps }
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
            let mut row = PointNumbers::default();
            self.row(self.style.content(line)?, &mut row).ok().map(|()| row)
        });
        self.shape.fit(&rows.collect::<Vec<_>>(), floats);
        Ok(())
    }

    /// Fills `row` from a line with content. In case of a fault: the column, and the line from there.
    #[inline(always)]
    pub(super) fn row<'a>(
        &self,
        line: &'a [u8],
        row: &mut PointNumbers,
    ) -> std::result::Result<(), (usize, &'a [u8])> {
        if self.style.comma || self.style.quoted {
            return self.odd_row(line, row);
        }
        let mut rest = line;
        for (index, step) in self.steps.iter().enumerate() {
            let after = match step {
                Step::Take(role) => self.take(rest).map(|(value, after)| {
                    row[role.slot()] = value;
                    after
                }),
                Step::PackedColour { is_float } => self.take(rest).map(|(value, after)| {
                    for (channel, value) in unpacked(value, *is_float).into_iter().enumerate() {
                        row[Role::Colour(channel).slot()] = value;
                    }
                    after
                }),
                Step::Skip => self.skip(rest),
                Step::List => self.skip_list(rest),
            };
            rest = after.ok_or((index, rest))?;
        }
        Ok(())
    }

    /// The same for numbers with a comma or in quotes, of which there are no lists.
    #[inline(never)]
    fn odd_row<'a>(
        &self,
        line: &'a [u8],
        row: &mut PointNumbers,
    ) -> std::result::Result<(), (usize, &'a [u8])> {
        let mut rest = Some(line);
        for (index, step) in self.steps.iter().enumerate() {
            let here = rest.ok_or((index, &[][..]))?;
            let (cell, after) = self.style.cell(here);
            if let Step::Take(role) = step {
                row[role.slot()] = self.style.value(cell).ok_or((index, here))?;
            }
            rest = after;
        }
        Ok(())
    }

    #[inline(always)]
    fn take<'a>(&self, rest: &'a [u8]) -> Option<(f64, &'a [u8])> {
        let (value, length) = number(rest)?;
        Some((value, self.style.separator.skip(rest.get(length..)?)?))
    }

    fn skip<'a>(&self, rest: &'a [u8]) -> Option<&'a [u8]> {
        let separator = self.style.separator;
        let after = &rest[separator.first(rest).len()..];
        separator.skip(after).filter(|_| !rest.is_empty())
    }

    fn skip_list<'a>(&self, rest: &'a [u8]) -> Option<&'a [u8]> {
        let (count, mut rest) = self.take(rest)?;
        for _ in 0..count as u64 {
            rest = self.skip(rest)?;
        }
        Some(rest)
    }

    /// What is wrong with column `index`, where `rest` stands.
    #[cold]
    pub(super) fn complain(&self, rest: &[u8], index: usize) -> String {
        let (text, _) = self.style.cell(rest);
        if text.is_empty() {
            return format!("column {} is missing", index + 1);
        }
        let text = String::from_utf8_lossy(text);
        let wrong = format!("column {}: '{}' is not a number", index + 1, shorten(&text));
        match self.other_separator(rest) {
            Some(other) => {
                let (other, own) = (other.in_words(), self.style.separator.in_words());
                format!("{wrong}: this line has {other} between its numbers, not {own}")
            }
            None => wrong,
        }
    }

    /// What stands between the numbers of a line, if that is something else than it should be.
    fn other_separator(&self, line: &[u8]) -> Option<Separator> {
        let all = [Separator::Space, Separator::Char(b';'), Separator::Char(b',')];
        all.into_iter().filter(|&separator| separator != self.style.separator).find(|&separator| {
            let style = Style { separator, ..self.style };
            let cells = style.cells(line);
            cells.len() >= 3 && cells[..3].iter().all(|cell| style.value(cell).is_some())
        })
    }
}

/// Red, green and blue of a packed colour.
#[inline]
fn unpacked(value: f64, is_float: bool) -> [f64; 3] {
    // Not a number is no colour.
    let bits = match is_float {
        true if value.is_nan() => 0,
        true => (value as f32).to_bits(),
        // Some write it with a sign.
        false => value as i64 as u32,
    };
    [16, 8, 0].map(|shift| f64::from((bits >> shift) as u8))
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

#[cfg(test)]
mod tests {
    use super::*;

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
    fn words_for_a_missing_number_are_none() {
        for word in ["NA", "na", "N/A", "NULL", "null", "Null", "nan"] {
            for end in ["", " 5", ",5", ";5", "\t5"] {
                let (value, length) = number(format!("{word}{end}").as_bytes()).unwrap();
                assert!(value.is_nan() && length == word.len(), "{word}{end}");
            }
        }
        for word in ["NAME", "N", "NA1", "nulls", "n/a/b", "NA-1", "", "-NA"] {
            assert_eq!(number(word.as_bytes()), None, "{word}");
        }
    }
}
