//! What the columns of a text hold, told by its first lines.

use super::{
    super::{
        Columns, Fields, Note,
        scale::{Role, Shape},
    },
    guess::{Rows, style_of},
    layout,
    line::{Separator, Style, content, shorten},
    names,
};

/// So many lines with one number alone are labels.
const MANY_ALONE: usize = 3;
/// What is said of them.
const LABELS: &str = "one number a line, as labels are; name the cloud itself";
/// What is said of lines that end as on the Macintosh of old.
pub(super) const LONE: &str = "its lines end in a lone carriage return; save it with line feeds";
/// Lines that may stand before the first point where the columns are said.
const MOST_FRONT: u64 = 100;

/// Most columns that are named one by one.
const MOST_NAMED: usize = 40;

/// The columns of a text and where its points start.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Schema {
    /// How columns are written.
    pub(super) style: Style,
    /// What each column is; `None` where it is of no use.
    pub(super) columns: Vec<Option<Role>>,
    /// The number of points that a line promises, and that line's number.
    pub(super) promised: Option<(u64, u64)>,
    /// Byte at which the first line of numbers starts.
    pub(super) start: u64,
    /// Its line number.
    pub(super) line: u64,
    /// The unit of x, y and z, if their names give one.
    pub(super) unit: Option<&'static str>,
    /// Whether x and y are longitude and latitude by their names.
    pub(super) is_geographic: bool,
    /// What the columns are by their names alone, which may be fewer.
    pub(super) named: Option<Vec<Option<Role>>>,
    /// Names of the columns that are of no use, if they have any.
    pub(super) others: Vec<String>,
    /// What should be said of the columns.
    pub(super) notes: Vec<Note>,
}

/// What was seen before the first point.
#[derive(Default)]
struct Front<'a> {
    /// What the columns are, if it was said.
    columns: Option<&'a Columns>,
    /// A line that holds the columns' names, or a comment that may hold them.
    names: Option<Names<'a>>,
    /// A line that is neither a comment nor names nor numbers, and its number.
    odd: Option<(&'a [u8], u64)>,
    promised: Option<(u64, u64)>,
    /// Lines with one number alone.
    alone: usize,
    /// What to say of lines with fewer columns than are said, if none follows that has them.
    narrow: Option<String>,
}

#[derive(Clone, Copy)]
enum Names<'a> {
    /// With its number.
    Line(&'a [u8], u64),
    Comment(&'a [u8]),
}

/// The style and the columns of points, and how those are known.
type Reading = (Style, Vec<Option<Role>>, Known);

/// How the columns are known.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Known {
    /// By their names, or because it was said.
    Told,
    /// By their number.
    Counted,
    /// By their number, which may well mean something else.
    Guessed,
    /// By their number, and the first one is taken for the numbers of the points.
    Numbered,
}

impl Schema {
    /// The schema of a text that starts with `sample`, with these columns if they are said; else why
    /// it is none.
    pub(super) fn of(sample: &[u8], columns: Option<&Columns>) -> Result<Schema, String> {
        if let Some(end) = sample.iter().position(|&byte| byte == b'\r')
            && sample.get(end + 1).is_some_and(|&next| next != b'\n')
        {
            return Err(LONE.into());
        }
        let text = sample.strip_prefix(b"\xef\xbb\xbf").unwrap_or(sample);
        let mut start = (sample.len() - text.len()) as u64;
        let mut front = Front { columns, ..Front::default() };
        for (line, whole) in (1..).zip(text.split_inclusive(|&byte| byte == b'\n')) {
            match content(whole.trim_ascii()) {
                Some(numbers) => match front.found((numbers, line), &sample[start as usize..])? {
                    Some(found) => return Ok(front.schema(found, start, line)),
                    None => front.take(numbers, line)?,
                },
                None => front.take_comment(whole.trim_ascii()),
            }
            start += whole.len() as u64;
        }
        Err(match front.odd {
            _ if front.alone >= MANY_ALONE => LABELS.into(),
            _ if front.narrow.is_some() => front.narrow.unwrap_or_default(),
            _ if columns.is_some() => {
                "text without a line that has numbers for x, y and z in `columns`".into()
            }
            Some((text, line)) => format!("text, but line {line} {}", what_is_wrong(text)),
            None => "text without a line of three or more numbers".into(),
        })
    }

