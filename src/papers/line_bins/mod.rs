//! The bins that stand out in one vote, in one pass: no line takes another's pixels.
//!
//! What the papers call the result, with scores in place of votes: every bin that exceeds chance by
//! enough and is the best around. [`BinSearch`] finds them on the CPU and [`LineBins`] the same list on a
//! GPU; [`detect`](crate::lines::detect()) goes on from there, in rounds.

mod gpu;
mod search;

pub use gpu::{LineBins, Seconds};
pub use search::{Bin, BinSearch};
