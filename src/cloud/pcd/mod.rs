//! PCD, the format of the Point Cloud Library: as text, binary, and compressed.

mod copy;
mod header;
mod lzf;
mod write;

use super::{
    Fields, Format, HeaderInfo, Note, PointReader,
    blocks::BlockReader,
    bytes::{Bytes, Section},
    driver::{Cloud, Driver},
    labels::Labels,
    records::{Layout, Place, Table},
    scale::{Role, Scale},
    text::{
        line::{LineFormat, Separator, Step, Style},
        lines::{Expect, Lines},
    },
    transposed::{self, Column},
};
use crate::{Error, Result};
use header::{Data, Field, Front, Header};
use std::{
    io::{self, BufReader, Read, Write},
    path::Path,
    sync::Arc,
};

pub(super) const DRIVER: Driver = Driver {
    told: |head| header::is_header(head).then_some(Format::PCD),
    check_stream: Driver::any_stream,
    open: |bytes, _| Ok(Box::new(Pcd::open(bytes)?)),
    endings: &["pcd"],
    create: Some(|path, options| Ok(Box::new(write::PcdWriter::create(path, options)?))),
    save_labelled: Some(write::save_labelled),
};

impl Format {
    /// PCD, as text, binary or compressed.
    pub const PCD: Format = Format("PCD");
}

/// Known names of fields, the likeliest first.
const NAMES: [(Role, &[&str]); 9] = [
    (Role::Axis(0), &["x", "X"]),
    (Role::Axis(1), &["y", "Y"]),
    (Role::Axis(2), &["z", "Z"]),
    (Role::Colour(0), &["r", "red"]),
    (Role::Colour(1), &["g", "green"]),
    (Role::Colour(2), &["b", "blue"]),
    (Role::Intensity, &["intensity", "Intensity", "intensities"]),
    (Role::Label, &["plane_id", "label"]),
    (Role::Class, &["classification", "Classification", "class"]),
];
/// Names of a field with a packed colour: four bytes, blue first, of any type.
const PACKED: [&str; 2] = ["rgb", "rgba"];

/// The meaning of a field.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Meaning {
    One(Role),
    PackedColour,
}

/// The meaning of each field; `None` if x, y or z is missing.
fn meanings(fields: &[Field]) -> Option<Vec<Option<Meaning>>> {
    let mut meanings = vec![None; fields.len()];
    let place = |names: &[&str], fits: &dyn Fn(&Field) -> bool| {
        let mut places =
            names.iter().filter_map(|name| fields.iter().position(|f| f.name == *name && fits(f)));
        places.next()
    };
    for (role, names) in NAMES {
        if let Some(k) = place(names, &|field| field.count == 1) {
            meanings[k] = Some(Meaning::One(role));
        }
    }
    let packed = place(&PACKED, &|field| field.width() == 4 && field.count == 1);
    let all =
        |role: fn(usize) -> Role| (0..3).all(|k| meanings.contains(&Some(Meaning::One(role(k)))));
    let (has_position, has_channels) = (all(Role::Axis), all(Role::Colour));
    if packed.is_some() || !has_channels {
        let is_channel =
            |m: &&mut Option<Meaning>| matches!(m, Some(Meaning::One(Role::Colour(_))));
        meanings.iter_mut().filter(is_channel).for_each(|meaning| *meaning = None);
    }
    if let Some(k) = packed {
        meanings[k] = Some(Meaning::PackedColour);
    }
    has_position.then_some(meanings)
}

/// A PCD file whose header has been read.
struct Pcd {
    front: Front,
    info: HeaderInfo,
    notes: Vec<Note>,
    meanings: Vec<Option<Meaning>>,
}

