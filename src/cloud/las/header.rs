//! What the front of a LAS file says.

use super::super::{
    Crs, Fields, HeaderInfo, Note,
    bytes::{Bytes, Section},
    crs,
    records::{Kind, Layout, Place, Table},
    scale::Scale,
};
use super::geokeys::GeoKeys;
use crate::{Error, Result};
use las::raw;
use std::{
    io::{Seek, SeekFrom},
    ops::Range,
    sync::Arc,
};

/// Name of the extra dimension that holds a plane's index for each point.
const LABEL: &str = "plane_id";

/// The names of the coordinates.
const AXES: [char; 3] = ['x', 'y', 'z'];

/// Length of a variable-length record without its data.
const RECORD: u64 = 54;

/// Lengths of the records of point formats 0 to 10, without extra bytes.
const LENGTHS: [usize; 11] = [20, 28, 26, 34, 57, 63, 30, 36, 38, 59, 67];

/// The parts of a LAS header and its records that matter here.
pub(super) struct Header {
    bytes: Arc<Bytes>,
    raw: raw::Header,
    /// Points promised.
    pub(super) count: u64,
    /// Point format 0 to 10, without the marks of compression.
    pub(super) point_format: u8,
    /// Whether the points are compressed.
    pub(super) compressed: bool,
    /// The record that describes the compression.
    pub(super) laszip: Option<Vec<u8>>,
    extra: Option<Vec<u8>>,
    keys: GeoKeys,
    wkt: Option<Vec<u8>>,
}

impl Header {
    /// Reads the header and the variable-length records.
    ///
    /// The raw header alone is taken from the `las` crate: its full header refuses files for harmless
    /// faults and reads extended records of any promised length into memory.
    pub(super) fn read(bytes: &Arc<Bytes>) -> Result<Header> {
        let mut section = Section::new(bytes.clone(), 0, bytes.len());
        let raw = raw::Header::read_from(&mut section)
            .map_err(|_| fault(bytes, "the file ends inside the header"))?;
        let mut header = Header {
            count: count(&raw).ok_or_else(|| fault(bytes, "its two point counts differ"))?,
            // Writers of LAZ mark the format by its highest bits.
            point_format: raw.point_data_record_format & 0x3f,
            compressed: raw.point_data_record_format & 0xc0 != 0,
            bytes: bytes.clone(),
            raw,
            laszip: None,
            extra: None,
            keys: GeoKeys::default(),
            wkt: None,
        };
        header.check()?;
        header.read_records(section);
        header.read_late_records();
        Ok(header)
    }

    fn check(&self) -> Result<()> {
        let raw = &self.raw;
        if raw.version.major != 1 || raw.version.minor > 5 {
            return Err(self.fault(format!("LAS version {} is unknown", raw.version)));
        }
        let Some(&least) = LENGTHS.get(usize::from(self.point_format)) else {
            return Err(self.fault(format!("point format {} is unknown", self.point_format)));
        };
        if self.stride() < least {
            return Err(self.fault(format!(
                "point format {} needs records of {least} bytes, not {}",
                self.point_format,
                self.stride()
            )));
        }
        if self.start() < u64::from(raw.header_size) || self.start() > self.bytes.len() {
            return Err(self.fault(format!(
                "the points cannot start at byte {} of {}",
                self.start(),
                self.bytes.len()
            )));
        }
        let transform = self.transform();
        if !transform.iter().all(|(a, b)| a.is_finite() && b.is_finite()) {
            return Err(self.fault("a scale or an offset is not a finite number"));
        }
        // The format has no use for a step of nothing: all coordinates would be the offset.
        if let Some(axis) = transform.iter().position(|(scale, _)| !scale.is_normal()) {
            let (axis, scale) = (AXES[axis], transform[axis].0);
            return Err(self.fault(format!(
                "{axis} is stored in steps of {scale:e}, which makes it the same for all points"
            )));
        }
        Ok(())
    }

    /// Keeps the records that are of use. A damaged record ends the search: what follows it
    /// cannot be found, and uncompressed points need none.
    fn read_records(&mut self, mut section: Section) {
        let mut at = u64::from(self.raw.header_size);
        for _ in 0..self.raw.number_of_variable_length_records {
            if at >= self.start() || section.seek(SeekFrom::Start(at)).is_err() {
                return;
            }
            let Ok(record) = raw::Vlr::read_from(&mut section, false) else {
                return;
            };
            at += RECORD + record.data.len() as u64;
            let user = record.user_id.split(|&byte| byte == 0).next();
            match (user.unwrap_or_default(), record.record_id) {
                (b"laszip encoded", 22204) => self.laszip = Some(record.data),
                (b"LASF_Spec", 4) => self.extra = Some(record.data),
                (b"LASF_Projection", id) => self.keep_projection(id, record.data),
                _ => {}
            }
        }
    }

