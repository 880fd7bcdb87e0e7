//! The vote in a small, fine space around a bin.

use super::geometry::Axis;

/// Width of a bin, in pixels; a window of two of them holds a line one pixel wide.
const BIN: f64 = 0.5;
/// Most steps of the angle to either side.
const MOST_STEPS: f64 = 64.0;

/// The line near `start` along which most of the pixels lie, within a pixel; if several are equal, the one with
/// the smallest angle, then distance. The line may turn by `turn` radians about `pivot` and move by
/// `shift`; `reach` is the largest distance of a pixel from the pivot.
pub(super) fn densest(
    pixels: &[[f64; 2]],
    start: Axis,
    pivot: [f64; 2],
    (turn, shift, reach): (f64, f64, f64),
) -> Axis {
    // From one angle to the next the farthest pixel moves by a bin.
    let steps = (turn * reach / BIN).ceil().clamp(1.0, MOST_STEPS);
    let half = (shift / BIN).ceil() + 1.0;
    let bins = 2 * half as usize + 1;
    let theta = start.sin.atan2(start.cos);
    let start_at_pivot = start.seen_from(pivot).rho;
    let mut row = vec![0u32; bins];
    let mut best: Option<(u32, Axis)> = None;
    for k in -(steps as i32)..=steps as i32 {
        let axis = Axis::new(theta + turn * f64::from(k) / steps, start_at_pivot);
        row.fill(0);
        for &[x, y] in pixels {
            let d = axis.distance([x - pivot[0], y - pivot[1]]);
            let r = d / BIN + half + 0.5;
            if r >= 0.0 && r < bins as f64 {
                row[r as usize] += 1;
            }
        }
        for (r, window) in row.windows(2).enumerate() {
            let votes = window[0] + window[1];
            if best.is_none_or(|(most, _)| votes > most) {
                let moved = (r as f64 + 0.5 - half) * BIN;
                let rho = start_at_pivot + moved + pivot[0] * axis.cos + pivot[1] * axis.sin;
                best = Some((votes, Axis { rho, ..axis }));
            }
        }
    }
    best.map_or(start, |(_, axis)| axis)
}
