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

/// How strongly a plane claims points: a point belongs to the likeliest of the planes whose tolerance it meets.
///
/// The points of a plane have normally distributed distances and a density on it. Where two planes meet, most
/// points within the noise of both are on the denser one.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Claim {
    /// Largest standard deviation of its points, in steps. It is a third of the tolerance if that is less.
    pub deviation: f64,
    /// Number of its points per square step.
    pub density: f64,
}

/// The negative logarithm of the likelihood that a point belongs to a plane, but for a constant.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Cost {
    /// Half the inverse of the variance, by which squared distances are multiplied, …
    pub weight: f64,
    /// … and what is added to that.
    pub rest: f64,
}

/// Standard deviations in a tolerance.
const DEVIATIONS: f64 = 3.0;
/// Smallest standard deviation, in steps.
const LEAST: f64 = 1e-3;

impl Claim {
    /// What points cost a plane of this tolerance.
    pub fn cost(&self, tolerance: f64) -> Cost {
        let deviation = self.deviation.min(tolerance / DEVIATIONS).max(LEAST);
        Cost {
            weight: 0.5 / (deviation * deviation),
            rest: deviation.ln() - self.density.max(f64::MIN_POSITIVE).ln(),
        }
    }
}

impl Cost {
    /// The cost of a point at this distance.
    #[inline]
    pub fn at(&self, distance: f64) -> f64 {
        distance * distance * self.weight + self.rest
    }
}

/// The points assigned to planes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Assigned {
    /// The label of each point, `-1` without a plane.
    pub labels: Vec<i32>,
    /// Exact sums over the points of each label, in local coordinates.
    pub sums: Vec<Moments>,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::vector::Vec3;

    #[test]
    fn the_denser_of_two_planes_claims_points_between_them() {
        let claim = |deviation, density| Claim { deviation, density };
        let [sparse, dense, rough] =
            [claim(1.0, 0.01), claim(1.0, 1.0), claim(9.0, 0.01)].map(|claim| claim.cost(9.0));
        assert!(dense.at(1.5) < sparse.at(1.5));
        assert!(dense.at(2.5) < sparse.at(0.5));
        assert!(dense.at(3.5) > sparse.at(0.5));
        // What is near both is on the smooth one, what is far is on the rough one.
        assert!(sparse.at(0.5) < rough.at(0.5));
        assert!(sparse.at(3.0) > rough.at(3.0));
        // The deviation is no more than the tolerance allows.
        assert_eq!(rough, claim(f64::INFINITY, 0.01).cost(9.0));
    }

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
