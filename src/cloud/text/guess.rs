//! How lines of numbers are written and what their columns are, where nobody says it.

use super::super::{UNKNOWN, scale::Role};
use super::line::{Separator, Style};
use std::ops::Range;

/// Lines that are looked at.
const ROWS: usize = 4000;
/// What is said of text whose columns cannot be told apart.
const COMMAS: &str = "text with commas in its numbers and between them; \
    save it with semicolons or tabs between the numbers";
/// What is said of text with commas between the thousands of whole numbers.
const THOUSANDS: &str = "text with separators of thousands in its numbers; save it without";
/// Fewest lines that can count.
const FEWEST: usize = 3;
/// Fewest lines that count from 0 or 1 where nothing else speaks for numbers of points.
const MANY: usize = 20;

/// The style of a line, by itself.
pub(super) fn style_of(line: &[u8]) -> Style {
    let quoted = line.contains(&b'"');
    let style = |separator, comma| Style { separator, comma, quoted };
    let numbers = |style: Style| {
        style.cells(line).into_iter().filter(|cell| style.value(cell).is_some()).count()
    };
    if line.contains(&b';') {
        let (points, commas) =
            (style(Separator::Char(b';'), false), style(Separator::Char(b';'), true));
        return if numbers(commas) > numbers(points) { commas } else { points };
    }
    if !line.contains(&b',') {
        return style(Separator::Space, false);
    }
    let usual = style(Separator::Char(b','), false);
    if numbers(usual) >= 3 {
        return usual;
    }
    // `1,5 2,3 4,0`, or `"1,5","2,3","4,0"`.
    let others = [style(Separator::Space, true), style(Separator::Char(b','), true)];
    others.into_iter().find(|&other| numbers(other) >= 3).unwrap_or(usual)
}

/// The first lines with points, in a style that is that of all of them.
pub(super) struct Rows<'a> {
    pub(super) style: Style,
    rows: Vec<Vec<&'a [u8]>>,
}

