//! A plane among the surfels, and the surface that goes on around it.

use crate::surface::blocks::Finder;
use crate::surface::cells::Cells;
use crate::surface::plane::LocalPlane;
use crate::surface::surfels::{Surfel, Surfels};
use crate::vector::{dot, minus};
use rustc_hash::FxHashSet;
use std::ops::ControlFlow;

/// Where a surface goes on, it rises or falls by at most this many tolerances of the plane: else there is a step.
pub(super) const STEP: f64 = 1.0;
/// From surfel to surfel it turns by at most this angle, in radians.
const TURN: f64 = 10.0 * std::f64::consts::PI / 180.0;

/// A plane among the surfels.
pub(super) struct Piece<'a> {
    /// The cells of the cloud.
    pub cells: &'a Cells,
    /// The pieces of surface in them.
    pub surfels: &'a Surfels,
    /// The surfels of the plane, ascending.
    pub own: &'a [u32],
    /// Where it lies.
    pub plane: LocalPlane,
}

/// What a walk over the surfels has looked into.
pub(super) struct Looked<'a> {
    /// The cells whose surroundings were seen, with their levels.
    cells: FxHashSet<(usize, u32)>,
    finders: Vec<Finder<'a>>,
}

impl<'a> Looked<'a> {
    pub fn new(cells: &'a Cells) -> Looked<'a> {
        Looked { cells: FxHashSet::default(), finders: cells.finders() }
    }

    /// Forgets what was looked into.
    pub fn forget(&mut self) {
        self.cells.clear();
    }
}

impl<'a> Piece<'a> {
    /// A surfel.
    pub fn surfel(&self, i: u32) -> &Surfel {
        &self.surfels.list[i as usize]
    }

    /// How far a surfel lies above the plane.
    pub fn distance(&self, i: u32) -> f64 {
        dot(self.surfel(i).centroid, self.plane.normal) - self.plane.rho
    }

    /// Whether a surfel belongs to the plane.
    pub fn is_own(&self, i: u32) -> bool {
        self.own.binary_search(&i).is_ok()
    }

    /// Calls `visit` with the surfels of other planes, or of none, around a surfel.
    pub fn look_around(&self, i: u32, looked: &mut Looked<'a>, mut visit: impl FnMut(u32)) {
        let Some(surface) = self.surfel(i).surface else { return };
        let level = surface.level();
        for home in self.surfels.homes(self.cells, i, level) {
            if looked.cells.insert((level, home)) {
                let around = self.surfels.around(&mut looked.finders, level, home);
                around.filter(|&j| !self.is_own(j)).for_each(&mut visit);
            }
        }
    }

    /// The share of the points of these surfels of the plane that have a surfel of another plane, or of none, around them for which
    /// `is_wanted` holds; it is called with a surfel of the plane and one around it.
    pub fn share_beside(
        &self,
        surfels: impl Iterator<Item = u32>,
        mut is_wanted: impl FnMut(u32, u32) -> bool,
    ) -> f64 {
        let mut looked = Looked::new(self.cells);
        let (mut all, mut beside) = (0, 0);
        for i in surfels {
            let (mut is_beside, weight) = (false, u64::from(self.surfel(i).weight));
            looked.forget();
            self.look_around(i, &mut looked, |j| is_beside = is_beside || is_wanted(i, j));
            all += weight;
            beside += if is_beside { weight } else { 0 };
        }
        beside as f64 / all.max(1) as f64
    }

    /// Walks on over the surface from the surfels `next`, ring by ring outwards, until one on the way breaks with an answer; `false`
    /// at its end.
    pub fn walk(&self, mut next: Vec<u32>, mut pass: impl FnMut(u32) -> ControlFlow<bool>) -> bool {
        let mut looked = Looked::new(self.cells);
        let mut met: FxHashSet<u32> = next.iter().copied().collect();
        let mut at = 0;
        while let Some(&i) = next.get(at) {
            at += 1;
            if let ControlFlow::Break(answer) = pass(i) {
                return answer;
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
    pub fn is_smooth(&self, i: u32, j: u32) -> bool {
        let (a, b) = (self.surfel(i), self.surfel(j));
        let (Some(of_a), Some(of_b)) = (a.surface, b.surface) else { return false };
        let apart = minus(b.centroid, a.centroid);
        let normals = [of_a.normal(), of_b.normal()];
        let [above, below] = normals.map(|normal| dot(apart, normal).abs());
        dot(normals[0], normals[1]).abs() >= TURN.cos()
            && above.min(below) <= STEP * self.plane.tolerance
    }
}
