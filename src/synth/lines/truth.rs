//! The lines of an image, as a document beside it.

use crate::space::in_half_turn;
use crate::{Error, Result};
use serde::{Deserialize, Serialize};
use std::path::Path;

/// The value of the document's `format` member.
pub const FORMAT: &str = "planes-lines-truth";

/// Version of the document; it increases when a reader of the old layout would misread the new one.
pub const VERSION: u32 = 1;

/// The lines of an image.
///
/// The origin is the centre of the top left pixel, `y` points down.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LineTruth {
    /// [`FORMAT`].
    pub format: String,
    /// [`VERSION`].
    pub version: u32,
    /// Name of the image's kind.
    pub kind: String,
    /// Pixels in a row.
    pub width: u32,
    /// Rows.
    pub height: u32,
    /// Seed of the random numbers.
    pub seed: u64,
    /// The lines.
    pub lines: Vec<TrueLine>,
}

/// A line and its drawn part.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct TrueLine {
    /// Angle of its normal from the x axis towards y, in degrees, from 0 to below 180.
    pub theta: f64,
    /// `x cos θ + y sin θ` of its points, in pixels.
    pub rho: f64,
    /// One end of the drawn part, in the middle of the stroke.
    pub start: [f64; 2],
    /// The other end.
    pub end: [f64; 2],
}

impl TrueLine {
    /// The line through two points.
    pub fn between([start, end]: [[f64; 2]; 2]) -> TrueLine {
        let normal = [start[1] - end[1], end[0] - start[0]];
        let length = (normal[0] * normal[0] + normal[1] * normal[1]).sqrt();
        let theta = normal[1].atan2(normal[0]).to_degrees();
        let rho = (normal[0] * start[0] + normal[1] * start[1]) / length;
        let (theta, rho) = in_half_turn((theta, rho));
        TrueLine { theta, rho, start, end }
    }
}

impl LineTruth {
    /// Reads a truth document.
    ///
    /// # Errors
    /// [`Error::Io`], and [`Error::Format`] if the file is another document or of another version.
    pub fn read(path: impl AsRef<Path>) -> Result<LineTruth> {
        let path = path.as_ref();
        let text = std::fs::read(path).map_err(Error::io(path))?;
        let truth: LineTruth = serde_json::from_slice(&text).map_err(Error::json(path))?;
        if truth.format != FORMAT || truth.version != VERSION {
            let message = format!("it is no {FORMAT} of version {VERSION}");
            return Err(Error::format(path, "document", message));
        }
        Ok(truth)
    }
}
