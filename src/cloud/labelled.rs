//! Clouds of any format, written as binary records with labels.

use super::driver::Cloud;
use super::labels::{Labels, LeftOut, for_each_chunk};
use super::write::{Part, Rows, WholePoint, chosen};
use super::{Chunk, Fields};
use crate::atomic::AtomicFile;
use crate::{Error, Result};
use std::io::Write;
use std::path::Path;

/// Writes the points of a cloud with labels to `path`: coordinates in 64 bits; colour, intensity and class if the
/// cloud has them.
///
/// `header` makes the header of a file of these parts of a point, and `append` writes one of them. The labels of
/// a point follow its parts.
pub(super) fn save(
    cloud: &dyn Cloud,
    mut labels: Labels<'_>,
    path: &Path,
    header: impl Fn(&[Part]) -> String,
    append: impl Fn(Part, &WholePoint, &mut Vec<u8>),
) -> Result<LeftOut> {
    let mut reader = cloud.reader(Fields { label: false, ..Fields::ALL })?;
    let mut file = AtomicFile::create(path)?;
    let mut parts = None;
    let mut bytes = Vec::new();
    for_each_chunk(&mut *reader, &mut labels, |chunk, labels| {
        bytes.clear();
        let parts = parts.get_or_insert_with(|| {
            let parts = parts_of(chunk);
            bytes.extend(header(&parts).bytes());
            parts
        });
        let rows = Rows::new(chunk)?;
        for k in 0..rows.len() {
            let row = rows.row(k);
            parts.iter().for_each(|&part| append(part, &row, &mut bytes));
            labels.encode(k, row.position, &mut bytes);
        }
        file.write_all(&bytes).map_err(Error::io(path))
    })?;
    file.commit()?;
    Ok(LeftOut::default())
}

/// The parts of the points of a chunk, in the order in which they are written.
fn parts_of(chunk: &Chunk) -> Vec<Part> {
    let parts = [
        (Part::Double, true),
        (Part::Colour, !chunk.colour.is_empty()),
        (Part::Intensity, !chunk.intensity.is_empty()),
        (Part::Class, !chunk.class.is_empty()),
    ];
    chosen(&parts).0
}
