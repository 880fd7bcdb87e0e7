//! The plane of least squared distances through points in input coordinates.

use super::flat::Flat;
use nalgebra::{Matrix3, SymmetricEigen, Vector3};

/// The plane through the finite points of `points` and their root mean square distance from it;
/// `None` below three points.
///
/// Coordinates are taken relative to the mean, so that survey coordinates lose no precision.
pub(super) fn fit(points: impl Iterator<Item = [f64; 3]> + Clone) -> Option<(Flat, f64)> {
    let finite = points.filter(|p| p.iter().all(|v| v.is_finite())).map(Vector3::from);
    let first = finite.clone().next()?;
    let (mut n, mut sum) = (0.0, Vector3::zeros());
    for p in finite.clone() {
        n += 1.0;
        sum += p - first;
    }
    if n < 3.0 {
        return None;
    }
    let mean = first + sum / n;
    let mut covariance = Matrix3::zeros();
    for p in finite {
        let d = p - mean;
        covariance += d * d.transpose();
    }
    if !covariance.iter().all(|v| v.is_finite()) {
        return None;
    }
    let eigen = SymmetricEigen::new(covariance / n);
    let least = eigen.eigenvalues.imin();
    let normal = eigen.eigenvectors.column(least);
    let normal = Vector3::new(normal[0], normal[1], normal[2]);
    let flat = Flat { normal: normal.into(), offset: normal.dot(&mean), centroid: mean.into() };
    Some((flat, eigen.eigenvalues[least].max(0.0).sqrt()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_noise_is_measured_along_the_normal() {
        // A grid with every point doubled, 0.5 above and below its plane x = 500 000.
        let points = (0..200).map(|i| {
            let [y, z] = [i / 2 % 10, i / 20].map(f64::from);
            [500_000.0 + f64::from(i % 2) - 0.5, y, z]
        });
        let (flat, rmse) = fit(points).unwrap();
        assert_eq!(flat.normal.map(f64::abs), [1.0, 0.0, 0.0]);
        assert_eq!(flat.offset.abs(), 500_000.0);
        assert_eq!(flat.centroid, [500_000.0, 4.5, 4.5]);
        assert_eq!(rmse, 0.5);
    }

    #[test]
    fn points_that_are_not_finite_are_left_out() {
        let bad = [f64::NAN, 0.0, 0.0];
        let three = [[0.0, 0.0, 2.0], [1.0, 0.0, 2.0], [0.0, 1.0, 2.0]];
        let (flat, _) = fit(three.into_iter().chain([bad])).unwrap();
        assert_eq!(flat.normal.map(f64::abs), [0.0, 0.0, 1.0]);
        assert_eq!(fit([three[0], three[1], bad].into_iter()), None);
        assert_eq!(fit([[f64::MAX, 0.0, 0.0], [-f64::MAX, 1.0, 0.0], [0.0; 3]].into_iter()), None);
    }
}
