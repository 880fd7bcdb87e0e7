//! The position and rotation of a scan.

use e57::Transform;

/// The rotation and translation from a scan's own coordinates to those of the file.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Pose {
    rows: [[f64; 3]; 3],
    pub(super) translation: [f64; 3],
}

impl Pose {
    /// The pose in the file; `None` if it is not a rotation and a finite translation.
    pub(super) fn new(transform: &Transform) -> Option<Pose> {
        let (q, t) = (&transform.rotation, &transform.translation);
        let length = (q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z).sqrt();
        // Adding zero makes −0 the same as 0.
        let translation = [t.x, t.y, t.z].map(|v| v + 0.0);
        if !length.is_normal() || !translation.iter().all(|v| v.is_finite()) {
            return None;
        }
        let [w, x, y, z] = [q.w, q.x, q.y, q.z].map(|v| v / length);
        let rows = [
            [1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y - w * z), 2.0 * (x * z + w * y)],
            [2.0 * (x * y + w * z), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z - w * x)],
            [2.0 * (x * z - w * y), 2.0 * (y * z + w * x), 1.0 - 2.0 * (x * x + y * y)],
        ];
        Some(Pose { rows, translation })
    }

    /// Whether the pose moves no point.
    pub(super) fn is_identity(&self) -> bool {
        let rows = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
        *self == Pose { rows, translation: [0.0; 3] }
    }

    /// Moves points into the frame of the file.
    pub(super) fn apply(&self, [x, y, z]: [&mut [f64]; 3]) {
        for ((x, y), z) in x.iter_mut().zip(y).zip(z) {
            let p = [*x, *y, *z];
            let moved = |axis: usize| {
                let [a, b, c] = self.rows[axis];
                a * p[0] + b * p[1] + c * p[2] + self.translation[axis]
            };
            [*x, *y, *z] = [moved(0), moved(1), moved(2)];
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use e57::{Quaternion, Translation};

    fn pose(w: f64, x: f64, y: f64, z: f64) -> Option<Pose> {
        let translation = Translation { x: 10.0, y: 20.0, z: 30.0 };
        Pose::new(&Transform { rotation: Quaternion { w, x, y, z }, translation })
    }

    #[test]
    fn a_quarter_about_z_takes_x_to_y() {
        // The quaternion need not have length 1: files round it.
        let pose = pose(3.0, 0.0, 0.0, 3.0).unwrap();
        let [mut x, mut y, mut z] = [[1.0], [0.0], [5.0]];
        pose.apply([&mut x, &mut y, &mut z]);
        let moved = [x[0], y[0], z[0]].map(|v| (v * 1e12_f64).round() / 1e12);
        assert_eq!(moved, [10.0, 21.0, 35.0]);
    }

    #[test]
    fn what_is_no_rotation_is_no_pose() {
        assert_eq!(pose(0.0, 0.0, 0.0, 0.0), None);
        assert_eq!(pose(f64::NAN, 0.0, 0.0, 1.0), None);
        assert!(!pose(1.0, 0.0, 0.0, 0.0).unwrap().is_identity());
        assert!(Pose::new(&Transform::default()).unwrap().is_identity());
    }
}
