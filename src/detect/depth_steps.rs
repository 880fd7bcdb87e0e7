//! Depths of a frame that come in steps.
//!
//! Cameras that measure disparities give multiples of a part of a pixel, so that the inverses of depths come in equal steps.
//! Depth images often come in whole millimetres, rendered ones without any other error. In the camera's view rounded disparities
//! are off by the same everywhere, rounded depths by more towards the camera, with the inverse square of the depth.
//!
//! Where steps are wide against the distance between points, small neighbourhoods lie on one step, exactly flat.

use super::noise::{self, Sample};
use super::plateau::curve;
use crate::camera::viewpoint::Viewpoint;
use crate::frame::{Frame, Points};
use crate::gaps::{self, MOST_STEPS};
use crate::surface::quantile::quantile;
use crate::vector::Vec3;

/// Most points whose depths are examined.
const DEPTHS: usize = 1 << 15;
/// The view is along an axis of the points if its direction has at least this component along it.
const ALONG: f64 = 0.9999;
/// Gaps between rounded depths are multiples of the step within this share of it.
const OF_DEPTHS: f64 = 0.1;
/// The same for disparities, which may have been rounded to depths in millimetres.
const OF_DISPARITIES: f64 = 0.2;
/// A neighbourhood lies on one step if it is thinner than this share of what rounding adds, …
const ON_ONE: f64 = 0.25;
/// … and its normal has at least this component along the line of sight.
const FACING: f32 = 0.98;
/// Rounding is the noise of a frame if it is that of each of so many ranges of depth.
const DEPTH_RANGES: usize = 3;
/// Steps hide the surface on a level where this share of the flat neighbourhoods lies on one step.
const HIDDEN: f64 = 0.75;

/// What rounding adds to the points of a frame in the camera's view.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct DepthSteps {
    /// The standard deviation at the middle depth, in steps of the view.
    pub usual: f64,
    /// A step of the view over the middle depth: a point at height h of the view has the middle depth / (1 + nearer · h).
    /// 0 where rounding adds the same at every depth.
    nearer: f64,
    /// Whether the depths are coordinates of the points, along an axis.
    pub are_along_axis: bool,
}

impl DepthSteps {
    /// The steps of the depths or disparities of points that `frame` draws in the camera's view; `None` if they are not
    /// rounded.
    pub fn find(points: &Points, viewpoint: &Viewpoint, frame: &Frame) -> Option<DepthSteps> {
        let (ahead, eye) = (viewpoint.ahead(), viewpoint.eye());
        // Most frames have their camera's axes, which the camera that was found need not have to a hair's breadth.
        let along = (0..3).find(|&axis| ahead[axis].abs() >= ALONG);
        let along = along.and_then(|axis| {
            let depth = |p: Vec3| ahead[axis].signum() * (p[axis] - eye[axis]);
            let steps = DepthSteps::of_depths(&sorted(points, depth), viewpoint, frame)?;
            Some(DepthSteps { are_along_axis: true, ..steps })
        });
        along.or_else(|| {
            DepthSteps::of_depths(&sorted(points, |p| viewpoint.depth(p)), viewpoint, frame)
        })
    }

    /// The steps of ascending depths or of their disparities.
    fn of_depths(depths: &[f64], viewpoint: &Viewpoint, frame: &Frame) -> Option<DepthSteps> {
        let middle = viewpoint.depth_of_middle();
        let sd = |step: f64| step / 12f64.sqrt() / frame.step;
        let nearer = frame.step / middle;
        let of_depths = |most| {
            let usual = sd(gaps::step_of(depths, OF_DEPTHS, most)?);
            Some(DepthSteps { usual, nearer, are_along_axis: false })
        };
        let of_disparities = || {
            let disparities: Vec<f64> =
                depths.iter().rev().map(|depth| middle * middle / depth).collect();
            let usual = sd(gaps::step_of(&disparities, OF_DISPARITIES, 1)?);
            Some(DepthSteps { usual, nearer: 0.0, are_along_axis: false })
        };
        // Disparities may have been rounded to depths in millimetres; a camera that looks straight ahead sees few depths.
        of_depths(1).or_else(of_disparities).or_else(|| of_depths(MOST_STEPS))
    }

    /// Whether the disparities of points, as seen from a viewpoint, come in steps.
    pub fn are_in_disparities(points: &Points, viewpoint: &Viewpoint) -> bool {
        let steps = DepthSteps::find(points, viewpoint, &Frame { origin: [0.0; 3], step: 1.0 });
        steps.is_some_and(|steps| steps.are_of_disparities())
    }

    /// Whether disparities are rounded, rather than depths.
    pub fn are_of_disparities(&self) -> bool {
        self.nearer == 0.0
    }

    /// The standard deviation of what rounding adds to a point at this place in the camera's view, in steps.
    pub fn at(&self, [.., height]: Vec3) -> f64 {
        let nearer = 1.0 + self.nearer * height;
        self.usual * nearer * nearer
    }

