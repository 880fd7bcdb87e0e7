//! From a grey image to its edges on the device: see `kernels/pixels.cu`.
//!
//! Whatever is chosen from the image itself, thresholds and the blur, is chosen on the device, so that all
//! kernels follow each other without the host.

mod blocks;
mod canny;
mod find;
mod packed;

pub(crate) use find::Pixels;
pub(crate) use packed::Packed;
