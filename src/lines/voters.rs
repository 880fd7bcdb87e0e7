//! From a bin and the pixels that voted for it to a line: the middle of the bin, least squares, or
//! the least median of squares.
//!
//! After Shapira and Hassner ("Fast and Robust Line Detection"): even if nearly half of the pixels in a coarse
//! bin belong to something else, the least median of squares still finds the line. It is computed in a frame
//! aligned with the bin, in which no line is vertical. The frame's axes are integers, and so are the pixels'
//! coordinates in it, so all results are exact and the same on every device.

use super::geometry::Axis;
use crate::Result;
use crate::backend::Backend;
use crate::lms::{Problem, Refine, SIGMAS, Slab, robust_sigma, sample};

/// Length of the frame's axes; with it the coordinates of pixels stay below 2²⁵.
const UNIT: f64 = 256.0;
/// Pixels of a line are rounded, and the thinnest slab of a nearly horizontal or vertical line may hold only one
/// step of its staircase. Pixels within this distance are therefore not outliers, which brings in the next steps.
const ROUNDED: f64 = 1.5;

/// A bin and the pixels that voted for it, or that lie around it.
#[derive(Debug, Clone, PartialEq)]
pub struct Voters {
    /// Angle of the middle of the bin, in degrees.
    pub theta: f64,
    /// Its distance, in pixels.
    pub rho: f64,
    /// Column and row of each pixel, each once.
    pub pixels: Vec<[u16; 2]>,
}

/// The lines through the pixels of each bin, as angle in degrees, from 0 to below 180, and
/// distance; the middle of the bin if its pixels do not determine a line. [`Refine::Stroke`] needs an image; here
/// it gives the middle of the bin.
///
/// # Errors
/// Errors of the backend.
pub fn fit_voters(
    bins: &[Voters],
    refine: Refine,
    backend: &dyn Backend,
) -> Result<Vec<(f64, f64)>> {
    let bins: Vec<(Axis, &[[u16; 2]])> =
        bins.iter().map(|b| (Axis::new(b.theta.to_radians(), b.rho), &b.pixels[..])).collect();
    Ok(fit(&bins, refine, backend)?.iter().map(Axis::polar).collect())
}

/// The same, with the bins as lines.
pub(super) fn fit(
    bins: &[(Axis, &[[u16; 2]])],
    refine: Refine,
    backend: &dyn Backend,
) -> Result<Vec<Axis>> {
    let frames: Vec<Frame> = bins.iter().map(|(axis, pixels)| Frame::new(axis, pixels)).collect();
    let or_middle = |fitted: Vec<Option<(f64, f64)>>| {
        let all = fitted.into_iter().zip(&frames).zip(bins);
        all.map(|((line, frame), (axis, _))| line.map_or(*axis, |line| frame.axis(line))).collect()
    };
    match refine {
        Refine::None | Refine::Stroke => Ok(bins.iter().map(|(axis, _)| *axis).collect()),
        Refine::Ols => Ok(or_middle(
            frames.iter().map(|frame| least_squares(frame.points.iter().copied())).collect(),
        )),
        Refine::Lms => {
            let problems: Vec<Option<Problem>> = frames.iter().map(Frame::problem).collect();
            let asked: Vec<Problem> = problems.iter().flatten().cloned().collect();
            let mut slabs = backend.slabs(&asked)?.into_iter();
            let lines = problems.iter().zip(&frames).map(|(problem, frame)| {
                let n = problem.as_ref()?.points().len();
                Some(frame.near(&slabs.next()?, n))
            });
            Ok(or_middle(lines.collect()))
        }
    }
}

/// Pixels in coordinates along a line and across it.
struct Frame {
    cos: i64,
    sin: i64,
    /// What is subtracted from pixels.
    origin: [i64; 2],
    points: Vec<[i64; 2]>,
}

impl Frame {
    fn new(axis: &Axis, pixels: &[[u16; 2]]) -> Frame {
        let [cos, sin] = [axis.cos, axis.sin].map(|v| (UNIT * v).round() as i64);
        // The middle of the pixels' box, whatever their order.
        let middle = |a: usize| {
            let of = |p: &[u16; 2]| i64::from(p[a]);
            let (low, high) = (pixels.iter().map(of).min(), pixels.iter().map(of).max());
            (low.unwrap_or(0) + high.unwrap_or(0)) / 2
        };
        let origin = [middle(0), middle(1)];
        let point = |p: &[u16; 2]| {
            let [x, y] = [0, 1].map(|a| i64::from(p[a]) - origin[a]);
            [cos * y - sin * x, cos * x + sin * y]
        };
        Frame { cos, sin, origin, points: pixels.iter().map(point).collect() }
    }

    /// The line of a slope and an intercept of the frame.
    fn axis(&self, (slope, intercept): (f64, f64)) -> Axis {
        let (c, s) = (self.cos as f64, self.sin as f64);
        // cos x + sin y − slope (cos y − sin x) = intercept
        let (x, y) = (c + slope * s, s - slope * c);
        let length = x.hypot(y);
        let (cos, sin) = (x / length, y / length);
        let [a, b] = self.origin.map(|v| v as f64);
        Axis { cos, sin, rho: intercept / length + a * cos + b * sin }
    }

