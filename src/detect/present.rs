//! Which planes are present where.
//!
//! Rounds claim whole cells. Then each point is assigned on its own: of the planes claimed in its cell or
//! close by, it belongs to the nearest one whose tolerance it meets. This is how points at creases, on thin
//! strips and in cells without a surface get their plane.

use crate::surface::cells::Cells;
use crate::surface::plane::PRESENT;
use crate::surface::surfels::{Surfel, Surfels};
use rayon::prelude::*;

/// Most planes that meet in one block; more than four at a corner are rare.
const MEETING: usize = PRESENT - 1;
/// No plane.
const NONE: u32 = u32::MAX;

/// For each base cell in Morton order, the planes that are present in or around it; `claims` lists the
/// surfels of each plane.
pub(super) fn present<'c>(
    cells: &Cells,
    surfels: &Surfels,
    claims: impl Iterator<Item = &'c [u32]>,
) -> Vec<[u32; PRESENT]> {
    let mut own = vec![NONE; surfels.list.len()];
    for (plane, claimed) in claims.enumerate() {
        claimed.iter().for_each(|&surfel| own[surfel as usize] = plane as u32);
    }
    planes_around(cells, surfels, &own)
}

/// For each base cell in Morton order, its own plane and those claimed within its block at the level of its
/// surface, or at the usual level if it has none; `own` gives the plane of each surfel.
fn planes_around(cells: &Cells, surfels: &Surfels, own: &[u32]) -> Vec<[u32; PRESENT]> {
    // Consecutive cells often have the same block, so one thread takes many of them.
    const PIECE: usize = 1 << 10;
    let usual = usual_level(cells.levels.len(), &surfels.list);
    let of_cell = |cell: u32| own[surfels.at(cells.run(0, cell)[0] as usize)];
    let of_cells: Vec<u32> = (0..cells.len(0) as u32).into_par_iter().map(of_cell).collect();
    let within = planes_within(cells, &of_cells);
    let mut around = vec![[NONE; PRESENT]; of_cells.len()];
    let pieces = around.par_chunks_mut(PIECE).enumerate();
    pieces.for_each(|(piece, around)| {
        let (mut last, mut planes) = (None, [NONE; MEETING]);
        for (place, around) in (PIECE * piece..).zip(around) {
            let surfel = surfels.at(place);
            let level = surfels.list[surfel].surface.map_or(usual, |s| s.level());
            let home = (level, cells.ancestor_at(place as u32, level));
            if last.replace(home) != Some(home) {
                planes = planes_in_block(cells.block(level, home.1), &within[level]);
            }
            around[0] = own[surfel];
            around[1..].copy_from_slice(&planes);
        }
    });
    around
}

/// The planes claimed in the cells of a block, ascending; the lowest if there are too many.
fn planes_in_block(block: &[u32], within: &[[u32; MEETING]]) -> [u32; MEETING] {
    let mut planes = [NONE; MEETING];
    for &cell in block {
        let present = within[cell as usize].iter().take_while(|&&plane| plane != NONE);
        present.for_each(|&plane| insert(&mut planes, plane));
    }
    planes
}

/// For each cell of each level, the planes claimed within it, ascending; the lowest if there are too many.
fn planes_within(cells: &Cells, own: &[u32]) -> Vec<Vec<[u32; MEETING]>> {
    let alone = |&own: &u32| std::array::from_fn(|k| if k == 0 { own } else { NONE });
    let mut levels: Vec<Vec<[u32; MEETING]>> = vec![own.par_iter().map(alone).collect()];
    for level in 1..cells.levels.len() {
        let mut within = vec![[NONE; MEETING]; cells.len(level)];
        for (planes, &cell) in levels[level - 1].iter().zip(&cells.levels[level - 1].parent) {
            let planes = planes.iter().take_while(|&&plane| plane != NONE);
            planes.for_each(|&plane| insert(&mut within[cell as usize], plane));
        }
        levels.push(within);
    }
    levels
}

/// The level at or below which the surfaces of three quarters of the points were seen.
fn usual_level(levels: usize, surfels: &[Surfel]) -> usize {
    let mut weights = vec![0u64; levels];
    for s in surfels {
        if let Some(surface) = s.surface {
            weights[surface.level()] += u64::from(s.weight);
        }
    }
    let wanted = 0.75 * weights.iter().sum::<u64>() as f64;
    let mut below = 0;
    let reaches = |&weight: &u64| {
        below += weight;
        weight > 0 && below as f64 >= wanted
    };
    weights.iter().position(reaches).unwrap_or(0)
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

    #[test]
    fn a_full_list_keeps_the_lowest() {
        let mut list = [NONE; MEETING];
        for plane in [5, 9, 5, 1, 7, 3, 2, 8, NONE] {
            insert(&mut list, plane);
        }
        assert_eq!(list, [1, 2, 3, 5, 7, 8]);
    }
}