impl<'a> Rows<'a> {
    /// The lines of `text`, whose first one is a point in the style `first`. `names` is the line with
    /// the names of the columns, if there is one.
    pub(super) fn new(
        first: Style,
        text: &'a [u8],
        names: Option<&[u8]>,
    ) -> Result<Rows<'a>, String> {
        let lines = text.split(|&byte| byte == b'\n').take(ROWS);
        let lines: Vec<&[u8]> = lines.filter(|line| first.content(line).is_some()).collect();
        let quoted = lines.iter().any(|line| line.contains(&b'"'));
        let mut style = Style { quoted, ..first };
        if style.separator == Separator::Space && has_tabs(style, &lines, names) {
            style.separator = Separator::Tab;
        }
        let mut rows = Rows { style, rows: Vec::new() };
        rows.split(&lines);
        if style.separator == Separator::Char(b',') && !style.comma {
            rows.check_commas(&lines)?;
        } else {
            rows.style.comma = rows.has_commas();
            rows.check_thousands()?;
        }
        Ok(rows)
    }

    fn split(&mut self, lines: &[&'a [u8]]) {
        let style = self.style;
        let rows = lines.iter().filter_map(|line| Some(style.cells(style.content(line)?)));
        self.rows = rows.collect();
    }

    /// Refuses numbers with commas that have commas between them, too.
    fn check_commas(&self, lines: &[&[u8]]) -> Result<(), String> {
        // The numbers of a line with a comma behind all but the last one.
        let numbers = |line: &&[u8]| -> Option<Vec<Vec<u8>>> {
            let cells = Style::plain(Separator::Space).cells(line.trim_ascii());
            let (last, others) = cells.split_last().filter(|(_, others)| others.len() >= 2)?;
            let others: Option<Vec<&[u8]>> =
                others.iter().map(|cell| cell.strip_suffix(b",")).collect();
            Some(others?.into_iter().chain([*last]).map(<[u8]>::to_vec).collect())
        };
        // Some have no fraction.
        let may_be_mixed = |cell: &Vec<u8>| is_comma_number(cell) || is_whole(cell);
        let mut mixed = 0;
        for line in lines {
            match numbers(line).filter(|numbers| numbers.iter().all(may_be_mixed)) {
                Some(numbers) => mixed += usize::from(numbers.iter().all(|n| is_comma_number(n))),
                None => return Ok(()),
            }
        }
        if mixed > 0 && 2 * mixed >= lines.len() { Err(COMMAS.into()) } else { Ok(()) }
    }

    /// Refuses the same without blanks: `1,5,2,3,4,0` below three names, or with a fraction that starts with
    /// a zero.
    pub(super) fn check_widths(&self, names: Option<&[u8]>) -> Result<(), String> {
        if self.style.comma || self.style.separator != Separator::Char(b',') {
            return Ok(());
        }
        let digits = |cell: &&[u8]| is_whole(cell);
        // The first may be the name of a point.
        let is_name = |cell: &[u8]| self.style.value(cell).is_none();
        let are_whole = |row: &Vec<&[u8]>| match row.split_first() {
            Some((first, rest)) => (digits(first) || is_name(first)) && rest.iter().all(digits),
            None => false,
        };
        if self.rows.is_empty() || !self.rows.iter().all(are_whole) {
            return Ok(());
        }
        let widths = || self.rows.iter().map(Vec::len);
        let (least, most) = (widths().min().unwrap_or(0), widths().max().unwrap_or(0));
        let named = names.map(|names| self.style.cells(names).len()).filter(|&n| n >= 3);
        // x, y and z take two columns each, or one where they have no fraction.
        let is_wide = named.is_some_and(|n| least >= n + 3 || (least < most && most > n));
        let has_zero = |cell: &&[u8]| cell.len() > 1 && cell.starts_with(b"0");
        let is_fraction = |row: &Vec<&[u8]>| [1, 3, 5].iter().all(|&k| !row[k].starts_with(b"-"));
        let sixes = || self.rows.iter().filter(|row| row.len() == 6);
        let are_most = 2 * sixes().count() >= self.rows.len() && least >= 3 && most == 6;
        let is_six = are_most && sixes().all(is_fraction);
        let zeros = |k: usize| sixes().any(|row| has_zero(&row[k]));
        if is_wide || (is_six && [1, 3, 5].into_iter().any(zeros)) {
            return Err(COMMAS.into());
        }
        Ok(())
    }

    /// Whether fractions stand behind commas: some do, and none behind a point.
    fn has_commas(&self) -> bool {
        let cells = || self.rows.iter().flatten();
        let is_point_number = |cell: &[u8]| cell.contains(&b'.') && self.number(cell);
        cells().any(|cell| is_comma_number(cell)) && !cells().any(|cell| is_point_number(cell))
    }

    /// Refuses whole numbers whose commas part thousands, as in `3,071;576;0`.
    ///
    /// Fractions may have three digits as well, but then all of a column have, unless zeros at their ends are dropped
    /// and some have fewer; and some start with a zero.
    fn check_thousands(&self) -> Result<(), String> {
        /// One fraction in a thousand is 000, which is dropped. Of numbers from 0 on, more are below a thousand.
        const RARE: usize = 50;
        let mut cells = self.rows.iter().flatten().filter(|cell| is_comma_number(cell));
        if !self.style.comma || !cells.all(|cell| has_group(cell)) {
            return Ok(());
        }
        let is_mixed = |column: usize| {
            let cells = || self.rows.iter().filter_map(|row| row.get(column));
            let has_commas = cells().any(|cell| is_comma_number(cell));
            let mut others = cells().filter(|cell| !is_comma_number(cell));
            let small = others.clone().filter(|cell| is_below_thousand(cell)).count();
            let are_some = small > 0 && small * RARE >= cells().count();
            has_commas && are_some && others.all(|cell| is_below_thousand(cell))
        };
        if (0..self.width()).any(is_mixed) {
            return Err(THOUSANDS.into());
        }
        Ok(())
    }

    fn number(&self, cell: &[u8]) -> bool {
        Style { comma: false, ..self.style }.value(cell).is_some()
    }

    /// The first line.
    pub(super) fn first(&self) -> &[&'a [u8]] {
        self.rows.first().map_or(&[], Vec::as_slice)
    }

    /// Columns of the longest line.
    pub(super) fn width(&self) -> usize {
        self.rows.iter().map(Vec::len).max().unwrap_or(0)
    }

    /// Whether a column of the first line is a number.
    pub(super) fn is_number(&self, column: usize) -> bool {
        self.first().get(column).is_some_and(|cell| self.style.value(cell).is_some())
    }

    /// Whether most lines after the first one have numbers in all of these columns.
    pub(super) fn are_numbers_later(&self, columns: &[usize]) -> bool {
        let later = self.rows.get(1..).unwrap_or(&[]);
        let is_number = |row: &Vec<&[u8]>, column: usize| {
            row.get(column).is_some_and(|cell| self.style.value(cell).is_some())
        };
        let all = later.iter().filter(|row| columns.iter().all(|&column| is_number(row, column)));
        2 * all.count() > later.len()
    }

    /// Number of columns of the first line from `column` on that are numbers.
    pub(super) fn numbers_from(&self, column: usize) -> usize {
        let value = |cell: &[u8]| self.style.value(cell);
        // A word for a missing number may as well be one of a column of words.
        let has_words = |k: usize| {
            self.rows.iter().filter_map(|row| row.get(k)).any(|cell| value(cell).is_none())
        };
        let cells = self.first().iter().enumerate().skip(column);
        cells
            .take_while(|(k, cell)| value(cell).is_some_and(|v| !v.is_nan() || !has_words(*k)))
            .count()
    }

    /// Whether the first column has the names of points: it is not always a number, and the next three
    /// always are. A first column in which every number is missing is taken for names, too.
    pub(super) fn has_names(&self) -> bool {
        let value = |cell: &&[u8]| self.style.value(cell).is_some();
        let is_named = |row: &Vec<&[u8]>| row.first().is_some_and(|cell| !value(cell));
        let has_three = |row: &Vec<&[u8]>| row.get(1..4).is_some_and(|xyz| xyz.iter().all(value));
        let is_missing = |row: &Vec<f64>| row[0].is_nan() && row[1..].iter().all(|v| v.is_finite());
        let all_missing = || self.values(0..4).iter().all(is_missing);
        self.rows.iter().all(has_three) && (self.rows.iter().any(is_named) || all_missing())
    }

    /// Whether the first column has the numbers of points, and not x.
    ///
    /// It does where it is whole numbers that count up, and the next three columns are coordinates
    /// with fractions; or where it counts from 0 or 1, one by one, and the next two change. A row of
    /// a grid, whose x counts as well, has one y throughout.
    pub(super) fn has_numbers(&self) -> bool {
        if self.numbers_from(0) < 4 {
            return false;
        }
        let first: Option<Vec<i64>> =
            self.rows.iter().map(|row| row.first().and_then(|cell| whole(cell))).collect();
        let Some(first) = first.filter(|first| first.len() >= FEWEST) else { return false };
        let steps = || first.windows(2).map(|pair| pair[1] - pair[0]);
        if !steps().all(|step| step > 0) || self.rows.iter().any(|row| row.len() < 4) {
            return false;
        }
        let by_one = steps().all(|step| step == 1);
        let fractions = [1, 2, 3].map(|column| {
            let has_fraction = |row: &&Vec<&[u8]>| row[column].iter().any(|b| b".,".contains(b));
            self.rows.iter().filter(has_fraction).count()
        });
        let changes = [1, 2, 3].map(|column| {
            self.rows
                .iter()
                .any(|row| self.style.value(row[column]) != self.style.value(self.rows[0][column]))
        });
        let are_coordinates = changes.iter().filter(|&&changes| changes).count() >= 2;
        let enough = if by_one { 1 } else { self.rows.len().div_ceil(2) };
        (are_coordinates && fractions.iter().all(|&n| n >= enough))
            || (by_one && first[0] <= 1 && first.len() >= MANY && changes[0] && changes[1])
    }

    /// The numbers in these columns, of the lines that have them all.
    pub(super) fn values(&self, columns: Range<usize>) -> Vec<Vec<f64>> {
        let values = |row: &Vec<&[u8]>| -> Option<Vec<f64>> {
            row.get(columns.clone())?.iter().map(|cell| self.style.value(cell)).collect()
        };
        self.rows.iter().filter_map(values).collect()
    }

    /// Whether these columns are channels of colours.
    pub(super) fn are_colours(&self, columns: Range<usize>) -> bool {
        let rows = self.values(columns.clone());
        let all = |is: fn(f64) -> bool| rows.iter().flatten().all(|&value| is(value));
        let is_channel = |value: f64| value.fract() == 0.0 && (0.0..=65535.0).contains(&value);
        let mut cells = self.rows.iter().filter_map(|row| row.get(columns.clone())).flatten();
        // Normals may be whole numbers, but none is above 1. Black is as good a colour as any.
        all(is_channel) && (!all(|value| value <= 1.0) || cells.all(|&cell| cell == b"0"))
    }

    /// Whether these columns are directions of length 1, or of none.
    pub(super) fn are_normals(&self, columns: Range<usize>) -> bool {
        /// How far the square of a normal's length may be from 1 where its numbers are rounded.
        const ROUNDED: f64 = 0.05;
        self.values(columns).iter().all(|normal| {
            let square: f64 = normal.iter().map(|value| value * value).sum();
            square == 0.0 || square.is_nan() || (square - 1.0).abs() <= ROUNDED
        })
    }

    /// What the columns are from `column` on, by their number.
    pub(super) fn by_count(&self, column: usize) -> Vec<Option<Role>> {
        let width = self.numbers_from(column);
        let is_colour = |from: usize| self.are_colours(column + from..column + from + 3);
        let is_label = |value: &f64| value.fract() == 0.0 && *value >= f64::from(UNKNOWN);
        let xyz = [0, 1, 2].map(|axis| Some(Role::Axis(axis)));
        let rgb = [0, 1, 2].map(|channel| Some(Role::Colour(channel)));
        let are_labels = |rows: Vec<Vec<f64>>| {
            let mut values = rows.iter().flatten().filter(|value| !value.is_nan()).peekable();
            values.peek().is_some() && values.all(is_label)
        };
        let more = match width {
            4 if are_labels(self.values(column + 3..column + 4)) => vec![Some(Role::Label)],
            4 => vec![Some(Role::Intensity)],
            6 if is_colour(3) => rgb.to_vec(),
            7 if is_colour(4) => [&[Some(Role::Intensity)], &rgb[..]].concat(),
            7 if is_colour(3) && !self.are_normals(column + 4..column + 7) => {
                [&rgb[..], &[None]].concat()
            }
            7 => vec![Some(Role::Intensity), None, None, None],
            _ => vec![None; width.saturating_sub(3)],
        };
        [&vec![None; column], &xyz[..], &more].concat()
    }
}

