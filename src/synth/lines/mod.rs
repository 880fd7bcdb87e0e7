//! Images of known lines.
//!
//! ```
//! use planes::synth::lines::{Kind, LineOptions, draw};
//!
//! let (image, truth) = draw(&LineOptions { kind: Kind::Dense, ..LineOptions::default() })?;
//! assert_eq!(image.width(), 640);
//! assert_eq!(truth.lines.len(), 12);
//! # Ok::<(), planes::Error>(())
//! ```

mod file;
mod layout;
mod paint;
mod sparse;
mod truth;

pub use file::write_image;
pub use sparse::{SparseLine, strewn, uniform_points};
pub use truth::{FORMAT, LineTruth, TrueLine, VERSION};

use crate::image::{Image, MAX_SIDE};
use crate::names::names;
use crate::{Error, Result};

/// What makes an image hard.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Kind {
    /// Nothing: strokes one pixel wide, white on black.
    Clean,
    /// Every fifth pixel of a stroke is missing, and 3 % of all pixels are white.
    Noisy,
    /// 30 % of all pixels are white.
    Dense,
    /// Angles on both sides of 0° and 180°, a few degrees and less from it; 3 % of all pixels are
    /// white.
    Wrapped,
    /// Lines along the border of the image and across its corners; 3 % of all pixels are white.
    Border,
    /// Strokes nine pixels wide.
    Thick,
    /// A grey image: dark and light shapes with straight sides on shaded ground, a little blurred,
    /// with the noise of a bad photograph.
    Photo,
}

names! { Kind, "kind of image":
    Clean = "clean",
    Noisy = "noisy",
    Dense = "dense",
    Wrapped = "wrapped",
    Border = "border",
    Thick = "thick",
    Photo = "photo",
}

/// How an image is drawn.
#[derive(Debug, Clone, PartialEq)]
pub struct LineOptions {
    /// What makes it hard.
    pub kind: Kind,
    /// Pixels in a row and rows, 64 or more.
    pub size: [u32; 2],
    /// Number of lines; a photograph has about so many, three or four a shape.
    pub lines: u32,
    /// Where the random numbers start.
    pub seed: u64,
}

impl Default for LineOptions {
    /// Twelve clean lines on 640 × 480 pixels.
    fn default() -> LineOptions {
        LineOptions { kind: Kind::Clean, size: [640, 480], lines: 12, seed: 1 }
    }
}

/// Most lines of an image.
const MOST_LINES: u32 = 1000;

/// Draws an image and tells its lines.
///
/// # Errors
/// [`Error::Parameter`] for options that make no sense.
pub fn draw(options: &LineOptions) -> Result<(Image, LineTruth)> {
    let [width, height] = options.size;
    if !(64..=MAX_SIDE).contains(&width) || !(64..=MAX_SIDE).contains(&height) {
        let message = format!("an image of lines has 64 to {MAX_SIDE} pixels along a side");
        return Err(Error::Parameter(message));
    }
    if options.lines > MOST_LINES {
        return Err(Error::Parameter(format!("an image has at most {MOST_LINES} lines")));
    }
    let (grey, lines) = match options.kind {
        Kind::Photo => {
            let shapes = layout::shapes(options);
            let lines = shapes.iter().flat_map(layout::Shape::sides).collect();
            (paint::photo(options, &shapes), lines)
        }
        _ => {
            let lines = layout::lines(options);
            (paint::drawing(options, &lines), lines)
        }
    };
    let rgb = grey.into_iter().flat_map(|v| [v; 3]).collect();
    let truth = LineTruth {
        format: FORMAT.into(),
        version: VERSION,
        kind: options.kind.name().into(),
        width,
        height,
        seed: options.seed,
        lines: lines.into_iter().map(TrueLine::between).collect(),
    };
    Ok((Image::from_rgb(width, height, rgb)?, truth))
}
