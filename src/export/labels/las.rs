//! Any cloud as labelled LAS.

use super::copy::new_vlr;
use super::extra::Extra;
use super::records::{Sink, batch, laszip, pass_on};
use super::rounding::Watch;
use super::{LabelBy, Labels, LeftOut};
use crate::atomic::AtomicFile;
use crate::cloud::{Chunk, Fields, PointReader, Source};
use crate::detection::{Detection, Input};
use crate::{Error, Result};
use las::{Version, raw};
use std::io::{Seek, SeekFrom};
use std::path::Path;

/// Whether the name asks for compression.
pub(super) fn is_laz(path: &Path) -> bool {
    path.extension().is_some_and(|e| e.eq_ignore_ascii_case("laz"))
}

/// Writes a cloud as LAS 1.4, compressed when the name of `path` ends in `laz`: coordinates,
/// intensities, colours where `reader` gives them, and the dimensions of the labels.
///
/// LAS counts coordinates in steps. The step is the finest power of ten for which the extent in
/// `detection.input` fits, so that decimals as they are usually given survive. A point that is not
/// finite or far outside that extent cannot be held, and is left out.
///
/// # Errors
/// What `reader` answers; [`Error::Io`] on `path`; [`Error::Parameter`] when the labels do not fit
/// the cloud or the planes.
pub fn save_las(
    reader: &mut dyn PointReader,
    detection: &Detection,
    by: LabelBy,
    path: &Path,
) -> Result<LeftOut> {
    let Input { min, max, .. } = detection.input;
    save_within(reader, detection, [min, max], by, path)
}

/// The smallest and the largest coordinates that a labelled LAS of `source` has to hold.
///
/// Points that were not searched may lie outside the extent of those that were; they stay, unless they
/// are so far away that the others would lose digits to them.
pub(super) fn bounds(source: &Source, detection: &Detection) -> Result<[[f64; 3]; 2]> {
    const TIMES: f64 = 1e5;
    let Input { min, max, not_chosen, .. } = detection.input;
    let mut bounds = [min, max];
    let side = (0..3).map(|axis| max[axis] - min[axis]).fold(0.0, f64::max);
    if not_chosen == 0 || side <= 0.0 {
        return Ok(bounds);
    }
    let near = |p: [f64; 3]| {
        (0..3).all(|a| p[a] >= min[a] - TIMES * side && p[a] <= max[a] + TIMES * side)
    };
    let mut reader = source.reader(Fields::NONE)?;
    let mut chunk = Chunk::default();
    loop {
        reader.read(&mut chunk, super::BATCH)?;
        if chunk.is_empty() {
            return Ok(bounds);
        }
        let points = (0..chunk.len()).map(|k| [chunk.x[k], chunk.y[k], chunk.z[k]]);
        for p in points.filter(|&p| near(p)) {
            for axis in 0..3 {
                bounds[0][axis] = bounds[0][axis].min(p[axis]);
                bounds[1][axis] = bounds[1][axis].max(p[axis]);
            }
        }
    }
}

/// [`save_las`] with steps for points between `bounds`.
pub(super) fn save_within(
    reader: &mut dyn PointReader,
    detection: &Detection,
    bounds: [[f64; 3]; 2],
    by: LabelBy,
    path: &Path,
) -> Result<LeftOut> {
    let mut labels = Labels::new(detection, by)?;
    let mut file = AtomicFile::create(path)?;
    let failed = |e: las::Error| Error::io(path)(std::io::Error::other(e));
    let mut chunk = Chunk::default();
    reader.read(&mut chunk, batch())?;
    let mut writer = Writer::new(bounds, by, !chunk.colour.is_empty(), is_laz(path))
        .ok_or_else(|| Error::Parameter("a LAS file cannot hold this cloud".into()))?;
    writer.write_front(&mut file).map_err(failed)?;

    let mut sink = Sink::new(&mut file, writer.laszip.clone())?;
    pass_on(&mut sink, path, |bytes| {
        writer.encode(&chunk, &labels.take(chunk.len())?, bytes);
        reader.read(&mut chunk, batch())?;
        Ok(!chunk.is_empty())
    })?;
    labels.finish()?;
    sink.finish().map_err(Error::io(path))?;
    file.seek(SeekFrom::Start(0)).map_err(Error::io(path))?;
    let mut left_out = std::mem::take(&mut writer.left_out);
    let watch = std::mem::replace(&mut writer.watch, Watch::new());
    left_out.rounded = watch.rounded(writer.scale);
    writer.finish_header().write_to(&mut file).map_err(failed)?;
    file.commit()?;
    Ok(left_out)
}

