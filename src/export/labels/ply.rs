//! A labelled cloud as PLY.

use super::{LabelBy, Labels, for_each_chunk};
use crate::atomic::AtomicFile;
use crate::cloud::{Chunk, PointReader};
use crate::detection::Detection;
use crate::{Error, Result};
use std::io::Write;
use std::path::Path;

/// Writes a cloud as binary little-endian PLY: `x`, `y`, `z` as `double`, `red`, `green`, `blue`,
/// `intensity` as `ushort` and `classification` where `reader` gives them, `plane_id` as `int`, `plane_distance` as `float`,
/// and `piece_id` as `int` where it is asked for.
///
/// # Errors
/// What `reader` answers; [`Error::Io`] on `path`; [`Error::Parameter`] when the labels do not fit
/// the cloud or the planes.
pub fn save_ply(
    reader: &mut dyn PointReader,
    detection: &Detection,
    by: LabelBy,
    path: &Path,
) -> Result<()> {
    let mut labels = Labels::new(detection, by)?;
    let mut file = AtomicFile::create(path)?;
    let mut given = None;
    let mut bytes = Vec::new();
    for_each_chunk(reader, &mut labels, |chunk, labels| {
        bytes.clear();
        let given = *given.get_or_insert_with(|| {
            let given = Given {
                colour: !chunk.colour.is_empty(),
                intensity: !chunk.intensity.is_empty(),
                class: !chunk.class.is_empty(),
            };
            bytes.extend(header(detection.labels.len(), given, by).bytes());
            given
        });
        encode(chunk, labels, given, &mut bytes);
        file.write_all(&bytes).map_err(Error::io(path))
    })?;
    file.commit()
}

/// What the cloud has beside coordinates.
#[derive(Clone, Copy)]
struct Given {
    colour: bool,
    intensity: bool,
    class: bool,
}

fn header(points: usize, given: Given, by: LabelBy) -> String {
    let intensity = if given.intensity { "property ushort intensity\n" } else { "" };
    let colours = if given.colour {
        "property uchar red\nproperty uchar green\nproperty uchar blue\n"
    } else {
        ""
    };
    let class = if given.class { "property uchar classification\n" } else { "" };
    let piece = if by == LabelBy::Piece { "property int piece_id\n" } else { "" };
    format!(
        "ply\nformat binary_little_endian 1.0\ncomment plane_id -1: no plane\n\
         element vertex {points}\nproperty double x\nproperty double y\nproperty double z\n\
         {colours}{intensity}{class}property int plane_id\nproperty float plane_distance\n{piece}end_header\n"
    )
}

fn encode(chunk: &Chunk, labels: &Labels, given: Given, bytes: &mut Vec<u8>) {
    let points = chunk.x.iter().zip(&chunk.y).zip(&chunk.z);
    for (k, ((&x, &y), &z)) in points.enumerate() {
        for c in [x, y, z] {
            bytes.extend(c.to_le_bytes());
        }
        if given.colour {
            bytes.extend(chunk.colour.get(k).copied().unwrap_or_default());
        }
        if given.intensity {
            bytes.extend(chunk.intensity.get(k).copied().unwrap_or_default().to_le_bytes());
        }
        if given.class {
            bytes.push(chunk.class.get(k).copied().unwrap_or_default());
        }
        labels.encode(k, [x, y, z], bytes);
    }
}
