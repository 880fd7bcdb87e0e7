//! Every output. A new one is a file of its own and a line here.

use super::csv::Csv;
use super::json::Json;
use super::labelled::Labelled;
use super::lines;
use super::output::{Export, Lines, Planes};
use super::overlay::Overlay;
use super::ply::Outlines;

/// The outputs of planes, as options name them. They are written from the last to the first, so that those come
/// first that read the cloud again and may yet find fault with it.
pub static PLANES: &[&dyn for<'a> Export<Planes<'a>>] =
    &[&Json, &Csv, &Outlines, &Overlay, &Labelled];

/// The outputs of lines.
pub static LINES: &[&dyn for<'a> Export<Lines<'a>>] = &[
    &lines::json::Json,
    &lines::csv::Csv,
    &lines::svg::Svg,
    &lines::overlay::Overlay,
    &lines::space::Space,
];
