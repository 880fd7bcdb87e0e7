//! The extra dimensions of LAS points: what a file describes, and those that are added.

use super::LabelBy;

use std::ops::Range;

/// Length of one description.
const LENGTH: usize = 192;

/// Name of the dimension with the index of a point's plane.
const ID: &str = "plane_id";
/// Name of the dimension with a point's distance from its plane.
const DISTANCE: &str = "plane_distance";
/// Name of the dimension with the number of a point's piece.
const PIECE: &str = "piece_id";

/// How the extra bytes of a point are carried over.
#[derive(Debug, PartialEq)]
pub struct Extra {
    /// Which of the old extra bytes are kept, in order.
    pub kept: Vec<Range<usize>>,
    /// The description of the new extra bytes: those that are kept, then those added.
    pub description: Vec<u8>,
    /// Bytes that are added to a point.
    added: usize,
}

impl Extra {
    /// Keeps `bytes` extra bytes a point that the file describes with `description`, except for
    /// those of earlier labels by plane or piece. `None` when more is described than there is.
    pub fn new(description: &[u8], bytes: usize, by: LabelBy) -> Option<Extra> {
        let mut extra = Extra { kept: Vec::new(), description: Vec::new(), added: 8 };
        let mut at = 0;
        for dimension in description.as_chunks::<LENGTH>().0 {
            // Where a length is unknown the places of all that follows are, too.
            let Some(size) = size(dimension[2], dimension[3]) else {
                break;
            };
            let next = at + size;
            if next > bytes {
                return None;
            }
            if ![ID, DISTANCE, PIECE].contains(&name(dimension).as_str()) {
                extra.kept.push(at..next);
                extra.description.extend(dimension);
            }
            at = next;
        }
        extra.keep_undescribed(at..bytes);
        extra.description.extend(describe(
            6,
            ID,
            "index of the plane, -1 none",
            (-1i64).to_le_bytes(),
        ));
        extra.description.extend(describe(
            9,
            DISTANCE,
            "distance from the plane",
            f64::NAN.to_le_bytes(),
        ));
        if by == LabelBy::Piece {
            extra.description.extend(describe(
                6,
                PIECE,
                "number of the piece, -1 none",
                (-1i64).to_le_bytes(),
            ));
            extra.added += 4;
        }
        Some(extra)
    }

    /// Bytes of a point's extra dimensions after the change.
    pub fn length(&self) -> usize {
        self.kept.iter().map(Range::len).sum::<usize>() + self.added
    }

    /// Bytes that nothing describes need a placeholder, or the dimensions after them would be
    /// looked for in the wrong place.
    fn keep_undescribed(&mut self, range: Range<usize>) {
        let mut start = range.start;
        while start < range.end {
            let end = range.end.min(start + 255);
            let mut dimension = describe(0, "undescribed", "", [0; 8]);
            dimension[3] = (end - start) as u8;
            self.description.extend(dimension);
            self.kept.push(start..end);
            start = end;
        }
    }
}

/// The description of a dimension; its value for "no data" is given as the format wants it.
fn describe(kind: u8, name: &str, text: &str, no_data: [u8; 8]) -> [u8; LENGTH] {
    let mut bytes = [0; LENGTH];
    bytes[2] = kind;
    bytes[3] = u8::from(kind != 0);
    bytes[4..4 + name.len()].copy_from_slice(name.as_bytes());
    bytes[40..48].copy_from_slice(&no_data);
    bytes[160..160 + text.len()].copy_from_slice(text.as_bytes());
    bytes
}

fn name(dimension: &[u8; LENGTH]) -> String {
    let name = dimension[4..36].split(|&b| b == 0).next();
    String::from_utf8_lossy(name.unwrap_or_default()).into_owned()
}

/// Length of a dimension of type `kind`.
fn size(kind: u8, options: u8) -> Option<usize> {
    const SIZES: [usize; 10] = [1, 1, 2, 2, 4, 4, 8, 8, 4, 8];
    match kind {
        0 => Some(options.into()),
        // Scalars, then the deprecated pairs and triples.
        1..=30 => {
            let k = usize::from(kind - 1);
            Some(SIZES[k % 10] * (1 + k / 10))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(description: &[u8]) -> Vec<String> {
        description.as_chunks::<LENGTH>().0.iter().map(name).collect()
    }

    #[test]
    fn the_added_dimensions_are_described() {
        let extra = Extra::new(&[], 0, LabelBy::Plane).unwrap();
        assert_eq!(extra.length(), 8);
        assert_eq!(names(&extra.description), ["plane_id", "plane_distance"]);
        assert_eq!([extra.description[2], extra.description[192 + 2]], [6, 9]);
        assert_eq!(extra.description[40..48], (-1i64).to_le_bytes());
        let extra = Extra::new(&[], 0, LabelBy::Piece).unwrap();
        assert_eq!(extra.length(), 12);
        assert_eq!(names(&extra.description), ["plane_id", "plane_distance", "piece_id"]);
        assert_eq!(extra.description[384 + 2], 6);
    }

    #[test]
    fn earlier_dimensions_of_the_same_names_are_replaced() {
        let mut old = describe(4, "before", "", [0; 8]).to_vec();
        old.extend(describe(6, ID, "", [0; 8]));
        old.extend(describe(21, "after", "", [0; 8]));
        old.extend(describe(9, DISTANCE, "", [0; 8]));
        old.extend(describe(6, PIECE, "", [0; 8]));
        let extra = Extra::new(&old, 2 + 4 + 3 + 4 + 4, LabelBy::Plane).unwrap();
        assert_eq!(extra.kept, [0..2, 6..9]);
        assert_eq!(names(&extra.description), ["before", "after", ID, DISTANCE]);
        assert_eq!(extra.length(), 13);
    }

    #[test]
    fn bytes_without_description_keep_their_place() {
        let old = describe(1, "one", "", [0; 8]);
        let extra = Extra::new(&old, 301, LabelBy::Plane).unwrap();
        assert_eq!(extra.kept, [0..1, 1..256, 256..301]);
        let lengths: Vec<_> = extra.description.as_chunks::<LENGTH>().0[1..3]
            .iter()
            .map(|d| size(d[2], d[3]))
            .collect();
        assert_eq!(lengths, [Some(255), Some(45)]);
    }

    #[test]
    fn more_described_than_there_is_has_no_answer() {
        assert_eq!(Extra::new(&describe(10, "long", "", [0; 8]), 7, LabelBy::Plane), None);
    }
}
