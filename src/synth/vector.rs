//! The little arithmetic of 3D that the scenes need, in operations that round the same everywhere.

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
    // Divided, so that a vector along an axis gives a one that is exact.
    let length = length(a);
    a.map(|v| v / length)
}

/// Two unit vectors that form a right-handed frame with the unit vector `n`.
pub(super) fn frame(n: Vec3) -> (Vec3, Vec3) {
    let helper = if n[2].abs() < 0.9 { [0.0, 0.0, 1.0] } else { [1.0, 0.0, 0.0] };
    let u = unit(cross(helper, n));
    (u, cross(n, u))
}

/// Cosine and sine of the angle whose half has this tangent.
pub(super) fn turn(half_tangent: f64) -> (f64, f64) {
    let square = half_tangent * half_tangent;
    ((1.0 - square) / (1.0 + square), 2.0 * half_tangent / (1.0 + square))
}

/// A rotation about the vertical and a shift.
#[derive(Debug, Clone, Copy)]
pub(super) struct Pose {
    cosine: f64,
    sine: f64,
    shift: Vec3,
}

impl Pose {
    /// Shifted, not turned.
    pub(super) fn at(shift: Vec3) -> Self {
        Pose { cosine: 1.0, sine: 0.0, shift }
    }

    /// Turned by the angle whose half has this tangent, then shifted.
    pub(super) fn turned(half_tangent: f64, shift: Vec3) -> Self {
        let (cosine, sine) = turn(half_tangent);
        Pose { cosine, sine, shift }
    }

    /// Turned by 180°, then shifted.
    pub(super) fn reversed(shift: Vec3) -> Self {
        Pose { cosine: -1.0, sine: 0.0, shift }
    }

    /// A direction of the inner frame, seen from outside.
    pub(super) fn direction(&self, d: Vec3) -> Vec3 {
        [self.cosine * d[0] - self.sine * d[1], self.sine * d[0] + self.cosine * d[1], d[2]]
    }

    /// A point of the inner frame, seen from outside.
    pub(super) fn point(&self, p: Vec3) -> Vec3 {
        plus(self.direction(p), self.shift)
    }

    /// `inner` first, then this.
    pub(super) fn after(&self, inner: &Pose) -> Pose {
        let axis = self.direction([inner.cosine, inner.sine, 0.0]);
        Pose { cosine: axis[0], sine: axis[1], shift: self.point(inner.shift) }
    }
}
