//! Refines planes on the points assigned to them.

use super::members::members;
use crate::Result;
use crate::backend::Backend;
use crate::frame::Points;
use crate::lms::{Refine, SIGMAS, Sheet, robust_sigma, sample};
use crate::surface::moments::Moments;
use crate::surface::plane::LocalPlane;
use rayon::prelude::*;

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
