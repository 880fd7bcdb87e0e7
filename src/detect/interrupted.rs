//! Planes of a frame that are interrupted: where the camera sees through between their parts, they are not one.
//!
//! Whether surfaces hang together is judged on cells of several pixels, since single points are noisy. So the fronts of
//! two cushions, or plates one behind the other, may be found as one plane although there are pixels between them
//! that show what is behind. Something before a plane, a pole or a table, does not part it.

use super::found::{FoundPlane, Support};
use super::members;
use super::pixels::Pixels;
use super::raster::apart;
use crate::detection::Parameters;
use crate::lms::Refine;
use crate::surface::cloud::CellCloud;
use crate::surface::moments::Moments;
use crate::surface::plane::{Assigned, LocalPlane};
use crate::surface::surfels::Surfels;
use crate::vector::dot;
use rustc_hash::FxHashMap;
use std::cmp::Reverse;

/// A part has at least this share of the points of its plane: the slats of a fence stay one plane.
const SHARE: f64 = 0.05;
/// Points at most this many tolerances from a plane are not behind it.
const NEAR: f64 = 3.0;
/// The shortest lines between two parts, which tell what is between them: so many of them, …
const LINES: usize = 40;
/// … which are at most this many times as long as the shortest one.
const LONGER: f32 = 1.3;
/// The parts are one if this share of the lines is not interrupted.
const OPEN: f64 = 0.5;
/// A line is interrupted where it shows something else than the plane on so many pixels in a row.
const INTERRUPTED: usize = 2;
/// Edge of the squares of pixels that tell the outline of a part.
const SQUARE: f32 = 2.0;

/// A frame whose planes were found.
pub(super) struct Frame<'a> {
    pub pixels: &'a Pixels,
    pub in_cells: &'a CellCloud,
    pub surfels: &'a Surfels,
    pub parameters: &'a Parameters,
}

/// Divides the planes that are interrupted, and fits each part to its own points. The largest part of a plane keeps its
/// number, other parts are new planes. Parts that are tilted against their plane get no plane: they are where another
/// surface crosses its slab. Returns the planes that lost points.
pub(super) fn divide(
    frame: &Frame,
    (planes, found, assigned): (&mut Vec<LocalPlane>, &mut Vec<FoundPlane>, &mut Assigned),
) -> Vec<usize> {
    let Assigned { labels, sums } = assigned;
    let parts = frame.parts(planes, labels);
    let first_new = planes.len();
    let mut divided: Vec<usize> = parts.iter().map(|part| part.of).collect();
    divided.dedup();
    for part in &parts {
        for &i in &part.points {
            labels[i as usize] = if part.is_plane { planes.len() as i32 } else { -1 };
        }
        if part.is_plane {
            planes.push(planes[part.of]);
            let none = Support { surfels: Vec::new(), ..found[part.of].support };
            found.push(FoundPlane { votes: found[part.of].votes, support: none });
        }
    }
    if !divided.is_empty() {
        *sums = members::sums(&frame.in_cells.points, labels, planes.len());
    }
    for &plane in &divided {
        for i in std::mem::take(&mut found[plane].support.surfels) {
            let owner = frame.owner(i, labels, |label| label == plane || label >= first_new);
            found[owner.unwrap_or(plane)].support.surfels.push(i);
        }
    }
    if frame.parameters.refine != Refine::None {
        for i in divided.iter().copied().chain(first_new..planes.len()) {
            if let Some(fit) = sums[i].fit() {
                planes[i] = LocalPlane::of_fit(&fit, planes[i].tolerance);
                (found[i].support.normal, found[i].support.rho) = (planes[i].normal, planes[i].rho);
            }
        }
    }
    divided
}

/// A part of a plane that is not one with the largest part.
struct Part {
    /// The plane.
    of: usize,
    points: Vec<u32>,
    /// Whether it lies along its plane.
    is_plane: bool,
}

/// The outline of a connected part of a plane.
struct Outline(Vec<[f32; 2]>);

