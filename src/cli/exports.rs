//! The library's outputs by name, from which options are made.

use planes::Error;
use planes::export::{About, Export, LINES, PLANES};
use planes::input::Kind;
use std::path::Path;

/// The outputs with one name: of planes, of lines, or of both.
#[derive(Debug, Clone, Copy)]
pub struct Named {
    /// The description that the option uses.
    pub about: About,
    pub of_planes: Option<About>,
    pub of_lines: Option<About>,
}

impl Named {
    /// All outputs.
    pub fn all() -> Vec<Named> {
        let planes: Vec<About> = PLANES.iter().map(|export| export.about()).collect();
        let lines: Vec<About> = LINES.iter().map(|export| export.about()).collect();
        let of = |all: &[About], name| all.iter().find(|other| other.name == name).copied();
        let alone = lines.iter().filter(|about| of(&planes, about.name).is_none());
        let firsts = planes.iter().chain(alone).map(|&about| Named {
            about,
            of_planes: of(&planes, about.name),
            of_lines: of(&lines, about.name),
        });
        firsts.collect()
    }

    /// The content, for people.
    pub fn what(&self) -> String {
        match (self.of_planes, self.of_lines) {
            (Some(planes), Some(lines)) => format!("{}; for an image, {}", planes.what, lines.what),
            _ => self.about.what.to_owned(),
        }
    }

    /// The extensions that its files may have, each with its dot.
    pub fn extensions(&self) -> Vec<String> {
        let all = [self.of_planes, self.of_lines].into_iter().flatten();
        let mut extensions: Vec<String> =
            all.flat_map(|about| about.extensions()).map(|end| format!(".{end}")).collect();
        extensions.dedup();
        extensions
    }
}

/// The outputs for a kind of input, in the order in which they are written: first those that read the input
/// again, since that may still fail, with the labelled cloud before the picture; last the document.
pub fn outputs_of(input: Kind) -> Vec<About> {
    let all: Vec<About> = match input {
        Kind::Cloud(_) => PLANES.iter().map(|export| export.about()).collect(),
        Kind::Image => LINES.iter().map(|export| export.about()).collect(),
    };
    let (first, mut last): (Vec<About>, Vec<About>) =
        all.into_iter().partition(|about| about.needs_labels);
    last.reverse();
    [first, last].concat()
}

/// Writes the output with this name.
pub fn save<R>(
    exports: &[&dyn Export<R>],
    name: &str,
    found: &R,
    path: &Path,
) -> Result<(), Error> {
    let mut named = exports.iter().filter(|export| export.about().name == name);
    named.try_for_each(|export| export.save(found, path))
}
