//! PLY, in text and in both binary forms.

mod copy;
mod header;
mod lists;
mod write;

use super::{
    Fields, Format, HeaderInfo, Note, PointReader,
    blocks::BlockReader,
    bytes::Bytes,
    driver::{Cloud, Driver},
    labels::Labels,
    records::{Kind, Layout, Place, RecordReader, Table},
    scale::{Role, Scale},
    text::{
        line::{LineFormat, Separator, Step, Style},
        lines::{self, Expect, Lines},
    },
};
use crate::{Error, Result};
use header::{Element, Encoding, Header, Property, Type};
use lists::{Cursor, Vertices};
use std::{path::Path, sync::Arc};

pub(super) const DRIVER: Driver = Driver {
    told,
    check_stream: Driver::any_stream,
    open: |bytes, _| Ok(Box::new(Ply::open(bytes)?)),
    endings: &["ply"],
    create: Some(|path, options| Ok(Box::new(write::PlyWriter::create(path, options)?))),
    save_labelled: Some(write::save_labelled),
};

impl Format {
    /// PLY, as text or binary.
    pub const PLY: Format = Format("PLY");
}

fn told(head: &[u8]) -> Option<Format> {
    head.strip_prefix(b"ply")?.first()?.is_ascii_whitespace().then_some(Format::PLY)
}

/// A PLY file whose header was read.
struct Ply {
    bytes: Arc<Bytes>,
    header: Header,
    /// Which element the vertices are.
    vertex: usize,
    /// Where they start.
    start: u64,
    info: HeaderInfo,
    notes: Vec<Note>,
    roles: Roles,
    body: Body,
}

/// How the vertices lie in the file.
enum Body {
    /// A line each, the first of this number.
    Text { line: u64 },
    /// In records of one length.
    Records(Table, Box<Layout>),
    /// In records with lists.
    Lists { big_endian: bool },
}

/// Which properties hold what.
#[derive(Debug, Clone, Copy)]
struct Roles {
    xyz: [usize; 3],
    colour: Option<[usize; 3]>,
    intensity: Option<usize>,
    label: Option<usize>,
    class: Option<usize>,
}

impl Roles {
    fn find(vertex: &Element) -> Option<Roles> {
        let find = |names: &[&str]| {
            let index = |name: &&str| {
                let matches = |p: &Property| p.name == *name && matches!(p.kind, Type::Scalar(_));
                vertex.properties.iter().position(matches)
            };
            names.iter().find_map(index)
        };
        let triple =
            |names: [&[&str]; 3]| Some([find(names[0])?, find(names[1])?, find(names[2])?]);
        Some(Roles {
            xyz: triple([&["x", "X"], &["y", "Y"], &["z", "Z"]])?,
            colour: triple([
                &["red", "r", "diffuse_red"],
                &["green", "g", "diffuse_green"],
                &["blue", "b", "diffuse_blue"],
            ]),
            intensity: find(&["intensity", "scalar_intensity", "scalar_Intensity", "Intensity"]),
            label: find(&["plane_id", "scalar_plane_id", "label", "scalar_label"]),
            class: find(&[
                "classification",
                "scalar_Classification",
                "scalar_classification",
                "Classification",
                "class",
            ]),
        })
    }

    fn fields(&self) -> Fields {
        Fields {
            colour: self.colour.is_some(),
            intensity: self.intensity.is_some(),
            label: self.label.is_some(),
            class: self.class.is_some(),
        }
    }

    /// The role of property `index` where `fields` are asked for.
    fn of(&self, index: usize, fields: Fields) -> Option<Role> {
        if let Some(axis) = self.xyz.iter().position(|&p| p == index) {
            return Some(Role::Axis(axis));
        }
        let channel = self.colour.and_then(|all| all.iter().position(|&p| p == index));
        match channel {
            Some(channel) if fields.colour => Some(Role::Colour(channel)),
            _ if fields.intensity && self.intensity == Some(index) => Some(Role::Intensity),
            _ if fields.label && self.label == Some(index) => Some(Role::Label),
            _ if fields.class && self.class == Some(index) => Some(Role::Class),
            _ => None,
        }
    }
}

impl Ply {
    /// Reads the header and finds the vertices.
    fn open(bytes: &Arc<Bytes>) -> Result<Ply> {
        let header = Header::read(bytes)?;
        let fault = |message: &str| Error::format(bytes.path(), "header", message);
        let index = header.elements.iter().position(|e| e.name == "vertex");
        let index = index.ok_or_else(|| fault("there is no element vertex"))?;
        let vertex = &header.elements[index];
        let roles = Roles::find(vertex);
        let roles = roles.ok_or_else(|| fault("a vertex has no x, y and z"))?;
        let before = &header.elements[..index];
        let (start, body) = match header.encoding {
            Encoding::Ascii => {
                let count = before.iter().map(|e| e.count).fold(0, u64::saturating_add);
                let (start, line) = lines::skip(bytes, header.length, header.lines + 1, count)?;
                (start, Body::Text { line })
            }
            encoding => {
                let big_endian = encoding == Encoding::Big;
                let start = lists::skip(Cursor::new(bytes, header.length, big_endian), before)?;
                (start, binary_body(bytes, start, big_endian, vertex, &roles)?)
            }
        };
        let notes = match &body {
            Body::Records(table, layout) if index + 1 == header.elements.len() => {
                more_points(table, layout.stride).into_iter().collect()
            }
            _ => Vec::new(),
        };
        let info = info(&header, vertex, &roles);
        let bytes = bytes.clone();
        Ok(Ply { bytes, vertex: index, header, start, info, notes, roles, body })
    }

