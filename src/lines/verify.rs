//! Whether a line stands out from its surroundings.
//!
//! Edges in a photograph are not evenly scattered: through foliage and gravel, every line has more votes
//! than chance predicts. So a line is also compared with its own flanks. On the line and on its flanks, where
//! gradients are known, only pixels count whose gradient points across the line.

use super::chance::Chance;
use super::geometry::Axis;
use super::raster::{Raster, Strip};
use super::refine::Stroke;
use std::collections::BTreeMap;

/// Distance from the stroke to a flank, in pixels; edge detection leaves no edges closer to each other.
const GAP: f64 = 2.0;
/// Width of a flank.
const FLANK: f64 = 10.0;
/// Pixels this near to a stroke are part of it.
const BESIDE: f64 = 1.5;

/// Whether a stroke is a remainder of other lines: more pixels in it and beside it are taken
/// than are its own.
pub(super) fn is_remainder(raster: &Raster, stroke: &Stroke) -> bool {
    let (mut own, mut taken) = (0u64, 0u64);
    let band = [stroke.band[0] - BESIDE, stroke.band[1] + BESIDE];
    for piece in &stroke.pieces {
        raster.walk(stroke.axis, piece.from..piece.to, band, |_, n| {
            own += u64::from(n.on);
            taken += u64::from(raster.is_taken(n.pixel));
        });
    }
    taken > own
}

/// `ln` of an upper bound of the probability that chance fills this many pixels of a stroke, if
/// edges were as dense on it as on its flanks.
pub(super) fn log_tail(raster: &Raster, stroke: &Stroke, density: f64) -> f64 {
    let [low, high] = stroke.band;
    let (mut pixels, mut hits) = (0u64, 0u64);
    let mut flanks = [0u64; 2];
    for piece in &stroke.pieces {
        let steps = piece.from..piece.to;
        raster.walk(stroke.axis, steps.clone(), stroke.band, |_, n| {
            pixels += 1;
            hits += u64::from(n.on);
        });
        for side in [[low - GAP - FLANK, low - GAP], [high + GAP, high + GAP + FLANK]] {
            raster.walk(stroke.axis, steps.clone(), side, |_, n| {
                flanks[0] += 1;
                flanks[1] += u64::from(n.on);
            });
        }
    }
    let flank = flanks[1] as f64 / flanks[0].max(1) as f64;
    let density = at_border(raster, stroke, flank.max(density));
    // The pixels across a stroke are not independent, nor are neighbouring pixels along it that the detector
    // derived from the same pixels of the image.
    let together = stroke.width().max(1.0) * raster.together();
    let chance = Chance { density, scatter: together.sqrt() };
    chance.log_tail(hits as f64, pixels as f64)
}

/// The density of edges around a stroke, where `inside` is the density on its flanks.
///
/// Along the border noise makes more edges than elsewhere, because a blur repeats the border's pixels.
/// So the part of a stroke along the border is compared with the rest of the rows and columns in which it runs.
fn at_border(raster: &Raster, stroke: &Stroke, inside: f64) -> f64 {
    let mut strips: BTreeMap<Strip, u64> = BTreeMap::new();
    let mut pixels = 0u64;
    for piece in &stroke.pieces {
        raster.walk(stroke.axis, piece.from..piece.to, stroke.band, |_, n| {
            pixels += 1;
            if let Some(strip) = raster.strip(n.pixel) {
                *strips.entry(strip).or_default() += 1;
            }
        });
    }
    let near: u64 = strips.values().sum();
    let mut expected = (pixels - near) as f64 * inside;
    for (strip, own) in strips {
        expected += own as f64 * by_chance(raster, stroke, strip, own).unwrap_or(0.0).max(inside);
    }
    expected / pixels.max(1) as f64
}

/// The density of edges that chance makes in a strip of the border, of which `own` pixels belong to a stroke; none
/// if fewer other pixels than that remain to compare with.
///
/// Chance is the same on all sides of an image, so the lowest density is taken: the other sides may contain
/// lines, and the rest of this strip may contain more of the same line.
fn by_chance(raster: &Raster, stroke: &Stroke, strip: Strip, own: u64) -> Option<f64> {
    let [low, high] = stroke.band;
    let about = low - FLANK..=high + FLANK;
    let step = usize::from(!stroke.axis.is_flat());
    let is_own = |pixel: [usize; 2]| {
        about.contains(&stroke.axis.distance(pixel.map(|v| v as f64)))
            && stroke.pieces.iter().any(|piece| (piece.from..piece.to).contains(&pixel[step]))
    };
    let density = |side: Strip| {
        let Axis { cos, sin, rho } = stroke.axis;
        let is_turned = side.is_column != strip.is_column;
        let axis = if is_turned { Axis { cos: -sin, sin: cos, rho } } else { stroke.axis };
        let (mut pixels, mut edges) = (0u64, 0u64);
        for pixel in raster.along(side).filter(|&pixel| !is_own(pixel)) {
            pixels += 1;
            edges += u64::from(raster.is_along(pixel, axis));
        }
        (pixels >= own.max(1)).then(|| edges as f64 / pixels as f64)
    };
    let here = density(strip)?;
    Some(raster.as_deep(strip).into_iter().filter_map(density).fold(here, f64::min))
}
