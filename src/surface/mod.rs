//! What a cloud looks like from nearby: its cells, how flat they are, and the pieces of surface in them.
//!
//! Data, and the arithmetic on them that every backend shares; the work on whole clouds is done in
//! [`cpu`](crate::cpu) and [`cuda`](crate::cuda), behind the traits of [`backend`](crate::backend).

mod blocks;
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
pub mod quantile;
pub mod spread;
pub mod sums;
pub mod surfels;
pub mod unit;
