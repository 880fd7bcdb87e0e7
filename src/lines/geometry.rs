//! A line and its place in an image.

use crate::space::in_half_turn;

/// A line `x cos θ + y sin θ = ρ`, given by the sine and cosine of its angle.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Axis {
    pub cos: f64,
    pub sin: f64,
    pub rho: f64,
}

impl Axis {
    /// The line with an angle in radians.
    pub fn new(theta: f64, rho: f64) -> Axis {
        let (sin, cos) = theta.sin_cos();
        Axis { cos, sin, rho }
    }

    /// Signed distance of a point.
    #[inline]
    pub fn distance(&self, [x, y]: [f64; 2]) -> f64 {
        x * self.cos + y * self.sin - self.rho
    }

    /// The point of the line nearest to another one.
    pub fn foot(&self, [x, y]: [f64; 2]) -> [f64; 2] {
        let d = self.distance([x, y]);
        [x - d * self.cos, y - d * self.sin]
    }

    /// The line in coordinates whose origin lies at `origin`.
    pub fn seen_from(&self, origin: [f64; 2]) -> Axis {
        Axis { rho: self.rho - (origin[0] * self.cos + origin[1] * self.sin), ..*self }
    }

    /// The angle in degrees, from 0 to below 180, and the `ρ` for that angle.
    pub fn polar(&self) -> (f64, f64) {
        in_half_turn((self.sin.atan2(self.cos).to_degrees(), self.rho))
    }

    /// Whether the line is nearer to a row than to a column, so that each column crosses it once.
    pub fn is_flat(&self) -> bool {
        self.sin.abs() >= self.cos.abs()
    }

    /// The ends of the line's visible part in an image whose pixels extend half a pixel beyond their
    /// centres.
    pub fn chord(&self, size: [f64; 2]) -> Option<[[f64; 2]; 2]> {
        let (mut from, mut to) = (f64::NEG_INFINITY, f64::INFINITY);
        let foot = [self.rho * self.cos, self.rho * self.sin];
        let along = [-self.sin, self.cos];
        for a in 0..2 {
            let (low, high) = (-0.5 - foot[a], size[a] - 0.5 - foot[a]);
            if along[a].abs() < 1e-12 {
                if low > 0.0 || high < 0.0 {
                    return None;
                }
                continue;
            }
            let (s, e) = (low / along[a], high / along[a]);
            from = from.max(s.min(e));
            to = to.min(s.max(e));
        }
        let at = |t: f64| [foot[0] + t * along[0], foot[1] + t * along[1]];
        (from <= to).then(|| [at(from), at(to)])
    }
}

/// Distance between two points.
pub(super) fn length(a: [f64; 2], b: [f64; 2]) -> f64 {
    (a[0] - b[0]).hypot(a[1] - b[1])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn angles_are_below_half_a_turn() {
        let close = |axis: Axis, theta: f64, rho: f64| {
            let (t, r) = axis.polar();
            assert!((t - theta).abs() < 1e-9 && (r - rho).abs() < 1e-9, "{t} {r}");
        };
        close(Axis::new(0.5f64.to_radians(), 3.0), 0.5, 3.0);
        close(Axis::new(-0.5f64.to_radians(), 3.0), 179.5, -3.0);
        close(Axis { cos: -1.0, sin: 0.0, rho: 5.0 }, 0.0, -5.0);
        close(Axis { cos: -1.0, sin: -0.0, rho: 5.0 }, 0.0, -5.0);
    }

    #[test]
    fn a_chord_ends_at_the_border() {
        let chord = Axis { cos: 0.0, sin: 1.0, rho: 3.0 }.chord([10.0, 5.0]).unwrap();
        assert_eq!(chord.map(|p| p[1]), [3.0, 3.0]);
        assert!((length(chord[0], chord[1]) - 10.0).abs() < 1e-12);
        assert!(Axis { cos: 0.0, sin: 1.0, rho: 5.0 }.chord([10.0, 5.0]).is_none());
    }
}
