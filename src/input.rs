//! Any input that can be searched: a cloud or an image, recognized by its content.

use crate::Result;
use crate::cloud::{
    Bytes, Format, ReadOptions, Source, format_of, head_of, is_depth, is_depth_stream, recognise,
};
use crate::image::{Image, is_image};
use std::fs::File;
use std::io::{Cursor, Seek};
use std::path::Path;
use std::sync::Arc;

/// Bytes at the start of a file by which it is recognized.
const HEAD: u64 = 4096;

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
        let bytes = Arc::new(Bytes::of_input(path.as_ref(), &recognise)?);
        let is_cloud = options.camera.is_some() && is_depth(&bytes);
        if !is_cloud && is_image(&bytes.head(0, HEAD)?) {
            return Ok(Input::Image(Image::read(&bytes)?));
        }
        Ok(Input::Cloud(Source::of(&bytes, options)?))
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

/// The kind of a file by its first bytes, or by those of its content if it is compressed; `None` if it is not
/// recognized, or cannot be before it is opened for good, as with a pipe.
pub fn peek(path: &Path, options: &ReadOptions) -> Option<Kind> {
    if !path.metadata().ok()?.is_file() {
        return None;
    }
    let mut file = File::open(path).ok()?;
    let head = head_of(&file, HEAD).ok()?;
    if !is_image(&head) {
        return format_of(&head).map(Kind::Cloud);
    }
    let is_depth = options.camera.is_some() && {
        file.rewind().ok()?;
        // Of a compressed file the first bytes have to do.
        is_depth_stream(file) || is_depth_stream(Cursor::new(&head))
    };
    Some(if is_depth { Kind::Cloud(Format::DEPTH) } else { Kind::Image })
}
