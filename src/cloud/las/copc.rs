//! The octree of COPC: the part of space that each chunk of a LAZ file covers.

use super::super::{Bbox, bytes::Bytes};
use crate::{Error, Result};
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

/// Length of the record that describes the octree.
const INFO: usize = 160;
/// Length of an entry of the hierarchy.
const ENTRY: usize = 32;
/// Most levels: deeper cells would be smaller than the steps of coordinates.
const DEEPEST: i32 = 32;

/// The octree of a file, as its header describes it.
pub(super) struct Octree {
    centre: [f64; 3],
    half: f64,
    /// The start and length of the first page of the hierarchy.
    root: (u64, u64),
    /// How far rounding can move a point out of its cell.
    slack: f64,
}

/// A cell of the octree: its level, and its index along each axis.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Cell {
    level: i32,
    place: [i32; 3],
}

impl Octree {
    /// The octree that a record describes, in a file with these steps of coordinates.
    pub(super) fn new(record: &[u8], steps: [f64; 3]) -> Option<Octree> {
        let record = record.get(..INFO)?;
        let word = |at: usize| u64::from_le_bytes(std::array::from_fn(|k| record[at + k]));
        let number = |at| f64::from_bits(word(at));
        let (centre, half) = ([0, 8, 16].map(number), number(24));
        let root = (word(40), word(48));
        let is_sound = half.is_finite() && half > 0.0 && centre.iter().all(|v| v.is_finite());
        let slack = 2.0 * steps.into_iter().map(f64::abs).fold(0.0, f64::max);
        is_sound.then_some(Octree { centre, half, root, slack })
    }

    /// Whether points of these bounds lie in the root cell. Those of a file do not whose header was changed after
    /// the octree was built.
    pub(super) fn holds(&self, (min, max): ([f64; 3], [f64; 3])) -> bool {
        let reach = self.half + self.slack;
        (0..3).all(|axis| {
            let centre = self.centre[axis];
            centre - reach <= min[axis] && max[axis] <= centre + reach
        })
    }

    /// Where the chunks start whose cells do not touch a box.
    ///
    /// # Errors
    /// [`Error::Format`] if the hierarchy is damaged.
    pub(super) fn outside(&self, bytes: &Arc<Bytes>, bbox: &Bbox) -> Result<HashSet<u64>> {
        let cells = self.cells(bytes)?;
        let is_outside = |cell: Option<Cell>| cell.is_some_and(|cell| !self.touches(cell, bbox));
        let outside = cells.into_iter().filter(|&(_, cell)| is_outside(cell));
        Ok(outside.map(|(start, _)| start).collect())
    }

    /// Whether a cell can hold points of a box.
    fn touches(&self, cell: Cell, bbox: &Bbox) -> bool {
        let side = 2.0 * self.half / f64::from(cell.level).exp2();
        (0..3).zip([Some(bbox.x), Some(bbox.y), bbox.z]).all(|(axis, range)| {
            let low = self.centre[axis] - self.half + f64::from(cell.place[axis]) * side;
            range.is_none_or(|[from, to]| low - self.slack <= to && low + side + self.slack >= from)
        })
    }