    /// What the columns hold beside coordinates.
    pub(super) fn fields(&self) -> Fields {
        Shape::of(self.columns.iter().copied().flatten()).fields
    }

    /// The columns in words.
    pub(super) fn names(&self) -> String {
        in_words(&self.columns)
    }
}

fn in_words(columns: &[Option<Role>]) -> String {
    let name = |column: &Option<Role>| match column {
        Some(Role::Axis(axis)) => ["x", "y", "z"][*axis],
        Some(Role::Colour(channel)) => ["red", "green", "blue"][*channel],
        Some(Role::Intensity) => "intensity",
        Some(Role::Label) => "label",
        Some(Role::Class) => "class",
        None => "–",
    };
    let names: Vec<_> = columns.iter().take(MOST_NAMED).map(name).collect();
    let rest = columns.len() - names.len();
    let more = if rest > 0 { format!(" and {rest} more") } else { String::new() };
    names.join(" ") + &more
}

impl<'a> Front<'a> {
    /// Takes a line that holds no point.
    fn take(&mut self, line: &'a [u8], number: u64) -> Result<(), String> {
        if fast_float2::parse::<f64, _>(line).is_ok() {
            self.alone += 1;
            match count(line) {
                Some(count) => self.promised = Some((count, number)),
                None => drop(self.odd.get_or_insert((line, number))),
            }
            return Ok(());
        }
        if roles(line, None).is_some() && !matches!(self.names, Some(Names::Line(..))) {
            self.names = Some(Names::Line(line, number));
            return Ok(());
        }
        let is_second = self.odd.replace((line, number)).is_some();
        let is_told = self.columns.is_some();
        if is_second && (!is_told || number > MOST_FRONT) || self.is_spoilt_point(line) {
            if let Some(narrow) = self.narrow.take() {
                return Err(narrow);
            }
            let text = String::from_utf8_lossy(line);
            let what = what_is_wrong(line);
            return Err(format!("text, but line {number} {what}: '{}'", shorten(&text)));
        }
        Ok(())
    }

    /// Whether a line that holds no point should hold one: it comes behind the names of the columns, and has some numbers.
    fn is_spoilt_point(&self, line: &[u8]) -> bool {
        let style = style_of(line);
        let cells = style.cells(line);
        let is_row = match self.names {
            Some(Names::Line(..)) => true,
            Some(Names::Comment(names)) => {
                roles(names, None).is_some_and(|roles| roles.len() == cells.len())
            }
            None => false,
        };
        let is_number = |cell: &&[u8]| {
            [false, true].iter().any(|&comma| Style { comma, ..style }.value(cell).is_some())
        };
        is_row && self.columns.is_none() && cells.iter().any(is_number)
    }

    /// Takes a comment: it may hold the columns' names.
    fn take_comment(&mut self, line: &'a [u8]) {
        let text = in_comment(line);
        if roles(text, None).is_some() {
            self.names = Some(Names::Comment(text));
        }
    }

    /// Style and columns, if the line `first`, of this number, with which `text` starts, holds a point.
    fn found(
        &mut self,
        (first, line): (&[u8], u64),
        text: &[u8],
    ) -> Result<Option<Reading>, String> {
        let style = style_of(first);
        let numbers = style.cells(first).iter().filter(|cell| style.value(cell).is_some()).count();
        if numbers < 3 {
            return Ok(None);
        }
        match self.alone {
            0 | 1 => {}
            2 => return Err("a PTX scan, or two counts of points; save it as LAS or PLY".into()),
            _ => return Err(LABELS.into()),
        }
        let names = self.names.map(|(Names::Line(names, _) | Names::Comment(names))| names);
        let rows = Rows::new(style, text, names)?;
        if let Some(columns) = self.columns {
            let is_point = has_axes(columns.roles(), &rows);
            let (given, width) = (columns.roles().len(), rows.width());
            if given > width {
                let narrow = format!("text of {width} columns, and `columns` names {given}");
                if is_point {
                    return Err(narrow);
                }
                self.narrow = Some(narrow);
            }
            return Ok(is_point.then(|| (rows.style, columns.roles().to_vec(), Known::Told)));
        }
        rows.check_widths(names)?;
        if let Some(roles) = self.named(&rows) {
            return Ok(Some((rows.style, roles, Known::Told)));
        }
        if self.is_spoilt_row(&rows) {
            let text = String::from_utf8_lossy(first);
            let what = what_is_wrong(first);
            return Err(format!("text, but line {line} {what}: '{}'", shorten(&text)));
        }
        if rows.has_names() {
            // A face or a vertex of a mesh has a letter in front.
            if matches!(rows.first()[0], b"v" | b"vn" | b"vt" | b"vp" | b"f" | b"l") {
                return Err("an OBJ mesh; convert it to PLY".into());
            }
            // Of four numbers behind the names of points, or five or eight, the first may be one more name: before x y z, an intensity or a
            // colour.
            let is_odd = matches!(rows.numbers_from(1), 4 | 5 | 8);
            let known = if is_odd { Known::Guessed } else { Known::Counted };
            return Ok(Some((rows.style, rows.by_count(1), known)));
        }
        if rows.numbers_from(0) < 3 {
            return Ok(None);
        }
        if rows.has_numbers() {
            return Ok(Some((rows.style, rows.by_count(1), Known::Numbered)));
        }
        let known = if layout::is_usual(&rows) { Known::Counted } else { Known::Guessed };
        Ok(Some((rows.style, rows.by_count(0), known)))
    }

