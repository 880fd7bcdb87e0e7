//! Compressed LAS: chunks of points, each decoded on its own.
//!
//! `laz` decodes the points of one chunk; everything that says where chunks start, how long they are
//! and how many points they hold is read and checked here, because the crate trusts it.

mod compressed;
mod decode;
mod gps;
mod window;

pub(super) use compressed::Compressed;
pub(super) use decode::Blocks;
