//! Local coordinates: survey coordinates as numbers that `f32` holds exactly.
//!
//! A cloud at (500000, 4600000, 300) does not fit in `f32`. A [`Frame`] subtracts an origin in `f64` and
//! rounds to whole multiples of a power of two, the *step*, chosen so that every local coordinate is an
//! integer of at most 24 bits. Such a number is exact in `f32` (for votes) and in `i64` (for the sums of a
//! fit), so neither depends on rounding or on order.

use crate::mix::mixed_all;
use rayon::prelude::*;

/// Largest magnitude of a local coordinate, in steps; above `2^24` `f32` has no odd integers.
pub const LOCAL_LIMIT: f64 = (1 << 23) as f64;

/// The map between input coordinates and local ones: `local = round((input − origin) / step)`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Frame {
    /// Local zero in input coordinates.
    pub origin: [f64; 3],
    /// Length of one local unit in the cloud's unit; a power of two, except in a camera's view.
    pub step: f64,
}

impl Frame {
    /// The finest frame that holds the box `min … max`, centred on it.
    ///
    /// A box without extent (one point, repeated) gets a step of 1.
    ///
    /// ```
    /// let frame = planes::frame::Frame::fit([500_000.0; 3], [500_100.0; 3]);
    /// assert_eq!(frame.origin, [500_050.0; 3]);
    /// assert_eq!(frame.step, 2f64.powi(-17));
    /// ```
    pub fn fit(min: [f64; 3], max: [f64; 3]) -> Frame {
        let half = (0..3).map(|a| max[a] / 2.0 - min[a] / 2.0).fold(0.0, f64::max);
        // One unit of slack: rounding the centre may push a face of the box outwards.
        let step = if half > 0.0 { power_of_two_at_least(half / (LOCAL_LIMIT - 1.0)) } else { 1.0 };
        let origin = std::array::from_fn(|a| {
            let centre = min[a] / 2.0 + max[a] / 2.0;
            let snapped = (centre / step).round() * step;
            if snapped.is_finite() { snapped } else { centre }
        });
        Frame { origin, step }
    }

    /// A point's local coordinates, or `None` if it is not finite or not within the frame.
    #[inline]
    pub fn local(&self, p: [f64; 3]) -> Option<[f32; 3]> {
        // Sums of this size have no fraction: adding it rounds to whole numbers, ties to even, in two
        // instructions, on processors without a rounding instruction as well.
        const WHOLE: f64 = 1.5 * (1u64 << 52) as f64;
        let mut local = [0.0f32; 3];
        for a in 0..3 {
            let v = (p[a] - self.origin[a]) / self.step + WHOLE - WHOLE;
            // NaN is in no range.
            if !(-LOCAL_LIMIT..=LOCAL_LIMIT).contains(&v) {
                return None;
            }
            local[a] = v as f32;
        }
        Some(local)
    }

    /// The input coordinates of a local point.
    pub fn input(&self, local: [f64; 3]) -> [f64; 3] {
        std::array::from_fn(|a| self.origin[a] + local[a] * self.step)
    }
}

/// The smallest power of two that is a normal number and at least `v`.
fn power_of_two_at_least(v: f64) -> f64 {
    let v = v.max(f64::MIN_POSITIVE);
    let exponent = v.log2().ceil() as i32;
    // log2 may be off by one unit in the last place on either side of a power of two.
    let mut power = 2f64.powi(exponent);
    while power < v {
        power *= 2.0;
    }
    while power / 2.0 >= v {
        power /= 2.0;
    }
    power
}

/// Points in local coordinates, as separate arrays of equal length: integers of at most 24 bits.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Points {
    /// First coordinate, in steps.
    pub x: Vec<f32>,
    /// Second coordinate.
    pub y: Vec<f32>,
    /// Third coordinate; zero for the edge points of an image.
    pub z: Vec<f32>,
}

impl Points {
    /// So many points at local zero.
    pub(crate) fn zeros(n: usize) -> Points {
        let zeros = || vec![0.0; n];
        Points { x: zeros(), y: zeros(), z: zeros() }
    }

    /// Number of points.
    pub fn len(&self) -> usize {
        self.x.len()
    }

    /// Whether there is no point.
    pub fn is_empty(&self) -> bool {
        self.x.is_empty()
    }

    /// Adds a point.
    pub fn push(&mut self, p: [f32; 3]) {
        self.x.push(p[0]);
        self.y.push(p[1]);
        self.z.push(p[2]);
    }

    /// The point at `index`.
    ///
    /// # Panics
    /// If there is no such point.
    #[inline]
    pub fn get(&self, index: usize) -> [f32; 3] {
        [self.x[index], self.y[index], self.z[index]]
    }

    /// The points with the given indices, in their order.
    pub fn select(&self, indices: &[u32]) -> Points {
        let pick = |from: &[f32]| indices.par_iter().map(|&i| from[i as usize]).collect();
        Points { x: pick(&self.x), y: pick(&self.y), z: pick(&self.z) }
    }

    /// About one in so many points, chosen by their coordinates alone: all copies of a point, or none.
    pub(crate) fn one_in(&self, many: u64) -> Points {
        let is_multiple = multiple_of(many);
        let chosen = |i: &u32| is_multiple(self.hash(*i as usize));
        let indices: Vec<u32> =
            (0..self.len() as u32).into_par_iter().with_min_len(1 << 12).filter(chosen).collect();
        self.select(&indices)
    }

    /// A hash of the coordinates of a point, whole numbers.
    pub(crate) fn hash(&self, i: usize) -> u64 {
        mixed_all(self.get(i).map(|v| u64::from(v as i32 as u32)))
    }

