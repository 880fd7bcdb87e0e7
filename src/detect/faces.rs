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
/// It is also divided there if the larger side deviates from its plane by at most this share of what the whole does: a crowned road may
/// also bend lengthwise.
const STRAIGHTER: f64 = 0.75;
/// Most folds over which a plane may have grown: a face of a hip roof meets three others.
const MOST_FOLDS: usize = 3;
/// The same of low ridges in a wide slab …
const MOST_RIDGES: usize = 8;
/// … and in the usual one: a saw-tooth roof has two for each tooth.
const MOST_NEAR_RIDGES: usize = 64;
/// Beyond a low ridge lies at least one in so many of the points before it: less hardly bends a plane.
const SLIVER: u64 = 100;

impl Field<'_> {
    /// One face of what is curved because it grew over ridges, from its normal and its surfels: at each, the larger side is kept.
    ///
    /// # Errors
    /// If the device fails.
    pub(super) fn face_of_curved(
        &self,
        grower: &mut Grower,
        (mut normal, set): (Vec3, &[u32]),
        free: &[bool],
    ) -> Done<Option<Support>> {
        let (mut set, mut left) = (set.to_vec(), None);
        for _ in 0..MOST_FOLDS {
            let Some(fold) = fold::fold(self.surfels, &set, normal, self.normal_error(&set)) else {
                break;
            };
            let left = leave_out(&fold.smaller, &mut left, free);
            let start = (normal, fold.larger);
            match self.in_slabs(grower, start, &mut Failures::default(), left)? {
                Ok(face) => return Ok(Some(face.plane)),
                Err(failed) => (normal, set) = (failed.normal, failed.spent),
            }
        }
        Ok(None)
    }

    /// One face of a plane that is bent or in a wide slab because it grew over low ridges. `in_usual_slab` is the plane as it settled
    /// there, before it was widened or sharpened.
    ///
    /// # Errors
    /// If the device fails.
    pub(super) fn face_between_ridges(
        &self,
        grower: &mut Grower,
        (whole, in_usual_slab): (&Support, Support),
        free: &[bool],
    ) -> Done<Option<Support>> {
        match self.near_face(grower, in_usual_slab, free) {
            Some(face) => Ok(Some(face)),
            // Parts of a piece of a hill are other pieces. A road through the hills goes on as well, but has sides in the usual slab.
            None if self.limits.landscape && self.goes_on(grower, whole) => Ok(None),
            None => self.wide_face(grower, whole, free),
        }
    }

    /// One face of a plane that grew over low ridges in a wide slab: of the largest part between steps, the larger side is kept at
    /// each ridge, and of that what hangs together. It lies in the usual slab or is at least straighter than what it was divided from.
    fn wide_face(
        &self,
        grower: &mut Grower,
        whole: &Support,
        free: &[bool],
    ) -> Done<Option<Support>> {
        let (mut normal, mut set, mut left) = (whole.normal, whole.surfels.clone(), None);
        let scale = (self.noise(), self.limits.cell);
        let steps = |plane| parts::between_steps(self.surfels, &set, plane, scale);
        if let Some([largest, others]) = self.surfels.fit(&set).and_then(steps) {
            leave_out(&others, &mut left, free);
            set = largest;
        }
        let (mut straighter, mut depth) = (None, self.bend(grower, whole).depth);
        for _ in 0..MOST_RIDGES {
            let Some(fold) = fold::fold(self.surfels, &set, normal, self.normal_error(&set)) else {
                break;
            };
            if self.is_sliver(&fold) {
                break;
            }
            // Sides that hold several faces themselves need not meet, unless all turn one way, as on a column.
            let meets = self.meet([&fold.larger, &fold.smaller], &fold);
            if !meets && self.turns(normal, &set)[0].fan > GENTLE {
                break;
            }
            let is_ridge = meets && fold.is_sharp(self.surfels, self.limits.cell);
            let left = leave_out(&fold.smaller, &mut left, free);
            let (side, start) = (self.weight(&fold.larger), (normal, fold.larger));
            let face = match self.in_slabs(grower, start, &mut Failures::default(), left)? {
                Ok(face) => face,
                Err(failed) => {
                    (normal, set) = (failed.normal, failed.spent);
                    continue;
                }
            };
            let is_whole = self.is_most_of(&face.plane, side);
            if is_whole && !face.is_bent && !self.is_widened(&face.plane) {
                return Ok(if meets { Some(face.plane) } else { straighter });
            }
            if is_whole && is_ridge {
                let bend = self.bend(grower, &face.plane);
                if bend.depth <= STRAIGHTER * depth && !bend.is_round() {
                    (straighter, depth) = (Some(face.plane.clone()), bend.depth);
                }
            }
            (normal, set) = (face.plane.normal, face.plane.surfels);
        }
        Ok(straighter)
    }

    /// One face of a plane that grew over ridges in the usual slab, which holds only a strip of what lies beyond each: the
    /// larger side is kept, and grows again. In a wide slab, parts of several faces would mix.
    fn near_face(&self, grower: &mut Grower, mut plane: Support, free: &[bool]) -> Option<Support> {
        let (mut left, mut folds) = (None, Vec::new());
        let [mut is_face, mut is_of_several] = [false; 2];
        for _ in 0..MOST_NEAR_RIDGES {
            let Support { normal, surfels: set, .. } = &plane;
            let fold = fold::fold(self.surfels, set, *normal, self.normal_error(set))?;
            if self.is_sliver(&fold) || !fold.is_sharp(self.surfels, self.limits.cell) {
                return None;
            }
            let beyond = self.next_to(grower, &fold, left.as_deref().unwrap_or(free));
            let meets = self.meet([&fold.larger, &beyond], &fold);
            if !meets && self.turns(*normal, set)[0].fan > GENTLE {
                return None;
            }
            // What else is left out is what the larger side absorbed beyond its other ends.
            is_face |= meets;
            is_of_several |= !meets;
            let side = self.weight(&fold.larger);
            let remaining = leave_out(&fold.smaller, &mut left, free);
            let usual = self.limits.tolerance;
            plane = self.settle(grower, fold.larger.clone(), usual, remaining).ok()?;
            folds.push(fold);
            if self.is_flat_side(grower, &plane, side) {
                let trimmed = |face| self.trimmed(grower, face, (folds, left), free);
                return is_face.then(|| if is_of_several { trimmed(plane) } else { plane });
            }
        }
        None
    }

    /// A face without the strips of neighbouring faces beyond its ridges. While the plane still held several faces, each fold removed
    /// only a narrow strip.
    fn trimmed(
        &self,
        grower: &mut Grower,
        face: Support,
        (folds, mut left): (Vec<Fold>, Option<Vec<bool>>),
        free: &[bool],
    ) -> Support {
        let mut own = face.surfels.clone();
        for fold in folds {
            let fold = fold.of(self.surfels, &own);
            if self.is_sliver(&fold) || self.weight(&fold.smaller) > self.weight(&fold.larger) {
                continue;
            }
            let beyond = self.next_to(grower, &fold, free);
            if self.meet([&fold.larger, &beyond], &fold) {
                leave_out(&[beyond, fold.smaller].concat(), &mut left, free);
                own = fold.larger;
            }
        }
        let (side, remaining) = (self.weight(&own), left.as_deref().unwrap_or(free));
        let trimmed = self.settle(grower, own, self.limits.tolerance, remaining).ok();
        trimmed.filter(|trimmed| self.is_flat_side(grower, trimmed, side)).unwrap_or(face)
    }

    /// Whether a plane in the usual slab is flat there and holds nearly all of one side of a fold, which has so many distinct points.
    fn is_flat_side(&self, grower: &Grower, plane: &Support, side: u64) -> bool {
        let bend = self.bend(grower, plane);
        let most = self.most_bent(plane) * self.limits.tolerance;
        let is_flat = bend.depth <= most && !bend.is_round();
        is_flat && self.is_most_of(plane, side) && !self.is_widened(plane)
    }

    /// Whether the smaller side of a fold is so small that it hardly bends the plane.
    fn is_sliver(&self, fold: &Fold) -> bool {
        self.weight(&fold.smaller) * SLIVER < self.weight(&fold.larger)
    }

    /// Whether the planes of the sides of a fold meet there at an angle.
    fn meet(&self, [larger, smaller]: [&[u32]; 2], fold: &Fold) -> bool {
        let tolerance = self.limits.tolerance * self.scale(larger, 0.9);
        let sides = self.surfels.fit(larger).zip(self.surfels.fit(smaller));
        sides.is_some_and(|sides| fold.meets(sides.into(), (self.middle(smaller), tolerance)))
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

    /// Whether a plane holds nearly all of one side of a fold, which has so many distinct points.
    fn is_most_of(&self, plane: &Support, side: u64) -> bool {
        self.weight(&plane.surfels) as f64 >= WHOLE_SIDE * side as f64
    }
}
