//! How a detection reports its progress.

use crate::{Error, Result};

/// Is told how far a detection is, and may cancel it.
pub trait Progress {
    /// A new stage begins; `total` is its number of points, where known. Some clouds, or parts of them, are searched several times, and
    /// their stages begin again.
    fn stage(&self, name: &str, total: Option<u64>);
    /// This many more points are done.
    fn advance(&self, points: u64);
    /// Whether the search shall end with [`Error::Cancelled`]; asked repeatedly.
    fn is_cancelled(&self) -> bool {
        false
    }
}

/// Reports to nobody.
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
