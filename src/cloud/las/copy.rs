//! A LAS or LAZ file copied with the dimensions of the labels.

use super::super::labels::Labels;
use super::encoder::is_laz;
use super::extra::Extra;
use super::front::{Front, VERSION, record, write_header};
use super::header::{Header, LateRecord, user};
use super::records::Records;
use super::sink::{Sink, batch, pass_on};
use crate::atomic::AtomicFile;
use crate::{Error, Result};
use las::raw;
use rayon::prelude::*;
use std::io::{Seek, SeekFrom};
use std::path::Path;

/// Points that one thread labels in one go.
const PIECE: usize = 1 << 10;

/// Copies a file of this header and these records to `path`, which is compressed when its name ends in `laz`.
///
/// Header fields, variable-length records, extended ones, point format and all fields of all points
/// are kept as they are, byte by byte. What changes: the dimensions are added, or replaced where
/// they exist; the version becomes 1.4 where it is older, which has no extra dimensions; the records
/// that describe compression and the octree of COPC are left out or written anew, for they do not
/// describe the new file.
pub(super) fn copy(
    header: &Header,
    mut records: Records,
    mut labels: Labels<'_>,
    path: &Path,
) -> Result<()> {
    let mut front = front_of(header)?;
    let late = late_records(header)?;
    labels.check_count(header.count)?;
    let extra = add_dimensions(header, &mut front, labels.names())?;
    let laszip = front.complete(header.point_format, extra.length(), is_laz(path), "");
    let laszip = laszip.map_err(|message| header.fault(message))?;
    let change = Change::new(header, &extra);

    let mut file = AtomicFile::create(path)?;
    front.write(&mut file)?;
    let mut sink = Sink::new(file, laszip).map_err(Error::io(path))?;
    let mut old = Vec::new();
    let mut done = 0;
    let batch = batch(sink.is_compressed());
    pass_on(&mut sink, path, |new| {
        records.read(batch, &mut old)?;
        let n = old.len() / header.stride();
        change.label(&old, header.stride(), &labels.take(n)?, new);
        done += n as u64;
        Ok(done < header.count)
    })?;
    let mut file = sink.finish().map_err(Error::io(path))?;
    copy_late(header, &late, &mut front.header, &mut file)?;
    write_header(&front.header, &mut file)?;
    file.commit()
}

/// The front of the old file without the records that will not describe the new one. A damaged record ends the
/// search; it and what follows are kept as padding.
fn front_of(header: &Header) -> Result<Front> {
    let mut records = Vec::new();
    let mut at = u64::from(header.raw.header_size);
    for (record, end) in header.records().take_while(|&(_, end)| end <= header.start()) {
        at = end;
        match (user(&record.user_id), record.record_id) {
            (b"laszip encoded", 22204) | (b"copc", _) => {}
            _ => records.push(record),
        }
    }
    let padding = header.bytes.head(at, header.start() - at)?;
    Ok(Front { header: header.raw.clone(), records, padding })
}

/// The records behind the points, but for those of COPC.
fn late_records(header: &Header) -> Result<Vec<LateRecord>> {
    let mut records = Vec::new();
    for record in header.late_records() {
        let record = record?;
        if record.end() > header.bytes.len() {
            return Err(header.fault("an extended record is cut off"));
        }
        records.push(record);
    }
    records.retain(|record| !record.is_copc());
    Ok(records)
}

/// Describes the dimensions called `names` in the front of a file, and makes it of a version that has them.
fn add_dimensions(header: &Header, front: &mut Front, names: &[&str]) -> Result<Extra> {
    let is_extra = |v: &raw::Vlr| user(&v.user_id) == b"LASF_Spec" && v.record_id == 4;
    let old = front.records.iter().position(is_extra);
    let description = old.map(|k| &front.records[k].data[..]);
    let extra = Extra::new(description, header.extra_bytes(), names)
        .ok_or_else(|| header.fault("the extra dimensions are longer than a point"))?;
    let described = record("LASF_Spec", 4, "", &extra.description)
        .ok_or_else(|| header.fault("too many extra dimensions"))?;
    match old {
        Some(k) => front.records[k] = described,
        None => front.records.push(described),
    }
    let raw = &mut front.header;
    if raw.version < VERSION {
        raw.version = VERSION;
        let mut large =
            raw::header::LargeFile { number_of_point_records: header.count, ..Default::default() };
        let by_return = large.number_of_points_by_return.iter_mut();
        by_return.zip(raw.number_of_points_by_return).for_each(|(new, old)| *new = old.into());
        raw.large_file = Some(large);
    }
    Ok(extra)
}

/// Copies the records behind the points to the end and enters their new places in the header.
fn copy_late(
    header: &Header,
    records: &[LateRecord],
    new: &mut raw::Header,
    file: &mut AtomicFile,
) -> Result<()> {
    let mut at = file.seek(SeekFrom::End(0)).map_err(Error::io(file.path()))?;
    let waveforms = new.start_of_waveform_data_packet_record.take();
    new.evlr = (!records.is_empty()).then_some(raw::header::Evlr {
        start_of_first_evlr: at,
        number_of_evlrs: records.len() as u32,
    });
    for record in records {
        if waveforms == Some(record.start) {
            new.start_of_waveform_data_packet_record = Some(at);
        }
        at += header.bytes.copy_to(record.start..record.end(), file)?;
    }
    Ok(())
}

/// How a record changes.
struct Change {
    base: usize,
    /// Which extra bytes stay.
    kept: Vec<std::ops::Range<usize>>,
    /// Length of a new record.
    length: usize,
    transform: [(f64, f64); 3],
}

impl Change {
    fn new(header: &Header, extra: &Extra) -> Change {
        let base = usize::from(header.point_format.length());
        Change {
            base,
            kept: extra.kept.iter().map(|r| r.start + base..r.end + base).collect(),
            length: base + extra.length(),
            transform: header.transform(),
        }
    }

    /// Makes new records of old ones of `stride` bytes.
    fn label(&self, old: &[u8], stride: usize, labels: &Labels, new: &mut Vec<u8>) {
        new.resize(old.len() / stride * self.length, 0);
        let pieces = old.par_chunks(PIECE * stride).zip(new.par_chunks_mut(PIECE * self.length));
        pieces.enumerate().for_each_init(Vec::new, |bytes, (piece, (old, new))| {
            bytes.clear();
            for (k, record) in old.chunks_exact(stride).enumerate() {
                self.append(record, labels, piece * PIECE + k, bytes);
            }
            new.copy_from_slice(bytes);
        });
    }

    /// Appends the `k`-th record of a batch and its labels.
    fn append(&self, record: &[u8], labels: &Labels, k: usize, new: &mut Vec<u8>) {
        new.extend_from_slice(&record[..self.base]);
        for range in &self.kept {
            new.extend_from_slice(&record[range.clone()]);
        }
        let point = std::array::from_fn(|k| {
            let raw = i32::from_le_bytes(std::array::from_fn(|b| record[4 * k + b]));
            let (scale, offset) = self.transform[k];
            f64::from(raw) * scale + offset
        });
        labels.encode(k, point, new);
    }
}
