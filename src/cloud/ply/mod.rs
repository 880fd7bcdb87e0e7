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
    records::{Layout, NumberType, Place, Table},
    scale::{Role, Scale, Shape},
    text::{
        line::{LineFormat, Separator, Step, Style},
        lines::{self, Expect, Lines},
    },
};
use crate::{Error, Result};
use header::{Element, Encoding, Front, Header, Property, Type};
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

/// What is said of corners of planes, which would pass for points.
const OUTLINES: &str = "outlines of planes that planes wrote; name the cloud itself";

/// A PLY file whose header was read.
struct Ply {
    front: Front,
    info: HeaderInfo,
    notes: Vec<Note>,
    /// What the properties of a vertex are.
    roles: Vec<Option<Role>>,
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

/// The names by which properties are known, the likeliest first.
const NAMES: [(Role, &[&str]); 9] = [
    (Role::Axis(0), &["x", "X"]),
    (Role::Axis(1), &["y", "Y"]),
    (Role::Axis(2), &["z", "Z"]),
    (Role::Colour(0), &["red", "r", "diffuse_red"]),
    (Role::Colour(1), &["green", "g", "diffuse_green"]),
    (Role::Colour(2), &["blue", "b", "diffuse_blue"]),
    (Role::Intensity, &["intensity", "scalar_intensity", "scalar_Intensity", "Intensity"]),
    (Role::Label, &["plane_id", "scalar_plane_id", "label", "scalar_label"]),
    (
        Role::Class,
        &[
            "classification",
            "scalar_Classification",
            "scalar_classification",
            "Classification",
            "class",
        ],
    ),
];

/// What each property of a vertex is; `None` where x, y or z is missing.
fn roles_of(vertex: &Element) -> Option<Vec<Option<Role>>> {
    let mut roles = vec![None; vertex.properties.len()];
    for (role, names) in NAMES {
        let place = |name: &&str| {
            let matches = |p: &Property| p.name == *name && matches!(p.kind, Type::Scalar(_));
            vertex.properties.iter().position(matches)
        };
        if let Some(place) = names.iter().find_map(place) {
            roles[place] = Some(role);
        }
    }
    let all = |role: fn(usize) -> Role| (0..3).all(|k| roles.contains(&Some(role(k))));
    let (has_position, has_colour) = (all(Role::Axis), all(Role::Colour));
    if !has_colour {
        let is_channel = |role: &&mut Option<Role>| matches!(role, Some(Role::Colour(_)));
        roles.iter_mut().filter(is_channel).for_each(|role| *role = None);
    }
    has_position.then_some(roles)
}

/// What to say of a vertex without x, y and z.
fn without_position(vertex: &Element) -> &'static str {
    let is_angle = |name: &str| {
        ["lon", "lat", "longitude", "latitude"].iter().any(|angle| name.eq_ignore_ascii_case(angle))
    };
    if vertex.properties.iter().filter(|property| is_angle(&property.name)).count() < 2 {
        return "a vertex has no x, y and z";
    }
    "a vertex has longitude and latitude in place of x and y; project the cloud to metres first"
}

impl Ply {
    /// Reads the header and finds the vertices.
    fn open(bytes: &Arc<Bytes>) -> Result<Ply> {
        let header = Header::read(bytes)?;
        if header.is_of_outlines() {
            return Err(Error::unrecognized(bytes.path(), OUTLINES));
        }
        let fault = |message: &str| Error::format(bytes.path(), "header", message);
        let index = header.elements.iter().position(|e| e.name == "vertex");
        let index = index.ok_or_else(|| fault("there is no element vertex"))?;
        let vertex = &header.elements[index];
        let roles = roles_of(vertex);
        let roles = roles.ok_or_else(|| fault(without_position(vertex)))?;
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
                more_points(table, layout.stride)?
            }
            Body::Text { .. } => {
                let counts = header.elements[index..].iter().map(|element| element.count);
                lines::more(bytes, start, counts.fold(0, u64::saturating_add))?
            }
            _ => None,
        };
        let notes = notes.into_iter().collect();
        let info = info(&header, vertex, &roles);
        let front = Front { bytes: bytes.clone(), header, vertex: index, start };
        Ok(Ply { front, info, notes, roles, body })
    }

    /// What property `index` is, where it is one of the `fields` asked for.
    fn role(&self, index: usize, fields: Fields) -> Option<Role> {
        self.roles[index].filter(|role| role.is_wanted(fields))
    }

    fn line_format(&self, fields: Fields) -> LineFormat {
        let steps = self.front.vertex().properties.iter().enumerate();
        let steps = steps.map(|(index, property)| match property.kind {
            Type::List(..) => Step::List,
            Type::Scalar(_) => self.role(index, fields).map_or(Step::Skip, Step::Take),
        });
        LineFormat::new(Style::plain(Separator::Space), steps.collect())
    }

    /// Whether the colour and the intensity are floating-point numbers.
    fn floats(&self) -> [bool; 2] {
        let properties = self.front.vertex().properties.iter().zip(&self.roles);
        let float = |property: &Property| matches!(property.kind, Type::Scalar(k) if k.is_float());
        let floats = properties.filter(|(property, _)| float(property)).map(|(_, role)| role);
        floats.fold([false; 2], |[colour, intensity], role| match role {
            Some(Role::Colour(_)) => [true, intensity],
            Some(Role::Intensity) => [colour, true],
            _ => [colour, intensity],
        })
    }
}