impl Pcd {
    fn open(bytes: &Arc<Bytes>) -> Result<Pcd> {
        let header = Header::read(bytes)?;
        let meanings = meanings(&header.fields);
        let meanings = meanings
            .ok_or_else(|| Error::format(bytes.path(), "header", "a point has no x, y and z"))?;
        let info = info(&header, &meanings);
        let mut notes = Vec::new();
        let (bytes, start) = match header.data {
            Data::Ascii => (bytes.clone(), header.length),
            Data::Binary => {
                let held = (bytes.len() - header.length) / header.stride() as u64;
                let promised = header.points();
                if held < promised {
                    return Err(ends_before(bytes, held, promised));
                }
                if held > promised {
                    notes.push(Note::MorePoints { promised, held: Some(held) });
                }
                (bytes.clone(), header.length)
            }
            Data::Compressed => {
                let (records, more) = unpacked(bytes, &header)?;
                notes.extend((more > 0).then_some(Note::MoreBytes { bytes: more }));
                (Arc::new(records), 0)
            }
        };
        Ok(Pcd { front: Front { header, bytes, start }, info, notes, meanings })
    }

    fn line_format(&self, fields: Fields) -> LineFormat {
        let mut steps = Vec::new();
        for (field, meaning) in self.front.header.fields.iter().zip(&self.meanings) {
            let first = match *meaning {
                Some(Meaning::One(role)) if role.is_wanted(fields) => Step::Take(role),
                Some(Meaning::PackedColour) if fields.colour => {
                    Step::PackedColour { is_float: field.kind.is_float() }
                }
                _ => Step::Skip,
            };
            steps.extend((0..field.count).map(|k| if k == 0 { first } else { Step::Skip }));
        }
        LineFormat::new(Style::plain(Separator::Space), steps)
    }

    /// Whether the colour and the intensity are floating-point numbers.
    fn floats(&self) -> [bool; 2] {
        let is_float = |wanted: &dyn Fn(Role) -> bool| {
            let mut fields = self.front.header.fields.iter().zip(&self.meanings);
            fields.any(|(field, meaning)| match *meaning {
                Some(Meaning::One(role)) => wanted(role) && field.kind.is_float(),
                _ => false,
            })
        };
        [is_float(&|r| matches!(r, Role::Colour(_))), is_float(&|r| r == Role::Intensity)]
    }

    /// The layout of a record.
    fn layout(&self) -> Option<Layout> {
        let mut offset = 0;
        let mut places = Vec::new();
        for (field, meaning) in self.front.header.fields.iter().zip(&self.meanings) {
            match *meaning {
                Some(Meaning::One(role)) => places.push((role, Place { offset, kind: field.kind })),
                Some(Meaning::PackedColour) => places.extend((0..3).map(|channel| {
                    let kind = super::records::NumberType::U8;
                    (Role::Colour(channel), Place { offset: offset + 2 - channel, kind })
                })),
                None => {}
            }
            offset += field.width();
        }
        let place = |role| places.iter().find(|(r, _)| *r == role).map(|&(_, place)| place);
        let three =
            |role: fn(usize) -> Role| Some([place(role(0))?, place(role(1))?, place(role(2))?]);
        Some(Layout {
            stride: offset,
            big_endian: false,
            xyz: three(Role::Axis)?,
            transform: None,
            colour: three(Role::Colour).map(|places| (places, Scale::Plain)),
            intensity: place(Role::Intensity).map(|place| (place, Scale::Plain)),
            label: place(Role::Label),
            class: place(Role::Class).map(|place| (place, u8::MAX)),
        })
    }
}

fn ends_before(bytes: &Bytes, held: u64, promised: u64) -> Error {
    let message = format!("the file ends before, its header promises {promised}");
    Error::format(bytes.path(), format!("point {held}"), message)
}

