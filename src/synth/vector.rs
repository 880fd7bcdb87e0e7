//! 3D vector arithmetic for the scenes, in operations that round the same way everywhere.

pub(super) use crate::vector::{Vec3, cross, dot, minus};

pub(super) fn plus(a: Vec3, b: Vec3) -> Vec3 {
    [a[0] + b[0], a[1] + b[1], a[2] + b[2]]
}

pub(super) fn scaled(a: Vec3, factor: f64) -> Vec3 {
    [a[0] * factor, a[1] * factor, a[2] * factor]
}

pub(super) fn length(a: Vec3) -> f64 {
    dot(a, a).sqrt()
}

pub(super) fn unit(a: Vec3) -> Vec3 {
    // Divided, so that a vector along an axis becomes exactly 1.
    let length = length(a);
    a.map(|v| v / length)
}

/// Two unit vectors that form a right-handed frame with the unit vector `n`.
pub(super) fn frame(n: Vec3) -> (Vec3, Vec3) {
    let helper = if n[2].abs() < 0.9 { [0.0, 0.0, 1.0] } else { [1.0, 0.0, 0.0] };
    let u = unit(cross(helper, n));
    (u, cross(n, u))
}

/// Cosine and sine of an angle, given the tangent of its half.
pub(super) fn turn(half_tangent: f64) -> (f64, f64) {
    let square = half_tangent * half_tangent;
    ((1.0 - square) / (1.0 + square), 2.0 * half_tangent / (1.0 + square))
}

/// Cosine and sine of a fraction of a full turn.
///
/// Not the library's functions, which differ between machines in the last place.
pub(super) fn circle(turns: f64) -> (f64, f64) {
    let quarters = turns * 4.0;
    let nearest = quarters.round();
    let angle = (quarters - nearest) * std::f64::consts::FRAC_PI_2;
    // At most an eighth of a turn: nine terms are exact.
    let square = angle * angle;
    let series = |first: i32| {
        (0..9).rev().fold(0.0, |sum, term| {
            let next = f64::from(2 * term + first + 1);
            1.0 - square / (next * (next + 1.0)) * sum
        })
    };
    let (cosine, sine) = (series(0), angle * series(1));
    match nearest.rem_euclid(4.0) as u8 {
        0 => (cosine, sine),
        1 => (-sine, cosine),
        2 => (-cosine, -sine),
        _ => (sine, -cosine),
    }
}

/// A rotation about the vertical and a shift.
#[derive(Debug, Clone, Copy)]
pub(super) struct Pose {
    cosine: f64,
    sine: f64,
    shift: Vec3,
}

impl Pose {
    /// A shift without rotation.
    pub(super) fn at(shift: Vec3) -> Self {
        Pose { cosine: 1.0, sine: 0.0, shift }
    }

    /// A rotation by the angle whose half has this tangent, then a shift.
    pub(super) fn turned(half_tangent: f64, shift: Vec3) -> Self {
        let (cosine, sine) = turn(half_tangent);
        Pose { cosine, sine, shift }
    }

    /// A rotation by 180°, then a shift.
    pub(super) fn reversed(shift: Vec3) -> Self {
        Pose { cosine: -1.0, sine: 0.0, shift }
    }

    /// A direction of the inner frame, in the outer frame.
    pub(super) fn direction(&self, d: Vec3) -> Vec3 {
        [self.cosine * d[0] - self.sine * d[1], self.sine * d[0] + self.cosine * d[1], d[2]]
    }

    /// A point of the inner frame, in the outer frame.
    pub(super) fn point(&self, p: Vec3) -> Vec3 {
        plus(self.direction(p), self.shift)
    }

    /// Applies `inner` first, then this pose.
    pub(super) fn after(&self, inner: &Pose) -> Pose {
        let axis = self.direction([inner.cosine, inner.sine, 0.0]);
        Pose { cosine: axis[0], sine: axis[1], shift: self.point(inner.shift) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_circle_agrees_with_the_library() {
        for i in -4000..4000 {
            let turns = f64::from(i) / 1237.0;
            let (cosine, sine) = circle(turns);
            let angle = turns * std::f64::consts::TAU;
            assert!((cosine - angle.cos()).abs() < 4e-15, "{turns}");
            assert!((sine - angle.sin()).abs() < 4e-15, "{turns}");
        }
        assert_eq!(circle(0.25), (0.0, 1.0));
        assert_eq!(circle(0.0), (1.0, 0.0));
    }
}
