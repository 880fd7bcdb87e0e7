//! Directions spread evenly over the half-sphere.

use super::angle::sin_cos_degrees;

/// Rings `step` degrees apart from the pole `+z` to the equator. Each ring has as many directions as fit at
/// that spacing; the equator has only its half `0° ≤ θ < 180°`.
pub(super) fn table(step: f64) -> Vec<[f64; 3]> {
    let rings = (90.0 / step).round().max(1.0) as u32;
    let mut directions = vec![[0.0, 0.0, 1.0]];
    for ring in 1..=rings {
        let (sin_phi, cos_phi) = sin_cos_degrees(90.0 * f64::from(ring) / f64::from(rings));
        let whole = ((360.0 / step) * sin_phi).round().max(3.0) as u32;
        // An even count on the equator, so that half of it is a whole number.
        let (count, full) =
            if ring == rings { (whole.div_ceil(2), 2 * whole.div_ceil(2)) } else { (whole, whole) };
        for i in 0..count {
            let (sin_theta, cos_theta) = sin_cos_degrees(360.0 * f64::from(i) / f64::from(full));
            directions.push([sin_phi * cos_theta, sin_phi * sin_theta, cos_phi]);
        }
    }
    directions
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every direction of the sphere has a table entry, or its opposite, within the spacing.
    #[test]
    fn the_half_sphere_is_covered_evenly() {
        for step in [1.0, 2.0, 7.0] {
            let table = table(step);
            let expected = 20_626.0 / (step * step);
            assert!((table.len() as f64 / expected - 1.0).abs() < 0.1, "{step}: {}", table.len());
            let reach = (0.75 * step).to_radians().cos();
            for i in 0..997 {
                // A spiral over the sphere.
                let z = 1.0 - 2.0 * (f64::from(i) + 0.5) / 997.0;
                let (s, c) = (2.399_963 * f64::from(i)).sin_cos();
                let r = (1.0 - z * z).sqrt();
                let best = table
                    .iter()
                    .map(|d| (d[0] * r * c + d[1] * r * s + d[2] * z).abs())
                    .fold(0.0, f64::max);
                assert!(best >= reach, "step {step}: nearest at {}", best.acos().to_degrees());
            }
        }
    }
}
