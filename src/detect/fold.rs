//! Folds: a plane that grew over the ridge between two faces.
//!
//! Where two faces meet at a small angle, the slab of one holds a part of the other, and the normals of both lie along
//! it. The plane through both is then curved: its normals turn across the ridge. On a curved surface they turn
//! everywhere; at a fold they step, and are the same on either side.

use crate::surface::quantile::weighted_quantile;
use crate::surface::surfels::Surfels;
use crate::vector::{Vec3, axes, dot, minus, normalized};
use std::f64::consts::FRAC_1_SQRT_2;

/// A step must explain more of the variance of the normals than a steady turn does: more by the square of this many standard
/// errors of the turn. Of an even piece of a cylinder it explains three quarters as much; of two equal faces four thirds, of unequal
/// ones more.
const SURE: f64 = 4.0;
/// Faces meet at more than this angle, one degree: drift, and stations that are not quite level, bend walls by less.
const ANGLE: f64 = std::f64::consts::PI / 180.0;
/// The middle of the smaller side lies more than this many tolerances from the plane of the larger side: strips that were flown
/// one after the other bend a floor by half a tolerance.
const BEYOND: f64 = 0.75;
/// At the ridge, the planes of two sides that meet are less than this share as far apart as at the middle of the smaller side.
const MEETS: f64 = 0.5;
/// Share of a side that lies next to the ridge.
const NEXT_TO: f64 = 0.25;
/// A ridge is sharp if the parts next to it differ in tilt by at least this share of what the sides do. Between the flanks of a wave
/// it is .58.
const SHARP: f64 = 0.67;
/// The same if only the part of the larger side is looked at, which is .79 there, …
const SHARP_ONE: f64 = 0.86;
/// … because that of the smaller side is narrower than half a block, so many cells, and is blurred.
const HALF_BLOCK: f64 = 1.5;
/// A strip beyond a ridge, where the surface is not farther than so many tolerances from the plane of the larger side, tells whether
/// the sides meet.
const NEAR: f64 = 2.5;
/// Parts into which a plane is divided across a possible ridge.
const PARTS: usize = 128;

/// Directions in a plane, an eighth of a half-turn apart, as cosine and sine.
pub(super) const AXES: [[f64; 2]; 8] = [
    [1.0, 0.0],
    [0.923_879_532_511_286_7, 0.382_683_432_365_089_8],
    [FRAC_1_SQRT_2, FRAC_1_SQRT_2],
    [0.382_683_432_365_089_8, 0.923_879_532_511_286_7],
    [0.0, 1.0],
    [-0.382_683_432_365_089_8, 0.923_879_532_511_286_7],
    [-FRAC_1_SQRT_2, FRAC_1_SQRT_2],
    [-0.923_879_532_511_286_7, 0.382_683_432_365_089_8],
];

/// The two sides of a fold, each with its surfels, ascending.
pub(super) struct Fold {
    /// The larger one.
    pub larger: Vec<u32>,
    /// The other.
    pub smaller: Vec<u32>,
    /// The normal of the plane.
    normal: Vec3,
    /// A point of the ridge, as it is seen along the normal of the plane, in the plane through the origin.
    ridge: Vec3,
    /// The direction across the ridge, from the larger side to the other.
    across: Vec3,
    /// By how much the normals of the sides differ in tilt.
    steepness: f64,
}

impl Fold {
    /// How far a point lies beyond the ridge, on the side of the smaller one.
    fn far(&self, at: Vec3) -> f64 {
        dot(minus(at, self.ridge), self.across)
    }

    /// The same fold with other surfels, ascending, on its two sides.
    pub fn of(self, surfels: &Surfels, set: &[u32]) -> Fold {
        let is_beyond = |&i: &u32| self.far(surfels.list[i as usize].centroid) > 0.0;
        let (smaller, larger) = set.iter().copied().partition(is_beyond);
        Fold { larger, smaller, ..self }
    }

