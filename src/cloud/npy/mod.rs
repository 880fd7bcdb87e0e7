//! NumPy arrays of points, `.npy`, and archives of arrays, `.npz`.

mod array;
mod literal;
mod zip;

use super::{
    Fields, Format, HeaderInfo, Note, PointReader,
    bytes::Bytes,
    driver::{Cloud, Driver},
    records::{Layout, NumberType, Place, RecordReader, Table},
    scale::Scale,
    transposed::{self, Column},
};
use crate::{Error, Result};
use array::{Array, MAGIC};
use std::sync::Arc;
use zip::Entry;

pub(super) const DRIVER: Driver = Driver {
    told,
    check_stream: Driver::any_stream,
    open: |bytes, _| Ok(Box::new(Npy::open(bytes)?)),
    endings: &[],
    create: None,
    save_labelled: None,
};

impl Format {
    /// One NumPy array.
    pub const NPY: Format = Format("NPY");
    /// An archive of NumPy arrays.
    pub const NPZ: Format = Format("NPZ");
}

fn told(head: &[u8]) -> Option<Format> {
    if head.starts_with(MAGIC) {
        return Some(Format::NPY);
    }
    is_archive(head).then_some(Format::NPZ)
}

/// Whether a file with these first bytes is a zip archive whose first entry is an array.
fn is_archive(head: &[u8]) -> bool {
    let name = || {
        let length = head.get(26..28)?.try_into().ok().map(u16::from_le_bytes)?;
        head.get(30..)?.get(..length.into())
    };
    head.starts_with(b"PK\x03\x04") && name().is_some_and(|name| name.ends_with(b".npy"))
}

/// Known names of fields, the likeliest first; x, y and z come first.
const NAMES: [&[&str]; 9] = [
    &["x", "X"],
    &["y", "Y"],
    &["z", "Z"],
    &["red", "Red", "r"],
    &["green", "Green", "g"],
    &["blue", "Blue", "b"],
    &["intensity", "Intensity"],
    &["plane_id", "label"],
    &["classification", "Classification", "class"],
];

/// The names of arrays that hold points, the likeliest first.
const POINTS: [&str; 10] = [
    "xyz",
    "points",
    "point_cloud",
    "pos",
    "position",
    "positions",
    "coords",
    "coordinates",
    "vertices",
    "cloud",
];

/// The contents of a row of an array.
struct Rows {
    layout: Layout,
    /// Names of the fields that are not read.
    others: Vec<String>,
    count: u64,
    /// Whether the array is stored column after column.
    is_transposed: bool,
}

/// An array of points.
struct Npy {
    format: Format,
    info: HeaderInfo,
    layout: Layout,
    table: Table,
}

impl Npy {
    fn open(bytes: &Arc<Bytes>) -> Result<Npy> {
        if !is_archive(&bytes.head(0, 1 << 10)?) {
            let array = Array::read(bytes)?;
            let rows = rows(&array).map_err(|why| Error::unrecognized(bytes.path(), why))?;
            let what = "NumPy array".to_string();
            return Npy::new(Format::NPY, what, (bytes.clone(), 0, bytes.len()), &array, rows);
        }
        let (entry, array, rows) = choose(bytes)?;
        let (inner, start) = entry.unpacked(bytes)?;
        let what = format!("NumPy archive, array {}", entry.name);
        Npy::new(Format::NPZ, what, (inner, start, entry.end()), &array, rows)
    }

    /// The array in this range of the bytes.
    fn new(
        format: Format,
        what: String,
        (bytes, start, end): (Arc<Bytes>, u64, u64),
        array: &Array,
        rows: Rows,
    ) -> Result<Npy> {
        let Rows { mut layout, others, count, is_transposed } = rows;
        let start = start + array.start;
        let held = end.saturating_sub(start) / layout.stride as u64;
        if held < count {
            let message = format!("the file ends before, its header promises {count}");
            return Err(Error::format(bytes.path(), format!("point {held}"), message));
        }
        let coordinates = layout.xyz[0].kind;
        let table = if is_transposed {
            let size = array.size;
            // From an array of plain numbers only coordinates are read.
            let column = |k| Column { start: start + k * count * size as u64, width: size };
            let records = transposed::records(&bytes, &[0, 1, 2].map(column), count)?;
            layout.stride = 3 * size;
            Table { bytes: Arc::new(records), start: 0, count }
        } else {
            Table { bytes, start, count }
        };
        let kind = match coordinates {
            NumberType::F32 => "float",
            NumberType::F64 => "double",
            _ => "integer",
        };
        let info = HeaderInfo {
            description: format!("{what} of shape {}, {kind} coordinates", array.shape_text()),
            points: Some(count),
            fields: layout.fields(),
            others,
            bounds: None,
            crs: None,
            scanner: None,
        };
        Ok(Npy { format, info, layout, table })
    }
}