struct Writer {
    header: raw::Header,
    vlrs: Vec<raw::Vlr>,
    laszip: Option<laz::LazVlr>,
    colours: bool,
    scale: [f64; 3],
    offset: [f64; 3],
    low: [i32; 3],
    high: [i32; 3],
    /// Points that were written.
    written: u64,
    left_out: LeftOut,
    watch: Watch,
}

impl Writer {
    fn new(bounds: [[f64; 3]; 2], by: LabelBy, colours: bool, compressed: bool) -> Option<Writer> {
        let (format, base) = if colours { (2, 26) } else { (0, 20) };
        let extra = Extra::new(&[], 0, by)?;
        let mut vlrs = vec![new_vlr(b"LASF_Spec", 4, &extra.description)?];
        let mut laszip_vlr = None;
        if compressed {
            let vlr = laszip(format, extra.length() as u16).ok()?;
            let mut data = Vec::new();
            vlr.write_to(&mut data).ok()?;
            vlrs.push(new_vlr(b"laszip encoded", 22204, &data)?);
            laszip_vlr = Some(vlr);
        }
        let (scale, offset) = transform(bounds);
        let version = Version::new(1, 4);
        let records: usize = vlrs.iter().map(|v| 54 + v.data.len()).sum();
        let mut header = raw::Header {
            version,
            generating_software: text(concat!("planes ", env!("CARGO_PKG_VERSION"))),
            header_size: version.header_size(),
            offset_to_point_data: u32::from(version.header_size()) + records as u32,
            number_of_variable_length_records: vlrs.len() as u32,
            point_data_record_format: format | if compressed { 0x80 } else { 0 },
            point_data_record_length: base + extra.length() as u16,
            // The counts are known at the end.
            large_file: Some(raw::header::LargeFile {
                number_of_point_records: 0,
                number_of_points_by_return: [0; 15],
            }),
            ..raw::Header::default()
        };
        [header.x_scale_factor, header.y_scale_factor, header.z_scale_factor] = scale;
        [header.x_offset, header.y_offset, header.z_offset] = offset;
        Some(Writer {
            header,
            vlrs,
            laszip: laszip_vlr,
            colours,
            scale,
            offset,
            low: [i32::MAX; 3],
            high: [i32::MIN; 3],
            written: 0,
            left_out: LeftOut::default(),
            watch: Watch::new(),
        })
    }

    fn write_front(&self, file: &mut AtomicFile) -> las::Result<()> {
        self.header.write_to(&mut *file)?;
        self.vlrs.iter().try_for_each(|vlr| vlr.write_to(&mut *file))
    }

    fn encode(&mut self, chunk: &Chunk, labels: &Labels, bytes: &mut Vec<u8>) {
        for k in 0..chunk.len() {
            let point = [chunk.x[k], chunk.y[k], chunk.z[k]];
            let Some(steps) = self.steps(point) else {
                self.left_out.add(self.written + self.left_out.points);
                continue;
            };
            let at = |axis: usize| f64::from(steps[axis]) * self.scale[axis] + self.offset[axis];
            let written = [0, 1, 2].map(at);
            self.watch.see(self.written + self.left_out.points, point, written);
            self.written += 1;
            for (axis, steps) in steps.into_iter().enumerate() {
                bytes.extend(steps.to_le_bytes());
                self.low[axis] = self.low[axis].min(steps);
                self.high[axis] = self.high[axis].max(steps);
            }
            bytes.extend(chunk.intensity.get(k).copied().unwrap_or(0).to_le_bytes());
            // First return of one; scan angle, user data and source are not known.
            bytes.extend([0b00_001_001, 0, 0, 0, 0, 0]);
            if self.colours {
                let colour = chunk.colour.get(k).copied().unwrap_or_default();
                // 255 times 257 is the brightest of 16 bits.
                bytes.extend(
                    colour.map(|c| u16::from(c) * 257).map(u16::to_le_bytes).as_flattened(),
                );
            }
            labels.encode(k, point, bytes);
        }
    }

