//! The extra dimensions of LAS points: what a file describes, and those that are added.

use super::super::labels::{DISTANCE, LABEL, PIECE};
use super::super::records::NumberType;
use std::ops::Range;

/// Length of one description.
const LENGTH: usize = 192;

/// The types of plain numbers, by their codes from 1 on.
const KINDS: [NumberType; 10] = [
    NumberType::U8,
    NumberType::I8,
    NumberType::U16,
    NumberType::I16,
    NumberType::U32,
    NumberType::I32,
    NumberType::U64,
    NumberType::I64,
    NumberType::F32,
    NumberType::F64,
];

/// The code of signed 32-bit integers.
const INTEGER: u8 = 6;
/// The code of 32-bit floating-point numbers.
const FLOAT: u8 = 9;

/// The description of a dimension.
pub(super) struct Dimension<'a>(&'a [u8; LENGTH]);

/// The dimensions that a record describes.
pub(super) fn dimensions(record: Option<&[u8]>) -> impl Iterator<Item = Dimension<'_>> {
    record.unwrap_or_default().as_chunks().0.iter().map(Dimension)
}

impl Dimension<'_> {
    pub(super) fn name(&self) -> String {
        let name = self.0[4..36].split(|&byte| byte == 0).next();
        String::from_utf8_lossy(name.unwrap_or_default()).into_owned()
    }

    /// Its type, where it is a plain number.
    pub(super) fn kind(&self) -> Option<NumberType> {
        KINDS.get(usize::from(self.0[2]).checked_sub(1)?).copied()
    }

    /// Its length, if that is known.
    pub(super) fn size(&self) -> Option<usize> {
        match self.0[2] {
            // Not described: as many bytes as the options say.
            0 => Some(self.0[3].into()),
            // Numbers, then the deprecated pairs and triples.
            code @ 1..=30 => {
                let k = usize::from(code - 1);
                Some(KINDS[k % 10].size() * (1 + k / 10))
            }
            _ => None,
        }
    }
}

/// How the extra bytes of a point are carried over.
#[derive(Debug, PartialEq)]
pub(super) struct Extra {
    /// Which of the old extra bytes are kept, in order.
    pub(super) kept: Vec<Range<usize>>,
    /// The description of the new extra bytes: those that are kept, then those added.
    pub(super) description: Vec<u8>,
    /// Bytes that are added to a point.
    added: usize,
}

impl Extra {
    /// Keeps `bytes` extra bytes a point that the file describes with `description`, except for
    /// those of earlier labels, and adds those called `names`. `None` when more is described than there is.
    pub(super) fn new(description: Option<&[u8]>, bytes: usize, names: &[&str]) -> Option<Extra> {
        let added = 4 * names.len();
        let mut extra = Extra { kept: Vec::new(), description: Vec::new(), added };
        let mut at = 0;
        for dimension in dimensions(description) {
            // Where a length is unknown the places of all that follows are, too.
            let Some(size) = dimension.size() else {
                break;
            };
            let next = at + size;
            if next > bytes {
                return None;
            }
            if ![LABEL, DISTANCE, PIECE].contains(&&*dimension.name()) {
                extra.kept.push(at..next);
                extra.description.extend(dimension.0);
            }
            at = next;
        }
        extra.keep_undescribed(at..bytes);
        names.iter().for_each(|name| extra.description.extend(added_dimension(name)));
        Some(extra)
    }

    /// Bytes of a point's extra dimensions after the change.
    pub(super) fn length(&self) -> usize {
        self.kept.iter().map(Range::len).sum::<usize>() + self.added
    }

    /// Bytes that nothing describes need a placeholder, or the dimensions after them would be
    /// looked for in the wrong place.
    fn keep_undescribed(&mut self, range: Range<usize>) {
        let mut start = range.start;
        while start < range.end {
            let end = range.end.min(start + 255);
            let mut dimension = describe(0, "undescribed", "", None);
            dimension[3] = (end - start) as u8;
            self.description.extend(dimension);
            self.kept.push(start..end);
            start = end;
        }
    }
}

