//! The image with its lines in red.

use crate::export::output::{About, Export, Lines};
use crate::export::picture::Image as Sheet;
use crate::lines::Segment;
use crate::{Result, atomic};
use std::path::Path;

/// The colour of lines.
const RED: [u8; 3] = [255, 0, 0];
/// A stroke is one pixel wide per this many pixels of the longer side.
const PER_STROKE: f64 = 400.0;

/// The picture as a PNG file.
pub struct Overlay;

impl Export<Lines<'_>> for Overlay {
    fn about(&self) -> About {
        About::new("overlay", "a picture with its lines in red", &[".lines.png"])
    }

    fn save(&self, &Lines { image, detection, .. }: &Lines, path: &Path) -> Result<()> {
        let (width, height) = (image.width(), image.height());
        let mut sheet = Sheet { width, height, rgb: image.rgb().to_vec() };
        for segment in detection.lines.iter().flat_map(|line| &line.segments) {
            stroke(&mut sheet, segment);
        }
        atomic::save(path, |file| sheet.write_png(file))
    }
}

/// Draws a segment with a width suited to the size of the image.
fn stroke(sheet: &mut Sheet, segment: &Segment) {
    let width = (f64::from(sheet.width.max(sheet.height)) / PER_STROKE).round().max(1.0);
    let (a, b) = (segment.start, segment.end);
    let flat = (b[0] - a[0]).abs() >= (b[1] - a[1]).abs();
    let i = usize::from(!flat);
    let size = [f64::from(sheet.width), f64::from(sheet.height)];
    let (from, to) = (a[i].min(b[i]).round().max(0.0), a[i].max(b[i]).round().min(size[i] - 1.0));
    let run = b[i] - a[i];
    let slope = if run == 0.0 { 0.0 } else { (b[1 - i] - a[1 - i]) / run };
    // A column cuts a slanting line at a greater length. All columns are cut alike, or edges would look frayed.
    let across = (width * slope.hypot(1.0)).round();
    for step in from as i64..=to as i64 {
        let middle = a[1 - i] + slope * (step as f64 - a[i]);
        let first = (middle - across / 2.0).ceil();
        let last = (first + across - 1.0).min(size[1 - i] - 1.0) as i64;
        for other in first.max(0.0) as i64..=last {
            let (x, y) = if flat { (step, other) } else { (other, step) };
            let at = 3 * (y as usize * sheet.width as usize + x as usize);
            sheet.rgb[at..at + 3].copy_from_slice(&RED);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Red pixels of a segment in a black square of this side.
    fn painted(side: u32, start: [f64; 2], end: [f64; 2]) -> usize {
        let rgb = vec![0; 3 * (side * side) as usize];
        let mut sheet = Sheet { width: side, height: side, rgb };
        stroke(&mut sheet, &Segment { start, end, pixels: 0 });
        sheet.rgb.chunks(3).filter(|pixel| *pixel == RED).count()
    }

    #[test]
    fn a_stroke_is_as_wide_as_the_picture_asks() {
        for (side, width) in [(100, 1), (640, 2), (2000, 5), (4000, 10)] {
            for at in [40.0, 40.25, 40.5, 40.75] {
                assert_eq!(painted(side, [20.0, at], [59.0, at]), 40 * width, "{side} at {at}");
                assert_eq!(painted(side, [at, 59.0], [at, 20.0]), 40 * width, "{side} at {at}");
            }
            let slanting = painted(side, [20.0, 20.0], [59.0, 59.0]) as f64;
            let wanted = 40.0 * width as f64 * 2f64.sqrt();
            assert!((slanting - wanted).abs() <= 20.0, "{side}: {slanting} for {wanted}");
        }
    }

    #[test]
    fn what_reaches_over_the_edge_is_cut_off() {
        assert_eq!(painted(100, [-5.0, 0.0], [200.0, 0.0]), 100);
        assert_eq!(painted(100, [0.0, 99.4], [99.0, 150.0]), 1);
    }
}
