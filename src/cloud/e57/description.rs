//! What an E57 file says of itself.

use super::super::bytes::{Bytes, Section};
use super::super::quiet::catch;
use super::pages::Pages;
use crate::{Error, Result};
use e57::{E57Reader, PointCloud};
use std::sync::Arc;

/// What is taken from the XML of a file.
pub(super) struct Description {
    /// Its scans.
    pub(super) clouds: Vec<PointCloud>,
    /// The coordinate system, in well-known text.
    pub(super) system: Option<String>,
}

/// Declarations of namespaces, each of which costs as much as there are elements in it.
const NAMESPACES: usize = 1000;
/// Length of a tag: attributes are compared each with each.
const TAG: usize = 8192;

impl Description {
    pub(super) fn read(bytes: &Arc<Bytes>) -> Result<Description> {
        check_xml(bytes)?;
        let section = Section::new(bytes.clone(), 0, bytes.len());
        let read = catch(|| E57Reader::new(section)).map_err(|message| fault(bytes, &message))?;
        let reader = read.map_err(|error| fault(bytes, &error.to_string()))?;
        Ok(Description {
            clouds: reader.pointclouds(),
            system: reader.coordinate_metadata().map(str::to_owned),
        })
    }
}

/// Refuses XML that the file does not hold, and such as takes much more time or memory than its length.
fn check_xml(bytes: &Arc<Bytes>) -> Result<()> {
    let mut head = [0; 48];
    bytes.read_exact(0, &mut head)?;
    let word = |at: usize| u64::from_le_bytes(std::array::from_fn(|k| head[at + k]));
    let (start, length) = (word(24), word(32));
    let pages = Pages::new(bytes);
    let start = pages.logical(start).filter(|_| length <= bytes.len());
    let start = start.ok_or_else(|| fault(bytes, "its XML lies behind the end of the file"))?;
    let mut xml = Vec::new();
    pages.append(start, length, &mut xml)?;
    if memchr::memmem::find_iter(&xml, "xmlns").nth(NAMESPACES).is_some() {
        return Err(fault(bytes, "its XML declares too many namespaces"));
    }
    let tags = xml.split(|&byte| byte == b'<').filter(|tag| !tag.starts_with(b"!"));
    let mut lengths = tags.map(|tag| memchr::memchr(b'>', tag).unwrap_or(tag.len()));
    if lengths.any(|length| length > TAG) {
        return Err(fault(bytes, "a tag of its XML is too long"));
    }
    Ok(())
}

pub(super) fn fault(bytes: &Bytes, message: &str) -> Error {
    let message: String = message.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    Error::format(bytes.path(), "header", message)
}
