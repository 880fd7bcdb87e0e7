//! How long every version of the Hough transform takes: the slides' timing mode.
//!
//! The rows are those of the slides (Duca, "3D Plane Detection via Hough Transform", "Timing"), and
//! [`Row::Fast`], the versions that `planes` uses itself. All of them work in one space, 180 × 180
//! directions and 184 bins of `ρ` that the cloud fills, on the same points.
//!
//! - Steps on a device are timed by its events, those on the CPU by the clock; each is the
//!   [median](Timing) of some runs after one that warms up. A row's total is the sum of its steps,
//!   and a version that several rows share is timed once.
//! - Every vote's accumulator is [compared](Check) with the serial loop's before it is timed: on the
//!   first points of the cloud, as many as that loop does in about a second.
//! - What would take more than a minute, on one core more than a second, is measured in part, and
//!   the rest extrapolated: votes are linear in the points, suppression in the bins. The parallel
//!   voter of the CPU is linear in the directions alone: the closer points are, the more of them
//!   vote at once.

mod case;
mod cloud_bench;
pub mod images;
pub mod lms;
mod machine;
mod on_cpu;
mod on_gpu;
pub mod published;
mod report;
mod rows;
pub mod stages;
mod stopwatch;

pub use cloud_bench::Bench;
pub use machine::Machine;
pub use report::{Check, Measurement, REPORT_VERSION, Report};
pub use rows::{Mode, Row};
pub use stopwatch::{Limits, Timing, linear, repeat};
