//! The GPU backend.
//!
//! Kernels are CUDA C++ in `kernels/`, shipped as PTX: a user needs an NVIDIA driver (525 or later)
//! and a GPU of compute capability 7.5 or later, and nothing else. All `unsafe` of the library but
//! that of the CPU's vectors is here: launching kernels, and memory that they fill.

mod accumulator;
mod backend;
mod cells;
mod chunks;
mod clock;
mod cut;
pub(crate) mod device;
mod gpus;
mod groups;
mod held;
pub(crate) mod kernels;
mod labels;
pub(crate) mod launch;
mod layers;
mod layouts;
mod levels;
pub mod lms;
pub mod measure;
mod module;
mod part;
mod peaks;
pub(crate) mod pixels;
mod pool;
mod sheets;
mod sort;
mod staging;
mod surfaces;
mod vote;
mod zoom;

pub use gpus::Cuda;
