//! Whether planes stand out from the points around them.
//!
//! A slab through foliage, clutter or a curved surface is about as full as the space right above and below it, whereas
//! next to a wall there is hardly anything. The limits below are those that divide planes that are in the truth best
//! from those that are not, over all scenes and instruments of `benches/peers/real`.

use crate::frame::Points;
use crate::surface::moments::Moments;
use crate::surface::plane::{Assigned, LocalPlane};
use crate::vector::{Vec3, axes, dot};
use rayon::prelude::*;
use rustc_hash::{FxHashMap, FxHashSet};

/// In clouds of fewer points nothing is judged: there, walls are so sparse that their normals are uncertain, too.
pub(super) const FEWEST: usize = 10_000;
/// A plane is a slice of something thicker when the points of no plane right above and below it are more than this
/// share of its own, …
const SLICE: f64 = 0.25;
/// … or more than this share …
const PART_OF_SLICE: f64 = 0.05;
/// … if its own points fill the slab: if their distance is, root mean square, more than this share of the
/// tolerance, which is 0.58 for points strewn evenly and 0.33 for a wall, …
const FILLED: f64 = 0.4;
/// … unless it is wider than so many tolerances: then it is a rough wall, or one that waves. Slices of cushions, domes and the like are
/// narrower.
const WIDE: f64 = 120.0;
/// A large plane, with at least one in so many of all points, is no slice, though, …
const LARGE: usize = 100;
/// … if the points at the sides of its slab are at most this share of those in the middle. It is 1 for clutter, which fills a slab
/// evenly, and about 0.03 for normal noise in a slab of three standard deviations. What lies right beyond such a wall is its other
/// side, or things that lean on it.
const FALLS_OFF: f64 = 0.3;
/// The middle reaches this part of the tolerance from the plane (one in so many); the sides are as wide, at the edges of the slab.
const PARTS: f64 = 5.0;
/// Parallel surfaces close together are common, but slices of clutter are too small to fix their normal. So if the
/// points right above and below a plane, of other planes or of none, are more than this share of its own, …
const CROWD: f64 = 0.22;
/// … the standard error of its normal is at most this, in radians.
const CERTAIN: f64 = 0.8 * std::f64::consts::PI / 180.0;
/// Right above and below a plane means farther than its tolerance, but within this many tolerances.
const BEYOND: f64 = 2.0;
/// Points of a plane in a place of its footprint, on average.
const IN_PLACE: f64 = 9.0;
/// Points that have a box around them.
const RUN: usize = 64;
/// Points of a block, which is looked at as a whole or not at all, and has a box around it, too: so many that they lie
/// above, below and on a plane.
const BLOCK: usize = 64 * RUN;
/// Numbers that are compared side by side.
const LANES: usize = 8;
/// Of planes with more points than this, only some blocks are looked at, to bound the time.
const ENOUGH: usize = 1 << 15;

/// The points around a plane.
#[derive(Default)]
pub(super) struct Around {
    /// Points of the plane that were looked at.
    own: f64,
    /// How many points of each other label lie right above and below them, by label.
    beyond: Vec<(i32, u32)>,
    /// Whether the plane's points fill its slab, and the plane is too narrow to be a rough wall.
    may_be_slice: bool,
    /// Whether the plane is large, and its points are much denser in the middle of its slab than at the sides.
    falls_off: bool,
}

impl Around {
    /// Whether the plane does not stand out. `is_plane` tells which labels are planes, and `error` is the standard
    /// error of the plane's normal, if it is known.
    fn is_indistinct(&self, is_plane: &[bool], error: Option<f64>) -> bool {
        let is_of_plane = |label: i32| is_plane.get(label as usize).is_some_and(|&is| is);
        let share = |counts: &dyn Fn(i32) -> bool| {
            let counted = self.beyond.iter().filter(|(label, _)| counts(*label));
            counted.map(|&(_, n)| f64::from(n)).sum::<f64>() / self.own.max(1.0)
        };
        let (of_any, of_no_plane) = (share(&|_| true), share(&|label| !is_of_plane(label)));
        let is_slice = of_no_plane > SLICE || of_no_plane > PART_OF_SLICE && self.may_be_slice;
        is_slice && !self.falls_off || of_any > CROWD && error.is_some_and(|error| error > CERTAIN)
    }
}

