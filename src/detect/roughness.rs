//! Whether a cloud holds two kinds of surface that differ in roughness, such as a road and the grass beside it.
//!
//! The noise of a scanner changes gradually with the range and the angle of incidence, so places of every noise between the least and
//! the largest are found. A road is smooth and grass is rough, and hardly any place is in between. What is rough then tells nothing of
//! the noise of what is smooth.

use crate::surface::quantile::{quantile, weighted_quantile};

/// Steps between thicknesses within a factor of two; so many make a window of neighbouring ones.
const STEPS: f64 = 20.0;
const WINDOW: usize = 4;
/// Range of thicknesses that is looked at, as powers of two of the usual noise.
const RANGE: [f64; 2] = [-4.0, 4.0];
/// Each kind has at least this share of the places.
const SHARE: f64 = 0.15;
/// In the gap between them the window that holds fewest places holds at most this share of what the fullest one on either side holds.
const GAP: f64 = 0.25;
/// Fewest regions that tell something.
const FEWEST: usize = 100;
/// Fewest places of a region whose median is typical.
const TYPICAL: usize = 4;

/// The thickness up to which places are of the smoother kind, if a cloud holds two kinds; the thicknesses of the places of each of
/// its regions are given.
pub(super) fn gap(regions: impl IntoIterator<Item = Vec<f64>>) -> Option<f64> {
    let told = regions.into_iter().filter(|places| places.len() >= TYPICAL);
    let typical = |mut places: Vec<f64>| (quantile(&mut places, 0.5), places.len() as u64);
    let regions: Vec<(f64, u64)> = told.map(typical).filter(|region| region.0 > 0.0).collect();
    if regions.len() < FEWEST {
        return None;
    }
    let usual = weighted_quantile(regions.clone(), 0.5);
    let [low, high] = RANGE.map(|power| power * STEPS);
    let mut counts = vec![0; (high - low) as usize + 1];
    for (thickness, count) in regions {
        counts[((thickness / usual).log2() * STEPS - low).clamp(0.0, high - low) as usize] += count;
    }
    let windows: Vec<u64> = counts.windows(WINDOW).map(|window| window.iter().sum()).collect();
    let fullest = |windows: &[u64]| windows.iter().copied().max().unwrap_or(0);
    let all = counts.iter().sum::<u64>() as f64;
    let depth = |at: usize| {
        let smooth = counts[..at + WINDOW / 2].iter().sum::<u64>() as f64;
        let (before, beyond) = windows.split_at(at);
        let lower = fullest(before).min(fullest(beyond)) as f64;
        let are_kinds = smooth.min(all - smooth) >= SHARE * all;
        (are_kinds && windows[at] as f64 <= GAP * lower).then(|| windows[at] as f64 / lower)
    };
    let gaps = (0..windows.len()).filter_map(|at| Some((at, depth(at)?)));
    let (at, _) = gaps.reduce(|best, gap| if gap.1 < best.1 { gap } else { best })?;
    Some(usual * ((low + (at + WINDOW / 2) as f64) / STEPS).exp2())
}
