//! Exact sums of points, and the plane that fits them best.

use nalgebra::{Matrix3, SymmetricEigen};
use std::ops::{Add, Mul, Sub};

/// Count, sums and sums of products of points with integer coordinates.
///
/// Integers add without rounding, so the sums do not depend on the order of the points, the
/// number of threads or the device. Products of coordinates within a few cells fit in `i64`; those
/// of a whole plane need `i128`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Moments<P = i128> {
    /// Number of points.
    pub n: i64,
    /// Sums of x, y, z.
    pub sum: [i64; 3],
    /// Sums of xx, xy, xz, yy, yz, zz.
    pub products: [P; 6],
}

/// The index pairs of [`Moments::products`].
pub const PAIRS: [(usize, usize); 6] = [(0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2)];

/// An integer type for sums of products.
pub trait Product: Copy + Default + From<i64> + Add<Output = Self> + Mul<Output = Self> {}

impl Product for i64 {}
impl Product for i128 {}

impl<P: Product> Moments<P> {
    /// Adds a point.
    #[inline]
    pub fn add(&mut self, p: [i64; 3]) {
        self.n += 1;
        for (sum, v) in self.sum.iter_mut().zip(p) {
            *sum += v;
        }
        for (product, (a, b)) in self.products.iter_mut().zip(PAIRS) {
            *product = *product + P::from(p[a] * p[b]);
        }
    }

    /// Adds the points of `other`.
    #[inline]
    pub fn merge(&mut self, other: &Moments<P>) {
        self.merge_shifted(other, [0; 3]);
    }

    /// Subtracts the points of `other`.
    pub fn take(&mut self, other: &Moments<P>)
    where
        P: Sub<Output = P>,
    {
        self.n -= other.n;
        self.sum.iter_mut().zip(other.sum).for_each(|(sum, other)| *sum -= other);
        for (product, other) in self.products.iter_mut().zip(other.products) {
            *product = *product - other;
        }
    }

    /// Adds the points of `other`, each moved by `offset`.
    #[inline]
    pub fn merge_shifted(&mut self, other: &Moments<P>, offset: [i64; 3]) {
        let n = other.n;
        for (product, (i, (a, b))) in self.products.iter_mut().zip(PAIRS.into_iter().enumerate()) {
            let cross = offset[a] * other.sum[b] + offset[b] * other.sum[a];
            *product = *product
                + other.products[i]
                + P::from(cross)
                + P::from(offset[a] * offset[b]) * P::from(n);
        }
        for (sum, (other, offset)) in self.sum.iter_mut().zip(other.sum.iter().zip(offset)) {
            *sum += other + offset * n;
        }
        self.n += n;
    }

    /// The mean of the points; zero without points.
    pub fn mean(&self) -> [f64; 3] {
        let n = self.n.max(1) as f64;
        self.sum.map(|s| s as f64 / n)
    }
}

impl Moments {
    /// Covariance xx, xy, xz, yy, yz, zz of the points; `None` without points, or where the sums
    /// are too large for exact arithmetic.
    pub fn covariance(&self) -> Option<[f64; 6]> {
        let n = self.n as f64;
        let mut c = [0.0; 6];
        for (c, (i, (a, b))) in c.iter_mut().zip(PAIRS.into_iter().enumerate()) {
            // n·Σab − Σa·Σb is an exact integer; the first rounding comes after it.
            let scaled = i128::from(self.n)
                .checked_mul(self.products[i])?
                .checked_sub(i128::from(self.sum[a]) * i128::from(self.sum[b]))?;
            *c = scaled as f64 / n / n;
        }
        (self.n > 0).then_some(c)
    }

    /// Root mean square distance of the points from the plane `normal · p = rho`; 0 without points.
    pub fn distance_rms(&self, normal: [f64; 3], rho: f64) -> f64 {
        let Some(c) = self.covariance() else { return 0.0 };
        let mean = self.mean();
        let along = (0..3).map(|a| normal[a] * mean[a]).sum::<f64>() - rho;
        let spread: f64 = PAIRS
            .into_iter()
            .zip(c)
            .map(|((a, b), c)| if a == b { 1.0 } else { 2.0 } * normal[a] * normal[b] * c)
            .sum();
        (spread.max(0.0) + along * along).sqrt()
    }

    /// The plane of least squared distances (total least squares), or `None` below three points.
    pub fn fit(&self) -> Option<Fit> {
        if self.n < 3 {
            return None;
        }
        let c = self.covariance()?;
        let eigen =
            SymmetricEigen::new(Matrix3::new(c[0], c[1], c[2], c[1], c[3], c[4], c[2], c[4], c[5]));
        let mut order = [0, 1, 2];
        order.sort_by(|&a, &b| eigen.eigenvalues[a].total_cmp(&eigen.eigenvalues[b]));
        let column = eigen.eigenvectors.column(order[0]);
        Some(Fit {
            normal: [column[0], column[1], column[2]],
            centroid: self.mean(),
            variance: order.map(|i| eigen.eigenvalues[i].max(0.0)),
        })
    }
}

