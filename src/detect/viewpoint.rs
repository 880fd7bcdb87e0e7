//! Frames of a depth camera, as it sees them.
//!
//! A camera that measures disparities has errors that grow with the square of the range, and points that
//! thin out with it: one frame has millimetres and decimetres, and no scale suits both. But where
//! the camera is, planes stay planes when each point `(a, b, z)` is drawn at `(a / z, b / z, 1 / z)`, and there
//! its errors and the distances between points are the same everywhere. So such a frame is searched as
//! the camera sees it, and its planes are fitted to the points as they are.
//!
//! The camera need not be told: there is one point for each of its pixels, so that seen from where it
//! was, and only from there, they lie evenly.

use crate::frame::{Frame, Points};
use crate::mix::mixed;
use crate::surface::plane::LocalPlane;
use crate::vector::{Vec3, axes, dot, minus, normalized};
use rayon::prelude::*;

/// Larger clouds are no frames.
const MOST: usize = 1 << 23;
/// Fewest points that say where they were seen from: fewer may well lie evenly by chance.
const FEWEST: usize = 1 << 13;
/// Points by which viewpoints are compared at first, by which a few of them are improved, and then the best.
const SAMPLES: [usize; 3] = [1 << 9, 1 << 12, 1 << 15];
/// Points of a place in the image, on average.
const EACH: f64 = 16.0;
/// Viewpoints along an edge of the box in which they are looked for …
const TRIED: i32 = 8;
/// … and that is so many times as wide as the cloud.
const AROUND: f64 = 2.0;
/// Viewpoints that are improved, those of them that are improved by more points, and the best.
const STARTS: [usize; 3] = [6, 2, 1];
/// They are improved in steps of this share of the depth, …
const STEP: f64 = 0.16;
/// … halved so often, …
const HALVINGS: u32 = 5;
/// … and at most so many of each.
const MOST_STEPS: u32 = 64;
/// The cosine of the widest angle at which a frame sees something.
const WIDEST: f64 = 0.25;
/// A frame has at most one in so many points outside that.
const OUTSIDE: usize = 200;
/// An image has at most so many places for each point.
const PLACES: usize = 64;
/// The mean square of the points of a place over the squared mean is less, where points lie evenly.
const EVENLY: f64 = 1.5;
/// Where they lie less evenly than this, few of them tell already, …
const UNEVEN: f64 = 1.8;
/// … and so a little away from the viewpoint.
const ROUGHLY: f64 = 2.5;
/// A frame is deep when far points, nine tenths of the way, are so many times as far as near ones, one tenth.
const DEEP: f64 = 1.6;
/// The same a little away from the viewpoint.
const ROUGHLY_DEEP: f64 = 1.4;
/// What is nearer than this share of the middle depth is drawn there.
pub(super) const NEAREST: f64 = 0.125;

/// Where a cloud was seen from, in its local coordinates.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Viewpoint {
    eye: Vec3,
    /// Where it looks, and two directions across that and each other.
    axes: [Vec3; 3],
    /// The middle one of the depths.
    middle: f64,
}

impl Viewpoint {
    /// The viewpoint from which points lie evenly, if there is one, and the frame is deep.
    pub fn find(points: &Points) -> Option<Viewpoint> {
        if !(FEWEST..=MOST).contains(&points.len()) {
            return None;
        }
        let many = sample(points, SAMPLES[2]);
        let [few, some] = [0, 1].map(|i| &many[..many.len().min(SAMPLES[i])]);
        let (low, high) = bounds(few);
        let of = |i: i32| {
            let place = [i % TRIED, i / TRIED % TRIED, i / TRIED / TRIED];
            let share = place.map(|v| AROUND * (f64::from(v) / f64::from(TRIED - 1) - 0.5));
            let at = |a: usize| 0.5 * (low[a] + high[a]) + share[a] * (high[a] - low[a]);
            std::array::from_fn(at)
        };
        let tried = (0..TRIED.pow(3)).into_par_iter().map(of);
        let mut tried: Vec<(f64, Vec3)> =
            tried.filter_map(|eye| Some((unevenness(few, eye)?, eye))).collect();
        tried.sort_by(|a, b| a.0.total_cmp(&b.0));
        tried.retain(|&(uneven, eye)| uneven <= ROUGHLY && is_deep(few, eye));
        tried.truncate(STARTS[0]);
        let mut best = tried;
        for (points, starts) in [(some, STARTS[1]), (&many[..], STARTS[2])] {
            let improved = best.into_par_iter().filter_map(|(_, eye)| improved(points, eye));
            best = improved.filter(|&(_, eye)| is_deep(points, eye)).collect();
            best.sort_by(|a, b| a.0.total_cmp(&b.0));
            best.truncate(starts);
            if best.first().is_none_or(|best| best.0 > UNEVEN) {
                return None;
            }
        }
        let (uneven, eye) = *best.first()?;
        log::debug!("seen from {eye:?}, {uneven:.3} times as uneven as can be");
        if uneven > EVENLY {
            return None;
        }
        let forward = forward(&many, eye);
        let [near, middle, far] = depths(&many, eye, forward);
        log::debug!("depth {near:.0}, {middle:.0} to {far:.0} steps");
        let (u, v) = axes(forward);
        let seen = Viewpoint { eye, axes: [u, v, forward], middle };
        // What is nearer than anything that is drawn must be next to nothing.
        let nearer = many.iter().filter(|&&p| seen.depth(p) < NEAREST * middle).count();
        (far > DEEP * near && nearer * OUTSIDE <= many.len()).then_some(seen)
    }

