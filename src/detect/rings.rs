//! The rings of a spinning scanner, and points between them.
//!
//! Each laser of such a scanner keeps its elevation while the head turns, so its points lie on a cone, or ring. Neighbours
//! on a ring are often ten times as close as rings are, so that no neighbourhood is both small and a surface: it holds one
//! line, or several things. So the search gets points between two rings as well, where these and the next one below or
//! above go on in a straight line, as on a plane. What lies between two points of a plane lies in the plane.

use crate::frame::Points;
use crate::surface::quantile::quantile;
use crate::vector::{Vec3, dot, minus};
use rayon::prelude::*;
use std::cmp::Ordering;

/// Points that tell whether there are rings.
const SAMPLES: usize = 1 << 12;
/// Fewest points of a cloud with rings, and of a ring.
const FEWEST: usize = 1 << 10;
const ON_RING: usize = 32;
/// Most points of a cloud whose rings are sought: four turns of 128 lasers. A search takes several times as many.
const MOST: usize = 1 << 20;
/// Fewest and most rings.
const RINGS: std::ops::RangeInclusive<usize> = 12..=256;
/// Between rings there are gaps, so many times as wide as points are apart in the mean, if they are sorted by elevation …
const GAP: f64 = 12.0;
/// … and rings are at most half as wide as they are apart.
const NARROW: f64 = 0.5;
/// Each laser fires as often as the others, but from beside a scene most lasers meet little: no ring has more than so many times as
/// many points as the mean.
const UNEVEN: f64 = 8.0;
/// Where one has more than so many times as many, parts of a scene may look like rings, unless rings are at most this share as wide
/// as they are apart.
const EVEN: f64 = 3.0;
const VERY_NARROW: f64 = 0.02;
/// Share of the points that are on rings, at least.
const ON_RINGS: f64 = 0.9;
/// Share of the sample that is left out at either end of the elevations: these points may be strays.
const ENDS: f64 = 0.01;
/// Points of the sample within one gap, at least, where there is a ring. Strays, a tenth of the points at most, are about one per
/// gap.
const TOGETHER: usize = 8;
/// Farther points are so many times as far as near ones, at least, or elevations and heights cannot be told apart.
const DEEP: f64 = 1.1;
/// Neighbours on a ring are at most so many of its usual steps apart …
const MISSING: f64 = 2.5;
/// … and those that tell the noise so many.
const NEXT: f64 = 1.5;
/// Points whose directions differ by less than this sine are in one direction.
const SAME: f64 = 1e-6;
/// Points of three rings are on a line if the middle one is at most so many standard deviations away.
const STRAIGHT: f64 = 4.0;
/// Coordinates are so precise, in parts of a distance, and chords between neighbours so near to a ring.
const PRECISE: f64 = 1e-4;
/// Sine of the angle between a surface and the line of sight below which the surface may be that of a single ring: points of a ring
/// on a wall are spread along their lines of sight by noise, and not across them. In sweeps of `benches/peers/real`, surfaces of
/// rings are nearer to the line of sight than this, and true surfaces are at three times this angle or more.
const EDGE_ON: f64 = 0.004;
/// Surfaces are at least so thick, in standard deviations of the distances. Noise spreads a ring along the lines of sight, where it looks
/// like a thin surface; taken to be so thick, it is not even nearly flat.
const THINNEST: f64 = 0.4;
/// Points are added if rings are so many times as far apart as the points on them …
const SPARSE: f64 = 1.5;
/// … and at most so many between two.
const BETWEEN: f64 = 8.0;

/// The rings of a cloud, from the lowest to the highest.
pub(super) struct Rings {
    home: Vec3,
    /// The axis about which the scanner turns, and the two across it.
    axes: [usize; 3],
    rings: Vec<Vec<Spot>>,
    /// The usual sine of the angle between neighbours on a ring.
    step: f64,
    /// Standard deviation of distances.
    noise: f64,
}

/// Points between rings.
pub(super) struct Between {
    /// Where they are, in the coordinates of the cloud's points.
    pub points: Points,
    /// For each, how far the rings are apart there, in steps.
    pub gaps: Vec<f32>,
    /// Number of rings.
    pub rings: usize,
    /// The scanner.
    pub scanner: Scanner,
}

