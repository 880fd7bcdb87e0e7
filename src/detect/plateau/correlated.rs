//! Whether the noise of neighbouring points is correlated, as a curve of thickness over size shows: normals turn from
//! one size to the next, and surfaces are thicker and thicker.

use super::curve::{FEW_PLACES, LASTING, PLACES_SOFT, SOFT, SOME, Scale, exceeds, goes_on};
use super::landscape::{TELLING_PLACES, low_sheet};

/// The noise of neighbours is correlated when normals turn from one level to the next by more than this share
/// of what the thickness allows; …
pub(super) const ALIKE: f64 = 0.5;
/// … if waves show two levels higher only, normals turn by more than this in between. With independent noise it is
/// 0.2 to 0.4.
const INDEPENDENT: f64 = 0.4;
/// Correlated noise makes neighbourhoods thicker from one level to the next by more than this share, beyond what independent
/// noise does, and more or less where it differs from that by less than the second share of it. Where they are no thicker,
/// normals turn because surfaces are curved, or meet in edges.
const THICKENS: f64 = 0.04;
const THICKENS_SOFT: f64 = 0.5;
/// The same where normals turn less, by more than [`INDEPENDENT`], because independent noise is mixed in.
const THICKENS_MIXED: f64 = 0.1;
/// Waves that independent noise hides on a level emerge at most so many levels above it. On two levels that follow each other they
/// make neighbourhoods thicker by more than this share, …
const HIDDEN: usize = 3;
const EMERGES: f64 = 0.13;
/// … but by less than this factor, …
const EMERGES_SLOWLY: f64 = 2.6;
/// … if they emerge above the next level, by more than this factor in all, more or less where it differs from that by less than the
/// second share of it: strips of a flight that lie apart are searched better as they are, …
const RISES: f64 = 3.2;
const RISES_SOFT: f64 = 0.1;
/// … and normals turn by more than this on one of them and by more than that on the other. Independent noise leaves 0.1 there.
const TURNS_YET: f64 = 0.2;
const TURNS_MORE: f64 = 0.3;
/// The thickness of a low sheet grows by more than this factor from level to level, above the narrower of these levels, if it is that
/// of ground.
const SHEET_GROWS: f64 = 1.8;
/// The wider of these may have lost more of its flat neighbourhoods to edges.
const LASTS_SOMEWHAT: f64 = 0.35;

/// How surely, from 0 to 1, the noise of neighbours is correlated, as a level or the next one shows; `far` looks
/// one level farther, up to which thickness may grow no more than from one level to the next.
pub(super) fn likeness(curve: &[Scale], level: usize, far: bool, soft: f64) -> f64 {
    // On cells that are small against the waves, independent noise hides correlated noise.
    let turned =
        |by: usize, more: f64| curve.get(level + by).map_or(0.0, |s| exceeds(s.turn, more, soft));
    let shown = |by: usize| goes_on(curve, [level, level + by], far, soft);
    let next = turned(1, ALIKE) * shown(1);
    let after = turned(1, INDEPENDENT) * turned(2, ALIKE) * shown(2);
    let turns = turned(0, ALIKE).max(next).max(if far { after } else { 0.0 });
    if !far {
        return turns;
    }
    // Where both are there, normals turn less, but go on to turn, and surfaces are thicker at once.
    let turns_on = turned(0, INDEPENDENT) * turned(1, INDEPENDENT) * shown(1);
    let mixed = turns_on * thickens(curve, level, THICKENS_MIXED, soft);
    let emerging = emerging(curve, level);
    mixed.max(emerging).max(turns * thickens(curve, level, THICKENS, soft))
}

/// How surely, from 0 to 1, waves emerge on a level or a few levels above, wherever independent noise hides them.
pub(super) fn emerging(curve: &[Scale], level: usize) -> f64 {
    let rises = |at: usize| match curve.get(at + 2) {
        Some(last) if at > level + 1 => exceeds(curve[level].growth(last), RISES, RISES_SOFT),
        _ => 1.0,
    };
    let from = |at| shows_through(curve, level, at) * emerges_at(curve, at) * rises(at);
    (level..=level + HIDDEN).map(from).fold(0.0, f64::max)
}

/// How surely, from 0 to 1, a level shows the surfaces of a finer one, as every level between them does.
fn shows_through(curve: &[Scale], level: usize, at: usize) -> f64 {
    let goes_on = |l| goes_on(curve, [l, l + 1], true, SOFT);
    (level..at).map(goes_on).product()
}

/// How surely, from 0 to 1, waves that independent noise hides on finer levels emerge: on the two levels above, surfaces are thicker
/// and thicker, but not as they are at edges, and normals turn more, where independent noise would turn them less and less.
fn emerges_at(curve: &[Scale], level: usize) -> f64 {
    // Thickness varies much among neighbourhoods of few points, which are those of the finest level.
    let Some([finer, here, next, last]) = level.checked_sub(1).and_then(|l| curve.get(l..l + 4))
    else {
        return 0.0;
    };
    if finer.flat <= SOME {
        return 0.0;
    }
    let grows = |here: &Scale, next: &Scale| {
        let thicker = exceeds(here.thickening(next) - 1.0, EMERGES, THICKENS_SOFT);
        thicker * (1.0 - exceeds(next.thin, EMERGES_SLOWLY * here.thin, SOFT))
    };
    let turns = exceeds(next.turn, TURNS_YET, SOFT) * exceeds(last.turn, TURNS_MORE, SOFT);
    let lasts = exceeds(next.flat, LASTING * here.flat, SOFT)
        * exceeds(last.flat, LASTS_SOMEWHAT * next.flat, SOFT)
        * exceeds(last.places, FEW_PLACES, SOFT);
    grows(here, next) * grows(next, last) * turns * lasts * is_no_ground(curve, level + 1)
}

/// How surely, from 0 to 1, a curve is not that of a low sheet whose thickness goes on to grow above a level. The thickness of waves
/// levels out at about half their length; that of gentle ground grows as far as there are neighbourhoods. Where there are several
/// surfaces, their edges hide that.
fn is_no_ground(curve: &[Scale], above: usize) -> f64 {
    let levels_out = |s: &[Scale]| {
        let grows = exceeds(s[1].thin, SHEET_GROWS * s[0].thin, SOFT);
        exceeds(s[1].places, TELLING_PLACES, PLACES_SOFT) * (1.0 - grows)
    };
    let levels_out = curve[above..].windows(2).map(levels_out).fold(0.0, f64::max);
    1.0 - low_sheet(curve) * (1.0 - levels_out)
}

/// How surely, from 0 to 1, surfaces are thicker by a share `more` on one of the next two levels than independent noise makes them.
fn thickens(curve: &[Scale], level: usize, more: f64, soft: f64) -> f64 {
    let to = |next: usize| {
        let [here, next] = [next - 1, next].map(|level| curve.get(level));
        Some(exceeds(here?.thickening(next?) - 1.0, more, THICKENS_SOFT))
    };
    let shown = goes_on(curve, [level + 1, level + 2], true, soft);
    to(level + 1).unwrap_or(0.0).max(shown * to(level + 2).unwrap_or(0.0))
}
