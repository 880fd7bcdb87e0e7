//! How images of lines are drawn.

use crate::names::names;

/// What makes an image hard.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Hardness {
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

names! { Hardness, "kind of image":
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
    pub kind: Hardness,
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
        LineOptions { kind: Hardness::Clean, size: [640, 480], lines: 12, seed: 1 }
    }
}