/// The columns of a line that may not be trimmed.
fn cells(style: Style, line: &[u8]) -> Vec<&[u8]> {
    style.content(line).map_or_else(Vec::new, |line| style.cells(line))
}

/// Whether each tab parts two columns, so that blanks may stand within a column and one may be empty.
fn has_tabs(style: Style, lines: &[&[u8]], names: Option<&[u8]>) -> bool {
    let tabs = Style { separator: Separator::Tab, ..style };
    let Some(first) = lines.first().map(|line| cells(tabs, line)) else { return false };
    let numbers = |style: Style, cells: &[&[u8]]| {
        cells.iter().filter(|cell| style.value(cell).is_some()).count()
    };
    let comma = Style { comma: true, ..tabs };
    if first.len() < 3 || numbers(tabs, &first).max(numbers(comma, &first)) < 3 {
        return false;
    }
    if names.is_some_and(|names| names.contains(&b'\t') && cells(tabs, names).len() == first.len())
    {
        return true;
    }
    let rows: Vec<Vec<&[u8]>> = lines.iter().map(|line| cells(tabs, line)).collect();
    let is_regular = rows.iter().all(|row| row.len() == first.len());
    let is_empty = |column: usize| rows.iter().all(|row| row[column].is_empty());
    let differs = |line: &&[u8]| style.cells(line.trim_ascii()).len() != first.len();
    is_regular && !(0..first.len()).any(is_empty) && lines.iter().any(differs)
}