/// Which of the planes do not stand out; `is_plane` tells which are planes otherwise, and `errors` are the standard
/// errors of their normals.
///
/// Points of planes that do not stand out still count as those of planes. Judged again without them, as many true
/// planes would be lost as slices.
pub(super) fn indistinct(
    around: &[Around],
    is_plane: &[bool],
    errors: &[Option<f64>],
) -> Vec<bool> {
    let is = |i: usize| is_plane[i] && around[i].is_indistinct(is_plane, errors[i]);
    (0..around.len()).map(is).collect()
}

/// Looks at the points around each plane of at least `min_points`. `densities` are the points of each per square step;
/// points that are near in their order should be near in space.
pub(super) fn look(
    points: &Points,
    Assigned { labels, sums }: &Assigned,
    planes: &[LocalPlane],
    (densities, min_points): (&[f64], u64),
) -> Vec<Around> {
    let strides: Vec<usize> =
        sums.iter().map(|sums| (sums.n as usize).div_ceil(ENOUGH).max(1)).collect();
    let members = members(labels, &strides);
    let runs = boxes(points);
    let blocks: Vec<Bounds> = runs.par_chunks(BLOCK / RUN).map(around_all).collect();
    let look = |(i, members): (usize, Vec<u32>)| {
        if members.is_empty() || (sums[i].n as u64) < min_points {
            return Around::default();
        }
        let plane = planes[i];
        let (u, v) = axes(plane.normal);
        let place = (IN_PLACE / densities[i]).sqrt();
        let slab = Slab { points, labels, label: i as i32, plane, axes: [u, v], place };
        Around {
            own: members.len() as f64,
            beyond: slab.beyond(&slab.footprint(&members), (&runs, &blocks), strides[i]),
            may_be_slice: may_be_slice(&plane, &sums[i], densities[i]),
            falls_off: sums[i].n as usize * LARGE >= points.len() && slab.falls_off(&members),
        }
    };
    members.into_par_iter().enumerate().with_max_len(1).map(look).collect()
}

/// Whether points with these sums, of so many per square step, fill the slab of their plane, which is too narrow to be a rough wall.
fn may_be_slice(plane: &LocalPlane, sums: &Moments, density: f64) -> bool {
    sums.distance_rms(plane.normal, plane.rho) > FILLED * plane.tolerance && {
        // Patches that lie far apart are no wide wall.
        let covered = (sums.n as f64 / density).sqrt();
        let width = sums.fit().map_or(0.0, |fit| fit.width().min(covered));
        width <= WIDE * plane.tolerance
    }
}

/// The points of each plane in the blocks that are looked at, one in so many, ascending.
fn members(labels: &[i32], strides: &[usize]) -> Vec<Vec<u32>> {
    let in_block = |(block, labels): (usize, &[i32])| {
        let looked_at: Vec<bool> = strides.iter().map(|&s| block.is_multiple_of(s)).collect();
        let is_looked_at = |label: i32| looked_at.get(label as usize).is_some_and(|&is| is);
        let places = (block * BLOCK) as u32..;
        let chosen = places.zip(labels).filter(|&(_, &label)| is_looked_at(label));
        chosen.map(|(i, &label)| (label, i)).collect::<Vec<_>>()
    };
    let blocks: Vec<_> = labels.par_chunks(BLOCK).enumerate().map(in_block).collect();
    let mut members = vec![Vec::new(); strides.len()];
    blocks.into_iter().flatten().for_each(|(label, i)| members[label as usize].push(i));
    members
}

/// A box along the axes: its least and its largest corner.
type Bounds = [Vec3; 2];

