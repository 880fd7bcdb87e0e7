//! Commands on images of lines.

pub mod eval;
pub mod search;
pub mod synth;
pub mod table;