    /// The cells by the bytes at which their chunks start; `None` for a chunk of several cells.
    fn cells(&self, bytes: &Arc<Bytes>) -> Result<HashMap<u64, Option<Cell>>> {
        let mut cells = HashMap::new();
        let mut pages = vec![self.root];
        let mut left = bytes.len();
        while let Some((start, length)) = pages.pop() {
            let fault = |message| Error::format(bytes.path(), format!("byte {start}"), message);
            let is_within = start.checked_add(length).is_some_and(|end| end <= bytes.len());
            if !is_within || !length.is_multiple_of(ENTRY as u64) {
                return Err(fault("a page of the COPC hierarchy does not fit the file"));
            }
            // Pages do not share bytes, so together they are no longer than the file.
            left = left
                .checked_sub(length.max(1))
                .ok_or_else(|| fault("the pages of the COPC hierarchy name each other"))?;
            let page = bytes.head(start, length)?;
            for entry in page.as_chunks::<ENTRY>().0 {
                let int = |at: usize| i32::from_le_bytes(std::array::from_fn(|k| entry[at + k]));
                let cell = Cell { level: int(0), place: [4, 8, 12].map(int) };
                if !(0..=DEEPEST).contains(&cell.level) {
                    return Err(fault("a cell of the COPC hierarchy is of no level"));
                }
                let at = u64::from_le_bytes(std::array::from_fn(|k| entry[16 + k]));
                match int(28) {
                    -1 => pages.push((at, u64::try_from(int(24)).unwrap_or(u64::MAX))),
                    0 => {}
                    _ => {
                        cells.entry(at).and_modify(|cell| *cell = None).or_insert(Some(cell));
                    }
                }
            }
        }
        Ok(cells)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    /// A file that is a hierarchy alone, whose root is its first `root` bytes.
    fn octree(root: u64) -> Octree {
        Octree { centre: [8.0; 3], half: 8.0, root: (0, root), slack: 0.0 }
    }

    fn entry(numbers: [i32; 4], at: u64, rest: [i32; 2]) -> Vec<u8> {
        let bytes = |numbers: &[i32]| numbers.iter().flat_map(|v| v.to_le_bytes()).collect();
        let [key, rest]: [Vec<u8>; 2] = [bytes(&numbers), bytes(&rest)];
        [key, at.to_le_bytes().to_vec(), rest].concat()
    }

    fn outside(file: Vec<u8>, root: u64, bbox: &str) -> Result<Vec<u64>> {
        let bytes = Arc::new(Bytes::memory(Path::new("m"), file));
        let found = octree(root).outside(&bytes, &bbox.parse().unwrap())?;
        let mut found: Vec<u64> = found.into_iter().collect();
        found.sort_unstable();
        Ok(found)
    }

    #[test]
    fn cells_that_touch_a_box_are_read() {
        let file = [
            entry([0, 0, 0, 0], 1000, [9, 1]),
            entry([1, 0, 0, 0], 1001, [9, 1]),
            entry([1, 1, 0, 0], 1002, [9, 1]),
            // On another page.
            entry([1, 1, 1, 1], 128, [32, -1]),
            entry([2, 3, 3, 3], 1003, [9, 1]),
        ]
        .concat();
        let of = |bbox| outside(file.clone(), 128, bbox).unwrap();
        assert_eq!(of("0,0,7,7"), [1002, 1003]);
        assert_eq!(of("8,0,8,0"), [1003]);
        assert_eq!(of("13,13,14,14"), [1001, 1002]);
        assert_eq!(of("13,13,0,14,14,5"), [1001, 1002, 1003]);
        assert_eq!(of("99,99,100,100"), [1000, 1001, 1002, 1003]);
    }

    #[test]
    fn a_chunk_of_several_cells_is_read() {
        let cell = |place| entry([1, place, 0, 0], 1000, [9, 1]);
        assert_eq!(outside(cell(1), 32, "0,0,1,1").unwrap(), [1000]);
        let twice = [cell(0), cell(1)].concat();
        assert!(outside(twice, 64, "0,0,1,1").unwrap().is_empty());
    }

    #[test]
    fn a_damaged_hierarchy_is_an_error() {
        let page = |numbers, at, rest| outside(entry(numbers, at, rest), 32, "0,0,1,1");
        assert!(page([0; 4], 0, [32, 5]).is_ok());
        for (numbers, at, length) in [
            ([0; 4], 0, 32),
            ([0; 4], 0, 31),
            ([0; 4], 8, 32),
            ([0; 4], u64::MAX, 32),
            ([0; 4], 0, -1),
            ([0; 4], 0, 0),
        ] {
            let done = page(numbers, at, [length, -1]);
            assert!(matches!(done, Err(Error::Format { .. })) || length == 0, "{at} {length}");
        }
        assert!(page([33, 0, 0, 0], 0, [32, 5]).is_err());
        assert!(page([-1, 0, 0, 0], 0, [32, 5]).is_err());
        assert!(outside(vec![0; 64], 96, "0,0,1,1").is_err());
    }
}
