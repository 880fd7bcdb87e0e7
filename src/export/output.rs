//! What an output is.

use super::labels::LabelBy;
use super::picture::Up;
use crate::backend::Backend;
use crate::cloud::{Format, Source};
use crate::image::{EdgeMap, Image};
use crate::input::Kind;
use crate::{Detection, Result, lines};
use std::path::Path;

/// A kind of file that can be written of what was found: of [`Planes`] or of [`Lines`].
pub trait Export<R>: Sync {
    /// What the output is called and how its files are named.
    fn about(&self) -> About;

    /// Writes the file at `path`, whole or not at all.
    ///
    /// # Errors
    /// [`Error::Io`](crate::Error::Io) on `path`, and what reading the input again answers.
    fn save(&self, found: &R, path: &Path) -> Result<()>;
}

/// The planes of a cloud and all that their files are made from.
#[derive(Debug, Clone, Copy)]
pub struct Planes<'a> {
    /// The cloud, which some outputs read again.
    pub source: &'a Source,
    /// What was found.
    pub detection: &'a Detection,
    /// How the files look.
    pub style: Style,
}

/// The lines of an image and all that their files are made from.
#[derive(Clone, Copy)]
pub struct Lines<'a> {
    /// The image.
    pub image: &'a Image,
    /// Its edge pixels.
    pub edges: &'a EdgeMap,
    /// What was found.
    pub detection: &'a lines::Detection,
    /// Who votes for a picture of the Hough space.
    pub backend: &'a dyn Backend,
}

/// What is left to taste in a file.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Style {
    /// By what a labelled cloud tells its points apart.
    pub by: LabelBy,
    /// Which coordinate points up in a picture.
    pub up: Up,
}

/// What people and options are told of an output.
#[derive(Debug, Clone, Copy)]
pub struct About {
    /// The name of the output, such as `csv`. One output of planes and one of lines may share it.
    pub name: &'static str,
    /// The name of the option for this output alone; the same unless that means something else.
    pub option: &'static str,
    /// The content, for people: it goes on after "Write".
    pub what: &'static str,
    /// How the name of the file may end after that of the input.
    pub endings: &'static [&'static str],
    /// Whether the output tells the plane of each point, for which the input is read again.
    pub needs_labels: bool,
    /// The part of a style that the output follows.
    pub follows: fn(Style) -> Style,
}

impl About {
    /// An output that is the same in every style and needs the planes or lines alone.
    #[must_use]
    pub fn new(name: &'static str, what: &'static str, endings: &'static [&'static str]) -> About {
        let follows = |_| Style::default();
        About { name, option: name, what, endings, needs_labels: false, follows }
    }

    /// The ending for such an input: that of the input's own format, or else the first.
    #[must_use]
    pub fn ending(&self, input: Kind) -> &'static str {
        let own = match input {
            Kind::Cloud(Format::LAS) => ".las",
            Kind::Cloud(Format::LAZ) => ".laz",
            Kind::Cloud(Format::PLY) => ".ply",
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
