//! The header of a PCD file, read and written.

use super::super::{
    bytes::Bytes,
    records::{NumberType, WIDEST},
};
use crate::{Error, Result};
use std::sync::Arc;

/// Longest header that is read.
const MOST: u64 = 1 << 20;

/// The encoding of the points.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Data {
    /// A line for each point.
    Ascii,
    /// A record for each point.
    Binary,
    /// Field after field, compressed as a whole.
    Compressed,
}

impl Data {
    const ALL: [Data; 3] = [Data::Ascii, Data::Binary, Data::Compressed];

    /// Its name in a header.
    pub(super) fn name(self) -> &'static str {
        match self {
            Data::Ascii => "ascii",
            Data::Binary => "binary",
            Data::Compressed => "binary_compressed",
        }
    }
}

/// A field of the points.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Field {
    pub(super) name: String,
    pub(super) kind: NumberType,
    /// Numbers for each point.
    pub(super) count: usize,
}

impl Field {
    /// Bytes in a record.
    pub(super) fn width(&self) -> usize {
        self.kind.size() * self.count
    }
}

/// A header.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Header {
    pub(super) fields: Vec<Field>,
    pub(super) width: u64,
    pub(super) height: u64,
    /// Translation and rotation of the sensor, as given.
    pub(super) viewpoint: Option<[f64; 7]>,
    pub(super) data: Data,
    /// The first byte of the body.
    pub(super) length: u64,
    /// Lines of the header.
    pub(super) lines: u64,
}

/// A header, and the bytes of the points.
pub(super) struct Front {
    pub(super) header: Header,
    /// The records of a binary body, decompressed if necessary; for text, the whole file.
    pub(super) bytes: Arc<Bytes>,
    /// The first byte of the points in `bytes`.
    pub(super) start: u64,
}

/// The lines of a header. The first word of a line is its name.
#[derive(Default)]
struct Lines<'a> {
    fields: Option<Vec<&'a str>>,
    sizes: Option<Vec<&'a str>>,
    types: Option<Vec<&'a str>>,
    counts: Option<Vec<&'a str>>,
    width: Option<u64>,
    height: Option<u64>,
    points: Option<u64>,
    viewpoint: Option<[f64; 7]>,
}

/// The number of a line, and what is wrong there.
type Fault = (u64, String);

impl Header {
    /// Reads the header at the start of `bytes`.
    pub(super) fn read(bytes: &Bytes) -> Result<Header> {
        let front = bytes.head(0, MOST)?;
        let header = parse(&front);
        header
            .map_err(|(line, message)| Error::format(bytes.path(), format!("line {line}"), message))
    }

    /// Number of points.
    pub(super) fn points(&self) -> u64 {
        // Checked when it was read.
        self.width * self.height
    }

    /// Bytes of a point in a binary body.
    pub(super) fn stride(&self) -> usize {
        self.fields.iter().map(Field::width).sum()
    }

    /// The position of the sensor, unless the header has the default, which means unknown.
    pub(super) fn scanner(&self) -> Option<[f64; 3]> {
        let [x, y, z, rotation @ ..] = self.viewpoint?;
        let is_default = [x, y, z] == [0.0; 3] && rotation == [1.0, 0.0, 0.0, 0.0];
        let is_finite = [x, y, z].iter().all(|v| v.is_finite());
        (is_finite && !is_default).then_some([x, y, z])
    }

    /// Number of points in a row, if the cloud is organized.
    pub(super) fn row_length(&self) -> Option<u32> {
        let is_organized = self.width > 1 && self.height > 1;
        is_organized.then(|| u32::try_from(self.width).ok()).flatten()
    }

    /// The header as text.
    pub(super) fn text(&self) -> String {
        let each = |of: &dyn Fn(&Field) -> String| {
            self.fields.iter().map(|field| format!(" {}", of(field))).collect::<String>()
        };
        let viewpoint = self.viewpoint.unwrap_or([0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0]);
        let viewpoint: String = viewpoint.iter().map(|value| format!(" {value}")).collect();
        format!(
            "# .PCD v0.7 - Point Cloud Data file format\nVERSION 0.7\nFIELDS{}\nSIZE{}\nTYPE{}\nCOUNT{}\n\
             WIDTH {}\nHEIGHT {}\nVIEWPOINT{viewpoint}\nPOINTS {}\nDATA {}\n",
            each(&|field| field.name.clone()),
            each(&|field| field.kind.size().to_string()),
            each(&|field| letter(field.kind).to_string()),
            each(&|field| field.count.to_string()),
            self.width,
            self.height,
            self.points(),
            self.data.name(),
        )
    }
}

