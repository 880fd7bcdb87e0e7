//! 16-bit depth images, which a camera turns into clouds.

mod pixels;

use super::{
    Camera, Chunk, Fields, Format, HeaderInfo, Note, PointReader,
    bytes::{Bytes, Section},
    driver::{Cloud, Driver},
};
use crate::{Error, Result};
use pixels::Pixels;
use std::io::{BufRead, Seek};
use std::sync::Arc;

/// The content alone does not identify a depth image: without a camera it is an ordinary image.
pub(super) static DRIVER: Driver = Driver {
    told: |_| None,
    check_stream: Driver::any_stream,
    open: |bytes, options| match options.camera {
        Some(camera) => Ok(Box::new(Depth::open(bytes, camera)?)),
        None => Err(Error::unrecognized(bytes.path(), "an image, and no camera is given")),
    },
    endings: &[],
    create: None,
    save_labelled: None,
};

impl Format {
    /// A depth image.
    pub const DEPTH: Format = Format("DEPTH");
}

/// Whether a file is an image with 16 bits in one channel, which a camera can turn into a cloud.
pub(crate) fn is_depth(bytes: &Arc<Bytes>) -> bool {
    is_depth_stream(Section::new(bytes.clone(), 0, bytes.len()))
}

/// The same for a stream of the file from its first byte.
pub(crate) fn is_depth_stream(file: impl std::io::Read + Seek) -> bool {
    let mut file = std::io::BufReader::new(file);
    let head = file.fill_buf().map(<[u8]>::to_vec).unwrap_or_default();
    pixels::is_depth(&head, file)
}

/// Whether a file with these first bytes may be a depth image.
pub(super) fn may_be(head: &[u8]) -> bool {
    pixels::may_be(head)
}

/// A depth image in memory, and its camera.
struct Depth {
    pixels: Arc<Pixels>,
    camera: Camera,
    info: HeaderInfo,
}

impl Depth {
    fn open(bytes: &Arc<Bytes>, camera: Camera) -> Result<Depth> {
        let pixels = pixels::read(bytes)?;
        let info = HeaderInfo {
            description: format!("depth image, {} x {} pixels", pixels.width, pixels.height),
            points: Some(pixels.values.len() as u64),
            in_floats: false,
            fields: Fields::NONE,
            others: Vec::new(),
            bounds: None,
            crs: None,
            // The cloud is in the camera's own coordinates.
            scanner: Some([0.0; 3]),
            row_length: Some(pixels.width),
        };
        Ok(Depth { pixels: Arc::new(pixels), camera, info })
    }
}

impl Cloud for Depth {
    fn format(&self) -> Format {
        Format::DEPTH
    }

    fn info(&self) -> &HeaderInfo {
        &self.info
    }

    fn notes(&self) -> &[Note] {
        &[]
    }

    fn reader(&self, _: Fields) -> Result<Box<dyn PointReader>> {
        Ok(Box::new(DepthReader { pixels: self.pixels.clone(), camera: self.camera, next: 0 }))
    }
}

/// A pass over the pixels, row by row from the top. A pixel without depth becomes a NaN point.
struct DepthReader {
    pixels: Arc<Pixels>,
    camera: Camera,
    next: usize,
}

impl PointReader for DepthReader {
    fn read(&mut self, chunk: &mut Chunk, limit: usize) -> Result<()> {
        chunk.clear();
        let Pixels { width, values, .. } = &*self.pixels;
        let end = self.next.saturating_add(limit).min(values.len());
        for (k, &value) in (self.next as u32..).zip(&values[self.next..end]) {
            let [x, y, z] = self.camera.point(k % width, k / width, value);
            chunk.x.push(x);
            chunk.y.push(y);
            chunk.z.push(z);
        }
        self.next = end;
        Ok(())
    }

    fn is_cheap(&self) -> bool {
        true
    }
}
