//! Planes of a frame that are interrupted: where the camera sees through between their parts, they are not one.
//!
//! Whether surfaces hang together is judged on cells of several pixels, since single points are noisy. So the fronts of
//! two cushions, or plates one behind the other, may be found as one plane although there are pixels between them
//! that show what is behind. Something before a plane, a pole or a table, does not part it.

use super::found::{FoundPlane, Support};
use super::members;
use crate::camera::pixels::Pixels;
use crate::camera::raster::apart;
use crate::detection::Parameters;
use crate::lms::Refine;
use crate::surface::cloud::CellCloud;
use crate::surface::moments::{Fit, Moments};
use crate::surface::plane::{Assigned, LocalPlane};
use crate::surface::surfels::Surfels;
use crate::vector::dot;
use rayon::prelude::*;
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
/// The direction of a part is known if it is this many times as wide as it is thick.
const WIDER: f64 = 3.0;
/// A line is interrupted where it shows something else than the plane on so many pixels in a row.
const INTERRUPTED: usize = 2;
/// Edge of the squares that tell the outline of a part, and of the blocks by which they are found, in pixels.
const SQUARE: f32 = 2.0;
const BLOCK: f32 = 32.0;

/// A frame whose planes were found.
pub(super) struct Frame<'a> {
    pub pixels: &'a Pixels,
    pub in_cells: &'a CellCloud,
    pub surfels: &'a Surfels,
    pub parameters: &'a Parameters,
}