    /// Whether the first line has as many columns as there are names, but no numbers where x, y and z are, and later lines have.
    fn is_spoilt_row(&self, rows: &Rows) -> bool {
        let Some(Names::Line(names, _) | Names::Comment(names)) = self.names else { return false };
        let width = rows.first().len();
        let roles = roles(names, Some((rows.style, width))).filter(|roles| roles.len() == width);
        roles.is_some_and(|roles| {
            let axes: Vec<usize> = axes(&roles).collect();
            !has_axes(&roles, rows) && rows.are_numbers_later(&axes)
        })
    }

    /// What the columns are by their names, if they have names and the first line fits them.
    fn named(&self, rows: &Rows) -> Option<Vec<Option<Role>>> {
        let (Names::Line(names, _) | Names::Comment(names)) = self.names?;
        let width = rows.first().len();
        let mut roles = roles(names, Some((rows.style, width)))?;
        // A comment of another length may be a sentence with an x in it.
        if matches!(self.names?, Names::Comment(_)) && roles.len() != width {
            return None;
        }
        // Some programs write numbers or names of rows without a name of their own.
        if roles.len() + 1 == width && (rows.has_numbers() || rows.has_names()) {
            roles.insert(0, None);
        }
        roles.truncate(width);
        has_axes(&roles, rows).then_some(roles)
    }

    /// The schema of a text whose points are as `found`.
    fn schema(self, (style, columns, known): Reading, start: u64, line: u64) -> Schema {
        let mut notes = Vec::new();
        // Names that do not fit the first point are not understood either.
        let header = match self.names {
            Some(Names::Line(text, line)) => Some((text, line)),
            _ => self.odd,
        };
        if known != Known::Told
            && let Some((text, line)) = header
        {
            let text = shorten(&String::from_utf8_lossy(text)).into_owned();
            notes.push(Note::UnknownHeader { line, text, columns: in_words(&columns) });
        } else if known == Known::Numbered {
            notes.push(Note::PointNumbers);
        } else if known == Known::Guessed && self.promised.is_none() {
            // A .pts has the intensity in the fourth.
            notes.push(Note::UnnamedColumns { columns: in_words(&columns) });
        }
        let (mut unit, mut is_geographic, mut unused) = (None, false, Vec::new());
        if let Some(cells) = self.cells(style, &columns) {
            let units = names::units(&cells, &columns);
            notes.extend(units_differ(units));
            unit = units[0].filter(|_| units == [units[0]; 3]);
            is_geographic = names::are_geographic(&cells, &columns);
            unused = others(&cells, &columns);
        }
        let names = self.names.map(|(Names::Line(names, _) | Names::Comment(names))| names);
        let named = names.and_then(|names| roles(names, None));
        let (promised, others) = (self.promised, unused);
        Schema { style, columns, promised, start, line, unit, is_geographic, named, others, notes }
    }

