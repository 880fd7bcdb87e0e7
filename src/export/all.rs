//! Every output. To add one, write its file and add a line here.

use super::csv::Csv;
use super::json::Json;
use super::labelled::Labelled;
use super::lines;
use super::output::{Export, Lines, Planes};
use super::overlay::Overlay;
use super::ply::Outlines;

/// The outputs of planes.
pub static PLANES: &[&dyn for<'a> Export<Planes<'a>>] =
    &[&Json, &Labelled, &Overlay, &Outlines, &Csv];

/// The outputs of lines.
pub static LINES: &[&dyn for<'a> Export<Lines<'a>>] = &[
    &lines::json::Json,
    &lines::overlay::Overlay,
    &lines::csv::Csv,
    &lines::svg::Svg,
    &lines::space::Space,
];