impl Frame<'_> {
    /// The parts of all planes, plane by plane.
    fn parts(&self, planes: &[LocalPlane], labels: &[i32]) -> Vec<Part> {
        let roots = self.pixels.connected(labels);
        let mut sizes: Vec<FxHashMap<u32, u64>> = vec![FxHashMap::default(); planes.len()];
        for (&label, &root) in labels.iter().zip(&roots) {
            if label >= 0 {
                *sizes[label as usize].entry(root).or_default() += 1;
            }
        }
        let mut parts = Vec::new();
        for (i, sizes) in sizes.into_iter().enumerate() {
            let all: u64 = sizes.values().sum();
            let least = self.parameters.min_inliers.max((SHARE * all as f64) as u64);
            let mut large: Vec<(u32, u64)> =
                sizes.into_iter().filter(|part| part.1 >= least).collect();
            if large.len() > 1 {
                large.sort_unstable_by_key(|&(root, size)| (Reverse(size), root));
                let is_own = |&point: &u32| labels[point as usize] == i as i32;
                let members: Vec<u32> = (0..labels.len() as u32).filter(is_own).collect();
                let of_plane = self.parts_of((i, &planes[i]), &members, (&roots, &large));
                parts.extend(of_plane);
            }
        }
        parts
    }

    /// The parts of a plane with these points, whose `large` connected parts, largest first, are known by their roots.
    fn parts_of(
        &self,
        (of, plane): (usize, &LocalPlane),
        members: &[u32],
        (roots, large): (&[u32], &[(u32, u64)]),
    ) -> Vec<Part> {
        let number: FxHashMap<u32, usize> = (0..).zip(large).map(|(k, part)| (part.0, k)).collect();
        let mut points = vec![Vec::new(); large.len()];
        for &i in members {
            if let Some(&k) = number.get(&roots[i as usize]) {
                points[k].push(i);
            }
        }
        let outlines: Vec<Outline> = points.iter().map(|points| self.outline(points)).collect();
        // Each part belongs to the first one that it is one with.
        let mut first: Vec<usize> = (0..large.len()).collect();
        for b in 1..large.len() {
            for a in 0..b {
                let (one, other) = (first[a], first[b]);
                if one != other && self.is_one(plane, [&outlines[b], &outlines[a]]) {
                    let (keep, drop) = (one.min(other), one.max(other));
                    first.iter_mut().filter(|first| **first == drop).for_each(|f| *f = keep);
                }
            }
        }
        if first.iter().all(|&first| first == 0) {
            return Vec::new();
        }
        let mut parts = vec![Vec::new(); large.len()];
        for &i in members {
            let part = number.get(&roots[i as usize]).copied();
            let part = part.unwrap_or_else(|| nearest(&outlines, self.pixels.place(i)));
            parts[first[part]].push(i);
        }
        let others = parts.into_iter().skip(1).filter(|points| !points.is_empty());
        others
            .map(|points| Part { of, is_plane: self.lies_along(plane, &points), points })
            .collect()
    }

    /// The plane that most points of a surfel belong to, the first one of several; only some planes count.
    fn owner(&self, surfel: u32, labels: &[i32], counts: impl Fn(usize) -> bool) -> Option<usize> {
        let points = self.in_cells.cells.points_in(self.surfels.list[surfel as usize].places);
        let planes = labels[points].iter().filter_map(|&label| usize::try_from(label).ok());
        let mut seen: Vec<(usize, u32)> = Vec::new();
        for plane in planes.filter(|&plane| counts(plane)) {
            match seen.iter_mut().find(|seen| seen.0 == plane) {
                Some(seen) => seen.1 += 1,
                None => seen.push((plane, 1)),
            }
        }
        let most = seen.into_iter().min_by_key(|&(plane, n)| (Reverse(n), plane));
        most.map(|(plane, _)| plane)
    }

    /// The middles of the squares of a part that have no square of it on some side.
    fn outline(&self, points: &[u32]) -> Outline {
        let square = |&i: &u32| self.pixels.place(i).map(|v| (v / SQUARE) as i32);
        let mut squares: Vec<[i32; 2]> = points.iter().map(square).collect();
        squares.sort_unstable();
        squares.dedup();
        let has = |square: [i32; 2]| squares.binary_search(&square).is_ok();
        let is_outer = |&&[u, v]: &&[i32; 2]| {
            [[u - 1, v], [u + 1, v], [u, v - 1], [u, v + 1]].into_iter().any(|next| !has(next))
        };
        let middle = |square: &[i32; 2]| square.map(|v| (v as f32 + 0.5) * SQUARE);
        Outline(squares.iter().filter(is_outer).map(middle).collect())
    }

    /// Whether a plane goes on between two parts of it, as far as can be seen.
    fn is_one(&self, plane: &LocalPlane, [small, large]: [&Outline; 2]) -> bool {
        let nearest = |&from: &[f32; 2]| {
            let to = |&to: &[f32; 2]| (apart(from, to), from, to);
            large.0.iter().map(to).min_by(|a, b| a.0.total_cmp(&b.0))
        };
        let mut lines: Vec<(f32, [f32; 2], [f32; 2])> =
            small.0.iter().filter_map(nearest).collect();
        lines.sort_by(|a, b| a.0.total_cmp(&b.0));
        let Some(shortest) = lines.first() else { return false };
        let longest = LONGER * shortest.0 + 1.0;
        lines.truncate(lines.partition_point(|line| line.0 <= longest).min(LINES));
        let open = lines.iter().filter(|&&(_, from, to)| self.is_open(plane, from, to)).count();
        open as f64 >= OPEN * lines.len() as f64
    }

    /// Whether a plane goes on along a line of the image: whether only points of it, or before it, are there.
    fn is_open(&self, plane: &LocalPlane, from: [f32; 2], to: [f32; 2]) -> bool {
        let side = self.pixels.sight.side(plane);
        let steps = apart(from, to).ceil().max(1.0);
        let seen = (1..steps as usize).map(|k| {
            let share = k as f32 / steps;
            let point = self.pixels.at([0, 1].map(|a| from[a] + share * (to[a] - from[a])))?;
            let distance = plane.distance(self.in_cells.points.get(point as usize));
            let is_near = distance.abs() <= NEAR * plane.tolerance;
            Some(if is_near { Seen::Plane } else { Seen::other(distance * side > 0.0) })
        });
        let seen: Vec<Option<Seen>> = seen.collect();
        // The camera does not see what is in the shadow of something before the plane.
        let hidden = seen.contains(&Some(Seen::Before));
        let interrupts = |seen: &Option<Seen>| match seen {
            Some(seen) => *seen == Seen::Behind,
            None => !hidden,
        };
        !seen.windows(INTERRUPTED).any(|seen| seen.iter().all(interrupts))
    }

    /// Whether a part lies along its plane.
    fn lies_along(&self, plane: &LocalPlane, points: &[u32]) -> bool {
        let mut sums = Moments::default();
        points
            .iter()
            .for_each(|&i| sums.add(self.in_cells.points.get(i as usize).map(|v| v as i64)));
        let least = self.parameters.angle.to_radians().cos();
        let along = |normal| dot(normal, plane.normal).abs() >= least;
        sums.fit().is_some_and(|fit| along(fit.normal))
    }
}

/// What is seen on a line between two parts of a plane.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Seen {
    Plane,
    Before,
    Behind,
}

impl Seen {
    /// What is not on the plane.
    fn other(is_before: bool) -> Seen {
        if is_before { Seen::Before } else { Seen::Behind }
    }
}

/// The part whose outline is nearest to a place.
fn nearest(outlines: &[Outline], place: [f32; 2]) -> usize {
    let distance = |outline: &Outline| {
        outline.0.iter().map(|&at| apart(at, place)).fold(f32::INFINITY, f32::min)
    };
    let distances = outlines.iter().map(distance).enumerate();
    distances.min_by(|a, b| a.1.total_cmp(&b.1)).map_or(0, |(part, _)| part)
}
