//! The experiments of Shapira and Hassner, "GPU-Based Computation of 2D Least Median of Squares with
//! Applications to Fast and Robust Line Detection".
//!
//! - Table 1: how long the thinnest slab of random points takes ([`times`]), and those of many sets
//!   ([`many_times`]).
//! - Figures 7 and 8: how exact lines are, over the size of the accumulator's cells and over noise
//!   ([`over_cells`], [`over_noise`]).
//! - Table 2: the same on a photograph with added noise ([`on_photo`]).
//!
//! Everywhere a line is found by the votes of a coarse accumulator; then it is the middle of the cell,
//! the least squares line of its voters, or their least median of squares line ([`METHODS`]).

mod accuracy;
mod cells;
mod methods;
mod photo;
pub mod published;
mod report;
mod times;

pub use accuracy::{Accuracy, IMAGES, over_cells, over_noise};
pub use methods::METHODS;
pub use photo::{PHOTO_CELL, PHOTO_NOISE, PhotoErrors, on_photo};
pub use report::{LMS_REPORT_VERSION, LmsReport};
pub use times::{ManyTimes, POINTS, POINTS_OF_A_SET, SETS, SlabTimes, many_times, times};
