//! Writes pictures.

use image::codecs::png::{CompressionType, FilterType, PngEncoder};
use image::{ExtendedColorType, ImageEncoder, ImageError};
use std::io::{self, Write};

/// Writes pixels, row by row from the top, as PNG.
pub(crate) fn write_png(
    pixels: &[u8],
    [width, height]: [u32; 2],
    colour: ExtendedColorType,
    out: impl Write,
) -> io::Result<()> {
    // The compression is named, so that pictures stay the same when the default changes.
    let encoder = PngEncoder::new_with_quality(out, CompressionType::Default, FilterType::Adaptive);
    encoder.write_image(pixels, width, height, colour).map_err(|error| match error {
        ImageError::IoError(error) => error,
        other => io::Error::other(other),
    })
}
