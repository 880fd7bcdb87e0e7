//! Finds planes in 3D point clouds by the Hough transform.
#![deny(missing_docs)]

pub mod cloud;
pub mod detection;
pub mod error;
pub mod export;
pub mod outline;
pub mod plane;

pub use detection::{Detection, Input, Parameters};
pub use error::{Error, Result};
pub use plane::{Plane, Polygon};
