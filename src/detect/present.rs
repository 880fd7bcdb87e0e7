//! Which planes are present where.
//!
//! Rounds claim whole cells. Then each point is assigned on its own: of the planes claimed in its cell or
//! close by, it belongs to the likeliest one whose tolerance it meets. This is how points at creases, on thin
//! strips and in cells without a surface get their plane.

use crate::surface::cells::Cells;
use crate::surface::plane::PRESENT;
use crate::surface::present::Present;
use crate::surface::surfels::{Surfel, Surfels, weight_by_level};
use rayon::prelude::*;
use rustc_hash::FxHashMap;

/// Most planes that meet in one block; more than four at a corner are rare.
const MEETING: usize = PRESENT - 1;
/// No plane.
const NONE: u32 = u32::MAX;

/// For each base cell, the planes that are present in or around it; `claims` lists the surfels of each plane.
pub(super) fn present<'c>(
    cells: &Cells,
    surfels: &Surfels,
    claims: impl Iterator<Item = &'c [u32]>,
) -> Present {
    let mut own = vec![NONE; surfels.list.len()];
    let mut planes = 0;
    for claimed in claims {
        claimed.iter().for_each(|&surfel| own[surfel as usize] = planes);
        planes += 1;
    }
    planes_around(cells, surfels, &own, planes)
}

/// For each base cell, its own plane and those claimed within its block at the level of its surface, or at the
/// usual level if it has none; `own` gives the plane of each surfel, one of so many `planes`.
///
/// Where cells are wider because the cloud has many points, the level is that many lower, so that a plane still
/// reaches no farther beyond its edge than a few points do.
fn planes_around(cells: &Cells, surfels: &Surfels, own: &[u32], planes: u32) -> Present {
    let usual = usual_level(cells.levels.len(), &surfels.list);
    let within = Within::new(cells, |cell| own[surfels.at(cell)], planes);
    let (within, doublings) = (&within, cells.unit.doublings as usize);
    Present::new(cells.len(0), move |range| {
        // Consecutive cells often have the same block.
        let (mut last, mut planes) = (None, [NONE; MEETING]);
        let mut finders = cells.finders();
        range.map(move |cell| {
            let surfel = surfels.at(cell);
            let level = surfels.list[surfel].surface.map_or(usual, |s| s.level());
            let level = level.saturating_sub(doublings);
            let home = (level, cells.ancestor(cell as u32, level));
            if last.replace(home) != Some(home) {
                planes = within.all(level, &finders[level].block(home.1));
            }
            let mut around = [own[surfel]; PRESENT];
            around[1..].copy_from_slice(&planes);
            around
        })
    })
}

/// The planes claimed within each cell of each level. Most cells have the same few sets of planes, so each set
/// is kept once.
struct Within {
    /// Sets of planes, ascending; the lowest if there are too many. The first is empty, and the next ones hold
    /// one plane each.
    sets: Vec<[u32; MEETING]>,
    /// The sets of more than one plane.
    known: FxHashMap<[u32; MEETING], u32>,
    /// The set of each cell of each level.
    levels: Vec<Vec<u32>>,
}

impl Within {
    /// Joins the planes of the base cells, one of so many `planes` or none in each.
    fn new(cells: &Cells, own: impl Fn(usize) -> u32 + Sync, planes: u32) -> Within {
        let alone = |plane: u32| std::array::from_fn(|k| if k == 0 { plane } else { NONE });
        let sets = std::iter::once(NONE).chain(0..planes).map(alone).collect();
        let base = (0..cells.len(0)).into_par_iter().map(|cell| match own(cell) {
            NONE => 0,
            plane => plane + 1,
        });
        let mut within = Within { sets, known: FxHashMap::default(), levels: vec![base.collect()] };
        for level in 1..cells.levels.len() {
            let below = within.levels.last().map_or(&[][..], Vec::as_slice);
            let children = |cell: u32| {
                let [first, end] = cells.run(level, cell);
                let [first, last] = [first, end - 1].map(|base| cells.ancestor(base, level - 1));
                &below[first as usize..=last as usize]
            };
            // Most have children with one plane; the others take a new set or one of many.
            let all = (0..cells.len(level) as u32).into_par_iter();
            let mut above: Vec<u32> =
                all.map(|cell| only(children(cell)).unwrap_or(NONE)).collect();
            let mixed = above.par_iter().enumerate().filter(|(_, set)| **set == NONE);
            for cell in mixed.map(|(cell, _)| cell as u32).collect::<Vec<_>>() {
                above[cell as usize] = join(&mut within.sets, &mut within.known, children(cell));
            }
            within.levels.push(above);
        }
        within
    }

