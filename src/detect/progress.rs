//! What a detection says while it works.

/// What a detection says while it works.
pub trait Progress {
    /// A new stage begins; `total` is its number of points, where known.
    fn stage(&self, name: &str, total: Option<u64>);
    /// So many more points are done.
    fn advance(&self, points: u64);
}

/// Nobody is told.
impl Progress for () {
    fn stage(&self, _: &str, _: Option<u64>) {}
    fn advance(&self, _: u64) {}
}
