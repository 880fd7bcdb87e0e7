//! Finds planes in 3D point clouds by the Hough transform.
#![deny(missing_docs)]

pub mod atomic;
pub mod cloud;
pub mod detection;
pub mod error;
pub mod plane;
pub mod synth;
pub mod write;

pub use detection::{Detection, Input, Parameters};
pub use error::{Error, Result};
pub use plane::{Plane, Polygon};
