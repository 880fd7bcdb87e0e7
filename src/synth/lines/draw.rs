//! Draws an image and its lines from options.

use super::options::{Hardness, LineOptions};
use super::truth::{FORMAT, LineTruth, TrueLine, VERSION};
use super::{layout, paint};
use crate::image::{Image, MAX_SIDE};
use crate::{Error, Result};

/// Most lines of an image.
const MOST_LINES: u32 = 1000;

/// Draws an image and returns its lines.
///
/// # Errors
/// [`Error::Parameter`] for invalid options.
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
        Hardness::Photo => {
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
