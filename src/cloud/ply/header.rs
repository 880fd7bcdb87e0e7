//! The header of a PLY file, read and written.
//!
//! Read word by word: names of properties come with brackets and signs in the wild, comments in any
//! encoding, and a name may stand twice, which must not shift what follows.

use super::super::{bytes::Bytes, records::NumberType};
use crate::{Error, Result};
use std::sync::Arc;

/// Longest header that is read.
const MOST: u64 = 1 << 20;

/// How the body is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Encoding {
    Ascii,
    Little,
    Big,
}

impl Encoding {
    const ALL: [Encoding; 3] = [Encoding::Ascii, Encoding::Little, Encoding::Big];

    /// Its name in a header.
    fn name(self) -> &'static str {
        match self {
            Encoding::Ascii => "ascii",
            Encoding::Little => "binary_little_endian",
            Encoding::Big => "binary_big_endian",
        }
    }
}

/// The header of so many vertices with these properties, each of which is its type and its name.
pub(super) fn header(encoding: Encoding, comment: &str, count: u64, properties: &[&str]) -> String {
    let properties: String = properties.iter().map(|p| format!("property {p}\n")).collect();
    let encoding = encoding.name();
    format!(
        "ply\nformat {encoding} 1.0\n{comment}\nelement vertex {count}\n{properties}end_header\n"
    )
}

/// What a property holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Type {
    /// One number.
    Scalar(NumberType),
    /// A count of the first kind, then as many numbers of the second.
    List(NumberType, NumberType),
}

/// A property of an element.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Property {
    pub(super) name: String,
    pub(super) kind: Type,
}

/// A run of like things: vertices, faces.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Element {
    pub(super) name: String,
    pub(super) count: u64,
    pub(super) properties: Vec<Property>,
}

impl Element {
    /// Length of one in a binary body, if all have the same.
    pub(super) fn stride(&self) -> Option<usize> {
        let sizes = self.properties.iter().map(|property| match property.kind {
            Type::Scalar(kind) => Some(kind.size()),
            Type::List(..) => None,
        });
        sizes.sum()
    }

    /// Length of the shortest one in a binary body.
    pub(super) fn least(&self) -> usize {
        let sizes = self.properties.iter().map(|property| match property.kind {
            Type::Scalar(kind) | Type::List(kind, _) => kind.size(),
        });
        sizes.sum()
    }
}

/// A header.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Header {
    pub(super) encoding: Encoding,
    pub(super) elements: Vec<Element>,
    /// Where the body starts.
    pub(super) length: u64,
    /// Lines of the header.
    pub(super) lines: u64,
}

impl Header {
    /// Reads the header at the front of `bytes`.
    pub(super) fn read(bytes: &Bytes) -> Result<Header> {
        let front = bytes.head(0, MOST)?;
        parse(&front)
            .map_err(|(line, message)| Error::format(bytes.path(), format!("line {line}"), message))
    }

    /// Whether the vertices are the corners of planes that were found: faces tell the plane and the piece of each.
    pub(super) fn is_of_outlines(&self) -> bool {
        let has = |face: &Element, name| face.properties.iter().any(|p| p.name == name);
        let is_of_planes = |face: &Element| has(face, "plane_id") && has(face, "piece_id");
        self.elements.iter().any(|element| element.name == "face" && is_of_planes(element))
    }
}

/// A file whose header was read and whose vertices were found.
pub(super) struct Front {
    pub(super) bytes: Arc<Bytes>,
    pub(super) header: Header,
    /// Which element the vertices are.
    pub(super) vertex: usize,
    /// Where they start.
    pub(super) start: u64,
}

impl Front {
    pub(super) fn vertex(&self) -> &Element {
        &self.header.elements[self.vertex]
    }
}

