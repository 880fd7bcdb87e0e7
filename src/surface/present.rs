//! The planes that are present in or around each base cell.

use crate::shared::PRESENT;
use rayon::prelude::*;
use rustc_hash::FxHashMap;
use std::ops::Range;

/// Cells that share one list of sets; their number fits into 16 bits.
const PIECE: usize = 1 << 10;

/// The planes present in or around each base cell: its own plane, then those around it, ascending. Successive
/// cells mostly have the same few sets of planes, so each set is kept once.
pub struct Present {
    cells: usize,
    pieces: Vec<Piece>,
}

/// The sets of [`PIECE`] cells.
#[derive(Default)]
struct Piece {
    sets: Vec<[u32; PRESENT]>,
    /// Which of the sets each cell has.
    of: Vec<u16>,
}

impl Present {
    /// The planes present in so many `cells`; `of` gives those of a range of cells.
    pub fn new<I: Iterator<Item = [u32; PRESENT]>>(
        cells: usize,
        of: impl Fn(Range<usize>) -> I + Sync,
    ) -> Present {
        let firsts = (0..cells).into_par_iter().step_by(PIECE);
        let piece = |first: usize| Piece::new(of(first..cells.min(first + PIECE)));
        Present { cells, pieces: firsts.map(piece).collect() }
    }

    /// The planes of a cell.
    #[inline]
    pub fn of(&self, cell: usize) -> &[u32; PRESENT] {
        let piece = &self.pieces[cell / PIECE];
        &piece.sets[usize::from(piece.of[cell % PIECE])]
    }

    /// Number of cells.
    pub fn cells(&self) -> usize {
        self.cells
    }
}

impl Piece {
    fn new(all: impl Iterator<Item = [u32; PRESENT]>) -> Piece {
        let mut piece = Piece::default();
        let mut known = FxHashMap::default();
        let mut last = None;
        for planes in all {
            let set = match last {
                Some((before, set)) if before == planes => set,
                _ => *known.entry(planes).or_insert_with(|| {
                    piece.sets.push(planes);
                    piece.sets.len() as u16 - 1
                }),
            };
            last = Some((planes, set));
            piece.of.push(set);
        }
        piece.sets.shrink_to_fit();
        piece
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_cell_has_its_planes() {
        let of = |cell: usize| [cell as u32 / 3 % 700; PRESENT];
        let present = Present::new(2500, |cells| cells.map(of));
        assert!((0..present.cells()).all(|cell| *present.of(cell) == of(cell)));
        assert!(present.pieces[0].sets.len() < PIECE / 2);
    }
}
