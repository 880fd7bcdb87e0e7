//! The papers' voters for lines in images: see `kernels/kumar.cu`, `kernels/braak.cu` and
//! `kernels/tomagou.cu`; and ours, `kernels/lines.cu` for lists and `kernels/slices.cu` for slopes.

mod braak;
mod image_space;
mod kumar;
mod ours;
mod tomagou;
mod votes;

pub(in crate::papers) use image_space::ImageSpace;
pub use votes::{LineVotes, Steps};
