//! Where planes end: at an edge, or where their surface goes on.
//!
//! A wall ends at a corner, a step or a gap. A piece of terrain ends where the ground leaves its slab, and such
//! a piece is arbitrary: a little noise, and the ground falls into other pieces.

use super::found::FoundPlane;
use super::lattice::Lattice;
use crate::surface::blocks::Finder;
use crate::surface::cells::Cells;
use crate::surface::plane::LocalPlane;
use crate::surface::surfels::{Surfel, Surfels};
use crate::vector::{Vec3, dot, minus};
use rayon::prelude::*;
use rustc_hash::{FxHashMap, FxHashSet};

/// A plane is an arbitrary piece of a surface that goes on beyond more than this share of its outline, …
const OPEN: f64 = 0.5;
/// … if what lies beyond is larger than the plane by this factor.
const LARGER: u64 = 1;
/// The surface beyond the outline is tilted against the plane by at most this angle, in radians, …
const TILT: f64 = 20.0 * std::f64::consts::PI / 180.0;
/// … and rises or falls there by at most this many tolerances: else there is a step.
const STEP: f64 = 1.0;
/// Farther on it turns from surfel to surfel by at most this angle, in radians.
const TURN: f64 = 10.0 * std::f64::consts::PI / 180.0;

/// For each plane, whether it is an arbitrary piece of a larger surface.
pub(super) fn arbitrary(
    (cells, surfels): (&Cells, &Surfels),
    found: &[FoundPlane],
    local: &[LocalPlane],
) -> Vec<bool> {
    let is_arbitrary = |(found, &plane): (&FoundPlane, &LocalPlane)| {
        Piece { cells, surfels, own: &found.support.surfels, plane }.is_arbitrary()
    };
    found.par_iter().zip(local).map(is_arbitrary).collect()
}

/// A plane among the surfels.
struct Piece<'a> {
    cells: &'a Cells,
    surfels: &'a Surfels,
    /// The surfels of the plane, ascending.
    own: &'a [u32],
    plane: LocalPlane,
}

/// The distances of the surfels over places of a lattice: their weights, and the weighted sums.
type Heights = FxHashMap<(i64, i64), [f64; 2]>;

/// What a walk over the surfels has looked into.
struct Looked<'a> {
    /// The cells whose surroundings were seen, with their levels.
    cells: FxHashSet<(usize, u32)>,
    finders: Vec<Finder<'a>>,
}

impl<'a> Looked<'a> {
    fn new(cells: &'a Cells) -> Looked<'a> {
        Looked { cells: FxHashSet::default(), finders: cells.finders() }
    }
}

impl<'a> Piece<'a> {
    fn is_arbitrary(&self) -> bool {
        let beyond = self.beyond();
        !beyond.is_empty() && self.open(&beyond) > OPEN && self.goes_on(beyond)
    }

    fn surfel(&self, i: u32) -> &Surfel {
        &self.surfels.list[i as usize]
    }

    fn distance(&self, i: u32) -> f64 {
        dot(self.surfel(i).centroid, self.plane.normal) - self.plane.rho
    }

    fn is_own(&self, i: u32) -> bool {
        self.own.binary_search(&i).is_ok()
    }

    /// Calls `visit` with the surfels of other planes, or of none, around a surfel.
    fn look_around(&self, i: u32, looked: &mut Looked<'a>, mut visit: impl FnMut(u32)) {
        let Some(surface) = self.surfel(i).surface else { return };
        let level = surface.level();
        for home in self.surfels.homes(self.cells, i, level) {
            if looked.cells.insert((level, home)) {
                let around = self.surfels.around(&mut looked.finders, level, home);
                around.filter(|&j| !self.is_own(j)).for_each(&mut visit);
            }
        }
    }

    /// The surfels next to the plane that may go on with its surface, ascending.
    fn beyond(&self) -> Vec<u32> {
        let (mut looked, mut beyond) = (Looked::new(self.cells), Vec::new());
        // What touches the slab from outside has its middle farther away.
        let reach = (1.0 + 2.0 * STEP) * self.plane.tolerance;
        let may_go_on = |j: u32| {
            let along = |normal: Vec3| dot(normal, self.plane.normal).abs() >= TILT.cos();
            self.surfel(j).surface.is_some_and(|s| along(s.normal()))
                && self.distance(j).abs() <= reach
        };
        for &i in self.own {
            self.look_around(i, &mut looked, |j| beyond.extend(may_go_on(j).then_some(j)));
        }
        beyond.sort_unstable();
        beyond.dedup();
        beyond
    }

