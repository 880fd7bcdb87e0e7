//! Tomagou's space of an image.

use super::axis::RhoAxis;
use super::bins::Space;
use super::half_turn::half_turn;
use crate::Result;

/// Tomagou's, for an image of `side × side` pixels: `θ` from 0° to 179° and 192 bins of `ρ`, scaled to
/// `±side/√2`. Origin: [`tomagou_origin`].
///
/// At the scale as printed, the corner pixel at 45° falls beyond the last bin, so bins are a millionth wider
/// here.
///
/// # Errors
/// [`Error::Parameter`](crate::Error::Parameter) for an image without pixels.
pub fn tomagou(side: u32) -> Result<Space> {
    let farthest = f64::from(side) * std::f64::consts::FRAC_1_SQRT_2;
    let bin = farthest / 96.0 * (1.0 + 1e-6);
    Space::new(half_turn(180), RhoAxis { min: -96.0 * bin, bin, bins: 192 })
}

/// The middle of Tomagou's image: coordinates run from `1 − side/2` to `side/2`.
pub fn tomagou_origin(side: u32) -> [i32; 2] {
    [(side / 2) as i32 - 1; 2]
}