    /// Where the camera is, in the coordinates of the points.
    pub fn eye(&self) -> Vec3 {
        self.eye
    }

    /// How far a point is along the direction in which the camera looks, in steps.
    pub fn depth(&self, p: Vec3) -> f64 {
        dot(minus(p, self.eye), self.axes[2])
    }

    /// The middle one of the depths, in steps.
    pub fn depth_of_middle(&self) -> f64 {
        self.middle
    }

    /// The depth of a point as it is seen.
    pub fn depth_of_seen(&self, seen: Vec3, frame: &Frame) -> f64 {
        self.middle / (1.0 + seen[2] * frame.step / self.middle)
    }

    /// The points as they are seen, drawn so that lengths at the middle depth are what they are, in
    /// coordinates whose unit is so many steps of the points.
    pub fn seen(&self, points: &Points) -> (Frame, Points) {
        let all =
            || (0..points.len()).into_par_iter().map(|i| self.draw(points.get(i).map(f64::from)));
        let most =
            all().map(|p| p.iter().fold(0f64, |m, v| m.max(v.abs()))).reduce(|| 0.0, f64::max);
        let frame =
            Frame { origin: [0.0; 3], step: Frame::fit([-most; 3], [most; 3]).step.max(1.0) };
        let drawn: Vec<[f32; 3]> =
            all().map(|p| p.map(|v| (v / frame.step).round_ties_even() as f32)).collect();
        (frame, drawn.into_iter().collect())
    }

    /// Where a point is drawn.
    fn draw(&self, p: Vec3) -> Vec3 {
        let [a, b, z] = self.axes.map(|axis| dot(minus(p, self.eye), axis));
        let times = self.middle / z.max(NEAREST * self.middle);
        [a * times, b * times, (times - 1.0) * self.middle]
    }

    /// The plane of the points that lie on this one when they are seen in a frame; its tolerance is that at the
    /// middle depth.
    pub fn plane(&self, seen: LocalPlane, frame: &Frame) -> LocalPlane {
        // n · (a m / z, b m / z, m² / z − m) = ρ, times z.
        let [a, b, c] = seen.normal;
        let (m, rho) = (self.middle, seen.rho * frame.step);
        let across = [a * m, b * m, -(c * m + rho)];
        let normal: Vec3 =
            std::array::from_fn(|i| (0..3).map(|k| across[k] * self.axes[k][i]).sum::<f64>());
        let length = dot(normal, normal).sqrt().max(f64::MIN_POSITIVE);
        let normal = normal.map(|v| v / length);
        let rho = dot(normal, self.eye) - c * m * m / length;
        LocalPlane { normal, rho, tolerance: seen.tolerance * frame.step }
    }
}

