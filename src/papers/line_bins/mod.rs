//! The bins that stand out in a single vote, where no line takes another's pixels.
//!
//! This is the result as the papers define it, with scores instead of votes: every bin that exceeds chance by
//! enough and is the best nearby. [`BinSearch`] finds these bins on the CPU, and [`LineBins`] finds the same
//! list on a GPU. [`detect`](crate::lines::detect()) goes on from there, in rounds.

mod gpu;
mod search;

pub use gpu::{LineBins, Seconds};
pub use search::{Bin, BinSearch};