    /// Keeps the descriptions of the coordinate system that stand behind the points.
    fn read_late_records(&mut self) {
        const HEAD: u64 = 60;
        const MOST: u32 = 1000;
        let Some(evlr) = self.raw.evlr else { return };
        let mut at = evlr.start_of_first_evlr;
        for _ in 0..evlr.number_of_evlrs.min(MOST) {
            let Ok(head) = self.bytes.head(at, HEAD) else { return };
            let Some(length) = head.get(20..28).and_then(|l| l.first_chunk()) else { return };
            let length = u64::from_le_bytes(*length);
            let Some(data) = at.checked_add(HEAD) else { return };
            if head[2..18].starts_with(b"LASF_Projection")
                && length <= crs::MOST as u64
                && let Ok(data) = self.bytes.head(data, length)
            {
                self.keep_projection(u16::from_le_bytes([head[18], head[19]]), data);
            }
            match data.checked_add(length) {
                Some(next) if next < self.bytes.len() => at = next,
                _ => return,
            }
        }
    }

    fn keep_projection(&mut self, id: u16, data: Vec<u8>) {
        match id {
            2112 => self.wkt = Some(data),
            34735 => self.keys.directory = data,
            34737 => self.keys.texts = data,
            _ => {}
        }
    }

    /// The coordinate system: well-known text, else the keys of GeoTIFF.
    fn crs(&self) -> Option<Crs> {
        self.wkt.as_deref().and_then(Crs::of_wkt).or_else(|| self.keys.crs())
    }

    /// What should be said of the header.
    pub(super) fn notes(&self) -> Vec<Note> {
        const SCALES: Range<f64> = 1e-12..1e4;
        let scales = self.transform().map(|(scale, _)| scale);
        let odd = AXES.into_iter().zip(scales).filter(|(_, scale)| !SCALES.contains(scale));
        let mut notes: Vec<Note> =
            odd.map(|(axis, scale)| Note::OddScale { axis, scale }).collect();
        let promised = u64::from(self.raw.number_of_variable_length_records);
        let room = (self.start() - u64::from(self.raw.header_size)) / RECORD;
        if promised > room {
            notes.push(Note::MissingRecords { promised, room });
        }
        if let Some(crs) = self.crs()
            && let Some((horizontal, vertical)) = crs.different_units()
        {
            let [horizontal, vertical] = [horizontal, vertical].map(str::to_string);
            notes.push(Note::UnitsDiffer { horizontal, vertical });
        }
        let held = (self.end() - self.start()) / self.stride() as u64;
        if !self.compressed && held > self.count {
            notes.push(Note::MorePoints { promised: self.count, held: Some(held) });
        }
        notes
    }

    /// First byte behind the points, as far as the header says.
    fn end(&self) -> u64 {
        let evlrs = self.raw.evlr.filter(|evlr| evlr.number_of_evlrs > 0);
        let later = [
            evlrs.map(|evlr| evlr.start_of_first_evlr),
            self.raw.start_of_waveform_data_packet_record,
        ];
        let later = later.into_iter().flatten().filter(|&at| at > self.start());
        later.fold(self.bytes.len(), u64::min)
    }

    /// Where the points start.
    pub(super) fn start(&self) -> u64 {
        u64::from(self.raw.offset_to_point_data)
    }

    /// Length of a record.
    pub(super) fn stride(&self) -> usize {
        usize::from(self.raw.point_data_record_length)
    }

    /// Bytes of a record behind what its point format defines.
    pub(super) fn extra_bytes(&self) -> usize {
        self.stride() - LENGTHS[usize::from(self.point_format)]
    }

    /// An error in the header.
    pub(super) fn fault(&self, message: impl Into<String>) -> Error {
        fault(&self.bytes, message)
    }

    /// The uncompressed points.
    pub(super) fn table(&self) -> Result<Table> {
        let held = (self.bytes.len() - self.start()) / self.stride() as u64;
        if held < self.count {
            return Err(Error::format(
                self.bytes.path(),
                format!("point {held}"),
                format!("the file ends here, its header promises {}", self.count),
            ));
        }
        Ok(Table { bytes: self.bytes.clone(), start: self.start(), count: self.count })
    }

    /// Where a record keeps what.
    pub(super) fn layout(&self) -> Result<Layout> {
        let place = |offset, kind| Place { offset, kind };
        let colour = match self.point_format {
            2 => Some(20),
            3 | 5 => Some(28),
            7 | 8 | 10 => Some(30),
            _ => None,
        };
        let layout = Layout {
            stride: self.stride(),
            big_endian: false,
            xyz: [0, 4, 8].map(|offset| place(offset, Kind::I32)),
            transform: Some(self.transform()),
            colour: colour.map(|at| {
                let places = [at, at + 2, at + 4].map(|offset| place(offset, Kind::U16));
                (places, Scale::Wide)
            }),
            intensity: Some((place(12, Kind::U16), Scale::Plain)),
            label: self.label(),
            // The older formats keep three flags in the same byte.
            class: Some(match self.point_format {
                0..=5 => (place(15, Kind::U8), 0x1f),
                _ => (place(16, Kind::U8), 0xff),
            }),
        };
        if layout.is_sound() {
            Ok(layout)
        } else {
            Err(self.fault("the extra dimensions are longer than a point"))
        }
    }

