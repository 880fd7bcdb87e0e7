//! A labelled cloud as PLY.

use super::{Labels, distance, for_each_chunk};
use crate::atomic::AtomicFile;
use crate::cloud::{Chunk, PointReader};
use crate::detection::Detection;
use crate::plane::Plane;
use crate::{Error, Result};
use std::io::Write;
use std::path::Path;

/// Writes a cloud as binary little-endian PLY: `x`, `y`, `z` as `double`, `red`, `green`, `blue`
/// where `reader` gives colours, `plane_id` as `int`, `plane_distance` as `float`.
///
/// # Errors
/// What `reader` answers; [`Error::Io`] on `path`; [`Error::Parameter`] when the labels do not fit
/// the cloud or the planes.
pub fn save_ply(reader: &mut dyn PointReader, detection: &Detection, path: &Path) -> Result<()> {
    let mut labels = Labels::new(detection)?;
    let mut file = AtomicFile::create(path)?;
    let mut colours = None;
    let mut bytes = Vec::new();
    for_each_chunk(reader, &mut labels, |chunk, ids| {
        bytes.clear();
        let colours = *colours.get_or_insert_with(|| {
            let colours = !chunk.colour.is_empty();
            bytes.extend(header(detection.labels.len(), colours).bytes());
            colours
        });
        encode(chunk, ids, &detection.planes, colours, &mut bytes);
        file.write_all(&bytes).map_err(Error::io(path))
    })?;
    file.commit()
}

fn header(points: usize, colours: bool) -> String {
    let colours = if colours {
        "property uchar red\nproperty uchar green\nproperty uchar blue\n"
    } else {
        ""
    };
    format!(
        "ply\nformat binary_little_endian 1.0\ncomment plane_id -1: no plane\n\
         element vertex {points}\nproperty double x\nproperty double y\nproperty double z\n\
         {colours}property int plane_id\nproperty float plane_distance\nend_header\n"
    )
}

fn encode(chunk: &Chunk, ids: &[i32], planes: &[Plane], colours: bool, bytes: &mut Vec<u8>) {
    let points = chunk.x.iter().zip(&chunk.y).zip(&chunk.z).zip(ids);
    for (k, (((&x, &y), &z), &id)) in points.enumerate() {
        for c in [x, y, z] {
            bytes.extend(c.to_le_bytes());
        }
        if colours {
            bytes.extend(chunk.colour.get(k).copied().unwrap_or_default());
        }
        bytes.extend(id.to_le_bytes());
        bytes.extend(distance(planes, id, [x, y, z]).to_le_bytes());
    }
}
