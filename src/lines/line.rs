//! Lines and their visible pieces.

use super::options::Parameters;
use serde::{Deserialize, Serialize};

/// A visible piece of a line.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Segment {
    /// One end, on the line, in pixels.
    pub start: [f64; 2],
    /// The other end.
    pub end: [f64; 2],
    /// Edge pixels along it.
    pub pixels: u64,
}

/// A line of an image.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Line {
    /// Angle of its normal from the x axis towards y, in degrees, from 0 to below 180.
    pub theta: f64,
    /// `x cos θ + y sin θ` of its points, in pixels.
    pub rho: f64,
    /// Votes of the bin that proposed it.
    pub votes: u64,
    /// By how many standard deviations the votes exceed the number expected by chance.
    pub z: f64,
    /// Evidence against chance: −log₁₀ of the number of such bins in an image whose edge pixels
    /// are scattered at random.
    pub significance: f64,
    /// Edge pixels along its pieces.
    pub pixels: u64,
    /// Width of its stroke in edge pixels.
    pub width: f64,
    /// Its visible pieces, in order along the line.
    pub segments: Vec<Segment>,
}

/// The lines of an image.
#[derive(Debug, Clone, PartialEq)]
pub struct Detection {
    /// Pixels in a row of the image.
    pub width: u32,
    /// Rows of the image.
    pub height: u32,
    /// Edge pixels.
    pub edges: u64,
    /// The parameters of the search.
    pub parameters: Parameters,
    /// The lines, most significant first.
    pub lines: Vec<Line>,
}