/// About so many of the points, in an order that is theirs and not the file's: by chance.
fn sample(points: &Points, most: usize) -> Vec<Vec3> {
    let one_in = points.len().div_ceil(most) as u64;
    let hashed = |i: usize| {
        let p = points.get(i).map(|v| v as i32);
        let [x, y, z] = p.map(|v| u64::from(v as u32));
        (mixed(mixed(mixed(x) ^ y) ^ z), p)
    };
    let all = (0..points.len()).into_par_iter().with_min_len(1 << 12).map(hashed);
    // What chose them is no chance among the chosen.
    let chosen = all.filter(|(hash, _)| hash % one_in == 0).map(|(hash, p)| (mixed(!hash), p));
    let mut chosen: Vec<(u64, [i32; 3])> = chosen.collect();
    chosen.sort_unstable();
    // Copies of a point are all chosen or none.
    chosen.dedup();
    chosen.into_iter().map(|(_, p)| p.map(f64::from)).collect()
}

/// The smallest and the largest coordinates.
fn bounds(points: &[Vec3]) -> (Vec3, Vec3) {
    let start = ([f64::INFINITY; 3], [f64::NEG_INFINITY; 3]);
    points.iter().fold(start, |(low, high), p| {
        (std::array::from_fn(|a| low[a].min(p[a])), std::array::from_fn(|a| high[a].max(p[a])))
    })
}

/// The mean direction of points.
fn forward(points: &[Vec3], eye: Vec3) -> Vec3 {
    let mut sum = [0.0; 3];
    for &p in points {
        let to = normalized(minus(p, eye));
        sum.iter_mut().zip(to).for_each(|(sum, v)| *sum += v);
    }
    normalized(sum)
}

/// The depth of near, of middling and of far points.
fn depths(points: &[Vec3], eye: Vec3, forward: Vec3) -> [f64; 3] {
    let mut depths: Vec<f64> = points.iter().map(|&p| dot(minus(p, eye), forward)).collect();
    depths.sort_by(f64::total_cmp);
    [1, 5, 9].map(|tenths| depths[depths.len() * tenths / 10])
}

/// Whether far points may turn out to be farther than near ones in a frame that is seen from near here.
fn is_deep(points: &[Vec3], eye: Vec3) -> bool {
    let [near, _, far] = depths(points, eye, forward(points, eye));
    far > ROUGHLY_DEEP * near
}

/// How unevenly points lie in the image that is seen from somewhere: the mean square of the points of
/// a place over the squared mean. None where they are not in front of the eye.
fn unevenness(points: &[Vec3], eye: Vec3) -> Option<f64> {
    let forward = forward(points, eye);
    let (u, v) = axes(forward);
    let mut places = Vec::with_capacity(points.len());
    let mut outside = 0;
    for &p in points {
        let to = minus(p, eye);
        let z = dot(to, forward);
        if z <= WIDEST * dot(to, to).sqrt() {
            outside += 1;
            if outside * OUTSIDE > points.len() {
                return None;
            }
            continue;
        }
        places.push([dot(to, u) / z, dot(to, v) / z]);
    }
    let n = places.len() as f64;
    let mean = [0, 1].map(|a| places.iter().map(|p| p[a]).sum::<f64>() / n);
    let product = |a: usize, b: usize| {
        places.iter().map(|p| (p[a] - mean[a]) * (p[b] - mean[b])).sum::<f64>() / n
    };
    // An even rectangle has twelve times the variance as the square of its edge.
    let area =
        12.0 * (product(0, 0) * product(1, 1) - product(0, 1) * product(0, 1)).max(0.0).sqrt();
    let edge = (area * EACH / n).sqrt();
    if edge.is_nan() || edge <= 0.0 {
        return None;
    }
    let reach = 1.0 / WIDEST;
    let across = (2.0 * reach / edge).ceil();
    if across * across > (PLACES * places.len()) as f64 {
        return None;
    }
    let mut counts = vec![0u32; (across * across) as usize];
    let (mut taken, mut squares) = (0u64, 0u64);
    for place in places {
        let [a, b] = place.map(|v| ((v + reach) / edge) as usize);
        let count = &mut counts[a * across as usize + b];
        taken += u64::from(*count == 0);
        // The square of one more.
        squares += 2 * u64::from(*count) + 1;
        *count += 1;
    }
    Some(squares as f64 * taken as f64 / (n * n))
}

