//! The least median of squares line of points in the plane: up to half of the points may be outliers.
//!
//! After Shapira and Hassner, "GPU-Based Computation of 2D Least Median of Squares with Applications
//! to Fast and Robust Line Detection". The line is the middle of the thinnest *slab*, measured along `y`,
//! that holds `h` of the `n` points; for `h = ⌊n/2⌋ + 1` it minimizes the median of the squared residuals. A
//! thinnest slab touches three points, two of them on one side, so only the slopes of pairs of points with
//! different `x` need be tried. Where all points have the same `x`, the slope is defined as 0. Of equally
//! thin slabs the one with the smallest absolute slope wins, then the one with the smallest intercept.
//!
//! - [`cubic`]: every pair, all points sorted; the reference in tests of the others.
//! - [`sweep`]: a sweep of the dual arrangement, in `O(n²)` time and `O(n)` space, the best on one thread
//!   (Edelsbrunner and Souvaine 1990).
//! - [`Version::Paper`] and [`Version::Fast`] on a GPU: [`Cuda::lms`](crate::cuda::Cuda::lms).
//!
//! For planes, whose thinnest slab takes `O(n³)` to find, [`sheets`] tries triples of points. [`Refine`] says
//! how a peak of the votes is refined: not at all, by least squares, or by this.
//!
//! All of them compute the winning slab by the same arithmetic in `f64`. Where coordinates are integers below
//! 2²⁵ it is exact, and all give the same result to the last bit. Otherwise slabs that differ by a rounding
//! error may be confused.
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
