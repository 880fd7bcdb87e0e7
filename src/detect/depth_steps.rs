//! Depths that come in steps of equal size, such as those of a depth image in whole millimetres.
//!
//! In the camera's view errors of disparities are the same everywhere, but rounding of depths is not: it grows towards
//! the camera, with the inverse square of the depth. A rendered frame has no other error.

use super::noise::{self, Sample};
use super::viewpoint::Viewpoint;
use crate::frame::{Frame, Points};
use crate::surface::quantile::quantile;
use crate::vector::Vec3;

/// Most points whose depths are examined.
const DEPTHS: usize = 1 << 15;
/// Depths that differ by fewer local steps are the same, since the points were rounded to these and the direction of the
/// view is known as precisely.
const SAME: i32 = 16;

/// What rounding adds to the points of a frame in the camera's view.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct DepthSteps {
    /// The standard deviation at the middle depth, in steps of the view.
    pub usual: f64,
    /// By how much the inverse of the depth, as a share of that of the middle depth, grows from a step of the view's third axis
    /// to the next.
    nearer: f64,
}

impl DepthSteps {
    /// The steps of the depths of points, which `frame` draws in the camera's view; `None` if there are none.
    pub fn find(points: &Points, viewpoint: &Viewpoint, frame: &Frame) -> Option<DepthSteps> {
        let stride = points.len().div_ceil(DEPTHS).max(1);
        let some = (0..points.len()).step_by(stride);
        let depth = |i| viewpoint.depth(points.get(i).map(f64::from));
        let step = noise::step_of(apart(some.map(depth).collect()));
        let step = step.filter(|&step| step > f64::from(SAME))?;
        let nearer = frame.step / viewpoint.depth_of_middle();
        Some(DepthSteps { usual: step / 12f64.sqrt() / frame.step, nearer })
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
        noise::between(level, |level| {
            let flat = samples.iter().filter_map(|s| Some(beyond(s, s.flat_thickness(level)?)));
            Some(noise::usual_of(flat.collect())).filter(|&noise| noise > 0.0)
        })
        .unwrap_or(0.0)
    }

    /// The usual standard deviation in the places of some neighbourhoods.
    pub fn usual_among(&self, samples: &[Sample]) -> f64 {
        quantile(&mut samples.iter().map(|s| self.at(s.middle)).collect::<Vec<f64>>(), 0.5)
    }
}

/// The middle of each group of depths that are the same.
fn apart(mut depths: Vec<f64>) -> Vec<i32> {
    depths.sort_unstable_by(f64::total_cmp);
    let same = |a: &f64, b: &f64| b - a < f64::from(SAME);
    depths.chunk_by(same).map(|group| (0.5 * (group[0] + group[group.len() - 1])) as i32).collect()
}
