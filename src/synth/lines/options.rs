//! Options of images of lines.

use crate::names::names;

/// The difficulty of an image.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Hardness {
    /// None: strokes one pixel wide, white on black.
    Clean,
    /// Every fifth pixel of a stroke is missing, and 3 % of all pixels are white.
    Noisy,
    /// 30 % of all pixels are white.
    Dense,
    /// Angles on both sides of 0° and 180°, at most a few degrees from it; 3 % of all pixels are
    /// white.
    Wrapped,
    /// Lines along the border of the image and across its corners; 3 % of all pixels are white.
    Border,
    /// Strokes nine pixels wide.
    Thick,
    /// A grey image: dark and light shapes with straight sides on a shaded background, a little blurred,
    /// with the noise of a bad photograph.
    Photo,
}

names! { Hardness, "kind of image":
    Clean = "clean",
    Noisy = "noisy",
    Dense = "dense",
    Wrapped = "wrapped",
    Border = "border",
    Thick = "thick",
    Photo = "photo",
}

/// Options of an image.
#[derive(Debug, Clone, PartialEq)]
pub struct LineOptions {
    /// Its difficulty.
    pub kind: Hardness,
    /// Pixels in a row and rows, 64 or more.
    pub size: [u32; 2],
    /// Number of lines; approximate for a photograph, which has three or four per shape.
    pub lines: u32,
    /// Seed of the random numbers.
    pub seed: u64,
}

impl Default for LineOptions {
    /// Twelve clean lines on 640 × 480 pixels.
    fn default() -> LineOptions {
        LineOptions { kind: Hardness::Clean, size: [640, 480], lines: 12, seed: 1 }
    }
}