/// Sums over the points of all parts of each plane, as part of which `into` counts them; those of the parts stay
/// empty.
pub fn sums_of_wholes(sums: &[Moments], into: &[u32]) -> Vec<Moments> {
    let mut whole = vec![Moments::default(); sums.len()];
    for (sums, &root) in sums.iter().zip(into) {
        whole[root as usize].merge(sums);
    }
    whole
}

impl<'a> FromIterator<&'a Moments> for Moments {
    fn from_iter<I: IntoIterator<Item = &'a Moments>>(iter: I) -> Moments {
        let mut total = Moments::default();
        iter.into_iter().for_each(|m| total.merge(m));
        total
    }
}

/// A plane fitted to points, in the unit of their coordinates.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Fit {
    /// Unit normal, of either sign.
    pub normal: [f64; 3],
    /// Mean of the points; on the plane.
    pub centroid: [f64; 3],
    /// Variances along the principal axes, smallest (along the normal) first.
    pub variance: [f64; 3],
}

impl Fit {
    /// Root mean square distance of the points from the plane.
    pub fn rmse(&self) -> f64 {
        self.variance[0].sqrt()
    }

    /// The shorter side of a rectangle with these variances.
    pub fn width(&self) -> f64 {
        (12.0 * self.variance[1]).sqrt()
    }

    /// Distance between `n` points that are evenly spread over a rectangle with these variances.
    pub fn spacing(&self, n: i64) -> f64 {
        let [_, width, length] = self.variance;
        (12.0 * (width * length).sqrt() / n.max(1) as f64).sqrt()
    }

    /// Standard errors of the plane through `n` points with independent noise: of its direction along the
    /// worse axis, in radians, and of its distance at the centroid.
    pub fn standard_errors(&self, n: i64) -> Option<[f64; 2]> {
        let [across, within, _] = self.variance;
        // A plane takes three of the degrees of freedom; `across` is the sum of squares over n.
        let free = (n - 3) as f64;
        (free > 0.0 && within > 0.0)
            .then(|| [(across / within / free).sqrt(), (across / free).sqrt()])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample() -> Vec<[i64; 3]> {
        (0..200).map(|i| [i * 37 % 101 - 50, i * 53 % 97 - 40, (i * 7) % 5]).collect()
    }

    #[test]
    fn merging_shifted_equals_adding_shifted_points() {
        let (mut parts, mut whole) = (Moments::<i128>::default(), Moments::<i128>::default());
        for (i, p) in sample().into_iter().enumerate() {
            let offset = [1 << 20, -(3 << 18), i as i64];
            let mut one = Moments::<i128>::default();
            one.add(p);
            parts.merge_shifted(&one, offset);
            whole.add([p[0] + offset[0], p[1] + offset[1], p[2] + offset[2]]);
        }
        assert_eq!(parts, whole);
        whole.merge(&parts);
        whole.take(&parts);
        assert_eq!(parts, whole);
    }

    #[test]
    fn the_fit_of_points_on_a_plane_is_that_plane() {
        let mut moments = Moments::<i128>::default();
        for p in sample() {
            // 2x − y + 2z = 9·k exactly.
            let (u, v) = (p[0], p[1]);
            moments.add([u + 2 * v, 4 * u + 2 * v, u - v + 1_000_000]);
        }
        let fit = moments.fit().unwrap();
        let expected = [2.0 / 3.0, -1.0 / 3.0, 2.0 / 3.0];
        let sign = fit.normal[0].signum();
        for (found, expected) in fit.normal.iter().zip(expected) {
            assert!((found * sign - expected).abs() < 1e-9, "{:?}", fit.normal);
        }
        assert!(fit.rmse() < 1e-4, "{}", fit.rmse());
    }

    #[test]
    fn standard_errors_are_those_of_least_squares() {
        // A grid of 4 by 9 points, up and down in turn.
        let mut sums = Moments::<i128>::default();
        for k in 0..36 {
            let (x, y) = (k % 4, k / 4);
            let height = if (x + y) % 2 == 0 { 2 } else { -2 };
            sums.add([1000 * x, 1000 * y, height]);
        }
        let fit = sums.fit().unwrap();
        let [angle, distance] = fit.standard_errors(sums.n).unwrap();
        let s = (sums.n as f64 * fit.variance[0] / 33.0).sqrt();
        // The variance of 0, 1000, 2000, 3000 is 1.25 million.
        assert!((angle / (s / (36.0 * 1.25e6f64).sqrt()) - 1.0).abs() < 1e-4, "{angle}");
        assert!((distance / (s / 6.0) - 1.0).abs() < 1e-12, "{distance}");
        assert_eq!(fit.standard_errors(3), None);
        let line = Fit { variance: [0.0, 0.0, 5.0], ..fit };
        assert_eq!(line.standard_errors(36), None);
    }

    #[test]
    fn two_points_have_no_plane() {
        let mut moments = Moments::<i128>::default();
        moments.add([0, 0, 0]);
        moments.add([5, 0, 0]);
        assert_eq!(moments.fit(), None);
    }

    #[test]
    fn spacing_is_that_of_points_on_a_grid() {
        let mut sums = Moments::default();
        (0..800).for_each(|i| sums.add([i % 20 * 50, i / 20 * 50, 7 * (i % 2)]));
        let spacing = sums.fit().unwrap().spacing(sums.n);
        assert!((spacing - 50.0).abs() < 0.2, "{spacing}");
    }
}