fn binary_body(
    bytes: &Arc<Bytes>,
    start: u64,
    big_endian: bool,
    vertex: &Element,
    roles: &[Option<Role>],
) -> Result<Body> {
    let held = (bytes.len() - start) / vertex.least().max(1) as u64;
    if held < vertex.count {
        return Err(Error::format(
            bytes.path(),
            format!("point {held}"),
            format!("the file ends before, its header promises {}", vertex.count),
        ));
    }
    let table = Table { bytes: bytes.clone(), start, count: vertex.count };
    Ok(match layout(vertex, big_endian, roles) {
        Some(layout) => Body::Records(table, Box::new(layout)),
        None => Body::Lists { big_endian },
    })
}

/// What to say where there is room for more vertices than the header promises.
fn more_points(table: &Table, stride: usize) -> Result<Option<Note>> {
    let held = (table.bytes.len() - table.start) / stride.max(1) as u64;
    if held <= table.count {
        return Ok(None);
    }
    let end = table.start + table.count * stride as u64;
    // Another file, whose header is no points.
    let is_file = told(&table.bytes.head(end, 8)?).is_some();
    Ok(Some(match is_file {
        true => Note::MoreBytes { bytes: table.bytes.len() - end },
        false => Note::MorePoints { promised: table.count, held: Some(held) },
    }))
}

/// The places of the properties in a vertex; `None` where it has lists.
fn layout(vertex: &Element, big_endian: bool, roles: &[Option<Role>]) -> Option<Layout> {
    let stride = vertex.stride()?;
    let mut offset = 0;
    let mut places = Vec::new();
    for (property, role) in vertex.properties.iter().zip(roles) {
        let Type::Scalar(kind) = property.kind else { return None };
        places.push((*role, Place { offset, kind }));
        offset += kind.size();
    }
    let place = |role| places.iter().find(|(r, _)| *r == Some(role)).map(|&(_, place)| place);
    let three = |role: fn(usize) -> Role| Some([place(role(0))?, place(role(1))?, place(role(2))?]);
    Some(Layout {
        stride,
        big_endian,
        xyz: three(Role::Axis)?,
        transform: None,
        colour: three(Role::Colour).map(|places| (places, Scale::Plain)),
        intensity: place(Role::Intensity).map(|place| (place, Scale::Plain)),
        label: place(Role::Label),
        class: place(Role::Class).map(|place| (place, u8::MAX)),
    })
}

fn info(header: &Header, vertex: &Element, roles: &[Option<Role>]) -> HeaderInfo {
    let encoding = match header.encoding {
        Encoding::Ascii => "ascii",
        Encoding::Little => "binary little endian",
        Encoding::Big => "binary big endian",
    };
    let properties = vertex.properties.iter().zip(roles);
    let mut x = properties.clone().filter(|(_, role)| **role == Some(Role::Axis(0)));
    let kind = match x.next().map(|(property, _)| property.kind) {
        Some(Type::Scalar(NumberType::F32)) => "float",
        Some(Type::Scalar(NumberType::F64)) => "double",
        _ => "integer",
    };
    let extra = match header.elements.len() - 1 {
        0 => String::new(),
        1 => ", 1 further element".to_string(),
        n => format!(", {n} further elements"),
    };
    let others = properties.filter(|(_, role)| role.is_none());
    HeaderInfo {
        description: format!("PLY {encoding}, {kind} coordinates{extra}"),
        points: Some(vertex.count),
        in_floats: kind == "float" && header.encoding != Encoding::Ascii,
        fields: Shape::of(roles.iter().flatten().copied()).fields,
        others: others.map(|(property, _)| property.name.clone()).collect(),
        bounds: None,
        crs: None,
        scanner: None,
        row_length: None,
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
            Body::Records(table, layout) => Ok(Box::new(table.clone().reader(layout, fields)?)),
            Body::Text { line } => {
                let mut format = self.line_format(fields);
                format.fit_scales(&self.front.bytes, self.front.start, Some(self.floats()))?;
                let expect = Expect::First(self.front.vertex().count);
                let lines = Lines::new(&self.front.bytes, self.front.start, *line, format, expect);
                Ok(Box::new(BlockReader::new(lines)))
            }
            Body::Lists { big_endian } => {
                let cursor = Cursor::new(&self.front.bytes, self.front.start, *big_endian);
                let role = |index| self.role(index, fields);
                let vertices = Vertices::new(cursor, self.front.vertex(), role, self.floats())?;
                Ok(Box::new(BlockReader::new(vertices)))
            }
        }
    }

    fn copy(&self, labels: Labels<'_>, path: &Path) -> Option<Result<()>> {
        Some(
            self.reader(Fields::NONE)
                .and_then(|reader| copy::copy(&self.front, reader, labels, path)),
        )
    }
}
