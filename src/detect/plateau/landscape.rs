//! Landscapes: clouds that are one sheet, seen from far, which rises and falls.
//!
//! Hills make neighbourhoods thicker the wider they are, as waves do. But waves leave a wall that is flat to its width, and of hills
//! only pieces are planes, thick ones.

use super::curve::Scale;

/// The widest level of which so many different neighbourhoods are flat tells.
const PLACES: f64 = 20.0;
/// So large a share of these is flat where nearly everything lies in one sheet: there are no walls as high as they are wide.
const SHEET: f64 = 0.9;
/// A surface that rises by more than this share of its width, root mean square, is one of hills, not of waves.
pub const HILLS: f64 = 1.0 / 60.0;

/// Whether this is the curve of a landscape.
pub fn is_landscape(curve: &[Scale]) -> bool {
    let widest = curve.iter().rfind(|scale| scale.places >= PLACES);
    widest.is_some_and(|scale| scale.flat >= SHEET && scale.rise > HILLS)
}
