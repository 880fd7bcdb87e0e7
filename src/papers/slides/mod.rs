//! The system of the slides, every version of every step.
//!
//! After Duca, "3D Plane Detection via Hough Transform": vote, suppress bins that are not maxima, take
//! the bins with the most votes. Everything is as in the slides: `f64`, bins of width 1,
//! 180 × 180 directions, 64-bit counters, neighbourhoods that end at 0° and 180°. It is kept so that
//! `planes bench` can measure its cost; [`detect`](mod@crate::detect) does not use it.
//!
//! ```
//! use planes::papers::slides::{Cloud, serial};
//!
//! # fn main() -> planes::Result<()> {
//! // A level square at a height of 20.5 bins.
//! let square = (0..900).map(|i| [f64::from(i % 30), f64::from(i / 30), 20.5]);
//! let mut accumulator = serial::vote(Cloud::new(square.collect())?.points());
//! let best = serial::winners(&mut accumulator, 1)[0];
//! // In the row θ = 0, φ = 0, all votes are in the bin of 20 ≤ ρ < 21.
//! assert_eq!((best.votes, best.index), (900, 92 + 20));
//! # Ok(())
//! # }
//! ```

mod cloud;
mod gpu;
mod grid;
pub mod serial;
mod steps;

pub use cloud::Cloud;
pub use gpu::{MOST_WINNERS, Slides};
pub use grid::{MAXRHO, PHIS, RADIUS, RHOS, SIZE, THETAS, TILE};
pub use steps::{Suppress, Vote, Winner, Winners};
