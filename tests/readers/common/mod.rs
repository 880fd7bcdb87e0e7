//! Clouds with known points, written byte by byte.

pub mod e57;
pub mod pcd;
pub mod ply;

use planes::{
    Result,
    cloud::{Chunk, Fields, Source},
};
use std::path::PathBuf;

/// A cloud that is not part of the repository; says so where it is missing.
pub fn shared(name: &str) -> Option<PathBuf> {
    let folder = std::env::var_os("PLANES_SHARED_CLOUDS").map_or_else(
        || PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../shared/clouds")),
        PathBuf::from,
    );
    let path = folder.join(name);
    if path.exists() {
        return Some(path);
    }
    eprintln!("skipped: {} is missing", path.display());
    None
}

/// A cloud in memory.
pub fn source(bytes: Vec<u8>) -> Source {
    Source::from_bytes(bytes).unwrap()
}

/// All points, `limit` at a time.
pub fn points(source: &Source, fields: Fields, limit: usize) -> Result<Chunk> {
    let mut reader = source.reader(fields)?;
    let (mut chunk, mut all) = (Chunk::default(), Chunk::default());
    loop {
        reader.read(&mut chunk, limit)?;
        assert!(chunk.len() <= limit);
        if chunk.is_empty() {
            return Ok(all);
        }
        all.x.extend_from_slice(&chunk.x);
        all.y.extend_from_slice(&chunk.y);
        all.z.extend_from_slice(&chunk.z);
        all.colour.extend_from_slice(&chunk.colour);
        all.intensity.extend_from_slice(&chunk.intensity);
        all.label.extend_from_slice(&chunk.label);
        all.class.extend_from_slice(&chunk.class);
    }
}

/// All points at once.
pub fn all(source: &Source, fields: Fields) -> Chunk {
    points(source, fields, usize::MAX).unwrap()
}

/// A LAS file to be written.
#[derive(Clone)]
pub struct Las {
    pub minor: u8,
    pub format: u8,
    pub count: u32,
    pub legacy_count: u32,
    /// The count of LAS 1.4, if it is not `count`.
    pub promised: Option<u64>,
    /// Type of the extra dimension `plane_id`.
    pub label: Option<u8>,
    /// Bits by which 8-bit colours are shifted.
    pub colour_shift: u32,
    /// Whether all points are the same.
    pub same: bool,
}

impl Default for Las {
    fn default() -> Las {
        Las {
            minor: 2,
            format: 0,
            count: 10,
            legacy_count: u32::MAX,
            promised: None,
            label: None,
            colour_shift: 8,
            same: false,
        }
    }
}

const LENGTHS: [u16; 11] = [20, 28, 26, 34, 57, 63, 30, 36, 38, 59, 67];
const SIZES: [usize; 11] = [0, 1, 1, 2, 2, 4, 4, 8, 8, 4, 8];
const SCALE: [f64; 3] = [0.01, 0.001, 0.25];
const OFFSET: [f64; 3] = [500_000.0, 4_600_000.0, -3.0];

impl Las {
    fn record_length(&self) -> u16 {
        // Two bytes that nobody described stand before the label.
        let extra = self.label.map_or(0, |code| 2 + SIZES[usize::from(code)]);
        LENGTHS[usize::from(self.format)] + extra as u16
    }

    fn raw(&self, i: u32) -> [i32; 3] {
        let i = if self.same { 0 } else { i as i32 };
        [i * 7 - 100, -i, (i % 50) * 1_000_000]
    }

    fn colour(i: u32) -> [u8; 3] {
        [i as u8, (i / 3) as u8, 255 - i as u8]
    }

    /// Times of six interleaved lines with pauses, jumps and repeated shots.
    fn time(i: u32) -> f64 {
        let line = [0, 0, 0, 1, 1, 2, 0, 3, 4, 5][i as usize % 10];
        let shots = f64::from(i / 3 + (i % 97) * (i % 89) + (i / 500) * 7000);
        let pause = if i % 211 > 200 { 1e6 } else { 0.0 };
        f64::from(line) * 1e4 + shots * 1e-5 + pause
    }

    fn label_of(i: u32) -> i32 {
        (i % 5) as i32
    }

    /// A record.
    pub fn record(&self, i: u32) -> Vec<u8> {
        let mut record = Vec::new();
        for value in self.raw(i) {
            record.extend(value.to_le_bytes());
        }
        record.extend((i as u16).to_le_bytes());
        record.resize(usize::from(LENGTHS[usize::from(self.format)]), 0);
        // One return of one, so that compressors have something valid to keep.
        record[14] = if self.format < 6 { 0b0000_1001 } else { 0x11 };
        let at = match self.format {
            1 | 3..=5 => 20,
            6.. => 22,
            _ => 0,
        };
        if at > 0 {
            record[at..at + 8].copy_from_slice(&Las::time(i).to_le_bytes());
        }
        let at = match self.format {
            2 => 20,
            3 | 5 => 28,
            7 | 8 | 10 => 30,
            _ => 0,
        };
        if at > 0 {
            for (channel, value) in Las::colour(i).into_iter().enumerate() {
                let value = u16::from(value) << self.colour_shift;
                record[at + 2 * channel..][..2].copy_from_slice(&value.to_le_bytes());
            }
        }
        if let Some(code) = self.label {
            record.extend([9, 9]);
            let label = Las::label_of(i);
            match code {
                9 => record.extend((label as f32).to_le_bytes()),
                10 => record.extend(f64::from(label).to_le_bytes()),
                _ => record.extend(&i64::from(label).to_le_bytes()[..SIZES[usize::from(code)]]),
            }
        }
        record
    }

