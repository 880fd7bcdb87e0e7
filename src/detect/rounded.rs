//! By how much coordinates are rounded.

use crate::gaps;
use crate::vector::Vec3;
use rayon::prelude::*;

/// Most points whose coordinates are examined for steps.
const COORDINATES: usize = 1 << 15;
/// A step that is narrower than all gaps is at least so many local steps: all coordinates are multiples of one.
const NARROWEST: f64 = 16.0;
/// The columns of a raster are so many times as far apart as the steps of its heights.
const WIDER: f64 = 4.0;
/// One point in so many may lie above or below another one.
const HARDLY_ANY: usize = 100;
/// Gaps between successive coordinates are multiples of the step within this share of it.
const WITHIN: f64 = 0.1;

/// Standard deviation that rounding adds to each of the coordinates (of a file with two decimals, or of voxel
/// centres) of `count` points, each of which `point` gives; in steps, 0 where they are not rounded. The places of a raster's heights are
/// exact.
pub(super) fn rounding(count: usize, point: impl Fn(usize) -> [f32; 3] + Sync) -> Vec3 {
    let stride = count.div_ceil(COORDINATES).max(1);
    // They are whole numbers.
    let along =
        |axis: usize| step_of((0..count).step_by(stride).map(|i| point(i)[axis] as i32).collect());
    let (x, (y, z)) = rayon::join(|| along(0), || rayon::join(|| along(1), || along(2)));
    let steps = [x, y, z];
    // Between a few level floors there are a few gaps, which say nothing: heights are rounded as the rest is, or less.
    let told = steps
        .iter()
        .filter(|step| step.gaps >= gaps::FEWEST)
        .map(|step| step.length)
        .fold(0.0, f64::max);
    let lengths = steps.map(|step| match step.gaps {
        0 => told,
        1..gaps::FEWEST => step.length.min(told),
        _ => step.length,
    });
    let [x, y, z] = lengths;
    let is_raster = x.min(y) > WIDER * z && has_one_at_each_place(count, &point);
    let lengths = if is_raster { [0.0, 0.0, z] } else { lengths };
    lengths.map(|length| length / 12f64.sqrt())
}

/// Whether hardly any two points differ in height alone, as those of merged tiles do along their common edge.
fn has_one_at_each_place(count: usize, point: &(impl Fn(usize) -> [f32; 3] + Sync)) -> bool {
    let place = |i: usize| point(i).map(|v| v as i32);
    let mut places: Vec<[i32; 3]> = (0..count).into_par_iter().map(place).collect();
    places.par_sort_unstable();
    let differ = |pair: &&[[i32; 3]]| pair[0][..2] == pair[1][..2] && pair[0] != pair[1];
    places.windows(2).filter(differ).count() <= count / HARDLY_ANY
}

/// The step of rounded coordinates along an axis.
struct Step {
    /// 0 where they are not rounded.
    length: f64,
    /// Number of gaps between successive coordinates, which tell it.
    gaps: usize,
}

/// The step of some coordinates along an axis, in local steps.
fn step_of(mut values: Vec<i32>) -> Step {
    values.sort_unstable();
    values.dedup();
    let mut gaps: Vec<i32> = values.windows(2).map(|pair| pair[1] - pair[0]).collect();
    let tenth = gaps.len() / 10;
    if gaps.is_empty() {
        return Step { length: 0.0, gaps: 0 };
    }
    let step = f64::from(*gaps.select_nth_unstable(tenth).1);
    let is_whole = |&&gap: &&i32| {
        let times = f64::from(gap) / step;
        (times - times.round()).abs() < WITHIN
    };
    let whole = gaps.iter().filter(is_whole).count();
    let (is_rounded, count) = (whole as f64 >= gaps::WHOLE * gaps.len() as f64, gaps.len());
    let narrower = || {
        gaps::step(gaps.into_iter().map(f64::from).collect(), WITHIN, gaps::MOST_STEPS)
            .filter(|&s| s >= NARROWEST)
    };
    Step { length: if is_rounded { step } else { narrower().unwrap_or(0.0) }, gaps: count }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frame::Points;

    #[test]
    fn rounded_coordinates_have_steps() {
        let heights = |of: fn(f64, usize) -> f64| -> Points {
            let along = |at: usize, jitter: usize| (at * 100 + jitter) as f32;
            let point = |i: usize| {
                let [x, y] = [along(i % 200, i * 7919 % 97), along(i / 200, i * 104_729 % 89)];
                [x, y, of(40.0 * (i % 200) as f64, i) as f32]
            };
            (0..40_000).map(point).collect()
        };
        let rounding = |points: &Points| rounding(points.len(), |i| points.get(i));
        let rounded = heights(|z, _| (z / 50.0).round() * 50.0);
        let [x, y, z] = rounding(&rounded);
        assert!((z - 50.0 / 12f64.sqrt()).abs() < 1e-9 && x < z && y < z);
        let exact = heights(|z, i| z + (i * 48_271 % 201) as f64);
        assert!(rounding(&exact).iter().all(|&r| r < 1.0));
        // Three floors at heights that are not rounded so much; one floor.
        let floors = |heights: [f32; 3]| {
            let point = |i: usize| [(i % 50 * 20) as f32, (i / 50 * 30) as f32, heights[i % 3]];
            rounding(&(0..2500).map(point).collect()).map(|v| (v * 12f64.sqrt()).round())
        };
        assert_eq!(floors([0.0, 3000.0, 6000.0]), [20.0, 30.0, 30.0]);
        assert_eq!(floors([50.0; 3]), [20.0, 30.0, 30.0]);
        assert_eq!(rounding(&Points::default()), [0.0; 3]);
        assert_eq!(rounding(&[[3.0; 3]; 5].into_iter().collect()), [0.0; 3]);
    }

    #[test]
    fn the_places_of_a_raster_are_exact() {
        let step = |walls: usize| {
            let height = |i: usize| (i * 48_271 % 997) as f32 * 2.0;
            let point = |i: usize| [(i % 200 * 100) as f32, (i / 200 * 100) as f32, height(i)];
            let mut points: Vec<[f32; 3]> = (0..40_000).map(point).collect();
            points.extend_from_within(..200);
            points.extend((0..walls).map(|i| [point(i)[0], point(i)[1], 4000.0]));
            rounding(points.len(), |i| points[i]).map(|v| (v * 12f64.sqrt()).round())
        };
        // A row is there twice, and a few points lie above others.
        assert_eq!([step(0), step(300)], [[0.0, 0.0, 2.0]; 2]);
        // A wall has several heights at a place.
        assert!(step(4000)[..2].iter().all(|&step| step >= 100.0));
    }
}