    fn vertex(&self) -> &Element {
        &self.header.elements[self.vertex]
    }

    fn line_format(&self, fields: Fields) -> LineFormat {
        let steps = self.vertex().properties.iter().enumerate();
        let steps = steps.map(|(index, property)| match property.kind {
            Type::List(..) => Step::List,
            Type::Scalar(_) => self.roles.of(index, fields).map_or(Step::Skip, Step::Take),
        });
        LineFormat::new(Style::plain(Separator::Space), steps.collect())
    }

    /// Whether the colour and the intensity are floating-point numbers.
    fn floats(&self) -> [bool; 2] {
        let float = |index: usize| matches!(self.vertex().properties[index].kind, Type::Scalar(kind) if kind.is_float());
        [
            self.roles.colour.is_some_and(|all| all.into_iter().any(float)),
            self.roles.intensity.is_some_and(float),
        ]
    }
}

fn binary_body(
    bytes: &Arc<Bytes>,
    start: u64,
    big_endian: bool,
    vertex: &Element,
    roles: &Roles,
) -> Result<Body> {
    let held = (bytes.len() - start) / vertex.least().max(1) as u64;
    if held < vertex.count {
        return Err(Error::format(
            bytes.path(),
            format!("point {held}"),
            format!("the file ends before, its header promises {}", vertex.count),
        ));
    }
    let Some(stride) = vertex.stride() else {
        return Ok(Body::Lists { big_endian });
    };
    let table = Table { bytes: bytes.clone(), start, count: vertex.count };
    let layout = layout(vertex, stride, big_endian, roles);
    Ok(Body::Records(table, Box::new(layout)))
}

/// What to say where there is room for more vertices than the header promises.
fn more_points(table: &Table, stride: usize) -> Option<Note> {
    let held = (table.bytes.len() - table.start) / stride.max(1) as u64;
    (held > table.count).then_some(Note::MorePoints { promised: table.count, held: Some(held) })
}

/// The places of the properties in a vertex without lists.
fn layout(vertex: &Element, stride: usize, big_endian: bool, roles: &Roles) -> Layout {
    let mut offset = 0;
    let mut places = Vec::new();
    for property in &vertex.properties {
        if let Type::Scalar(kind) = property.kind {
            places.push(Place { offset, kind });
            offset += kind.size();
        }
    }
    let place = |index: usize| places[index];
    Layout {
        stride,
        big_endian,
        xyz: roles.xyz.map(place),
        transform: None,
        colour: roles.colour.map(|all| (all.map(place), Scale::Plain)),
        intensity: roles.intensity.map(|index| (place(index), Scale::Plain)),
        label: roles.label.map(place),
        class: roles.class.map(|index| (place(index), u8::MAX)),
    }
}

fn info(header: &Header, vertex: &Element, roles: &Roles) -> HeaderInfo {
    let encoding = match header.encoding {
        Encoding::Ascii => "ascii",
        Encoding::Little => "binary little endian",
        Encoding::Big => "binary big endian",
    };
    let kind = match vertex.properties[roles.xyz[0]].kind {
        Type::Scalar(Kind::F32) => "float",
        Type::Scalar(Kind::F64) => "double",
        _ => "integer",
    };
    let extra = match header.elements.len() - 1 {
        0 => String::new(),
        1 => ", 1 further element".to_string(),
        n => format!(", {n} further elements"),
    };
    let others = vertex.properties.iter().enumerate();
    let others = others.filter(|&(index, _)| roles.of(index, Fields::ALL).is_none());
    HeaderInfo {
        description: format!("PLY {encoding}, {kind} coordinates{extra}"),
        points: Some(vertex.count),
        fields: roles.fields(),
        others: others.map(|(_, property)| property.name.clone()).collect(),
        bounds: None,
        crs: None,
    }
}

impl Cloud for Ply {
    fn format(&self) -> Format {
        Format::PLY
    }

    fn info(&self) -> &HeaderInfo {
        &self.info
    }

    fn notes(&self) -> &[Note] {
        &self.notes
    }

    fn reader(&self, fields: Fields) -> Result<Box<dyn PointReader>> {
        match &self.body {
            Body::Records(table, layout) => {
                let mut layout = layout.only(fields);
                if layout.colour.is_some() || layout.intensity.is_some() {
                    layout.fit_scales(&table.sample(layout.stride)?);
                }
                Ok(Box::new(RecordReader::new(table.clone(), layout)))
            }
            Body::Text { line } => {
                let mut format = self.line_format(fields);
                format.fit_scales(&self.bytes, self.start, Some(self.floats()))?;
                let expect = Expect::First(self.vertex().count);
                let lines = Lines::new(&self.bytes, self.start, *line, format, expect);
                Ok(Box::new(BlockReader::new(lines)))
            }
            Body::Lists { big_endian } => {
                let cursor = Cursor::new(&self.bytes, self.start, *big_endian);
                let role = |index| self.roles.of(index, fields);
                let vertices = Vertices::new(cursor, self.vertex(), role, self.floats())?;
                Ok(Box::new(BlockReader::new(vertices)))
            }
        }
    }

    fn copy(&self, labels: Labels<'_>, path: &Path) -> Option<Result<()>> {
        Some(copy::copy(self, labels, path))
    }
}
