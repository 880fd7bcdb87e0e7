//! Depths of a frame that come in steps.
//!
//! Cameras that measure disparities give multiples of a part of a pixel, so that the inverses of depths come in equal steps.
//! Depth images come in whole millimetres, rendered ones without any other error. In the camera's view rounded disparities
//! are off by the same everywhere, rounded depths by more towards the camera, with the inverse square of the depth.
//!
//! Where steps are wide against the distance between points, small neighbourhoods lie on one step, exactly flat.

use super::noise::{self, Sample};
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
    /// The steps of the depths or disparities of points, which are `seen` in a `frame` of the camera's view; `None` if they
    /// are not rounded.
    pub fn find(
        points: &Points,
        viewpoint: &Viewpoint,
        (frame, seen): (&Frame, &Points),
    ) -> Option<DepthSteps> {
        let ahead = viewpoint.ahead();
        let along = (0..3).find(|&axis| ahead[axis].abs() >= ALONG);
        // Most frames have their camera's axes, which the camera that was found need not have to a hair's breadth.
        let depth = |i: usize| {
            let p = points.get(i).map(f64::from);
            along.map_or_else(|| viewpoint.depth(p), |axis| p[axis])
        };
        let of_depths = step_of(points.len(), depth, OF_DEPTHS).map(|step| DepthSteps {
            usual: step / 12f64.sqrt() / frame.step,
            nearer: frame.step / viewpoint.depth_of_middle(),
        });
        of_depths.or_else(|| {
            let step = step_of(seen.len(), |i| f64::from(seen.z[i]), OF_DISPARITIES)?;
            Some(DepthSteps { usual: step / 12f64.sqrt(), nearer: 0.0 })
        })
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

/// The step of some of the values of so many points, whose gaps are multiples of it within a share of it.
fn step_of(points: usize, value: impl Fn(usize) -> f64, within: f64) -> Option<f64> {
    let stride = points.div_ceil(DEPTHS).max(1);
    let mut values: Vec<f64> = (0..points).step_by(stride).map(value).collect();
    values.sort_unstable_by(f64::total_cmp);
    SAME.into_iter().find_map(|same| {
        let groups = values.chunk_by(|a, b| b - a < same);
        let middles = groups.map(|group| (0.5 * (group[0] + group[group.len() - 1])) as i32);
        noise::step_of(middles.collect(), within).filter(|&step| step >= APART * same)
    })
}