    /// Whether the normals step at the ridge, and do not turn from one flank of a wave to the next; base cells have the edge `base`.
    pub fn is_sharp(&self, surfels: &Surfels, base: f64) -> bool {
        let normal = self.normal;
        let (u, v) = axes(normal);
        let axis = [dot(self.across, u), dot(self.across, v)];
        let far = |t: &Tilted| self.far(surfels.list[t.surfel as usize].centroid).abs();
        let [larger, smaller] = [&self.larger, &self.smaller].map(|set| {
            let side = tilted(surfels, set, normal);
            let places = side.iter().map(|t| (far(t), t.weight as u64)).collect();
            let next_to = weighted_quantile(places, NEXT_TO);
            let near = side.iter().filter(|t| far(t) <= next_to);
            [next_to, mean_tilt(near, axis), mean_tilt(side.iter(), axis)]
        });
        let [[_, near_larger, larger], [next_to, near_smaller, smaller]] = [larger, smaller];
        let levels = |&i: &u32| {
            let s = &surfels.list[i as usize];
            Some((s.surface?.level() as f64, u64::from(s.weight)))
        };
        let level = weighted_quantile(self.larger.iter().filter_map(levels).collect(), 0.5);
        // Blocks that reach over the ridge see a part of the other side.
        let is_blurred = next_to < HALF_BLOCK * base * level.exp2();
        let near_smaller = if is_blurred { smaller } else { near_smaller };
        let least = if is_blurred { SHARP_ONE } else { SHARP };
        (near_smaller - near_larger) / (smaller - larger) >= least
    }

    /// Whether a point lies next to the ridge, on the side of the smaller one: where that leaves the plane of the larger side, it is
    /// so many tolerances away at most.
    pub fn is_next_to(&self, at: Vec3, tolerance: f64) -> bool {
        let far = self.far(at);
        far > 0.0 && far * self.steepness <= NEAR * tolerance
    }

    /// Whether the two sides, the larger one first, meet at the ridge at an angle: there their planes are less than half as far apart
    /// as at the `middle` of the smaller side, which lies well outside of the slab of the larger side, of this `tolerance`. Two floors
    /// with a step between them are parallel.
    pub fn meets(&self, sides: [(Vec3, f64); 2], (middle, tolerance): (Vec3, f64)) -> bool {
        let apart = |at: Vec3| {
            let [larger, smaller] = sides.map(|(n, rho)| (rho - dot(n, at)) / dot(n, self.normal));
            (larger - smaller).abs()
        };
        let (at_ridge, beyond) = (apart(self.ridge), apart(middle));
        let [(larger, _), (smaller, _)] = sides;
        let is_bent = dot(larger, smaller).abs() <= ANGLE.cos();
        is_bent && beyond > BEYOND * tolerance && at_ridge < MEETS * beyond
    }
}

/// A surfel of a plane.
struct Tilted {
    surfel: u32,
    weight: f64,
    /// Its place in the plane, along the axes `u` and `v`.
    place: [f64; 2],
    /// How far its normal tilts along them.
    tilt: [f64; 2],
}

/// A step of the tilts along an axis.
#[derive(Clone, Copy)]
struct Step {
    /// By how much more of the variance of the tilts it explains than a steady turn does.
    excess: f64,
    /// The axis.
    axis: [f64; 2],
    /// Where it is along the axis.
    at: f64,
}

/// The fold across a plane, if its surfels' normals step rather than turn steadily. `error` is the standard error with which a
/// turn of the normals is known, in radians.
pub(super) fn fold(surfels: &Surfels, set: &[u32], normal: Vec3, error: f64) -> Option<Fold> {
    let all = tilted(surfels, set, normal);
    let first = AXES.iter().filter_map(|&axis| step(&all, axis)).reduce(more)?;
    // The ridge is perpendicular to the difference of the tilts.
    let mut tilts = [[0.0; 3]; 2];
    for t in &all {
        let [weight, u, v] = &mut tilts[usize::from(along(first.axis, t.place) > first.at)];
        *weight += t.weight;
        *u += t.weight * t.tilt[0];
        *v += t.weight * t.tilt[1];
    }
    let [before, beyond] = tilts.map(|[weight, u, v]| [u / weight, v / weight, 0.0]);
    let [u, v, _] = normalized(minus(beyond, before));
    let best = step(&all, [u, v]).map_or(first, |exact| more(first, exact));
    if best.excess <= (SURE * error).powi(2) {
        return None;
    }
    let (beyond, before): (Vec<&Tilted>, Vec<&Tilted>) =
        all.iter().partition(|t| along(best.axis, t.place) > best.at);
    let weight = |side: &[&Tilted]| side.iter().map(|t| t.weight).sum::<f64>();
    let is_beyond = weight(&beyond) > weight(&before);
    let sides = if is_beyond { [beyond, before] } else { [before, beyond] };
    let [larger, smaller] =
        [&sides[0], &sides[1]].map(|side| mean_tilt(side.iter().copied(), best.axis));
    let steepness = (larger - smaller).abs();
    let [larger, smaller] = sides.map(|side| side.iter().map(|t| t.surfel).collect());
    // In the middle of the plane.
    let aside = [-best.axis[1], best.axis[0]];
    let sum = all.iter().map(|t| t.weight * along(aside, t.place)).sum::<f64>();
    let middle = sum / all.iter().map(|t| t.weight).sum::<f64>();
    let place: [f64; 2] = std::array::from_fn(|k| best.at * best.axis[k] + middle * aside[k]);
    let (u, v) = axes(normal);
    let ridge = std::array::from_fn(|a| place[0] * u[a] + place[1] * v[a]);
    let sign = if is_beyond { -1.0 } else { 1.0 };
    let across = std::array::from_fn(|a| sign * (best.axis[0] * u[a] + best.axis[1] * v[a]));
    Some(Fold { larger, smaller, normal, ridge, across, steepness })
}

