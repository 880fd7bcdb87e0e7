//! Points in records of one length: uncompressed LAS, and binary PLY without lists.

use super::{
    Chunk, ColumnsMut, Fields, PointReader, Stored, StoredPass, StoredReader,
    bytes::Bytes,
    scale::{Scale, label},
};
use crate::Result;
use rayon::prelude::*;
use std::sync::Arc;

/// Most bytes of a record whose length a header may choose freely.
pub(super) const WIDEST: usize = 1 << 16;

/// The type of a stored number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum NumberType {
    U8,
    I8,
    U16,
    I16,
    U32,
    I32,
    U64,
    I64,
    F32,
    F64,
}

impl NumberType {
    /// Its length in bytes.
    pub(super) fn size(self) -> usize {
        match self {
            NumberType::U8 | NumberType::I8 => 1,
            NumberType::U16 | NumberType::I16 => 2,
            NumberType::U32 | NumberType::I32 | NumberType::F32 => 4,
            NumberType::U64 | NumberType::I64 | NumberType::F64 => 8,
        }
    }

    /// Whether it is a floating-point type.
    pub(super) fn is_float(self) -> bool {
        matches!(self, NumberType::F32 | NumberType::F64)
    }
}

/// A number in a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Place {
    /// Bytes from the record's start.
    pub(super) offset: usize,
    /// What stands there.
    pub(super) kind: NumberType,
}

/// Where a record keeps what is asked for. Every place must lie within `stride`.
#[derive(Debug, Clone)]
pub(super) struct Layout {
    /// Bytes from one record to the next, not 0.
    pub(super) stride: usize,
    /// Whether the most significant byte comes first.
    pub(super) big_endian: bool,
    /// The coordinates.
    pub(super) xyz: [Place; 3],
    /// What each coordinate is multiplied with, and what is added then.
    pub(super) transform: Option<[(f64, f64); 3]>,
    /// Red, green and blue.
    pub(super) colour: Option<([Place; 3], Scale)>,
    /// Intensity.
    pub(super) intensity: Option<(Place, Scale)>,
    /// Class, and which of its bits count.
    pub(super) class: Option<(Place, u8)>,
    /// Label.
    pub(super) label: Option<Place>,
}

impl Layout {
    /// What the records hold beside coordinates.
    pub(super) fn fields(&self) -> Fields {
        Fields {
            colour: self.colour.is_some(),
            intensity: self.intensity.is_some(),
            label: self.label.is_some(),
            class: self.class.is_some(),
        }
    }

    /// The same layout without what is not asked for.
    pub(super) fn only(&self, fields: Fields) -> Layout {
        Layout {
            colour: self.colour.filter(|_| fields.colour),
            intensity: self.intensity.filter(|_| fields.intensity),
            label: self.label.filter(|_| fields.label),
            class: self.class.filter(|_| fields.class),
            ..self.clone()
        }
    }

    /// Whether every place lies within the record.
    pub(super) fn is_sound(&self) -> bool {
        let colour = self.colour.map(|(places, _)| places);
        let others = colour.into_iter().flatten();
        let others = others.chain(self.intensity.map(|(place, _)| place));
        let others = others.chain(self.class.map(|(place, _)| place));
        self.xyz
            .into_iter()
            .chain(others)
            .chain(self.label)
            .all(|place| place.offset + place.kind.size() <= self.stride)
    }

    /// Takes the columns out of `records`, one record a point.
    pub(super) fn decode(&self, records: &[u8], out: ColumnsMut<'_>) {
        for (axis, column) in [out.x, out.y, out.z].into_iter().enumerate() {
            let place = self.xyz[axis];
            match self.transform {
                Some(transform) => {
                    let (scale, offset) = transform[axis];
                    self.each(records, place, column, |to, v| *to = v * scale + offset);
                }
                None => self.each(records, place, column, |to, v| *to = v),
            }
        }
        if let Some((places, scale)) = self.colour {
            for (channel, place) in places.into_iter().enumerate() {
                self.each(records, place, out.colour, |to, v| {
                    to[channel] = scale.colour(v);
                });
            }
        }
        if let Some((place, scale)) = self.intensity {
            self.each(records, place, out.intensity, |to, v| {
                *to = scale.intensity(v);
            });
        }
        if let Some(place) = self.label {
            self.each(records, place, out.label, |to, v| *to = label(v));
        }
        if let Some((place, mask)) = self.class {
            self.each(records, place, out.class, |to, v| *to = v as u8 & mask);
        }
    }

