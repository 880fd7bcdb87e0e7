//! Landscapes: clouds that are one sheet, seen from far, which rises and falls.
//!
//! Hills make neighbourhoods thicker the wider they are, as waves do. But waves leave a wall that is flat to its width, and of hills
//! only pieces are planes, thick ones.

use super::curve::{SOFT, Scale, exceeds};

/// The widest level with at least so many different flat neighbourhoods decides.
pub(super) const TELLING_PLACES: f64 = 20.0;
/// At least this share of its neighbourhoods is flat where nearly everything lies in one sheet: there are no walls as high as they
/// are wide.
const SHEET: f64 = 0.9;
/// It counts in part where the share differs from that by less than this share of it.
const SHEET_SOFT: f64 = 0.05;
/// In the median they are thicker than this share of their width: a wall alone, whose waves are lower, is no landscape.
const RISE: f64 = 1.0 / 40.0;

/// Whether this is the curve of a landscape.
pub fn is_landscape(curve: &[Scale]) -> bool {
    widest(curve).is_some_and(|scale| scale.flat >= SHEET && scale.rise > RISE)
}

/// Whether nearly everything lies in one sheet.
pub fn is_sheet(curve: &[Scale]) -> bool {
    widest(curve).is_some_and(|scale| scale.flat >= SHEET)
}

/// How surely, from 0 to 1, this is the curve of a single sheet that rises less than a landscape, such as gentle ground or a wall alone.
pub(super) fn low_sheet(curve: &[Scale]) -> f64 {
    let of = |s: &Scale| exceeds(s.flat, SHEET, SHEET_SOFT) * (1.0 - exceeds(s.rise, RISE, SOFT));
    widest(curve).map_or(0.0, of)
}

/// The widest level that decides.
fn widest(curve: &[Scale]) -> Option<&Scale> {
    curve.iter().rfind(|scale| scale.places >= TELLING_PLACES)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_landscape_is_one_sheet_that_rises() {
        // A village by an airborne scanner, a room, and a facade with waves: the share of flat neighbourhoods, their rise, and how many
        // there are.
        let village =
            [(0.88, 0.11, 6406.0), (0.65, 0.09, 730.0), (0.78, 0.14, 240.0), (1.0, 0.09, 25.0)];
        let room = [(0.83, 0.1, 5900.0), (0.6, 0.05, 600.0), (0.23, 0.05, 50.0), (0.04, 0.1, 5.0)];
        let facade =
            [(0.9, 0.1, 6000.0), (0.95, 0.03, 900.0), (0.98, 0.008, 200.0), (1.0, 0.004, 40.0)];
        let [village, room, facade] = [village, room, facade].map(|curve| {
            let of = |(flat, rise, places)| Scale { rise, places, ..Scale::of(flat, 1.0, 0.5) };
            is_landscape(&curve.map(of))
        });
        assert!(village && !room && !facade);
        assert!(!is_landscape(&[]));
    }
}
