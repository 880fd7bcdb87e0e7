//! Whatever can be searched: a cloud or an image, told by content.

use crate::Result;
use crate::cloud::{Bytes, ReadOptions, Source};
use crate::image::{Image, is_image};
use std::fs::File;
use std::io::Read;
use std::path::Path;

/// Bytes at the start of a file that tell an image.
const HEAD: u64 = 64;

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

    /// The same, where it is known how a cloud is to be read.
    ///
    /// # Errors
    /// As [`Input::open`].
    pub fn open_with(path: impl AsRef<Path>, options: &ReadOptions) -> Result<Input> {
        let bytes = Bytes::of_input(path.as_ref())?;
        if is_image(&bytes.head(0, HEAD)?) {
            let content = bytes.head(0, bytes.len())?;
            return Ok(Input::Image(Image::from_bytes(bytes.path(), &content)?));
        }
        Ok(Input::Cloud(Source::new(bytes, options)?))
    }
}

/// Whether a file is an image, by its first bytes; `None` where that cannot be told before it is
/// opened for good, as of a pipe, or not at all.
pub fn peek_is_image(path: &Path) -> Option<bool> {
    if !path.metadata().ok()?.is_file() {
        return None;
    }
    let mut head = Vec::new();
    File::open(path).ok()?.take(HEAD).read_to_end(&mut head).ok()?;
    Some(is_image(&head))
}
