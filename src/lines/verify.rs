//! Does a line stand out from what is around it?
//!
//! In a photograph edges are not strewn evenly: through foliage and gravel every line has more votes
//! than chance would give it. So a line is compared with its own flanks, too. There and on the line
//! only pixels count whose gradient points across the line, as far as gradients are known.

use super::chance::Chance;
use super::raster::Raster;
use super::refine::Stroke;

/// From the stroke to a flank, in pixels; edges leave nothing closer to each other.
const GAP: f64 = 2.0;
/// Width of a flank.
const FLANK: f64 = 10.0;
/// Along an edge of a photograph a pixel tells what so many do: they hang together, by the lens, by
/// the blur, and by what an edge is.
const TOGETHER: f64 = 4.0;
/// What lies so near to a stroke is part of it, in pixels.
const BESIDE: f64 = 1.5;

/// Whether a stroke is what other lines left of theirs: more pixels in it and next to it are taken
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

/// `ln` of (a bound from above of) the probability that chance fills so many pixels of a stroke, were
/// it everywhere as on its flanks.
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
    // The pixels across a stroke are one by one no news.
    let together = stroke.width().max(1.0) * if raster.has_gradients() { TOGETHER } else { 1.0 };
    let chance = Chance { density: flank.max(density), scatter: together.sqrt() };
    chance.log_tail(hits as f64, pixels as f64)
}
