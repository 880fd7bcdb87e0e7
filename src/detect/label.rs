//! Every point to its plane.
//!
//! Rounds claim whole cells. Here each point is looked at itself: of the planes that were claimed
//! in its cell or close by, it belongs to the nearest of which it is within the tolerance. This is
//! where creases, thin strips and cells without a surface get their points.

use super::cells::Cells;
use super::evidence::Surfel;
use super::links::Links;
use super::moments::Moments;
use super::vector::{Vec3, dot};
use crate::frame::Points;
use rayon::prelude::*;

/// Planes that meet in one block, at most; more than four at a corner are rare.
const MEETING: usize = 6;
/// No plane.
const NONE: u32 = u32::MAX;

/// A plane in local coordinates.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct LocalPlane {
    /// Unit normal.
    pub normal: Vec3,
    /// Distance from local zero along the normal, in steps.
    pub rho: f64,
    /// Largest distance of its points, in steps.
    pub tolerance: f64,
}

impl LocalPlane {
    /// Signed distance of a local point, in steps.
    #[inline]
    pub fn distance(&self, p: [f32; 3]) -> f64 {
        dot(self.normal, p.map(f64::from)) - self.rho
    }
}

/// The planes that are present in or around each base cell.
pub(super) struct Surroundings {
    own: Vec<u32>,
    around: Vec<[u32; MEETING]>,
}

impl Surroundings {
    /// `claims` lists the base cells that each plane claimed.
    pub fn new<'a>(
        links: &Links,
        surfels: &[Surfel],
        claims: impl Iterator<Item = &'a [u32]>,
    ) -> Surroundings {
        let mut own = vec![NONE; surfels.len()];
        for (plane, claimed) in claims.enumerate() {
            claimed.iter().for_each(|&cell| own[cell as usize] = plane as u32);
        }
        let around = planes_around(links, surfels, &own);
        Surroundings { own, around }
    }

    /// Writes the plane of each point to `labels`, `-1` for none. `by_place` are the base cells in
    /// Morton order, in which their points lie.
    pub fn label(
        &self,
        cells: &Cells,
        by_place: &[u32],
        points: &Points,
        planes: &[LocalPlane],
        labels: &mut [i32],
    ) {
        // Few cells, since next to a scanner one may hold thousands of points.
        const PIECE: usize = 64;
        let mut pieces = Vec::with_capacity(by_place.len() / PIECE + 1);
        let mut rest = labels;
        for piece in by_place.chunks(PIECE) {
            let points = piece.iter().map(|&cell| cells.points_of(cell as usize).len()).sum();
            let (own, after) = rest.split_at_mut(points);
            pieces.push((piece, own));
            rest = after;
        }
        pieces.into_par_iter().for_each(|(piece, mut rest)| {
            for cell in piece.iter().map(|&cell| cell as usize) {
                let range = cells.points_of(cell);
                let (own, after) = rest.split_at_mut(range.len());
                rest = after;
                if self.own[cell] == NONE && self.around[cell][0] == NONE {
                    own.fill(-1);
                    continue;
                }
                for (label, i) in own.iter_mut().zip(range) {
                    let plane = self.choose(cell, points.get(i), planes);
                    *label = plane.map_or(-1, |plane| plane as i32);
                }
            }
        });
    }

    /// The plane of a point in `cell`.
    fn choose(&self, cell: usize, p: [f32; 3], planes: &[LocalPlane]) -> Option<u32> {
        let distance = |plane: u32| {
            let plane = planes.get(plane as usize)?;
            let distance = plane.distance(p).abs();
            (distance <= plane.tolerance).then_some(distance)
        };
        let present = std::iter::once(self.own[cell]).chain(self.around[cell]);
        let near = present.filter_map(|q| distance(q).map(|d| (d, q)));
        near.min_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, q)| q)
    }
}

/// For each base cell, the planes claimed within its block at the level of its surface, or at the
/// usual level where it has none.
fn planes_around(links: &Links, surfels: &[Surfel], own: &[u32]) -> Vec<[u32; MEETING]> {
    let levels =
        surfels.iter().filter_map(|s| Some((s.surface?.level() as f64, u64::from(s.weight))));
    let usual = super::evidence::weighted_quantile(levels.collect(), 0.75) as usize;
    let level_of = |cell: usize| surfels[cell].surface.map_or(usual, |s| s.level());
    let mut around = vec![[NONE; MEETING]; own.len()];
    for level in 0..links.levels() {
        let present = links.map_cells(level, |inside| {
            let mut all = [NONE; MEETING];
            inside.iter().for_each(|&base| insert(&mut all, own[base as usize]));
            all
        });
        around.par_iter_mut().enumerate().filter(|(cell, _)| level_of(*cell) == level).for_each(
            |(cell, around)| {
                for &neighbour in links.block(level, links.ancestor(cell as u32, level)) {
                    let present = &present[neighbour as usize];
                    present.iter().for_each(|&plane| insert(around, plane));
                }
            },
        );
    }
    around
}

/// Puts `plane` into an ascending list without repeats; a full list keeps the lowest.
fn insert(list: &mut [u32; MEETING], plane: u32) {
    let at = list.partition_point(|&q| q < plane);
    if at < MEETING && list[at] != plane {
        list[at..].rotate_right(1);
        list[at] = plane;
    }
}

/// Exact sums over the points of each plane, in local coordinates.
pub(super) fn sums(points: &Points, labels: &[i32], planes: usize) -> Vec<Moments> {
    const PIECE: usize = 1 << 16;
    labels
        .par_chunks(PIECE)
        .enumerate()
        .fold(
            || vec![Moments::default(); planes],
            |mut sums, (piece, labels)| {
                for (i, &label) in labels.iter().enumerate() {
                    if let Some(sum) = sums.get_mut(label as usize) {
                        sum.add(points.get(piece * PIECE + i).map(|v| v as i64));
                    }
                }
                sums
            },
        )
        .reduce(
            || vec![Moments::default(); planes],
            |mut a, b| {
                a.iter_mut().zip(&b).for_each(|(a, b)| a.merge(b));
                a
            },
        )
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

    #[test]
    fn sums_are_those_of_the_labelled_points() {
        let points: Points =
            (0..200_000).map(|i| [(i % 977) as f32, (i % 31) as f32, -3.0]).collect();
        let labels: Vec<i32> = (0..200_000).map(|i| i % 4 - 1).collect();
        let sums = sums(&points, &labels, 3);
        for (plane, sum) in sums.iter().enumerate() {
            let mut plain = Moments::default();
            for i in (0..points.len()).filter(|&i| labels[i] == plane as i32) {
                plain.add(points.get(i).map(|v| v as i64));
            }
            assert_eq!(*sum, plain);
        }
    }
}