/// The boxes around the runs of points.
fn boxes(points: &Points) -> Vec<Bounds> {
    let [x, y, z] = [&points.x, &points.y, &points.z]
        .map(|axis| axis.par_chunks(RUN).map(bounds).collect::<Vec<_>>());
    let joined = |((x, y), z): (([f64; 2], [f64; 2]), [f64; 2])| [0, 1].map(|k| [x[k], y[k], z[k]]);
    x.into_par_iter().zip(y).zip(z).map(joined).collect()
}

/// The least and the largest of some numbers.
fn bounds(values: &[f32]) -> [f64; 2] {
    // Side by side, so that the compiler makes vectors of them.
    let (mut low, mut high) = ([f32::INFINITY; LANES], [f32::NEG_INFINITY; LANES]);
    for values in values.chunks(LANES) {
        for ((low, high), &value) in low.iter_mut().zip(&mut high).zip(values) {
            *low = if value < *low { value } else { *low };
            *high = if value > *high { value } else { *high };
        }
    }
    let low = low.into_iter().fold(f32::INFINITY, f32::min);
    [low, high.into_iter().fold(f32::NEG_INFINITY, f32::max)].map(f64::from)
}

/// The box around some boxes.
fn around_all(boxes: &[Bounds]) -> Bounds {
    let both = |[low, high]: Bounds, [other_low, other_high]: &Bounds| {
        let of = |of: fn(f64, f64) -> f64, a: Vec3, b: &Vec3| [0, 1, 2].map(|k| of(a[k], b[k]));
        [of(f64::min, low, other_low), of(f64::max, high, other_high)]
    };
    boxes.iter().fold([[f64::INFINITY; 3], [f64::NEG_INFINITY; 3]], both)
}

/// A plane among the points.
struct Slab<'a> {
    points: &'a Points,
    labels: &'a [i32],
    label: i32,
    plane: LocalPlane,
    /// Axes in the plane.
    axes: [Vec3; 2],
    /// Edge of a place of its footprint.
    place: f64,
}

/// The places of a plane with points of it.
struct Footprint {
    places: FxHashSet<[i64; 2]>,
    /// The least and the largest place along each axis.
    bounds: [[i64; 2]; 2],
}

