//! The JSON document of the lines of an image.
//!
//! ```text
//! {
//!   "format": "planes-lines",
//!   "version": 1,
//!   "image": { "width": 640, "height": 480, "edges": 3711 },
//!   "parameters": { "edges": "none", … },
//!   "lines": [
//!     { "id": 0, "theta": 45.0, "rho": 70.7, … },
//!   …
//! ```
//!
//! Its layout is published as [`SCHEMA`].

use crate::export::document;
use crate::export::output::{About, Export, Lines};
use crate::lines::{Detection, Line, Parameters};
use crate::{Result, atomic};
use serde::{Deserialize, Serialize};
use std::io::Write;
use std::path::Path;

/// The JSON schema (draft 2020-12) of the document.
pub const SCHEMA: &str = include_str!("../lines.schema.json");

/// The value of the document's `format` member.
pub const FORMAT: &str = "planes-lines";

/// Version of the document; it increases when a reader of the old layout would misread the new one.
pub const VERSION: u32 = 1;

#[derive(Serialize, Deserialize)]
struct ImageEntry {
    width: u32,
    height: u32,
    edges: u64,
}

#[derive(Serialize)]
struct Document<'a> {
    format: &'a str,
    version: u32,
    image: ImageEntry,
    parameters: &'a Parameters,
    lines: Vec<Entry<'a>>,
}

#[derive(Serialize)]
struct Entry<'a> {
    id: usize,
    #[serde(flatten)]
    line: &'a Line,
}

#[derive(Deserialize)]
struct Body {
    image: ImageEntry,
    parameters: Parameters,
    lines: Vec<Line>,
}

/// Writes the document of `detection`, ending with a newline.
///
/// # Errors
/// Errors of `out`.
pub fn write_json(detection: &Detection, out: impl Write) -> std::io::Result<()> {
    let document = Document {
        format: FORMAT,
        version: VERSION,
        image: ImageEntry {
            width: detection.width,
            height: detection.height,
            edges: detection.edges,
        },
        parameters: &detection.parameters,
        lines: detection.lines.iter().enumerate().map(|(id, line)| Entry { id, line }).collect(),
    };
    document::write(&document, out)
}

/// The document as a file.
pub(in crate::export) struct Json;

impl Export<Lines<'_>> for Json {
    fn about(&self) -> About {
        About::new("json", "its lines as JSON", &[".json"])
    }

    fn save(&self, lines: &Lines, path: &Path) -> Result<()> {
        atomic::save(path, |file| write_json(lines.detection, file))
    }
}

/// Reads the document in the file at `path`.
///
/// Members that this version does not know are ignored.
///
/// # Errors
/// [`Error::Io`](crate::Error::Io); [`Error::Format`](crate::Error::Format) if it is not JSON, or another
/// document, or a member is missing or of the wrong type.
pub fn read_json(path: &Path) -> Result<Detection> {
    let body: Body = document::read(path, FORMAT, VERSION)?;
    Ok(Detection {
        width: body.image.width,
        height: body.image.height,
        edges: body.image.edges,
        parameters: body.parameters,
        lines: body.lines,
    })
}

/// Whether the file at `path` is this document or a truth of lines; false if it cannot be read.
pub fn is_of_lines(path: &Path) -> bool {
    let format = document::format_of(path);
    format.is_some_and(|f| f == FORMAT || f == crate::synth::lines::FORMAT)
}