    /// The noise that neighbourhoods of a level show beyond that of rounding, in steps.
    pub fn noise_beyond<'a>(
        &self,
        samples: impl Iterator<Item = &'a Sample> + Clone,
        level: f64,
    ) -> f64 {
        let beyond = |s: &Sample, thickness: f64| {
            let rounding = self.at(s.middle);
            (thickness * thickness - rounding * rounding).max(0.0).sqrt()
        };
        let noise = curve::between(level, |level| {
            let flat = samples.clone();
            let flat = flat.filter_map(|s| Some(beyond(s, s.flat(level)?.thickness.into())));
            Some(noise::usual_of(flat.collect())).filter(|&noise| noise > 0.0)
        });
        noise.unwrap_or(0.0)
    }

    /// Whether rounding is most of the noise that neighbourhoods of a level show, near and far ones.
    pub fn explain(&self, samples: &[Sample], level: f64) -> bool {
        let mut order: Vec<&Sample> = samples.iter().collect();
        order.sort_by(|a, b| a.middle[2].total_cmp(&b.middle[2]));
        order.chunks(order.len().div_ceil(DEPTH_RANGES).max(1)).all(|range| {
            let some = range.iter().copied();
            self.noise_beyond(some.clone(), level) <= self.usual_among(some)
        })
    }

    /// The usual standard deviation in the places of some neighbourhoods.
    pub fn usual_among<'a>(&self, samples: impl Iterator<Item = &'a Sample>) -> f64 {
        quantile(&mut samples.map(|s| self.at(s.middle)).collect::<Vec<f64>>(), 0.5)
    }

    /// Whether most of the flat neighbourhoods of a level lie on one step; `None` if hardly any are flat.
    pub fn hide(&self, samples: &[Sample], level: usize) -> Option<bool> {
        let on_one = |s: &Sample| {
            let flat = s.flat(level)?;
            let is_thin = f64::from(flat.thickness) < ON_ONE * self.at(s.middle);
            Some(is_thin && flat.normal[2].abs() > FACING)
        };
        let flat: Vec<bool> = samples.iter().filter_map(on_one).collect();
        let thin = flat.iter().filter(|&&on_one| on_one).count();
        (flat.len() as f64 > curve::SOME * samples.len() as f64)
            .then_some(thin as f64 >= HIDDEN * flat.len() as f64)
    }
}

/// The depths of some of the points in front of the camera, ascending.
fn sorted(points: &Points, depth: impl Fn(Vec3) -> f64) -> Vec<f64> {
    let stride = points.len().div_ceil(DEPTHS).max(1);
    let some = (0..points.len()).step_by(stride).map(|i| depth(points.get(i).map(f64::from)));
    gaps::sorted(some.filter(|&depth| depth > 0.0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::camera::evenness::Seen;

    const EYE: Vec3 = [40_000.0, -90_000.0, 25_000.0];

    /// The steps that a camera looking along y sees in a floor and a wall, whose depths are changed by `rounded`.
    fn steps(turn: f64, rounded: impl Fn(f64) -> f64) -> (Option<DepthSteps>, Viewpoint, Frame) {
        let (sin, cos) = turn.sin_cos();
        let point = |i: u32| -> [f32; 3] {
            let [right, down] = [i % 160, i / 160].map(|v| f64::from(v) / 150.0 - 0.45);
            let wall = 8e6 / (1.0 + 0.23 * right - 0.11 * down);
            let depth = rounded(wall.min(1.6e6 / down.max(1e-9)));
            let [x, y, z] = [right * depth, depth, -down * depth];
            let turned = [cos * x + sin * y, cos * y - sin * x, z];
            std::array::from_fn(|a| (EYE[a] + turned[a]).round() as f32)
        };
        let points: Points = (0..160 * 120).map(point).collect();
        let all: Vec<Vec3> = (0..points.len()).map(|i| points.get(i).map(f64::from)).collect();
        let viewpoint = Viewpoint::new(EYE, [sin, cos, 0.0], &Seen::new(&all));
        let (frame, _) = viewpoint.seen(&points);
        (DepthSteps::find(&points, &viewpoint, &frame), viewpoint, frame)
    }

    #[test]
    fn rounded_depths_are_off_by_more_towards_the_camera() {
        for turn in [0.0, 0.3] {
            let (found, viewpoint, frame) = steps(turn, |depth| (depth / 2500.0).round() * 2500.0);
            let found = found.unwrap();
            assert!(!found.are_of_disparities());
            let middle = viewpoint.depth_of_middle();
            for times in [0.6, 1.0, 2.5] {
                let height = (times - 1.0) * middle / frame.step;
                let off = times * times * 2500.0 / 12f64.sqrt() / frame.step;
                assert!((found.at([0.0, 0.0, height]) / off - 1.0).abs() < 1e-2, "{times}");
            }
        }
    }

    #[test]
    fn rounded_disparities_are_off_by_the_same_everywhere() {
        let rounded = |depth: f64| 8e6 * 50.0 / (8e6 / depth * 50.0).round();
        for turn in [0.0, 0.3] {
            let (found, viewpoint, frame) = steps(turn, rounded);
            let found = found.unwrap();
            assert!(found.are_of_disparities());
            let middle = viewpoint.depth_of_middle();
            let step = middle * middle / 8e6 / 50.0 / frame.step;
            for height in [-1e5, 0.0, 3e6] {
                let off = found.at([0.0, 0.0, height]) * 12f64.sqrt() / step;
                assert!((off - 1.0).abs() < 1e-2, "{off}");
            }
        }
    }

    #[test]
    fn depths_that_are_not_rounded_have_no_steps() {
        assert_eq!(steps(0.3, |depth| depth * (1.0 + 1e-3 * (depth / 3e4).sin())).0, None);
    }
}
