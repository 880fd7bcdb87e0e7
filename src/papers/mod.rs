//! The papers' systems, every version of them, and the benches that measure them.
//!
//! The product does not use them. They are kept for what they cost, and so that its results can be
//! compared with theirs:
//!
//! - [`slides`]: planes, after Duca;
//! - [`line_voters`]: lines, after Kumar, van den Braak et al. and Tomagou et al.;
//! - [`one_pass`](one_pass()): an image's lines as those papers find them;
//! - [`line_bins`]: the bins of an image that stand out in one vote;
//! - [`mod@bench`]: how long all of them take, and what [`lms`](crate::lms) has of Shapira and Hassner.

pub mod bench;
pub mod line_bins;
pub mod line_voters;
mod one_pass;
pub mod slides;

pub use one_pass::{OnePass, one_pass};
