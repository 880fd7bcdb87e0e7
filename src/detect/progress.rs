//! What a detection says while it works.

use crate::{Error, Result};

/// What a detection says while it works, and whether it goes on.
pub trait Progress {
    /// A new stage begins; `total` is its number of points, where known.
    fn stage(&self, name: &str, total: Option<u64>);
    /// So many more points are done.
    fn advance(&self, points: u64);
    /// Whether the search is to end with [`Error::Cancelled`]; asked again and again.
    fn is_cancelled(&self) -> bool {
        false
    }
}

/// Nobody is told.
impl Progress for () {
    fn stage(&self, _: &str, _: Option<u64>) {}
    fn advance(&self, _: u64) {}
}

/// Goes on, unless the search was cancelled.
pub(super) fn go_on(progress: &dyn Progress) -> Result<()> {
    if progress.is_cancelled() { Err(Error::Cancelled) } else { Ok(()) }
}

/// Begins a stage, unless the search was cancelled.
pub(crate) fn begin(progress: &dyn Progress, name: &str, total: Option<u64>) -> Result<()> {
    go_on(progress)?;
    progress.stage(name, total);
    Ok(())
}
