//! Clouds written as LAS and LAZ.

use super::super::Chunk;
use super::super::write::{PointWriter, Rows, WriteOptions};
use super::encoder::{Encoder, MADE};
use super::extra::describe_labels;
use super::sink::Sink;
use crate::atomic::AtomicFile;
use crate::{Error, Result};
use las::{Transform, Vector};
use std::io;
use std::path::{Path, PathBuf};

/// Room that a step leaves for later chunks: coordinates of the first count up to this.
const MOST_STEPS: f64 = 5e8;

pub(super) struct LasWriter {
    path: PathBuf,
    options: WriteOptions,
    state: State,
}

enum State {
    /// The first chunk will show where the cloud lies.
    Waiting(AtomicFile),
    Open(Box<Encoder>, Sink<AtomicFile>),
    /// Writing failed.
    Closed,
}

impl LasWriter {
    pub(super) fn create(path: &Path, options: &WriteOptions) -> Result<Self> {
        if options.scale.is_some_and(|s| !s.is_normal() || s <= 0.0) {
            return Err(Error::Parameter("a LAS scale is a positive number".into()));
        }
        if options.offset.is_some_and(|o| !o.iter().all(|v| v.is_finite())) {
            return Err(Error::Parameter("a LAS offset is a finite number".into()));
        }
        let state = State::Waiting(AtomicFile::create(path)?);
        Ok(LasWriter { path: path.to_path_buf(), options: options.clone(), state })
    }

    /// The open file, taken out until all is well; the first call chooses scale and offset by `chunk`.
    fn open(&mut self, chunk: &Chunk) -> Result<(Box<Encoder>, Sink<AtomicFile>)> {
        match std::mem::replace(&mut self.state, State::Closed) {
            State::Waiting(file) => {
                let transforms = transforms(&self.options, chunk);
                let fields = self.options.fields;
                let extra = if fields.label { 4 } else { 0 };
                let extra = (&describe_labels()[..], extra);
                let (encoder, sink) =
                    Encoder::start(file, &MADE, transforms, fields.colour, extra, None)?;
                Ok((Box::new(encoder), sink))
            }
            State::Open(encoder, sink) => Ok((encoder, sink)),
            State::Closed => Err(Error::io(&self.path)(io::Error::other("writing failed before"))),
        }
    }

    fn records(&self, rows: Rows, encoder: &mut Encoder) -> Result<Vec<u8>> {
        let mut bytes = Vec::with_capacity(rows.len() * 40);
        for i in 0..rows.len() {
            let row = rows.row(i);
            let steps = encoder.steps(row.position).ok_or_else(|| {
                let place = format!("point {}", encoder.written);
                let [x, y, z] = row.position;
                let message = format!("{x} {y} {z} cannot be held by this LAS scale and offset");
                Error::format(&self.path, place, message)
            })?;
            encoder.append(&row, steps, &mut bytes);
            if self.options.fields.label {
                bytes.extend(row.label.to_le_bytes());
            }
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
        let (mut encoder, mut sink) = self.open(chunk)?;
        let bytes = self.records(rows, &mut encoder)?;
        sink.write(&bytes).map_err(Error::io(&self.path))?;
        self.state = State::Open(encoder, sink);
        Ok(())
    }

    fn finish(mut self: Box<Self>) -> Result<()> {
        let (encoder, sink) = self.open(&Chunk::default())?;
        let file = sink.finish().map_err(Error::io(&self.path))?;
        encoder.finish(file)
    }
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cloud::create;

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
}
