//! The experiments of Shapira and Hassner, "GPU-Based Computation of 2D Least Median of Squares with
//! Applications to Fast and Robust Line Detection".
//!
//! - Table 1: the time to find the thinnest slab of random points ([`times`]), and those of many sets
//!   ([`many_times`]).
//! - Figures 7 and 8: the accuracy of lines against the size of the accumulator's cells and against noise
//!   ([`over_cells`], [`over_noise`]).
//! - Table 2: the same on a photograph with added noise ([`on_photo`]).
//!
//! In each experiment a coarse accumulator finds the cell of a line. The line is then the middle of the cell,
//! the least-squares line of the cell's voters, or their least median of squares line ([`METHODS`]).

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
