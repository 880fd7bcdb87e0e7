//! LAS and LAZ.

use super::{LABEL, PointWriter, Row, Rows, WriteOptions};
use crate::atomic::AtomicFile;
use crate::cloud::{Chunk, Fields};
use crate::{Error, Result};
use las::{Builder, PointDataBuilder, Transform, Vector, Vlr};
use std::io::{self, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

/// The extra bytes' type code of a signed 32-bit integer.
const EXTRA_I32: u8 = 6;

/// Room that a step leaves for later chunks: coordinates of the first count up to this.
const MOST_STEPS: f64 = 5e8;

pub(super) struct LasWriter {
    path: PathBuf,
    /// The file, until the first chunk shows where the cloud lies.
    waiting: Option<AtomicFile>,
    open: Option<Open>,
    options: WriteOptions,
    compressed: bool,
    points: u64,
}

/// A file whose header is written.
struct Open {
    writer: las::Writer<Sink>,
    failure: Failure,
    transforms: Vector<Transform>,
}

impl LasWriter {
    pub(super) fn create(path: &Path, options: &WriteOptions, compressed: bool) -> Result<Self> {
        if options.scale.is_some_and(|s| !s.is_normal() || s <= 0.0) {
            return Err(Error::Parameter("a LAS scale is a positive number".into()));
        }
        if options.offset.is_some_and(|o| !o.iter().all(|v| v.is_finite())) {
            return Err(Error::Parameter("a LAS offset is a finite number".into()));
        }
        Ok(LasWriter {
            path: path.to_path_buf(),
            waiting: Some(AtomicFile::create(path)?),
            open: None,
            options: options.clone(),
            compressed,
            points: 0,
        })
    }

    /// The open file; the first call chooses scale and offset by `chunk` and writes the header.
    fn opened(&mut self, chunk: &Chunk) -> Result<&mut Open> {
        if let Some(file) = self.waiting.take() {
            let transforms = transforms(&self.options, chunk);
            let header = header(self.options.fields, transforms, self.compressed)
                .map_err(|error| unwritable(&self.path, &error))?;
            let failure = Failure::default();
            let sink = Sink { file: Some(file), position: 0, failure: failure.clone() };
            let writer =
                las::Writer::new(sink, header).map_err(|error| unwritable(&self.path, &error))?;
            failure.check(&self.path)?;
            self.open = Some(Open { writer, failure, transforms });
        }
        self.open.as_mut().ok_or_else(|| closed(&self.path))
    }

    fn records(&self, rows: Rows, transforms: &Vector<Transform>) -> Result<Vec<u8>> {
        let mut bytes = Vec::with_capacity(rows.len() * 40);
        for i in 0..rows.len() {
            let row = rows.row(i);
            let steps = steps(row.position, transforms).ok_or_else(|| {
                let place = format!("point {}", self.points + i as u64);
                let [x, y, z] = row.position;
                let message = format!("{x} {y} {z} cannot be held by this LAS scale and offset");
                Error::format(&self.path, place, message)
            })?;
            record(&mut bytes, &row, steps, self.options.fields);
        }
        Ok(bytes)
    }
}

impl PointWriter for LasWriter {
    fn write(&mut self, chunk: &Chunk) -> Result<()> {
        let rows = Rows::new(chunk)?;
        if rows.len() == 0 {
            return Ok(());
        }
        let transforms = self.opened(chunk)?.transforms;
        let bytes = self.records(rows, &transforms)?;
        let open = self.open.as_mut().ok_or_else(|| closed(&self.path))?;
        let written = PointDataBuilder::new()
            .for_header(open.writer.header())
            .build_from_bytes(bytes)
            .and_then(|points| open.writer.write_points(&points));
        open.failure.check(&self.path)?;
        written.map_err(|error| unwritable(&self.path, &error))?;
        self.points += rows.len() as u64;
        Ok(())
    }

    fn finish(mut self: Box<Self>) -> Result<()> {
        self.opened(&Chunk::default())?;
        let open = self.open.take().ok_or_else(|| closed(&self.path))?;
        let closed_writer = open.writer.into_inner();
        open.failure.check(&self.path)?;
        let mut sink = closed_writer.map_err(|error| unwritable(&self.path, &error))?;
        match sink.file.take() {
            Some(file) => file.commit(),
            None => Err(closed(&self.path)),
        }
    }
}

fn unwritable(path: &Path, error: &las::Error) -> Error {
    Error::io(path)(io::Error::other(error.to_string()))
}

fn closed(path: &Path) -> Error {
    Error::io(path)(io::Error::other("writing failed before"))
}

/// The header of a file of format 6, or 7 with colour, and a label as an extra dimension.
fn header(
    fields: Fields,
    transforms: Vector<Transform>,
    compressed: bool,
) -> las::Result<las::Header> {
    // No date, so that the same points give the same bytes on every day.
    let mut builder = Builder::from((1, 4));
    builder.date = None;
    builder.system_identifier = "planes".into();
    builder.generating_software = "planes".into();
    builder.point_format = las::point::Format::new(if fields.colour { 7 } else { 6 })?;
    builder.point_format.is_compressed = compressed;
    builder.transforms = transforms;
    if fields.label {
        builder.point_format.extra_bytes = 4;
        builder.vlrs.push(label_description());
    }
    builder.into_header()
}

/// The Extra Bytes record that names the four bytes after each point.
fn label_description() -> Vlr {
    let mut data = vec![0; 192];
    data[2] = EXTRA_I32;
    data[4..4 + LABEL.len()].copy_from_slice(LABEL.as_bytes());
    let description = b"plane of the point, -1 none";
    data[160..160 + description.len()].copy_from_slice(description);
    Vlr { user_id: "LASF_Spec".into(), record_id: 4, description: "Extra Bytes".into(), data }
}

/// Scale and offset: the caller's, or such that the points of `chunk` fit with room to spare.
fn transforms(options: &WriteOptions, chunk: &Chunk) -> Vector<Transform> {
    let ranges = [&chunk.x, &chunk.y, &chunk.z].map(|values| range(values));
    let widest = ranges.map(|(low, high)| high - low).into_iter().fold(0.0, f64::max);
    let scale = options.scale.unwrap_or_else(|| fitting_scale(widest));
    let axis = |i: usize| {
        let (low, high) = ranges[i];
        let farthest = low.abs().max(high.abs());
        let offset = match options.offset {
            Some(offset) => offset[i],
            None if farthest < MOST_STEPS * scale => 0.0,
            None => {
                let unit = (scale * 1e5).max(1.0);
                ((low * 0.5 + high * 0.5) / unit).floor() * unit
            }
        };
        Transform { scale, offset }
    };
    Vector { x: axis(0), y: axis(1), z: axis(2) }
}

/// A power of ten: 0.001, finer for clouds under ten units, coarser where 32 bits ask for it.
fn fitting_scale(widest: f64) -> f64 {
    let mut inverse = 1000.0;
    while widest > 0.0 && widest * inverse < 1e4 && inverse < 1e9 {
        inverse *= 10.0;
    }
    let mut scale = 1.0 / inverse;
    // A range of infinity, from finite coordinates, is refused point by point later.
    while widest.is_finite() && widest / scale > MOST_STEPS {
        scale *= 10.0;
    }
    scale
}

/// Smallest and largest finite value, zeros where there is none.
fn range(values: &[f64]) -> (f64, f64) {
    let finite = values.iter().copied().filter(|value| value.is_finite());
    let start = (f64::INFINITY, f64::NEG_INFINITY);
    let (low, high) = finite.fold(start, |(low, high), v| (low.min(v), high.max(v)));
    if low <= high { (low, high) } else { (0.0, 0.0) }
}

/// The coordinates in steps from the offset, if they fit into 32 bits.
fn steps(position: [f64; 3], transforms: &Vector<Transform>) -> Option<[i32; 3]> {
    let axes = [&transforms.x, &transforms.y, &transforms.z];
    let mut steps = [0; 3];
    for ((step, value), axis) in steps.iter_mut().zip(position).zip(axes) {
        let rounded = ((value - axis.offset) / axis.scale).round();
        if !(f64::from(i32::MIN)..=f64::from(i32::MAX)).contains(&rounded) {
            return None;
        }
        *step = rounded as i32;
    }
    Some(steps)
}

/// Appends a point record of format 6 or 7.
fn record(out: &mut Vec<u8>, row: &Row, steps: [i32; 3], fields: Fields) {
    for step in steps {
        out.extend(step.to_le_bytes());
    }
    out.extend(row.intensity.to_le_bytes());
    // Return 1 of 1; then flags, class, user data, angle, source and time, all zero.
    out.push(0x11);
    out.extend([0; 15]);
    if fields.colour {
        for channel in row.colour {
            // 255 becomes 65535.
            out.extend((u16::from(channel) * 257).to_le_bytes());
        }
    }
    if fields.label {
        out.extend(row.label.to_le_bytes());
    }
}

/// The first error of a [`Sink`].
#[derive(Clone, Default)]
struct Failure(Arc<Mutex<Option<io::Error>>>);

impl Failure {
    fn set(&self, error: io::Error) {
        let mut slot = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        slot.get_or_insert(error);
    }

    fn check(&self, path: &Path) -> Result<()> {
        let mut slot = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match slot.take() {
            Some(error) => Err(Error::io(path)(error)),
            None => Ok(()),
        }
    }
}

/// A file that never reports an error to its user, but keeps it in `failure`.
///
/// `las::Writer` rewrites its header when it is dropped and panics if that fails, so a full disk
/// must not reach it. After an error everything is swallowed.
struct Sink {
    file: Option<AtomicFile>,
    position: u64,
    failure: Failure,
}

impl Sink {
    fn fail(&mut self, error: io::Error) {
        self.failure.set(error);
        self.file = None;
    }
}

impl Write for Sink {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = match &mut self.file {
            Some(file) => file.write(bytes),
            None => Ok(bytes.len()),
        };
        let count = match written {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => return Err(error),
            Ok(0) if !bytes.is_empty() => {
                self.fail(io::ErrorKind::WriteZero.into());
                bytes.len()
            }
            Ok(count) => count,
            Err(error) => {
                self.fail(error);
                bytes.len()
            }
        };
        self.position += count as u64;
        Ok(count)
    }

    fn flush(&mut self) -> io::Result<()> {
        if let Some(Err(error)) = self.file.as_mut().map(Write::flush) {
            self.fail(error);
        }
        Ok(())
    }
}

