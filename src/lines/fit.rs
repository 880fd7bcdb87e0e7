//! Total least squares through pixels, from sums of integers.

use super::geometry::Axis;

/// Sums over pixels.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Sums {
    n: i64,
    x: i64,
    y: i64,
    xx: i64,
    xy: i64,
    yy: i64,
}

/// A line through pixels, and the spread of the pixels.
#[derive(Debug, Clone, Copy)]
pub(super) struct Fit {
    pub axis: Axis,
    /// The mean of the pixels.
    pub middle: [f64; 2],
    /// Variance along the line and across it.
    pub variance: [f64; 2],
}

impl Fit {
    /// The points of the line at distance `half` to either side of its middle.
    pub fn ends(&self, half: f64) -> [[f64; 2]; 2] {
        let Axis { cos, sin, .. } = self.axis;
        let [x, y] = self.middle;
        [[x - half * sin, y + half * cos], [x + half * sin, y - half * cos]]
    }
}

impl Sums {
    /// Number of pixels.
    pub fn count(&self) -> i64 {
        self.n
    }

    /// Adds the pixels of another sum.
    pub fn join(&mut self, other: &Sums) {
        self.n += other.n;
        self.x += other.x;
        self.y += other.y;
        self.xx += other.xx;
        self.xy += other.xy;
        self.yy += other.yy;
    }

    /// Adds a pixel.
    pub fn add(&mut self, [x, y]: [i64; 2]) {
        self.n += 1;
        self.x += x;
        self.y += y;
        self.xx += x * x;
        self.xy += x * y;
        self.yy += y * y;
    }

    /// The line with the least squared distances, if there is one.
    pub fn fit(&self) -> Option<Fit> {
        // n² times the covariance, in integers: nothing is lost to cancellation.
        let product = |ab: i64, a: i64, b: i64| {
            (i128::from(self.n) * i128::from(ab) - i128::from(a) * i128::from(b)) as f64
        };
        let n = self.n as f64;
        let [xx, xy, yy] = [
            product(self.xx, self.x, self.x),
            product(self.xy, self.x, self.y),
            product(self.yy, self.y, self.y),
        ]
        .map(|v| v / (n * n));
        let (difference, root) = (xx - yy, (xx - yy).hypot(2.0 * xy));
        if self.n < 2 || root == 0.0 {
            return None;
        }
        // The normal is a quarter turn from the direction of largest variance.
        let along = 0.5 * (2.0 * xy).atan2(difference);
        let (sin, cos) = along.sin_cos();
        let axis = Axis { cos: -sin, sin: cos, rho: 0.0 };
        let middle = [self.x as f64 / n, self.y as f64 / n];
        let rho = axis.distance(middle);
        let variance = [(xx + yy + root) / 2.0, ((xx + yy - root) / 2.0).max(0.0)];
        Some(Fit { axis: Axis { rho, ..axis }, middle, variance })
    }
}
