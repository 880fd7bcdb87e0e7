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
    /// Bytes behind the end that the header gives.
    pub(super) more: u64,
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
            more: bytes.len().saturating_sub(reader.header().phys_length),
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
    if longest_tag(&xml) > TAG {
        return Err(fault(bytes, "a tag of its XML is too long"));
    }
    Ok(xml)
}

/// The length of the longest tag. Comments, CDATA sections and instructions are no tags.
fn longest_tag(xml: &[u8]) -> usize {
    const OTHERS: [(&[u8], &[u8]); 3] = [(b"!--", b"-->"), (b"![CDATA[", b"]]>"), (b"?", b"?>")];
    let (mut rest, mut longest) = (xml, 0);
    while let Some(at) = memchr::memchr(b'<', rest) {
        rest = &rest[at + 1..];
        let other = OTHERS.iter().find_map(|&(from, to)| Some((rest.strip_prefix(from)?, to)));
        rest = if let Some((inner, to)) = other {
            memchr::memmem::find(inner, to).map_or(&[], |end| &inner[end..])
        } else {
            let length = tag_length(rest);
            longest = longest.max(length);
            &rest[length..]
        };
    }
    longest
}

/// The length of the tag at the start, up to the first `>` that is in no quotes.
fn tag_length(tag: &[u8]) -> usize {
    let mut quote = None;
    let is_end = |&byte: &u8| {
        match (quote, byte) {
            (None, b'"' | b'\'') => quote = Some(byte),
            (Some(open), _) if open == byte => quote = None,
            _ => {}
        }
        quote.is_none() && byte == b'>'
    };
    tag.iter().position(is_end).unwrap_or(tag.len())
}

pub(super) fn fault(bytes: &Bytes, message: &str) -> Error {
    let message: String = message.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    Error::format(bytes.path(), "header", message)
}
