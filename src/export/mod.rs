//! Results out: the JSON document, planes as polygons, labelled clouds, a picture.
//!
//! Every function that takes a path writes the file whole or not at all. The same detection gives
//! the same bytes.

pub mod csv;
mod document;
pub mod json;
pub mod labels;
pub mod lines;
pub mod npy;
mod palette;
pub mod picture;
pub mod ply;

pub use palette::{UNASSIGNED, colour};
