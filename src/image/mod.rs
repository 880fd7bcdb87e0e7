//! Images in, and their edges.
//!
//! An image becomes [`Image`]: grey values for the search and colours for pictures of the result.
//! [`EdgeMap`] holds its edge pixels, found by one of the [`Method`]s. All of their arithmetic is on
//! integers with a stated rounding, so that the same image gives the same edges on any device.
//!
//! ```
//! use planes::image::{EdgeMap, Image, Method};
//!
//! // A black image with a white column.
//! let rgb = (0..64 * 48).flat_map(|i| if i % 64 == 20 { [255; 3] } else { [0; 3] }).collect();
//! let image = Image::from_rgb(64, 48, rgb)?;
//! let edges = EdgeMap::find(&image, &Method::Auto)?;
//! assert_eq!(edges.method, Method::Drawing { dark: false });
//! assert_eq!(edges.pixels.len(), 48);
//! # Ok::<(), planes::Error>(())
//! ```

mod blur;
mod canny;
mod drawing;
mod edges;
mod gradient;
mod jpeg;
mod otsu;
mod png;
mod read;

pub(crate) use blur::{kernel as blur_kernel, reach as blur_reach};
pub use edges::{EdgeMap, Method};
pub(crate) use edges::{Recipe, SIGMAS, limit};
pub(crate) use png::write_png;
pub(crate) use read::is_image;

use crate::cloud::Bytes;
use crate::{Error, Result, memory};
use std::path::{Path, PathBuf};

/// Most pixels along a side.
pub const MAX_SIDE: u32 = 1 << 15;
/// Most pixels in all.
pub const MAX_PIXELS: u64 = 1 << 28;

/// An image, upright, without transparency.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Image {
    path: PathBuf,
    width: u32,
    height: u32,
    rgb: Vec<u8>,
    grey: Vec<u8>,
}

impl Image {
    /// Reads PNG, JPEG, WebP, TIFF, PBM, PGM or PPM, told by content.
    ///
    /// Sixteen bits become eight, rounded; what is transparent lies on white; the orientation that
    /// a camera wrote down is applied.
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
        let (width, height, rgb) = read::decode(path, bytes)?;
        Ok(Image { path: path.to_path_buf(), ..Image::new(width, height, rgb) })
    }

    /// An image of red, green and blue, row by row from the top.
    ///
    /// # Errors
    /// [`Error::Parameter`] where the number of bytes is not three a pixel, or there is none or
    /// too many.
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
        Image { path: "<memory>".into(), width, height, rgb, grey }
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
    /// OpenCV has it.
    pub fn grey(&self) -> &[u8] {
        &self.grey
    }
}

/// The weights add up to 2¹⁴, so grey stays what it was.
fn luma([r, g, b]: [u8; 3]) -> u8 {
    ((4899 * u32::from(r) + 9617 * u32::from(g) + 1868 * u32::from(b) + 8192) >> 14) as u8
}