/// A spinning scanner.
#[derive(Debug, Clone, Copy)]
pub(super) struct Scanner {
    /// Where it stood, in local coordinates.
    pub eye: Vec3,
    /// Surfaces are at least so thick, in steps: what looks thinner may be a single ring.
    pub thinnest: f32,
}

/// A point of a ring.
#[derive(Debug, Clone, Copy)]
struct Spot {
    /// Its azimuth, from -2 to 2: it grows as the angle does, and needs no trigonometry.
    turn: f64,
    /// Where it is as seen from the scanner: across the axis, and along it.
    place: Vec3,
}

impl Spot {
    /// A place; `None` on the axis itself.
    fn at(place: Vec3) -> Option<Spot> {
        let [x, y, _] = place;
        let sum = x.abs() + y.abs();
        let turn = if x >= 0.0 { y / sum } else { (2.0 - y.abs() / sum).copysign(y) };
        turn.is_finite().then_some(Spot { turn, place })
    }

    /// Distance from the axis.
    fn distance(&self) -> f64 {
        let [x, y, _] = self.place;
        (x * x + y * y).sqrt()
    }

    /// Tangent of the elevation.
    fn elevation(&self) -> f64 {
        self.place[2] / self.distance()
    }

    /// What turns this azimuth into another: the product of both distances and the sine of the angle.
    fn cross(&self, other: &Spot) -> f64 {
        self.place[0] * other.place[1] - self.place[1] * other.place[0]
    }

    /// The sine of the angle to the next spot of a ring; `None` if it is a right angle or more.
    fn sine(&self, next: &Spot) -> Option<f64> {
        let along = self.place[0] * next.place[0] + self.place[1] * next.place[1];
        (along > 0.0).then(|| self.cross(next).abs() / (self.distance() * next.distance()))
    }
}

impl Rings {
    /// The rings of a scanner at `home`, if the points are such.
    pub fn find(points: &Points, home: Vec3) -> Option<Rings> {
        if !(FEWEST..=MOST).contains(&points.len()) {
            return None;
        }
        // Told by the coordinates, so that the order of the points does not matter.
        let many = (points.len() / SAMPLES).max(1) as u64;
        let all = (0..points.len()).into_par_iter().with_min_len(1 << 12);
        let sample: Vec<usize> = all.filter(|&i| points.hash(i).is_multiple_of(many)).collect();
        [[0, 1, 2], [2, 0, 1], [1, 2, 0]].into_iter().find_map(|axes| {
            let spot = |i: usize| {
                let place = points.get(i).map(f64::from);
                Spot::at(axes.map(|a| place[a] - home[a]))
            };
            let some: Vec<Spot> = sample.iter().filter_map(|&i| spot(i)).collect();
            let bands = bands(&some)?;
            let spots: Vec<Spot> = (0..points.len()).into_par_iter().filter_map(spot).collect();
            let rings = divided(&spots, &bands)?;
            let step = usual_step(&rings)?;
            let noise = noise(&rings, step);
            log::debug!("{} rings, {step:.5} between neighbours, noise {noise:.1}", rings.len());
            Some(Rings { home, axes, rings, step, noise })
        })
    }

    /// Points between rings; `None` if rings are not much farther apart than the points on them.
    pub fn between(&self) -> Option<Between> {
        let pairs = (1..self.rings.len()).into_par_iter();
        let added: Vec<Vec<([f32; 3], f32)>> = pairs.map(|upper| self.between_two(upper)).collect();
        let gaps: Vec<f32> = added.iter().flatten().map(|(_, gap)| *gap).collect();
        let points = added.into_iter().flatten().map(|(point, _)| point).collect();
        let scanner = Scanner { eye: self.home, thinnest: (THINNEST * self.noise) as f32 };
        let between = Between { points, gaps, rings: self.rings.len(), scanner };
        Some(between).filter(|between| !between.gaps.is_empty())
    }