    /// What is shown of the header.
    pub(super) fn info(&self, fields: Fields) -> HeaderInfo {
        let raw = &self.raw;
        HeaderInfo {
            description: format!(
                "{} {}.{}, point format {}",
                if self.compressed { "LAZ" } else { "LAS" },
                raw.version.major,
                raw.version.minor,
                self.point_format,
            ),
            points: Some(self.count),
            fields,
            others: self.others(),
            bounds: Some(([raw.min_x, raw.min_y, raw.min_z], [raw.max_x, raw.max_y, raw.max_z])),
            crs: self.crs(),
        }
    }

    fn transform(&self) -> [(f64, f64); 3] {
        let raw = &self.raw;
        [
            (raw.x_scale_factor, raw.x_offset),
            (raw.y_scale_factor, raw.y_offset),
            (raw.z_scale_factor, raw.z_offset),
        ]
    }

    /// Names of the extra dimensions that are not read.
    fn others(&self) -> Vec<String> {
        let all = self.extra.as_deref().unwrap_or_default().as_chunks::<192>().0.iter();
        let names = all.map(name_of).filter(|name| !name.is_empty() && *name != LABEL.as_bytes());
        names.map(|name| String::from_utf8_lossy(name).into_owned()).collect()
    }

    fn label(&self) -> Option<Place> {
        let mut offset = self.stride() - self.extra_bytes();
        for dimension in self.extra.as_deref()?.as_chunks::<192>().0 {
            let (kind, size) = extra_type(dimension[2], dimension[3])?;
            if name_of(dimension) == LABEL.as_bytes() {
                return kind.map(|kind| Place { offset, kind });
            }
            offset += size;
        }
        None
    }
}

/// The name of an extra dimension.
fn name_of(dimension: &[u8; 192]) -> &[u8] {
    dimension[4..36].split(|&byte| byte == 0).next().unwrap_or_default()
}

/// The type and length of an extra dimension; the type is `None` where it is no plain number.
fn extra_type(code: u8, options: u8) -> Option<(Option<Kind>, usize)> {
    const KINDS: [Kind; 10] = [
        Kind::U8,
        Kind::I8,
        Kind::U16,
        Kind::I16,
        Kind::U32,
        Kind::I32,
        Kind::U64,
        Kind::I64,
        Kind::F32,
        Kind::F64,
    ];
    match code {
        // Not described: as many bytes as the options say.
        0 => Some((None, usize::from(options))),
        1..=10 => {
            let kind = KINDS[usize::from(code) - 1];
            Some((Some(kind), kind.size()))
        }
        // Pairs and triples, long deprecated.
        11..=30 => {
            let kind = KINDS[usize::from(code - 1) % 10];
            Some((None, kind.size() * (1 + usize::from(code - 1) / 10)))
        }
        _ => None,
    }
}

/// LAS 1.4 holds the count twice, the old field being 0 where it is too small. `None` if they differ.
fn count(raw: &raw::Header) -> Option<u64> {
    let old = u64::from(raw.number_of_point_records);
    let new = raw.large_file.map_or(0, |file| file.number_of_point_records);
    match (old, new) {
        (0, count) | (count, 0) => Some(count),
        (old, new) => (old == new).then_some(old),
    }
}

fn fault(bytes: &Bytes, message: impl Into<String>) -> Error {
    Error::format(bytes.path(), "header", message)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn extra_dimensions_have_their_lengths() {
        assert_eq!(extra_type(6, 0), Some((Some(Kind::I32), 4)));
        assert_eq!(extra_type(0, 7), Some((None, 7)));
        assert_eq!(extra_type(20, 0), Some((None, 16)), "a pair of doubles");
        assert_eq!(extra_type(21, 0), Some((None, 3)), "a triple of bytes");
        assert_eq!(extra_type(31, 0), None);
    }

    #[test]
    fn counts_agree_or_one_is_zero() {
        let mut raw = raw::Header { number_of_point_records: 5, ..Default::default() };
        assert_eq!(count(&raw), Some(5));
        raw.large_file =
            Some(raw::header::LargeFile { number_of_point_records: 6, ..Default::default() });
        assert_eq!(count(&raw), None);
        raw.number_of_point_records = 0;
        assert_eq!(count(&raw), Some(6));
    }
}
