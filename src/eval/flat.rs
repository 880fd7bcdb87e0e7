//! A plane to be compared with another.

/// A plane `normal · p = offset`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Flat {
    /// Unit normal, of either sign.
    pub normal: [f64; 3],
    /// `normal · p` of its points, in input coordinates and the cloud's unit.
    pub offset: f64,
    /// The middle of its points; offsets are compared there.
    pub centroid: [f64; 3],
}
