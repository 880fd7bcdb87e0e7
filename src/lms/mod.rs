//! The least median of squares line of points in the plane: half of them may be anywhere.
//!
//! After Shapira and Hassner, "GPU-Based Computation of 2D Least Median of Squares with Applications
//! to Fast and Robust Line Detection". The line is the middle of the thinnest *slab*, measured along
//! `y`, that holds `h` of the `n` points; for `h = ⌊n/2⌋ + 1` it minimizes the median of the squared
//! residuals. A thinnest slab touches three points, two of them on one side, so that the slopes of
//! all pairs of points with different `x` are the ones to try. Where all points have one `x`, the
//! slope is agreed to be 0. Of equally thin slabs the one with the smallest absolute slope counts,
//! then the one with the smallest intercept.
//!
//! - [`cubic`]: every pair, all points sorted; what the others are tested against.
//! - [`sweep`]: the dual arrangement is swept, in `O(n²)` time and `O(n)` space, the best for one
//!   thread (Edelsbrunner and Souvaine 1990).
//! - [`Version::Paper`] and [`Version::Fast`] on a GPU: [`Cuda::lms`](crate::cuda::Cuda::lms).
//!
//! For planes, whose thinnest slab takes `O(n³)` to find, [`sheets`] tries triples of points.
//! [`Refine`] says what becomes of a peak of the votes: nothing, least squares, or this.
//!
//! All of them settle the winner by one arithmetic in `f64`. Where coordinates are integers below
//! 2²⁵ it is exact, and all answer the same to the last bit; elsewhere slabs that differ by a
//! rounding may be taken for one another.
//!
//! ```
//! use planes::lms::{Problem, sweep};
//!
//! // Five points on y = 2x + 1, four elsewhere.
//! let points = [
//!     [0.0, 1.0], [1.0, 3.0], [2.0, 5.0], [3.0, 7.0], [4.0, 9.0],
//!     [0.0, 40.0], [1.0, -30.0], [2.0, 90.0], [3.0, 55.0],
//! ];
//! let slab = sweep(&Problem::new(&points, None)?);
//! assert_eq!((slab.slope, slab.intercept, slab.height), (2.0, 1.0, 0.0));
//! # Ok::<(), planes::Error>(())
//! ```

mod cubic;
mod orient;
mod problem;
mod refine;
mod robust;
mod sample;
mod sheet;
mod sweep;
mod version;

pub use cubic::cubic;
pub(crate) use problem::Side;
pub use problem::{Problem, Slab, majority};
pub use refine::Refine;
pub use robust::{SIGMAS, robust_sigma};
pub use sample::LARGEST_SET;
pub(crate) use sample::sample;
pub use sheet::{Sheet, sheets};
pub(crate) use sheet::{TRIPLES, sheet_of};
pub use sweep::{slabs, sweep};
pub use version::Version;
