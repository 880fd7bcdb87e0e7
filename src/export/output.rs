//! The interface of an output.

use super::labels::LabelBy;
use super::picture::Up;
use crate::backend::Backend;
use crate::cloud::{Format, Source};
use crate::image::{EdgeMap, Image};
use crate::input::Kind;
use crate::{Detection, Result, lines};
use std::path::Path;

/// A kind of file that can be written from [`Planes`] or [`Lines`].
pub trait Export<R>: Sync {
    /// The name of the output and of its files.
    fn about(&self) -> About;

    /// Writes the file at `path`, completely or not at all.
    ///
    /// # Errors
    /// [`Error::Io`](crate::Error::Io) on `path`, and errors of reading the input again.
    fn save(&self, found: &R, path: &Path) -> Result<()>;
}

/// The planes of a cloud and everything else that their files are made from.
#[derive(Debug, Clone, Copy)]
pub struct Planes<'a> {
    /// The cloud, which some outputs read again.
    pub source: &'a Source,
    /// The planes found.
    pub detection: &'a Detection,
    /// The style of the files.
    pub style: Style,
}

/// The lines of an image and everything else that their files are made from.
#[derive(Clone, Copy)]
pub struct Lines<'a> {
    /// The image.
    pub image: &'a Image,
    /// Its edge pixels.
    pub edges: &'a EdgeMap,
    /// The lines found.
    pub detection: &'a lines::Detection,
    /// The backend that votes for a picture of the Hough space.
    pub backend: &'a dyn Backend,
}

/// User choices about the content of files.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Style {
    /// How a labelled cloud labels its points.
    pub by: LabelBy,
    /// Which coordinate points up in a picture.
    pub up: Up,
}

/// Description of an output, for people and for options.
#[derive(Debug, Clone, Copy)]
pub struct About {
    /// The name of the output, such as `csv`. An output of planes and an output of lines may share a name.
    pub name: &'static str,
    /// The name of the output's option; differs from `name` only if that option means something else.
    pub option: &'static str,
    /// The content, for people: it completes a sentence that begins with "Write".
    pub what: &'static str,
    /// The possible endings that follow the input's name in the name of the file.
    pub endings: &'static [&'static str],
    /// Whether the output contains the plane of each point, for which the input is read again.
    pub needs_labels: bool,
    /// The part of a style that the output follows.
    pub follows: fn(Style) -> Style,
}

impl About {
    /// An output that ignores the style and needs only the planes or lines.
    #[must_use]
    pub fn new(name: &'static str, what: &'static str, endings: &'static [&'static str]) -> About {
        let follows = |_| Style::default();
        About { name, option: name, what, endings, needs_labels: false, follows }
    }

    /// The ending for this kind of input: that of the input's own format, or else the first.
    #[must_use]
    pub fn ending(&self, input: Kind) -> &'static str {
        let own = match input {
            Kind::Cloud(Format::LAS) => ".las",
            Kind::Cloud(Format::LAZ) => ".laz",
            Kind::Cloud(Format::PLY) => ".ply",
            Kind::Cloud(Format::PCD) => ".pcd",
            Kind::Cloud(Format::E57) => ".e57",
            Kind::Cloud(_) | Kind::Image => "",
        };
        let found = self.endings.iter().find(|ending| !own.is_empty() && ending.ends_with(own));
        found.or(self.endings.first()).copied().unwrap_or_default()
    }

    /// The extensions that the file may have.
    pub fn extensions(&self) -> impl Iterator<Item = &'static str> + use<> {
        self.endings.iter().filter_map(|ending| Some(ending.rsplit_once('.')?.1))
    }
}
