//! LAS 1.0 to 1.5 and its compressed form LAZ.

mod geokeys;
mod header;
mod laz;

use super::{
    Fields, Format, HeaderInfo, Note, PointReader,
    blocks::BlockReader,
    bytes::Bytes,
    records::{Layout, RecordReader, Table},
    source::Cloud,
};
use crate::Result;
use header::Header;
use std::sync::Arc;

/// A LAS or LAZ file whose header was read.
pub(super) struct Las {
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
    pub(super) fn open(bytes: &Arc<Bytes>) -> Result<Las> {
        let header = Header::read(bytes)?;
        let layout = header.layout()?;
        let points = if header.compressed {
            Points::Compressed(Arc::new(laz::Compressed::open(bytes, &header)?))
        } else {
            Points::Plain(header.table()?)
        };
        let mut notes = header.notes();
        if let Points::Compressed(file) = &points
            && file.holds_more()
        {
            notes.push(Note::MorePoints { promised: header.count, held: None });
        }
        Ok(Las { info: header.info(layout.fields()), notes, layout, points })
    }
}

impl Cloud for Las {
    fn format(&self) -> Format {
        match self.points {
            Points::Plain(_) => Format::Las,
            Points::Compressed(_) => Format::Laz,
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
}
