//! Planes in local coordinates, and the points assigned to them.

use super::moments::{Fit, Moments};
pub use crate::shared::PRESENT;
use crate::vector::dot;

/// A plane in local coordinates.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LocalPlane {
    /// Unit normal.
    pub normal: [f64; 3],
    /// Distance from local zero along the normal, in steps.
    pub rho: f64,
    /// Largest distance of its points, in steps.
    pub tolerance: f64,
}

impl LocalPlane {
    /// The plane of a fit, with the canonical sign in which planes are compared during the search. Reported
    /// planes are turned as the user asks.
    pub fn of_fit(fit: &Fit, tolerance: f64) -> LocalPlane {
        let rho = dot(fit.normal, fit.centroid);
        LocalPlane { normal: fit.normal, rho, tolerance }.canonical()
    }

    /// The same plane, with its normal turned so that the distance is not negative; for a plane through local
    /// zero, so that its first nonzero component is positive.
    pub fn canonical(self) -> LocalPlane {
        let first = self.normal.iter().copied().find(|&v| v != 0.0).unwrap_or(1.0);
        let sign = if self.rho != 0.0 { self.rho.signum() } else { first.signum() };
        // Adding zero makes −0 the same as 0.
        LocalPlane {
            normal: self.normal.map(|v| sign * v + 0.0),
            rho: sign * self.rho + 0.0,
            ..self
        }
    }

    /// Signed distance of a local point, in steps.
    #[inline]
    pub fn distance(&self, p: [f32; 3]) -> f64 {
        let ([a, b, c], [x, y, z]) = (self.normal, p.map(f64::from));
        a * x + b * y + c * z - self.rho
    }
}

/// A plane as points are assigned to it: to the most likely of the planes whose tolerance they meet.
///
/// The points of a plane have normally distributed distances and a density on it. Where two planes meet, most
/// points within the noise of both are on the denser one.
#[derive(Debug, Clone, Copy)]
pub struct Slab {
    /// The plane.
    pub plane: LocalPlane,
    /// Half the inverse of the variance, by which squared distances are multiplied, …
    pub weight: f64,
    /// … and what is added to that, for the negative logarithm of the likelihood.
    pub rest: f64,
}

impl Slab {
    /// The slabs of planes with so many points per square step each.
    pub fn all(planes: &[LocalPlane], densities: &[f64]) -> Vec<Slab> {
        planes.iter().zip(densities).map(|(&plane, &density)| Slab::new(plane, density)).collect()
    }

    fn new(plane: LocalPlane, density: f64) -> Slab {
        let deviation = plane.tolerance.max(LEAST_TOLERANCE) / DEVIATIONS;
        Slab {
            plane,
            weight: 0.5 / (deviation * deviation),
            rest: deviation.ln() - density.max(f64::MIN_POSITIVE).ln(),
        }
    }

    /// The negative logarithm of the likelihood of a local point, but for a constant; `None` beyond the
    /// tolerance.
    #[inline]
    pub fn cost(&self, p: [f32; 3]) -> Option<f64> {
        let distance = self.plane.distance(p).abs();
        let cost = distance * distance * self.weight + self.rest;
        (distance <= self.plane.tolerance).then_some(cost)
    }
}

/// Standard deviations in a tolerance.
const DEVIATIONS: f64 = 3.0;
/// Thinner slabs count as this thick, in steps.
const LEAST_TOLERANCE: f64 = 1e-3;

/// The points assigned to planes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Assigned {
    /// The label of each point, `-1` without a plane; empty if not requested.
    pub labels: Vec<i32>,
    /// Exact sums over the points of each label, in local coordinates.
    pub sums: Vec<Moments>,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::vector::Vec3;

    #[test]
    fn the_sign_of_a_normal_is_canonical() {
        let fit = |normal: Vec3, centroid: Vec3| Fit { normal, centroid, variance: [0.0; 3] };
        let up = LocalPlane { normal: [0.0, 0.0, 1.0], rho: 2.0, tolerance: 1.0 };
        assert_eq!(LocalPlane::of_fit(&fit([0.0, 0.0, 1.0], [5.0, 0.0, 2.0]), 1.0), up);
        assert_eq!(LocalPlane::of_fit(&fit([0.0, 0.0, -1.0], [5.0, 0.0, 2.0]), 1.0), up);
        let through = LocalPlane { normal: [0.0, 1.0, 0.0], rho: 0.0, tolerance: 1.0 };
        assert_eq!(LocalPlane::of_fit(&fit([0.0, -1.0, 0.0], [5.0, 0.0, 2.0]), 1.0), through);
    }
}