/// How far chance alone makes the normals of a set of surfels fan out, in radians. Base cells have the edge `base`; neighbours may share
/// their noise, be `alike`.
pub(super) fn normal_error(surfels: &Surfels, set: &[u32], base: f64, alike: bool) -> f64 {
    let list = &surfels.list;
    let error = |&i: &u32| {
        let s = &list[i as usize];
        let surface = s.surface?;
        let width = 0.87 * base * (surface.level() as f64).exp2();
        let shared = if alike { f64::from(surface.thickness) / width } else { 0.0 };
        Some((f64::from(surface.error).max(shared), u64::from(s.weight)))
    };
    let errors: Vec<(f64, u64)> = set.iter().filter_map(error).collect();
    let cells: u32 = set.iter().map(|&i| list[i as usize].cells()).sum();
    // Neighbouring cells see the same points.
    let blocks = (f64::from(cells) / 9.0).max(1.0);
    weighted_quantile(errors, 0.5) / blocks.sqrt()
}

/// The mean tilt of a side along an axis.
fn mean_tilt<'a>(side: impl Iterator<Item = &'a Tilted> + Clone, axis: [f64; 2]) -> f64 {
    let sum = side.clone().map(|t| t.weight * along(axis, t.tilt)).sum::<f64>();
    sum / side.map(|t| t.weight).sum::<f64>()
}

/// The step that explains more; the first of equals.
fn more(a: Step, b: Step) -> Step {
    if b.excess > a.excess { b } else { a }
}

/// The component of a place or tilt along an axis.
fn along([c, s]: [f64; 2], [u, v]: [f64; 2]) -> f64 {
    c * u + s * v
}

/// The places and tilts of surfels along a plane with this normal.
fn tilted(surfels: &Surfels, set: &[u32], normal: Vec3) -> Vec<Tilted> {
    let (u, v) = axes(normal);
    let tilted = |&i: &u32| {
        let s = &surfels.list[i as usize];
        let surface = s.surface?.normal();
        let sign = dot(surface, normal).signum();
        let place = [u, v].map(|axis| dot(s.centroid, axis));
        let tilt = [u, v].map(|axis| sign * dot(surface, axis));
        Some(Tilted { surfel: i, weight: f64::from(s.weight), place, tilt })
    };
    set.iter().filter_map(tilted).collect()
}

