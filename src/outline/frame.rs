//! A coordinate frame on a plane.

use crate::vector::{cross, dot};

/// A right-handed frame on a plane: the point of input coordinates `p` has the in-plane coordinates
/// `(e1 · (p − origin), e2 · (p − origin))`.
///
/// The axes follow from the normal alone, so that the same plane always has the same frame. Except
/// on nearly level planes `e1` is level and `e2` points upwards.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PlaneFrame {
    /// The point on the plane whose in-plane coordinates are `(0, 0)`, in input coordinates.
    pub origin: [f64; 3],
    /// Unit vector of the first in-plane axis.
    pub e1: [f64; 3],
    /// Unit vector of the second in-plane axis.
    pub e2: [f64; 3],
    /// Unit normal, `e1 × e2`.
    pub normal: [f64; 3],
}

/// Planes steeper than this cosine against the vertical count as walls: their `e1` is level.
const NEARLY_LEVEL: f64 = 0.9;

impl PlaneFrame {
    /// The frame of the plane through `origin` with this `normal`, which need not be of unit length.
    ///
    /// A normal with no direction (zero, or not finite) counts as `(0, 0, 1)`.
    pub fn new(normal: [f64; 3], origin: [f64; 3]) -> PlaneFrame {
        let normal = unit(normal).unwrap_or([0.0, 0.0, 1.0]);
        let helper =
            if normal[2].abs() < NEARLY_LEVEL { [0.0, 0.0, 1.0] } else { [0.0, -1.0, 0.0] };
        let e1 = unit(cross(helper, normal)).unwrap_or([1.0, 0.0, 0.0]);
        let e2 = cross(normal, e1);
        PlaneFrame { origin, e1, e2, normal }
    }

    /// The in-plane coordinates of the foot of `point` (input coordinates) on the plane.
    pub fn project(&self, point: [f64; 3]) -> [f64; 2] {
        let d = [point[0] - self.origin[0], point[1] - self.origin[1], point[2] - self.origin[2]];
        [dot(d, self.e1), dot(d, self.e2)]
    }

    /// The point of input coordinates at the in-plane coordinates `[u, v]`.
    pub fn lift(&self, [u, v]: [f64; 2]) -> [f64; 3] {
        std::array::from_fn(|k| self.origin[k] + (u * self.e1[k] + v * self.e2[k]))
    }
}

fn unit(a: [f64; 3]) -> Option<[f64; 3]> {
    let length = dot(a, a).sqrt();
    (length.is_finite() && length > 0.0).then(|| a.map(|x| x / length))
}

#[cfg(test)]
mod tests {
    use super::*;

    const NORMALS: [[f64; 3]; 6] = [
        [0.0, 0.0, 1.0],
        [0.0, 0.0, -1.0],
        [1.0, 0.0, 0.0],
        [0.6, 0.0, 0.8],
        [-0.3, 0.9, 0.2],
        [1e-9, -1e-9, 1.0],
    ];

    #[test]
    fn axes_are_orthonormal_and_right_handed() {
        for normal in NORMALS {
            let f = PlaneFrame::new(normal, [0.0; 3]);
            assert!((dot(f.e1, f.e1) - 1.0).abs() < 1e-15);
            assert!((dot(f.e2, f.e2) - 1.0).abs() < 1e-15);
            assert!(dot(f.e1, f.e2).abs() < 1e-15);
            let n = cross(f.e1, f.e2);
            assert!((dot(n, f.normal) - 1.0).abs() < 1e-15, "{normal:?}");
        }
    }

    #[test]
    fn a_wall_has_a_level_first_axis_and_an_upward_second() {
        let f = PlaneFrame::new([0.6, 0.8, 0.0], [0.0; 3]);
        assert_eq!(f.e1[2], 0.0);
        assert_eq!(f.e2, [0.0, 0.0, 1.0]);
        assert_eq!(PlaneFrame::new([0.0, 0.0, 1.0], [0.0; 3]).e1, [1.0, 0.0, 0.0].map(|x: f64| -x));
    }

    #[test]
    fn lifting_a_projection_gives_the_point_at_survey_coordinates() {
        let origin = [500_000.0, 4_600_000.0, 300.0];
        for normal in NORMALS {
            let f = PlaneFrame::new(normal, origin);
            let p = f.lift([12.5, -3.25]);
            let [u, v] = f.project(p);
            assert!((u - 12.5).abs() < 2e-9 && (v + 3.25).abs() < 2e-9, "{normal:?}");
        }
    }

    #[test]
    fn a_normal_without_direction_counts_as_up() {
        let up = PlaneFrame::new([0.0, 0.0, 1.0], [0.0; 3]);
        assert_eq!(PlaneFrame::new([0.0; 3], [0.0; 3]), up);
        assert_eq!(PlaneFrame::new([f64::NAN, 0.0, 0.0], [0.0; 3]), up);
    }
}
