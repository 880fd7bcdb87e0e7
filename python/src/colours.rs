//! The colours of planes in pictures.

use planes::export::colour;
use pyo3::prelude::*;

/// Red, green and blue of a plane, or of what has none, -1.
#[pyfunction]
pub fn plane_colour(plane: i32) -> [u8; 3] {
    colour(plane)
}
