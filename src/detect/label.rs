//! Every point to its plane.
//!
//! Rounds claim whole cells. Here each point is looked at itself: of the planes that were claimed
//! in its cell or close by, it belongs to the nearest of which it is within the tolerance. This is
//! where creases, thin strips and cells without a surface get their points.

use super::cells::Cells;
use super::links::Links;
use super::moments::Moments;
use super::surfels::{Surfel, Surfels};
use crate::Result;
use crate::backend::{Assigned, Held, LocalPlane, PRESENT};
use crate::frame::Points;
use rayon::prelude::*;
use std::ops::Range;

/// Planes that meet in one block, at most; more than four at a corner are rare.
const MEETING: usize = PRESENT - 1;
/// No plane.
const NONE: u32 = u32::MAX;

/// The points of a cloud, cell by cell.
#[derive(Clone, Copy)]
pub(super) struct PointsInCells<'a> {
    pub cells: &'a Cells,
    pub links: &'a Links<'a>,
    pub points: &'a Points,
}

/// Gives points to the planes that are present in or around their cell.
pub(super) struct Labeller<'a, 'h> {
    places: PointsInCells<'a>,
    /// For each base cell in Morton order its own plane, then those around, ascending.
    present: Vec<[u32; PRESENT]>,
    /// The points where a backend keeps them, if it knows what is present.
    held: Option<&'a mut (dyn Held + 'h)>,
    /// What is known here: the label of each point, the planes that led to them, and the sums over the
    /// points of each.
    labels: Vec<i32>,
    planes: Vec<LocalPlane>,
    sums: Vec<Moments>,
}

impl<'a, 'h> Labeller<'a, 'h> {
    /// `claims` lists the surfels that each plane claimed.
    pub fn new<'c>(
        places: PointsInCells<'a>,
        surfels: &Surfels,
        claims: impl Iterator<Item = &'c [u32]>,
        held: &'a mut Option<Box<dyn Held + 'h>>,
    ) -> Result<Labeller<'a, 'h>> {
        let mut own = vec![NONE; surfels.list.len()];
        for (plane, claimed) in claims.enumerate() {
            claimed.iter().for_each(|&surfel| own[surfel as usize] = plane as u32);
        }
        let present = planes_around(places.links, surfels, &own);
        let held = match held.as_deref_mut() {
            Some(held) => held.present(&present)?.then_some(held),
            None => None,
        };
        let (labels, planes, sums) = Default::default();
        Ok(Labeller { places, present, held, labels, planes, sums })
    }

    /// Exact sums over the points of each plane.
    pub fn sums(&mut self, planes: &[LocalPlane]) -> Result<Vec<Moments>> {
        let itself: Vec<u32> = (0..planes.len() as u32).collect();
        if let Some(held) = &mut self.held
            && let Some(assigned) = held.assign(planes, &itself, false)?
        {
            return Ok(assigned.sums);
        }
        self.label(planes);
        Ok(self.sums.clone())
    }

    /// Every point to its plane; what would be of plane `q` is of plane `becomes[q]`.
    pub fn assign(mut self, planes: &[LocalPlane], becomes: &[u32]) -> Result<Assigned> {
        if let Some(held) = &mut self.held
            && let Some(assigned) = held.assign(planes, becomes, true)?
        {
            return Ok(assigned);
        }
        self.label(planes);
        let label = |&label: &i32| becomes.get(label as usize).map_or(-1, |&plane| plane as i32);
        self.labels.par_iter_mut().for_each(|l| *l = label(l));
        let mut sums = vec![Moments::default(); planes.len()];
        becomes.iter().zip(&self.sums).for_each(|(&plane, own)| sums[plane as usize].merge(own));
        Ok(Assigned { labels: self.labels, sums })
    }

    /// Finds the plane of each point, `-1` for none. Where no plane has changed since, nothing has.
    fn label(&mut self, planes: &[LocalPlane]) {
        // Few cells, since next to a scanner one may hold thousands of points.
        const PIECE: usize = 64;
        let PointsInCells { cells, links, points } = self.places;
        self.labels.resize(points.len(), -1);
        self.sums.resize(planes.len(), Moments::default());
        let before = std::mem::replace(&mut self.planes, planes.to_vec());
        let changed: Vec<bool> =
            (0..planes.len()).map(|q| before.get(q) != Some(&planes[q])).collect();
        // In Morton order the points of the cells follow each other.
        let by_place = links.by_place();
        let mut pieces = Vec::with_capacity(by_place.len() / PIECE + 1);
        let mut rest = &mut self.labels[..];
        for (piece, present) in by_place.chunks(PIECE).zip(self.present.chunks(PIECE)) {
            let points = piece.iter().map(|&cell| cells.points_of(cell as usize).len()).sum();
            let (own, after) = rest.split_at_mut(points);
            pieces.push((piece, present, own));
            rest = after;
        }
        let one = |mut moved: Moved, (piece, present, mut rest): Piece| {
            for (&cell, present) in piece.iter().zip(present) {
                let range = cells.points_of(cell as usize);
                let (own, after) = rest.split_at_mut(range.len());
                rest = after;
                let is_changed = |&q: &u32| changed.get(q as usize).is_some_and(|&c| c);
                if present.iter().any(is_changed) {
                    moved.label(own, range, present, (points, planes));
                }
            }
            moved
        };
        let none = || Moved::new(planes.len());
        let moved = pieces.into_par_iter().with_min_len(64).fold(none, one);
        let moved = moved.reduce(none, Moved::and);
        for (sums, [left, joined]) in self.sums.iter_mut().zip(&moved.0) {
            sums.merge(joined);
            sums.take(left);
        }
    }
}