/// Whether a file with these first bytes is a PCD file.
pub(super) fn is_header(head: &[u8]) -> bool {
    if head.starts_with(b"# .PCD") {
        return true;
    }
    let mut lines = head.split(|&byte| byte == b'\n').map(<[u8]>::trim_ascii);
    let first = lines.find(|line| !line.is_empty() && !line.starts_with(b"#"));
    let words = |line: &[u8]| line.split(u8::is_ascii_whitespace).count();
    first.is_some_and(|line| line.starts_with(b"VERSION ") && words(line) == 2)
        && lines.any(|line| line.starts_with(b"FIELDS ") || line.starts_with(b"COLUMNS "))
}

fn parse(front: &[u8]) -> std::result::Result<Header, Fault> {
    let mut said = Lines::default();
    let (mut length, mut line) = (0, 0);
    for bytes in front.split_inclusive(|&byte| byte == b'\n') {
        line += 1;
        length += bytes.len() as u64;
        let fault = |message: &str| (line, message.to_string());
        // Bytes that are not text are not a known word.
        let Ok(text) = std::str::from_utf8(bytes) else {
            if bytes.trim_ascii_start().starts_with(b"#") {
                continue;
            }
            return Err(fault("not a line of a PCD header"));
        };
        let words: Vec<&str> = text.split_ascii_whitespace().collect();
        let number = || match words[..] {
            [_, number] => number.parse().ok(),
            _ => None,
        };
        let rest = || Some(words[1..].to_vec());
        match words[..] {
            [] => {}
            [first, ..] if first.starts_with('#') => {}
            ["VERSION", ..] => {}
            ["FIELDS" | "COLUMNS", ..] => said.fields = rest(),
            ["SIZE", ..] => said.sizes = rest(),
            ["TYPE", ..] => said.types = rest(),
            ["COUNT", ..] => said.counts = rest(),
            ["WIDTH", ..] => {
                said.width = Some(number().ok_or_else(|| fault("the width is not a number"))?);
            }
            ["HEIGHT", ..] => {
                said.height = Some(number().ok_or_else(|| fault("the height is not a number"))?);
            }
            ["POINTS", ..] => {
                said.points = Some(number().ok_or_else(|| fault("the count is not a number"))?);
            }
            ["VIEWPOINT", ref numbers @ ..] => {
                let numbers: Option<Vec<f64>> = numbers.iter().map(|n| n.parse().ok()).collect();
                let numbers = numbers.and_then(|numbers| numbers.try_into().ok());
                said.viewpoint = Some(numbers.ok_or_else(|| fault("not seven numbers"))?);
            }
            ["DATA", name] if bytes.ends_with(b"\n") => {
                let data = Data::ALL.into_iter().find(|data| data.name() == name);
                let data = data.ok_or_else(|| fault("unknown kind of data"))?;
                return said.header(data, length, line).map_err(|message| fault(&message));
            }
            _ => return Err(fault("not a line of a PCD header")),
        }
    }
    Err((line, "the header does not end".to_string()))
}

impl Lines<'_> {
    fn header(self, data: Data, length: u64, lines: u64) -> std::result::Result<Header, String> {
        let names = self.fields.ok_or("no line FIELDS before")?;
        let one = |words: Option<Vec<&str>>, line: &str, default: &str| match words {
            Some(words) if words.len() != names.len() => {
                Err(format!("{line} has {} entries for {} fields", words.len(), names.len()))
            }
            Some(words) => Ok(words.iter().map(ToString::to_string).collect::<Vec<_>>()),
            None => Ok(vec![default.to_string(); names.len()]),
        };
        let sizes = one(self.sizes, "SIZE", "4")?;
        let types = one(self.types, "TYPE", "F")?;
        let counts = one(self.counts, "COUNT", "1")?;
        let mut fields = Vec::with_capacity(names.len());
        let mut columns = 0_usize;
        for (k, name) in names.iter().enumerate() {
            let kind = kind(&types[k], &sizes[k]).ok_or_else(|| {
                format!("field {}: unknown type {} of size {}", k + 1, types[k], sizes[k])
            })?;
            let count = counts[k].parse().ok().filter(|&count| count <= WIDEST);
            let count = count.ok_or_else(|| format!("field {}: COUNT {}", k + 1, counts[k]))?;
            columns += count;
            fields.push(Field { name: name.to_string(), kind, count });
            if columns > WIDEST / 8 {
                return Err(format!("a point of more than {} numbers", WIDEST / 8));
            }
        }
        let (width, height) = match (self.width, self.height, self.points) {
            (Some(width), height, _) => (width, height.unwrap_or(1)),
            (None, None, Some(points)) => (points, 1),
            _ => return Err("no line WIDTH before".into()),
        };
        let points = width.checked_mul(height);
        let points = points.ok_or_else(|| format!("WIDTH {width} and HEIGHT {height}"))?;
        match self.points {
            Some(promised) if promised != points => Err(format!(
                "POINTS {promised}, but WIDTH {width} and HEIGHT {height} make {points}"
            )),
            _ => {
                let viewpoint = self.viewpoint;
                Ok(Header { fields, width, height, viewpoint, data, length, lines })
            }
        }
    }
}