/// A whole number without a fraction.
fn whole(cell: &[u8]) -> Option<i64> {
    std::str::from_utf8(cell).ok()?.parse().ok().filter(|n: &i64| n.abs() < 1 << 53)
}

/// Whether a column is a whole number.
fn is_whole(cell: &[u8]) -> bool {
    let digits = cell.strip_prefix(b"-").unwrap_or(cell);
    !digits.is_empty() && digits.iter().all(u8::is_ascii_digit)
}

/// Whether a column is digits with one comma among them.
fn is_comma_number(cell: &[u8]) -> bool {
    let digits = cell.strip_prefix(b"-").or(cell.strip_prefix(b"+")).unwrap_or(cell);
    let Some(at) = digits.iter().position(|&byte| byte == b',') else { return false };
    let (whole, fraction) = (&digits[..at], &digits[at + 1..]);
    let fraction = fraction.split(|byte| b"eE".contains(byte)).next().unwrap_or_default();
    [whole, fraction].iter().all(|part| !part.is_empty() && part.iter().all(u8::is_ascii_digit))
}

/// Whether a number with one comma is a whole one of thousands.
fn has_group(cell: &[u8]) -> bool {
    let digits = cell.strip_prefix(b"-").or(cell.strip_prefix(b"+")).unwrap_or(cell);
    let group = digits.iter().rev().take_while(|byte| byte.is_ascii_digit()).count();
    group == 3 && (5..=7).contains(&digits.len()) && !digits.starts_with(b"0")
}

