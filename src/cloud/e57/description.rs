//! The XML description of an E57 file.

use super::super::bytes::{Bytes, Section};
use super::super::quiet::catch;
use super::pages::Pages;
use crate::{Error, Result};
use e57::{E57Reader, PointCloud};
use std::sync::Arc;

/// The parts of the XML that are used.
pub(super) struct Description {
    /// The scans.
    pub(super) clouds: Vec<PointCloud>,
    /// The coordinate system as well-known text.
    pub(super) system: Option<String>,
}

/// Most namespace declarations: the cost of each grows with the number of elements in its scope.
const NAMESPACES: usize = 1000;
/// Most bytes of a tag: the parser compares each of its attributes with all others.
const TAG: usize = 8192;

impl Description {
    pub(super) fn read(bytes: &Arc<Bytes>) -> Result<Description> {
        xml(bytes)?;
        let section = Section::new(bytes.clone(), 0, bytes.len());
        let read = catch(|| E57Reader::new(section)).map_err(|message| fault(bytes, &message))?;
        let reader = read.map_err(|error| fault(bytes, &error.to_string()))?;
        Ok(Description {
            clouds: reader.pointclouds(),
            system: reader.coordinate_metadata().map(str::to_owned),
        })
    }
}

/// The XML of a file. Refuses XML that the file does not hold, and XML that would take far more time or memory to
/// parse than its length suggests.
pub(super) fn xml(bytes: &Arc<Bytes>) -> Result<Vec<u8>> {
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
    Ok(xml)
}

pub(super) fn fault(bytes: &Bytes, message: &str) -> Error {
    let message: String = message.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    Error::format(bytes.path(), "header", message)
}
