//! Where the camera of a frame may be whose points come pixel after pixel, though nothing says so.
//!
//! Between most points and the next there is one pixel. Where the next one is much farther away or nearer, both are on
//! nearly the same line of sight: two such lines meet near the camera. From there, and only from there, nearly all steps
//! are equally long in the image.

use super::evenness::{OUTSIDE, Seen};
use super::pattern_search::{self, MOVE, Tried, sorted};
use crate::frame::Points;
use crate::mix::{mixed, spread};
use crate::surface::quantile::quantile;
use crate::vector::{Vec3, axes, dot, minus};
use nalgebra::{Matrix3, Vector3};
use rayon::prelude::*;

/// Steps by which places are compared, and steps of which the long ones are lines.
const STEPS: [usize; 2] = [1 << 9, 1 << 11];
/// A step so many times as long as most goes along the line of sight, or to the next row.
const LONG: f64 = 3.0;
/// Fewest such steps.
const FEWEST_LONG: usize = 16;
/// Pairs of lines that are tried first, and in all if steps are at most so uneven where the best of the first meet.
const TRIES: [usize; 2] = [1 << 6, 1 << 9];
const PROMISING: f64 = 0.55;
/// Lines whose sine is less than this do not tell where they meet.
const ACROSS: f64 = 0.02;
/// The best places so far, which are improved with at most so many moves of each length.
const LEFT: usize = 4;
const MOST_MOVES: u32 = 32;
/// A camera is at most so many times as far from the middle of the points as they are wide: from farther away, rows of
/// points look even that no camera saw.
const REACH: f64 = 2.0;
/// Places that are nearer to each other than this share of the depth are one.
const NEAR: f64 = 0.1;
/// Steps are as uneven as this, on average, at most, before places are improved.
const UNEVEN: f64 = 0.4;
/// Then this share of them differs from the usual length by at most this share of it. Where a scanner turns or flies, or
/// points are few, fewer are so even; some of the others go to the next surface that was seen, beyond missing pixels.
const MOST: f64 = 0.75;
const EVEN: f64 = 0.09;

/// Places at which a camera may be that saw the points one after the other, the likeliest first. Points for which
/// `stands_for_none` holds are missing.
pub(super) fn places(points: &Points, stands_for_none: impl Fn(Vec3) -> bool) -> Vec<Vec3> {
    let many = Steps::of(points, &stands_for_none, STEPS[1]);
    let lines = many.long();
    if lines.len() < FEWEST_LONG {
        return Vec::new();
    }
    let few = Steps::of(points, &stands_for_none, STEPS[0]);
    let meeting = |k: usize| {
        let line = |salt: u64| lines[(mixed(2 * k as u64 + salt) % lines.len() as u64) as usize];
        let place = meet([many.get(line(0)), many.get(line(1))])?;
        Some((few.unevenness(place)?, place))
    };
    let mut best = Tried::new();
    best.par_extend((0..TRIES[0]).into_par_iter().filter_map(meeting));
    if !best.iter().any(|best| best.0 <= PROMISING) {
        return Vec::new();
    }
    best.par_extend((TRIES[0]..TRIES[1]).into_par_iter().filter_map(meeting));
    best.retain(|best| best.0 <= UNEVEN);
    let mut best = sorted(best);
    best.truncate(LEFT);
    let improved = best.par_iter().filter_map(|&(_, place)| few.improved(place));
    let mut improved: Tried = improved.collect();
    improved.retain(|&(_, place)| {
        few.errors(place).is_some_and(|mut errors| quantile(&mut errors, MOST) <= EVEN)
    });
    let mut places: Vec<Vec3> = Vec::new();
    for (_, place) in sorted(improved) {
        let middle = few.depth(place);
        let is_near = |other: &Vec3| {
            let apart = minus(place, *other);
            dot(apart, apart).sqrt() < NEAR * middle
        };
        if !places.iter().any(is_near) {
            places.push(place);
        }
    }
    places
}

/// The point that is nearest to two lines, each through two points.
fn meet(lines: [[Vec3; 2]; 2]) -> Option<Vec3> {
    let (mut normal, mut right) = (Matrix3::zeros(), Vector3::zeros());
    let along = lines.map(|[from, to]| Vector3::from(minus(to, from)).normalize());
    for (along, [from, _]) in along.iter().zip(lines) {
        let across = Matrix3::identity() - along * along.transpose();
        normal += across;
        right += across * Vector3::from(from);
    }
    (along[0].cross(&along[1]).norm() >= ACROSS).then(|| normal.try_inverse())?.map(|inverse| {
        let place: Vec3 = (inverse * right).into();
        place
    })
}

/// Some of the steps from a point to the next.
struct Steps {
    from: Seen,
    to: Seen,
    /// The middle of the points, and how far from it a camera may be along each axis.
    middle: Vec3,
    reach: f64,
}

impl Steps {
    /// About so many steps, spread over all points.
    fn of(points: &Points, stands_for_none: impl Fn(Vec3) -> bool, most: usize) -> Steps {
        let point = |i: usize| points.get(i).map(f64::from);
        let at = spread(points.len().saturating_sub(1), most);
        let steps = at.map(|i| [point(i), point(i + 1)]);
        let steps: Vec<[Vec3; 2]> =
            steps.filter(|ends| !ends.iter().any(|&p| stands_for_none(p))).collect();
        let seen = |end: usize| Seen::new(&steps.iter().map(|ends| ends[end]).collect::<Vec<_>>());
        let (from, to) = (seen(0), seen(1));
        let (low, high) = from.bounds();
        let middle = [0, 1, 2].map(|a| 0.5 * (low[a] + high[a]));
        let reach = REACH * (0..3).map(|a| high[a] - low[a]).fold(0.0, f64::max);
        Steps { from, to, middle, reach }
    }