impl Seek for Sink {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        match self.file.as_mut().map(|file| file.seek(to)) {
            Some(Ok(position)) => self.position = position,
            Some(Err(error)) => self.fail(error),
            None => {}
        }
        Ok(self.position)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::write::create;

    fn chunk(positions: &[[f64; 3]]) -> Chunk {
        Chunk {
            x: positions.iter().map(|p| p[0]).collect(),
            y: positions.iter().map(|p| p[1]).collect(),
            z: positions.iter().map(|p| p[2]).collect(),
            ..Chunk::default()
        }
    }

    #[test]
    fn the_scale_follows_the_extent() {
        assert_eq!(fitting_scale(0.0), 0.001);
        assert_eq!(fitting_scale(500.0), 0.001);
        assert_eq!(fitting_scale(6.0), 0.0001);
        assert_eq!(fitting_scale(4e5), 0.001);
        assert_eq!(fitting_scale(4e6), 0.01);
        assert_eq!(fitting_scale(f64::INFINITY), 0.001);
    }

    #[test]
    fn survey_coordinates_get_an_offset_only_when_they_need_one() {
        let near = chunk(&[[0.0, 4e5, 0.0], [20.0, 4e5, 3.0]]);
        let default = WriteOptions::default();
        assert_eq!(transforms(&default, &near).y.offset, 0.0);
        let far = chunk(&[[0.0, 4_600_123.0, 0.0], [20.0, 4_600_125.0, 3.0]]);
        let found = transforms(&default, &far);
        assert_eq!((found.x.offset, found.y.offset), (0.0, 4_600_100.0));
    }

