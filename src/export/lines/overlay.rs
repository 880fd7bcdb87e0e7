//! The image with its lines in red.

use super::super::picture::Image as Sheet;
use crate::atomic::AtomicFile;
use crate::image::Image;
use crate::lines::{Detection, Segment};
use crate::{Error, Result};
use std::path::Path;

/// The colour of lines.
const RED: [u8; 3] = [255, 0, 0];
/// A stroke is one pixel wide for each so many of the longer side.
const PER_STROKE: f64 = 500.0;

/// Draws the segments over the image and writes it as a PNG file.
///
/// # Errors
/// [`Error::Io`] on `path`.
pub fn save_overlay(image: &Image, detection: &Detection, path: &Path) -> Result<()> {
    let (width, height) = (image.width(), image.height());
    let mut sheet = Sheet { width, height, rgb: image.rgb().to_vec() };
    let half = (f64::from(width.max(height)) / PER_STROKE).max(1.0) / 2.0;
    for segment in detection.lines.iter().flat_map(|line| &line.segments) {
        stroke(&mut sheet, segment, half);
    }
    let mut file = AtomicFile::create(path)?;
    sheet.write_png(&mut file).map_err(Error::io(path))?;
    file.commit()
}

/// Paints what lies within `half` a stroke of a segment.
fn stroke(sheet: &mut Sheet, segment: &Segment, half: f64) {
    let (a, b) = (segment.start, segment.end);
    let flat = (b[0] - a[0]).abs() >= (b[1] - a[1]).abs();
    let i = usize::from(!flat);
    let size = [f64::from(sheet.width), f64::from(sheet.height)];
    let (from, to) = (a[i].min(b[i]).round().max(0.0), a[i].max(b[i]).round().min(size[i] - 1.0));
    let run = b[i] - a[i];
    let slope = if run == 0.0 { 0.0 } else { (b[1 - i] - a[1 - i]) / run };
    // Across a slanting line a column is cut longer.
    let reach = half * slope.hypot(1.0);
    for step in from as i64..=to as i64 {
        let middle = a[1 - i] + slope * (step as f64 - a[i]);
        let first = (middle - reach + 0.5).floor().max(0.0) as i64;
        let last = (middle + reach - 0.5).ceil().min(size[1 - i] - 1.0) as i64;
        for other in first..=last {
            let (x, y) = if flat { (step, other) } else { (other, step) };
            let at = 3 * (y as usize * sheet.width as usize + x as usize);
            sheet.rgb[at..at + 3].copy_from_slice(&RED);
        }
    }
}
