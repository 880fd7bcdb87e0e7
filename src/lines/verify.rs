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
/// `ln` of (a bound from above of) the probability that chance fills so many steps of a stroke, were
/// it everywhere as on its flanks.
pub(super) fn log_tail(raster: &Raster, stroke: &Stroke, density: f64) -> f64 {
    let [low, high] = stroke.band;
    let (mut pixels, mut steps, mut hits) = (0u64, 0u64, 0u64);
    let mut flanks = [[0u64; 2]; 2];
    for piece in &stroke.pieces {
        let mut last = None;
        raster.walk(stroke.axis, piece.from..piece.to, [low - 0.25, high + 0.25], |step, n| {
            pixels += 1;
            if n.on && last != Some(step) {
                last = Some(step);
                hits += 1;
            }
        });
        steps += (piece.to - piece.from) as u64;
        let sides = [[low - GAP - FLANK, low - GAP], [high + GAP, high + GAP + FLANK]];
        for (side, flank) in sides.into_iter().zip(&mut flanks) {
            raster.walk(stroke.axis, piece.from..piece.to, side, |_, n| {
                flank[0] += 1;
                flank[1] += u64::from(n.on);
            });
        }
    }
    let [all, on] = [0, 1].map(|i| (flanks[0][i] + flanks[1][i]) as f64);
    let flank = (on / all.max(1.0)).max(density);
    let across = pixels as f64 / steps.max(1) as f64;
    let chance = Chance {
        density: 1.0 - (1.0 - flank.min(0.99)).powf(across),
        scatter: if raster.has_gradients() { TOGETHER.sqrt() } else { 1.0 },
    };
    chance.log_tail(hits as f64, steps as f64)
}
