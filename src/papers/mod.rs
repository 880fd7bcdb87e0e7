//! The papers' systems, every version of them, and the benches that measure them.
//!
//! The product does not use them. They are kept to measure what they cost and to compare the product's
//! results with theirs:
//!
//! - [`slides`]: planes, after Duca;
//! - [`line_voters`]: lines, after Kumar, van den Braak et al. and Tomagou et al.;
//! - [`one_pass`](one_pass()): an image's lines as those papers find them;
//! - [`line_bins`]: the bins of an image that stand out in one vote;
//! - [`mod@bench`]: how long all of them take, and the experiments of Shapira and Hassner with
//!   [`lms`](crate::lms).

pub mod bench;
pub mod line_bins;
pub mod line_voters;
mod one_pass;
pub mod slides;

pub use one_pass::{OnePass, one_pass};
