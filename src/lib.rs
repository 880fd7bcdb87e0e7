//! Finds planes in 3D point clouds, and lines in images, by the Hough transform.
//!
//! A plane is the set of points `p` with `d · p = ρ` for a direction `d`. Each point, or each small
//! piece of surface, votes for the `(d, ρ)` it may lie on; the peaks of the votes are planes. This
//! is the library behind the program `planes`, whose manual is the README.
//!
//! ```
//! use planes::cloud::{Fields, Source};
//! use planes::cpu::Cpu;
//! use planes::detect::{Options, detect, load};
//!
//! # fn main() -> planes::Result<()> {
//! let source = Source::open("clouds/room.ply")?;
//! let cloud = load(source.path(), &|| source.reader(Fields::NONE), 1 << 18, &|_| {})?;
//! let options = Options { top: Some(10), ..Options::default() };
//! let found = detect(cloud, &options, &Cpu::default(), &())?;
//!
//! assert_eq!(found.planes.len(), 10);
//! assert_eq!(found.labels.len(), 40_000);
//! // The room's floor is its largest plane, and level.
//! let floor = &found.planes[0];
//! assert!(floor.normal[2] > 0.9999);
//! assert_eq!(floor.inliers, found.labels.iter().filter(|&&label| label == 0).count() as u64);
//! # Ok(())
//! # }
//! ```
//!
//! Points that are in memory already need no file: [`load`](detect::load()) takes any
//! [`PointReader`](cloud::PointReader).
//!
//! A program with two threads or more that searches frame after frame gains a tenth where the calling thread is
//! one of rayon's: the memory of one frame is then kept for the next in that thread's own arena.
//!
//! ```no_run
//! # fn main() -> Result<(), rayon::ThreadPoolBuildError> {
//! rayon::ThreadPoolBuilder::new().use_current_thread().build_global()?;
//! // Now load and detect, again and again.
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
//! | bins and peaks, and who votes for them | [`vote`], [`backend`], [`cpu`], [`cuda`] |
//! | from a cloud to its planes | [`detect`] |
//! | images in, their edges, and their lines | [`image`], [`lines`]; [`input`] tells images from clouds |
//! | polygons around the points of a plane | [`outline`] |
//! | robust fits | [`lms`] |
//! | the result | [`detection`], [`plane`]; [`orient`], [`measures`] |
//! | results out: JSON, PLY, labelled clouds, pictures | [`export`] |
//!
//! [`slides`] has the papers' system, every version of it, and [`mod@bench`] measures it.
//! [`synth`] makes clouds whose planes are known, [`eval`] scores a result against them,
//! [`atomic`] writes files whole or not at all, [`memory`] says how much may be taken, and [`error`]
//! holds the one error type.
//!
//! # Exactness
//!
//! The same points and parameters give the same planes to the last bit, whatever the number of
//! threads, the size of the chunks and the voter. What decides a result is a sum of integers or
//! does not depend on order.
#![deny(missing_docs)]

pub mod atomic;
pub mod backend;
pub mod bench;
pub mod cloud;
pub mod cpu;
pub mod cuda;
pub mod detect;
pub mod detection;
pub mod error;
pub mod eval;
pub mod export;
pub mod frame;
pub mod image;
pub mod input;
pub mod line_voters;
pub mod lines;
pub mod lms;
pub mod measures;
pub mod memory;
mod mix;
mod morton;
pub mod orient;
pub mod outline;
pub mod plane;
mod ranges;
pub mod slides;
mod sort;
pub mod space;
pub mod synth;
mod vector;
pub mod vote;
mod wide;

pub use detection::{Detection, Input, Parameters};
pub use error::{Error, Result};
pub use plane::{Piece, Plane, Polygon};