    /// Points between a ring and the one below.
    fn between_two(&self, upper: usize) -> Vec<([f32; 3], f32)> {
        let lower = &self.rings[upper - 1];
        let parts = self.parts(upper);
        let mut added = Vec::new();
        if parts < 2.0 {
            return added;
        }
        let above = |from: &Spot, ring: usize| {
            spot_towards(from, self.rings.get(ring)?, MISSING * self.step)
        };
        for from in lower {
            let Some(to) = above(from, upper) else { continue };
            let is_straight = |three: [Option<Spot>; 3]| {
                let [Some(low), Some(middle), Some(high)] = three else { return false };
                self.are_straight([low, middle, high])
            };
            let below = upper.checked_sub(2).and_then(|ring| above(from, ring));
            if !is_straight([below, Some(*from), Some(to)])
                && !is_straight([Some(*from), Some(to), above(from, upper + 1)])
            {
                continue;
            }
            // Evenly spread as the scanner sees them, as rings would be.
            let gap = minus(to.place, from.place);
            let gap = dot(gap, gap).sqrt() as f32;
            let near = [from, &to].map(|spot| 1.0 / spot.distance());
            added.extend((1..parts as u32).map(|k| {
                let share = f64::from(k) / parts;
                let along = share * near[1] / ((1.0 - share) * near[0] + share * near[1]);
                let mut place = self.home;
                for (at, axis) in self.axes.into_iter().enumerate() {
                    place[axis] += from.place[at] + along * (to.place[at] - from.place[at]);
                }
                (place.map(|v| v.round_ties_even() as f32), gap)
            }));
        }
        added
    }

    /// Into how many parts points divide the distance between a ring and the one below. So many that, where rings are
    /// n times as far apart as the points on them, the distance that is left is about the root of that.
    fn parts(&self, upper: usize) -> f64 {
        let [low, high] = [upper - 1, upper].map(|ring| middle(&self.rings[ring]));
        let ratio = (high - low) / (1.0 + low * high) / self.step;
        if ratio < SPARSE { 1.0 } else { ratio.sqrt().ceil().min(BETWEEN + 1.0) }
    }

    /// Whether spots of three rings in one direction are on a straight line, as far as the noise tells.
    fn are_straight(&self, spots: [Spot; 3]) -> bool {
        // On a line, the inverse of the distance is a linear function of the tangent of the elevation.
        let [low, middle, high] = spots.map(|spot| spot.elevation());
        let near = spots.map(|spot| 1.0 / spot.distance());
        let share = (middle - low) / (high - low);
        let off = near[1] - (1.0 - share) * near[0] - share * near[2];
        let error = |k: usize| (self.noise * near[k] + PRECISE) * near[k];
        let errors = [(1.0 - share) * error(0), error(1), share * error(2)];
        off * off <= STRAIGHT * STRAIGHT * errors.iter().map(|e| e * e).sum::<f64>()
    }
}

/// The spot of a ring in the direction of another spot, on the line between its two neighbours there, which are no farther from
/// each other than this sine.
fn spot_towards(from: &Spot, ring: &[Spot], most: f64) -> Option<Spot> {
    let next = ring.partition_point(|spot| spot.turn <= from.turn);
    let after = &ring[next % ring.len()];
    let before = &ring[next.checked_sub(1).unwrap_or(ring.len() - 1)];
    if before.sine(after)? > most || from.sine(before)? > most {
        return None;
    }
    let [left, right] = [from.cross(before), from.cross(after)];
    let share = if left == right { 0.0 } else { left / (left - right) };
    Spot::at([0, 1, 2].map(|a| before.place[a] + share * (after.place[a] - before.place[a])))
}

/// Whether a surface may be a single ring: it nearly contains the scanner's line of sight to this place on it. Such a surface does
/// not show its noise.
pub(super) fn is_edge_on(
    scanner: Option<Vec3>,
    place: impl FnOnce() -> Vec3,
    normal: Vec3,
) -> bool {
    scanner.is_some_and(|eye| {
        let sight = minus(place(), eye);
        dot(sight, normal).abs() < EDGE_ON * dot(sight, sight).sqrt()
    })
}

/// The elevations of the rings, as tangents from the lowest to the highest of each, as some spots tell; `None` if there are no
/// rings.
fn bands(some: &[Spot]) -> Option<Vec<[f64; 2]>> {
    let mut distances: Vec<f64> = some.iter().map(Spot::distance).collect();
    if quantile(&mut distances, 0.9) < DEEP * quantile(&mut distances, 0.1) {
        return None;
    }
    let mut tangents: Vec<f64> = some.iter().map(Spot::elevation).collect();
    tangents.sort_unstable_by(f64::total_cmp);
    let rest = (ENDS * tangents.len() as f64) as usize;
    let tangents = &tangents[rest..tangents.len() - rest];
    let all = tangents.len();
    let range = tangents.last()? - tangents.first()?;
    let gap = GAP * range / all as f64;
    let tangents = without_strays(tangents, gap);
    let rings: Vec<&[f64]> = tangents.chunk_by(|a, b| b - a < gap).collect();
    let width: f64 = rings.iter().map(|ring| ring[ring.len() - 1] - ring[0]).sum();
    let narrow = if unevenness(&rings) <= EVEN { NARROW } else { VERY_NARROW };
    let is_told = are_rings(&rings, all) && width < narrow * range;
    let band = |ring: &&[f64]| [ring[0] - 0.5 * gap, ring[ring.len() - 1] + 0.5 * gap];
    is_told.then(|| rings.iter().map(band).collect())
}

