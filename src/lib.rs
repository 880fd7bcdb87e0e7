//! Finds planes in 3D point clouds, and lines in images, by the Hough transform.
//!
//! A plane is the set of points `p` with `d · p = ρ` for a direction `d`. Each point, or each small piece of
//! surface, votes for every `(d, ρ)` it may lie on; the peaks of the votes are planes. This is the library
//! behind the program `planes`, whose manual is the README.
//!
//! ```
//! // A floor and a wall, in metres.
//! let point = |i: u32| {
//!     let [u, v] = [7919, 104_729].map(|k| f64::from(i * k % 10_007) * 1e-3);
//!     let rough = f64::from(i * 48_271 % 1009) * 2e-6;
//!     if i % 2 == 0 { [u, v, rough] } else { [rough, u, v] }
//! };
//! let points: Vec<[f64; 3]> = (0..20_000).map(point).collect();
//!
//! let found = planes::detect(&points)?;
//! assert_eq!(found.planes.len(), 2);
//! assert_eq!(found.labels.len(), points.len());
//! for plane in &found.planes {
//!     println!("{:.4?} · p = {:.4}: {} points", plane.normal, plane.offset, plane.inliers);
//! }
//! # Ok::<(), planes::Error>(())
//! ```
//!
//! A [`Detector`] takes [`Options`], reports its progress and can be cancelled. It searches one cloud after
//! another on a device that it starts once. It reads files, too:
//!
//! ```
//! use planes::{Detector, Options};
//!
//! let detector = Detector::new().options(Options { top: Some(10), ..Options::default() });
//! let found = detector.detect_file("clouds/room.ply".as_ref())?;
//! assert_eq!(found.planes.len(), 10);
//! assert_eq!(found.labels.len(), 40_000);
//! // The room's floor is its largest plane, and level.
//! assert!(found.planes[0].normal[2] > 0.9999);
//! # Ok::<(), planes::Error>(())
//! ```
//!
//! [`lines::detect`](lines::detect()) does the same for an image. Clouds from other sources go through
//! [`detect::load()`] and any [`PointReader`](cloud::PointReader).
//!
//! A program that searches frame after frame on two threads or more runs a tenth faster if the calling thread
//! belongs to rayon's pool: the memory of one frame then stays in that thread's own arena for the next.
//!
//! ```no_run
//! # fn main() -> Result<(), rayon::ThreadPoolBuildError> {
//! rayon::ThreadPoolBuilder::new().use_current_thread().build_global()?;
//! // Now detect, frame after frame.
//! # Ok(())
//! # }
//! ```
//!
//! # Modules
//!
//! Data flows one way, and each step is a module:
//!
//! | step | module |
//! | --- | --- |
//! | clouds in and out, points in chunks | [`cloud`] |
//! | local coordinates that `f32` holds exactly | [`frame`] |
//! | directions, bins, neighbours | [`space`] |
//! | bins and peaks | [`vote`] |
//! | voting for them, and seeing surfaces: two devices behind one set of traits | [`backend`], [`cpu`], [`cuda`] |
//! | from a cloud to its planes | [`mod@detect`] |
//! | images in, their edges, and their lines | [`image`], [`lines`] |
//! | polygons around the points of a plane | [`outline`] |
//! | robust fits | [`lms`] |
//! | the result | [`detection`], [`plane`]; [`orient`] |
//! | results out: JSON, PLY, labelled clouds, pictures | [`export`] |
//!
//! [`papers`] has the papers' systems in every version, and the benches that measure them. [`synth`] makes
//! clouds whose planes are known, [`eval`] scores a result against them, and [`error`] holds the one error
//! type.
//!
//! # Exactness
//!
//! The same points and parameters give the same planes to the last bit, whatever the number of threads, the
//! size of the chunks and the voter. Everything that decides a result is a sum of integers or independent of
//! order.
#![deny(missing_docs)]
// The library never panics on input and prints nothing; tests may do both.
#![cfg_attr(not(test), deny(clippy::panic, clippy::print_stdout, clippy::unwrap_used))]

#[doc(hidden)]
pub mod atomic;
pub mod backend;
mod camera;
pub mod cloud;
pub mod cpu;
pub mod cuda;
pub mod detect;
pub mod detection;
mod detector;
pub mod error;
pub mod eval;
pub mod export;
pub mod frame;
mod gaps;
pub mod image;
#[doc(hidden)]
pub mod input;
pub mod lines;
pub mod lms;
#[doc(hidden)]
pub mod measures;
#[doc(hidden)]
pub mod memory;
mod mix;
mod morton;
mod names;
pub mod orient;
pub mod outline;
pub mod papers;
pub mod plane;
mod ranges;
mod sets;
mod shared;
mod sort;
pub mod space;
#[doc(hidden)]
pub mod surface;
pub mod synth;
mod vector;
pub mod vote;
mod wide;

pub use cloud::PointCloud;
pub use detect::{Mode, Options, Progress};
pub use detection::{Detection, Input, Parameters};
pub use detector::{Detector, Device, detect};
pub use error::{Error, Result};
pub use plane::{Piece, Plane, Polygon};