/// The description of a dimension of labels, of four bytes, with its value for "none".
fn added_dimension(name: &str) -> [u8; LENGTH] {
    let (kind, text, none) = match name {
        DISTANCE => (FLOAT, "distance from the plane", f64::NAN.to_le_bytes()),
        PIECE => (INTEGER, "number of the piece, -1 none", (-1i64).to_le_bytes()),
        _ => (INTEGER, "index of the plane, -1 none", (-1i64).to_le_bytes()),
    };
    describe(kind, name, text, Some(none))
}

/// The description of the labels of a cloud that is written for the first time.
pub(super) fn describe_labels() -> [u8; LENGTH] {
    describe(INTEGER, LABEL, "plane of the point, -1 none", None)
}

/// The description of a dimension; its value for "no data", if there is one, as the format wants it.
fn describe(kind: u8, name: &str, text: &str, no_data: Option<[u8; 8]>) -> [u8; LENGTH] {
    let mut bytes = [0; LENGTH];
    bytes[2] = kind;
    bytes[3] = no_data.is_some().into();
    bytes[4..4 + name.len()].copy_from_slice(name.as_bytes());
    bytes[40..48].copy_from_slice(&no_data.unwrap_or_default());
    bytes[160..160 + text.len()].copy_from_slice(text.as_bytes());
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    const BY_PLANE: &[&str] = &[LABEL, DISTANCE];

    fn names(description: &[u8]) -> Vec<String> {
        dimensions(Some(description)).map(|dimension| dimension.name()).collect()
    }

    #[test]
    fn extra_dimensions_have_their_lengths() {
        let of = |code: u8, options: u8| {
            let mut bytes = describe(code, "", "", None);
            bytes[3] = options;
            (Dimension(&bytes).kind(), Dimension(&bytes).size())
        };
        assert_eq!(of(6, 0), (Some(NumberType::I32), Some(4)));
        assert_eq!(of(0, 7), (None, Some(7)));
        assert_eq!(of(20, 0), (None, Some(16)), "a pair of doubles");
        assert_eq!(of(21, 0), (None, Some(3)), "a triple of bytes");
        assert_eq!(of(31, 0), (None, None));
    }

    #[test]
    fn the_added_dimensions_are_described() {
        let extra = Extra::new(None, 0, BY_PLANE).unwrap();
        assert_eq!(extra.length(), 8);
        assert_eq!(names(&extra.description), ["plane_id", "plane_distance"]);
        assert_eq!([extra.description[2], extra.description[192 + 2]], [6, 9]);
        assert_eq!(extra.description[40..48], (-1i64).to_le_bytes());
        let extra = Extra::new(None, 0, &[LABEL, DISTANCE, PIECE]).unwrap();
        assert_eq!(extra.length(), 12);
        assert_eq!(names(&extra.description), ["plane_id", "plane_distance", "piece_id"]);
        assert_eq!(extra.description[384 + 2], 6);
    }

    #[test]
    fn earlier_dimensions_of_the_same_names_are_replaced() {
        let mut old = describe(4, "before", "", None).to_vec();
        old.extend(describe(6, LABEL, "", None));
        old.extend(describe(21, "after", "", None));
        old.extend(describe(9, DISTANCE, "", None));
        old.extend(describe(6, PIECE, "", None));
        let extra = Extra::new(Some(&old), 2 + 4 + 3 + 4 + 4, BY_PLANE).unwrap();
        assert_eq!(extra.kept, [0..2, 6..9]);
        assert_eq!(names(&extra.description), ["before", "after", LABEL, DISTANCE]);
        assert_eq!(extra.length(), 13);
    }

    #[test]
    fn bytes_without_description_keep_their_place() {
        let old = describe(1, "one", "", None);
        let extra = Extra::new(Some(&old), 301, BY_PLANE).unwrap();
        assert_eq!(extra.kept, [0..1, 1..256, 256..301]);
        let lengths: Vec<_> = dimensions(Some(&extra.description)).map(|d| d.size()).collect();
        assert_eq!(lengths[1..3], [Some(255), Some(45)]);
    }

    #[test]
    fn more_described_than_there_is_has_no_answer() {
        assert_eq!(Extra::new(Some(&describe(10, "long", "", None)), 7, BY_PLANE), None);
    }
}