/// The step along an axis that explains most of the variance of the tilts.
fn step(all: &[Tilted], axis: [f64; 2]) -> Option<Step> {
    let places = all.iter().map(|t| along(axis, t.place));
    let (low, high) = places.fold((f64::MAX, f64::MIN), |(low, high), p| (low.min(p), high.max(p)));
    let part = (high - low) / PARTS as f64;
    if part <= 0.0 {
        return None;
    }
    // The sums of each part: weights, places, tilts, and their products.
    let mut parts = [[0.0; 5]; PARTS];
    for t in all {
        let (place, tilt) = (along(axis, t.place) - low, along(axis, t.tilt));
        let sums = &mut parts[((place / part) as usize).min(PARTS - 1)];
        let terms = [1.0, place, tilt, place * place, place * tilt];
        sums.iter_mut().zip(terms).for_each(|(sum, term)| *sum += t.weight * term);
    }
    let mut all = [0.0; 5];
    parts.iter().for_each(|sums| (0..5).for_each(|i| all[i] += sums[i]));
    let [weight, place, tilt, squares, products] = all;
    let (place, tilt) = (place / weight, tilt / weight);
    let covariance = products / weight - place * tilt;
    let steady = covariance * covariance / (squares / weight - place * place);
    let mut best = Step { excess: f64::MIN, axis, at: low };
    let [mut before, mut sum] = [0.0; 2];
    for (i, sums) in parts.iter().enumerate().take(PARTS - 1) {
        before += sums[0];
        sum += sums[2] - sums[0] * tilt;
        let excess = sum * sum / (before * (weight - before)) - steady;
        if excess > best.excess {
            best = Step { excess, axis, at: low + (i + 1) as f64 * part };
        }
    }
    Some(best).filter(|best| best.excess > f64::MIN)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::surface::flat::Surface;
    use crate::surface::surfels::Surfel;

    /// The surfels of a square of 30 × 30, and which of them lie beyond a ridge or a valley that is turned by 10 degrees.
    fn square() -> impl Iterator<Item = ([f64; 2], f64)> {
        let (sin, cos) = 10f64.to_radians().sin_cos();
        let place = |i: u32| [f64::from(i % 30) - 14.5, f64::from(i / 30) - 14.5];
        (0..900).map(place).map(move |[x, y]| ([x, y], cos * x + sin * y))
    }

    /// A number of about Gaussian distribution, with a standard deviation of 1.
    fn chance(i: u32) -> f64 {
        let unit = |k: u32| f64::from((12 * i + k).wrapping_mul(2_654_435_769) >> 8) / 16_777_216.0;
        (0..12).map(unit).sum::<f64>() - 6.0
    }

    /// The fold of the square if its normals tilt as given across the ridge; every third one looks down, and surfels
    /// beyond the middle have more points.
    fn fold_of(tilt: impl Fn(u32, f64) -> f64) -> Option<Fold> {
        let (surfels, set) = tilted_square(tilt);
        fold(&surfels, &set, UP, 0.002)
    }

    const UP: Vec3 = [0.0, 0.0, 1.0];

    /// The surfels of that square.
    fn tilted_square(tilt: impl Fn(u32, f64) -> f64) -> (Surfels, Vec<u32>) {
        let (sin, cos) = 10f64.to_radians().sin_cos();
        let surfel = |(i, ([x, y], across)): (u32, ([f64; 2], f64))| {
            let ((sine, cosine), sign) =
                (tilt(i, across).sin_cos(), if i % 3 == 0 { -1.0 } else { 1.0 });
            let normal = [sine * cos, sine * sin, cosine].map(|v| sign * v);
            Surfel {
                centroid: [x, y, 0.0],
                scatter: [0.0; 6],
                weight: if across > 0.0 { 9 } else { 4 },
                surface: Some(Surface::new(normal, 0.01, 1.0, 0)),
                scale: 1.0,
                places: [0, 1],
            }
        };
        let surfels = Surfels::of((0..).zip(square()).map(surfel).collect(), 900);
        (surfels, (0..900).collect())
    }

    #[test]
    fn a_fold_divides_other_surfels_at_the_same_ridge() {
        let tilt = |i, x| if x > 3.0 { 0.06 } else { -0.06 } + 0.01 * chance(i);
        let (surfels, set) = tilted_square(tilt);
        let fold = fold(&surfels, &set, UP, 0.002).unwrap();
        let (larger, smaller) = (fold.larger.clone(), fold.smaller.clone());
        // One in four on either side; none lies on the ridge.
        let few = |side: &[u32]| side.iter().copied().step_by(4).collect::<Vec<u32>>();
        let mut own = [few(&larger), few(&smaller)].concat();
        own.sort_unstable();
        let of_few = fold.of(&surfels, &own);
        assert_eq!([&of_few.larger, &of_few.smaller], [&few(&larger), &few(&smaller)]);
        // The sides keep their names if the smaller one now holds more.
        let mut own = [few(&few(&larger)), smaller.clone()].concat();
        own.sort_unstable();
        let of_other = of_few.of(&surfels, &own);
        assert!(of_other.larger.len() < of_other.smaller.len());
        assert_eq!([&of_other.larger, &of_other.smaller], [&few(&few(&larger)), &smaller]);
    }

    #[test]
    fn the_sides_of_a_fold_meet_at_the_ridge() {
        // Of the last, the side with fewer surfels has more points.
        for (ridge, is_beyond_larger) in [(-10.0, true), (9.0, false), (3.0, true)] {
            let tilt = |i, x| if x > ridge { 0.06 } else { -0.06 } + 0.01 * chance(i);
            let fold = fold_of(tilt).unwrap();
            let (beyond, before): (Vec<u32>, Vec<u32>) = (0..).zip(square()).fold(
                Default::default(),
                |(mut beyond, mut before), (i, (_, across))| {
                    if across > ridge {
                        beyond.push(i)
                    } else {
                        before.push(i)
                    }
                    (beyond, before)
                },
            );
            let sides = if is_beyond_larger { [beyond, before] } else { [before, beyond] };
            let misplaced = [(&fold.larger, &sides[0]), (&fold.smaller, &sides[1])]
                .map(|(found, side)| found.iter().filter(|i| !side.contains(i)).count());
            assert!(misplaced.iter().sum::<usize>() <= 30, "{ridge}: {misplaced:?}");
            let (sin, cos) = 10f64.to_radians().sin_cos();
            let across = dot(fold.ridge, [cos, sin, 0.0]);
            assert!((across - ridge).abs() <= 1.0, "{across} {ridge}");
        }
    }

    #[test]
    fn faces_meet_at_the_ridge_and_floors_beside_a_step_do_not() {
        let [ridge, across] = [[3.0, 0.0, 0.0], [1.0, 0.0, 0.0]];
        let (larger, smaller, normal) = (Vec::new(), Vec::new(), UP);
        let fold = Fold { larger, smaller, normal, ridge, across, steepness: 1.0 };
        let (up, middle) = (UP, [13.0, 5.0, 0.0]);
        // The other side rises by this slope from so high above the ridge.
        let meets = |slope: f64, above: f64, tolerance| {
            let normal = normalized([-slope, 0.0, 1.0]);
            let other = (normal, dot(normal, [3.0, 0.0, above]));
            fold.meets([(up, 0.0), other], (middle, tolerance))
        };
        assert!(meets(0.02, 0.0, 0.1) && meets(0.02, 0.1, 0.1) && meets(-0.02, 0.0, 0.1));
        // A step, parallel floors, and sides that are as good as one.
        assert!(!meets(0.02, 0.3, 0.1) && !meets(0.0, 0.3, 0.1) && !meets(0.02, 0.0, 0.3));
        // A wall that is bent by drift.
        assert!(!meets(0.015, 0.0, 0.01));
    }

    #[test]
    fn a_ridge_is_sharp_and_the_crest_of_a_wave_is_not() {
        let is_sharp = |base: f64, tilt: &dyn Fn(f64) -> f64| {
            let (surfels, set) = tilted_square(|i, x| tilt(x) + 0.01 * chance(i));
            let fold = fold(&surfels, &set, UP, 0.002).unwrap();
            fold.is_sharp(&surfels, base)
        };
        assert!(is_sharp(1.0, &|x| if x > 0.0 { 0.06 } else { -0.06 }));
        // From the foot of one flank to the foot of the next.
        let wave = |x: f64| 0.06 * (x / 15.5 * std::f64::consts::PI).sin();
        assert!(!is_sharp(1.0, &wave));
        // Of the smaller side there is a strip that is narrower than blocks, which see the ridge as a turn.
        let strip = |x: f64| 0.06 * ((x - 13.0) / 3.0).clamp(-1.0, 1.0);
        assert!(is_sharp(3.0, &strip) && !is_sharp(0.2, &strip));
    }

    #[test]
    fn what_lies_next_to_a_ridge_is_beyond_it_and_near() {
        let [ridge, across] = [[3.0, 0.0, 0.0], [1.0, 0.0, 0.0]];
        let (larger, smaller, normal) = (Vec::new(), Vec::new(), UP);
        let fold = Fold { larger, smaller, normal, ridge, across, steepness: 0.1 };
        let is_next_to = |x| fold.is_next_to([x, 70.0, 5.0], 0.2);
        assert!([3.1, 7.9].into_iter().all(is_next_to) && ![2.9, 8.1].into_iter().any(is_next_to));
    }

    #[test]
    fn a_curve_is_no_fold_even_where_chance_nearly_hides_it() {
        for bend in [0.0, 0.001, 0.002, 0.01] {
            for seed in 0..40 {
                let chance = |i| 0.06 * chance(900 * seed + i);
                assert!(fold_of(|i, x| bend * x + chance(i)).is_none(), "{bend}, {seed}");
            }
        }
    }
}
