//! The papers' grid of `θ` and `φ`.

use super::angle::sin_cos_degrees;

/// `theta × phi` directions `(sin φ cos θ, sin φ sin θ, cos φ)` over 180° each; `θ` runs fastest.
///
/// With steps of 1° this is the half-sphere `y ≥ 0`. Its row `φ = 0` is one direction many times.
pub(super) fn table(theta: u32, phi: u32) -> Vec<[f64; 3]> {
    let angles = |n: u32| (0..n).map(move |i| 180.0 * f64::from(i) / f64::from(n));
    let mut directions = Vec::with_capacity(theta as usize * phi as usize);
    for p in angles(phi) {
        let (sin_phi, cos_phi) = sin_cos_degrees(p);
        for t in angles(theta) {
            let (sin_theta, cos_theta) = sin_cos_degrees(t);
            directions.push([sin_phi * cos_theta, sin_phi * sin_theta, cos_phi]);
        }
    }
    directions
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_index_is_phi_times_theta() {
        let table = table(180, 180);
        assert_eq!(table.len(), 32400);
        assert_eq!(table[90 * 180], [1.0, 0.0, 0.0]);
        assert_eq!(table[90 * 180 + 90], [0.0, 1.0, 0.0]);
        assert!(table[..180].iter().all(|&d| d == [0.0, 0.0, 1.0]));
    }
}