/// Some base cells, the planes present in each, and the labels of their points.
type Piece<'a> = (&'a [u32], &'a [[u32; PRESENT]], &'a mut [i32]);

/// The sums over the points that left each plane and that joined it.
struct Moved(Vec<[Moments; 2]>);

impl Moved {
    fn new(planes: usize) -> Moved {
        Moved(vec![Default::default(); planes])
    }

    fn and(mut self, other: Moved) -> Moved {
        for (all, some) in self.0.iter_mut().flatten().zip(other.0.iter().flatten()) {
            all.merge(some);
        }
        self
    }

    /// Labels the points of a cell anew.
    fn label(
        &mut self,
        labels: &mut [i32],
        range: Range<usize>,
        present: &[u32; PRESENT],
        (points, planes): (&Points, &[LocalPlane]),
    ) {
        for (label, i) in labels.iter_mut().zip(range) {
            let point = points.get(i);
            let plane = nearest(present, point, planes).map_or(-1, |plane| plane as i32);
            let was = std::mem::replace(label, plane);
            if plane != was {
                for (label, into) in [(was, 0), (plane, 1)] {
                    if let Some(sums) = self.0.get_mut(label as usize) {
                        sums[into].add(point.map(|v| v as i64));
                    }
                }
            }
        }
    }
}

/// The nearest of the planes that are present, of which a point is within the tolerance; the first of
/// equals.
fn nearest(present: &[u32; PRESENT], p: [f32; 3], planes: &[LocalPlane]) -> Option<u32> {
    let mut nearest: Option<(f64, u32)> = None;
    for (k, &q) in present.iter().enumerate() {
        let Some(plane) = planes.get(q as usize).filter(|_| k == 0 || q != present[0]) else {
            continue;
        };
        let distance = plane.distance(p).abs();
        if distance <= plane.tolerance && nearest.is_none_or(|(least, _)| distance < least) {
            nearest = Some((distance, q));
        }
    }
    nearest.map(|(_, q)| q)
}

/// For each base cell in Morton order, its own plane and those claimed within its block at the level of
/// its surface, or at the usual level where it has none; `own` are the planes of the surfels.
fn planes_around(links: &Links, surfels: &Surfels, own: &[u32]) -> Vec<[u32; PRESENT]> {
    // Cells that lie together have the same block, and are looked at together.
    const PIECE: usize = 1 << 10;
    let usual = usual_level(links.levels(), &surfels.list);
    let of_cell = |cell: u32| own[surfels.at(links.run(0, cell)[0] as usize)];
    let of_cells: Vec<u32> = (0..links.len(0) as u32).into_par_iter().map(of_cell).collect();
    let within = planes_within(links, &of_cells);
    let mut around = vec![[NONE; PRESENT]; of_cells.len()];
    let pieces = around.par_chunks_mut(PIECE).enumerate();
    pieces.for_each(|(piece, around)| {
        let (mut last, mut planes) = (None, [NONE; MEETING]);
        for (place, around) in (PIECE * piece..).zip(around) {
            let surfel = surfels.at(place);
            let level = surfels.list[surfel].surface.map_or(usual, |s| s.level());
            let home = (level, links.ancestor_at(place as u32, level));
            if last.replace(home) != Some(home) {
                planes = planes_in_block(links.block(level, home.1), &within[level]);
            }
            around[0] = own[surfel];
            around[1..].copy_from_slice(&planes);
        }
    });
    around
}

