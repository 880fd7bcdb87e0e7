//! Depths of a frame that come in steps.
//!
//! Cameras that measure disparities give multiples of a part of a pixel, so that the inverses of depths come in equal steps.
//! Depth images come in whole millimetres, rendered ones without any other error. In the camera's view rounded disparities
//! are off by the same everywhere, rounded depths by more towards the camera, with the inverse square of the depth.
//!
//! Where steps are wide against the distance between points, small neighbourhoods lie on one step, exactly flat.

use super::noise::{self, FEWEST_GAPS, Sample, WHOLE};
use super::viewpoint::Viewpoint;
use crate::frame::{Frame, Points};
use crate::surface::quantile::quantile;
use crate::vector::Vec3;

/// Most points whose depths are examined.
const DEPTHS: usize = 1 << 15;
/// The view is along an axis of the points if its direction has at least this component along it.
const ALONG: f64 = 0.9999;
/// Values that differ by less are on the same step: in local steps, to which points are rounded. Where the camera is known
/// less precisely, it is so many times more.
const SAME: [f64; 4] = [16.0, 64.0, 256.0, 1024.0];
/// Steps are at least so many times as wide as what is the same.
const APART: f64 = 4.0;
/// Gaps between rounded depths are multiples of the step within this share of it.
const OF_DEPTHS: f64 = 0.1;
/// The same for disparities, which may have been rounded to depths in millimetres.
const OF_DISPARITIES: f64 = 0.2;
/// A gap of one step is less than so many times as wide as the narrow ones.
const SINGLE: f64 = 1.4;
/// Gaps of fewer steps than this tell whether there are steps.
const TELLING: f64 = 8.0;
/// A neighbourhood lies on one step if it is thinner than this share of what rounding adds.
const ON_ONE: f64 = 0.25;
/// Steps hide the surface on a level where this share of the flat neighbourhoods lies on one step.
const HIDDEN: f64 = 0.75;

/// What rounding adds to the points of a frame in the camera's view.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct DepthSteps {
    /// The standard deviation at the middle depth, in steps of the view.
    pub usual: f64,
    /// By how much the inverse of the depth, as a share of that of the middle depth, grows from a step of the view's third axis
    /// to the next; 0 where rounding adds the same at every depth.
    nearer: f64,
}

impl DepthSteps {
    /// The steps of the depths or disparities of points that `frame` draws in the camera's view; `None` if they are not
    /// rounded.
    pub fn find(points: &Points, viewpoint: &Viewpoint, frame: &Frame) -> Option<DepthSteps> {
        let (ahead, eye) = (viewpoint.ahead(), viewpoint.eye());
        // Most frames have their camera's axes, which the camera that was found need not have to a hair's breadth.
        let along = (0..3).find(|&axis| ahead[axis].abs() >= ALONG);
        let depth = |p: Vec3| match along {
            Some(axis) => ahead[axis].signum() * (p[axis] - eye[axis]),
            None => viewpoint.depth(p),
        };
        let stride = points.len().div_ceil(DEPTHS).max(1);
        let some = (0..points.len()).step_by(stride).map(|i| depth(points.get(i).map(f64::from)));
        let mut depths: Vec<f64> = some.filter(|&depth| depth > 0.0).collect();
        depths.sort_unstable_by(f64::total_cmp);
        let middle = viewpoint.depth_of_middle();
        let of_depths = step_of(&depths, OF_DEPTHS).map(|step| DepthSteps {
            usual: step / 12f64.sqrt() / frame.step,
            nearer: frame.step / middle,
        });
        of_depths.or_else(|| {
            let disparities: Vec<f64> =
                depths.iter().rev().map(|depth| middle * middle / depth / frame.step).collect();
            let step = step_of(&disparities, OF_DISPARITIES)?;
            Some(DepthSteps { usual: step / 12f64.sqrt(), nearer: 0.0 })
        })
    }

    /// Whether points show steps of disparities from a viewpoint.
    pub fn show(points: &Points, viewpoint: &Viewpoint) -> bool {
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
    pub fn noise_beyond(&self, samples: &[Sample], level: f64) -> f64 {
        let beyond = |s: &Sample, thickness: f64| {
            let rounding = self.at(s.middle);
            (thickness * thickness - rounding * rounding).max(0.0).sqrt()
        };
        let noise = noise::between(level, |level| {
            let flat = samples.iter().filter_map(|s| Some(beyond(s, s.flat_thickness(level)?)));
            Some(noise::usual_of(flat.collect())).filter(|&noise| noise > 0.0)
        });
        noise.unwrap_or(0.0)
    }

    /// The usual standard deviation in the places of some neighbourhoods.
    pub fn usual_among(&self, samples: &[Sample]) -> f64 {
        quantile(&mut samples.iter().map(|s| self.at(s.middle)).collect::<Vec<f64>>(), 0.5)
    }

    /// The share of the flat neighbourhoods of a level that lie on one step; `None` if hardly any are flat.
    pub fn hide(&self, samples: &[Sample], level: usize) -> Option<bool> {
        let on_one = |s: &Sample| Some(s.flat_thickness(level)? < ON_ONE * self.at(s.middle));
        let flat: Vec<bool> = samples.iter().filter_map(on_one).collect();
        let thin = flat.iter().filter(|&&on_one| on_one).count();
        (flat.len() as f64 > noise::SOME * samples.len() as f64)
            .then_some(thin as f64 >= HIDDEN * flat.len() as f64)
    }
}

/// The step of ascending values whose gaps are multiples of it within a share of it.
fn step_of(values: &[f64], within: f64) -> Option<f64> {
    SAME.into_iter().find_map(|same| {
        let groups = values.chunk_by(|a, b| b - a < same);
        let middles: Vec<f64> = groups.map(|g| 0.5 * (g[0] + g[g.len() - 1])).collect();
        let mut gaps: Vec<f64> = middles.windows(2).map(|pair| pair[1] - pair[0]).collect();
        let narrow = quantile(&mut gaps, 0.1);
        let mut single: Vec<f64> = gaps.iter().copied().filter(|&g| g < SINGLE * narrow).collect();
        let step = quantile(&mut single, 0.5);
        // Of wide gaps the precision of the step does not tell.
        gaps.retain(|&gap| gap < TELLING * step);
        let is_whole = |gap: &&f64| (*gap / step - (*gap / step).round()).abs() < within;
        let whole = gaps.iter().filter(is_whole).count();
        let is_step = gaps.len() >= FEWEST_GAPS && whole as f64 >= WHOLE * gaps.len() as f64;
        (is_step && step >= APART * same).then_some(step)
    })
}
