//! Writes an image of lines as files.

use super::super::truth::truth_path;
use super::draw::draw;
use super::options::LineOptions;
use super::truth::LineTruth;
use crate::atomic::AtomicFile;
use crate::image::write_png;
use crate::{Error, Result};
use ::image::ExtendedColorType;
use std::io::{self, Write};
use std::path::Path;

/// Draws an image, writes it to `path` as PNG and its truth beside it ([`truth_path`]).
///
/// # Errors
/// [`Error::Parameter`] for invalid options or an unknown extension, [`Error::Io`].
pub fn write_image(options: &LineOptions, path: impl AsRef<Path>) -> Result<LineTruth> {
    let path = path.as_ref();
    if path.extension().is_none_or(|e| !e.eq_ignore_ascii_case("png")) {
        let message = format!("{}: an image of lines is a .png", path.display());
        return Err(Error::Parameter(message));
    }
    let (image, truth) = draw(options)?;
    let mut picture = AtomicFile::create(path)?;
    let size = [image.width(), image.height()];
    write_png(image.grey(), size, ExtendedColorType::L8, &mut picture).map_err(Error::io(path))?;
    let mut document = AtomicFile::create(truth_path(path))?;
    let written = serde_json::to_writer_pretty(&mut document, &truth)
        .map_err(io::Error::from)
        .and_then(|()| document.write_all(b"\n"));
    written.map_err(Error::io(document.path()))?;
    picture.commit()?;
    document.commit()?;
    Ok(truth)
}