    #[test]
    fn what_las_cannot_hold_is_named() {
        let folder = tempfile::tempdir().unwrap();
        for (i, bad) in [f64::NAN, 1e30, f64::NEG_INFINITY].into_iter().enumerate() {
            let mut writer =
                create(folder.path().join(format!("{i}.laz")), &WriteOptions::default()).unwrap();
            writer.write(&chunk(&[[0.0; 3]])).unwrap();
            let error = writer.write(&chunk(&[[1.0; 3], [0.0, bad, 0.0]])).unwrap_err();
            assert!(matches!(error, Error::Format { place, .. } if place == "point 2"));
        }
        assert_eq!(folder.path().read_dir().unwrap().count(), 0);
    }

    #[test]
    fn a_scale_of_nothing_is_refused() {
        for scale in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            let options = WriteOptions { scale: Some(scale), ..WriteOptions::default() };
            let created = create("never.las", &options);
            assert!(matches!(created, Err(Error::Parameter(_))));
        }
    }

    #[test]
    fn a_failing_disk_is_an_error_and_no_panic() {
        let failure = Failure::default();
        let mut sink = Sink { file: None, position: 0, failure: failure.clone() };
        sink.fail(io::ErrorKind::StorageFull.into());
        let header = header(Fields::default(), Vector::default(), false).unwrap();
        drop(las::Writer::new(sink, header).unwrap());
        assert!(matches!(
            failure.check(Path::new("a.las")),
            Err(Error::Io { source, .. }) if source.kind() == io::ErrorKind::StorageFull
        ));
    }
}