/// The best viewpoint near one, and how uneven the points lie there.
fn improved(points: &[Vec3], eye: Vec3) -> Option<(f64, Vec3)> {
    let mut best = (unevenness(points, eye)?, eye);
    let to = minus(eye, points[points.len() / 2]);
    let mut step = STEP * dot(to, to).sqrt();
    for _ in 0..HALVINGS {
        for _ in 0..MOST_STEPS {
            let around = (0..6).filter_map(|way| {
                let mut eye = best.1;
                eye[way / 2] += if way % 2 == 0 { step } else { -step };
                Some((unevenness(points, eye)?, eye))
            });
            match around.reduce(|a, b| if b.0 < a.0 { b } else { a }) {
                Some(next) if next.0 < best.0 => best = next,
                _ => break,
            }
        }
        step *= 0.5;
    }
    Some(best)
}

#[cfg(test)]
mod tests {
    use super::*;

    const EYE: Vec3 = [300_000.0, -200_000.0, 100_000.0];

    /// What a camera of 160 × 120 pixels sees that looks along x: a floor, a wall and a box before it.
    fn frame() -> Vec<([f32; 3], usize)> {
        let planes = [
            ([0.0, 0.0, 1.0], -1.4e6, 1.0),
            ([0.98, 0.2, 0.0], 5.0e6, 1.0),
            ([1.0, 0.0, 0.0], 2.2e6, 0.15),
        ];
        let pixel = |i: usize| {
            let ray = [1.0, (i % 160) as f64 / 145.0 - 0.55, (i / 160) as f64 / 145.0 - 0.5];
            let hit = |&(k, (normal, rho, reach)): &(usize, (Vec3, f64, f64))| {
                let times = rho / dot(normal, ray);
                let inside = ray[1].abs() <= reach && ray[2].abs() <= reach;
                (times > 0.0 && inside).then_some((times, k))
            };
            let first = planes.into_iter().enumerate().filter_map(|plane| hit(&plane));
            let (times, k) = first.min_by(|a, b| a.0.total_cmp(&b.0)).unwrap();
            (std::array::from_fn(|a| (EYE[a] + times * ray[a]).round() as f32), k)
        };
        (0..160 * 120).map(pixel).collect()
    }

    fn points() -> Points {
        frame().into_iter().map(|(p, _)| p).collect()
    }

    #[test]
    fn a_camera_is_found_by_what_it_sees() {
        let points = points();
        let found = Viewpoint::find(&points).unwrap();
        let off = minus(found.eye, EYE);
        assert!(dot(off, off).sqrt() < 0.1 * found.middle, "{found:?}");
        let order: Vec<u32> = (0..points.len() as u32).map(|i| i * 7919 % 19_200).collect();
        assert_eq!(Viewpoint::find(&points.select(&order)), Some(found));
    }

    #[test]
    fn what_was_seen_from_all_around_is_no_frame() {
        // The surface of a cube, a square after the other.
        let point = |i: usize| {
            let [u, v] = [i * 7919 % 997, i * 104_729 % 991].map(|v| v as f32 * 2000.0);
            let far = if i.is_multiple_of(2) { 0.0 } else { 1_990_000.0 };
            let mut p = [u, v, 0.0];
            p[2] = far;
            p.rotate_left(i / 2 % 3);
            p
        };
        assert_eq!(Viewpoint::find(&(0..30_000).map(point).collect()), None);
    }

    #[test]
    fn planes_come_back_from_what_is_seen() {
        let viewpoint = Viewpoint::find(&points()).unwrap();
        let (unit, seen) = viewpoint.seen(&points());
        for k in 0..3 {
            let of: Vec<usize> =
                frame().iter().enumerate().filter(|(_, p)| p.1 == k).map(|(i, _)| i).collect();
            let sums = |points: &Points| {
                let mut sums = crate::surface::moments::Moments::<i128>::default();
                of.iter().for_each(|&i| sums.add(points.get(i).map(|v| v as i64)));
                sums.fit().unwrap()
            };
            let (there, here) = (sums(&seen), sums(&points()));
            assert!(there.rmse() < 2.0, "{}", there.rmse());
            let rho = dot(there.normal, there.centroid);
            let seen = LocalPlane { normal: there.normal, rho, tolerance: 1.0 };
            let plane = viewpoint.plane(seen, &unit);
            assert!(dot(plane.normal, here.normal).abs() > 1.0 - 1e-9);
            assert!((dot(plane.normal, here.centroid) - plane.rho).abs() < 10.0);
        }
        let p = points().get(7).map(f64::from);
        let depth = viewpoint.depth_of_seen(seen.get(7).map(f64::from), &unit);
        assert!((depth / viewpoint.depth(p) - 1.0).abs() < 1e-4);
    }
}
