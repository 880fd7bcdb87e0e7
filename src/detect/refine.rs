//! Refines planes on the points assigned to them.

use super::members::members;
use crate::Result;
use crate::backend::Backend;
use crate::frame::Points;
use crate::lms::{Refine, SIGMAS, Sheet, robust_sigma, sample};
use crate::surface::moments::Moments;
use crate::surface::plane::LocalPlane;
use crate::vector::{Vec3, dot};
use rayon::prelude::*;
use std::f64::consts::PI;

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

    /// The standard errors of a plane of points with these sums, where rounding adds this standard deviation to each of the
    /// coordinates. Points on the same step share its error. On many steps errors cancel, like those of a sawtooth, and so they
    /// do where noise is wider than a step.
    pub fn errors_of_rounded(&self, sums: &Moments, rounding: Vec3) -> Option<[f64; 2]> {
        let ([angle, distance], fit) = (self.errors?, sums.fit()?);
        let [xx, _, _, yy, _, zz] = sums.covariance()?;
        let across: Vec3 = std::array::from_fn(|a| self.plane.normal[a] * rounding[a]);
        let [least, within, _] = fit.variance;
        let noise = (least - dot(across, across)).max(0.0);
        let shared = |(a, spread): (usize, f64)| {
            let square = (rounding[a] * rounding[a]).max(f64::MIN_POSITIVE);
            // The first harmonic of the sawtooth, which is smoothed by the noise.
            let smoothed = decay(PI * PI / 3.0 * noise / square);
            let steps = (spread / square).max(1.0);
            across[a] * across[a] * smoothed / (steps * steps.sqrt())
        };
        let shared: f64 = [xx, yy, zz].into_iter().enumerate().map(shared).sum();
        let with = |error: f64, more: f64| (error * error + more).sqrt();
        Some([with(angle, shared / within.max(f64::MIN_POSITIVE)), with(distance, shared)])
    }
}

/// About the exponential of `-t`, the same on every machine.
fn decay(t: f64) -> f64 {
    (0..6).fold(1.0 / (1.0 + t / 64.0), |power, _| power * power)
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
    use crate::mix::mixed;

    /// A plane through points, rounded to `step` in z alone, and its standard errors with the error of rounding.
    fn rounded(points: impl Iterator<Item = Vec3>, step: f64) -> (Refined, [f64; 2]) {
        let mut sums = Moments::default();
        let round = |[x, y, z]: Vec3| [x, y, (z / step).round() * step].map(|v| v as i64);
        points.for_each(|p| sums.add(round(p)));
        let fit = sums.fit().unwrap();
        let refined = Refined::fitted(LocalPlane::of_fit(&fit, 1.0), &sums);
        let errors = refined.errors_of_rounded(&sums, [0.0, 0.0, step / 12f64.sqrt()]).unwrap();
        (refined, errors)
    }

    #[test]
    fn points_on_one_step_share_its_error() {
        let grid = || (0..400).map(|i| [i % 20 * 100, i / 20 * 100].map(f64::from));
        let (refined, [angle, distance]) = rounded(grid().map(|[u, v]| [u, v, 330.0]), 100.0);
        assert_eq!(refined.errors.unwrap(), [0.0; 2]);
        let across = 100.0 / 12f64.sqrt();
        assert!((distance / across - 1.0).abs() < 1e-9, "{distance}");
        // The variance of 0, 100, … 1900 is 332,500.
        assert!((angle / (across / 332_500f64.sqrt()) - 1.0).abs() < 1e-9, "{angle}");
        // Across an axis that is not rounded it is exact.
        let (refined, errors) = rounded(grid().map(|[u, v]| [u, 330.0, v]), 100.0);
        assert_eq!(refined.errors.unwrap(), errors);
    }

    #[test]
    fn fits_to_rounded_points_scatter_as_their_errors_say() {
        let random = |i: u64, salt: u64| (mixed(i ^ salt << 40) >> 11) as f64 / 2f64.powi(53);
        // A plane that rises over so many steps, with noise in steps.
        for (rise, noise) in [(1.0, 0.0), (3.0, 0.0), (10.0, 0.0), (3.0, 0.2), (5.0, 0.5)] {
            let (step, side, clouds) = (1000.0, 100_000.0, 60);
            let score = |cloud: u64| {
                let of = |salt: u64| random(cloud, salt);
                let point = |i: u64| {
                    let [x, y] = [1, 2].map(|salt| side * random(i, 16 * cloud + salt));
                    // The sum of twelve even numbers has a variance of one.
                    let sum: f64 = (3..15).map(|salt| random(i, 16 * cloud + salt)).sum();
                    [x, y, step * (rise * x / side + of(99) + noise * (sum - 6.0))]
                };
                let (refined, [angle, _]) = rounded((0..2000).map(point), step);
                let [x, _, z] = refined.plane.normal;
                (-x / z - rise * step / side) / angle
            };
            let squares: f64 = (0..clouds).map(|cloud| score(cloud).powi(2)).sum();
            let scatter = (squares / clouds as f64).sqrt();
            assert!((0.4..1.6).contains(&scatter), "{rise} steps, noise {noise}: {scatter}");
        }
    }
}
