//! The time of every version of the Hough transform: the slides' timing mode.
//!
//! The rows are those of the slides (Duca, "3D Plane Detection via Hough Transform", "Timing"), and
//! [`Row::Fast`], the versions that `planes` uses itself. All rows use the same points and the same space:
//! 180 × 180 directions and 184 bins of `ρ`, filled by the cloud.
//!
//! - Steps on a device are timed by its events, steps on the CPU by the clock. Each time is the
//!   [median](Timing) of several runs after one that warms up. A row's total is the sum of its steps,
//!   and a version that several rows share is timed once.
//! - Before a vote is timed, its accumulator is [compared](Check) with the serial loop's, on as many of the
//!   first points of the cloud as that loop processes in about a second.
//! - Work that would take more than a minute, on one core more than a second, is measured in part and
//!   extrapolated: votes are linear in the points, suppression in the bins. The parallel
//!   voter of the CPU is linear only in the directions: the closer together points are, the more of them
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
