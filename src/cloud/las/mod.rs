//! LAS 1.0 to 1.5 and its compressed form LAZ.

mod copc;
mod copy;
mod encoder;
mod extra;
mod front;
mod geokeys;
mod header;
mod labelled;
mod laz;
mod point_format;
mod records;
mod sink;
mod write;

use super::{
    Bbox, Fields, Format, HeaderInfo, Note, PointReader,
    blocks::BlockReader,
    bytes::Bytes,
    driver::{Cloud, Driver},
    labels::Labels,
    records::{Layout, RecordReader, Table},
};
use crate::Result;
use header::Header;
use records::Records;
use std::{path::Path, sync::Arc};

pub(super) const DRIVER: Driver = Driver {
    told,
    check_stream: Driver::any_stream,
    open: |bytes, _| Ok(Box::new(Las::open(bytes)?)),
    endings: &["las", "laz"],
    create: Some(|path, options| Ok(Box::new(write::LasWriter::create(path, options)?))),
    save_labelled: Some(labelled::save),
};

impl Format {
    /// LAS, points as they are.
    pub const LAS: Format = Format("LAS");
    /// LAS, points compressed.
    pub const LAZ: Format = Format("LAZ");
}

fn told(head: &[u8]) -> Option<Format> {
    let compressed = head.get(104).is_some_and(|format| format & 0xc0 != 0);
    let format = if compressed { Format::LAZ } else { Format::LAS };
    head.starts_with(b"LASF").then_some(format)
}

/// A LAS or LAZ file whose header was read.
struct Las {
    header: Header,
    layout: Layout,
    info: HeaderInfo,
    notes: Vec<Note>,
    points: Points,
}

enum Points {
    Plain(Table),
    Compressed(Arc<laz::Compressed>),
}

impl Las {
    /// Reads the header and checks that the file can hold what it promises.
    fn open(bytes: &Arc<Bytes>) -> Result<Las> {
        let header = Header::read(bytes)?;
        let layout = header.layout()?;
        let points = if header.compressed {
            Points::Compressed(Arc::new(laz::Compressed::open(bytes, &header)?))
        } else {
            Points::Plain(header.table()?)
        };
        let (end, more) = match &points {
            Points::Plain(table) => {
                (table.start + table.count * header.stride() as u64, header.more_points())
            }
            Points::Compressed(file) => {
                let more = Note::MorePoints { promised: header.count, held: None };
                (file.end(), file.holds_more().then_some(more))
            }
        };
        let mut notes = header.notes();
        notes.extend(header.more_files(end)?.or(more));
        Ok(Las { info: header.info(layout.fields()), header, notes, layout, points })
    }

    /// A pass over the records as they stand, not compressed.
    fn records(&self) -> Records {
        match &self.points {
            Points::Plain(table) => {
                Records::Plain { table: table.clone(), stride: self.layout.stride as u64 }
            }
            Points::Compressed(file) => {
                Records::Compressed(Box::new(file.records(self.layout.clone())))
            }
        }
    }
}

impl Cloud for Las {
    fn format(&self) -> Format {
        match self.points {
            Points::Plain(_) => Format::LAS,
            Points::Compressed(_) => Format::LAZ,
        }
    }

    fn info(&self) -> &HeaderInfo {
        &self.info
    }

    fn notes(&self) -> &[Note] {
        &self.notes
    }

    fn reader(&self, fields: Fields) -> Result<Box<dyn PointReader>> {
        let mut layout = self.layout.only(fields);
        if layout.colour.is_some() {
            let sample = match &self.points {
                Points::Plain(table) => table.sample(layout.stride)?,
                Points::Compressed(file) => file.sample(&layout)?,
            };
            layout.fit_scales(&sample);
        }
        Ok(match &self.points {
            Points::Plain(table) => Box::new(RecordReader::new(table.clone(), layout)),
            Points::Compressed(file) => Box::new(BlockReader::new(file.blocks(layout))),
        })
    }

    fn reader_within(&self, bbox: &Bbox, fields: Fields) -> Result<Box<dyn PointReader>> {
        if let (Points::Compressed(file), Some(octree)) = (&self.points, self.header.octree())
            && !(fields.colour || fields.intensity)
            && self.info.bounds.is_some_and(|bounds| octree.holds(bounds))
        {
            let outside = octree.outside(&self.header.bytes, bbox)?;
            if let Some(window) = file.window(&self.layout.only(fields), outside) {
                return Ok(Box::new(BlockReader::new(window)));
            }
        }
        self.reader(fields)
    }

    fn copy(&self, labels: Labels<'_>, path: &Path) -> Option<Result<()>> {
        Some(copy::copy(&self.header, self.records(), labels, path))
    }
}