fn parse(front: &[u8]) -> std::result::Result<Header, (u64, String)> {
    let mut header =
        Header { encoding: Encoding::Ascii, elements: Vec::new(), length: 0, lines: 0 };
    let mut encoding = None;
    for line in front.split_inclusive(|&byte| byte == b'\n') {
        header.lines += 1;
        header.length += line.len() as u64;
        let fault = |message: &str| (header.lines, message.to_string());
        let text = String::from_utf8_lossy(line);
        let words: Vec<&str> = text.split_ascii_whitespace().collect();
        match words[..] {
            ["end_header"] if line.ends_with(b"\n") => {
                header.encoding = encoding.ok_or_else(|| fault("no line says the format"))?;
                return Ok(header);
            }
            [] | ["comment" | "obj_info", ..] => {}
            ["ply"] if header.lines == 1 => {}
            ["format", name, _] => {
                let known = Encoding::ALL.into_iter().find(|encoding| encoding.name() == name);
                encoding = Some(known.ok_or_else(|| fault("unknown format"))?);
            }
            ["element", name, count] => header.elements.push(Element {
                name: name.to_string(),
                count: count.parse().map_err(|_| fault("the count is not a number"))?,
                properties: Vec::new(),
            }),
            ["property", ref words @ ..] => {
                let property = property(words).ok_or_else(|| fault("unknown type of property"))?;
                let element = header.elements.last_mut();
                let element =
                    element.ok_or((header.lines, "a property without an element".to_string()))?;
                element.properties.push(property);
            }
            _ => return Err(fault("not a line of a PLY header")),
        }
    }
    Err((header.lines, "the header does not end".to_string()))
}

fn property(words: &[&str]) -> Option<Property> {
    let (kind, name) = match words {
        ["list", count, item, name @ ..] => {
            let count = kind(count).filter(|kind| !kind.is_float())?;
            (Type::List(count, kind(item)?), name)
        }
        [scalar, name @ ..] => (Type::Scalar(kind(scalar)?), name),
        [] => return None,
    };
    let name = name.join(" ");
    (!name.is_empty()).then_some(Property { name, kind })
}

fn kind(word: &str) -> Option<NumberType> {
    Some(match word {
        "char" | "int8" => NumberType::I8,
        "uchar" | "uint8" => NumberType::U8,
        "short" | "int16" => NumberType::I16,
        "ushort" | "uint16" => NumberType::U16,
        "int" | "int32" => NumberType::I32,
        "uint" | "uint32" => NumberType::U32,
        "int64" | "long" => NumberType::I64,
        "uint64" | "ulong" => NumberType::U64,
        "float" | "float32" => NumberType::F32,
        "double" | "float64" => NumberType::F64,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_header_as_it_comes() {
        let text = b"ply\r\nformat binary_big_endian 1.0\r\ncomment Fl\xe4che\r\nobj_info\r\n\
            element vertex 7\r\nproperty float x\r\nproperty float x\r\n\
            property float scalar_C2C_distances[<5] (m)\r\n\
            element face 2\r\nproperty list uchar int32 vertex_indices\r\nend_header\r\n1 2";
        let header = parse(text).unwrap();
        assert_eq!(header.encoding, Encoding::Big);
        assert_eq!(header.length, text.len() as u64 - 3);
        assert_eq!(header.lines, 11);
        assert_eq!(header.elements[0].stride(), Some(12));
        assert_eq!(header.elements[0].count, 7);
        assert_eq!(header.elements[1].stride(), None);
        assert_eq!(header.elements[1].least(), 1);
    }

    #[test]
    fn outlines_are_told_by_their_faces() {
        let of = |faces: &str| {
            let text = format!("ply\nformat ascii 1.0\nelement vertex 3\n{faces}end_header\n");
            parse(text.as_bytes()).unwrap().is_of_outlines()
        };
        let corners = "element face 1\nproperty list uchar int vertex_indices\n";
        assert!(of(&format!("{corners}property int plane_id\nproperty int piece_id\n")));
        assert!(!of(&format!("{corners}property int plane_id\n")) && !of(corners));
        assert!(!of("property int plane_id\nproperty int piece_id\n"));
    }

    #[test]
    fn faults_name_their_line() {
        let at = |text: &str| parse(text.as_bytes()).unwrap_err().0;
        assert_eq!(at("ply\nformat ascii 1.0\nelement vertex -1\n"), 3);
        assert_eq!(at("ply\nformat ascii 1.0\nproperty float x\n"), 3);
        assert_eq!(at("ply\nformat ebcdic 1.0\n"), 2);
        assert_eq!(at("ply\nformat ascii 1.0\nelement v 1\nproperty real x\n"), 4);
        assert_eq!(at("ply\nformat ascii 1.0\nelement v 1\nproperty list float int x\n"), 4);
        assert_eq!(at("ply\nend_header\n"), 2);
        assert_eq!(at("ply\nformat ascii 1.0\n"), 2);
        assert_eq!(at("ply\nformat ascii 1.0\nend_header"), 3);
        assert_eq!(at("ply\nnonsense\n"), 2);
    }
}
