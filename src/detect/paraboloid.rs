//! The paraboloid through some points near a plane, which shows how their surface bends.

use nalgebra::{Matrix2, Matrix6, SymmetricEigen, Vector2, Vector6};

/// The six terms of a paraboloid can be told apart when the least eigenvalue of the matrix of their products
/// is at least this share of the largest. Coordinates are whole steps, so points on a conic that is a thousand steps wide have less.
const WORST: f64 = 1e-6;

/// A surface is surely bent when its normals fan out by more than this many standard errors.
pub(super) const SURE: f64 = 4.0;

/// A point, or the middle of some.
#[derive(Debug, Clone, Copy)]
pub(super) struct Height {
    /// Its place in the plane.
    pub at: [f64; 2],
    /// Its distance from the plane.
    pub above: f64,
    /// How many points it stands for.
    pub weight: f64,
}

/// A paraboloid of least squares. Its terms are 1, x, y, x², xy and y², along the axes of the points' spread and in units of it.
pub(super) struct Paraboloid {
    middle: Vector2<f64>,
    /// Principal directions of the points' spread, as columns.
    axes: Matrix2<f64>,
    /// Root mean square distance from the middle along each of them.
    spread: Vector2<f64>,
    of: Vector6<f64>,
    inverse: Matrix6<f64>,
    /// Mean square of what the paraboloid leaves, for a point.
    variance: f64,
}

/// How far the normals of a surface fan out, root mean square along the direction in which it is most curved, in radians.
#[derive(Debug, Clone, Copy)]
pub(super) struct Fan {
    pub angle: f64,
    /// Its standard error, where errors are independent.
    pub error: f64,
}

impl Fan {
    /// Whether it is larger than so many standard errors, if as many points as `alike` share one error.
    pub fn is_sure(&self, errors: f64, alike: f64) -> bool {
        self.angle > errors * alike.max(1.0).sqrt() * self.error
    }
}

impl Paraboloid {
    /// The paraboloid through some points; `None` if they do not say how their surface bends, such as points on a conic or in two
    /// rows.
    pub fn fit(points: &[Height]) -> Option<Paraboloid> {
        if points.len() <= 6 {
            return None;
        }
        let all: f64 = points.iter().map(|p| p.weight).sum();
        let place = |p: &Height| Vector2::from(p.at);
        let middle = points.iter().map(|p| p.weight * place(p)).sum::<Vector2<f64>>() / all;
        let product = |p: &Height| {
            let from = place(p) - middle;
            p.weight / all * from * from.transpose()
        };
        let eigen = SymmetricEigen::new(points.iter().map(product).sum::<Matrix2<f64>>());
        let (axes, spread) = (eigen.eigenvectors, eigen.eigenvalues.map(|v| v.max(0.0).sqrt()));
        if spread.min().is_nan() || spread.min() <= 0.0 {
            return None;
        }
        let flat = Paraboloid {
            middle,
            axes,
            spread,
            of: Vector6::zeros(),
            inverse: Matrix6::zeros(),
            variance: 0.0,
        };
        let (mut products, mut right, mut squares) = (Matrix6::zeros(), Vector6::zeros(), 0.0);
        for p in points {
            let terms = flat.terms(p.at);
            products += p.weight * terms * terms.transpose();
            right += p.weight * p.above * terms;
            squares += p.weight * p.above * p.above;
        }
        let shares = SymmetricEigen::new(products / all).eigenvalues;
        let is_told = shares.min() >= WORST * shares.max();
        let inverse = products.try_inverse().filter(|_| is_told)?;
        let of = inverse * right;
        let free = points.len() as f64 - 6.0;
        let variance = (squares - of.dot(&right)).max(0.0) / free;
        Some(Paraboloid { of, inverse, variance, ..flat })
    }

    /// A place along the axes of the points' spread, in units of it.
    pub fn place(&self, at: [f64; 2]) -> [f64; 2] {
        let along = self.axes.transpose() * (Vector2::from(at) - self.middle);
        [along[0] / self.spread[0], along[1] / self.spread[1]]
    }

    fn terms(&self, at: [f64; 2]) -> Vector6<f64> {
        let [x, y] = self.place(at);
        Vector6::new(1.0, x, y, x * x, x * y, y * y)
    }