    /// The points among which the thinnest slab is sought; `None` if all points coincide.
    fn problem(&self) -> Option<Problem> {
        let bits = |[t, v]: [i64; 2]| (t as u64) << 32 ^ v as u32 as u64;
        let points: Vec<[f64; 2]> =
            sample(self.points.iter().copied(), bits).iter().map(|p| p.map(|v| v as f64)).collect();
        if points.len() < 2 { None } else { Problem::new(&points, None).ok() }
    }

    /// The least-squares line through the points near the middle of a slab that was found among
    /// `n` points.
    fn near(&self, slab: &Slab, n: usize) -> (f64, f64) {
        let sigma = robust_sigma(slab.height / 2.0, n, 2);
        let reach = (SIGMAS * sigma).max(ROUNDED * UNIT * 1f64.hypot(slab.slope));
        let is_near = |p: &[i64; 2]| slab.residual(p.map(|v| v as f64)).abs() <= reach;
        let fitted = least_squares(self.points.iter().copied().filter(is_near));
        fitted.unwrap_or((slab.slope, slab.intercept))
    }
}

/// Slope and intercept by least squares, from sums of integers; `None` if all points have the same position
/// along the line.
fn least_squares(points: impl Iterator<Item = [i64; 2]>) -> Option<(f64, f64)> {
    let [mut n, mut x, mut y, mut xx, mut xy] = [0i128; 5];
    for [t, v] in points.map(|p| p.map(i128::from)) {
        n += 1;
        x += t;
        y += v;
        xx += t * t;
        xy += t * v;
    }
    let spread = n * xx - x * x;
    if spread == 0 {
        return None;
    }
    let slope = (n * xy - x * y) as f64 / spread as f64;
    Some((slope, (y as f64 - slope * x as f64) / n as f64))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cpu::Cpu;

    /// Pixels of `x cos θ + y sin θ = ρ` in an image, and other pixels at regular intervals.
    fn pixels(theta: f64, rho: f64, others: usize) -> Vec<[u16; 2]> {
        let axis = Axis::new(theta.to_radians(), rho);
        let on = |k: i32| {
            let t = 0.9 * f64::from(k) - 180.0;
            let [x, y] = axis.foot([300.0 - t * axis.sin, 300.0 + t * axis.cos]);
            [x.round(), y.round()]
        };
        let off = |k: i32| {
            let t = f64::from(k * 37 % 400) - 200.0;
            let [x, y] = axis.foot([300.0 - t * axis.sin, 300.0 + t * axis.cos]);
            let away = 3.0 + f64::from(k % 11);
            [(x + away * axis.cos).round(), (y + away * axis.sin).round()]
        };
        let mut all: Vec<[u16; 2]> = (0..400).map(on).map(|p| p.map(|v| v as u16)).collect();
        all.extend((0..others as i32).map(off).map(|p| p.map(|v| v as u16)));
        all.sort_unstable();
        all.dedup();
        all
    }

    fn fitted(theta: f64, rho: f64, others: usize, refine: Refine) -> (f64, f64) {
        // The bin is off by two degrees and five pixels.
        let pixels = pixels(theta, rho, others);
        let bin = Voters { theta: theta + 2.0, rho: rho + 5.0, pixels };
        fit_voters(&[bin], refine, &Cpu::default()).unwrap()[0]
    }

    #[test]
    fn lines_of_every_direction_are_exact_with_pixels_of_others() {
        for theta in [0.0, 0.3, 30.0, 45.0, 89.0, 90.0, 91.0, 135.0, 179.8] {
            let rho = Axis::new(f64::to_radians(theta), 0.0).distance([300.0, 300.0]);
            let off = |(t, _): (f64, f64)| {
                let turn = (t - theta).rem_euclid(180.0);
                turn.min(180.0 - turn)
            };
            let lms = fitted(theta, rho, 180, Refine::Lms);
            assert!(off(lms) < 0.05, "{theta}: {lms:?}");
            let clean = fitted(theta, rho, 0, Refine::Ols);
            assert!(off(clean) < 0.05, "{theta}: {clean:?}");
            let axis = Axis::new(lms.0.to_radians(), lms.1);
            assert!(axis.distance([300.0, 300.0]).abs() < 0.3, "{theta}: {lms:?}");
            // Least squares goes between the line and the others.
            let ols = fitted(theta, rho, 180, Refine::Ols);
            let axis = Axis::new(ols.0.to_radians(), ols.1);
            assert!(axis.distance([300.0, 300.0]).abs() > 1.0, "{theta}: {ols:?}");
        }
    }

    #[test]
    fn what_does_not_tell_stays_in_the_middle_of_the_bin() {
        let one = Voters { theta: 40.0, rho: 7.0, pixels: vec![[3, 4]] };
        let none = Voters { pixels: vec![], ..one.clone() };
        for refine in Refine::ALL {
            let lines = fit_voters(&[one.clone(), none.clone()], refine, &Cpu::default()).unwrap();
            for (theta, rho) in lines {
                assert!((theta - 40.0).abs() < 1e-9 && (rho - 7.0).abs() < 1e-9, "{theta} {rho}");
            }
        }
    }

    #[test]
    fn large_bins_are_sampled() {
        let axis = Axis::new(0.4, 300.0);
        let all = (0..200u16).flat_map(|y| (0..300u16).map(move |x| [x, y]));
        let on = all.filter(|p| axis.distance(p.map(f64::from)).abs() < 20.0);
        let frame = Frame::new(&axis, &on.collect::<Vec<_>>());
        assert!(frame.points.len() > 5000);
        assert_eq!(frame.problem().unwrap().points().len(), 2048);
    }
}