/// The records of a compressed body, which starts with its compressed and uncompressed lengths, and the number of
/// bytes behind it.
fn unpacked(bytes: &Arc<Bytes>, header: &Header) -> Result<(Bytes, u64)> {
    let fault = |message: String| Error::format(bytes.path(), "compressed data", message);
    let start = header.length + 8;
    let lengths = bytes.head(header.length, 8)?;
    let Ok([packed, size]) = <[[u8; 4]; 2]>::try_from(lengths.as_chunks::<4>().0) else {
        return Err(fault("the file ends before".into()));
    };
    let [packed, size] = [packed, size].map(|length| u64::from(u32::from_le_bytes(length)));
    if packed > bytes.len() - start {
        let message = format!("the file ends after {} of {packed} bytes", bytes.len() - start);
        return Err(fault(message));
    }
    let promised = header.points().checked_mul(header.stride() as u64);
    if promised != Some(size) {
        let message = format!("{size} bytes for {} points of {}", header.points(), header.stride());
        return Err(fault(message));
    }
    if size > packed.saturating_mul(lzf::MOST_TIMES) {
        return Err(fault(format!("{packed} bytes cannot hold the {size} that they promise")));
    }
    let columns = bytes.derived(size, |file| {
        let from =
            BufReader::with_capacity(1 << 16, Section::new(bytes.clone(), start, start + packed));
        let mut written = 0;
        let done = lzf::unpack(from.bytes(), size, |batch| {
            written += batch.len();
            file.write_all(batch)
        });
        done.map_err(|error| match error.kind() {
            io::ErrorKind::InvalidData => fault(format!("damaged after {written} bytes: {error}")),
            io::ErrorKind::UnexpectedEof => fault(format!("it ends after {written} bytes")),
            _ => crate::atomic::no_temporary(&error),
        })
    })?;
    let mut at = 0;
    let mut of_field = Vec::with_capacity(header.fields.len());
    for width in header.fields.iter().map(Field::width) {
        of_field.push(Column { start: at, width });
        at += width as u64 * header.points();
    }
    let more = bytes.len() - start - packed;
    Ok((transposed::records(&columns, &of_field, header.points())?, more))
}

fn info(header: &Header, meanings: &[Option<Meaning>]) -> HeaderInfo {
    use super::records::NumberType;
    let fields = header.fields.iter().zip(meanings);
    let is_x = |meaning: &Option<Meaning>| *meaning == Some(Meaning::One(Role::Axis(0)));
    let kind = match fields.clone().find(|(_, m)| is_x(m)).map(|(field, _)| field.kind) {
        Some(NumberType::F32) => "float",
        Some(NumberType::F64) => "double",
        _ => "integer",
    };
    let grid = match header.height {
        1 => String::new(),
        _ => format!(", {} x {}", header.width, header.height),
    };
    let has = |wanted: &dyn Fn(Meaning) -> bool| meanings.iter().flatten().any(|m| wanted(*m));
    let others = fields.filter(|(field, meaning)| meaning.is_none() && field.name != "_");
    HeaderInfo {
        description: format!("PCD {}, {kind} coordinates{grid}", header.data.name()),
        points: Some(header.points()),
        in_floats: kind == "float" && header.data != Data::Ascii,
        fields: Fields {
            colour: has(&|m| matches!(m, Meaning::PackedColour | Meaning::One(Role::Colour(_)))),
            intensity: has(&|m| m == Meaning::One(Role::Intensity)),
            label: has(&|m| m == Meaning::One(Role::Label)),
            class: has(&|m| m == Meaning::One(Role::Class)),
        },
        others: others.map(|(field, _)| field.name.clone()).collect(),
        bounds: None,
        crs: None,
        scanner: header.scanner(),
        row_length: header.row_length(),
    }
}

impl Cloud for Pcd {
    fn format(&self) -> Format {
        Format::PCD
    }

    fn info(&self) -> &HeaderInfo {
        &self.info
    }

    fn notes(&self) -> &[Note] {
        &self.notes
    }

    fn reader(&self, fields: Fields) -> Result<Box<dyn PointReader>> {
        let Front { header, bytes, start } = &self.front;
        let layout = self.layout().filter(|_| header.data != Data::Ascii);
        let Some(layout) = layout else {
            let mut format = self.line_format(fields);
            format.fit_scales(bytes, *start, Some(self.floats()))?;
            let expect = Expect::All(header.points());
            let lines = Lines::new(bytes, *start, header.lines + 1, format, expect);
            return Ok(Box::new(BlockReader::new(lines)));
        };
        let table = Table { bytes: bytes.clone(), start: *start, count: header.points() };
        Ok(Box::new(table.reader(&layout, fields)?))
    }

    fn copy(&self, labels: Labels<'_>, path: &Path) -> Option<Result<()>> {
        let reader = self.reader(Fields::NONE);
        Some(reader.and_then(|reader| copy::copy(&self.front, reader, labels, path)))
    }
}