    /// The planes claimed in some cells of a level, ascending; the lowest if there are too many.
    fn all(&self, level: usize, cells: &[u32]) -> [u32; MEETING] {
        let (mut planes, mut last) = ([NONE; MEETING], 0);
        for &cell in cells {
            let set = self.levels[level][cell as usize];
            if std::mem::replace(&mut last, set) != set {
                insert_all(&mut planes, &self.sets[set as usize]);
            }
        }
        planes
    }
}

/// The only one of some sets that is not empty, or the empty set if all are; `None` if there are more.
fn only(all: &[u32]) -> Option<u32> {
    let first = all.iter().copied().find(|&set| set != 0).unwrap_or(0);
    all.iter().all(|&set| set == first || set == 0).then_some(first)
}

/// The set that joins some others.
fn join(
    sets: &mut Vec<[u32; MEETING]>,
    known: &mut FxHashMap<[u32; MEETING], u32>,
    all: &[u32],
) -> u32 {
    let mut joined = [NONE; MEETING];
    all.iter().for_each(|&set| insert_all(&mut joined, &sets[set as usize]));
    *known.entry(joined).or_insert_with(|| {
        sets.push(joined);
        sets.len() as u32 - 1
    })
}

/// The level at or below which the surfaces of three quarters of the points were seen.
fn usual_level(levels: usize, surfels: &[Surfel]) -> usize {
    let weights = weight_by_level(surfels, levels);
    let wanted = 0.75 * weights.iter().sum::<u64>() as f64;
    let mut below = 0;
    let reaches = |&weight: &u64| {
        below += weight;
        weight > 0 && below as f64 >= wanted
    };
    weights.iter().position(reaches).unwrap_or(0)
}

/// Puts the planes of a set into a list: see [`insert`].
fn insert_all(list: &mut [u32], set: &[u32]) {
    set.iter().take_while(|&&plane| plane != NONE).for_each(|&plane| insert(list, plane));
}

/// Puts `plane` into an ascending list without repeats; a full list keeps the lowest.
fn insert(list: &mut [u32], plane: u32) {
    let at = list.partition_point(|&q| q < plane);
    if list.get(at).is_some_and(|&q| q != plane) {
        list[at..].rotate_right(1);
        list[at] = plane;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cpu::cut::whole;
    use crate::surface::flat::Surface;

    #[test]
    fn planes_reach_as_far_as_cells_of_few_points() {
        // A row of base cells, each with a surface that was seen on the next level.
        let mut cells = whole(&(0..4000).map(|i| [16.0 * i as f32, 0.0, 0.0]).collect()).cells;
        let surface = Some(Surface::new([0.0, 0.0, 1.0], 0.01, 1.0, 1));
        let surfel = |cell: u32| Surfel {
            centroid: [0.0; 3],
            scatter: [0.0; 6],
            weight: 2,
            surface,
            scale: 1.0,
            places: [cell, cell + 1],
        };
        let n = cells.len(0);
        let surfels = Surfels::of((0..n as u32).map(surfel).collect(), n);
        let middle = cells.inside(1, cells.ancestor(n as u32 / 2, 1)).start;
        for (doublings, before, after) in [(0, 2, 3), (1, 1, 1)] {
            cells.unit.doublings = doublings;
            let present = present(&cells, &surfels, [&[middle][..]].into_iter());
            let sees = |&cell: &usize| present.of(cell).contains(&0);
            let all: Vec<usize> = (0..n).filter(sees).collect();
            let middle = middle as usize;
            assert_eq!(all, (middle - before..=middle + after).collect::<Vec<_>>(), "{doublings}");
        }
    }

    #[test]
    fn a_full_list_keeps_the_lowest() {
        let mut list = [NONE; MEETING];
        for plane in [5, 9, 5, 1, 7, 3, 2, 8, NONE] {
            insert(&mut list, plane);
        }
        assert_eq!(list, [1, 2, 3, 5, 7, 8]);
    }
}
