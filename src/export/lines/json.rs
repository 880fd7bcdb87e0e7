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

use super::super::json::Layout;
use crate::atomic::AtomicFile;
use crate::lines::{Detection, Line, Parameters};
use crate::{Error, Result};
use serde::{Deserialize, Serialize};
use std::io::Write;
use std::path::Path;

/// The JSON schema (draft 2020-12) of the document.
pub const SCHEMA: &str = include_str!("../lines.schema.json");

/// What the document's `format` member says.
pub const FORMAT: &str = "planes-lines";

/// Version of the document; it grows when a reader of the old layout would misread the new.
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

/// The members that tell what a document is, read before the others.
#[derive(Deserialize)]
struct Head {
    format: Option<String>,
    version: Option<u64>,
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
/// What `out` answers.
pub fn write_json(detection: &Detection, mut out: impl Write) -> std::io::Result<()> {
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
    let mut serializer = serde_json::Serializer::with_formatter(&mut out, Layout::default());
    document.serialize(&mut serializer)?;
    out.write_all(b"\n")
}

/// Writes the document to the file at `path`.
///
/// # Errors
/// [`Error::Io`] on `path`.
pub fn save_json(detection: &Detection, path: &Path) -> Result<()> {
    let mut file = AtomicFile::create(path)?;
    write_json(detection, &mut file).map_err(Error::io(path))?;
    file.commit()
}

/// Reads the document in the file at `path`.
///
/// Members that this version does not know are passed over.
///
/// # Errors
/// [`Error::Io`]; [`Error::Format`] where it is not JSON, or another document, or a member is missing
/// or of the wrong type.
pub fn read_json(path: &Path) -> Result<Detection> {
    let text = std::fs::read(path).map_err(Error::io(path))?;
    let wrong =
        |e: serde_json::Error| Error::format(path, format!("line {}", e.line()), e.to_string());
    let head: Head = serde_json::from_slice(&text).map_err(wrong)?;
    if head.format.as_deref() != Some(FORMAT) || head.version != Some(u64::from(VERSION)) {
        let message = format!("it is no \"{FORMAT}\" of version {VERSION}");
        return Err(Error::format(path, "document", message));
    }
    let body: Body = serde_json::from_slice(&text).map_err(wrong)?;
    Ok(Detection {
        width: body.image.width,
        height: body.image.height,
        edges: body.image.edges,
        parameters: body.parameters,
        lines: body.lines,
    })
}

/// Whether the file at `path` is such a document, or one of its truth; what cannot be read is not.
pub fn is_of_lines(path: &Path) -> bool {
    let head = std::fs::read(path).ok().and_then(|text| serde_json::from_slice::<Head>(&text).ok());
    let format = head.and_then(|head| head.format);
    format.is_some_and(|f| f == FORMAT || f == crate::synth::lines::FORMAT)
}