    /// Height at a place of the plane that touches the paraboloid in the middle of the points.
    pub fn tangent(&self, at: [f64; 2]) -> f64 {
        let terms = self.terms(at);
        (0..3).map(|k| self.of[k] * terms[k]).sum()
    }

    /// Height of the paraboloid at a place above that plane.
    pub fn above_tangent(&self, at: [f64; 2]) -> f64 {
        let terms = self.terms(at);
        (3..6).map(|k| self.of[k] * terms[k]).sum()
    }

    /// Slope of the paraboloid at a place against that plane.
    pub fn slope(&self, at: [f64; 2]) -> f64 {
        let terms = self.terms(at);
        let ([x, y], of) = ([terms[1], terms[2]], &self.of);
        let along = (2.0 * of[3] * x + of[4] * y) / self.spread[0];
        let across = (of[4] * x + 2.0 * of[5] * y) / self.spread[1];
        along.hypot(across)
    }

    /// Root mean square distance of the points from their middle.
    pub fn extent(&self) -> f64 {
        self.spread.norm()
    }

    /// How far the normals fan out.
    pub fn fan(&self) -> Fan {
        let (of, [sx, sy]) = (&self.of, [self.spread[0], self.spread[1]]);
        let mixed = of[4] / (sx * sy);
        let bends = Matrix2::new(2.0 * of[3] / (sx * sx), mixed, mixed, 2.0 * of[5] / (sy * sy));
        let eigen = SymmetricEigen::new(bends);
        let most = if eigen.eigenvalues[0].abs() >= eigen.eigenvalues[1].abs() { 0 } else { 1 };
        let [x, y] = [eigen.eigenvectors[(0, most)], eigen.eigenvectors[(1, most)]];
        let spread = (x * sx).hypot(y * sy);
        let [u, v] = [x / sx, y / sy];
        let along = Vector6::new(0.0, 0.0, 0.0, 2.0 * u * u, 2.0 * u * v, 2.0 * v * v);
        let error = self.variance * along.dot(&(self.inverse * along));
        // Rounding may leave less than nothing, which says nothing.
        let error = if error >= 0.0 { error.sqrt() } else { f64::INFINITY };
        Fan { angle: eigen.eigenvalues[most].abs() * spread, error: error * spread }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A grid of places, `wide` by `high`, with heights.
    fn grid([wide, high]: [f64; 2], above: impl Fn([f64; 2]) -> f64) -> Vec<Height> {
        let places = (0..400).map(|i| {
            let [a, b] = [i % 20, i / 20].map(|v| (f64::from(v) - 9.5) / 20.0);
            [3000.0 + wide * a, -700.0 + high * b]
        });
        places.map(|at| Height { at, above: above(at), weight: 2.0 }).collect()
    }

    #[test]
    fn a_paraboloid_is_found_again() {
        let bend = |[x, y]: [f64; 2]| {
            let (x, y) = (x - 3000.0, y + 700.0);
            5.0 + 0.1 * x + x * x / 500.0 - x * y / 1000.0
        };
        let found = Paraboloid::fit(&grid([100.0, 4000.0], bend)).unwrap();
        let at = [3100.0, -600.0];
        assert!((found.tangent(at) + found.above_tangent(at) - bend(at)).abs() < 1e-6);
        assert!(found.variance < 1e-9);
        // 2 x / 500 - y / 1000 and - x / 1000, for x = y = 100.
        assert!((found.slope(at) - 0.3f64.hypot(0.1)).abs() < 1e-9);
    }

    #[test]
    fn normals_of_a_long_strip_fan_out_across_it() {
        // A column with a radius of 500, and noise.
        let noise = |[x, y]: [f64; 2]| (x * 7.3 + y * 1.9).sin();
        let bend = |at: [f64; 2]| (at[0] - 3000.0).powi(2) / 1000.0 + noise(at);
        let Fan { angle, error } = Paraboloid::fit(&grid([100.0, 4000.0], bend)).unwrap().fan();
        assert!((angle - 28.8 / 500.0).abs() < 3.0 * error, "{angle} {error}");
        assert!(error < 0.05 * angle && error > 0.001 * angle, "{error}");
    }

    #[test]
    fn points_on_a_line_tell_nothing() {
        assert!(Paraboloid::fit(&grid([0.0, 100.0], |_| 1.0)).is_none());
        assert!(Paraboloid::fit(&[]).is_none());
    }
}
