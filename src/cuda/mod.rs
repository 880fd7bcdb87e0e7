//! The GPU backend.
//!
//! Kernels are CUDA C++ in `kernels/`, shipped as PTX: a user needs only an NVIDIA driver (525 or later) and
//! a GPU of compute capability 7.5 or later. All `unsafe` code of the library is here, for launching kernels
//! and the memory they fill, except that of the CPU's vectors.

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
