//! What the front of a LAS file says.

use super::super::{
    Crs, Fields, HeaderInfo, Note,
    bytes::{Bytes, Section},
    crs,
    labels::LABEL,
    records::{Layout, NumberType, Place, Table},
    scale::Scale,
};
use super::{copc::Octree, extra::dimensions, geokeys::GeoKeys, point_format::PointFormat};
use crate::{Error, Result};
use las::raw;
use std::{
    io::{Seek, SeekFrom},
    ops::Range,
    sync::Arc,
};

/// The names of the coordinates.
const AXES: [char; 3] = ['x', 'y', 'z'];

/// Length of a variable-length record without its data.
pub(super) const RECORD: u64 = 54;
/// Length of an extended one without its data.
const EXTENDED_RECORD: u64 = 60;

/// The parts of a LAS header and its records that matter here.
pub(super) struct Header {
    pub(super) bytes: Arc<Bytes>,
    pub(super) raw: raw::Header,
    /// Points promised.
    pub(super) count: u64,
    pub(super) point_format: PointFormat,
    /// Whether the points are compressed.
    pub(super) compressed: bool,
    /// The record that describes the compression.
    pub(super) laszip: Option<Vec<u8>>,
    /// The record that describes extra bytes.
    pub(super) extra: Option<Vec<u8>>,
    /// The record that describes the octree of COPC.
    copc: Option<Vec<u8>>,
    keys: GeoKeys,
    wkt: Option<Vec<u8>>,
}

impl Header {
    /// Reads the header and the variable-length records.
    ///
    /// The raw header alone is taken from the `las` crate: its full header refuses files for harmless
    /// faults and reads extended records of any promised length into memory.
    pub(super) fn read(bytes: &Arc<Bytes>) -> Result<Header> {
        let section = Section::new(bytes.clone(), 0, bytes.len());
        let raw = raw::Header::read_from(section)
            .map_err(|_| fault(bytes, "the file ends inside the header"))?;
        let count = count(&raw).ok_or_else(|| fault(bytes, "its two point counts differ"))?;
        if raw.version.major != 1 || raw.version.minor > 5 {
            return Err(fault(bytes, format!("LAS version {} is unknown", raw.version)));
        }
        // Writers of LAZ mark the format by its highest bits.
        let number = raw.point_data_record_format & 0x3f;
        let point_format = PointFormat::new(number);
        let mut header = Header {
            count,
            point_format: point_format
                .ok_or_else(|| fault(bytes, format!("point format {number} is unknown")))?,
            compressed: raw.point_data_record_format & 0xc0 != 0,
            bytes: bytes.clone(),
            raw,
            laszip: None,
            extra: None,
            copc: None,
            keys: GeoKeys::default(),
            wkt: None,
        };
        header.check()?;
        header.keep_records();
        Ok(header)
    }

