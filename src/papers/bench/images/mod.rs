//! How long every voter for lines in images takes: the papers' tables.
//!
//! An image votes in the papers' spaces: in Kumar's polar one and van den Braak's two Cartesian ones, or
//! in Tomagou's. Steps on a device are timed by its events, steps on the CPU by the clock. Before a voter is
//! timed, its accumulator is compared with the reference, the loop on all cores. That reference is compared
//! with the serial loop on as many of the first edges as the serial loop processes in about a second. The serial
//! loop's time for more edges is extrapolated: it is linear in the edges.
//!
//! [`ImageBench::grey`] times the way from a grey image to its sorted bins (see
//! [`BinSearch`](crate::papers::line_bins::BinSearch)).

mod grey;
mod image_bench;
pub mod published;
mod report;
mod sweep;
mod voters;

pub use image_bench::{ImageBench, mode};
pub use report::{GreyRow, IMAGE_REPORT_VERSION, ImageReport, VoterRow};
pub use sweep::{Sweep, strewn};
