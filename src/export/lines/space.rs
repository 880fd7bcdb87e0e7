//! The Hough space of an image with the lines marked.

use super::super::picture::Image as Sheet;
use crate::atomic::AtomicFile;
use crate::backend::Backend;
use crate::image::EdgeMap;
use crate::lines::{Detection, Polar};
use crate::{Error, Result};
use std::path::Path;

/// The colour of marks.
const RED: [u8; 3] = [255, 60, 40];
/// Half the side of a mark.
const MARK: i64 = 5;

/// Votes with all edge pixels and writes the votes as a PNG file: θ from left to right, ρ from top
/// to bottom, a pixel a bin; the more votes the lighter, by the square root. The origin is the top
/// left pixel, so that a mark stands at the θ and ρ of its line.
///
/// # Errors
/// [`Error::Io`] on `path`; what the backend answers.
pub fn save_space(
    edges: &EdgeMap,
    detection: &Detection,
    backend: &dyn Backend,
    path: &Path,
) -> Result<()> {
    let directions = (180.0 / detection.parameters.theta_step).round() as u32;
    let size = [edges.width, edges.height];
    let polar = Polar::top_left(size, directions, detection.parameters.rho_step)?;
    let counts = polar.vote(&edges.pixels, backend)?;
    let (rows, bins) = (polar.space.rows(), polar.space.bins());
    let most = f64::from(counts.iter().copied().max().unwrap_or(0).max(1));
    let mut sheet = Sheet {
        width: rows as u32,
        height: bins as u32,
        rgb: (0..rows * bins)
            .flat_map(|i| {
                let votes = f64::from(counts[i % rows * bins + i / rows]);
                [(255.0 * (votes / most).sqrt()).round() as u8; 3]
            })
            .collect(),
    };
    let axis = polar.space.rho();
    for line in &detection.lines {
        let column = (line.theta / polar.theta_step()).round() as i64;
        let row = ((line.rho - axis.min) / axis.bin).floor() as i64;
        mark(&mut sheet, column, row);
    }
    let mut file = AtomicFile::create(path)?;
    sheet.write_png(&mut file).map_err(Error::io(path))?;
    file.commit()
}

/// A square around a bin.
fn mark(sheet: &mut Sheet, column: i64, row: i64) {
    let size = [i64::from(sheet.width), i64::from(sheet.height)];
    for k in -MARK..=MARK {
        for [dx, dy] in [[k, -MARK], [k, MARK], [-MARK, k], [MARK, k]] {
            let (x, y) = (column + dx, row + dy);
            if (0..size[0]).contains(&x) && (0..size[1]).contains(&y) {
                let at = 3 * (y * size[0] + x) as usize;
                sheet.rgb[at..at + 3].copy_from_slice(&RED);
            }
        }
    }
}
