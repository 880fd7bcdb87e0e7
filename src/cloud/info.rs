//! What a cloud holds, in numbers.

mod spacing;

use super::{Chunk, Fields, Format, HeaderInfo, Source};
use crate::Result;
use serde::Serialize;
use spacing::{Neighbours, Sample, finite};

/// Points read at a time.
const CHUNK: usize = 1 << 20;

/// What a cloud holds.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Summary {
    /// The file's format.
    pub format: Format,
    /// What its header says.
    pub header: HeaderInfo,
    /// Size of the file in bytes; of a compressed one, of its content.
    pub bytes: u64,
    /// Points in the file.
    pub points: u64,
    /// Of these, points with a coordinate that is not finite, and those that an E57 marks as invalid.
    pub not_finite: u64,
    /// Smallest coordinates of the finite points, if there are any.
    pub min: Option<[f64; 3]>,
    /// Largest coordinates of the finite points.
    pub max: Option<[f64; 3]>,
    /// `max − min`.
    pub extent: Option<[f64; 3]>,
    /// Median distance of a point from the nearest one at another place, in the cloud's unit: exact
    /// for a sample of points. `None` if all points are at one place.
    pub spacing: Option<f64>,
}

/// Reads a cloud twice and says what it holds; `progress` is told the points read so far.
///
/// The order of the points makes no difference to the result.
///
/// # Errors
/// Those of [`Source::reader`] and [`PointReader::read`](super::PointReader::read).
pub fn summarize(source: &Source, progress: &dyn Fn(u64)) -> Result<Summary> {
    let mut summary = Summary {
        format: source.format(),
        header: source.info().clone(),
        bytes: source.size(),
        points: 0,
        not_finite: 0,
        min: None,
        max: None,
        extent: None,
        spacing: None,
    };
    if let Some(packing) = source.packing() {
        summary.header.description += &format!(", in {packing}");
    }
    let mut sample = Sample::default();
    for_each_chunk(source, |chunk| {
        summary.add(chunk);
        sample.add(chunk);
        progress(summary.points);
    })?;
    if let (Some(min), Some(max)) = (summary.min, summary.max) {
        summary.extent = Some([0, 1, 2].map(|axis| max[axis] - min[axis]));
    }
    let mut neighbours = Neighbours::of(sample);
    if neighbours.is_worth_a_pass() {
        let mut points = summary.points;
        for_each_chunk(source, |chunk| {
            neighbours.add(chunk);
            points += chunk.len() as u64;
            progress(points);
        })?;
    }
    summary.spacing = neighbours.median();
    Ok(summary)
}

impl Summary {
    fn add(&mut self, chunk: &Chunk) {
        self.points += chunk.len() as u64;
        for point in finite(chunk) {
            let min = self.min.get_or_insert(point);
            let max = self.max.get_or_insert(point);
            for axis in 0..3 {
                min[axis] = min[axis].min(point[axis]);
                max[axis] = max[axis].max(point[axis]);
            }
        }
        self.not_finite += chunk.len() as u64 - finite(chunk).count() as u64;
    }
}

fn for_each_chunk(source: &Source, mut work: impl FnMut(&Chunk)) -> Result<()> {
    let mut reader = source.reader(Fields::NONE)?;
    let mut chunk = Chunk::default();
    loop {
        reader.read(&mut chunk, CHUNK)?;
        if chunk.is_empty() {
            return Ok(());
        }
        work(&chunk);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn summary(text: &str) -> Summary {
        let source = Source::from_bytes(text.as_bytes().to_vec()).unwrap();
        summarize(&source, &|_| {}).unwrap()
    }

    #[test]
    fn a_grid_has_its_spacing() {
        let mut lines: Vec<String> = Vec::new();
        for i in 0..80 {
            for j in 0..80 {
                lines.push(format!("{} {} 7", 500_000.0 + f64::from(i) * 0.25, j));
            }
        }
        let forward = summary(&lines.join("\n"));
        assert_eq!(forward.points, 6400);
        assert_eq!(forward.spacing, Some(0.25));
        assert_eq!(forward.extent, Some([19.75, 79.0, 0.0]));
        lines.reverse();
        let mut backward = summary(&lines.join("\n"));
        backward.bytes = forward.bytes;
        assert_eq!(backward, forward);
    }

    #[test]
    fn points_that_are_not_finite_are_counted_and_left_out() {
        let got = summary("1 2 3\nnan 0 0\n1 2 5\n0 inf 0\n");
        assert_eq!((got.points, got.not_finite), (4, 2));
        assert_eq!(got.min, Some([1.0, 2.0, 3.0]));
        assert_eq!(got.max, Some([1.0, 2.0, 5.0]));
        assert_eq!(got.spacing, Some(2.0));
    }

    #[test]
    fn one_place_has_no_spacing() {
        let got = summary("1 2 3\n1 2 3\n1 2 3\n");
        assert_eq!(got.spacing, None);
        assert_eq!(got.extent, Some([0.0; 3]));
        let none = summary("nan nan nan\n");
        assert_eq!((none.min, none.spacing), (None, None));
    }
}