    /// The names of the columns, one each, where they have names and nobody says what they are.
    fn cells(&self, style: Style, columns: &[Option<Role>]) -> Option<Vec<&'a [u8]>> {
        let (Names::Line(line, _) | Names::Comment(line)) = self.names?;
        let mut candidates = splits(line, Some(style));
        let mut cells = candidates.find(|cells| {
            let roles = names::roles(cells);
            roles.is_some_and(|roles| {
                columns == roles
                    || columns.starts_with(&roles)
                    || roles.starts_with(columns)
                    || columns.strip_prefix(&[None]) == Some(&roles[..])
            })
        })?;
        if cells.len() + 1 == columns.len()
            && names::roles(&cells).as_deref() != columns.get(..cells.len())
        {
            cells.insert(0, b"");
        }
        Some(cells)
    }
}

/// Why a line holds no point.
fn what_is_wrong(line: &[u8]) -> &'static str {
    let style = style_of(line);
    let cells = style.cells(line);
    if cells.len() == 2 && cells.iter().all(|cell| style.value(cell).is_some()) {
        return "has two numbers, and a point has three";
    }
    // French numbers have groups of three digits between narrow spaces, or between spaces that do not break.
    let line = String::from_utf8_lossy(line).replace(['\u{a0}', '\u{202f}'], "'");
    let parts: Vec<&[u8]> =
        line.as_bytes().split(|byte| matches!(byte, b';' | b'\t' | b' ' | b'"')).collect();
    if parts.iter().any(|part| has_thousands(part)) {
        return "has separators of thousands in its numbers; save it without";
    }
    if [b',', b'.'].iter().all(|&mark| parts.iter().any(|part| has_fraction(part, mark))) {
        return "has decimal commas and decimal points; save it with one of them";
    }
    "is not numbers"
}

/// Whether a number has a fraction behind this mark, as `-0,002` has behind a comma.
fn has_fraction(cell: &[u8], mark: u8) -> bool {
    let cell = cell.strip_prefix(b"-").unwrap_or(cell);
    let mut parts = cell.splitn(2, |&byte| byte == mark);
    parts.next().is_some_and(are_digits) && parts.next().is_some_and(are_digits)
}

fn are_digits(text: &[u8]) -> bool {
    !text.is_empty() && text.iter().all(u8::is_ascii_digit)
}

/// Whether a number's digits are in groups of three, as `500,003.562`, `4.600.001,832` or `500'003`.
///
/// One group behind a comma or a point may be a fraction.
fn has_thousands(cell: &[u8]) -> bool {
    let cell = cell.strip_prefix(b"-").unwrap_or(cell);
    b",'.".iter().any(|&mark| {
        let is_end = |byte: &u8| b",.".contains(byte) && *byte != mark;
        let whole = cell.split(is_end).next().unwrap_or_default();
        let has_fraction = match cell.get(whole.len() + 1..) {
            Some(fraction) if are_digits(fraction) => true,
            None if whole.len() == cell.len() => false,
            _ => return false,
        };
        let mut groups = whole.split(|&byte| byte == mark);
        let first = groups.next().unwrap_or_default();
        let groups: Vec<&[u8]> = groups.collect();
        let is_told = has_fraction || mark == b'\'' || groups.len() > 1;
        is_told
            && !groups.is_empty()
            && are_digits(first)
            && first.len() <= 3
            && groups.iter().all(|group| group.len() == 3 && are_digits(group))
    })
}

/// Whether the first line has numbers where x, y and z are.
fn has_axes(roles: &[Option<Role>], rows: &Rows) -> bool {
    axes(roles).filter(|&column| rows.is_number(column)).count() == 3
}

/// The columns of x, y and z.
fn axes(roles: &[Option<Role>]) -> impl Iterator<Item = usize> {
    let axes = roles.iter().enumerate().filter(|(_, role)| matches!(role, Some(Role::Axis(_))));
    axes.map(|(column, _)| column)
}

/// A line that is one whole number.
fn count(line: &[u8]) -> Option<u64> {
    std::str::from_utf8(line).ok()?.trim().parse().ok()
}

/// What the columns are by the names in a line, if x, y and z are among them. Names may be parted by
/// something else than numbers; what gives as many as there are numbers is right.
fn roles(line: &[u8], points: Option<(Style, usize)>) -> Option<Vec<Option<Role>>> {
    let cells = splits(line, points.map(|(style, _)| style));
    let known: Vec<_> = cells.filter_map(|cells| names::roles(&cells)).collect();
    let fits = |roles: &&Vec<_>| points.is_some_and(|(_, width)| roles.len() == width);
    known.iter().find(fits).or(known.first()).cloned()
}

