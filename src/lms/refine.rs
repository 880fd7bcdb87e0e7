//! How a peak becomes a line or a plane.

use crate::{Error, Result};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// A way from a bin of the accumulator to a line or a plane.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Refine {
    /// No refinement: the middle of the bin.
    None,
    /// Least squares through the points of the bin or of the plane, outliers included.
    #[default]
    Ols,
    /// Least median of squares, then least squares through the points within
    /// [`SIGMAS`](super::SIGMAS) robust standard deviations.
    Lms,
    /// For lines only: a vote in a fine space around the bin, then in turn the visible pieces, the width of
    /// the stroke, and least squares through its pixels.
    Stroke,
}

impl Refine {
    /// All of them.
    pub const ALL: [Refine; 4] = [Refine::None, Refine::Ols, Refine::Lms, Refine::Stroke];

    /// Its name.
    pub const fn name(self) -> &'static str {
        match self {
            Refine::None => "none",
            Refine::Ols => "ols",
            Refine::Lms => "lms",
            Refine::Stroke => "stroke",
        }
    }
}

impl fmt::Display for Refine {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Refine {
    type Err = Error;

    fn from_str(text: &str) -> Result<Refine> {
        let found = Refine::ALL.into_iter().find(|refine| refine.name() == text);
        found.ok_or_else(|| {
            Error::Parameter(format!("{text}: refinement is one of none, ols, lms, stroke"))
        })
    }
}
