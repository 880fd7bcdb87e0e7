//! What the JSON documents share: their layout, and the members that identify them.

use crate::{Error, Result};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::io::Write;
use std::path::Path;

/// The members that identify a document, read before the others.
#[derive(Deserialize)]
struct Head {
    format: Option<String>,
    version: Option<u64>,
}

/// Writes a document, ending with a newline.
pub(super) fn write(document: &impl Serialize, mut out: impl Write) -> std::io::Result<()> {
    let mut serializer = serde_json::Serializer::with_formatter(&mut out, Layout::default());
    document.serialize(&mut serializer)?;
    out.write_all(b"\n")
}

/// Reads the members of a document of the given format and version.
///
/// # Errors
/// [`Error::Io`]; [`Error::Format`] with the line if it is not JSON, or another document, or a
/// member is missing or of the wrong type.
pub(super) fn read<T: DeserializeOwned>(path: &Path, format: &str, version: u32) -> Result<T> {
    let text = std::fs::read(path).map_err(Error::io(path))?;
    let wrong = Error::json(path);
    let head: Head = serde_json::from_slice(&text).map_err(&wrong)?;
    if head.format.as_deref() != Some(format) {
        let message = format!("no member \"format\": \"{format}\"; not a result of planes");
        return Err(Error::format(path, "document", message));
    }
    if head.version != Some(u64::from(version)) {
        let found = head.version.map_or("none".into(), |v| v.to_string());
        let message = format!("version {found}, this program reads version {version}");
        return Err(Error::format(path, "document", message));
    }
    serde_json::from_slice(&text).map_err(wrong)
}

/// The format named in the file at `path`; `None` if the file cannot be read or names none.
pub(crate) fn format_of(path: &Path) -> Option<String> {
    serde_json::from_slice::<Head>(&std::fs::read(path).ok()?).ok()?.format
}

/// Layout: members of an object on separate lines, arrays of numbers on one line.
#[derive(Default)]
struct Layout {
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