fn kind(letter: &str, size: &str) -> Option<NumberType> {
    Some(match (letter, size) {
        ("I", "1") => NumberType::I8,
        ("U", "1") => NumberType::U8,
        ("I", "2") => NumberType::I16,
        ("U", "2") => NumberType::U16,
        ("I", "4") => NumberType::I32,
        ("U", "4") => NumberType::U32,
        ("I", "8") => NumberType::I64,
        ("U", "8") => NumberType::U64,
        ("F", "4") => NumberType::F32,
        ("F", "8") => NumberType::F64,
        _ => return None,
    })
}

/// The letter for a type of this size.
fn letter(kind: NumberType) -> char {
    match kind {
        NumberType::I8 | NumberType::I16 | NumberType::I32 | NumberType::I64 => 'I',
        NumberType::U8 | NumberType::U16 | NumberType::U32 | NumberType::U64 => 'U',
        NumberType::F32 | NumberType::F64 => 'F',
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLAIN: &str = "# .PCD v.7 - Point Cloud Data file format\nVERSION .7\nFIELDS x y z _ fpfh\n\
        SIZE 4 4 8 1 4\nTYPE F F F U F\nCOUNT 1 1 1 4 33\nWIDTH 4\nHEIGHT 2\n\
        VIEWPOINT 1 2 3 1 0 0 0\nPOINTS 8\nDATA binary\n";

    #[test]
    fn a_header_is_what_its_text_says() {
        let header = parse(PLAIN.as_bytes()).unwrap();
        assert_eq!((header.points(), header.stride(), header.lines), (8, 4 + 4 + 8 + 4 + 132, 11));
        assert_eq!(header.length, PLAIN.len() as u64);
        assert_eq!(header.scanner(), Some([1.0, 2.0, 3.0]));
        let again = parse(header.text().as_bytes()).unwrap();
        assert_eq!(Header { length: 0, ..again }, Header { length: 0, ..header });
        let old = "VERSION 0.5\nCOLUMNS x y z\nPOINTS 2\nDATA ascii\n";
        assert!(is_header(old.as_bytes()) && !is_header(b"VERSION;x;y\nFIELDS 1 2 3\n"));
        let header = parse(old.as_bytes()).unwrap();
        assert_eq!((header.points(), header.stride(), header.scanner()), (2, 12, None));
    }

    #[test]
    fn a_viewpoint_at_the_origin_is_told_by_its_rotation_alone() {
        let with = |viewpoint: &str| {
            let text = PLAIN.replace("1 2 3 1 0 0 0", viewpoint);
            parse(text.as_bytes()).unwrap().scanner()
        };
        assert_eq!(with("0 0 0 1 0 0 0"), None);
        assert_eq!(with("0 0 0 0 1 0 0"), Some([0.0; 3]));
        assert_eq!(with("nan 0 0 1 0 0 0"), None);
    }

    #[test]
    fn faults_name_their_line() {
        let at = |from: &str, to: &str| parse(PLAIN.replace(from, to).as_bytes()).unwrap_err();
        for (from, to, line, message) in [
            ("FIELDS x y z _ fpfh\n", "", 10, "no line FIELDS before"),
            ("SIZE 4 4", "SIZE 4", 11, "SIZE has 4 entries for 5 fields"),
            ("TYPE F", "TYPE C", 11, "field 1: unknown type C of size 4"),
            ("SIZE 4", "SIZE 3", 11, "field 1: unknown type F of size 3"),
            ("COUNT 1", "COUNT -1", 11, "field 1: COUNT -1"),
            ("4 33", "4 9000", 11, "a point of more than 8192 numbers"),
            ("WIDTH 4", "WIDTH four", 7, "the width is not a number"),
            ("WIDTH 4", "WIDTH 99999999999999999999", 7, "the width is not a number"),
            ("WIDTH 4", "WIDTH 9999999999999999999", 11, "WIDTH 9999999999999999999 and HEIGHT 2"),
            ("POINTS 8", "POINTS 7", 11, "POINTS 7, but WIDTH 4 and HEIGHT 2 make 8"),
            ("1 2 3 1", "1 2 3", 9, "not seven numbers"),
            ("binary", "zip", 11, "unknown kind of data"),
            ("DATA binary\n", "", 10, "the header does not end"),
            ("POINTS 8", "NONSENSE", 10, "not a line of a PCD header"),
        ] {
            assert_eq!(at(from, to), (line, message.to_string()), "{from}");
        }
    }
}
