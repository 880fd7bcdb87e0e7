//! Outputs: the JSON document, planes as polygons, labelled clouds, pictures.
//!
//! Every function that takes a path writes the file completely or not at all. The same detection gives
//! the same bytes. [`PLANES`] and [`LINES`] list the outputs, each an [`Export`].

mod all;
pub mod csv;
mod document;
pub mod json;
mod labelled;
pub mod labels;
pub mod lines;
pub mod npy;
mod output;
mod overlay;
mod palette;
pub mod picture;
pub mod ply;

pub use all::{LINES, PLANES};
pub(crate) use document::format_of;
pub use output::{About, Export, Lines, Planes, Style};
pub use palette::{UNASSIGNED, colour};
