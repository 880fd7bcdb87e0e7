//! Finds planes in 3D point clouds by the Hough transform.
#![deny(missing_docs)]

pub mod atomic;
pub mod backend;
pub mod cloud;
pub mod cpu;
pub mod detect;
pub mod detection;
pub mod error;
pub mod export;
pub mod frame;
mod morton;
pub mod outline;
pub mod plane;
pub mod space;
pub mod synth;
pub mod vote;
pub mod write;

pub use detection::{Detection, Input, Parameters};
pub use error::{Error, Result};
pub use plane::{Plane, Polygon};
