//! Points as text: `xyz`, `pts`, `csv` and their kin.

mod guess;
mod layout;
pub(super) mod line;
pub(super) mod lines;
mod names;
pub(super) mod schema;
mod units;
mod write;

use super::{
    Columns, Crs, Fields, Format, HeaderInfo, Note, PointReader,
    blocks::BlockReader,
    bytes::{Bytes, HEAD},
    driver::{Cloud, Driver},
    foreign::foreign,
};
use crate::{Error, Result};
use line::{LineFormat, Step};
use lines::{Expect, Lines};
use schema::{LONE, Schema};
use std::sync::Arc;

pub(super) const DRIVER: Driver = Driver {
    told,
    check_stream,
    open: |bytes, options| Ok(Box::new(Text::open(bytes, options.columns.as_ref())?)),
    endings: &["xyz", "txt", "csv", "pts"],
    create: Some(|path, options| Ok(Box::new(write::TextWriter::create(path, options)?))),
    save_labelled: None,
};

impl Format {
    /// Lines of numbers.
    pub const TEXT: Format = Format("text");
}

fn told(head: &[u8]) -> Option<Format> {
    foreign(head).is_none().then_some(Format::TEXT)
}

fn check_stream(head: &[u8]) -> std::result::Result<(), String> {
    let goes_on = head.len() as u64 == HEAD;
    if goes_on && !head.contains(&b'\n') {
        if head.contains(&b'\r') {
            return Err(LONE.into());
        }
        return Err(format!("text without a line end in its first {HEAD} bytes"));
    }
    if goes_on && !head.iter().any(u8::is_ascii_digit) {
        return Err(format!("text without a number in its first {HEAD} bytes"));
    }
    Ok(())
}

/// Bytes that tell what columns hold: some thousand lines.
const SAMPLE: u64 = 1 << 18;

/// Bytes at the start and at the end of the points in which columns are counted.
const LINES: u64 = 1 << 12;

/// A text whose columns are known.
struct Text {
    bytes: Arc<Bytes>,
    info: HeaderInfo,
    schema: Schema,
    /// Whether no columns were given.
    is_untold: bool,
}

impl Text {
    /// Finds out what the columns hold, if `columns` do not say it.
    fn open(bytes: &Arc<Bytes>, columns: Option<&Columns>) -> Result<Text> {
        let mut sample = bytes.head(0, SAMPLE)?;
        if bytes.len() > SAMPLE {
            let last = |end: u8| sample.iter().rposition(|&byte| byte == end);
            // Text whose lines end otherwise is told why it is refused.
            let end = last(b'\n').or_else(|| last(b'\r'));
            sample.truncate(end.map_or(0, |end| end + 1));
        }
        let mut schema = Schema::of(&sample, columns)
            .map_err(|message| Error::unrecognized(bytes.path(), message))?;
        if columns.is_none() {
            schema.notes.extend(columns_change(bytes, &schema)?);
        }
        Ok(Text { bytes: bytes.clone(), info: info(&schema), schema, is_untold: columns.is_none() })
    }
}

/// What to say where the last lines have another number of columns than the first point. Only lines of numbers are compared: a remark
/// may be one word or several.
fn columns_change(bytes: &Bytes, schema: &Schema) -> Result<Option<Note>> {
    let style = schema.style;
    let columns = |line: &[u8]| {
        let cells = style.cells(style.content(line)?);
        cells.iter().all(|cell| style.value(cell).is_some()).then_some(cells.len())
    };
    let is_end = |&byte: &u8| byte == b'\n';
    let first = bytes.head(schema.start, LINES)?;
    let first = first.split(is_end).next().and_then(columns);
    // The first of these lines may be the end of one, and the last one may be cut off.
    let behind = bytes.len().saturating_sub(LINES).max(schema.start);
    let last = bytes.head(behind, LINES)?;
    let whole = last.split(is_end).skip(usize::from(behind > schema.start));
    let points: Vec<&[u8]> = whole.filter(|line| style.content(line).is_some()).collect();
    let last = points.len().checked_sub(2).and_then(|last| columns(points[last]));
    let change = first.zip(last).filter(|(first, last)| first != last);
    Ok(change.map(|(first, last)| Note::ColumnsChange { first, last }))
}

fn info(schema: &Schema) -> HeaderInfo {
    let separator = schema.style.separator.in_words();
    let comma = if schema.style.comma { ", decimal commas" } else { "" };
    let unit = schema.unit.map(|unit| format!(", in {unit}")).unwrap_or_default();
    HeaderInfo {
        description: format!("text, columns {} by {separator}{comma}{unit}", schema.names()),
        points: schema.promised.map(|(count, _)| count),
        in_floats: false,
        fields: schema.fields(),
        others: schema.others.clone(),
        bounds: None,
        crs: schema.is_geographic.then(Crs::of_degrees),
        scanner: None,
        row_length: None,
    }
}

impl Cloud for Text {
    fn format(&self) -> Format {
        Format::TEXT
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
            let wanted = column.filter(|role| role.is_wanted(fields));
            wanted.map_or(Step::Skip, Step::Take)
        });
        let mut format = LineFormat::new(schema.style, steps.collect());
        if fields.colour || fields.intensity {
            format.fit_scales(&self.bytes, schema.start, None)?;
        }
        let expect =
            schema.promised.map_or(Expect::Any, |(count, line)| Expect::Exactly(count, line));
        let known = || std::iter::once(schema.columns.clone()).chain(schema.named.clone());
        let columns = if self.is_untold { known().collect() } else { Vec::new() };
        let lines = Lines::new(&self.bytes, schema.start, schema.line, format, expect);
        let lines = lines.with_columns(columns);
        Ok(Box::new(BlockReader::new(lines)))
    }
}