    fn each<T>(&self, records: &[u8], place: Place, out: &mut [T], set: impl Fn(&mut T, f64)) {
        // One loop for each type, so that the choice is made once a column and not once a point.
        macro_rules! column {
            ($number:ty) => {{
                const SIZE: usize = size_of::<$number>();
                for (to, record) in out.iter_mut().zip(records.chunks_exact(self.stride)) {
                    let Some(bytes) = record[place.offset..].first_chunk::<SIZE>() else {
                        return;
                    };
                    let value = if self.big_endian {
                        <$number>::from_be_bytes(*bytes)
                    } else {
                        <$number>::from_le_bytes(*bytes)
                    };
                    set(to, value as f64);
                }
            }};
        }
        match place.kind {
            NumberType::U8 => column!(u8),
            NumberType::I8 => column!(i8),
            NumberType::U16 => column!(u16),
            NumberType::I16 => column!(i16),
            NumberType::U32 => column!(u32),
            NumberType::I32 => column!(i32),
            NumberType::U64 => column!(u64),
            NumberType::I64 => column!(i64),
            NumberType::F32 => column!(f32),
            NumberType::F64 => column!(f64),
        }
    }

    /// What the coordinates mean if each of them takes 32 bits.
    fn stored(&self) -> Option<Stored> {
        let are = |kind: NumberType| self.xyz.iter().all(|place| place.kind == kind);
        match self.transform {
            None if are(NumberType::F32) => Some(Stored::Floats),
            Some(transform) if are(NumberType::I32) => Some(Stored::Whole(transform)),
            _ => None,
        }
    }

    /// Takes the bits of coordinates of 32 bits out of `records`.
    fn take_stored(&self, records: &[u8], columns: [&mut [f32]; 3]) {
        for (place, column) in self.xyz.iter().zip(columns) {
            for (to, record) in column.iter_mut().zip(records.chunks_exact(self.stride)) {
                let Some(&bytes) = record[place.offset..].first_chunk() else { return };
                let bits = match self.big_endian {
                    true => u32::from_be_bytes(bytes),
                    false => u32::from_le_bytes(bytes),
                };
                *to = f32::from_bits(bits);
            }
        }
    }

    /// The largest of the numbers at `places` in `records`.
    pub(super) fn largest(&self, records: &[u8], places: &[Place]) -> f64 {
        let mut column = vec![0.0; records.len() / self.stride];
        let mut largest = 0.0_f64;
        for &place in places {
            self.each(records, place, &mut column, |to, v| *to = v);
            largest = column.iter().fold(largest, |a, &b| a.max(b));
        }
        largest
    }

    /// Decides the scales of colour and intensity by a sample of records.
    pub(super) fn fit_scales(&mut self, sample: &[u8]) {
        if let Some((places, _)) = self.colour {
            let float = places.iter().any(|place| place.kind.is_float());
            let scale = Scale::of_colour(self.largest(sample, &places), float);
            self.colour = Some((places, scale));
        }
        if let Some((place, _)) = self.intensity {
            let largest = self.largest(sample, &[place]);
            let scale = Scale::of_intensity(largest, place.kind.is_float());
            self.intensity = Some((place, scale));
        }
    }
}

/// Records in a file.
#[derive(Debug, Clone)]
pub(super) struct Table {
    /// The file.
    pub(super) bytes: Arc<Bytes>,
    /// Where the first record starts.
    pub(super) start: u64,
    /// Number of records; all of them must lie within the file.
    pub(super) count: u64,
}

impl Table {
    /// Records from all over the file, the same ones each time.
    pub(super) fn sample(&self, stride: usize) -> Result<Vec<u8>> {
        const RUNS: u64 = 64;
        const RUN: u64 = 128;
        let mut sample = Vec::new();
        let run = RUN.min(self.count);
        let last = self.count - run;
        let runs = if last == 0 { 1 } else { RUNS };
        for i in 0..runs {
            let first = (u128::from(last) * u128::from(i) / u128::from(runs)) as u64;
            let from = self.start + first * stride as u64;
            self.bytes.append(from, from + run * stride as u64, &mut sample)?;
        }
        Ok(sample)
    }

    /// A reader of these fields of the records, which `layout` describes.
    pub(super) fn reader(self, layout: &Layout, fields: Fields) -> Result<RecordReader> {
        let mut layout = layout.only(fields);
        if layout.colour.is_some() || layout.intensity.is_some() {
            layout.fit_scales(&self.sample(layout.stride)?);
        }
        Ok(RecordReader::new(self, layout))
    }
}

/// A pass over a [`Table`].
pub(super) struct RecordReader {
    table: Table,
    layout: Layout,
    next: u64,
}

/// Records that are read and decoded at a time: their bytes stay in the second-level cache.
const PIECE: usize = 4096;

impl RecordReader {
    /// Starts a pass.
    pub(super) fn new(table: Table, layout: Layout) -> RecordReader {
        RecordReader { table, layout, next: 0 }
    }

    /// Reads `n` records of a piece of those that come next.
    fn read_piece(&self, index: usize, n: usize, buffer: &mut Vec<u8>) -> Result<()> {
        let stride = self.layout.stride as u64;
        let first = self.next + (index * PIECE) as u64;
        buffer.resize(n * self.layout.stride, 0);
        self.table.bytes.read_exact(self.table.start + first * stride, buffer)
    }

