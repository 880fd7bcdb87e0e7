//! Weighted sums of points in `f64`, added up in a fixed order.
//!
//! Refinement fits planes to the centres of cells many times; the reported planes are fitted by
//! [`Moments`](super::moments::Moments), which are exact.

use super::eigen;
use super::moments::PAIRS;
use crate::vector::{Vec3, dot};

/// Weighted sums of points, relative to the first one.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Spread {
    origin: Option<Vec3>,
    weight: f64,
    sum: Vec3,
    products: [f64; 6],
}

impl Spread {
    /// Known sums, relative to the first of the points.
    #[inline(always)]
    pub fn of(origin: Vec3, weight: f64, sum: Vec3, products: [f64; 6]) -> Spread {
        Spread { origin: Some(origin), weight, sum, products }
    }

    /// Adds a point.
    #[inline(always)]
    pub fn add(&mut self, point: Vec3, weight: f64) {
        let origin = *self.origin.get_or_insert(point);
        let p: Vec3 = std::array::from_fn(|a| point[a] - origin[a]);
        self.weight += weight;
        for (sum, v) in self.sum.iter_mut().zip(p) {
            *sum += weight * v;
        }
        for (product, (a, b)) in self.products.iter_mut().zip(PAIRS) {
            *product += weight * p[a] * p[b];
        }
    }

    /// The weighted mean; zero without points.
    #[inline(always)]
    pub fn mean(&self) -> Vec3 {
        let origin = self.origin.unwrap_or_default();
        std::array::from_fn(|a| origin[a] + self.sum[a] / self.weight.max(f64::MIN_POSITIVE))
    }

    /// Total weight.
    #[inline(always)]
    pub fn weight(&self) -> f64 {
        self.weight
    }

    /// Covariance xx, xy, xz, yy, yz, zz of the points; zero without points.
    #[inline(always)]
    pub fn covariance(&self) -> [f64; 6] {
        let n = self.weight.max(f64::MIN_POSITIVE);
        std::array::from_fn(|i| {
            let (a, b) = PAIRS[i];
            self.products[i] / n - self.sum[a] / n * (self.sum[b] / n)
        })
    }

    /// The least-squares plane, as normal and distance; `None` for a point or a line.
    pub fn plane(&self) -> Option<(Vec3, f64)> {
        let (values, normal) = eigen::smallest(self.covariance());
        (values[1] > 1e-9 * values[2]).then(|| (normal, dot(normal, self.mean())))
    }

    /// The sum of the squared distances from the least-squares plane.
    pub fn squares(&self) -> f64 {
        let (values, _) = eigen::smallest(self.covariance());
        self.weight * values[0].max(0.0)
    }

    /// The spread of these points and of others, both relative to one origin.
    pub fn and(&self, other: &Spread) -> Spread {
        let sum = std::array::from_fn(|a| self.sum[a] + other.sum[a]);
        let products = std::array::from_fn(|i| self.products[i] + other.products[i]);
        Spread { origin: self.origin, weight: self.weight + other.weight, sum, products }
    }

    /// The shorter side of a rectangle of this spread.
    pub fn width(&self) -> f64 {
        self.sides()[0]
    }

    /// The area of a rectangle of this spread.
    pub fn area(&self) -> f64 {
        let [a, b] = self.sides();
        a * b
    }

    /// The sides of a rectangle of this spread, the shorter one first.
    fn sides(&self) -> [f64; 2] {
        let (values, _) = eigen::smallest(self.covariance());
        [values[1], values[2]].map(|v| (12.0 * v.max(0.0)).sqrt())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rectangle_has_its_plane_and_its_shorter_side() {
        let mut spread = Spread::default();
        for i in 0..20_000 {
            let (u, v) = (f64::from(i % 200) / 10.0, f64::from(i / 200) / 10.0);
            spread.add([u, 7.0, v], 3.0);
        }
        let (normal, rho) = spread.plane().unwrap();
        assert_eq!(normal.map(f64::abs), [0.0, 1.0, 0.0]);
        assert_eq!(rho.abs(), 7.0);
        assert!((spread.width() - 10.0).abs() < 0.01, "{}", spread.width());
        assert!(spread.squares() < 1e-9);
    }

    #[test]
    fn two_floors_are_as_far_from_the_plane_between_them_as_they_are_apart() {
        let floor = |height: f64| {
            let mut spread = Spread::of([0.0; 3], 0.0, [0.0; 3], [0.0; 6]);
            (0..900).for_each(|i| spread.add([f64::from(i % 30), f64::from(i / 30), height], 2.0));
            spread
        };
        let both = floor(5.0).and(&floor(7.0));
        assert!((both.squares() - 2.0 * 1800.0).abs() < 1e-6, "{}", both.squares());
        assert_eq!(both.weight(), 3600.0);
    }

    #[test]
    fn a_line_has_no_plane() {
        let mut spread = Spread::default();
        (0..50).for_each(|i| spread.add([f64::from(i), 2.0 * f64::from(i), 1.0], 1.0));
        assert_eq!(spread.plane(), None);
    }
}
