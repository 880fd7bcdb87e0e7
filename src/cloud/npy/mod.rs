//! NumPy arrays of points, `.npy`, and archives of arrays, `.npz`.

mod array;
pub(crate) mod labels;
mod literal;
mod zip;

use super::{
    Fields, Format, HeaderInfo, Note, PointReader,
    bytes::Bytes,
    driver::{Cloud, Driver},
    records::{Layout, NumberType, Place, Table, WIDEST},
    scale::Scale,
    transposed::{self, Column},
};
use crate::{Error, Result};
use array::{Array, MAGIC};
use std::sync::{Arc, OnceLock};
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

/// Rows of more numbers are those of an image or a depth map, or features.
const MOST_COLUMNS: u64 = 16;

/// What a row of an array holds.
struct Rows {
    layout: Layout,
    /// Names of the fields that are not read.
    others: Vec<String>,
    count: u64,
    /// Whether the array is stored column after column.
    is_transposed: bool,
}

/// An array of points. To open it takes its header alone: it is unpacked, and its columns are brought into
/// records, when it is read.
struct Npy {
    format: Format,
    info: HeaderInfo,
    notes: Vec<Note>,
    layout: Layout,
    bytes: Arc<Bytes>,
    /// Its entry, if the file is an archive.
    entry: Option<Entry>,
    array: Array,
    count: u64,
    is_transposed: bool,
    table: OnceLock<Table>,
}

impl Npy {
    fn open(bytes: &Arc<Bytes>) -> Result<Npy> {
        if !is_archive(&bytes.head(0, 1 << 10)?) {
            let array = Array::read(bytes)?;
            let rows = rows(&array).map_err(|why| Error::unrecognized(bytes.path(), why))?;
            return Npy::new(bytes, None, array, rows);
        }
        let (entry, array, rows) = choose(bytes)?;
        entry.check(bytes)?;
        Npy::new(bytes, Some(entry), array, rows)
    }

    fn new(bytes: &Arc<Bytes>, entry: Option<Entry>, array: Array, rows: Rows) -> Result<Npy> {
        let Rows { mut layout, others, count, is_transposed } = rows;
        let length = entry.as_ref().map_or(bytes.len(), Entry::length);
        let held = length.saturating_sub(array.start) / layout.stride as u64;
        if held < count {
            let message = format!("the file ends before, its header promises {count}");
            return Err(Error::format(bytes.path(), format!("point {held}"), message));
        }
        let array_stride = layout.stride as u64;
        if is_transposed {
            // Only coordinates are read of a plain array.
            layout.stride = 3 * array.size;
        }
        let kind = match layout.xyz[0].kind {
            NumberType::F32 => "float",
            NumberType::F64 => "double",
            _ => "integer",
        };
        let (format, what) = match &entry {
            Some(entry) => (Format::NPZ, format!("NumPy archive, array {}", entry.name)),
            None => (Format::NPY, "NumPy array".to_owned()),
        };
        let info = HeaderInfo {
            description: format!("{what} of shape {}, {kind} coordinates", array.shape_text()),
            points: Some(count),
            in_floats: kind == "float",
            fields: layout.fields(),
            others,
            bounds: None,
            crs: None,
            scanner: None,
            row_length: array.row_length().filter(|_| !is_transposed),
        };
        let end = array.start + count * array_stride;
        let more = (length > end).then_some(Note::MoreBytes { bytes: length - end });
        let (bytes, table, notes) = (bytes.clone(), OnceLock::new(), more.into_iter().collect());
        Ok(Npy { format, info, notes, layout, bytes, entry, array, count, is_transposed, table })
    }

    /// The points in records.
    fn table(&self) -> Result<Table> {
        if let Some(table) = self.table.get() {
            return Ok(table.clone());
        }
        let (bytes, start) = match &self.entry {
            Some(entry) => entry.unpacked(&self.bytes)?,
            None => (self.bytes.clone(), 0),
        };
        let (start, count) = (start + self.array.start, self.count);
        let table = if self.is_transposed {
            let width = self.array.size;
            let column = |k| Column { start: start + k * count * width as u64, width };
            let records = transposed::records(&bytes, &[0, 1, 2].map(column), count)?;
            Table { bytes: Arc::new(records), start: 0, count }
        } else {
            Table { bytes, start, count }
        };
        Ok(self.table.get_or_init(|| table).clone())
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
        if array.size > WIDEST {
            return Err(format!("records of {} bytes, more than {WIDEST}", array.size));
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
        [n @ 3..=4, k] if k > MOST_COLUMNS => {
            return Err(format!("an array of shape ({n}, {k}); transpose it: {instead}"));
        }
        [_, _, _] if array.size == 1 => {
            return Err(format!("an array of shape {shape}: an image of 8 bits; {instead}"));
        }
        [.., k] if k > MOST_COLUMNS => {
            return Err(format!(
                "an array of shape {shape}: {k} columns, and no points; {instead}"
            ));
        }
        [.., k] if k >= 3 && (array.shape.len() == 2 || !is_transposed) => (count / k, k as usize),
        _ => return Err(format!("an array of shape {shape}; {instead}")),
    };
    let Some((kind, big_endian)) = array.members[0].number else {
        return Err(format!(
            "an array of shape {shape} whose elements are neither integers of 8 to 64 bits nor floats of \
             32 or 64"
        ));
    };
    let xyz = [0, 1, 2].map(|axis| Place { offset: axis * array.size, kind });
    let layout = Layout { stride: k * array.size, big_endian, ..coordinates(xyz) };
    let others = (4..=k).map(|column| format!("column {column}"));
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
        &self.notes
    }

    fn reader(&self, fields: Fields) -> Result<Box<dyn PointReader>> {
        Ok(Box::new(self.table()?.reader(&self.layout, fields)?))
    }
}
