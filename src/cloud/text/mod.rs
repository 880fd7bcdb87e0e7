//! Points as text: `xyz`, `pts`, `csv` and their kin.

mod columns;
mod guess;
pub(super) mod line;
pub(super) mod lines;
mod names;
pub(super) mod schema;
mod units;

use super::{
    Fields, Format, HeaderInfo, Note, PointReader, blocks::BlockReader, bytes::Bytes, source::Cloud,
};
use crate::{Error, Result};
pub use columns::Columns;
use line::{LineFormat, Separator, Step};
use lines::{Expect, Lines};
use schema::Schema;
use std::sync::Arc;

/// Bytes that tell what columns hold: some thousand lines.
const HEAD: u64 = 1 << 18;

/// A text whose columns are known.
pub(super) struct Text {
    bytes: Arc<Bytes>,
    info: HeaderInfo,
    schema: Schema,
}

impl Text {
    /// Finds out what the columns hold, if `columns` do not say it.
    pub(super) fn open(bytes: &Arc<Bytes>, columns: Option<&Columns>) -> Result<Text> {
        let mut sample = bytes.head(0, HEAD)?;
        if bytes.len() > HEAD {
            let end = sample.iter().rposition(|&byte| byte == b'\n');
            sample.truncate(end.map_or(0, |end| end + 1));
        }
        let schema = Schema::of(&sample, columns)
            .map_err(|message| Error::Unrecognized { path: bytes.path().to_path_buf(), message })?;
        Ok(Text { bytes: bytes.clone(), info: info(&schema), schema })
    }
}

fn info(schema: &Schema) -> HeaderInfo {
    let separator = match schema.style.separator {
        Separator::Space => "blanks".to_string(),
        Separator::Tab => "tabs".to_string(),
        Separator::Char(byte) => format!("'{}'", char::from(byte)),
    };
    let comma = if schema.style.comma { ", decimal commas" } else { "" };
    let unit = schema.unit.map(|unit| format!(", in {unit}")).unwrap_or_default();
    HeaderInfo {
        description: format!("text, columns {} by {separator}{comma}{unit}", schema.names()),
        points: schema.promised.map(|(count, _)| count),
        fields: schema.fields(),
        others: schema.others.clone(),
        bounds: None,
        crs: None,
    }
}

impl Cloud for Text {
    fn format(&self) -> Format {
        Format::Text
    }

    fn info(&self) -> &HeaderInfo {
        &self.info
    }

    fn notes(&self) -> &[Note] {
        &self.schema.notes
    }

    fn reader(&self, fields: Fields) -> Result<Box<dyn PointReader>> {
        let schema = &self.schema;
        let steps = schema.columns.iter().map(|column| {
            let wanted = column.filter(|role| schema::is_wanted(*role, fields));
            wanted.map_or(Step::Skip, Step::Take)
        });
        let mut format = LineFormat::new(schema.style, steps.collect());
        if fields.colour || fields.intensity {
            format.fit_scales(&self.bytes, schema.start, None)?;
        }
        let expect =
            schema.promised.map_or(Expect::Any, |(count, line)| Expect::Exactly(count, line));
        let lines = Lines::new(&self.bytes, schema.start, schema.line, format, expect);
        Ok(Box::new(BlockReader::new(lines)))
    }
}
