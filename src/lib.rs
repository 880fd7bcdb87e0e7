//! Finds planes in 3D point clouds by the Hough transform.
#![deny(missing_docs)]

pub mod backend;
pub mod atomic;
pub mod cloud;
pub mod cpu;
pub mod detect;
pub mod detection;
pub mod error;
pub mod frame;
mod morton;
pub mod export;
pub mod outline;
pub mod plane;
pub mod space;
pub mod vote;
pub mod synth;
pub mod write;

pub use detection::{Detection, Input, Parameters};
pub use error::{Error, Result};
pub use plane::{Plane, Polygon};
