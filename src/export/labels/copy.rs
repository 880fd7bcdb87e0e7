//! A LAS or LAZ file copied with the dimensions of the labels.

use super::extra::Extra;
use super::records::{Records, Sink, batch, laszip, pass_on};
use super::{LabelBy, Labels};
use crate::atomic::AtomicFile;
use crate::cloud::{Section, Source};
use crate::detection::Detection;
use crate::{Error, Result};
use las::{Version, point::Format, raw};
use rayon::prelude::*;
use std::io::{BufReader, Read, Seek, SeekFrom, Write};
use std::path::Path;

/// Points that one thread labels in one go.
const PIECE: usize = 1 << 10;

/// The version that has extra dimensions.
const EXTRA_DIMENSIONS: Version = Version { major: 1, minor: 4 };

/// Copies the LAS or LAZ cloud `source` to `path`, which is compressed when its name ends in `laz`.
///
/// Header fields, variable-length records, extended ones, point format and all fields of all points
/// are kept as they are, byte by byte. What changes: the dimensions are added, or replaced where
/// they exist; the version becomes 1.4 where it is older, which has no extra dimensions; the records
/// that describe compression and the octree of COPC are left out or written anew, for they do not
/// describe the new file.
///
/// # Errors
/// [`Error::Io`]; [`Error::Format`] on `source` when it is not LAS or is damaged;
/// [`Error::Parameter`] when the labels do not fit the cloud or the planes.
pub fn copy_las(source: &Source, detection: &Detection, by: LabelBy, path: &Path) -> Result<()> {
    let labels = Labels::new(detection, by)?;
    let mut front = Front::read(source)?;
    let (extra, change) = front.with_labels(labels.planes.len() as u64, by)?;
    let compressed = super::las::is_laz(path);
    let vlr = compressed
        .then(|| laszip(front.format, extra))
        .transpose()
        .map_err(|e| front.fault(e.to_string()))?;
    front.describe_compression(vlr.as_ref())?;

    let mut file = AtomicFile::create(path)?;
    front.write(&mut file)?;
    let mut sink = Sink::new(&mut file, vlr)?;
    change.copy_points(&front, labels, &mut sink, path)?;
    sink.finish().map_err(Error::io(path))?;
    front.copy_evlrs(&mut file)?;
    file.seek(SeekFrom::Start(0)).map_err(Error::io(path))?;
    front.header.write_to(&mut file).map_err(las_error(path))?;
    file.commit()
}

fn las_error(path: &Path) -> impl FnOnce(las::Error) -> Error {
    let path = path.to_path_buf();
    move |error| match error {
        las::Error::Io(source) => Error::Io { path, source },
        other => Error::format(path, "header", other.to_string()),
    }
}

/// Everything before the points.
struct Front<'a> {
    source: &'a Source,
    /// The old header, then the new one.
    header: raw::Header,
    format: u8,
    /// Length of an old record and of its part that the point format defines.
    stride: usize,
    base: usize,
    count: u64,
    /// Where the old points start.
    start: u64,
    laszip: Option<Vec<u8>>,
    vlrs: Vec<raw::Vlr>,
    /// Bytes between the last record and the points.
    padding: Vec<u8>,
    evlrs: Vec<Evlr>,
}

/// An extended record in the old file, header and all.
struct Evlr {
    start: u64,
    length: u64,
}

