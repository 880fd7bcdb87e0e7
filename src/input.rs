//! Any input that can be searched: a cloud or an image, recognized by its content.

use crate::Result;
use crate::cloud::{Bytes, Format, ReadOptions, Source, format_of, recognise};
use crate::image::{Image, is_image};
use std::fs::File;
use std::io::Read;
use std::path::Path;

/// Bytes at the start of a file by which it is recognized.
const HEAD: u64 = 4096;
/// Bytes by which an image is recognized.
const IMAGE_HEAD: u64 = 64;

/// An input, opened.
#[derive(Debug)]
pub enum Input {
    /// A cloud, whose planes can be found.
    Cloud(Source),
    /// An image, whose lines can be found.
    Image(Image),
}

impl Input {
    /// Opens a file; `-` is standard input.
    ///
    /// # Errors
    /// As [`Source::open`] and [`Image::open`].
    pub fn open(path: impl AsRef<Path>) -> Result<Input> {
        Input::open_with(path, &ReadOptions::default())
    }

    /// The same, with options for reading a cloud.
    ///
    /// # Errors
    /// As [`Input::open`].
    pub fn open_with(path: impl AsRef<Path>, options: &ReadOptions) -> Result<Input> {
        let recognise = |head: &[u8]| if is_image(head) { Ok(()) } else { recognise(head) };
        let bytes = Bytes::of_input(path.as_ref(), &recognise)?;
        if is_image(&bytes.head(0, IMAGE_HEAD)?) {
            return Ok(Input::Image(Image::read(&bytes)?));
        }
        Ok(Input::Cloud(Source::new(bytes, options)?))
    }
}

/// What a file holds, judged by its first bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A cloud.
    Cloud(Format),
    /// An image.
    Image,
}

/// The kind of a file by its first bytes; `None` if it is not recognized, or cannot be before it is opened
/// for good, as with a pipe.
pub fn peek(path: &Path) -> Option<Kind> {
    if !path.metadata().ok()?.is_file() {
        return None;
    }
    let mut head = Vec::new();
    File::open(path).ok()?.take(HEAD).read_to_end(&mut head).ok()?;
    if is_image(&head) { Some(Kind::Image) } else { format_of(&head).map(Kind::Cloud) }
}