impl Slab<'_> {
    fn point(&self, i: usize) -> Vec3 {
        self.points.get(i).map(f64::from)
    }

    fn distance(&self, p: Vec3) -> f64 {
        (dot(p, self.plane.normal) - self.plane.rho).abs()
    }

    fn place(&self, p: Vec3) -> [i64; 2] {
        self.axes.map(|axis| (dot(p, axis) / self.place).floor() as i64)
    }

    fn footprint(&self, members: &[u32]) -> Footprint {
        let mut footprint =
            Footprint { places: FxHashSet::default(), bounds: [[i64::MAX, i64::MIN]; 2] };
        let mut last = None;
        for &i in members {
            let place = self.place(self.point(i as usize));
            // Neighbours are often in one place.
            if last.replace(place) != Some(place) && footprint.places.insert(place) {
                for ([low, high], at) in footprint.bounds.iter_mut().zip(place) {
                    (*low, *high) = ((*low).min(at), (*high).max(at));
                }
            }
        }
        footprint
    }

    /// Whether the plane's points are much denser in the middle of the slab than at its sides.
    fn falls_off(&self, members: &[u32]) -> bool {
        let part = self.plane.tolerance / PARTS;
        let (mut middle, mut sides) = (0u32, 0u32);
        for &i in members {
            let distance = self.distance(self.point(i as usize));
            middle += u32::from(distance <= part);
            sides += u32::from(distance > self.plane.tolerance - part);
        }
        f64::from(sides) < FALLS_OFF * f64::from(middle)
    }

    /// Whether points in a box may lie above or below the footprint.
    fn touches(&self, footprint: &Footprint, [least, most]: Bounds) -> bool {
        let middle = [0, 1, 2].map(|a| 0.5 * (least[a] + most[a]));
        let half = [0, 1, 2].map(|a| 0.5 * (most[a] - least[a]));
        let reach = |axis: Vec3| (0..3).map(|a| axis[a].abs() * half[a]).sum::<f64>();
        let is_beside = |(axis, [low, high]): (Vec3, [i64; 2])| {
            let (at, reach) = (dot(middle, axis), reach(axis));
            at + reach < low as f64 * self.place || at - reach > (high + 1) as f64 * self.place
        };
        let LocalPlane { normal, tolerance, .. } = self.plane;
        self.distance(middle) <= BEYOND * tolerance + reach(normal)
            && !self.axes.into_iter().zip(footprint.bounds).any(is_beside)
    }

    /// How many points of each other label lie right above and below the footprint, by label. One block in `stride` is
    /// looked at.
    fn beyond(
        &self,
        footprint: &Footprint,
        (runs, blocks): (&[Bounds], &[Bounds]),
        stride: usize,
    ) -> Vec<(i32, u32)> {
        let near = self.plane.tolerance;
        let mut beyond: FxHashMap<i32, u32> = FxHashMap::default();
        let touches = |it: Bounds| self.touches(footprint, it);
        let in_block = |block: usize| {
            let first = block * (BLOCK / RUN);
            (first..runs.len().min(first + BLOCK / RUN)).filter(|&run| touches(runs[run]))
        };
        let near_blocks = (0..blocks.len()).step_by(stride).filter(|&block| touches(blocks[block]));
        for run in near_blocks.flat_map(in_block) {
            for i in run * RUN..((run + 1) * RUN).min(self.points.len()) {
                let (p, label) = (self.point(i), self.labels[i]);
                let distance = self.distance(p);
                if distance > near
                    && distance <= BEYOND * near
                    && label != self.label
                    && footprint.places.contains(&self.place(p))
                {
                    *beyond.entry(label).or_default() += 1;
                }
            }
        }
        let mut beyond: Vec<(i32, u32)> = beyond.into_iter().collect();
        beyond.sort_unstable();
        beyond
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::detect::members;

    const TOLERANCE: f64 = 30.0;

    /// A square of 1600 points at a place, whose heights `height` gives from a number that looks random in −1..1.
    fn square(x0: i32, height: impl Fn(f64) -> f64) -> impl Iterator<Item = [f32; 3]> {
        (0..1600).map(move |i| {
            let random =
                f64::from((i as u32).wrapping_mul(2_654_435_769) >> 8) / f64::from(1 << 23) - 1.0;
            [f64::from(x0 + i % 40 * 10), f64::from(i / 40 * 10), height(random)].map(|v| v as f32)
        })
    }

    /// What is around a level plane that has the points with the given labels within its tolerance, and around others
    /// beside it.
    fn around(points: &Points, planes: &[f64]) -> Vec<Around> {
        around_of(points, planes, 0.01)
    }

    /// The same with so many points per square step.
    fn around_of(points: &Points, planes: &[f64], density: f64) -> Vec<Around> {
        let plane = |&rho: &f64| LocalPlane { normal: [0.0, 0.0, 1.0], rho, tolerance: TOLERANCE };
        let local: Vec<LocalPlane> = planes.iter().map(plane).collect();
        let label = |&z: &f32| {
            let near = local.iter().position(|p| (f64::from(z) - p.rho).abs() <= TOLERANCE);
            near.map_or(-1, |p| p as i32)
        };
        let labels: Vec<i32> = points.z.iter().map(label).collect();
        let sums = members::sums(points, &labels, local.len());
        look(points, &Assigned { labels, sums }, &local, (&vec![density; local.len()], 3))
    }

    fn verdicts(points: &Points, planes: &[f64], errors: &[Option<f64>]) -> Vec<bool> {
        indistinct(&around(points, planes), &vec![true; planes.len()], errors)
    }

    #[test]
    fn a_wall_stands_out_and_a_slice_does_not() {
        let wall: Points = square(0, |random| 25.0 * random.powi(3)).collect();
        assert_eq!(verdicts(&wall, &[0.0], &[None]), [false]);
        let clutter: Points = square(0, |random| 300.0 * random).collect();
        assert_eq!(verdicts(&clutter, &[0.0], &[None]), [true]);
        // Beside the wall, not above it.
        let both: Points = square(0, |random| 25.0 * random.powi(3))
            .chain(square(420, |random| 45.0 + 14.0 * random))
            .collect();
        assert_eq!(verdicts(&both, &[0.0], &[None]), [false]);
        assert_eq!(around(&both, &[0.0])[0].beyond, []);
    }

    #[test]
    fn a_wide_plane_that_fills_its_slab_is_no_slice() {
        // A slab of 30 steps, and points up to so many steps from its middle.
        let judged = |wider: f32, height: f64| {
            let stretched = |[x, y, z]: [f32; 3]| [wider * x, wider * y, z];
            let wall: Points = square(0, |random| height * random).map(stretched).collect();
            let looked = around_of(&wall, &[0.0], 0.01 / f64::from(wider * wider));
            indistinct(&looked, &[true], &[None]) == [true]
        };
        // A tenth of the points lie beyond the slab, and the square is 113 and 127 times as wide as half of that.
        assert_eq!([1.0, 8.5, 9.5].map(|wider| judged(wider, 33.0)), [true, true, false]);
        // More lie beyond.
        assert!(judged(9.5, 60.0));
    }

    #[test]
    fn among_others_a_plane_must_be_certain() {
        let boards: Points = square(0, |random| 25.0 * random.powi(3))
            .chain(square(0, |random| 55.0 + 20.0 * random.powi(3)).step_by(2))
            .collect();
        let errors = |error: f64| [Some(error), Some(0.0)];
        assert_eq!(verdicts(&boards, &[0.0, 62.0], &errors(0.9 * CERTAIN)), [false; 2]);
        assert_eq!(verdicts(&boards, &[0.0, 62.0], &errors(1.1 * CERTAIN)), [true, false]);
    }

    #[test]
    fn a_large_wall_with_something_beyond_is_no_slice() {
        let beyond = || square(0, |random| 55.0 + 20.0 * random.powi(3)).step_by(2);
        let judged = |height: fn(f64) -> f64, strays: usize| {
            let far = (0..strays).flat_map(|_| square(5000, |random| 9000.0 * random));
            let points: Points = square(0, height).chain(beyond()).chain(far).collect();
            // What is no plane itself is not judged, and counts as no plane.
            indistinct(&around(&points, &[0.0, 62.0]), &[true, false], &[None; 2])
        };
        assert_eq!(judged(|random| 25.0 * random.powi(3), 0), [false; 2]);
        assert_eq!(judged(|random| 30.0 * random, 0), [true, false]);
        // Two layers with nothing in the middle.
        assert_eq!(judged(|random| 15f64.copysign(random), 0), [true, false]);
        // A small one may be a slice.
        assert_eq!(judged(|random| 25.0 * random.powi(3), 200), [true, false]);
    }

    #[test]
    fn of_large_planes_some_blocks_are_looked_at() {
        let many = |height: fn(f64) -> f64| -> Points {
            (0..200).flat_map(|k| square(400 * k, height)).collect()
        };
        let wall = around(&many(|random| 25.0 * random.powi(3)), &[0.0]);
        assert!(
            (ENOUGH as f64 / 3.0..=ENOUGH as f64 * 1.1).contains(&wall[0].own),
            "{}",
            wall[0].own
        );
        assert_eq!(wall[0].beyond, []);
        let clutter = around(&many(|random| 60.0 * random), &[0.0]);
        let beyond = f64::from(clutter[0].beyond[0].1) / clutter[0].own;
        assert!((0.9..1.1).contains(&beyond), "{beyond}");
    }
}
