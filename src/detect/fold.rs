//! Folds: a plane that grew over the ridge between two faces.
//!
//! Where two faces meet at a small angle, the slab of one holds a part of the other, and the normals of both lie along
//! it. The plane through both is then curved: its normals turn across the ridge. On a curved surface they turn
//! everywhere; at a fold they step, and are the same on either side.

use crate::surface::surfels::Surfels;
use crate::vector::{Vec3, dot, minus, normalized};

/// A step explains at least this many times as much of how the normals turn as a steady turn does. Of a piece of a
/// cylinder it explains three quarters as much; of two equal faces four thirds, of unequal ones more.
const CLEARER: f64 = 1.0;

/// The two sides of a fold, each with its surfels.
pub(super) struct Fold {
    /// The larger one.
    pub larger: Vec<u32>,
    /// The other.
    pub smaller: Vec<u32>,
}

/// A surfel of a set.
struct Tilted {
    surfel: u32,
    weight: f64,
    /// Its place along an axis.
    place: f64,
    /// How far its normal tilts along the axis.
    tilt: f64,
    /// Its normal, on the side of the plane's.
    normal: Vec3,
}

/// The fold across a set of surfels along a plane, if their normals show a fold rather than a curve. Along `axis`, a direction in
/// the plane, they turn most.
pub(super) fn fold(surfels: &Surfels, set: &[u32], (normal, axis): (Vec3, Vec3)) -> Option<Fold> {
    let mut sides = sorted(surfels, set, (normal, axis));
    let at = step(&sides)?;
    // The ridge is perpendicular to the difference of the normals.
    let [first, second] = [&sides[..at], &sides[at..]].map(mean_normal);
    let apart = minus(second, first);
    let along = dot(apart, normal);
    let across = normalized([0, 1, 2].map(|a| apart[a] - along * normal[a]));
    sides = sorted(surfels, set, (normal, across));
    let at = step(&sides)?;
    let weight = |side: &[Tilted]| side.iter().map(|t| t.weight).sum::<f64>();
    let [first, second] = [&sides[..at], &sides[at..]];
    let sides = if weight(first) >= weight(second) { [first, second] } else { [second, first] };
    let [larger, smaller] = sides.map(|side| {
        let mut members: Vec<u32> = side.iter().map(|t| t.surfel).collect();
        members.sort_unstable();
        members
    });
    Some(Fold { larger, smaller })
}

/// The surfels of a set that have a surface, in the order of their places along an axis.
fn sorted(surfels: &Surfels, set: &[u32], (normal, axis): (Vec3, Vec3)) -> Vec<Tilted> {
    let tilted = |&i: &u32| {
        let s = &surfels.list[i as usize];
        let surface = s.surface?.normal();
        let sign = dot(surface, normal).signum();
        Some(Tilted {
            surfel: i,
            weight: f64::from(s.weight),
            place: dot(s.centroid, axis),
            tilt: sign * dot(surface, axis),
            normal: surface.map(|v| sign * v),
        })
    };
    let mut all: Vec<Tilted> = set.iter().filter_map(tilted).collect();
    all.sort_by(|a, b| a.place.total_cmp(&b.place).then(a.surfel.cmp(&b.surfel)));
    all
}

/// The number of surfels before the step of the tilts that explains most of their variance, if it explains enough.
fn step(all: &[Tilted]) -> Option<usize> {
    let weight: f64 = all.iter().map(|t| t.weight).sum();
    let mean =
        |of: &dyn Fn(&Tilted) -> f64| all.iter().map(|t| t.weight * of(t)).sum::<f64>() / weight;
    let (place, tilt) = (mean(&|t| t.place), mean(&|t| t.tilt));
    let places = mean(&|t| (t.place - place) * (t.place - place));
    let both = mean(&|t| (t.place - place) * (t.tilt - tilt));
    let steady = both * both / places;
    let (mut most, mut before, mut sum) = ((0.0, 0), 0.0, 0.0);
    for (i, t) in all.iter().enumerate().take(all.len().saturating_sub(1)) {
        before += t.weight;
        sum += t.weight * (t.tilt - tilt);
        let explained = sum * sum / (before * (weight - before));
        if explained > most.0 {
            most = (explained, i + 1);
        }
    }
    (most.0 > CLEARER * steady).then_some(most.1)
}

/// The mean normal of some surfels, not of unit length.
fn mean_normal(side: &[Tilted]) -> Vec3 {
    let weight: f64 = side.iter().map(|t| t.weight).sum();
    [0, 1, 2].map(|a| side.iter().map(|t| t.weight * t.normal[a]).sum::<f64>() / weight)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::surface::flat::Surface;
    use crate::surface::surfels::Surfel;

    /// The fold of 30 × 30 surfels whose normals tilt along x as given, with the ridge turned by 10 degrees against the
    /// axis that is given to start from.
    fn fold_of(tilt: impl Fn(f64) -> f64) -> (Vec<[f64; 2]>, Option<Fold>) {
        let (sin, cos) = 10f64.to_radians().sin_cos();
        let places: Vec<[f64; 2]> =
            (0..900).map(|i| [f64::from(i % 30) - 14.5, f64::from(i / 30) - 14.5]).collect();
        let surfel = |&[x, y]: &[f64; 2]| {
            let (sine, cosine) = tilt(cos * x + sin * y).sin_cos();
            let surface = Some(Surface::new([sine * cos, sine * sin, cosine], 0.01, 1.0, 0));
            let centroid = [x, y, 0.0];
            Surfel { centroid, scatter: [0.0; 6], weight: 4, surface, scale: 1.0, places: [0, 1] }
        };
        let surfels = Surfels::of(places.iter().map(surfel).collect(), 900);
        let set: Vec<u32> = (0..900).collect();
        let fold = fold(&surfels, &set, ([0.0, 0.0, 1.0], [1.0, 0.0, 0.0]));
        (places, fold)
    }

    #[test]
    fn the_sides_of_a_fold_meet_at_the_ridge() {
        for ridge in [-10.0, 0.2, 6.0] {
            let (places, fold) = fold_of(|x| if x > ridge { 0.06 } else { -0.06 });
            let fold = fold.unwrap();
            let (sin, cos) = 10f64.to_radians().sin_cos();
            let is_beyond = |i: &u32| {
                let [x, y] = places[*i as usize];
                cos * x + sin * y > ridge
            };
            let (beyond, before): (Vec<u32>, Vec<u32>) = (0..900).partition(is_beyond);
            let [larger, smaller] =
                if beyond.len() > before.len() { [beyond, before] } else { [before, beyond] };
            assert_eq!((fold.larger, fold.smaller), (larger, smaller));
        }
    }

    #[test]
    fn a_curve_is_no_fold() {
        assert!(fold_of(|x| 0.01 * x).1.is_none());
        assert!(fold_of(|x| 0.01 * x + 0.02 * (7.0 * x).sin()).1.is_none());
        assert!(fold_of(|_| 0.0).1.is_none());
    }
}
