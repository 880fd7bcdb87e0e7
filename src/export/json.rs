//! The JSON document of a detection.
//!
//! ```text
//! {
//!   "format": "planes-detection",
//!   "version": 1,
//!   "input": { "points": 112586, … },
//!   "parameters": { "directions": "ball:2", … },
//!   "planes": [
//!     { "id": 0, "normal": [0.0,0.0,1.0], "offset": 2.5, … },
//!   …
//! ```
//!
//! Its layout is published as [`SCHEMA`]. It does not contain the points' labels; a plane's `id` is its points'
//! `plane_id` in labelled clouds, and a piece's `id` their `piece_id`.

use super::document;
use super::output::{About, Export, Planes};
use crate::detection::{Detection, FORMAT_VERSION, Input, Parameters};
use crate::measures::Measures;
use crate::plane::{Plane, Polygon};
use crate::{Result, atomic};
use serde::{Deserialize, Serialize};
use std::io::Write;
use std::path::Path;

/// The JSON schema (draft 2020-12) of the document.
pub const SCHEMA: &str = include_str!("detection.schema.json");

/// The value of the document's `format` member.
pub const FORMAT: &str = "planes-detection";

#[derive(Serialize)]
struct Document<'a> {
    format: &'a str,
    version: u32,
    input: &'a Input,
    parameters: &'a Parameters,
    planes: Vec<Entry<'a>>,
}

#[derive(Serialize)]
struct Entry<'a> {
    id: usize,
    #[serde(flatten)]
    measures: Measures,
    #[serde(flatten)]
    plane: &'a Plane,
}

#[derive(Deserialize)]
struct Body {
    input: Input,
    parameters: Parameters,
    planes: Vec<Plane>,
}

/// Writes the document of `detection`, ending with a newline.
///
/// # Errors
/// Errors of `out`; [`std::io::ErrorKind::InvalidData`], before anything is written, if a number is not finite,
/// which JSON cannot represent.
pub fn write_json(detection: &Detection, out: impl Write) -> std::io::Result<()> {
    let document = Document {
        format: FORMAT,
        version: FORMAT_VERSION,
        input: &detection.input,
        parameters: &detection.parameters,
        planes: (detection.planes.iter().enumerate())
            .map(|(id, plane)| Entry { id, measures: Measures::of(plane), plane })
            .collect(),
    };
    if let Some(what) = not_finite(detection) {
        return Err(std::io::Error::new(
            std::io::ErrorKind::InvalidData,
            format!("{what} is not finite"),
        ));
    }
    document::write(&document, out)
}

/// Writes the document to the file at `path`.
///
/// # Errors
/// [`Error::Io`](crate::Error::Io) on `path`.
pub fn save_json(detection: &Detection, path: &Path) -> Result<()> {
    atomic::save(path, |file| write_json(detection, file))
}

/// The document as a file.
pub(super) struct Json;

impl Export<Planes<'_>> for Json {
    fn about(&self) -> About {
        About::new("json", "the planes as JSON", &[".json"])
    }

    fn save(&self, planes: &Planes, path: &Path) -> Result<()> {
        save_json(planes.detection, path)
    }
}

/// Reads the document in the file at `path`; the labels of the result are empty.
///
/// Members that this version does not know are ignored.
///
/// # Errors
/// [`Error::Io`](crate::Error::Io); [`Error::Format`](crate::Error::Format) with the line if it is not JSON, or
/// another document, or a member is missing or of the wrong type.
pub fn read_json(path: &Path) -> Result<Detection> {
    let body: Body = document::read(path, FORMAT, FORMAT_VERSION)?;
    Ok(Detection {
        input: body.input,
        parameters: body.parameters,
        planes: body.planes,
        ..Detection::default()
    })
}

/// The first number of a detection that JSON cannot represent.
fn not_finite(detection: &Detection) -> Option<String> {
    // A number that is not finite becomes null, and null cannot be read back as a number.
    // Where null may stand for a missing number, reading it back gives another value.
    fn survives<T: Serialize + for<'a> Deserialize<'a> + PartialEq>(value: &T) -> bool {
        serde_json::to_value(value).is_ok_and(|v| T::deserialize(v).is_ok_and(|v| v == *value))
    }
    if !survives(&detection.input) {
        return Some("a number of the input".into());
    }
    if !survives(&detection.parameters) {
        return Some("a parameter".into());
    }
    let finite = |ring: &[[f64; 3]]| ring.iter().flatten().all(|x| x.is_finite());
    let bad = detection.planes.iter().position(|plane| {
        let bare = Plane { pieces: Vec::new(), ..plane.clone() };
        let pieces_are_finite = plane.pieces.iter().all(|piece| {
            let Polygon { exterior, holes } = &piece.boundary;
            piece.area.is_finite() && finite(exterior) && holes.iter().all(|h| finite(h))
        });
        !(pieces_are_finite && survives(&bare))
    });
    bad.map(|id| format!("a number of plane {id}"))
}