impl<'a> Front<'a> {
    fn read(source: &'a Source) -> Result<Front<'a>> {
        let (path, length) = (source.path(), source.size());
        let fault = |message: String| Error::format(path, "header", message);
        let mut file = BufReader::new(source.section());
        let header = raw::Header::read_from(&mut file).map_err(las_error(path))?;
        let start = u64::from(header.offset_to_point_data);
        if start < u64::from(header.header_size) || start > length {
            return Err(fault(format!("the points cannot start at byte {start} of {length}")));
        }
        let id = header.point_data_record_format & 0x3f;
        let base = Format::new(id).map_err(|e| fault(e.to_string()))?.len();
        let stride = header.point_data_record_length;
        if stride < base {
            return Err(fault(format!(
                "point format {id} needs records of {base} bytes, not {stride}"
            )));
        }
        let large = header.large_file.map_or(0, |l| l.number_of_point_records);
        let mut front = Front {
            source,
            format: id,
            stride: stride.into(),
            base: base.into(),
            count: large.max(header.number_of_point_records.into()),
            start,
            header,
            laszip: None,
            vlrs: Vec::new(),
            padding: Vec::new(),
            evlrs: Vec::new(),
        };
        front.read_vlrs(&mut file)?;
        front.find_evlrs(&mut file, length)?;
        Ok(front)
    }

    fn fault(&self, message: impl Into<String>) -> Error {
        Error::format(self.source.path(), "header", message)
    }

    /// Reads the records before the points. A damaged one ends the search; it and what follows are
    /// kept as padding.
    fn read_vlrs(&mut self, file: &mut BufReader<Section>) -> Result<()> {
        let mut at = u64::from(self.header.header_size);
        for _ in 0..self.header.number_of_variable_length_records {
            file.seek(SeekFrom::Start(at)).map_err(Error::io(self.source.path()))?;
            let Ok(vlr) = raw::Vlr::read_from(&mut *file, false) else {
                break;
            };
            let next = at + 54 + vlr.data.len() as u64;
            if next > self.start {
                break;
            }
            at = next;
            match (user(&vlr), vlr.record_id) {
                (b"laszip encoded", 22204) => self.laszip = Some(vlr.data),
                (b"copc", _) => {}
                _ => self.vlrs.push(vlr),
            }
        }
        file.seek(SeekFrom::Start(at)).map_err(Error::io(self.source.path()))?;
        let padding = file.by_ref().take(self.start - at);
        { padding }.read_to_end(&mut self.padding).map_err(Error::io(self.source.path()))?;
        Ok(())
    }

    /// Finds the records behind the points.
    fn find_evlrs(&mut self, file: &mut BufReader<Section>, length: u64) -> Result<()> {
        let waveforms = self.header.start_of_waveform_data_packet_record;
        let (mut at, count) = match (self.header.evlr, waveforms) {
            (Some(evlr), _) => (evlr.start_of_first_evlr, evlr.number_of_evlrs),
            // Version 1.3 has this one alone.
            (None, Some(start)) => (start, 1),
            (None, None) => return Ok(()),
        };
        for _ in 0..count {
            let mut head = [0; 60];
            let whole = at.checked_add(60).filter(|&end| end <= length);
            let whole =
                whole.ok_or_else(|| self.fault("an extended record lies behind the end"))?;
            file.seek(SeekFrom::Start(at)).map_err(Error::io(self.source.path()))?;
            file.read_exact(&mut head).map_err(Error::io(self.source.path()))?;
            let data = u64::from_le_bytes(std::array::from_fn(|k| head[20 + k]));
            let end = whole.checked_add(data).filter(|&end| end <= length);
            let end = end.ok_or_else(|| self.fault("an extended record is cut off"))?;
            if !head[2..18].starts_with(b"copc\0") {
                self.evlrs.push(Evlr { start: at, length: end - at });
            }
            at = end;
        }
        Ok(())
    }

    /// Turns the header into that of the new file, but for the compression, and tells the number of
    /// its extra bytes and how records change.
    fn with_labels(&mut self, labels: u64, by: LabelBy) -> Result<(u16, Change)> {
        if self.count != labels {
            return Err(super::different_counts());
        }
        let is_extra = |v: &raw::Vlr| user(v) == b"LASF_Spec" && v.record_id == 4;
        let old = self.vlrs.iter().position(is_extra);
        let description = old.map_or(&[][..], |k| &self.vlrs[k].data);
        let extra = Extra::new(description, self.stride - self.base, by)
            .ok_or_else(|| self.fault("the extra dimensions are longer than a point"))?;
        let length = u16::try_from(self.base + extra.length())
            .map_err(|_| self.fault("points are too long for more dimensions"))?;
        let vlr = new_vlr(b"LASF_Spec", 4, &extra.description)
            .ok_or_else(|| self.fault("too many extra dimensions"))?;
        match old {
            Some(k) => self.vlrs[k] = vlr,
            None => self.vlrs.push(vlr),
        }
        let h = &mut self.header;
        h.point_data_record_length = length;
        if h.version < EXTRA_DIMENSIONS {
            h.version = EXTRA_DIMENSIONS;
            let mut by_return = [0; 15];
            for (new, &old) in by_return.iter_mut().zip(&h.number_of_points_by_return) {
                *new = old.into();
            }
            h.large_file = Some(raw::header::LargeFile {
                number_of_point_records: self.count,
                number_of_points_by_return: by_return,
            });
        }
        let change = Change {
            base: self.base,
            kept: extra.kept.iter().map(|r| r.start + self.base..r.end + self.base).collect(),
            length: length.into(),
            transform: [
                (h.x_scale_factor, h.x_offset),
                (h.y_scale_factor, h.y_offset),
                (h.z_scale_factor, h.z_offset),
            ],
        };
        Ok((length - self.base as u16, change))
    }

    /// Completes the header.
    fn describe_compression(&mut self, vlr: Option<&laz::LazVlr>) -> Result<()> {
        self.header.point_data_record_format = self.format;
        if let Some(vlr) = vlr {
            self.header.point_data_record_format |= 0x80;
            let mut data = Vec::new();
            vlr.write_to(&mut data).map_err(Error::io(self.source.path()))?;
            self.vlrs.extend(new_vlr(b"laszip encoded", 22204, &data));
        }
        let size = usize::from(self.header.version.header_size()) + self.header.padding.len();
        let records: usize = self.vlrs.iter().map(|v| 54 + v.data.len()).sum();
        let offset = u32::try_from(size + records + self.padding.len());
        let too_long = |_| self.fault("the records before the points are too long");
        self.header.offset_to_point_data = offset.map_err(too_long)?;
        self.header.header_size =
            u16::try_from(size).map_err(|_| self.fault("the header is too long"))?;
        self.header.number_of_variable_length_records = self.vlrs.len() as u32;
        Ok(())
    }

    fn write(&self, file: &mut AtomicFile) -> Result<()> {
        let path = file.path().to_path_buf();
        self.header.write_to(&mut *file).map_err(las_error(&path))?;
        for vlr in &self.vlrs {
            vlr.write_to(&mut *file).map_err(las_error(&path))?;
        }
        file.write_all(&self.padding).map_err(Error::io(path))
    }

    /// Copies the extended records to the end and enters their new places in the header.
    fn copy_evlrs(&mut self, file: &mut AtomicFile) -> Result<()> {
        let path = file.path().to_path_buf();
        let mut input = self.source.section();
        let mut at = file.seek(SeekFrom::End(0)).map_err(Error::io(&path))?;
        let waveforms = self.header.start_of_waveform_data_packet_record.take();
        self.header.evlr = (!self.evlrs.is_empty()).then_some(raw::header::Evlr {
            start_of_first_evlr: at,
            number_of_evlrs: self.evlrs.len() as u32,
        });
        for evlr in &self.evlrs {
            if waveforms == Some(evlr.start) {
                self.header.start_of_waveform_data_packet_record = Some(at);
            }
            input.seek(SeekFrom::Start(evlr.start)).map_err(Error::io(self.source.path()))?;
            let copied = std::io::copy(&mut input.by_ref().take(evlr.length), file);
            at += copied.map_err(Error::io(&path))?;
        }
        Ok(())
    }
}

fn user(vlr: &raw::Vlr) -> &[u8] {
    vlr.user_id.split(|&b| b == 0).next().unwrap_or_default()
}

/// A record before the points; `None` when it is too long for one.
pub(super) fn new_vlr(user: &[u8], record_id: u16, data: &[u8]) -> Option<raw::Vlr> {
    let mut vlr = raw::Vlr {
        record_id,
        record_length_after_header: raw::vlr::RecordLength::Vlr(u16::try_from(data.len()).ok()?),
        data: data.to_vec(),
        ..raw::Vlr::default()
    };
    vlr.user_id.get_mut(..user.len())?.copy_from_slice(user);
    Some(vlr)
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
    fn copy_points(
        &self,
        front: &Front<'_>,
        mut labels: Labels<'_>,
        sink: &mut Sink<'_>,
        path: &Path,
    ) -> Result<()> {
        let mut records = Records::open(front.source, front.start, front.laszip.as_deref())?;
        let batch = batch() as u64;
        let mut old = Vec::new();
        let mut done = 0;
        pass_on(sink, path, |new| {
            let n = (front.count - done).min(batch) as usize;
            old.resize(n * front.stride, 0);
            records.read(&mut old).map_err(|message| {
                Error::format(
                    front.source.path(),
                    format!("points {done} to {}", done + n as u64),
                    message,
                )
            })?;
            done += n as u64;
            self.label(&old, front.stride, &labels.take(n)?, new);
            Ok(done < front.count)
        })?;
        labels.finish()
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
