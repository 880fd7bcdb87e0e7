//! Exact slices: the steps of rounded coordinates and of depth cameras, as a curve of thickness over size shows them.
//!
//! A slice has almost no thickness, and there is a step a little farther on: wider neighbourhoods are much thicker, and
//! still flat.

use super::curve::{CLEARED, FEW_PLACES, LASTING, SOME, Scale, grows};
use crate::detect::drawn::Drawn;

/// A neighbourhood is an exact slice when those a few levels higher are more than this many times thicker.
pub(super) const SLICE: f64 = 64.0;
/// The same for a slightly blurred slice, whose thickness stays the same on the level above.
const BLURRED: f64 = 8.0;
/// At steps, thickness grows by more than this factor from one level to the next; on waves it grows less.
const JUMP: f64 = 5.0;
/// Thickness stays the same when it grows by less than this factor, …
const STAYS: f64 = 1.6;
/// … and when at least this share of the neighbourhoods is still flat.
const STAYS_FLAT: f64 = 0.8;
/// Between narrow and wide neighbourhoods that are flat, by so many times as many are as on a level between them, there may
/// be steps, if the wide ones are so many times as thick.
const DIP: f64 = 1.1;
const THICKER: f64 = 3.0;
/// The wide ones are at most so many levels above the one between.
const WIDEST_DIP: usize = 2;
/// Levels above a slice within which its steps must show …
pub const STEPS: usize = 3;
/// … and within which they must show in the camera's view: there, nothing else is so exact, and steps far from the
/// camera are wider than three levels of cells.
pub(super) const STEPS_SEEN: usize = 5;
/// Hardly fewer neighbourhoods are flat on a level than on another if they are at least this share.
const HARDLY_LESS: f64 = 0.9;
/// Rounding explains the thickness of the thinner neighbourhoods if it is at most this many times what rounding adds to a coordinate. Of
/// a voxel only the centre is left, however many points the voxel had, so the distances of centres from a surface are spread evenly:
/// over one step if the surface is along an axis, over √3 steps if it is across a diagonal.
const EXPLAINED: f64 = 1.5;
/// Above steps of depths that are wider than those of rounding, neighbourhoods are more than this many times as thick as that.
const WIDE: f64 = 4.0;
/// Steps that only the camera's view shows may be there when the thickness grows by this factor, …
const MAY_SLICE: f64 = 16.0;
/// … from one of so many of the finest levels, …
const FINEST: usize = 3;
/// … to one at most this many levels above it.
const WIDEST_STEPS: usize = 5;
/// A level counts when it has at least this share of the certainly flat neighbourhoods of a finer one, to tell steps from furniture.
const STILL_STRICT: f64 = 0.2;
/// The same where fine neighbourhoods are so exact that hardly anything else can be steps.
const HARDLY_STRICT: f64 = 0.1;
/// Exact slices are no thicker than this on the next level; independent noise grows by more there, because the finest
/// neighbourhoods have few points.
const REMAINS: f64 = 1.15;
/// Steps still show on a level when this many times as many neighbourhoods are flat on the next; without steps,
/// fewer are, because of edges.
const CLEARER: f64 = 1.2;

/// The first level above those on which neighbourhoods are slices, as at least so many different wider ones show: of a few, each
/// holds several surfaces.
pub fn slices(curve: &[Scale], steps: usize, places: f64) -> usize {
    let is_slice = |&level: &usize| is_sliced(curve, level, (steps, places));
    (0..curve.len()).take_while(is_slice).count()
}

