//! What stands before the points of a LAS file that is written.

use super::header::RECORD;
use super::point_format::PointFormat;
use super::sink::CHUNK;
use crate::atomic::AtomicFile;
use crate::{Error, Result};
use las::{Version, raw};
use laz::{LazItemRecordBuilder, LazVlr, laszip::LazVlrBuilder};
use std::io::{self, Seek, SeekFrom, Write};
use std::path::Path;

/// The version that is written: the first with extra dimensions.
pub(super) const VERSION: Version = Version { major: 1, minor: 4 };

/// All that stands before the points of a new file.
pub(super) struct Front {
    pub(super) header: raw::Header,
    pub(super) records: Vec<raw::Vlr>,
    /// Bytes between the last record and the points.
    pub(super) padding: Vec<u8>,
}

impl Front {
    /// Completes the header and the records for points of this format and so many extra bytes; gives the
    /// description of LAZ, or says why there can be no such file.
    pub(super) fn complete(
        &mut self,
        format: PointFormat,
        extra: usize,
        compressed: bool,
        text: &str,
    ) -> std::result::Result<Option<LazVlr>, String> {
        let length = u16::try_from(usize::from(format.length()) + extra);
        let length = length.map_err(|_| "points are too long for more dimensions")?;
        let laszip = compressed.then(|| laszip(format, extra as u16)).transpose();
        let laszip = laszip.map_err(|error| error.to_string())?;
        if let Some(laszip) = &laszip {
            let mut data = Vec::new();
            laszip.write_to(&mut data).map_err(|error| error.to_string())?;
            self.records.extend(record(LazVlr::USER_ID, LazVlr::RECORD_ID, text, &data));
        }
        let header = &mut self.header;
        header.point_data_record_format = format.number() | if compressed { 0x80 } else { 0 };
        header.point_data_record_length = length;
        let size = usize::from(header.version.header_size()) + header.padding.len();
        let records: usize = self.records.iter().map(|r| RECORD as usize + r.data.len()).sum();
        let start = u32::try_from(size + records + self.padding.len());
        header.offset_to_point_data =
            start.map_err(|_| "the records before the points are too long")?;
        header.header_size = u16::try_from(size).map_err(|_| "the header is too long")?;
        header.number_of_variable_length_records = self.records.len() as u32;
        Ok(laszip)
    }

    /// Writes it at the start of a file.
    pub(super) fn write(&self, file: &mut AtomicFile) -> Result<()> {
        write_header(&self.header, file)?;
        let records = self.records.iter().try_for_each(|record| record.write_to(&mut *file));
        records.map_err(|error| unwritable(file.path(), error))?;
        file.write_all(&self.padding).map_err(Error::io(file.path()))
    }
}

/// Writes the header of a file whose points are written.
pub(super) fn write_header(header: &raw::Header, file: &mut AtomicFile) -> Result<()> {
    file.seek(SeekFrom::Start(0)).map_err(Error::io(file.path()))?;
    header.write_to(&mut *file).map_err(|error| unwritable(file.path(), error))
}

/// A record before the points; `None` when it is too long for one.
pub(super) fn record(user: &str, record_id: u16, text: &str, data: &[u8]) -> Option<raw::Vlr> {
    Some(raw::Vlr {
        user_id: padded(user),
        record_id,
        record_length_after_header: raw::vlr::RecordLength::Vlr(u16::try_from(data.len()).ok()?),
        description: padded(text),
        data: data.to_vec(),
        ..raw::Vlr::default()
    })
}

/// A text, cut or filled up with zeros.
pub(super) fn padded<const N: usize>(text: &str) -> [u8; N] {
    std::array::from_fn(|k| text.as_bytes().get(k).copied().unwrap_or(0))
}

/// The description of LAZ for a point format with extra bytes.
fn laszip(format: PointFormat, extra: u16) -> laz::Result<LazVlr> {
    let items = LazItemRecordBuilder::default_for_point_format_id(format.number(), extra)?;
    Ok(LazVlrBuilder::new(items).with_fixed_chunk_size(CHUNK as u32).build())
}

pub(super) fn unwritable(path: &Path, error: las::Error) -> Error {
    Error::io(path)(match error {
        las::Error::Io(error) => error,
        other => io::Error::other(other.to_string()),
    })
}