    /// A copy of the points of a range.
    ///
    /// # Panics
    /// If it is not within the points.
    pub fn slice(&self, range: std::ops::Range<usize>) -> Points {
        let pick = |from: &[f32]| from[range.clone()].to_vec();
        Points { x: pick(&self.x), y: pick(&self.y), z: pick(&self.z) }
    }

    /// The largest distance of a point from local zero, rounded up; 0 without points.
    ///
    /// No `ρ` is larger in magnitude, whatever the direction.
    pub fn radius(&self) -> f64 {
        let squared = (0..self.len())
            .into_par_iter()
            .with_min_len(1 << 16)
            .map(|i| self.get(i).iter().map(|&v| f64::from(v) * f64::from(v)).sum::<f64>())
            .reduce(|| 0.0, f64::max);
        squared.sqrt().ceil()
    }
}

/// Whether a number is a multiple of `many`, without a division: a multiple of an odd number times that number's inverse is
/// the quotient, which is small (Granlund and Montgomery 1994, section 9). The zeros at the end of a multiple of a power of two
/// move to its front.
fn multiple_of(many: u64) -> impl Fn(u64) -> bool + Sync {
    let many = many.max(1);
    let twos = many.trailing_zeros();
    let odd = many >> twos;
    // Each step of Newton's method doubles the number of right bits, which begins with three.
    let inverse = (0..5).fold(odd, |inverse, _| {
        inverse.wrapping_mul(2_u64.wrapping_sub(odd.wrapping_mul(inverse)))
    });
    let most = u64::MAX / many;
    move |number| number.wrapping_mul(inverse).rotate_right(twos) <= most
}

impl FromIterator<[f32; 3]> for Points {
    fn from_iter<I: IntoIterator<Item = [f32; 3]>>(iter: I) -> Points {
        let iter = iter.into_iter();
        let room = || Vec::with_capacity(iter.size_hint().0);
        let mut points = Points { x: room(), y: room(), z: room() };
        iter.for_each(|p| points.push(p));
        points
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn survey_coordinates_keep_their_differences() {
        let shift = [500_000.0, 4_600_000.0, 300.0];
        let (min, max) = ([-40.0, -60.0, -5.0], [60.0, 40.0, 25.0]);
        let home = Frame::fit(min, max);
        let away = Frame::fit(
            std::array::from_fn(|a| min[a] + shift[a]),
            std::array::from_fn(|a| max[a] + shift[a]),
        );
        assert_eq!(home.step, away.step);
        for p in [[0.125, 7.5, -3.0], [59.875, 39.25, 24.5]] {
            let moved = std::array::from_fn(|a| p[a] + shift[a]);
            assert_eq!(home.local(p), away.local(moved));
        }
    }

    #[test]
    fn a_part_is_chosen_by_coordinates_alone() {
        let points = |reversed: bool| -> Points {
            // Each point twice.
            let point = |i: i32| [i / 2 % 100, i / 200, 7 * i].map(|v| (v / 14 * 14) as f32);
            (0..20_000).map(|i| point(if reversed { 19_999 - i } else { i })).collect()
        };
        let chosen = |points: Points| -> std::collections::BTreeMap<[i32; 3], u32> {
            let part = points.one_in(4);
            let mut count = std::collections::BTreeMap::new();
            let places = (0..part.len()).map(|i| part.get(i).map(|v| v as i32));
            places.for_each(|place| *count.entry(place).or_default() += 1);
            count
        };
        let all = chosen(points(false));
        assert!((2000..3000).contains(&all.len()), "{}", all.len());
        assert!(all.values().all(|&copies| copies == 2));
        assert_eq!(all, chosen(points(true)));
    }

    #[test]
    fn multiples_are_told_without_a_division() {
        for many in (1..200).chain([1 << 40, 3 << 33, u64::MAX, u64::MAX - 1]) {
            let is_multiple = multiple_of(many);
            let near = (0..50).flat_map(|k| {
                let multiple = (u64::MAX / many / 50 * k).wrapping_mul(many);
                [multiple.wrapping_sub(1), multiple, multiple.wrapping_add(1), k]
            });
            for number in near.chain([u64::MAX]) {
                assert_eq!(is_multiple(number), number % many == 0, "{number} {many}");
            }
        }
    }

    #[test]
    fn the_corners_of_the_box_are_inside() {
        for extent in [1e-30, 0.3, 1.0, 1600.0, 1e30] {
            let frame = Frame::fit([-extent, 0.0, 0.0], [extent, extent, 0.0]);
            assert!(frame.local([-extent, 0.0, 0.0]).is_some(), "{extent}");
            assert!(frame.local([extent, extent, 0.0]).is_some(), "{extent}");
            assert!(frame.local([extent * 4.0, 0.0, 0.0]).is_none(), "{extent}");
            assert_eq!(frame.step.log2().fract(), 0.0);
        }
    }

    #[test]
    fn what_is_not_finite_is_outside() {
        let frame = Frame::fit([0.0; 3], [1.0; 3]);
        assert_eq!(frame.local([f64::NAN, 0.0, 0.0]), None);
        assert_eq!(frame.local([0.0, f64::INFINITY, 0.0]), None);
        assert_eq!(frame.local([0.0, 0.0, 1e30]), None);
    }

    #[test]
    fn the_step_is_a_normal_number() {
        for extent in [5e-324, 1e-318, 1e-310, 4e-301] {
            let frame = Frame::fit([0.0; 3], [extent; 3]);
            assert!(frame.step.is_normal() && frame.local([extent; 3]).is_some(), "{extent:e}");
        }
    }

    #[test]
    fn one_point_has_a_frame() {
        let frame = Frame::fit([5.25; 3], [5.25; 3]);
        assert_eq!(frame.step, 1.0);
        assert!(frame.local([5.25; 3]).is_some());
    }
}