    /// The number of points that are left, `most` at most.
    fn left(&self, most: usize) -> usize {
        usize::try_from(self.table.count - self.next).unwrap_or(usize::MAX).min(most)
    }
}

impl PointReader for RecordReader {
    fn read(&mut self, chunk: &mut Chunk, limit: usize) -> Result<()> {
        let n = self.left(limit);
        chunk.resize(n, self.layout.fields());
        let done = chunk.columns(PIECE).into_par_iter().enumerate().try_for_each_init(
            Vec::new,
            |buffer, (index, out)| {
                self.read_piece(index, out.x.len(), buffer)?;
                self.layout.decode(buffer, out);
                Ok(())
            },
        );
        if done.is_err() {
            chunk.clear();
        }
        self.next += chunk.len() as u64;
        done
    }

    fn is_cheap(&self) -> bool {
        true
    }

    fn stored(&mut self) -> Option<StoredPass<'_>> {
        let meaning = self.layout.stored()?;
        Some(StoredPass { points: self.table.count, meaning, reader: self })
    }
}

impl StoredReader for RecordReader {
    fn read(&mut self, columns: [&mut [f32]; 3]) -> Result<usize> {
        let n = self.left(columns[0].len());
        let [x, y, z] = columns.map(|column| column[..n].par_chunks_mut(PIECE));
        let pieces = x.zip(y).zip(z).enumerate();
        pieces.try_for_each_init(Vec::new, |buffer, (index, ((x, y), z))| {
            self.read_piece(index, x.len(), buffer)?;
            self.layout.take_stored(buffer, [x, y, z]);
            Ok(())
        })?;
        self.next += n as u64;
        Ok(n)
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Source, WriteOptions, create};
    use super::*;

    /// A cloud's coordinates as they are read, and as they are stored.
    fn both(source: &Source) -> [Vec<[u64; 3]>; 2] {
        let mut chunk = Chunk::default();
        source.reader(Fields::NONE).unwrap().read(&mut chunk, usize::MAX).unwrap();
        let read = (0..chunk.len()).map(|k| [chunk.x[k], chunk.y[k], chunk.z[k]]);
        let mut reader = source.reader(Fields::NONE).unwrap();
        let StoredPass { points, meaning, reader } = reader.stored().unwrap();
        let mut columns = [0, 1, 2].map(|_| vec![0.0; points as usize]);
        // More than one call, the last of which asks for more than there is.
        let [a, b] = [0..5000, 5000..points as usize];
        for run in [a, b] {
            let of_run = columns.each_mut().map(|column| &mut column[run.clone()]);
            assert_eq!(reader.read(of_run).unwrap(), run.len());
        }
        assert_eq!(reader.read([&mut [0.0], &mut [0.0], &mut [0.0]]).unwrap(), 0);
        let stored = |k: usize| meaning.point(columns.each_ref().map(|column| column[k]));
        let stored = (0..points as usize).map(stored);
        [read.map(|p| p.map(f64::to_bits)).collect(), stored.map(|p| p.map(f64::to_bits)).collect()]
    }

    #[test]
    fn stored_coordinates_mean_what_is_read() {
        let point = |i: u32| [7919, 104_729, 48_271].map(|k| (i.wrapping_mul(k) % 10_007) as f32);
        let points: Vec<[f32; 3]> = (0..9000).map(point).chain([[-0.0, f32::NAN, 1e30]]).collect();
        for (name, bytes) in [
            ("big", f32::to_be_bytes as fn(f32) -> [u8; 4]),
            ("little", f32::to_le_bytes as fn(f32) -> [u8; 4]),
        ] {
            let header = format!(
                "ply\nformat binary_{name}_endian 1.0\nelement vertex 9001\nproperty float x\n\
                 property uchar red\nproperty float y\nproperty float z\nend_header\n"
            );
            let record =
                |p: &[f32; 3]| [&bytes(p[0])[..], &[7], &bytes(p[1]), &bytes(p[2])].concat();
            let file = [header.into_bytes(), points.iter().flat_map(record).collect()].concat();
            let [read, stored] = both(&Source::from_bytes(file).unwrap());
            assert_eq!(
                (read.len(), read[8999]),
                (9001, points[8999].map(|v| f64::from(v).to_bits()))
            );
            assert!(read == stored, "{name}");
        }
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.las");
        let axis = |a: usize| points[..9000].iter().map(|p| 4.6e6 + f64::from(p[a])).collect();
        let chunk = Chunk { x: axis(0), y: axis(1), z: axis(2), ..Chunk::default() };
        let mut writer = create(&path, &WriteOptions::default()).unwrap();
        writer.write(&chunk).unwrap();
        writer.finish().unwrap();
        let [read, stored] = both(&Source::open(&path).unwrap());
        assert_eq!(read.len(), 9000);
        assert!(read == stored);
    }
}