/// Those of some sorted values that lie within a gap together with others.
fn without_strays(values: &[f64], gap: f64) -> Vec<f64> {
    let mut is_kept = vec![false; values.len()];
    for (first, together) in values.windows(TOGETHER).enumerate() {
        if together[TOGETHER - 1] - together[0] < gap {
            is_kept[first..first + TOGETHER].fill(true);
        }
    }
    values.iter().zip(is_kept).filter(|(_, is_kept)| *is_kept).map(|(value, _)| *value).collect()
}

/// The spots of each ring, sorted by azimuth, in the bands of elevations; `None` if there are no rings.
fn divided(spots: &[Spot], bands: &[[f64; 2]]) -> Option<Vec<Vec<Spot>>> {
    let mut rings = vec![Vec::new(); bands.len()];
    for spot in spots {
        let elevation = spot.elevation();
        let ring = bands.partition_point(|band| band[1] < elevation);
        if bands.get(ring).is_some_and(|band| band[0] <= elevation) {
            rings[ring].push(*spot);
        }
    }
    rings.retain(|ring| ring.len() >= ON_RING);
    rings.par_iter_mut().for_each(|ring| {
        // Spots of one direction are sorted by their places, so that the order of the file does not matter.
        let key = |spot: &Spot| [spot.turn, spot.place[0], spot.place[1], spot.place[2]];
        ring.sort_unstable_by(|a, b| key(a).partial_cmp(&key(b)).unwrap_or(Ordering::Equal));
    });
    are_rings(&rings, spots.len()).then_some(rings)
}

/// Whether these may be rings: nearly all of the points are on them, and none has many times as many as others.
fn are_rings<T>(rings: &[impl AsRef<[T]>], points: usize) -> bool {
    let all: usize = rings.iter().map(|ring| ring.as_ref().len()).sum();
    RINGS.contains(&rings.len())
        && all as f64 >= ON_RINGS * points as f64
        && unevenness(rings) <= UNEVEN
}

/// How many times as many points as the mean the largest ring has.
fn unevenness<T>(rings: &[impl AsRef<[T]>]) -> f64 {
    let sizes = || rings.iter().map(|ring| ring.as_ref().len());
    let (most, all): (usize, usize) = (sizes().max().unwrap_or(0), sizes().sum());
    (most * rings.len()) as f64 / all.max(1) as f64
}

/// The usual sine of the angle between neighbours on a ring; several points in one direction count once.
fn usual_step(rings: &[Vec<Spot>]) -> Option<f64> {
    let pairs = rings.iter().flat_map(|ring| ring.windows(2));
    let mut steps: Vec<f64> =
        pairs.filter_map(|pair| pair[0].sine(&pair[1])).filter(|&sine| sine > SAME).collect();
    Some(quantile(&mut steps, 0.5)).filter(|&step| step > 0.0)
}

/// The standard deviation of distances, as they vary along rings.
fn noise(rings: &[Vec<Spot>], step: f64) -> f64 {
    let is_next = |a: &Spot, b: &Spot| a.sine(b).is_some_and(|sine| sine <= NEXT * step);
    let bend = |three: &[Spot]| {
        let [a, b, c] = three else { return None };
        let bend = a.distance() - 2.0 * b.distance() + c.distance();
        (is_next(a, b) && is_next(b, c)).then_some(bend.abs())
    };
    let triples = rings.iter().flat_map(|ring| ring.windows(3));
    let mut bends: Vec<f64> = triples.filter_map(bend).collect();
    // Half of the values of a normal distribution are within 0.6745 standard deviations.
    quantile(&mut bends, 0.5) / 6f64.sqrt() / 0.6745
}

