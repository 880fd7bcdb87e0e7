//! The header of a NumPy array.

use super::super::bytes::Bytes;
use super::super::records::NumberType;
use super::literal::Literal;
use crate::{Error, Result};

/// The first bytes of a NumPy file.
pub(crate) const MAGIC: &[u8] = b"\x93NUMPY";
/// Longest header that is read.
pub(super) const MOST: u64 = 1 << 20;

/// The signs before a type that tell the order of its bytes.
const ORDERS: [char; 4] = ['<', '>', '|', '='];

/// A number that each element holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Member {
    /// The name of its field; empty if the elements are plain numbers.
    pub(super) name: String,
    /// Offset in the element, in bytes.
    pub(super) offset: usize,
    /// Its type and whether it is big-endian; `None` for a type that is not read.
    pub(super) number: Option<(NumberType, bool)>,
}

/// A header.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Array {
    pub(super) members: Vec<Member>,
    /// What the elements are, for messages: `float64`, `records`.
    pub(super) kind: String,
    /// Size of an element in bytes.
    pub(super) size: usize,
    /// Whether the first axis varies fastest (Fortran order).
    pub(super) fortran: bool,
    pub(super) shape: Vec<u64>,
    /// The first byte of the elements.
    pub(super) start: u64,
}

impl Array {
    /// Reads the header at the start of `bytes`.
    pub(super) fn read(bytes: &Bytes) -> Result<Array> {
        let array = Array::parse(&bytes.head(0, MOST)?);
        array.map_err(|message| Error::format(bytes.path(), "header", message))
    }

    /// Reads the header from the first bytes of a file.
    pub(super) fn parse(head: &[u8]) -> std::result::Result<Array, String> {
        let (text, start) = text(head).ok_or("it does not end, or is no text")?;
        let header = Literal::of(text).ok_or("not a header of NumPy")?;
        let missing = |name: &str| format!("'{name}' is missing or wrong");
        let Some(&Literal::Bool(fortran)) = header.get("fortran_order") else {
            return Err(missing("fortran_order"));
        };
        let shape = header.get("shape").and_then(Literal::numbers);
        let shape = shape.ok_or_else(|| missing("shape"))?;
        let descr = header.get("descr").ok_or_else(|| missing("descr"))?;
        if has_objects(descr) {
            return Err("its elements are Python objects, and no numbers".into());
        }
        let kind = descr.text().map_or_else(|| "records".into(), name_of);
        let mut members = Vec::new();
        let size = describe(descr, "", 0, &mut members).ok_or_else(|| missing("descr"))?;
        if size == 0 {
            return Err("its elements are empty".into());
        }
        Ok(Array { members, kind, size, fortran, shape, start })
    }

    /// Whether the elements are plain numbers rather than records with named fields.
    pub(super) fn is_plain(&self) -> bool {
        matches!(&self.members[..], [member] if member.name.is_empty())
    }

    /// Number of points in a row of an organized cloud: an array of shape (rows, columns, coordinates) or, of records,
    /// (rows, columns).
    pub(super) fn row_length(&self) -> Option<u32> {
        match (&self.shape[..], self.is_plain()) {
            (&[rows, columns, _], true) | (&[rows, columns], false) if rows > 1 && columns > 1 => {
                u32::try_from(columns).ok()
            }
            _ => None,
        }
    }

    /// Number of elements, unless it overflows.
    pub(super) fn count(&self) -> Option<u64> {
        self.shape.iter().try_fold(1_u64, |product, &n| product.checked_mul(n))
    }

    /// The shape in Python notation.
    pub(super) fn shape_text(&self) -> String {
        match &self.shape[..] {
            [n] => format!("({n},)"),
            all => {
                let all: Vec<String> = all.iter().take(8).map(u64::to_string).collect();
                format!("({})", all.join(", "))
            }
        }
    }
}

/// The dictionary before the elements with the blanks that pad it, and the first byte of the elements.
fn text(head: &[u8]) -> Option<(&str, u64)> {
    let rest = head.strip_prefix(MAGIC)?;
    let (length, rest) = match rest {
        [1, _, a, b, rest @ ..] => (usize::from(u16::from_le_bytes([*a, *b])), rest),
        [2 | 3, _, a, b, c, d, rest @ ..] => {
            (usize::try_from(u32::from_le_bytes([*a, *b, *c, *d])).ok()?, rest)
        }
        _ => return None,
    };
    let (text, elements) = rest.split_at_checked(length)?;
    Some((std::str::from_utf8(text).ok()?, (head.len() - elements.len()) as u64))
}

/// Whether elements are, or hold, objects of Python: they are pickled, so their bytes mean nothing here.
fn has_objects(descr: &Literal) -> bool {
    let is_object = |code: &str| code.trim_start_matches(ORDERS).starts_with('O');
    let kind =
        |field: &Literal| field.items().and_then(|parts| parts.get(1)).is_some_and(has_objects);
    descr.text().is_some_and(is_object)
        || descr.items().is_some_and(|fields| fields.iter().any(kind))
}

