//! How large images may be.

/// Most pixels along a side.
pub const MAX_SIDE: u32 = 1 << 15;
/// Most pixels in all.
pub const MAX_PIXELS: u64 = 1 << 28;