    /// The share of the plane's outline beyond which its surface goes on without a step.
    fn open(&self, beyond: &[u32]) -> f64 {
        let lattice =
            Lattice::new(&self.surfels.list, self.own, self.plane.normal, self.cells.base().size);
        let [inside, outside] = [self.own, beyond].map(|set| self.heights(&lattice, set));
        let (mut edges, mut open) = (0u32, 0u32);
        for (&(u, v), [weight, sum]) in &inside {
            for next in [(u + 1, v), (u - 1, v), (u, v + 1), (u, v - 1)] {
                if inside.contains_key(&next) {
                    continue;
                }
                edges += 1;
                if let Some([other_weight, other]) = outside.get(&next) {
                    let step = (sum / weight - other / other_weight).abs();
                    open += u32::from(step <= STEP * self.plane.tolerance);
                }
            }
        }
        f64::from(open) / f64::from(edges.max(1))
    }

    /// How far surfels lie above the plane, over the places of a lattice.
    fn heights(&self, lattice: &Lattice, set: &[u32]) -> Heights {
        let mut heights = Heights::with_capacity_and_hasher(set.len(), Default::default());
        for &i in set {
            let (surfel, distance) = (self.surfel(i), self.distance(i));
            let weight = f64::from(surfel.weight);
            for place in lattice.covered(surfel) {
                let [all, sum] = heights.entry(place).or_default();
                (*all, *sum) = (*all + weight, *sum + weight * distance);
            }
        }
        heights
    }

    /// Whether more of the surface lies beyond the outline than within; `next` are the first surfels beyond.
    fn goes_on(&self, mut next: Vec<u32>) -> bool {
        let weight = |i: u32| u64::from(self.surfel(i).weight);
        let most = LARGER * self.own.iter().map(|&i| weight(i)).sum::<u64>();
        let mut looked = Looked::new(self.cells);
        let mut met: FxHashSet<u32> = next.iter().copied().collect();
        let (mut at, mut larger) = (0, 0);
        while let Some(&i) = next.get(at) {
            at += 1;
            larger += weight(i);
            if larger > most {
                return true;
            }
            self.look_around(i, &mut looked, |j| {
                if !met.contains(&j) && self.is_smooth(i, j) {
                    met.insert(j);
                    next.push(j);
                }
            });
        }
        false
    }

    /// Whether the surface goes on from one surfel to another without a step or a crease.
    fn is_smooth(&self, i: u32, j: u32) -> bool {
        let (a, b) = (self.surfel(i), self.surfel(j));
        let (Some(of_a), Some(of_b)) = (a.surface, b.surface) else { return false };
        let apart = minus(b.centroid, a.centroid);
        let normals = [of_a.normal(), of_b.normal()];
        let [above, below] = normals.map(|normal| dot(apart, normal).abs());
        dot(normals[0], normals[1]).abs() >= TURN.cos()
            && above.min(below) <= STEP * self.plane.tolerance
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::surfels;
    use super::*;
    use crate::frame::Points;

    const PLANE: LocalPlane = LocalPlane { normal: [0.0, 0.0, 1.0], rho: 15.0, tolerance: 60.0 };
    const SIDE: i32 = 200;

    /// Whether the plane through the origin is an arbitrary piece of a surface with the given heights, if it
    /// has all surfels within its slab whose middle `is_own`.
    fn judged(height: impl Fn(f64, f64) -> f64, is_own: impl Fn([f64; 2]) -> bool) -> bool {
        let point = |i: i32| {
            let [x, y] = [i % SIDE, i / SIDE].map(|v| f64::from(100 * (v - SIDE / 2)));
            [x, y, height(x, y) + f64::from(i * 7919 % 31)].map(|v| v as f32)
        };
        let points: Points = (0..SIDE * SIDE).map(point).collect();
        let (cloud, surfels) = surfels(&points, 10.0);
        let is_in = |&i: &u32| {
            let [x, y, z] = surfels.list[i as usize].centroid;
            (z - PLANE.rho).abs() <= PLANE.tolerance && is_own([x, y])
        };
        let own: Vec<u32> = (0..surfels.list.len() as u32).filter(is_in).collect();
        let piece = Piece { cells: &cloud.cells, surfels: &surfels, own: &own, plane: PLANE };
        piece.is_arbitrary()
    }

    #[test]
    fn a_piece_of_rolling_ground_is_arbitrary_and_a_terrace_is_not() {
        let hill = |x: f64, y: f64| -(x * x + y * y) / 4e5;
        assert!(judged(hill, |_| true));
        // The same piece where the ground drops by more than the tolerance.
        let terrace = |x: f64, y: f64| if x.hypot(y) < 4000.0 { 0.0 } else { -200.0 };
        assert!(!judged(terrace, |_| true));
        // A roof has creases on two sides and edges on the other two.
        assert!(!judged(|x, _| -(x.abs() - 3000.0).max(0.0), |_| true));
    }

    #[test]
    fn most_of_a_surface_is_no_arbitrary_piece_of_it() {
        let bowl = |x: f64, y: f64| (x.hypot(y) - 8000.0).max(0.0) / 40.0;
        assert!(!judged(bowl, |_| true));
        assert!(judged(|_, _| 0.0, |[x, y]| x.hypot(y) < 5000.0));
        assert!(!judged(|_, _| 0.0, |[x, _]| x < 0.0));
    }
}
