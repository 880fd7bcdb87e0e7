//! Refines planes on the points assigned to them.

use super::members::members;
use crate::Result;
use crate::backend::Backend;
use crate::frame::Points;
use crate::lms::{Refine, SIGMAS, Sheet, robust_sigma, sample};
use crate::surface::moments::{Fit, Moments};
use crate::surface::plane::LocalPlane;
use crate::vector::Vec3;
use rayon::prelude::*;

/// Points on several steps of rounded coordinates are at least so rough, as a share of what rounding adds.
const ONE_STEP: f64 = 0.9;

/// A plane as reported, with the standard errors of its direction and its distance if it was fitted to
/// points.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Refined {
    pub plane: LocalPlane,
    pub errors: Option<[f64; 2]>,
}

impl Refined {
    /// The least-squares plane of the points with these sums, or the plane as it is.
    fn fitted(plane: LocalPlane, sums: &Moments) -> Refined {
        match sums.fit() {
            Some(fit) => Refined {
                plane: LocalPlane::of_fit(&fit, plane.tolerance),
                errors: fit.standard_errors(sums.n),
            },
            None => Refined { plane, errors: None },
        }
    }

    /// The standard errors where rounding adds this standard deviation to each of the coordinates. If it adds more across the
    /// plane than the points of the `fit` show, they lie on one step and share its error.
    pub fn errors_of_rounded(&self, fit: Option<&Fit>, rounding: Vec3) -> Option<[f64; 2]> {
        let (errors, fit) = (self.errors?, fit?);
        let square = |a: usize| (self.plane.normal[a] * rounding[a]).powi(2);
        let across = (0..3).map(square).sum::<f64>().sqrt();
        let [_, within, _] = fit.variance;
        let shared = if fit.rmse() < ONE_STEP * across { across } else { 0.0 };
        let [angle, distance] = errors;
        Some([angle.max(shared / within.max(f64::MIN_POSITIVE).sqrt()), distance.max(shared)])
    }
}

/// Refines planes on the points labelled with them, whose sums are `sums`.
pub(super) fn refined(
    points: &Points,
    labels: &[i32],
    planes: &[LocalPlane],
    sums: &[Moments],
    (refine, backend): (Refine, &dyn Backend),
) -> Result<Vec<Refined>> {
    let pairs = planes.iter().zip(sums);
    match refine {
        Refine::None => Ok(planes.iter().map(|&plane| Refined { plane, errors: None }).collect()),
        Refine::Ols | Refine::Stroke => {
            Ok(pairs.map(|(&plane, sums)| Refined::fitted(plane, sums)).collect())
        }
        Refine::Lms => {
            let itself: Vec<Option<usize>> = (0..planes.len()).map(Some).collect();
            let members = members(labels, &itself, planes.len());
            let samples: Vec<Vec<[f32; 3]>> =
                members.par_iter().map(|members| sampled(points, members)).collect();
            let sheets = backend.sheets(&samples)?;
            let near = |i: usize| match &sheets[i] {
                Some(sheet) => near(points, &members[i], sheet, samples[i].len()),
                None => sums[i],
            };
            let near: Vec<Moments> = (0..planes.len()).into_par_iter().map(near).collect();
            Ok(planes.iter().zip(&near).map(|(&p, near)| Refined::fitted(p, near)).collect())
        }
    }
}

/// A sample of the points of a plane that does not depend on their order.
fn sampled(points: &Points, members: &[u32]) -> Vec<[f32; 3]> {
    // Local coordinates are integers of 25 bits.
    let bits = |p: [i32; 3]| {
        let [x, y, z] = p.map(|v| v as u32 as u64);
        x.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ y.rotate_left(32) ^ z
    };
    let members = members.iter().map(|&i| points.get(i as usize).map(|v| v as i32));
    sample(members, bits).into_iter().map(|p| p.map(|v| v as f32)).collect()
}

/// The sums over the points near a sheet that was found among `n` points.
fn near(points: &Points, members: &[u32], sheet: &Sheet, n: usize) -> Moments {
    let reach = SIGMAS * robust_sigma(sheet.half, n, 3);
    let mut sums = Moments::default();
    for &i in members {
        let p = points.get(i as usize);
        if sheet.distance(p.map(f64::from)).abs() <= reach {
            sums.add(p.map(|v| v as i64));
        }
    }
    sums
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_on_one_step_share_its_error() {
        // 400 points 10 apart on a plane whose coordinates are rounded to 100 in x and z, but not in y.
        let rounding = [100.0 / 12f64.sqrt(), 0.0, 100.0 / 12f64.sqrt()];
        let errors = |point: &dyn Fn(i64, i64) -> [i64; 3]| {
            let mut sums = Moments::default();
            (0..400).for_each(|i| sums.add(point(i % 20 * 100, i / 20 * 100)));
            let fit = sums.fit().unwrap();
            let refined = Refined::fitted(LocalPlane::of_fit(&fit, 1.0), &sums);
            (refined.errors.unwrap(), refined.errors_of_rounded(Some(&fit), rounding).unwrap())
        };
        let (before, [angle, distance]) = errors(&|u, v| [u, v, 300]);
        assert_eq!(before, [0.0; 2]);
        assert!((distance - rounding[2]).abs() < 1e-9, "{distance}");
        // The variance of 0, 100, … 1900 is 332,500.
        assert!((angle - rounding[2] / 332_500f64.sqrt()).abs() < 1e-9, "{angle}");
        // Across an axis that is not rounded it is exact, and on several steps the errors are those of the fit.
        let (before, after) = errors(&|u, v| [u, 300, v]);
        assert_eq!(before, after);
        let (before, after) = errors(&|u, v| [u, v, (u + v) / 700 * 100]);
        assert!(before == after && before[1] > 0.0);
    }
}
