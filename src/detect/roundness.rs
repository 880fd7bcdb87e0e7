//! Whether the points of a small plane are a piece of something round.
//!
//! A column that is hardly wider than a few cells falls into strips that surfels are too coarse to tell
//! from planes. Their points can: a paraboloid through them shows how far the normals fan out, and with
//! what error.

use super::planes::members;
use super::support::axes;
use crate::backend::LocalPlane;
use crate::frame::Points;
use crate::vector::{Vec3, dot};
use nalgebra::{Matrix2, Matrix6, SymmetricEigen, Vector6};
use rayon::prelude::*;

/// Larger planes are judged by their surfels.
const MOST: i64 = 4096;
/// Fewest points that tell.
const FEWEST: usize = 20;
/// A piece of something round is no plane: its normals fan out by more than this, in radians, root
/// mean square, …
const FAN: f64 = 0.07;
/// … and by so many standard errors.
const SURE: f64 = 4.0;

/// Which planes are pieces of something round; `counts` are their points, of which `alike` have their
/// noise in common.
pub(super) fn round(
    points: &Points,
    labels: &[i32],
    planes: &[LocalPlane],
    counts: impl Fn(usize) -> i64,
    alike: f64,
) -> Vec<bool> {
    let mut small = 0;
    let place = |i: usize| {
        let is_small = counts(i) <= MOST;
        small += usize::from(is_small);
        is_small.then_some(small - 1)
    };
    let places: Vec<Option<usize>> = (0..planes.len()).map(place).collect();
    let members = members(labels, &places, small);
    let is_round = |(plane, place): (&LocalPlane, &Option<usize>)| {
        let Some(place) = *place else { return false };
        let of = members[place].iter().map(|&i| points.get(i as usize).map(f64::from));
        fan(&of.collect::<Vec<_>>(), plane)
            .is_some_and(|[fan, error]| fan > FAN && fan > SURE * error * alike.max(1.0).sqrt())
    };
    planes.par_iter().zip(&places).map(is_round).collect()
}

/// How far the normals of a paraboloid through points near a plane fan out, root mean square along the
/// direction in which it is most curved, and the standard error of that, in radians.
fn fan(points: &[Vec3], plane: &LocalPlane) -> Option<[f64; 2]> {
    if points.len() < FEWEST {
        return None;
    }
    let n = points.len() as f64;
    let (u, v) = axes(plane.normal);
    let project = |p: &Vec3| [dot(*p, u), dot(*p, v), dot(*p, plane.normal) - plane.rho];
    let flat: Vec<[f64; 3]> = points.iter().map(project).collect();
    let mean = [0, 1].map(|a| flat.iter().map(|p| p[a]).sum::<f64>() / n);
    let square = |a: usize| flat.iter().map(|p| (p[a] - mean[a]).powi(2)).sum::<f64>() / n;
    // In units of the extent, so that the equations are well conditioned.
    let unit = (square(0) + square(1)).sqrt();
    if unit <= 0.0 {
        return None;
    }
    let terms = |p: &[f64; 3]| {
        let [x, y] = [(p[0] - mean[0]) / unit, (p[1] - mean[1]) / unit];
        Vector6::new(1.0, x, y, x * x, x * y, y * y)
    };
    let (mut normal, mut right) = (Matrix6::zeros(), Vector6::zeros());
    let mut squares = 0.0;
    for p in &flat {
        let (t, d) = (terms(p), p[2] / unit);
        normal += t * t.transpose();
        right += t * d;
        squares += d * d;
    }
    let inverse = normal.try_inverse()?;
    let of = inverse * right;
    let variance = (squares - of.dot(&right)).max(0.0) / (n - 6.0);
    let bends = Matrix2::new(2.0 * of[3], of[4], of[4], 2.0 * of[5]);
    let eigen = SymmetricEigen::new(bends);
    let most = if eigen.eigenvalues[0].abs() >= eigen.eigenvalues[1].abs() { 0 } else { 1 };
    let [x, y] = [eigen.eigenvectors[(0, most)], eigen.eigenvectors[(1, most)]];
    let along = Vector6::new(0.0, 0.0, 0.0, 2.0 * x * x, 2.0 * x * y, 2.0 * y * y);
    let spread = |p: &[f64; 3]| (x * (p[0] - mean[0]) + y * (p[1] - mean[1])) / unit;
    let spread = (flat.iter().map(|p| spread(p).powi(2)).sum::<f64>() / n).sqrt();
    let error = (variance * along.dot(&(inverse * along))).max(0.0).sqrt();
    Some([eigen.eigenvalues[most].abs() * spread, error * spread])
}