/// The first level whose neighbourhoods are wide against steps that are too wide for [`slices`]; 0 if there are none.
///
/// The finest neighbourhoods are exact slices, hardly thicker on the next level if any are flat there, and there is a
/// thickness that stays the same above a coarser level. The neighbourhoods in between reach over a step or two, and are
/// hardly ever flat.
pub(super) fn beyond_steps(
    curve: &[Scale],
    drawn: Drawn,
    faces_one_way: impl Fn(usize) -> bool,
) -> usize {
    let Some(finest) = curve.iter().position(|s| s.flat > SOME) else { return 0 };
    let (exact, coarser) = (&curve[finest], &curve[finest + 1..]);
    let is_noise = |next: &Scale| next.flat > SOME && next.thinnest > REMAINS * exact.thinnest;
    if coarser.first().is_none_or(is_noise) {
        return 0;
    }
    let stays = |pair: &[Scale]| {
        let [here, next] = [&pair[0], &pair[1]];
        here.thinnest > SLICE * exact.thinnest
            && here.flat >= LASTING * exact.flat
            && (drawn == Drawn::AsSeen
                || here.strict >= HARDLY_STRICT * exact.strict && here.places >= FEW_PLACES)
            && (next.thin < STAYS * here.thin || next.thinnest < STAYS * here.thinnest)
            && next.flat >= CLEARED * here.flat
    };
    let Some(by) = coarser.windows(2).take(WIDEST_STEPS).position(stays) else { return 0 };
    let wide = &coarser[by];
    // Noise makes many neighbourhoods a little thicker on several levels; those that reach over a step are far thicker at once.
    let is_thicker = |s: &Scale| {
        s.flat >= LASTING * exact.flat
            && (REMAINS * exact.thinnest..BLURRED * exact.thinnest).contains(&s.thinnest)
    };
    let grows_slowly = |pair: &[Scale]| pair.iter().all(is_thicker);
    if drawn == Drawn::InSpace && coarser[..by].windows(2).any(grows_slowly) {
        return 0;
    }
    let shows = |s: &Scale| s.flat >= CLEARED * wide.flat && STAYS * s.thin >= wide.thin;
    let is_told = match drawn {
        Drawn::InSpace => faces_one_way(finest),
        // Edges are as thick as steps, but no wider neighbourhoods are flat there.
        Drawn::AsSeen => coarser[by..].iter().any(|s| s.strict >= HARDLY_STRICT * exact.strict),
    };
    if !is_told {
        return 0;
    }
    finest + 1 + coarser.iter().position(shows).unwrap_or(by)
}

/// Whether fine neighbourhoods may be slices: on some coarser level they are much thicker and still flat.
pub(super) fn is_stepped(curve: &[Scale]) -> bool {
    let thicker = |here: &Scale, s: &Scale| s.thinnest > MAY_SLICE * here.thinnest;
    let coarser = |(level, here): (usize, &Scale)| {
        let end = curve.len().min(level + 1 + WIDEST_STEPS);
        here.flat > SOME
            && curve[level + 1..end]
                .iter()
                .any(|s| thicker(here, s) && s.flat >= LASTING * here.flat)
    };
    curve.iter().enumerate().take(FINEST).any(coarser)
}

/// The first level on which more neighbourhoods are flat than on one of the finest levels a little below it, though more
/// were on a still finer level, where they are much thinner.
pub(super) fn clear(curve: &[Scale]) -> Option<usize> {
    let is_clear = |&at: &usize| {
        let dip = |by: usize| {
            let here = &curve[by];
            let shows = |s: &Scale| s.flat > SOME && s.flat > DIP * here.flat;
            let fine = |fine: &Scale| shows(fine) && curve[at].thin > THICKER * fine.thin;
            shows(&curve[at]) && curve[..by].iter().any(fine)
        };
        (at.saturating_sub(WIDEST_DIP)..at.min(FINEST)).any(dip)
    };
    (0..curve.len()).find(is_clear)
}

/// Whether nearly as many neighbourhoods are flat as on a finer level `here`.
fn lasts(s: &Scale, here: &Scale) -> bool {
    s.flat >= LASTING * here.flat && s.strict >= STILL_STRICT * here.strict
}

/// Whether the neighbourhoods of a level are slices: a few levels higher they are much thicker and still
/// flat.
fn is_sliced(curve: &[Scale], level: usize, (steps, places): (usize, f64)) -> bool {
    let here = curve[level];
    here.flat > SOME
        && (level + 1..curve.len().min(level + 1 + steps)).any(|at| {
            let is_exact = curve[at].thinnest > SLICE * here.thinnest;
            curve[at].places >= places
                && lasts(&curve[at], &here)
                && (is_exact || is_blurred(curve, level, at))
        })
}

/// Whether the neighbourhoods of a level are slightly blurred slices: thickness jumps on the way to the level
/// `at` and stays the same above it.
fn is_blurred(curve: &[Scale], level: usize, at: usize) -> bool {
    let Some(next) = curve.get(at + 1) else { return false };
    let stays = next.thin < STAYS * curve[at].thin && next.flat >= STAYS_FLAT * curve[at].flat;
    // On the finest level a quarter of the neighbourhoods must be slices. Above it, where some reach over a
    // step, a tenth is enough.
    let thickness = |s: &Scale| if level == 0 { s.thin } else { s.thinnest };
    let jumps =
        curve[level..=at].windows(2).any(|pair| thickness(&pair[1]) > JUMP * thickness(&pair[0]));
    stays && jumps && thickness(&curve[at]) > BLURRED * thickness(&curve[level])
}

