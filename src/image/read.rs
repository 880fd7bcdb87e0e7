//! Decodes files into pixels.

use super::jpeg;
use super::limits::{MAX_PIXELS, MAX_SIDE};
use super::pnm::is_pnm;
use crate::cloud::quiet::catch;
use crate::{Error, Result};
use ::image::metadata::Orientation;
use ::image::{
    ColorType, DynamicImage, ImageDecoder, ImageError, ImageFormat, ImageReader, Limits,
};
use std::io::Cursor;
use std::path::Path;

/// The first bytes of each format.
const STARTS: [(&[u8], ImageFormat); 12] = [
    (b"\x89PNG", ImageFormat::Png),
    (b"\xff\xd8\xff", ImageFormat::Jpeg),
    (b"II*\0", ImageFormat::Tiff),
    (b"MM\0*", ImageFormat::Tiff),
    (b"II+\0", ImageFormat::Tiff),
    (b"MM\0+", ImageFormat::Tiff),
    (b"P1", ImageFormat::Pnm),
    (b"P2", ImageFormat::Pnm),
    (b"P3", ImageFormat::Pnm),
    (b"P4", ImageFormat::Pnm),
    (b"P5", ImageFormat::Pnm),
    (b"P6", ImageFormat::Pnm),
];

/// Most bytes that a decoder may ask for: four channels of 16 bits, and as much again to rotate the image.
const MOST_MEMORY: u64 = MAX_PIXELS * 16;

/// Most bytes of a file.
pub(super) const MOST_BYTES: u64 = MOST_MEMORY;

/// The message for any other file.
pub(super) const NO_IMAGE: &str = "no PNG, JPEG, WebP, TIFF or PNM image";

/// The message for an image of a kind that cannot be read.
const UNSUPPORTED: &str =
    "pixels of this kind are not read; grey or colour of 8 or 16 bits in whole numbers is";

/// Whether a file that starts with these bytes is an image that can be read.
pub(crate) fn is_image(head: &[u8]) -> bool {
    format(head).is_some()
}

fn format(head: &[u8]) -> Option<ImageFormat> {
    if head.starts_with(b"RIFF") {
        return (head.get(8..12) == Some(b"WEBP")).then_some(ImageFormat::WebP);
    }
    let (_, format) = STARTS.into_iter().find(|(start, _)| head.starts_with(start))?;
    (format != ImageFormat::Pnm || is_pnm(head)).then_some(format)
}

/// An image, decoded.
pub(super) struct Decoded {
    pub(super) width: u32,
    pub(super) height: u32,
    /// Red, green and blue.
    pub(super) rgb: Vec<u8>,
    /// Whether the file has 16 bits in one channel.
    pub(super) is_deep: bool,
}

/// The image in `bytes`.
pub(super) fn decode(path: &Path, bytes: &[u8]) -> Result<Decoded> {
    let format = format(bytes).ok_or_else(|| Error::Unrecognized {
        path: path.to_path_buf(),
        message: NO_IMAGE.into(),
    })?;
    let wrong = |message: String| Error::format(path, "image", message);
    if format == ImageFormat::Jpeg && !jpeg::is_whole(bytes) {
        return Err(wrong("it is cut off: the JPEG data end before the end of the image".into()));
    }
    // A decoder that panics on damaged bytes must not end the program.
    let decoded = catch(|| decode_as(format, bytes)).map_err(wrong)?;
    let (image, orientation) = decoded.map_err(wrong)?;
    let upright = catch(|| {
        let mut image = image;
        image.apply_orientation(orientation);
        over_white(image)
    });
    upright.map_err(wrong)
}

fn decode_as(
    format: ImageFormat,
    bytes: &[u8],
) -> std::result::Result<(DynamicImage, Orientation), String> {
    let said = |error: ImageError| match error {
        ImageError::Unsupported(_) => UNSUPPORTED.to_owned(),
        error => error.to_string(),
    };
    let mut limits = Limits::default();
    limits.max_image_width = Some(MAX_SIDE);
    limits.max_image_height = Some(MAX_SIDE);
    limits.max_alloc = Some(MOST_MEMORY);
    let mut reader = ImageReader::with_format(Cursor::new(bytes), format);
    reader.limits(limits);
    let mut decoder = reader.into_decoder().map_err(said)?;
    let (width, height) = decoder.dimensions();
    let pixels = u64::from(width) * u64::from(height);
    if width == 0 || height == 0 {
        return Err("it has no pixels".into());
    }
    if width.max(height) > MAX_SIDE || pixels > MAX_PIXELS {
        let message = format!(
            "{width} × {height} pixels; at most {MAX_SIDE} along a side and {MAX_PIXELS} in all \
             are read"
        );
        return Err(message);
    }
    // An orientation that cannot be read counts as none.
    let orientation = decoder.orientation().unwrap_or(Orientation::NoTransforms);
    Ok((DynamicImage::from_decoder(decoder).map_err(said)?, orientation))
}

/// Eight bits per channel, with transparent pixels on white.
fn over_white(image: DynamicImage) -> Decoded {
    let (width, height, is_deep) = (image.width(), image.height(), image.color() == ColorType::L16);
    if !image.color().has_alpha() {
        return Decoded { width, height, rgb: image.into_rgb8().into_raw(), is_deep };
    }
    let rgba = image.into_rgba8().into_raw();
    let blend = |value: u8, alpha: u8| {
        let (value, alpha) = (u32::from(value), u32::from(alpha));
        ((value * alpha + 255 * (255 - alpha) + 127) / 255) as u8
    };
    let rgb = rgba.chunks_exact(4).flat_map(|p| [p[0], p[1], p[2]].map(|v| blend(v, p[3])));
    Decoded { width, height, rgb: rgb.collect(), is_deep }
}
