//! The faces of a plane that grew over ridges or steps.

use super::fold::{self, Fold};
use super::found::Support;
use super::grow::Grower;
use super::parts;
use super::support::{Failures, Field, GENTLE, leave_out};
use crate::Result as Done;
use crate::vector::Vec3;

/// A plane that had to be widened is divided at a ridge if the usual slab holds at least this share of its larger side.
const WHOLE_SIDE: f64 = 0.9;
/// Most folds over which a plane may have grown: a face of a hip roof meets three others.
const MOST_FOLDS: usize = 3;
/// The same of low ridges, as between the bays of a deck.
const MOST_RIDGES: usize = 8;
/// Beyond a low ridge lies at least one in so many of the points before it: less hardly bends a plane.
const SLIVER: u64 = 100;

/// The ridges at which a plane is divided.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Ridges {
    /// Those of a curved surface: it is no plane otherwise.
    Any,
    /// Those of a plane in a wide slab, where flat sides meet at an angle.
    Low,
}

impl Field<'_> {
    /// One face of what is curved because it grew over ridges, from its normal and its surfels.
    ///
    /// # Errors
    /// If the device fails.
    pub(super) fn face_of_curved(
        &self,
        grower: &mut Grower,
        whole: (Vec3, &[u32]),
        free: &[bool],
    ) -> Done<Option<Support>> {
        self.face(grower, whole, free, Ridges::Any)
    }

    /// One face of a plane that is bent or in a wide slab because it grew from a seed over low ridges.
    ///
    /// # Errors
    /// If the device fails.
    pub(super) fn face_between_ridges(
        &self,
        grower: &mut Grower,
        (whole, seed): (&Support, Vec<u32>),
        free: &[bool],
    ) -> Done<Option<Support>> {
        let Ok(narrow) = self.settle(grower, seed, self.limits.tolerance, free) else {
            return Ok(None);
        };
        match self.near_face(grower, narrow, free) {
            Some(face) => Ok(Some(face)),
            // Parts of a piece of a hill are other pieces. A road through the hills goes on as well, but has sides in the usual slab.
            None if self.limits.landscape && self.goes_on(grower, whole) => Ok(None),
            None => self.face(grower, (whole.normal, &whole.surfels), free, Ridges::Low),
        }
    }

    /// One face of a plane that grew over ridges, from its normal and its surfels: at each, the larger side is kept, and of that
    /// what hangs together. Before low ridges are looked for, the largest part between steps is.
    fn face(
        &self,
        grower: &mut Grower,
        (mut normal, set): (Vec3, &[u32]),
        free: &[bool],
        ridges: Ridges,
    ) -> Done<Option<Support>> {
        let is_low = ridges == Ridges::Low;
        let (mut set, mut left) = (set.to_vec(), None);
        let scale = (self.noise(), self.limits.cell);
        let steps = |plane| parts::between_steps(self.surfels, &set, plane, scale);
        let whole = self.surfels.fit(&set).filter(|_| is_low);
        if let Some([largest, others]) = whole.and_then(steps) {
            leave_out(&others, &mut left, free);
            set = largest;
        }
        for _ in 0..if is_low { MOST_RIDGES } else { MOST_FOLDS } {
            let error = self.normal_error(&set);
            let Some(fold) = fold::fold(self.surfels, &set, normal, error) else { break };
            if is_low && self.is_sliver(&fold) {
                break;
            }
            // Sides that hold several faces themselves need not meet, unless all turn one way, as on a column.
            let meets = !is_low || self.meet([&fold.larger, &fold.smaller], &fold, normal);
            if !meets && self.turns(normal, &set)[0].fan > GENTLE {
                break;
            }
            let left = leave_out(&fold.smaller, &mut left, free);
            let (side, start) = (self.weight(&fold.larger), (normal, fold.larger));
            (normal, set) = match self.in_slabs(grower, start, &mut Failures::default(), left)? {
                Ok(face) if !is_low => return Ok(Some(face.plane)),
                Ok(face) if !face.is_bent && self.is_whole_side(&face.plane, side) => {
                    return Ok(meets.then_some(face.plane));
                }
                Ok(bent) => (bent.plane.normal, bent.plane.surfels),
                Err(failed) => (failed.normal, failed.spent),
            };
        }
        Ok(None)
    }

    /// One face of a plane that grew over ridges in the usual slab, which holds only a strip of what lies beyond each: the
    /// larger side is kept, and grows again. In a wide slab, parts of several faces would mix.
    fn near_face(&self, grower: &mut Grower, mut plane: Support, free: &[bool]) -> Option<Support> {
        let usual = self.limits.tolerance;
        let (mut left, mut is_face) = (None, false);
        for _ in 0..MOST_RIDGES {
            let Support { normal, surfels: set, .. } = &plane;
            let fold = fold::fold(self.surfels, set, *normal, self.normal_error(set))?;
            if self.is_sliver(&fold) || !fold.is_sharp(self.surfels, *normal, self.limits.cell) {
                return None;
            }
            let beyond = self.next_to(grower, &fold, left.as_deref().unwrap_or(free));
            let meets = self.meet([&fold.larger, &beyond], &fold, *normal);
            if !meets && self.turns(*normal, set)[0].fan > GENTLE {
                return None;
            }
            // What else is left out is what the larger side absorbed beyond its other ends.
            is_face |= meets;
            let side = self.weight(&fold.larger);
            let left = leave_out(&fold.smaller, &mut left, free);
            plane = self.settle(grower, fold.larger, usual, left).ok()?;
            let bend = self.bend(grower, &plane);
            let is_flat = bend.depth <= self.most_bent(&plane) * usual && !bend.is_round();
            if is_flat && self.is_whole_side(&plane, side) {
                return is_face.then_some(plane);
            }
        }
        None
    }

    /// Whether the smaller side of a fold is so small that it hardly bends the plane.
    fn is_sliver(&self, fold: &Fold) -> bool {
        self.weight(&fold.smaller) * SLIVER < self.weight(&fold.larger)
    }

    /// Whether the planes of the sides of a fold meet there at an angle.
    fn meet(&self, [larger, smaller]: [&[u32]; 2], fold: &Fold, normal: Vec3) -> bool {
        let tolerance = self.limits.tolerance * self.scale(larger, 0.9);
        let sides = self.surfels.fit(larger).zip(self.surfels.fit(smaller));
        sides.is_some_and(|sides| {
            fold.meets(normal, sides.into(), (self.middle(smaller), tolerance))
        })
    }

    /// What lies next to a fold, beyond its larger side and in the widest slab of that.
    fn next_to(&self, grower: &mut Grower, fold: &Fold, free: &[bool]) -> Vec<u32> {
        let Some(plane) = self.surfels.fit(&fold.larger) else { return Vec::new() };
        let usual = self.limits.tolerance;
        let widest = self.limits.slabs.last().map_or(usual, |times| times * usual);
        let both = [&fold.larger[..], &fold.smaller].concat();
        let mut beyond = grower.grow(&both, plane, widest, &self.limits, free).members;
        let tolerance = usual * self.scale(&fold.larger, 0.9);
        beyond.retain(|&i| fold.is_next_to(self.surfel(i).centroid, tolerance));
        beyond
    }

    /// Whether a plane in the usual slab holds nearly all of one side of a fold, which has so many distinct points.
    fn is_whole_side(&self, plane: &Support, side: u64) -> bool {
        let held = self.weight(&plane.surfels) as f64;
        !self.is_widened(plane) && held >= WHOLE_SIDE * side as f64
    }
}