/// Whether rounding explains how thick neighbourhoods in space are on the first level on which hardly fewer are flat than on any;
/// `rounding` is the standard deviation that it adds to a coordinate. Wider steps of depths make them thicker there, or lie
/// between that level and a coarser one.
pub fn is_rounded(curve: &[Scale], rounding: f64, faces_one_way: impl Fn(usize) -> bool) -> bool {
    // From far enough away a whole landscape is flat.
    let first = curve.iter().position(|s| s.flat > SOME).unwrap_or(0);
    let near = &curve[first..curve.len().min(first + 1 + STEPS)];
    let most = near.iter().map(|s| s.flat).fold(SOME, f64::max);
    let clearest = near.iter().find(|s| s.flat >= HARDLY_LESS * most);
    let steps_are_narrow = || {
        let beyond = beyond_steps(curve, Drawn::InSpace, faces_one_way);
        beyond == 0 || curve[beyond].thin <= WIDE * rounding
    };
    clearest.is_some_and(|s| s.thin <= EXPLAINED * rounding) && steps_are_narrow()
}

/// Whether more neighbourhoods are flat on the level after this one, where they are not much thicker: steps that blur
/// this level are narrow against the neighbourhoods of the next.
pub fn clears_up(curve: &[Scale], level: usize) -> bool {
    let here = &curve[level];
    curve.get(level + 1).is_some_and(|next| {
        next.flat > SOME && next.flat > CLEARER * here.flat && grows(here, next)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn surfaces_are_clear_on_the_level_after_a_dip() {
        let of = |flat: [f64; 6], thin: [f64; 6]| {
            clear(&(0..6).map(|level| Scale::of(flat[level], thin[level], 0.0)).collect::<Vec<_>>())
        };
        let thin = [1.0, 1.2, 6.0, 7.0, 7.0, 7.0];
        assert_eq!(of([0.4, 0.05, 0.4, 0.8, 0.7, 0.5], thin), Some(2));
        assert_eq!(of([0.4, 0.3, 0.2, 0.1, 0.1, 0.1], thin), None);
        // As thin as before: some of the finest cells have too few points.
        assert_eq!(of([0.4, 0.05, 0.4, 0.8, 0.7, 0.5], [1.0; 6]), None);
        // A whole roof landscape is flat again from far enough away.
        assert_eq!(of([0.8, 0.7, 0.6, 0.1, 0.0, 0.9], [1.0, 1.0, 1.0, 2.0, 3.0, 90.0]), None);
    }

    #[test]
    fn steps_are_suspected_where_thickness_grows_on_any_fine_level() {
        let scale = |flat, thinnest| Scale::of(flat, thinnest, 0.0);
        let even = [scale(0.5, 10.0); 10];
        assert!(!is_stepped(&even));
        // The finest neighbourhoods reach over a step, those above them are slices.
        let mut stepped = even;
        stepped[1].thinnest = 0.5;
        assert!(is_stepped(&stepped));
        // Above, only a few are flat.
        stepped[2..].iter_mut().for_each(|s| s.flat = 0.2);
        assert!(!is_stepped(&stepped));
        // Thickness jumps only at the size of the whole cloud.
        let mut whole = even;
        whole[8..].iter_mut().for_each(|s| s.thinnest = 1000.0);
        assert!(!is_stepped(&whole));
    }

    #[test]
    fn a_level_blurred_by_steps_clears_up() {
        let scale = |flat, thin| Scale::of(flat, thin, 0.3);
        assert!(clears_up(&[scale(0.4, 1.0), scale(0.5, 1.5)], 0));
        // Hardly more are flat, hardly any are, or they are those of edges; or there is no such level.
        assert!(!clears_up(&[scale(0.4, 1.0), scale(0.45, 1.5)], 0));
        assert!(!clears_up(&[scale(0.01, 1.0), scale(0.015, 1.5)], 0));
        assert!(!clears_up(&[scale(0.4, 1.0), scale(0.5, 3.0)], 0));
        assert!(!clears_up(&[scale(0.4, 1.0)], 0));
    }
}
