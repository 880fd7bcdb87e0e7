//! The colours of planes in pictures.

use planes::export::colour;
use pyo3::prelude::*;

/// Red, green and blue of a plane; of points without one for -1.
#[pyfunction]
pub fn plane_colour(plane: i32) -> (u8, u8, u8) {
    // An array of bytes would become `bytes`.
    colour(plane).into()
}