/// The ways to cut a line with names, that of the points first.
fn splits(line: &[u8], points: Option<Style>) -> impl Iterator<Item = Vec<&[u8]>> {
    let quoted = line.contains(&b'"');
    let separators = [b';', b'\t', b','].into_iter().filter(|byte| line.contains(byte));
    let separators = separators.map(|byte| match byte {
        b'\t' => Separator::Tab,
        byte => Separator::Char(byte),
    });
    let own = points.map(|style| style.separator);
    let separators = own.into_iter().chain(separators).chain([Separator::Space]);
    separators.map(move |separator| Style { separator, comma: false, quoted }.cells(line))
}

/// The names of the columns that are of no use.
fn others(cells: &[&[u8]], columns: &[Option<Role>]) -> Vec<String> {
    let unused =
        cells.iter().zip(columns).filter(|(cell, role)| role.is_none() && !cell.is_empty());
    unused.map(|(cell, _)| shorten(&String::from_utf8_lossy(cell)).into_owned()).collect()
}

/// What to say of units that are not the same.
fn units_differ(units: [Option<&'static str>; 3]) -> Option<Note> {
    match units {
        [x, y, z] if x == y && y == z => None,
        [Some(x), Some(y), Some(z)] if x == y => {
            Some(Note::UnitsDiffer { horizontal: x.into(), vertical: z.into() })
        }
        units => Some(Note::ColumnUnits { units: units.map(|unit| unit.map(str::to_owned)) }),
    }
}

/// The text of a comment.
fn in_comment(line: &[u8]) -> &[u8] {
    let from = line.iter().position(|byte| !b"#/ \t".contains(byte));
    from.map_or(&[][..], |from| &line[from..])
}

/// Whether a comment names other columns than these, of which the first are those of the text, as the first line of another file does,
/// and is no sentence.
pub(super) fn names_others(comment: &[u8], known: &[Vec<Option<Role>>]) -> bool {
    let width = known.first().map_or(0, Vec::len);
    roles(in_comment(comment).trim_ascii(), None).is_some_and(|named| {
        !known.contains(&named) && (named.len() == width || named.iter().all(Option::is_some))
    })
}

/// Whether a line holds the names of columns, or a count of points, as the first lines of a file do.
pub(super) fn is_front(line: &[u8]) -> bool {
    count(line).is_some() || roles(line, None).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(text: &str) -> String {
        Schema::of(text.as_bytes(), None).unwrap().names()
    }

    fn notes(text: &str) -> Vec<String> {
        let notes = Schema::of(text.as_bytes(), None).unwrap().notes;
        notes.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn a_header_that_is_not_understood_is_named() {
        let got = notes("Foo;Bar;Baz\n1;2;3\n");
        assert!(got[0].starts_with("line 1, 'Foo;Bar;Baz', is not understood"), "{got:?}");
        assert!(got[0].contains("taken as x y z") && got[0].ends_with("`columns` y,x,z"));
        assert!(notes("Foo;Bar;Baz;Etc\n1;2;3;4\n")[0].ends_with("`columns` -,x,y,z"));
        assert_eq!(notes("Punkt;Ost;Nord;Höhe\nP1;1;2;3\n"), [""; 0]);
        assert!(notes("name,x,y,z\n1,2,3\n")[0].contains("'name,x,y,z'"));
    }

    #[test]
    fn two_columns_are_no_points() {
        let wrong = |text: &str| Schema::of(text.as_bytes(), None).unwrap_err();
        let two = "has two numbers, and a point has three";
        assert_eq!(
            wrong("1.5 2\n14.752 23.514\n"),
            format!("text, but line 2 {two}: '14.752 23.514'")
        );
        assert_eq!(wrong("1.5;2\n"), format!("text, but line 1 {two}"));
        assert_eq!(wrong("a b\nc d\n"), "text, but line 2 is not numbers: 'c d'");
    }

    #[test]
    fn separators_of_thousands_are_called_so() {
        let wrong = |line: &str| Schema::of(format!("x;y;z\n{line}\n").as_bytes(), None);
        let thousands =
            "text, but line 2 has separators of thousands in its numbers; save it without";
        for line in [
            "500,003.562;4,600,001.832;303.005",
            "500.003,562;4.600.001,832;303,005",
            "500'003.562;4'600'001.832;303.005",
            "500,003.562 4,600,001.832 303.005",
            "\"500,003.562\"\t\"4,600,001.832\"\t\"303.005\"",
            "-1'003;5;6",
            "500\u{202f}003,562;4\u{a0}600\u{a0}001,832;303,005",
        ] {
            let message = wrong(line).unwrap_err();
            assert!(message.starts_with(thousands), "{line}: {message}");
        }
        for line in
            ["12.05.2024;a;b", "12:30;5,003;b", "1.2.3;10.0.0.1;b", "1,23.5;a;b", "a.500;b;c"]
        {
            let message = wrong(line).unwrap_err();
            assert!(message.starts_with("text, but line 2 is not numbers"), "{line}: {message}");
        }
    }

    #[test]
    fn decimal_commas_beside_decimal_points_are_called_so() {
        let wrong =
            |line: &str| Schema::of(format!("x;y;z\n{line}\n").as_bytes(), None).unwrap_err();
        let mixed =
            "text, but line 2 has decimal commas and decimal points; save it with one of them";
        for line in ["0.721;3.795;-0,002", "0,721 3.795 2"] {
            assert!(wrong(line).starts_with(mixed), "{line}: {}", wrong(line));
        }
        for line in ["0.721;a;2", "0,721;a;2", "1.2.3;a;0,5"] {
            assert!(
                wrong(line).starts_with("text, but line 2 is not numbers"),
                "{line}: {}",
                wrong(line)
            );
        }
    }

    #[test]
    fn numbers_and_names_of_rows_without_a_name() {
        assert_eq!(
            names("\"x\" \"y\" \"z\"\n\"1\" 0.5 1.5 2\n\"2\" 1.5 2.5 3\n\"3\" 1.5 3.5 4.5\n"),
            "– x y z"
        );
        assert_eq!(names("x,y,z\na,1,2,3\nb,1,2,3\n"), "– x y z");
        assert_eq!(names(",x,y,z\n0,1,2,3\n"), "– x y z");
    }

    #[test]
    fn tabs_part_names_with_blanks() {
        assert_eq!(
            names("Point ID\tEasting (m)\tNorthing (m)\tHeight (m)\n1\t2\t3\t4\n"),
            "– x y z"
        );
        assert_eq!(names("id\tcode\tx\ty\tz\nP1\t\t1\t2\t3\n"), "– – x y z");
    }

    #[test]
    fn a_mesh_is_no_cloud() {
        let error = Schema::of(b"o cube\nv 1 2 3\nv 4 5 6\n", None).unwrap_err();
        assert_eq!(error, "an OBJ mesh; convert it to PLY");
    }

    #[test]
    fn names_of_a_line_hold_whatever_its_length() {
        assert_eq!(names("z,y,x\n1,2,3,\n"), "z y x");
        assert_eq!(names("z,y,x\n1,2,3,4\n"), "z y x");
        assert_eq!(names("z,y,x,name\n1,2,3\n"), "z y x");
    }

    #[test]
    fn words_of_a_comment_are_names_where_their_number_fits() {
        assert_eq!(names("# z y x\n1 2 3\n"), "z y x");
        assert_eq!(names("# this file has z y x\n1 2 3\n"), "x y z");
    }

    #[test]
    fn colours_come_in_threes() {
        assert_eq!(names("x y z r g\n1 2 3 4 5\n"), "x y z – –");
        assert_eq!(names("x y z r g b\n1 2 3 4 5 6\n"), "x y z red green blue");
    }

    #[test]
    fn normals_are_no_colours() {
        assert_eq!(names("1 2 3 0 0 1\n1 2 3 0 0.6 -0.8\n"), "x y z – – –");
    }

    #[test]
    fn the_points_start_behind_names_and_counts() {
        let schema = Schema::of(b"\xef\xbb\xbf# a scan\n\n2\nx y z\n1 2 3\n4 5 6\n", None).unwrap();
        assert_eq!((schema.start, schema.line), (21, 5));
        assert_eq!(schema.promised, Some((2, 3)));
    }
}
