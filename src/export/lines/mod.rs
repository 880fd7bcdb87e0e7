//! Lines out: the JSON document, CSV, SVG, and pictures.

mod csv;
pub mod json;
mod overlay;
mod space;
mod svg;

pub use csv::{save_csv, write_csv};
pub use overlay::save_overlay;
pub use space::save_space;
pub use svg::{save_svg, write_svg};