/// Divides the planes that are interrupted, and fits each part to its own points.
///
/// What is one with the largest part of a plane keeps its number, other parts are new planes at the end. Parts that are
/// tilted against their plane get no plane: they are where another surface crosses its slab. Returns the planes that
/// were divided.
pub(super) fn divide(
    frame: &Frame,
    (planes, found, assigned): (&mut Vec<LocalPlane>, &mut Vec<FoundPlane>, &mut Assigned),
) -> Vec<usize> {
    let Assigned { labels, sums } = assigned;
    let parts = frame.parts(planes, labels);
    let first_new = planes.len();
    let new_of: Vec<usize> =
        parts.iter().filter(|part| part.is_plane).map(|part| part.of).collect();
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
        let new = (first_new..planes.len()).filter(|&i| new_of[i - first_new] == plane);
        frame.share_surfels(plane, &new.collect::<Vec<_>>(), labels, found);
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

/// The outline of a connected part of a plane: the middles of the squares of pixels along it, by the block they are in.
struct Outline {
    squares: Vec<[f32; 2]>,
    blocks: FxHashMap<[i32; 2], Vec<[f32; 2]>>,
    /// The least and the largest block along each axis.
    bounds: [[i32; 2]; 2],
}

impl Outline {
    /// The outline of a part whose points are at these places.
    fn of(places: impl Iterator<Item = [f32; 2]>) -> Outline {
        let mut filled: Vec<[i32; 2]> =
            places.map(|place| place.map(|v| (v / SQUARE) as i32)).collect();
        filled.sort_unstable();
        filled.dedup();
        let has = |square: [i32; 2]| filled.binary_search(&square).is_ok();
        let is_outer = |&&[u, v]: &&[i32; 2]| {
            [[u - 1, v], [u + 1, v], [u, v - 1], [u, v + 1]].into_iter().any(|next| !has(next))
        };
        let middle = |square: &[i32; 2]| square.map(|v| (v as f32 + 0.5) * SQUARE);
        let squares: Vec<[f32; 2]> = filled.iter().filter(is_outer).map(middle).collect();
        let mut blocks: FxHashMap<[i32; 2], Vec<[f32; 2]>> = FxHashMap::default();
        let mut bounds = [[i32::MAX; 2], [i32::MIN; 2]];
        for &square in &squares {
            let block = block(square);
            let [low, high] = bounds;
            bounds = [[0, 1].map(|a| low[a].min(block[a])), [0, 1].map(|a| high[a].max(block[a]))];
            blocks.entry(block).or_default().push(square);
        }
        Outline { squares, blocks, bounds }
    }

    /// The square nearest to a place and its distance, if that is at most `limit`.
    fn nearest(&self, place: [f32; 2], limit: f32) -> Option<(f32, [f32; 2])> {
        if self.squares.is_empty() {
            return None;
        }
        let at = block(place);
        let [low, high] = self.bounds;
        // Ring by ring of blocks, from the first that may hold one to the last.
        let nearest = |a: usize| (low[a] - at[a]).max(at[a] - high[a]).max(0);
        let farthest = |a: usize| (low[a] - at[a]).abs().max((high[a] - at[a]).abs());
        let mut best: Option<(f32, [f32; 2])> = None;
        for ring in nearest(0).max(nearest(1))..=farthest(0).max(farthest(1)) {
            // The blocks of a ring are at least this far away.
            if (ring - 1) as f32 * BLOCK > best.map_or(limit, |best| best.0) {
                break;
            }
            let sides = (-ring..=ring).flat_map(|k| [[k, -ring], [k, ring], [-ring, k], [ring, k]]);
            let squares = sides.filter_map(|[a, b]| self.blocks.get(&[at[0] + a, at[1] + b]));
            for &square in squares.flatten() {
                let distance = apart(square, place);
                if distance <= limit && best.is_none_or(|best| distance < best.0) {
                    best = Some((distance, square));
                }
            }
        }
        best
    }
}

/// The block of a place.
fn block(place: [f32; 2]) -> [i32; 2] {
    place.map(|v| (v / BLOCK) as i32)
}

impl Frame<'_> {
    /// The parts of all planes, plane by plane.
    fn parts(&self, planes: &[LocalPlane], labels: &[i32]) -> Vec<Part> {
        let part_of = self.pixels.connected(labels);
        let mut sizes = vec![0u32; labels.len()];
        let mut whole = vec![0u64; planes.len()];
        let labelled = || {
            let all = labels.iter().zip(&part_of);
            all.filter_map(|(&label, &part)| Some((usize::try_from(label).ok()?, part)))
        };
        for (plane, part) in labelled() {
            sizes[part as usize] += 1;
            whole[plane] += 1;
        }
        let mut large: Vec<Vec<(u32, u32)>> = vec![Vec::new(); planes.len()];
        for (plane, part) in labelled() {
            let least = self.parameters.min_inliers.max((SHARE * whole[plane] as f64) as u64);
            // Each part is taken once.
            let size = std::mem::take(&mut sizes[part as usize]);
            if size > 0 && u64::from(size) >= least {
                large[plane].push((part, size));
            }
        }
        let several: Vec<usize> = (0..planes.len()).filter(|&i| large[i].len() > 1).collect();
        let place = |i: usize| several.binary_search(&i).ok();
        let places: Vec<Option<usize>> = (0..planes.len()).map(place).collect();
        let members = members::members(labels, &places, several.len());
        let of_plane = |(i, members): (usize, Vec<u32>)| {
            let mut large = large[i].clone();
            large.sort_unstable_by_key(|&(part, size)| (Reverse(size), part));
            self.parts_of((i, &planes[i]), &members, (&part_of, &large))
        };
        let all = several.into_par_iter().zip(members);
        all.flat_map_iter(of_plane).collect()
    }

    /// The parts of a plane with these points, whose `large` connected parts, largest first, are known by their numbers.
    fn parts_of(
        &self,
        (of, plane): (usize, &LocalPlane),
        members: &[u32],
        (part_of, large): (&[u32], &[(u32, u32)]),
    ) -> Vec<Part> {
        let mut number: FxHashMap<u32, usize> =
            (0..).zip(large).map(|(k, part)| (part.0, k)).collect();
        let mut points = vec![Vec::new(); large.len()];
        for &i in members {
            if let Some(&k) = number.get(&part_of[i as usize]) {
                points[k].push(i);
            }
        }
        let outline = |points: &Vec<u32>| {
            let places = points.iter().map(|&i| self.pixels.place(i));
            // A point that is large enough a part may be outside the image.
            Outline::of(places.filter(|place| !place[0].is_nan()))
        };
        let outlines: Vec<Outline> = points.iter().map(outline).collect();
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
        // A small part goes to the nearest large one, as a whole.
        let mut parts = vec![Vec::new(); large.len()];
        for &i in members {
            let nearest = || nearest(&outlines, self.pixels.place(i));
            let part = *number.entry(part_of[i as usize]).or_insert_with(nearest);
            parts[first[part]].push(i);
        }
        let others = parts.into_iter().skip(1).filter(|points| !points.is_empty());
        others
            .map(|points| Part { of, is_plane: self.lies_along(plane, &points), points })
            .collect()
    }

    /// Gives the surfels of a divided plane to the parts of it that most of their points belong to; a part of which there
    /// is no such surfel shares those that hold any of its points.
    fn share_surfels(&self, plane: usize, new: &[usize], labels: &[i32], found: &mut [FoundPlane]) {
        let parts: Vec<usize> = std::iter::once(plane).chain(new.iter().copied()).collect();
        let before = std::mem::take(&mut found[plane].support.surfels);
        let points = |surfel: u32| {
            let places = self.surfels.list[surfel as usize].places;
            &labels[self.in_cells.cells.points_in(places)]
        };
        let points_of =
            |surfel: u32, part: usize| points(surfel).iter().filter(|&&l| l == part as i32).count();
        for &surfel in &before {
            let counts = parts.iter().map(|&part| (points_of(surfel, part), Reverse(part)));
            if let Some((1.., Reverse(part))) = counts.max() {
                found[part].support.surfels.push(surfel);
            }
        }
        for part in parts {
            if found[part].support.surfels.is_empty() {
                let touched = before.iter().copied().filter(|&surfel| points_of(surfel, part) > 0);
                found[part].support.surfels = touched.collect();
            }
            // The labels may come from cells beside the surfels.
            if found[part].support.surfels.is_empty() {
                found[part].support.surfels.clone_from(&before);
            }
        }
    }

    /// Whether a plane goes on between two parts of it, as far as can be seen.
    fn is_one(&self, plane: &LocalPlane, [small, large]: [&Outline; 2]) -> bool {
        let mut longest = f32::INFINITY;
        let mut lines: Vec<(f32, [f32; 2], [f32; 2])> = Vec::new();
        for &from in &small.squares {
            if let Some((length, to)) = large.nearest(from, longest) {
                longest = longest.min(LONGER * length + 1.0);
                lines.push((length, from, to));
            }
        }
        lines.retain(|line| line.0 <= longest);
        // Some of them, all along the gap.
        let some = lines.iter().step_by(lines.len().div_ceil(LINES).max(1));
        let open = some.clone().filter(|&&(_, from, to)| self.is_open(plane, from, to)).count();
        !lines.is_empty() && open as f64 >= OPEN * some.count() as f64
    }

    /// Whether a plane goes on along a line of the image: whether only points of it, or before it, are there.
    fn is_open(&self, plane: &LocalPlane, from: [f32; 2], to: [f32; 2]) -> bool {
        let side = self.pixels.sight.side(plane);
        let steps = apart(from, to).ceil().max(1.0);
        let seen = (1..steps as usize).map(|k| {
            let share = k as f32 / steps;
            let point = self.pixels.at([0, 1].map(|a| from[a] + share * (to[a] - from[a])))?;
            let distance = plane.distance(self.in_cells.points.get(point as usize));
            Some(match distance * side > 0.0 {
                _ if distance.abs() <= NEAR * plane.tolerance => Seen::Plane,
                true => Seen::Before,
                false => Seen::Behind,
            })
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
        // The direction of what is hardly wider than thick is unknown.
        let lies_along = |fit: Fit| {
            let [thick, wide, _] = fit.variance;
            wide < WIDER * WIDER * thick || dot(fit.normal, plane.normal).abs() >= least
        };
        sums.fit().is_some_and(lies_along)
    }
}

/// What is seen on a line between two parts of a plane.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Seen {
    Plane,
    Before,
    Behind,
}

/// The part whose outline is nearest to a place; the first for points outside the image, which are near none.
fn nearest(outlines: &[Outline], place: [f32; 2]) -> usize {
    let mut best = (f32::INFINITY, 0);
    for (part, outline) in outlines.iter().enumerate() {
        if let Some((distance, _)) = outline.nearest(place, best.0).filter(|n| n.0 < best.0) {
            best = (distance, part);
        }
    }
    best.1
}

#[cfg(test)]
mod tests {
    use super::super::testing::surfels;
    use super::*;
    use crate::camera::viewpoint::{SeenFrom, Sight};
    use crate::frame::Points;

    const WIDTH: usize = 120;
    const PLANE: LocalPlane = LocalPlane { normal: [0.0, 0.0, 1.0], rho: 0.0, tolerance: 30.0 };

    /// What a camera above sees: the height of each of 120 × 80 pixels, if it has a point. The label is 0 at heights of
    /// zero.
    fn divided(
        height: impl Fn(usize, usize) -> Option<f32>,
    ) -> (Vec<Option<i32>>, usize, Vec<i64>) {
        let pixel = |i: usize| height(i % WIDTH, i / WIDTH);
        let shown: Vec<usize> = (0..WIDTH * 80).filter(|&i| pixel(i).is_some()).collect();
        let point = |&i: &usize| {
            let [u, v] = [i % WIDTH, i / WIDTH].map(|v| 100.0 * v as f32);
            [u, v, pixel(i).unwrap_or(0.0) + (i * 7919 % 21) as f32 - 10.0]
        };
        let points: Points = shown.iter().map(point).collect();
        let (in_cells, surfels) = surfels(&points, 8.0);
        let parameters = Parameters { min_inliers: 50, angle: 10.0, ..Parameters::default() };
        let sight = Sight { from: SeenFrom::Drawn { nearest: f64::INFINITY }, camera: [0.0; 3] };
        let pixels = Pixels::find(&in_cells.points, sight).unwrap();
        let is_on = |p: [f32; 3]| PLANE.distance(p).abs() <= PLANE.tolerance;
        let own = |i: &usize| is_on(in_cells.points.get(*i));
        let label = |i: usize| if own(&i) { 0 } else { -1 };
        let labels: Vec<i32> = (0..points.len()).map(label).collect();
        let middle = |s: &crate::surface::surfels::Surfel| s.centroid[2].abs() <= PLANE.tolerance;
        let of_plane =
            (0..).zip(&surfels.list).filter(|(_, s)| middle(s)).map(|(i, _)| i).collect();
        let LocalPlane { normal, rho, tolerance } = PLANE;
        let support = Support { normal, rho, tolerance, surfels: of_plane };
        let mut found = vec![FoundPlane { votes: 9, support }];
        let mut planes = vec![PLANE];
        let sums = members::sums(&in_cells.points, &labels, 1);
        let mut assigned = Assigned { labels: labels.clone(), sums };
        let frame = Frame {
            pixels: &pixels,
            in_cells: &in_cells,
            surfels: &surfels,
            parameters: &parameters,
        };
        let before: usize = found[0].support.surfels.len();
        divide(&frame, (&mut planes, &mut found, &mut assigned));
        let after = found.iter().map(|f| f.support.surfels.len()).sum::<usize>();
        let dropped = planes.len() == 1 && assigned.labels.iter().zip(&labels).any(|(a, b)| a != b);
        assert!(if dropped { after < before } else { after == before }, "{after} of {before}");
        assert!(
            found.iter().all(|f| f.support.surfels.is_sorted() && !f.support.surfels.is_empty())
        );
        assert_eq!(planes.len(), found.len());
        let mut by_pixel = vec![None; WIDTH * 80];
        for (i, &label) in assigned.labels.iter().enumerate() {
            let [x, y, _] = in_cells.points.get(i);
            by_pixel[(x / 100.0) as usize + WIDTH * (y / 100.0) as usize] = Some(label);
        }
        (by_pixel, planes.len(), assigned.sums.iter().map(|sums| sums.n).collect())
    }

    /// Two plates, the larger one on the left, and what is between them.
    fn plates(between: impl Fn(usize) -> Option<f32>) -> (Vec<Option<i32>>, usize, Vec<i64>) {
        divided(|x, _| if (60..68).contains(&x) { between(x) } else { Some(0.0) })
    }

    #[test]
    fn plates_are_parted_where_the_camera_sees_through() {
        for behind in [Some(-900.0), None] {
            let (labels, planes, points) = plates(|_| behind);
            assert_eq!((planes, points), (2, vec![60 * 80, 52 * 80]));
            assert_eq!([labels[5], labels[100]], [Some(0), Some(1)]);
        }
    }

    #[test]
    fn a_wall_behind_a_pole_and_its_shadow_is_one() {
        assert_eq!(plates(|_| Some(900.0)).1, 1);
        // The shadow is right of the pole.
        assert_eq!(plates(|x| (x < 64).then_some(900.0)).1, 1);
        // A pole before a gap through which the wall behind is seen.
        assert_eq!(plates(|x| Some(if x < 64 { 900.0 } else { -900.0 })).1, 2);
        // A single pixel that sees through is no gap.
        assert_eq!(divided(|x, _| (x != 60).then_some(0.0)).1, 1);
    }

    #[test]
    fn parts_that_hang_together_somewhere_are_one() {
        let window = |x: usize, y: usize| (60..68).contains(&x) && y < 70;
        assert_eq!(divided(|x, y| Some(if window(x, y) { -900.0 } else { 0.0 })).1, 1);
    }

    #[test]
    fn small_parts_go_to_the_nearest_large_one_and_points_outside_the_image_to_the_first() {
        let outline = |at: [f32; 2]| Outline::of([at].into_iter());
        let outlines = [outline([4.0, 4.0]), outline([90.0, 9.0])];
        assert_eq!(nearest(&outlines, [80.0, 200.0]), 1);
        assert_eq!(nearest(&outlines, [20.0, 200.0]), 0);
        assert_eq!(nearest(&outlines, [f32::NAN; 2]), 0);
        // A part may be outside as a whole.
        let nowhere = Outline::of(std::iter::empty());
        assert_eq!(nowhere.nearest([3.0, 3.0], f32::INFINITY), None);
    }

    #[test]
    fn the_nearest_square_is_found_however_far() {
        let near = Outline::of((0..50).map(|i| [3000.0 + 2.0 * i as f32, 700.0]));
        let (distance, square) = near.nearest([5.0, 701.0], f32::INFINITY).unwrap();
        assert_eq!((distance, square), (2996.0, [3001.0, 701.0]));
        assert_eq!(near.nearest([5.0, 701.0], 2990.0), None);
        assert_eq!(near.nearest([3051.0, 701.0], 9.0).unwrap().0, 0.0);
    }

    #[test]
    fn slats_stay_one_plane() {
        assert_eq!(divided(|x, _| Some(if x % 4 < 2 { -900.0 } else { 0.0 })).1, 1);
    }

    #[test]
    fn where_another_surface_crosses_the_slab_is_no_part() {
        // A ramp so steep that only a strip of it is within the tolerance, far from the plate.
        let height = |x: usize, y: usize| match x {
            0..30 => Some(0.0),
            30..70 => Some(-900.0),
            _ => Some(25.0 * (y as f32 - 40.0)),
        };
        let (labels, planes, points) = divided(height);
        assert_eq!((planes, points), (1, vec![30 * 80]));
        assert_eq!(labels[100 + WIDTH * 40], Some(-1));
    }
}