/// The planes claimed in the cells of a block, ascending; of more the lowest.
fn planes_in_block(block: &[u32], within: &[[u32; MEETING]]) -> [u32; MEETING] {
    let mut planes = [NONE; MEETING];
    for &cell in block {
        let present = within[cell as usize].iter().take_while(|&&plane| plane != NONE);
        present.for_each(|&plane| insert(&mut planes, plane));
    }
    planes
}

/// For each cell of each level, the planes claimed within it, ascending; of more the lowest.
fn planes_within(links: &Links, own: &[u32]) -> Vec<Vec<[u32; MEETING]>> {
    let alone = |&own: &u32| std::array::from_fn(|k| if k == 0 { own } else { NONE });
    let mut levels: Vec<Vec<[u32; MEETING]>> = vec![own.par_iter().map(alone).collect()];
    for level in 1..links.levels() {
        let mut within = vec![[NONE; MEETING]; links.len(level)];
        for (planes, &cell) in levels[level - 1].iter().zip(links.parents(level - 1)) {
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
    use super::super::noise_field::NoiseField;
    use super::super::surfels::Thinner;
    use super::*;

    #[test]
    fn a_full_list_keeps_the_lowest() {
        let mut list = [NONE; MEETING];
        for plane in [5, 9, 5, 1, 7, 3, 2, 8, NONE] {
            insert(&mut list, plane);
        }
        assert_eq!(list, [1, 2, 3, 5, 7, 8]);
    }

    /// A plane across an axis.
    fn across(axis: usize, rho: f64, tolerance: f64) -> LocalPlane {
        let mut normal = [0.0; 3];
        normal[axis] = 1.0;
        LocalPlane { normal, rho, tolerance }
    }

    #[test]
    fn labels_follow_planes_that_change() {
        let place = |i: u32| [i % 200 * 4, i / 200 * 4, i * 7 % 13].map(|v| v as f32);
        let points: Points = (0..30_000).map(place).collect();
        let (cells, order) = Cells::new(&points, &mut None).unwrap();
        let points = points.select(&order.order);
        let links = Links::new(&cells);
        let places = PointsInCells { cells: &cells, links: &links, points: &points };
        let none = vec![None; cells.base().len()];
        let thinner = Thinner { noise: 1.0, most: f64::INFINITY, white: true };
        let surfels = Surfels::new(&cells, &links, &NoiseField::even(), &none, thinner);
        // Planes 0 and 1 are on one half, 1 to 3 on the other.
        let half = none.len() as u32 / 2;
        let mut claims = vec![Vec::new(); 4];
        for cell in 0..none.len() as u32 {
            let plane = if cell < half { cell % 2 } else { 1 + cell % 3 };
            claims[plane as usize].push(cell);
        }
        let labeller =
            |held| Labeller::new(places, &surfels, claims.iter().map(Vec::as_slice), held).unwrap();
        let first =
            [across(2, 2.0, 3.0), across(2, 6.0, 3.0), across(0, 400.0, 20.0), across(2, 9.0, 2.0)];
        let (mut second, mut third) = (first, first);
        (second[0].tolerance, second[2].rho) = (5.0, 300.0);
        (third[1].rho, third[2].rho) = (5.0, 300.0);
        let mut held = [None, None, None, None];
        let [one, fresh @ .., last] = &mut held;
        let mut one = labeller(one);
        let all = [first, second].map(|planes| one.sums(&planes).unwrap());
        assert!(all[0] != all[1]);
        let itself = [0, 1, 2, 3];
        for ((planes, own), held) in [first, second].iter().zip(&all).zip(fresh) {
            assert!(labeller(held).sums(planes).unwrap() == *own);
        }
        let found = one.assign(&third, &itself).unwrap();
        assert!(found == labeller(last).assign(&third, &itself).unwrap());
        assert!(found.sums == sums(&points, &found.labels, 4));
        assert!(found.sums != all[1]);
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