    /// The steps from the origin to a point, if the format can hold them.
    fn steps(&self, point: [f64; 3]) -> Option<[i32; 3]> {
        let mut steps = [0; 3];
        for (axis, c) in point.into_iter().enumerate() {
            let exact = ((c - self.offset[axis]) / self.scale[axis]).round();
            // The conversion takes the nearest end, and the middle for NaN.
            steps[axis] = exact as i32;
            if f64::from(steps[axis]) != exact {
                return None;
            }
        }
        Some(steps)
    }

    /// The header with what is known when all points are written.
    fn finish_header(mut self) -> raw::Header {
        let count = self.written;
        if count == 0 {
            (self.low, self.high) = ([0; 3], [0; 3]);
        }
        let at = |steps: [i32; 3], axis: usize| {
            f64::from(steps[axis]) * self.scale[axis] + self.offset[axis]
        };
        let h = &mut self.header;
        [h.min_x, h.min_y, h.min_z] = [0, 1, 2].map(|axis| at(self.low, axis));
        [h.max_x, h.max_y, h.max_z] = [0, 1, 2].map(|axis| at(self.high, axis));
        // The old count is 0 where it is too small.
        h.number_of_point_records = u32::try_from(count).unwrap_or(0);
        if let Some(large) = &mut h.large_file {
            large.number_of_point_records = count;
            large.number_of_points_by_return[0] = count;
        }
        h.number_of_points_by_return[0] = h.number_of_point_records;
        self.header
    }
}

fn text(text: &str) -> [u8; 32] {
    let mut bytes = [0; 32];
    let length = text.len().min(31);
    bytes[..length].copy_from_slice(&text.as_bytes()[..length]);
    bytes
}

/// Step and origin of each axis: the finest power of ten, 1e-9 at most, for which the extent takes
/// less than half of the 32 bits, and a whole number near the middle.
fn transform([low, high]: [[f64; 3]; 2]) -> ([f64; 3], [f64; 3]) {
    let mut scale = [1e-3; 3];
    let mut offset = [0.0; 3];
    for axis in 0..3 {
        let (min, max) = (low[axis], high[axis]);
        let extent = max - min;
        if !(extent.is_finite() && extent >= 0.0) {
            continue;
        }
        // Coordinates of f64 itself are no finer than this.
        let finest = (min.abs().max(max.abs()) * f64::EPSILON).max(extent / f64::from(1 << 30));
        let power = (-9..=300).find(|&p| 10f64.powi(p) >= finest).unwrap_or(300);
        // Written as text and read again, a power of ten is the nearest f64, which powi is not.
        scale[axis] = format!("1e{power}").parse().unwrap_or(1.0);
        offset[axis] = (min + extent / 2.0).round();
    }
    (scale, offset)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn transform_of(min: f64, max: f64) -> (f64, f64) {
        let (scale, offset) = transform([[min; 3], [max; 3]]);
        (scale[0], offset[0])
    }

    #[test]
    fn the_step_is_the_finest_power_of_ten_that_fits() {
        assert_eq!(transform_of(0.0, 8.0), (1e-8, 4.0));
        assert_eq!(transform_of(4_600_000.0, 4_600_900.0), (1e-6, 4_600_450.0));
        assert_eq!(transform_of(-1e12, 1e12), (1e4, 0.0));
        assert_eq!(transform_of(0.0, 0.0), (1e-9, 0.0));
        assert_eq!(transform_of(f64::NEG_INFINITY, 0.0), (1e-3, 0.0));
    }
}
