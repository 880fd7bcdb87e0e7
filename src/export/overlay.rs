//! The picture of a cloud as an output.

use super::output::{About, Export, Planes, Style};
use super::picture::{PictureOptions, save_picture};
use crate::Result;
use crate::cloud::Fields;
use std::path::Path;

/// The picture as a PNG file.
pub struct Overlay;

impl Export<Planes<'_>> for Overlay {
    fn about(&self) -> About {
        About {
            needs_labels: true,
            follows: |asked| Style { up: asked.up, ..Style::default() },
            ..About::new("overlay", "a picture of the cloud coloured by plane", &[".png"])
        }
    }

    fn save(&self, planes: &Planes, path: &Path) -> Result<()> {
        let mut reader = planes.source.reader(Fields::default())?;
        let options = PictureOptions { up: planes.style.up, ..PictureOptions::default() };
        save_picture(reader.as_mut(), planes.detection, &options, path)
    }
}