/// Whether a column is a whole number of up to three digits.
fn is_below_thousand(cell: &[u8]) -> bool {
    whole(cell).is_some_and(|number| number.abs() < 1000)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(text: &str) -> Rows<'_> {
        let first = text.lines().next().unwrap_or_default();
        Rows::new(style_of(first.as_bytes()), text.as_bytes(), None).unwrap()
    }

    fn lines(line: impl Fn(usize) -> String) -> String {
        (0..50).map(|i| line(i) + "\n").collect()
    }

    #[test]
    fn styles_of_lines() {
        let of = |line: &str| {
            let Style { separator, comma, .. } = style_of(line.as_bytes());
            (separator, comma)
        };
        assert_eq!(of("1 2 3"), (Separator::Space, false));
        assert_eq!(of("1.5, 2.5, 3"), (Separator::Char(b','), false));
        assert_eq!(of("1,5 2,3 4"), (Separator::Space, true));
        assert_eq!(of("P1\t1,5\t2,3\t4,0"), (Separator::Space, true));
        assert_eq!(of("\"1,5\",\"2,5\",\"3,5\""), (Separator::Char(b','), true));
        assert_eq!(of("P1;1,5;2,3;4"), (Separator::Char(b';'), true));
        assert!(rows("1;2;3\n1,5;2;3\n").style.comma);
        assert!(!rows("1.5;2;3;tree\n1;2;3;1,5\n").style.comma);
        assert_eq!(rows("P 1\t2\t3\t4\nP 2\t3\t4\t5\n").style.separator, Separator::Tab);
        assert_eq!(rows("1\t2\t3\n1 2 3\n").style.separator, Separator::Space);
        let is_refused = |text: &str| {
            let first = text.split('\n').next().unwrap_or_default();
            Rows::new(style_of(first.as_bytes()), text.as_bytes(), None).is_err()
        };
        // Of numbers with commas some have no fraction.
        assert!(is_refused("1,5, 2,3, 4,0\n") && is_refused("1,5, 2,3, 4,1\n1, 2,3, 4\n"));
        assert!(!is_refused("1, 2, 3\n1, 2, 4\n") && !is_refused("1,5, 2,3, 4,1\n1.5, 2, 3\n"));
        let of = |text: &str, names: Option<&str>| {
            let names = names.map(str::as_bytes);
            let rows = Rows::new(style_of(text.as_bytes()), text.as_bytes(), names).unwrap();
            rows.check_widths(names).is_ok()
        };
        assert!(!of("1,5,2,3,4,0\n", Some("x,y,z")) && of("1,5,2,3,4,0\n", None));
        assert!(!of("1,5,2,3,4\n1,2,5,3,1,4\n", Some("x,y,z")));
        assert!(!of("1,05,2,3,4,7\n1,5,2,3,1\n", None) && of("1,05,2,3,4,7\n1,5,2,3,1,-3\n", None));
        assert!(of("1,05,2,3,4,7\n1,5,2,3,1\n1,5,2,3,1\n", None));
        assert!(!of("P1,1,5,2,3,4,0\n", Some("name,x,y,z")));
        assert!(!of("1,05,2,30,4,0\n", None) && of("1,-5,2,3,4,0\n", None));
        assert!(of("1,2,3,7\n", Some("x,y,z")) && of("1.5,2,3,7,8,9\n", Some("x,y,z")));
        assert!(of("1,2,3,7,8,9\n", Some("x,y,z,red,green,blue")));
    }

    #[test]
    fn commas_between_thousands_are_no_decimals() {
        let of = |text: &str| {
            let first = text.lines().next().unwrap_or_default();
            Rows::new(style_of(first.as_bytes()), text.as_bytes(), None)
                .map(|rows| rows.style.comma)
        };
        for text in [
            "3,071;576;0\n5,702;4,392;5\n864;1,496;2\n",
            "864;496;2\n-5,702;12,392;5\n",
            "3,071 576 0\n5,702 4,392 5\n",
            "3,071\t576\t0\n5,702\t4,392\t5\n",
            "\"3,071\",\"576\",\"0\"\n\"5,702\",\"4,392\",\"5\"\n",
        ] {
            assert_eq!(of(text), Err(THOUSANDS.into()), "{text}");
        }
        for text in [
            "1,500;2,250;3,125\n2,000;1,125;4,750\n",
            "1,5;2,250;3\n2;1,125;4,750\n",
            "1,500;0,250;3\n2;1,125;4,750\n",
            "1;500000,125;5400000,250;310,125\n2;500001,125;5400000,250;310\n",
            "1500;250,125;3\n2,125;1,125;4\n",
            "1,5e3;250;3\n2;1,125;4\n",
        ] {
            assert_eq!(of(text), Ok(true), "{text}");
        }
    }

    #[test]
    fn normals_are_no_colours() {
        let has_colours = |text: &str| rows(text).by_count(0).contains(&Some(Role::Colour(0)));
        assert!(has_colours("1 2 3 10 20 30\n2 3 4 0 0 0\n"));
        assert!(has_colours("1 2 3 0 0 0\n2 3 4 0 0 0\n"));
        assert!(has_colours("1 2 3 9.5 255.0 0.0 0.0\n2 3 4 7.5 0.0 0.0 1.0\n"));
        assert!(!has_colours("1 2 3 0.0000 0.0000 1.0000\n2 3 4 0.0000 0.0000 1.0000\n"));
        assert!(!has_colours("1 2 3 0 0 1\n2 3 4 0 1 0\n"));
        assert!(!has_colours("1 2 3 0.0 0.0 0.0\n"));
        assert!(!has_colours("1 2 3 0 0 -1\n2 3 4 0 1 0\n"));
        assert!(has_colours("1 2 3 10 20 30 0.5\n2 3 4 0 0 0 7.25\n"));
        assert!(!has_colours("1 2 3 9 0 0 1\n2 3 4 8 0 1 0\n"));
    }

    #[test]
    fn what_counts_is_told_from_coordinates() {
        let numbers = |text: String| rows(&text).has_numbers();
        let (x, y) = (|i: usize| 100.5 + (i % 7) as f64, |i: usize| 0.25 + (i / 7) as f64);
        assert!(numbers(lines(|i| format!("{} {} {:.2} 3.5", 1 + i, x(i), y(i)))));
        assert!(numbers(lines(|i| format!("{} {} {:.2} 3.5", 1001 + 10 * i, x(i), y(i)))));
        assert!(numbers(lines(|i| format!("{i} {} {} 3", i % 7, i / 7))));
        // Profiles and rows of grids: y is the same throughout, or whole numbers are everywhere.
        assert!(!numbers(lines(|i| format!("{i} 0 {:.2} 17", y(i)))));
        assert!(!numbers(lines(|i| format!("{i} 12.5 3.25 {}.5", i % 3))));
        assert!(!numbers(lines(|i| format!("{} {} {} 7", 500_000 + 10 * i, i % 9, i % 7))));
        assert!(!numbers(lines(|i| format!("{i} {} {:.2} x.{i}", x(i), y(i)))));
        assert!(!numbers(lines(|i| format!("{}.0 {} {:.2} 3.5", i, x(i), y(i)))));
        assert!(!numbers(lines(|i| format!("{} {} {:.2} 3.5", i / 2, x(i), y(i)))));
    }

    #[test]
    fn names_of_points_stand_before_three_numbers() {
        assert!(rows("P1 1 2 3\nP2 1 2 3\n").has_names());
        assert!(rows("1 1 2 3\nP2 1 2 3\n").has_names());
        assert!(!rows("P1 1 2 3\n1 2 3\n").has_names());
        assert!(rows("NA 1 2 3\nNA 1 2 3\n").has_names());
        assert!(!rows("NA 1 2 3\n1 1 2 3\n").has_names());
        assert!(!rows("NA NA NA 3\nNA NA NA 3\n").has_names());
        assert_eq!(rows("1.5 2.5 3.5 NA\n2.5 3.5 4.5 oak\n").numbers_from(0), 3);
        assert_eq!(rows("1.5 2.5 3.5 NA\n2.5 3.5 4.5 7\n").numbers_from(0), 4);
    }
}
