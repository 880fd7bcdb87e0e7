//! What the front of a LAS file says.

use super::super::{
    Fields, HeaderInfo,
    bytes::{Bytes, Section},
    records::{Kind, Layout, Place, Table},
    scale::Scale,
};
use crate::{Error, Result};
use las::raw;
use std::{
    io::{Seek, SeekFrom},
    sync::Arc,
};

/// Name of the extra dimension that holds a plane's index for each point.
const LABEL: &str = "plane_id";

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
        };
        header.check()?;
        header.read_records(section);
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
        Ok(())
    }

    /// Keeps the two records that are of use. A damaged record ends the search: what follows it
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
            at += 54 + record.data.len() as u64;
            let user = record.user_id.split(|&byte| byte == 0).next();
            match (user.unwrap_or_default(), record.record_id) {
                (b"laszip encoded", 22204) => self.laszip = Some(record.data),
                (b"LASF_Spec", 4) => self.extra = Some(record.data),
                _ => {}
            }
        }
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
            bounds: Some(([raw.min_x, raw.min_y, raw.min_z], [raw.max_x, raw.max_y, raw.max_z])),
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

    fn label(&self) -> Option<Place> {
        let mut offset = self.stride() - self.extra_bytes();
        for dimension in self.extra.as_deref()?.as_chunks::<192>().0 {
            let (kind, size) = extra_type(dimension[2], dimension[3])?;
            let name = &dimension[4..36];
            let name = name.split(|&byte| byte == 0).next().unwrap_or_default();
            if name == LABEL.as_bytes() {
                return kind.map(|kind| Place { offset, kind });
            }
            offset += size;
        }
        None
    }
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