    fn vlr(user: &str, id: u16, data: &[u8]) -> Vec<u8> {
        let mut vlr = vec![0; 54];
        vlr[2..2 + user.len()].copy_from_slice(user.as_bytes());
        vlr[18..20].copy_from_slice(&id.to_le_bytes());
        vlr[20..22].copy_from_slice(&(data.len() as u16).to_le_bytes());
        vlr.extend(data);
        vlr
    }

    fn front(&self, compression: Option<&[u8]>) -> Vec<u8> {
        let size: usize = [227, 227, 227, 235, 375, 375][usize::from(self.minor)];
        let mut vlrs = vec![Las::vlr("someone", 7, &[1, 2, 3])];
        if let Some(code) = self.label {
            let mut dimensions = vec![0; 2 * 192];
            dimensions[3] = 2;
            dimensions[192 + 2] = code;
            dimensions[192 + 4..192 + 12].copy_from_slice(b"plane_id");
            vlrs.push(Las::vlr("LASF_Spec", 4, &dimensions));
        }
        vlrs.extend(compression.map(|data| Las::vlr("laszip encoded", 22204, data)));
        let number = vlrs.len() as u32;
        let vlrs = vlrs.concat();
        let mut head = vec![0; size];
        let mut put = |at: usize, bytes: &[u8]| head[at..at + bytes.len()].copy_from_slice(bytes);
        put(0, b"LASF");
        put(24, &[1, self.minor]);
        put(94, &(size as u16).to_le_bytes());
        put(96, &((size + vlrs.len()) as u32).to_le_bytes());
        put(100, &number.to_le_bytes());
        put(104, &[self.format | if compression.is_some() { 0x80 } else { 0 }]);
        put(105, &self.record_length().to_le_bytes());
        let legacy = match self.legacy_count {
            u32::MAX if self.promised.is_some() => 0,
            u32::MAX => self.count,
            count => count,
        };
        put(107, &legacy.to_le_bytes());
        for axis in 0..3 {
            put(131 + 8 * axis, &SCALE[axis].to_le_bytes());
            put(155 + 8 * axis, &OFFSET[axis].to_le_bytes());
        }
        if self.minor >= 4 {
            put(247, &self.promised.unwrap_or(self.count.into()).to_le_bytes());
        }
        head.extend(vlrs);
        head
    }

    /// The file, not compressed.
    pub fn plain(&self) -> Vec<u8> {
        let mut bytes = self.front(None);
        for i in 0..self.count {
            bytes.extend(self.record(i));
        }
        bytes
    }

    /// The file, compressed in chunks of so many points, or of different sizes.
    pub fn compressed(&self, chunk_size: Option<u32>) -> Vec<u8> {
        let extra = self.record_length() - LENGTHS[usize::from(self.format)];
        let vlr = laz::LazVlrBuilder::default().with_point_format(self.format, extra).unwrap();
        let vlr = match chunk_size {
            Some(size) => vlr.with_fixed_chunk_size(size),
            None => vlr.with_variable_chunk_size(),
        };
        let vlr = vlr.build();
        let mut data = Vec::new();
        vlr.write_to(&mut data).unwrap();
        let mut file = std::io::Cursor::new(self.front(Some(&data)));
        file.set_position(file.get_ref().len() as u64);
        let mut compressor = laz::LasZipCompressor::new(file, vlr).unwrap();
        for i in 0..self.count {
            if chunk_size.is_none() && i % 90 == 40 {
                compressor.finish_current_chunk().unwrap();
            }
            compressor.compress_one(&self.record(i)).unwrap();
        }
        compressor.done().unwrap();
        compressor.into_inner().into_inner()
    }

    /// The file with `chunk` for its points, compressed as `vlr` says; no list of chunks.
    pub fn with_chunk(&self, vlr: &laz::LazVlr, chunk: &[u8]) -> Vec<u8> {
        let mut data = Vec::new();
        vlr.write_to(&mut data).unwrap();
        [&self.front(Some(&data)), &[0xff; 8][..], chunk, &[0; 8]].concat()
    }

    /// Where the points of a compressed file start.
    pub fn start_of_compressed(&self) -> usize {
        let bytes = self.compressed(Some(50));
        u32::from_le_bytes(bytes[96..100].try_into().unwrap()) as usize
    }

    /// Checks coordinates.
    pub fn check_xyz(&self, chunk: &Chunk) {
        assert_eq!(chunk.len(), self.count as usize);
        for i in 0..self.count {
            let raw = self.raw(i);
            let want = [0, 1, 2].map(|axis| f64::from(raw[axis]) * SCALE[axis] + OFFSET[axis]);
            let i = i as usize;
            assert_eq!([chunk.x[i], chunk.y[i], chunk.z[i]], want, "format {}", self.format);
        }
    }

    /// Checks all that was read.
    pub fn check(&self, chunk: &Chunk) {
        self.check_xyz(chunk);
        let want: Vec<u16> = (0..self.count).map(|i| i as u16).collect();
        assert_eq!(chunk.intensity, want);
        let colours = matches!(self.format, 2 | 3 | 5 | 7 | 8 | 10);
        let want = (0..self.count).map(Las::colour).filter(|_| colours);
        assert_eq!(chunk.colour, want.collect::<Vec<_>>(), "format {}", self.format);
        let want = (0..self.count).map(Las::label_of).filter(|_| self.label.is_some());
        assert_eq!(chunk.label, want.collect::<Vec<_>>(), "type {:?}", self.label);
    }
}
