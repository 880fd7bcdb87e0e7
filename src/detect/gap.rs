//! The gaps between parts of planes.

use crate::surface::moments::{Fit, Moments, PAIRS};
use crate::vector::{Vec3, dot, minus};

/// Where the points of a part lie, and how widely they are spread.
#[derive(Debug, Clone, Copy)]
pub(super) struct Extent {
    centroid: Vec3,
    /// Their covariance xx, xy, xz, yy, yz, zz.
    covariance: [f64; 6],
    /// Normal of their plane.
    normal: Vec3,
}

impl Extent {
    /// The extent of points; `None` if they have no plane.
    pub(super) fn of(sums: &Moments) -> Option<Extent> {
        let Fit { centroid, normal, .. } = sums.fit()?;
        Some(Extent { centroid, covariance: sums.covariance()?, normal })
    }

    /// Distance of the centroids along the plane, over the sum of the standard deviations along the line between them. For two squares
    /// side by side it is 1.7.
    fn apart(&self, other: &Extent) -> f64 {
        let line = minus(other.centroid, self.centroid);
        let height = dot(line, self.normal);
        let line = minus(line, self.normal.map(|c| height * c));
        let deviations = self.along(line).sqrt() + other.along(line).sqrt();
        dot(line, line) / deviations.max(f64::MIN_POSITIVE)
    }

    /// The variance along a line, times its squared length.
    fn along(&self, line: Vec3) -> f64 {
        let twice = |(a, b)| if a == b { 1.0 } else { 2.0 };
        let term = |(c, (a, b)): (f64, (usize, usize))| twice((a, b)) * c * line[a] * line[b];
        self.covariance.into_iter().zip(PAIRS).map(term).sum::<f64>().max(0.0)
    }
}

/// How far apart the nearest parts of two planes are. All parts of a plane together are so wide that everything between them would seem to be
/// near.
pub(super) fn nearest(a: &[Extent], b: &[Extent]) -> f64 {
    let pairs = a.iter().flat_map(|a| b.iter().map(move |b| a.apart(b)));
    pairs.fold(f64::INFINITY, f64::min)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A level rectangle.
    fn rectangle([x, y]: [i64; 2], size: [i64; 2]) -> Extent {
        lifted([x, y, 7], size)
    }

    fn lifted([x, y, z]: [i64; 3], [width, height]: [i64; 2]) -> Extent {
        let mut sums = Moments::default();
        for i in 0..10_000 {
            sums.add([x + i % 100 * width / 100, y + i / 100 * height / 100, z]);
        }
        Extent::of(&sums).unwrap()
    }

    #[test]
    fn gaps_are_measured_by_widths_along_them() {
        let square = rectangle([0, 0], [1000, 1000]);
        let beside = |x, y, size| square.apart(&rectangle([x, y], size));
        assert!((beside(1000, 0, [1000, 1000]) - 1.732).abs() < 1e-3);
        assert!((beside(1000, 1000, [1000, 1000]) - 2.449).abs() < 1e-3);
        // Height is no gap.
        assert!(square.apart(&lifted([0, 0, 500], [1000, 1000])) < 1e-9);
        assert!((square.apart(&lifted([1000, 0, 500], [1000, 1000])) - 1.732).abs() < 1e-3);
        // Across a long one its length does not count, and along it does.
        let long = rectangle([0, 0], [6000, 1000]);
        assert!((long.apart(&rectangle([0, 2000], [6000, 1000])) - 3.464).abs() < 1e-3);
        assert!((long.apart(&rectangle([7000, 0], [6000, 1000])) - 2.021).abs() < 1e-3);
    }

    #[test]
    fn the_nearest_parts_count() {
        let at = |x| rectangle([x, 0], [1000, 1000]);
        let gap = nearest(&[at(0), at(9000)], &[at(10_000), at(40_000)]);
        assert!((gap - 1.732).abs() < 1e-3, "{gap}");
        assert_eq!(nearest(&[], &[at(0)]), f64::INFINITY);
    }
}
