//! A PLY file copied with the properties of the labels.

use super::{LabelBy, Labels, for_each_chunk};
use crate::atomic::AtomicFile;
use crate::cloud::Source;
use crate::cloud::ply::{Encoding, RawVertices};
use crate::cloud::{Fields, Format};
use crate::detection::Detection;
use crate::{Error, Result};
use std::io::{Read, Seek, SeekFrom, Write};
use std::ops::Range;
use std::path::Path;

/// Properties of earlier labels, which the new ones replace.
const EARLIER: &[&str] = &["plane_id", "plane_distance", "piece_id"];
/// What the header says of the labels.
const COMMENT: &str = "comment plane_id -1: no plane";

/// Copies the PLY cloud `source` to `path`, as text or binary as it came, with `plane_id` as `int`,
/// `plane_distance` as `float`, and `piece_id` as `int` where it is asked for, behind the properties of
/// its vertices.
///
/// All that the file holds is kept, lists and other elements with it; earlier labels of these names are
/// replaced.
///
/// # Errors
/// [`Error::Io`]; [`Error::Format`] on `source` when it is not PLY or is damaged;
/// [`Error::Parameter`] when the labels do not fit the cloud or the planes.
pub fn copy_ply(source: &Source, detection: &Detection, by: LabelBy, path: &Path) -> Result<()> {
    if source.format() != Format::Ply {
        return Err(Error::format(source.path(), "file", "it is not PLY"));
    }
    let mut labels = Labels::new(detection, by)?;
    let mut vertices = RawVertices::open(source.bytes(), EARLIER)?;
    let mut added = vec!["property int plane_id", "property float plane_distance"];
    if by == LabelBy::Piece {
        added.push("property int piece_id");
    }
    let encoding = vertices.encoding();
    let mut file = AtomicFile::create(path)?;
    file.write_all(&vertices.header(&added, COMMENT)?).map_err(Error::io(path))?;
    copy(source, vertices.before(), &mut file)?;
    let (mut bytes, mut values) = (Vec::new(), Vec::new());
    let mut reader = source.reader(Fields::NONE)?;
    for_each_chunk(&mut *reader, &mut labels, |chunk, labels| {
        bytes.clear();
        for k in 0..chunk.len() {
            vertices.append(&mut bytes)?;
            values.clear();
            labels.encode(k, [chunk.x[k], chunk.y[k], chunk.z[k]], &mut values);
            append(encoding, &values, &mut bytes);
        }
        file.write_all(&bytes).map_err(Error::io(path))
    })?;
    copy(source, vertices.after(), &mut file)?;
    file.commit()
}

/// Appends the labels of a point, 32 bits each: plane, distance and, where there is one, piece.
fn append(encoding: Encoding, values: &[u8], bytes: &mut Vec<u8>) {
    for (k, &value) in values.as_chunks::<4>().0.iter().enumerate() {
        match (encoding, k) {
            (Encoding::Little, _) => bytes.extend(value),
            (Encoding::Big, _) => bytes.extend(value.iter().rev()),
            (Encoding::Ascii, 1) => bytes.extend(text_of(f32::from_le_bytes(value)).as_bytes()),
            (Encoding::Ascii, _) => {
                bytes.extend(format!(" {}", i32::from_le_bytes(value)).as_bytes());
            }
        }
    }
    if encoding == Encoding::Ascii {
        bytes.push(b'\n');
    }
}

/// A distance as text; readers in C know `nan` in small letters.
fn text_of(distance: f32) -> String {
    if distance.is_nan() { " nan".into() } else { format!(" {distance}") }
}

/// Copies a stretch of the file.
fn copy(source: &Source, range: Range<u64>, file: &mut AtomicFile) -> Result<()> {
    let mut section = source.section();
    section.seek(SeekFrom::Start(range.start)).map_err(Error::io(source.path()))?;
    let path = file.path().to_path_buf();
    let length = range.end.saturating_sub(range.start);
    std::io::copy(&mut section.take(length), file).map_err(Error::io(path))?;
    Ok(())
}
