//! Lines in images.
//!
//! An edge pixel is a point `(x, y, 0)`, a line a direction `(cos θ, sin θ, 0)` and a distance, so
//! that the voters of clouds vote here, too. What is ours is the question which bins are lines.
//! Many votes alone mean little: a bin that crosses the image along its diagonal, or where edges are
//! dense, has many by chance. So a bin is scored against chance (see [`Chance`]); the best are
//! refined on their own pixels, their pixels are taken away with their votes, and so on in rounds,
//! until chance could have made what is left.
//!
//! Pixel centres are at integers, the origin is the centre of the top left pixel, `y` points down;
//! a line is `x cos θ + y sin θ = ρ` with `0° ≤ θ < 180°`.
//!
//! ```
//! use planes::cpu::Cpu;
//! use planes::image::Image;
//! use planes::lines::{Options, detect};
//!
//! // A white line on black: x + y = 100.
//! let on = |x: u32, y: u32| x + y == 100;
//! let pixels = (0..100 * 100).flat_map(|i| [if on(i % 100, i / 100) { 255 } else { 0 }; 3]);
//! let image = Image::from_rgb(100, 100, pixels.collect())?;
//!
//! let found = detect(&image, &Options::default(), &Cpu::default())?;
//! assert_eq!(found.lines.len(), 1);
//! let line = &found.lines[0];
//! assert!((line.theta - 45.0).abs() < 0.01 && (line.rho - 70.71).abs() < 0.01);
//! # Ok::<(), planes::Error>(())
//! ```

mod area;
mod bins;
mod cast;
mod chance;
mod detect;
mod fit;
mod geometry;
mod merge;
mod one_pass;
mod options;
mod pieces;
mod raster;
mod refine;
mod rounds;
mod space;
mod verify;
mod voters;
mod zoom;

pub use bins::{Bin, BinSearch};
pub use chance::Chance;
pub use detect::{detect, detect_in};
pub use one_pass::{OnePass, one_pass};
pub use options::{Options, Parameters, PassParameters, Strokes};
pub use space::Polar;
pub use voters::{Voters, fit_voters};

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
    /// By how many standard deviations they exceed what chance would have put there.
    pub z: f64,
    /// What speaks against chance: −log₁₀ of the number of such bins in an image whose edge pixels
    /// are strewn at random.
    pub significance: f64,
    /// Edge pixels along its pieces.
    pub pixels: u64,
    /// Width of its stroke in edge pixels.
    pub width: f64,
    /// Its visible pieces, in the order of their place along the line.
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
    /// How it was searched.
    pub parameters: Parameters,
    /// The lines, those first that exceed chance by most.
    pub lines: Vec<Line>,
}