    /// The points of a step.
    fn get(&self, i: usize) -> [Vec3; 2] {
        [self.from.get(i), self.to.get(i)]
    }

    /// The steps that are much longer than most.
    fn long(&self) -> Vec<usize> {
        let length = |i: usize| {
            let [from, to] = self.get(i);
            let step = minus(to, from);
            dot(step, step).sqrt()
        };
        let lengths: Vec<f64> = (0..self.from.len()).map(length).collect();
        let usual = quantile(&mut lengths.clone(), 0.5);
        (0..lengths.len()).filter(|&i| lengths[i] > LONG * usual).collect()
    }

    /// How uneven the steps are in the image of a camera at `eye`: the mean of their errors.
    fn unevenness(&self, eye: Vec3) -> Option<f64> {
        let errors = self.errors(eye)?;
        Some(errors.iter().sum::<f64>() / errors.len() as f64)
    }

    /// How much the length of each step in the image of a camera at `eye` differs from the usual one, as a share that is at
    /// most 1; `None` if the camera is far from the points, or too many of them are outside its image.
    fn errors(&self, eye: Vec3) -> Option<Vec<f64>> {
        if !minus(eye, self.middle).iter().all(|v| v.abs() <= self.reach) {
            return None;
        }
        let forward = self.from.forward(eye);
        let (u, v) = axes(forward);
        let axes = [u, v, forward];
        let [[a, b], [c, d]] = [&self.from, &self.to].map(|seen| seen.places(eye, axes));
        let length = |i: usize| ((a[i] - c[i]).powi(2) + (b[i] - d[i]).powi(2)).sqrt();
        let all = self.from.len();
        let mut lengths: Vec<f64> = (0..all).map(length).filter(|v| v.is_finite()).collect();
        if lengths.is_empty() || (all - lengths.len()) * OUTSIDE > all {
            return None;
        }
        let usual = quantile(&mut lengths, 0.5);
        let off = |length: &f64| (2.0 * (length - usual).abs() / (length + usual)).min(1.0);
        (usual > 0.0).then(|| lengths.iter().map(off).collect())
    }

    /// The median depth, as seen from a place.
    fn depth(&self, place: Vec3) -> f64 {
        let [_, middle, _] = self.from.depths(place, self.from.forward(place));
        middle.abs()
    }

    /// The best place near this one, and how uneven steps are there.
    fn improved(&self, place: Vec3) -> Option<(f64, Vec3)> {
        let axes = |_| [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
        let length = MOVE * self.depth(place);
        pattern_search::improved(place, (length, MOST_MOVES), axes, |eye| self.unevenness(eye))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const EYE: Vec3 = [300_000.0, -200_000.0, 100_000.0];
    const ROW: usize = 160;

    /// What a camera of 160 × 120 pixels at `EYE` looking along x sees of a room and boxes before its walls.
    fn frame() -> Vec<[f32; 3]> {
        let pixel = |i: usize| {
            let [x, y] = [(i % ROW) as f64 / 145.0 - 0.55, (i / ROW) as f64 / 145.0 - 0.4];
            let is_box = (i % ROW) % 40 < 15 && (i / ROW) % 30 < 12;
            let wall = if y > 0.2 { 8e5 / y } else { 4e6 + 1e6 * x };
            let depth = if is_box { 2e6 } else { wall } + (i * 7919 % 1009) as f64 * 15.0;
            std::array::from_fn(|a| (EYE[a] + depth * [1.0, x, y][a]).round() as f32)
        };
        (0..ROW * 120).map(pixel).collect()
    }

    /// How far the likeliest place is from the camera, as a share of the usual depth.
    fn off(points: &[[f32; 3]]) -> Option<f64> {
        let off =
            minus(*places(&points.iter().copied().collect(), |p| p == [0.0; 3]).first()?, EYE);
        Some(dot(off, off).sqrt() / 3e6)
    }

    #[test]
    fn long_steps_meet_at_the_camera() {
        let all = frame();
        assert!(off(&all).unwrap() < 0.05, "{:?}", off(&all));
        // Some pixels are missing, in blocks and alone; columns may come one after the other instead of rows.
        let is_missing =
            |i: usize| (i % ROW / 9).is_multiple_of(4) || (i * 7919).is_multiple_of(11);
        let some: Vec<[f32; 3]> =
            (0..all.len()).filter(|&i| !is_missing(i)).map(|i| all[i]).collect();
        assert!(off(&some).unwrap() < 0.05, "{:?}", off(&some));
        let holes: Vec<[f32; 3]> =
            (0..all.len()).map(|i| if is_missing(i) { [0.0; 3] } else { all[i] }).collect();
        assert!(off(&holes).unwrap() < 0.05, "{:?}", off(&holes));
        let columns: Vec<[f32; 3]> = (0..all.len()).map(|i| all[i % 120 * ROW + i / 120]).collect();
        assert!(off(&columns).unwrap() < 0.05, "{:?}", off(&columns));
    }

    #[test]
    fn points_in_another_order_tell_nothing() {
        let all = frame();
        let mut order: Vec<usize> = (0..all.len()).collect();
        order.sort_unstable_by_key(|&i| mixed(i as u64));
        let anyhow: Vec<[f32; 3]> = order.iter().map(|&i| all[i]).collect();
        assert_eq!(off(&anyhow), None);
        // Nor do points on a line, the same point, or too few.
        let line: Vec<[f32; 3]> = (0..2000).map(|i| [(i * i % 977) as f32, 0.0, 0.0]).collect();
        for points in [&line[..], &[[5.0; 3]; 2000], &all[..1], &[]] {
            assert_eq!(off(points), None);
        }
    }
}
