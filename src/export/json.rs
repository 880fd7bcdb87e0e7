//! The JSON document of a detection.
//!
//! ```text
//! {
//!   "format": "planes-detection",
//!   "version": 1,
//!   "input": { "points": 112586, … },
//!   "parameters": { "theta_bins": 180, … },
//!   "planes": [
//!     { "id": 0, "normal": [0.0,0.0,1.0], "offset": 2.5, … },
//!   …
//! ```
//!
//! Its layout is published as [`SCHEMA`]. Labels of points are not part of it; `id` is the label
//! that the labelled clouds give to the points of a plane, and of its pieces.

use crate::atomic::AtomicFile;
use crate::detection::{Detection, FORMAT_VERSION, Input, Parameters};
use crate::plane::{Plane, Polygon};
use crate::{Error, Result};
use serde::{Deserialize, Serialize};
use std::io::Write;
use std::path::Path;

/// The JSON schema (draft 2020-12) of the document.
pub const SCHEMA: &str = include_str!("detection.schema.json");

/// What the document's `format` member says.
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
    plane: &'a Plane,
}

/// The members that tell what a document is, read before the others.
#[derive(Deserialize)]
struct Head {
    format: Option<String>,
    version: Option<u64>,
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
/// What `out` answers; [`std::io::ErrorKind::InvalidData`] when a number is not finite, which JSON
/// cannot hold, before anything is written.
pub fn write_json(detection: &Detection, mut out: impl Write) -> std::io::Result<()> {
    let document = Document {
        format: FORMAT,
        version: FORMAT_VERSION,
        input: &detection.input,
        parameters: &detection.parameters,
        planes: (detection.planes.iter().enumerate())
            .map(|(id, plane)| Entry { id, plane })
            .collect(),
    };
    if let Some(what) = not_finite(detection) {
        return Err(std::io::Error::new(
            std::io::ErrorKind::InvalidData,
            format!("{what} is not finite"),
        ));
    }
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

/// Reads the document in the file at `path`; the labels of the result are empty.
///
/// Members that this version does not know are passed over.
///
/// # Errors
/// [`Error::Io`]; [`Error::Format`] with the line when it is not JSON, or another document, or a
/// member is missing or of the wrong type.
pub fn read_json(path: &Path) -> Result<Detection> {
    let text = std::fs::read(path).map_err(Error::io(path))?;
    let wrong = |e: serde_json::Error| {
        // The message repeats the place, which stands before it already.
        let message = e.to_string();
        let end = message.rfind(" at line ").unwrap_or(message.len());
        let place = format!("line {}", e.line());
        Error::format(path, place, &message[..end])
    };
    let head: Head = serde_json::from_slice(&text).map_err(wrong)?;
    if head.format.as_deref() != Some(FORMAT) {
        let message = format!("no member \"format\": \"{FORMAT}\"; not a result of planes");
        return Err(Error::format(path, "document", message));
    }
    if head.version != Some(u64::from(FORMAT_VERSION)) {
        let found = head.version.map_or("none".into(), |v| v.to_string());
        let message = format!("version {found}, this program reads version {FORMAT_VERSION}");
        return Err(Error::format(path, "document", message));
    }
    let body: Body = serde_json::from_slice(&text).map_err(wrong)?;
    Ok(Detection {
        input: body.input,
        parameters: body.parameters,
        planes: body.planes,
        ..Detection::default()
    })
}

/// The first number of a detection that JSON cannot hold.
fn not_finite(detection: &Detection) -> Option<String> {
    // A number that is not finite becomes null, and null is no number when it is read again.
    // Where null may stand for a missing number, the value read is another one.
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

/// Members of an object on lines of their own, arrays of numbers on one line.
#[derive(Default)]
pub(super) struct Layout {
    depth: usize,
    /// Whether the next value is an element of an array.
    element: bool,
    /// For each open array or object, whether it spans lines.
    spans: Vec<bool>,
}

impl Layout {
    fn line<W: ?Sized + Write>(&self, out: &mut W) -> std::io::Result<()> {
        out.write_all(b"\n")?;
        (0..self.depth).try_for_each(|_| out.write_all(b"  "))
    }

    fn open<W: ?Sized + Write>(&mut self, out: &mut W, bracket: &[u8]) -> std::io::Result<()> {
        if self.element {
            self.line(out)?;
            if let Some(spans) = self.spans.last_mut() {
                *spans = true;
            }
        }
        self.element = false;
        self.depth += 1;
        self.spans.push(false);
        out.write_all(bracket)
    }

    fn close<W: ?Sized + Write>(&mut self, out: &mut W, bracket: &[u8]) -> std::io::Result<()> {
        self.depth = self.depth.saturating_sub(1);
        if self.spans.pop() == Some(true) {
            self.line(out)?;
        }
        out.write_all(bracket)
    }
}

impl serde_json::ser::Formatter for Layout {
    fn begin_array<W: ?Sized + Write>(&mut self, out: &mut W) -> std::io::Result<()> {
        self.open(out, b"[")
    }
    fn end_array<W: ?Sized + Write>(&mut self, out: &mut W) -> std::io::Result<()> {
        self.close(out, b"]")
    }
    fn begin_array_value<W: ?Sized + Write>(
        &mut self,
        out: &mut W,
        first: bool,
    ) -> std::io::Result<()> {
        self.element = true;
        out.write_all(if first { b"" } else { b"," })
    }
    fn begin_object<W: ?Sized + Write>(&mut self, out: &mut W) -> std::io::Result<()> {
        self.open(out, b"{")
    }
    fn end_object<W: ?Sized + Write>(&mut self, out: &mut W) -> std::io::Result<()> {
        self.close(out, b"}")
    }
    fn begin_object_key<W: ?Sized + Write>(
        &mut self,
        out: &mut W,
        first: bool,
    ) -> std::io::Result<()> {
        if let Some(spans) = self.spans.last_mut() {
            *spans = true;
        }
        out.write_all(if first { b"" } else { b"," })?;
        self.line(out)
    }
    fn begin_object_value<W: ?Sized + Write>(&mut self, out: &mut W) -> std::io::Result<()> {
        self.element = false;
        out.write_all(b": ")
    }
}
