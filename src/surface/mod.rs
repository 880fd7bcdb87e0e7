//! The local view of a cloud: its cells, how flat they are, and the pieces of surface in them.
//!
//! This module holds data and the arithmetic that every backend shares. The work on whole clouds is in
//! [`cpu`](crate::cpu) and [`cuda`](crate::cuda), behind the traits of [`backend`](crate::backend).

pub mod blocks;
mod bricks;
pub mod cells;
pub mod cloud;
pub mod eigen;
pub mod flat;
pub mod lattice;
pub mod layers;
pub mod level;
pub mod moments;
pub mod noise_field;
pub mod plane;
pub mod present;
pub mod quantile;
pub mod spread;
pub mod sums;
pub mod surfels;
pub mod unit;