    fn check(&self) -> Result<()> {
        let raw = &self.raw;
        let least = usize::from(self.point_format.length());
        if self.stride() < least {
            return Err(self.fault(format!(
                "point format {} needs records of {least} bytes, not {}",
                self.point_format.number(),
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

    /// The records before the points, each with the byte behind it. A damaged one ends them: what follows it
    /// cannot be found, and uncompressed points need none.
    pub(super) fn records(&self) -> impl Iterator<Item = (raw::Vlr, u64)> + use<> {
        let mut section = Section::new(self.bytes.clone(), 0, self.bytes.len());
        let mut at = u64::from(self.raw.header_size);
        let start = self.start();
        (0..self.raw.number_of_variable_length_records).map_while(move |_| {
            section.seek(SeekFrom::Start(at)).ok().filter(|&at| at < start)?;
            let record = raw::Vlr::read_from(&mut section, false).ok()?;
            at += RECORD + record.data.len() as u64;
            Some((record, at))
        })
    }

    /// The records behind the points, as far as they can be found; the last one is an error where its head
    /// lies behind the end of the file.
    pub(super) fn late_records(&self) -> impl Iterator<Item = Result<LateRecord>> + use<> {
        let waveforms = self.raw.start_of_waveform_data_packet_record;
        let (mut at, mut left) = match (self.raw.evlr, waveforms) {
            (Some(evlr), _) => (evlr.start_of_first_evlr, evlr.number_of_evlrs),
            // Version 1.3 has this one alone.
            (None, Some(start)) => (start, 1),
            (None, None) => (0, 0),
        };
        let bytes = self.bytes.clone();
        std::iter::from_fn(move || {
            left = left.checked_sub(1)?;
            let record = LateRecord::read(&bytes, at).and_then(|record| {
                record.ok_or_else(|| fault(&bytes, "an extended record lies behind the end"))
            });
            match &record {
                Ok(record) => at = record.end(),
                Err(_) => left = 0,
            }
            Some(record)
        })
    }

    /// Keeps the records that are of use.
    fn keep_records(&mut self) {
        const MOST: usize = 1000;
        for (record, _) in self.records() {
            match (user(&record.user_id), record.record_id) {
                (b"laszip encoded", 22204) => self.laszip = Some(record.data),
                (b"LASF_Spec", 4) => self.extra = Some(record.data),
                (b"copc", 1) => self.copc = Some(record.data),
                (b"LASF_Projection", id) => self.keep_projection(id, record.data),
                _ => {}
            }
        }
        for record in self.late_records().map_while(Result::ok).take(MOST) {
            if record.user.starts_with(b"LASF_Projection")
                && record.length <= crs::MOST as u64
                && let Ok(data) = self.bytes.head(record.data, record.length)
            {
                self.keep_projection(record.id, data);
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

    /// The octree of COPC.
    pub(super) fn octree(&self) -> Option<Octree> {
        let steps = self.transform().map(|(scale, _)| scale);
        Octree::new(self.copc.as_deref()?, steps).filter(|_| self.compressed)
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
        notes.extend(Note::of_units(self.crs().as_ref()));
        notes
    }

    /// What to say where there is room for more points, not compressed, than the header promises.
    pub(super) fn more_points(&self) -> Option<Note> {
        let held = (self.end() - self.start()) / self.stride() as u64;
        let more = Note::MorePoints { promised: self.count, held: Some(held) };
        (held > self.count).then_some(more)
    }

    /// What to say where another file starts within 1 MiB behind byte `end`, which ends the points, or behind
    /// the last record.
    pub(super) fn more_files(&self, end: u64) -> Result<Option<Note>> {
        const WINDOW: u64 = 1 << 20;
        const FRONT: usize = 227;
        let records = self.late_records().take(1000).map_while(Result::ok).last();
        for from in [Some(end), records.map(|record| record.end())].into_iter().flatten() {
            let window = self.bytes.head(from, WINDOW)?;
            let is_file = |front: &[u8]| {
                let header_size = u16::from_le_bytes([front[94], front[95]]);
                front.starts_with(b"LASF")
                    && front[24] == 1
                    && front[25] <= 4
                    && usize::from(header_size) >= FRONT
            };
            if let Some(at) = window.windows(FRONT).position(is_file) {
                return Ok(Some(Note::MoreBytes { bytes: self.bytes.len() - from - at as u64 }));
            }
        }
        Ok(None)
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
        self.stride() - usize::from(self.point_format.length())
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
        let (class, mask) = self.point_format.class();
        let layout = Layout {
            stride: self.stride(),
            big_endian: false,
            xyz: [0, 4, 8].map(|offset| place(offset, NumberType::I32)),
            transform: Some(self.transform()),
            colour: self.point_format.colour().map(|at| {
                let places = [at, at + 2, at + 4].map(|offset| place(offset, NumberType::U16));
                (places, Scale::Wide)
            }),
            intensity: Some((place(12, NumberType::U16), Scale::Plain)),
            label: self.label(),
            class: Some((place(class, NumberType::U8), mask)),
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
                "{}{} {}.{}, point format {}",
                if self.octree().is_some() { "COPC, " } else { "" },
                if self.compressed { "LAZ" } else { "LAS" },
                raw.version.major,
                raw.version.minor,
                self.point_format.number(),
            ),
            points: Some(self.count),
            in_floats: false,
            fields,
            others: self.others(),
            bounds: Some(([raw.min_x, raw.min_y, raw.min_z], [raw.max_x, raw.max_y, raw.max_z])),
            crs: self.crs(),
            scanner: None,
            row_length: None,
        }
    }

    /// Step and offset of each axis.
    pub(super) fn transform(&self) -> [(f64, f64); 3] {
        let raw = &self.raw;
        [
            (raw.x_scale_factor, raw.x_offset),
            (raw.y_scale_factor, raw.y_offset),
            (raw.z_scale_factor, raw.z_offset),
        ]
    }

    /// Names of the extra dimensions that are not read.
    fn others(&self) -> Vec<String> {
        let names = dimensions(self.extra.as_deref()).map(|dimension| dimension.name());
        names.filter(|name| !name.is_empty() && name != LABEL).collect()
    }

    fn label(&self) -> Option<Place> {
        let mut offset = self.stride() - self.extra_bytes();
        for dimension in dimensions(self.extra.as_deref()) {
            let size = dimension.size()?;
            if dimension.name() == LABEL {
                return dimension.kind().map(|kind| Place { offset, kind });
            }
            offset += size;
        }
        None
    }
}

/// A record behind the points.
pub(super) struct LateRecord {
    /// Where it starts, and its data.
    pub(super) start: u64,
    data: u64,
    /// Length of the data, whether or not the file holds them.
    length: u64,
    user: [u8; 16],
    id: u16,
}

impl LateRecord {
    /// Reads the head of a record; `None` behind the end.
    fn read(bytes: &Bytes, start: u64) -> Result<Option<LateRecord>> {
        let head = bytes.head(start, EXTENDED_RECORD)?;
        let Ok(head) = <[u8; EXTENDED_RECORD as usize]>::try_from(head) else { return Ok(None) };
        Ok(Some(LateRecord {
            start,
            data: start + EXTENDED_RECORD,
            length: u64::from_le_bytes(std::array::from_fn(|k| head[20 + k])),
            user: std::array::from_fn(|k| head[2 + k]),
            id: u16::from_le_bytes([head[18], head[19]]),
        }))
    }

    /// The byte behind it.
    pub(super) fn end(&self) -> u64 {
        self.data.saturating_add(self.length)
    }

    /// Whether it describes the octree of COPC.
    pub(super) fn is_copc(&self) -> bool {
        user(&self.user) == b"copc"
    }
}

/// Whose record it is.
pub(super) fn user(id: &[u8; 16]) -> &[u8] {
    id.split(|&byte| byte == 0).next().unwrap_or_default()
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
