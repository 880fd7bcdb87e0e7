//! Whether a cloud holds two kinds of surface that differ in roughness, such as a road and the grass beside it.
//!
//! The noise of a scanner changes gradually with the range and the angle of incidence, so places of every noise between the least and
//! the largest are found. A road is smooth and grass is rough, and hardly any place is in between. What is rough then tells nothing of
//! the noise of what is smooth.

use crate::surface::quantile::{quantile, weighted_quantile};

/// Bins of thickness per factor of two.
const BINS: f64 = 20.0;
/// So many neighbouring bins make a window, a factor of 1.15: the typical thickness of a region varies by less.
const WINDOW: usize = 4;
/// Range of thicknesses, as powers of two of the usual one. What lies outside counts at its ends.
const RANGE: [f64; 2] = [-4.0, 4.0];
/// Each kind has at least this share of the places: trees, edges and furniture have less.
const SHARE: f64 = 0.15;
/// Between them, a window holds at most this share of what the fullest one on either side holds. It was .4 and more between modes of the
/// noise of most tripods, and up to .2 between roads and grass that is hardly rougher.
const GAP: f64 = 0.25;
/// The rougher kind is at least this many times as rough: where it is less, many places of either look like the other one.
const ROUGHER: f64 = 1.7;
/// Fewest regions that tell something, …
const FEWEST: usize = 100;
/// … and fewest places of a region that tell its typical thickness.
const PLACES: usize = 4;

/// The typical thickness of a region with places of these thicknesses, and their number; `None` if they are too few.
pub(super) fn typical(places: &[f64]) -> Option<(f64, u64)> {
    (places.len() >= PLACES).then(|| (quantile(&mut places.to_vec(), 0.5), places.len() as u64))
}

/// The thickness up to which places are of the smoother kind, if a cloud holds two kinds; `regions` are the typical thicknesses of its
/// regions, and the number of places of each.
pub(super) fn gap(regions: &[(f64, u64)]) -> Option<f64> {
    let regions: Vec<(f64, u64)> = regions.iter().copied().filter(|r| r.0 > 0.0).collect();
    if regions.len() < FEWEST {
        return None;
    }
    let usual = weighted_quantile(regions.clone(), 0.5);
    let [low, high] = RANGE.map(|power| power * BINS);
    let mut counts = vec![0; (high - low) as usize + 1];
    for (thickness, count) in regions {
        counts[((thickness / usual).log2() * BINS - low).clamp(0.0, high - low) as usize] += count;
    }
    let windows: Vec<u64> = counts.windows(WINDOW).map(|window| window.iter().sum()).collect();
    // Where it is, and what it holds.
    let fullest = |windows: &[u64]| {
        let fuller = |a: (usize, u64), b: (usize, u64)| if b.1 > a.1 { b } else { a };
        windows.iter().copied().enumerate().reduce(fuller).unwrap_or_default()
    };
    let all = counts.iter().sum::<u64>() as f64;
    let is_gap = |at: &usize| {
        let smooth = counts[..at + WINDOW / 2].iter().sum::<u64>() as f64;
        let (before, beyond) = windows.split_at(*at);
        let [(below, least), (above, most)] = [before, beyond].map(fullest);
        smooth.min(all - smooth) >= SHARE * all
            && windows[*at] as f64 <= GAP * least.min(most) as f64
            && (at + above - below) as f64 >= ROUGHER.log2() * BINS
    };
    let first = (0..windows.len()).find(is_gap)?;
    let last = (first..windows.len()).take_while(is_gap).last()?;
    let middle = 0.5 * (first + last + WINDOW) as f64;
    Some(usual * ((low + middle) / BINS).exp2())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The gap of regions of 16 places each, of which each one's thickness is given.
    fn gap_of(regions: usize, thickness: impl Fn(usize) -> f64) -> Option<f64> {
        // The mean of a few places varies by a tenth.
        let place = |i: usize, k: usize| {
            thickness(i) * (0.9 + 0.2 * ((16 * i + k) * 7919 % 97) as f64 / 97.0)
        };
        let typical = |i: usize| (0..16).map(|k| place(i, k)).sum::<f64>() / 16.0;
        gap(&(0..regions).map(|i| (typical(i), 16)).collect::<Vec<_>>())
    }

    #[test]
    fn a_road_and_the_grass_beside_it_are_two_kinds() {
        for (share, rough) in [(5, 20.0), (2, 40.0), (8, 60.0)] {
            let kinds = |i: usize| if i % 10 < share { 10.0 } else { rough };
            let gap = gap_of(1000, kinds).unwrap();
            let is_between = (1.15 * 10.0..rough / 1.15).contains(&gap);
            assert!(is_between, "{gap} {rough}");
        }
        // Too little grass, and too few regions.
        assert_eq!(gap_of(1000, |i| if i % 10 == 0 { 40.0 } else { 10.0 }), None);
        assert_eq!(gap_of(90, |i| if i % 2 == 0 { 40.0 } else { 10.0 }), None);
    }

    #[test]
    fn noise_that_changes_gradually_is_of_one_kind() {
        assert_eq!(gap_of(1000, |_| 10.0), None);
        assert_eq!(gap_of(1000, |i| 10.0 * (i as f64 / 300.0).exp2()), None);
        // Most places are near the scanner, or far from it, but some in between.
        let mostly_near = |i: usize| 10.0 + 40.0 * (i as f64 / 1000.0).powi(4);
        assert_eq!(gap_of(1000, mostly_near), None);
        // The hardly rougher kind overlaps with the other one.
        assert_eq!(gap_of(1000, |i| if i % 2 == 0 { 10.0 } else { 12.0 }), None);
    }

    #[test]
    fn places_without_noise_and_empty_regions_tell_nothing() {
        assert_eq!(gap_of(1000, |_| 0.0), None);
        assert_eq!(gap(&[]), None);
    }
}