/// The median elevation of a ring, as a tangent.
fn middle(ring: &[Spot]) -> f64 {
    quantile(&mut ring.iter().map(Spot::elevation).collect::<Vec<_>>(), 0.5)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mix::mixed;

    /// Steps of a metre.
    const METRE: f64 = 20_000.0;
    /// Standard deviation of ranges, in metres.
    const NOISE: f64 = 0.01;
    /// A room around the scanner: its walls, floor and ceiling, each at this distance along an axis …
    const WALLS: [(usize, f64); 6] =
        [(0, 4.0), (0, -3.1), (1, 2.7), (1, -5.2), (2, 1.6), (2, -1.1)];
    /// … and a box on its floor, as low and high corners.
    const BOX: [Vec3; 2] = [[1.2, -0.6, -1.1], [2.0, 0.5, -0.3]];

    /// Where the line of sight leaves the room or meets the box, in metres.
    fn range(ray: Vec3) -> f64 {
        let walls = WALLS.iter().map(|&(a, at)| at / ray[a]).filter(|&t| t > 0.0);
        let wall = walls.fold(f64::INFINITY, f64::min);
        let (mut enter, mut leave) = (0.0f64, f64::INFINITY);
        for a in 0..3 {
            let [s, t] = [BOX[0][a] / ray[a], BOX[1][a] / ray[a]];
            (enter, leave) = (enter.max(s.min(t)), leave.min(s.max(t)));
        }
        if enter < leave { enter } else { wall }
    }

    /// How far a place, in metres, is from the nearest wall, or side of the box.
    fn off(place: Vec3) -> f64 {
        let walls = WALLS.iter().map(|&(a, at)| (place[a] - at).abs());
        let sides = (0..6).map(|side| {
            let (a, corner) = (side / 2, BOX[side % 2]);
            let is_beside =
                |b: usize| b == a || (BOX[0][b] - 0.05..=BOX[1][b] + 0.05).contains(&place[b]);
            if (0..3).all(is_beside) { (place[a] - corner[a]).abs() } else { f64::INFINITY }
        });
        walls.chain(sides).fold(f64::INFINITY, f64::min)
    }

    /// About a normal distribution of variance one.
    fn normal(i: usize) -> f64 {
        let uniform = |k: u64| mixed(i as u64 * 12 + k) as f64 / u64::MAX as f64;
        (0..12).map(uniform).sum::<f64>() - 6.0
    }

    /// The points that lasers evenly spread from 15° below to 15° above the horizon see in the room.
    fn sweep(lasers: usize, columns: usize) -> Vec<Vec3> {
        let point = |i: usize| {
            let elevation = (30.0 * (i % lasers) as f64 / (lasers - 1) as f64 - 15.0).to_radians();
            let azimuth = (360.0 * (i / lasers) as f64 / columns as f64).to_radians();
            let ray =
                [elevation.cos() * azimuth.cos(), elevation.cos() * azimuth.sin(), elevation.sin()];
            let range = range(ray) + NOISE * normal(i);
            ray.map(|v| v * range)
        };
        (0..lasers * columns).map(point).collect()
    }

    fn points(places: &[Vec3]) -> Points {
        places.iter().map(|p| p.map(|v| (v * METRE).round() as f32)).collect()
    }

    fn places(points: &Points) -> Vec<Vec3> {
        (0..points.len()).map(|i| points.get(i).map(|v| f64::from(v) / METRE)).collect()
    }

    #[test]
    fn rings_are_found_about_any_axis() {
        let seen = sweep(16, 1200);
        for turn in 0..3 {
            let turned: Vec<Vec3> =
                seen.iter().map(|p| [p[turn], p[(turn + 1) % 3], p[(turn + 2) % 3]]).collect();
            let rings = Rings::find(&points(&turned), [0.0; 3]).unwrap();
            assert_eq!(rings.rings.len(), 16, "{turn}");
            assert!(
                (rings.step * 1200.0 / std::f64::consts::TAU - 1.0).abs() < 0.01,
                "{}",
                rings.step
            );
            let noise = rings.noise / METRE / NOISE;
            assert!((0.9..1.1).contains(&noise), "{noise}");
        }
        // From elsewhere, these are no rings.
        assert!(Rings::find(&points(&seen), [0.5 * METRE; 3]).is_none());
        // A part of the points, and strays.
        let mut some: Vec<Vec3> = seen.iter().copied().step_by(3).collect();
        some.extend((0..some.len() / 100).map(|i| [1, 2, 3].map(|a| 2.0 * normal(4 * i + a))));
        assert_eq!(Rings::find(&points(&some), [0.0; 3]).unwrap().rings.len(), 16);
        // Most lasers see hardly anything but sky.
        let sky = seen.iter().enumerate().filter(|(i, _)| i % 16 < 3 || i / 16 % 20 == 0);
        let sky: Vec<Vec3> = sky.map(|(_, p)| *p).collect();
        assert_eq!(Rings::find(&points(&sky), [0.0; 3]).unwrap().rings.len(), 16);
        // Strays between the rings.
        let mut dense = sweep(16, 6000);
        let stray = |i: usize| {
            let [x, y, _] = dense[i * 16];
            let height = (mixed(i as u64) as f64 / u64::MAX as f64 - 0.5) * 30f64.to_radians();
            [x, y, height * (x * x + y * y).sqrt()]
        };
        let strays: Vec<Vec3> = (0..6000).map(stray).collect();
        dense.extend(strays);
        assert_eq!(Rings::find(&points(&dense), [0.0; 3]).unwrap().rings.len(), 16);
    }

    #[test]
    fn a_surface_along_the_line_of_sight_may_be_a_ring() {
        let eye = [10.0, -20.0, 30.0];
        // 500 steps ahead, its normal is turned from a right angle to the line of sight.
        let is_seen = |scanner, turn: f64| {
            let place = || [310.0, -20.0, 430.0];
            let normal =
                [-0.8 * turn.cos() + 0.6 * turn.sin(), 0.0, 0.6 * turn.cos() + 0.8 * turn.sin()];
            is_edge_on(scanner, place, normal)
        };
        for turn in [0.9 * EDGE_ON, -0.9 * EDGE_ON, 0.0] {
            assert!(is_seen(Some(eye), turn), "{turn}");
            assert!(!is_seen(None, turn), "{turn}");
        }
        assert!(![1.1 * EDGE_ON, -1.1 * EDGE_ON, 1.0].iter().any(|&turn| is_seen(Some(eye), turn)));
        // From the origin it is not seen along itself.
        assert!(!is_seen(Some([0.0; 3]), 0.0));
    }

    #[test]
    fn other_clouds_have_no_rings() {
        let scattered: Points = (0..20_000)
            .map(|i| [0, 1, 2].map(|a| (5e4 * normal(3 * i + a)).round() as f32))
            .collect();
        // A tripod's scan of the room, in directions at random.
        let seen: Vec<Vec3> = (0..20_000)
            .map(|i| {
                let ray = [0, 1, 2].map(|a| normal(3 * i + a));
                ray.map(|v| v * range(ray))
            })
            .collect();
        let grid: Points = (0..40_000)
            .map(|i| [i % 200 * 50, i / 200 * 50, 900].map(|v| v as f32 - 5e3))
            .collect();
        for (name, cloud) in [("scattered", scattered), ("seen", points(&seen)), ("grid", grid)] {
            assert!(Rings::find(&cloud, [0.0; 3]).is_none(), "{name}");
        }
    }

    #[test]
    fn points_between_rings_lie_on_surfaces() {
        let seen = sweep(16, 1200);
        let added = Rings::find(&points(&seen), [0.0; 3]).unwrap().between().unwrap().points;
        // Rings are 6.7 times as far apart as the points on them: two between two, nearly everywhere.
        let all = 2 * 15 * 1200;
        assert!((all * 17 / 20..=all).contains(&added.len()), "{} of {all}", added.len());
        // Noise is along the line of sight; at edges rings end, or go on straight as if there were none.
        let wrong = places(&added).into_iter().filter(|&place| off(place) > 5.0 * NOISE).count();
        assert!(wrong * 200 < added.len(), "{wrong}");
        // The order of the points does not matter.
        let mut reversed = seen.clone();
        reversed.reverse();
        assert_eq!(
            Rings::find(&points(&reversed), [0.0; 3]).unwrap().between().unwrap().points,
            added
        );
    }

    #[test]
    fn rings_as_close_as_their_points_get_none_between() {
        let rings = Rings::find(&points(&sweep(64, 600)), [0.0; 3]).unwrap();
        assert!(rings.rings.len() == 64 && rings.between().is_none());
    }
}