/// Appends the members of a type, the first at `offset`, and returns their size.
fn describe(descr: &Literal, name: &str, offset: usize, to: &mut Vec<Member>) -> Option<usize> {
    /// Names of fields whose three numbers are x, y and z.
    const TOGETHER: [&str; 4] = ["xyz", "pos", "position", "points"];
    let Some(fields) = descr.items() else {
        let (number, size) = element(descr.text()?)?;
        to.push(Member { name: name.to_owned(), offset, number });
        return Some(size);
    };
    let mut size = 0_usize;
    for field in fields {
        let (name, kind, shape) = match field.items()? {
            [name, kind] => (name, kind, Vec::new()),
            [name, kind, shape] => (name, kind, shape.numbers()?),
            _ => return None,
        };
        // A field may have a title before its name.
        let name = name.text().or_else(|| name.items()?.get(1)?.text())?;
        let at = offset.checked_add(size)?;
        let before = to.len();
        let one = describe(kind, name, at, to)?;
        let count = shape.iter().try_fold(1_usize, |n, &k| n.checked_mul(usize::try_from(k).ok()?));
        if kind.items().is_some() || count != Some(1) {
            let first = to.drain(before..).next();
            match first {
                Some(member)
                    if kind.text().is_some() && count == Some(3) && TOGETHER.contains(&name) =>
                {
                    to.extend(["x", "y", "z"].into_iter().enumerate().map(|(k, axis)| Member {
                        name: axis.to_owned(),
                        offset: at + k * one,
                        number: member.number,
                    }));
                }
                _ => to.push(Member { name: name.to_owned(), offset: at, number: None }),
            }
        }
        size = size.checked_add(one.checked_mul(count?)?)?;
    }
    Some(size)
}

/// The type of a number, if such numbers are read, and its size.
fn element(code: &str) -> Option<(Option<(NumberType, bool)>, usize)> {
    let (order, code) = match code.as_bytes().first()? {
        b'<' | b'>' | b'|' | b'=' => code.split_at(1),
        _ => ("<", code),
    };
    let kind = code.chars().next()?;
    // Time types have their unit in brackets.
    let digits = code[kind.len_utf8()..].split('[').next()?;
    let size: usize = digits.parse().ok()?;
    let number = match (kind, size) {
        ('f', 4) => Some(NumberType::F32),
        ('f', 8) => Some(NumberType::F64),
        ('i', 1) => Some(NumberType::I8),
        ('i', 2) => Some(NumberType::I16),
        ('i', 4) => Some(NumberType::I32),
        ('i', 8) => Some(NumberType::I64),
        ('u', 1) => Some(NumberType::U8),
        ('u', 2) => Some(NumberType::U16),
        ('u', 4) => Some(NumberType::U32),
        ('u', 8) => Some(NumberType::U64),
        _ => None,
    };
    let size = if kind == 'U' { size.checked_mul(4)? } else { size };
    Some((number.map(|number| (number, order == ">")), size))
}

/// The name of a type.
fn name_of(code: &str) -> String {
    let code = code.trim_start_matches(ORDERS);
    let mut rest = code.chars();
    let kind = rest.next();
    let bits = rest.as_str().parse::<usize>().ok().and_then(|size| size.checked_mul(8));
    match (kind, bits) {
        (Some('f'), Some(bits)) => format!("float{bits}"),
        (Some('i'), Some(bits)) => format!("int{bits}"),
        (Some('u'), Some(bits)) => format!("uint{bits}"),
        (Some('c'), Some(bits)) => format!("complex{bits}"),
        (Some('b'), _) => "bool".into(),
        (Some('S' | 'U'), _) => "text".into(),
        (Some('M'), _) => "times".into(),
        (Some('m'), _) => "durations".into(),
        _ => "an unknown type".into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn npy(dictionary: &str) -> Vec<u8> {
        let mut bytes = [MAGIC, &[1, 0]].concat();
        bytes.extend((dictionary.len() as u16).to_le_bytes());
        bytes.extend(dictionary.as_bytes());
        bytes
    }

    fn array(descr: &str) -> Option<Array> {
        let text = format!("{{'descr': {descr}, 'fortran_order': False, 'shape': (5, 3)}}");
        Array::parse(&npy(&text)).ok()
    }

    #[test]
    fn types_are_told_with_their_sizes() {
        let plain = array("'>f8'").unwrap();
        assert!(plain.is_plain() && plain.size == 8 && plain.count() == Some(15));
        assert_eq!(plain.members[0].number, Some((NumberType::F64, true)));
        for (descr, size) in [("'<U3'", 12), ("'<M8[ns]'", 8), ("'|S7'", 7), ("'<c16'", 16)] {
            let array = array(descr).unwrap();
            assert_eq!((array.size, array.members[0].number), (size, None), "{descr}");
        }
        for descr in ["'|O'", "'<f'", "''", "[('x',)]", "[]", "5", "[('x', '<f4', (0,))]"] {
            assert_eq!(array(descr), None, "{descr}");
        }
        for descr in ["'|O'", "'O8'", "[('x', '<f4'), ('o', [('p', '|O')])]"] {
            let text = format!("{{'descr': {descr}, 'fortran_order': False, 'shape': (5, 3)}}");
            let wrong = Array::parse(&npy(&text)).unwrap_err();
            assert_eq!(wrong, "its elements are Python objects, and no numbers");
        }
    }

    #[test]
    fn fields_keep_their_places() {
        let fields = array(
            "[('a', '<i2', (4,)), (('title', 'x'), '<f4'), ('n', [('p', '|u1'), ('q', '<f8')]), ('xyz', '<f4', (3,))]",
        );
        let fields = fields.unwrap();
        let places: Vec<(&str, usize, bool)> =
            fields.members.iter().map(|m| (&*m.name, m.offset, m.number.is_some())).collect();
        let want = [
            ("a", 0, false),
            ("x", 8, true),
            ("n", 12, false),
            ("x", 21, true),
            ("y", 25, true),
            ("z", 29, true),
        ];
        assert_eq!((&places[..], fields.size), (&want[..], 33));
    }

    #[test]
    fn damaged_headers_are_refused() {
        let whole = npy("{'descr': '<f4', 'fortran_order': False, 'shape': (5, 3)}");
        assert!(Array::parse(&whole).is_ok());
        for length in 0..whole.len() {
            assert!(Array::parse(&whole[..length]).is_err(), "{length}");
        }
    }
}
