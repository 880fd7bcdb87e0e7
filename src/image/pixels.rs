//! An image in memory.

use super::limits::{MAX_PIXELS, MAX_SIDE};
use super::read::{self, Decoded, is_image};
use crate::cloud::Bytes;
use crate::{Error, Result, memory};
use std::path::{Path, PathBuf};

/// An image, upright, without transparency.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Image {
    path: PathBuf,
    width: u32,
    height: u32,
    rgb: Vec<u8>,
    grey: Vec<u8>,
    is_deep: bool,
}

impl Image {
    /// Reads PNG, JPEG, WebP, TIFF, PBM, PGM or PPM, recognised by content.
    ///
    /// Sixteen bits become eight, rounded; transparent pixels are placed on white; the orientation recorded
    /// by the camera is applied.
    ///
    /// # Errors
    /// [`Error::Io`]; [`Error::Format`] for a damaged or too large image; [`Error::Unrecognized`]
    /// for anything else.
    pub fn open(path: impl AsRef<Path>) -> Result<Image> {
        let recognise = |head: &[u8]| match is_image(head) {
            true => Ok(()),
            false => Err(read::NO_IMAGE.to_owned()),
        };
        Image::read(&Bytes::of_input(path.as_ref(), &recognise)?)
    }

    /// The image in a file.
    pub(crate) fn read(bytes: &Bytes) -> Result<Image> {
        if bytes.len() > read::MOST_BYTES {
            let message = "larger than any image that is read";
            return Err(Error::format(bytes.path(), format!("{} bytes", bytes.len()), message));
        }
        memory::check(bytes.path(), bytes.len())?;
        Image::from_bytes(bytes.path(), &bytes.head(0, bytes.len())?)
    }

    /// The image in the bytes of a file; errors name `path`.
    ///
    /// # Errors
    /// As [`Image::open`].
    pub fn from_bytes(path: &Path, bytes: &[u8]) -> Result<Image> {
        let Decoded { width, height, rgb, is_deep } = read::decode(path, bytes)?;
        Ok(Image { path: path.to_path_buf(), is_deep, ..Image::new(width, height, rgb) })
    }

    /// An image from red, green and blue bytes, row by row from the top.
    ///
    /// # Errors
    /// [`Error::Parameter`] if the number of bytes is not three per pixel, or the image is empty or
    /// too large.
    pub fn from_rgb(width: u32, height: u32, rgb: Vec<u8>) -> Result<Image> {
        let pixels = u64::from(width) * u64::from(height);
        let sides = 1..=MAX_SIDE;
        if !sides.contains(&width)
            || !sides.contains(&height)
            || pixels > MAX_PIXELS
            || rgb.len() as u64 != 3 * pixels
        {
            return Err(Error::Parameter(format!(
                "{} bytes are no image of {width} × {height} pixels",
                rgb.len()
            )));
        }
        Ok(Image::new(width, height, rgb))
    }

    fn new(width: u32, height: u32, rgb: Vec<u8>) -> Image {
        let grey = rgb.chunks_exact(3).map(|p| luma([p[0], p[1], p[2]])).collect();
        Image { path: "<memory>".into(), width, height, rgb, grey, is_deep: false }
    }

    /// Whether the file has 16 bits in one channel, as depth images have.
    pub fn is_deep(&self) -> bool {
        self.is_deep
    }

    /// The file, or `<memory>`.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Pixels in a row.
    pub fn width(&self) -> u32 {
        self.width
    }

    /// Number of rows.
    pub fn height(&self) -> u32 {
        self.height
    }

    /// Red, green, blue of each pixel, row by row from the top.
    pub fn rgb(&self) -> &[u8] {
        &self.rgb
    }

    /// The brightness of each pixel: `(4899 R + 9617 G + 1868 B + 8192) / 16384`, rounded down, as
    /// in OpenCV.
    pub fn grey(&self) -> &[u8] {
        &self.grey
    }
}

/// The weights add up to 2¹⁴, so grey stays unchanged.
fn luma([r, g, b]: [u8; 3]) -> u8 {
    ((4899 * u32::from(r) + 9617 * u32::from(g) + 1868 * u32::from(b) + 8192) >> 14) as u8
}
