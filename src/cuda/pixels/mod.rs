//! From a grey image to its edges on the device: see `kernels/pixels.cu`.
//!
//! Thresholds and the blur, where they depend on the image itself, are chosen on the device, so that all
//! kernels run one after another without the host.

mod blocks;
mod canny;
mod find;
mod packed;

pub(crate) use find::Pixels;
pub(crate) use packed::Packed;
