//! Which surfels lie next to each other.
//!
//! Planes grow over the same surfels again and again, in no order that helps. So the surfels around each cell
//! are looked up once, cell after cell, by all threads.

use crate::surface::blocks::Finder;
use crate::surface::cells::Cells;
use crate::surface::surfels::Surfels;
use rayon::prelude::*;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};

/// Cells of a level that one thread looks at in one go.
const PIECE: usize = 1 << 10;

/// For the cells in which a surface was seen, the surfels in the blocks around them.
pub(super) struct Adjacency {
    /// For each level, its cells in pieces.
    levels: Vec<Vec<Piece>>,
}

/// What lies around the cells of a piece; empty if no surface was seen in them.
#[derive(Default)]
struct Piece {
    /// Where the runs of each cell end.
    ends: Vec<u32>,
    /// Runs of surfels, ascending and apart.
    runs: Vec<Range<u32>>,
}

impl Adjacency {
    /// What lies around the cells on which the surfaces of surfels were seen.
    pub fn new(cells: &Cells, surfels: &Surfels) -> Adjacency {
        let none = |level| (0..cells.len(level)).map(|_| AtomicBool::new(false)).collect();
        let wanted: Vec<Vec<AtomicBool>> = (0..cells.levels.len()).map(none).collect();
        (0..surfels.list.len() as u32).into_par_iter().for_each(|i| {
            let Some(surface) = surfels.list[i as usize].surface else { return };
            let level = surface.level();
            for cell in surfels.homes(cells, i, level) {
                wanted[level][cell as usize].store(true, Ordering::Relaxed);
            }
        });
        let level = |(level, wanted): (usize, &Vec<AtomicBool>)| {
            let piece = |(piece, wanted): (usize, &[AtomicBool])| {
                Piece::new((cells, surfels), level, piece * PIECE, wanted)
            };
            wanted.par_chunks(PIECE).enumerate().map(piece).collect()
        };
        Adjacency { levels: wanted.par_iter().enumerate().map(level).collect() }
    }

    /// The surfels in the block around a cell on which the surface of one was seen, as runs.
    #[inline(always)]
    pub fn around(&self, level: usize, cell: u32) -> &[Range<u32>] {
        let (piece, k) = (&self.levels[level][cell as usize / PIECE], cell as usize % PIECE);
        let first = if k == 0 { 0 } else { piece.ends[k - 1] };
        &piece.runs[first as usize..piece.ends[k] as usize]
    }
}

impl Piece {
    /// What lies around the `wanted` cells of a level from `first` on.
    fn new(
        (cells, surfels): (&Cells, &Surfels),
        level: usize,
        first: usize,
        wanted: &[AtomicBool],
    ) -> Piece {
        let mut piece = Piece::default();
        if !wanted.iter().any(|wanted| wanted.load(Ordering::Relaxed)) {
            return piece;
        }
        let mut finder = Finder::new(&cells.levels[level..]);
        let mut runs = Vec::new();
        for (cell, wanted) in (first as u32..).zip(wanted) {
            if wanted.load(Ordering::Relaxed) {
                let block = finder.block(cell);
                runs.clear();
                runs.extend(block.iter().map(|&cell| surfels.within(cells.run(level, cell))));
                piece.add(&mut runs);
            }
            piece.ends.push(piece.runs.len() as u32);
        }
        piece.runs.shrink_to_fit();
        piece
    }

    /// Adds the runs of a cell, those that touch or overlap as one.
    fn add(&mut self, runs: &mut [Range<u32>]) {
        runs.sort_unstable_by_key(|run| run.start);
        let before = self.runs.len();
        for run in runs {
            match self.runs[before..].last_mut() {
                Some(last) if run.start <= last.end => last.end = last.end.max(run.end),
                _ => self.runs.push(run.clone()),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cpu::cut::whole;
    use crate::frame::Points;
    use crate::surface::flat::Surface;
    use crate::surface::surfels::Surfel;
    use std::collections::BTreeSet;

    #[test]
    fn around_a_cell_are_the_surfels_of_its_block() {
        let point = |i: u32| {
            [48_271, 69_621, 16_807]
                .map(|k| (i.wrapping_mul(k).wrapping_mul(2_654_435_761) >> 20) as f32)
        };
        let points: Points = (1..6000).map(point).collect();
        let cloud = whole(&points);
        let cells = &cloud.cells;
        // Surfels of one or two base cells, every third without a surface.
        let base = cells.base().len() as u32;
        let (mut list, mut place) = (Vec::new(), 0);
        while place < base {
            let k = list.len();
            let end = (place + 1 + (k % 5 == 0) as u32).min(base);
            let level = k % cells.levels.len().min(4);
            let surface = (k % 3 != 0).then(|| Surface::new([0.0, 0.0, 1.0], 0.1, 1.0, level));
            let places = [place, end];
            list.push(Surfel {
                centroid: [0.0; 3],
                scatter: [0.0; 6],
                weight: 1,
                surface,
                scale: 1.0,
                places,
            });
            place = end;
        }
        let surfels = Surfels::of(list, base as usize);
        let adjacency = Adjacency::new(cells, &surfels);
        let mut looked = 0;
        for i in 0..surfels.list.len() as u32 {
            let Some(surface) = surfels.list[i as usize].surface else { continue };
            let level = surface.level();
            for cell in surfels.homes(cells, i, level) {
                let mut finders = cells.finders();
                let plain: BTreeSet<u32> = surfels.around(&mut finders, level, cell).collect();
                let runs = adjacency.around(level, cell);
                assert!(runs.windows(2).all(|pair| pair[0].end < pair[1].start));
                let found: Vec<u32> = runs.iter().flat_map(Clone::clone).collect();
                assert_eq!(found, plain.into_iter().collect::<Vec<_>>());
                looked += 1;
            }
        }
        assert!(looked > 1000, "{looked}");
    }
}