/// The rows of an array, or why it holds no points.
fn rows(array: &Array) -> std::result::Result<Rows, String> {
    let shape = array.shape_text();
    let count = array.count().ok_or_else(|| format!("an array of shape {shape}"))?;
    let is_transposed = array.fortran && array.shape.len() > 1;
    if !array.is_plain() {
        if is_transposed {
            return Err(format!(
                "records of shape {shape} in Fortran order; save them in one dimension"
            ));
        }
        let (layout, others) = layout_of_fields(array)?;
        return Ok(Rows { layout, others, count, is_transposed });
    }
    let instead = "points are an array of shape (n, 3), or records with fields x, y and z";
    let (n, k) = match array.shape[..] {
        [n] => {
            let what = if array.members[0].number.is_some_and(|(kind, _)| !kind.is_float()) {
                "labels, or other numbers"
            } else {
                "numbers"
            };
            return Err(format!("an array of shape ({n},): {what}, and no points; {instead}"));
        }
        [n @ 3..=4, k] if k > 16 => {
            return Err(format!("an array of shape ({n}, {k}); transpose it: {instead}"));
        }
        [.., k] if (3..=4096).contains(&k) && (array.shape.len() == 2 || !is_transposed) => {
            (count / k, k as usize)
        }
        _ => return Err(format!("an array of shape {shape}; {instead}")),
    };
    let Some((kind, big_endian)) = array.members[0].number else {
        return Err(format!(
            "an array of shape {shape} whose elements are no numbers of 8 to 64 bits"
        ));
    };
    let xyz = [0, 1, 2].map(|axis| Place { offset: axis * array.size, kind });
    let layout = Layout { stride: k * array.size, big_endian, ..coordinates(xyz) };
    let others = (4..=k.min(20)).map(|column| format!("column {column}"));
    Ok(Rows { layout, others: others.collect(), count: n, is_transposed })
}

/// A layout of coordinates only; the caller sets its stride.
fn coordinates(xyz: [Place; 3]) -> Layout {
    Layout {
        stride: 0,
        big_endian: false,
        xyz,
        transform: None,
        colour: None,
        intensity: None,
        class: None,
        label: None,
    }
}

/// The layout of records, and the names of the fields that are not read.
fn layout_of_fields(array: &Array) -> std::result::Result<(Layout, Vec<String>), String> {
    let place = |names: &[&str]| {
        let with = |name: &&str| {
            let member = array.members.iter().find(|m| m.name == **name)?;
            let (kind, is_big) = member.number?;
            Some((&*member.name, Place { offset: member.offset, kind }, is_big))
        };
        names.iter().find_map(with)
    };
    let found = NAMES.map(place);
    let [Some((_, x, big_endian)), Some(y), Some(z), ..] = found else {
        return Err("records without fields x, y and z".into());
    };
    if [y.2, z.2] != [big_endian; 2] {
        return Err("records whose x, y and z differ in the order of their bytes".into());
    }
    // Fields in the other byte order are not read.
    let at = |k: usize| found[k].filter(|&(_, _, is_big)| is_big == big_endian).map(|(_, p, _)| p);
    let colour = || Some(([at(3)?, at(4)?, at(5)?], Scale::Plain));
    let colour = colour();
    let layout = Layout {
        stride: array.size,
        big_endian,
        colour,
        intensity: at(6).map(|place| (place, Scale::Plain)),
        label: at(7),
        class: at(8).map(|place| (place, u8::MAX)),
        ..coordinates([x, y.1, z.1])
    };
    let is_read = |name: &str| {
        let mut named = found.iter().enumerate();
        named.any(|(k, found)| {
            found.is_some_and(|(known, ..)| known == name)
                && at(k).is_some()
                && (!(3..6).contains(&k) || colour.is_some())
        })
    };
    let others = array.members.iter().map(|m| &*m.name).filter(|name| !is_read(name));
    Ok((layout, others.map(str::to_owned).collect()))
}

/// The array with the points of an archive.
fn choose(bytes: &Arc<Bytes>) -> Result<(Entry, Array, Rows)> {
    let mut refused = Vec::new();
    let mut fitting = Vec::new();
    for entry in zip::entries(bytes)? {
        let rows = entry.array(bytes).and_then(|array| Ok((rows(&array)?, array)));
        match rows {
            Ok((rows, array)) => fitting.push((entry, array, rows)),
            Err(why) => refused.push(format!("{} is {why}", entry.name)),
        }
    }
    let rank = |entry: &Entry| {
        let name = entry.name.to_lowercase();
        POINTS.iter().position(|known| *known == name).unwrap_or(POINTS.len())
    };
    fitting.sort_by_key(|(entry, ..)| rank(entry));
    let is_named = |(entry, ..): &(Entry, Array, Rows)| rank(entry) < POINTS.len();
    if fitting.len() > 1 && !is_named(&fitting[0]) {
        let names: Vec<&str> = fitting.iter().take(5).map(|(e, ..)| &*e.name).collect();
        let message = format!(
            "an archive of several arrays that could be points, {}; name one of them xyz",
            names.join(", ")
        );
        return Err(Error::unrecognized(bytes.path(), message));
    }
    fitting.into_iter().next().ok_or_else(|| {
        let why = refused.into_iter().next().unwrap_or_else(|| "it holds no array".into());
        let message = format!("an archive without an array of points: {why}");
        Error::unrecognized(bytes.path(), message)
    })
}

impl Cloud for Npy {
    fn format(&self) -> Format {
        self.format
    }

    fn info(&self) -> &HeaderInfo {
        &self.info
    }

    fn notes(&self) -> &[Note] {
        &[]
    }

    fn reader(&self, fields: Fields) -> Result<Box<dyn PointReader>> {
        let mut layout = self.layout.only(fields);
        if layout.colour.is_some() || layout.intensity.is_some() {
            layout.fit_scales(&self.table.sample(layout.stride)?);
        }
        Ok(Box::new(RecordReader::new(self.table.clone(), layout)))
    }
}
