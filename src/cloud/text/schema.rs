//! What the columns of a text hold, told by its first lines.

use super::{
    super::{
        Fields,
        scale::{Role, Shape},
    },
    line::{Separator, content, number, shorten},
};

/// The columns of a text and where its points start.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Schema {
    /// What stands between columns.
    pub(super) separator: Separator,
    /// What each column is; `None` where it is of no use.
    pub(super) columns: Vec<Option<Role>>,
    /// The number of points that a line promises, and that line's number.
    pub(super) promised: Option<(u64, u64)>,
    /// Byte at which the first line of numbers starts.
    pub(super) start: u64,
    /// Its line number.
    pub(super) line: u64,
}

/// What was seen before the first point.
#[derive(Default)]
struct Front<'a> {
    /// A line that holds the columns' names, or a comment that may hold them.
    names: Option<Names<'a>>,
    /// A line that is neither a comment nor names nor numbers.
    odd: Option<u64>,
    promised: Option<(u64, u64)>,
}

#[derive(Clone, Copy)]
enum Names<'a> {
    Line(&'a [u8]),
    Comment(&'a [u8]),
}

impl Schema {
    /// The schema of a text that starts with `sample`; else why it is none.
    pub(super) fn of(sample: &[u8]) -> Result<Schema, String> {
        if let Some(end) = sample.iter().position(|&byte| byte == b'\r')
            && sample.get(end + 1).is_some_and(|&next| next != b'\n')
        {
            return Err("its lines end in a lone carriage return; save it with line feeds".into());
        }
        let text = sample.strip_prefix(b"\xef\xbb\xbf").unwrap_or(sample);
        let mut start = (sample.len() - text.len()) as u64;
        let mut front = Front::default();
        for (line, whole) in (1..).zip(text.split_inclusive(|&byte| byte == b'\n')) {
            let trimmed = whole.trim_ascii();
            match content(trimmed) {
                Some(numbers) if front.is_point(numbers) => {
                    let rest = &sample[start as usize..];
                    return Ok(front.schema(numbers, rest, start, line));
                }
                Some(other) => front.take(other, line)?,
                None => front.take_comment(trimmed),
            }
            start += whole.len() as u64;
        }
        Err(match front.odd {
            Some(line) => format!("text, but line {line} is not numbers"),
            None => "text without a line of three or more numbers".into(),
        })
    }

    /// What the columns hold beside coordinates.
    pub(super) fn fields(&self) -> Fields {
        Shape::of(self.columns.iter().copied().flatten()).fields
    }

    /// The columns in words.
    pub(super) fn names(&self) -> String {
        let name = |column: &Option<Role>| match column {
            Some(Role::Axis(axis)) => ["x", "y", "z"][*axis],
            Some(Role::Colour(channel)) => ["red", "green", "blue"][*channel],
            Some(Role::Intensity) => "intensity",
            Some(Role::Label) => "label",
            None => "–",
        };
        let names: Vec<_> = self.columns.iter().map(name).collect();
        names.join(" ")
    }
}

impl<'a> Front<'a> {
    /// Takes a line that holds no point.
    fn take(&mut self, line: &'a [u8], number: u64) -> Result<(), String> {
        if let Some(count) = count(line) {
            if self.promised.replace((count, number)).is_some() {
                return Err("a PTX scan, or two counts of points; save it as LAS or PLY".into());
            }
        } else if roles_of_names(&split(line, Separator::guess(line))).is_some() {
            self.names = Some(Names::Line(line));
        } else if self.odd.replace(number).is_some() {
            let text = String::from_utf8_lossy(line);
            return Err(format!("text, but line {number} is not numbers: '{}'", shorten(&text)));
        }
        Ok(())
    }

    /// Takes a comment: it may hold the columns' names.
    fn take_comment(&mut self, line: &'a [u8]) {
        let from = line.iter().position(|byte| !b"#/ \t".contains(byte));
        let text = from.map_or(&[][..], |from| &line[from..]);
        if roles_of_names(&split(text, Separator::guess(text))).is_some() {
            self.names = Some(Names::Comment(text));
        }
    }

    /// Whether a line holds a point.
    fn is_point(&self, line: &[u8]) -> bool {
        if leading_numbers(line) >= 3 {
            return true;
        }
        let columns = split(line, Separator::guess(line));
        self.named(columns.len()).is_some_and(|roles| {
            let mut pairs = roles.iter().zip(&columns);
            pairs.all(|(role, column)| {
                !matches!(role, Some(Role::Axis(_))) || value(column).is_some()
            })
        })
    }

    /// What the columns of lines of `width` are by their names, if they have names.
    fn named(&self, width: usize) -> Option<Vec<Option<Role>>> {
        let (Names::Line(names) | Names::Comment(names)) = self.names?;
        let mut roles = roles_of_names(&split(names, Separator::guess(names)))?;
        // A comment of another length may be a sentence with an x in it.
        if matches!(self.names?, Names::Comment(_)) && roles.len() != width {
            return None;
        }
        roles.truncate(width);
        let axes = roles.iter().filter(|role| matches!(role, Some(Role::Axis(_))));
        (axes.count() == 3).then_some(roles)
    }

    /// The schema of a text whose first point is `first` and whose points are in `text`.
    fn schema(self, first: &[u8], text: &[u8], start: u64, line: u64) -> Schema {
        let separator = Separator::guess(first);
        let columns = self.named(split(first, separator).len());
        let columns =
            columns.unwrap_or_else(|| columns_by_count(separator, text, leading_numbers(first)));
        Schema { separator, columns, promised: self.promised, start, line }
    }
}

/// The columns of a line.
fn split(mut line: &[u8], separator: Separator) -> Vec<&[u8]> {
    let mut columns = Vec::new();
    while !line.is_empty() {
        let column = separator.first(line);
        columns.push(column);
        match separator.skip(&line[column.len()..]) {
            Some(rest) => line = rest,
            None => break,
        }
    }
    columns
}

/// The number of columns at the front of a line that are numbers.
fn leading_numbers(line: &[u8]) -> usize {
    let columns = split(line, Separator::guess(line));
    columns.iter().take_while(|column| value(column).is_some()).count()
}

fn value(column: &[u8]) -> Option<f64> {
    let (value, length) = number(column)?;
    (length == column.len()).then_some(value)
}

/// A line that is one whole number.
fn count(line: &[u8]) -> Option<u64> {
    std::str::from_utf8(line).ok()?.trim().parse().ok()
}

/// What the columns are by their names; `None` if x, y and z are not among them.
fn roles_of_names(names: &[&[u8]]) -> Option<Vec<Option<Role>>> {
    let names: Vec<String> = names.iter().map(|name| plain(name)).collect();
    let mut roles = vec![None; names.len()];
    let mut set = |role: Role, known: &[&str]| {
        let found = known.iter().find_map(|known| names.iter().position(|name| name == known));
        found.map(|column| roles[column] = Some(role))
    };
    set(Role::Axis(0), &["x", "easting", "points:0"])?;
    set(Role::Axis(1), &["y", "northing", "points:1"])?;
    set(Role::Axis(2), &["z", "elevation", "height", "altitude", "points:2"])?;
    set(Role::Intensity, &["intensity", "scalar_intensity", "i", "reflectance"]);
    set(Role::Label, &["plane_id", "scalar_plane_id", "label", "scalar_label"]);
    for (channel, known) in [["red", "r"], ["green", "g"], ["blue", "b"]].iter().enumerate() {
        set(Role::Colour(channel), known);
    }
    let colours = roles.iter().filter(|role| matches!(role, Some(Role::Colour(_)))).count();
    if colours < 3 {
        roles
            .iter_mut()
            .for_each(|role| *role = role.filter(|role| !matches!(role, Role::Colour(_))));
    }
    Some(roles)
}

/// A name without quotes, unit and capitals: `"X [m]"` is `x`.
fn plain(name: &[u8]) -> String {
    let name = String::from_utf8_lossy(name).to_lowercase();
    let name = name.split(['[', '(']).next().unwrap_or_default();
    name.trim_matches(|c: char| c.is_whitespace() || c == '"').to_string()
}

/// What the columns are where no line names them.
fn columns_by_count(separator: Separator, text: &[u8], width: usize) -> Vec<Option<Role>> {
    let rows = sample(separator, text, width);
    let all = |columns: std::ops::Range<usize>, is: fn(f64) -> bool| {
        rows.iter().all(|row| row[columns.clone()].iter().all(|&value| is(value)))
    };
    let is_colour = |value: f64| value.fract() == 0.0 && (0.0..=65535.0).contains(&value);
    let is_label = |value: f64| value.fract() == 0.0 && value >= f64::from(crate::cloud::UNKNOWN);
    let xyz = [0, 1, 2].map(|axis| Some(Role::Axis(axis)));
    let rgb = [0, 1, 2].map(|channel| Some(Role::Colour(channel)));
    match width {
        4 if all(3..4, is_label) => [&xyz[..], &[Some(Role::Label)]].concat(),
        4 => [&xyz[..], &[Some(Role::Intensity)]].concat(),
        6 if all(3..6, is_colour) => [xyz, rgb].concat(),
        7 if all(4..7, is_colour) => [&xyz[..], &[Some(Role::Intensity)], &rgb[..]].concat(),
        7 => [&xyz[..], &[Some(Role::Intensity)], &[None; 3]].concat(),
        _ => [&xyz[..], &vec![None; width - 3]].concat(),
    }
}

/// The numbers of the first lines, `width` of each.
fn sample(separator: Separator, text: &[u8], width: usize) -> Vec<Vec<f64>> {
    let lines = text.split(|&byte| byte == b'\n').filter_map(content);
    let rows = lines.map(|line| {
        let columns = split(line, separator).into_iter();
        columns.take(width).map_while(value).collect::<Vec<_>>()
    });
    rows.filter(|row| row.len() == width).take(1000).collect()
}

/// Whether a column with this role is to be read.
pub(super) fn is_wanted(role: Role, fields: Fields) -> bool {
    match role {
        Role::Axis(_) => true,
        Role::Colour(_) => fields.colour,
        Role::Intensity => fields.intensity,
        Role::Label => fields.label,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(text: &str) -> String {
        Schema::of(text.as_bytes()).unwrap().names()
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
        let schema = Schema::of(b"\xef\xbb\xbf# a scan\n\n2\nx y z\n1 2 3\n4 5 6\n").unwrap();
        assert_eq!((schema.start, schema.line), (21, 5));
        assert_eq!(schema.promised, Some((2, 3)));
    }
}
