//! Kumar's space of an image.

use super::angle::sin_cos_degrees;
use super::axis::RhoAxis;
use super::bins::Space;
use crate::Result;

/// Kumar's: `θ` from −90° to 90° in steps of 1°, 181 rows, and `2·diag + 1` bins of one pixel around zero,
/// where `diag` is the image's diagonal, rounded up. Origin: the top left pixel.
///
/// # Errors
/// [`Error::Parameter`](crate::Error::Parameter) if it would have too many bins.
pub fn kumar([width, height]: [u32; 2]) -> Result<Space> {
    let row = |degrees: i32| {
        let (sin, cos) = sin_cos_degrees(f64::from(degrees));
        [cos, sin, 0.0]
    };
    let diagonal = f64::from(width).hypot(f64::from(height)).ceil();
    let axis = RhoAxis { min: -diagonal - 0.5, bin: 1.0, bins: 2 * diagonal as u32 + 1 };
    Space::new((-90..=90).map(row).collect(), axis)
}
