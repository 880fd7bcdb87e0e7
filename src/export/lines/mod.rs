//! Outputs of lines: the JSON document, CSV, SVG, and pictures.

pub(super) mod csv;
pub mod json;
pub(super) mod overlay;
pub(super) mod space;
pub(super) mod svg;
