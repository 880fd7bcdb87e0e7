//! Exact sines and cosines.

/// Sine and cosine of an angle in degrees, exact at multiples of 90° and with exact symmetry, so
/// that mirrored directions are mirrored to the bit.
pub(super) fn sin_cos_degrees(degrees: f64) -> (f64, f64) {
    let turn = degrees.rem_euclid(360.0);
    let quarter = (turn / 90.0).floor();
    let rest = turn - quarter * 90.0;
    // In the upper half of a quarter the roles swap: sin(90° − a) is computed as cos(a).
    let (s, c) = if rest < 45.0 {
        rest.to_radians().sin_cos()
    } else if rest > 45.0 {
        let (s, c) = (90.0 - rest).to_radians().sin_cos();
        (c, s)
    } else {
        (std::f64::consts::FRAC_1_SQRT_2, std::f64::consts::FRAC_1_SQRT_2)
    };
    match quarter as u32 {
        0 => (s, c),
        1 => (c, -s),
        2 => (-s, -c),
        _ => (-c, s),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quarters_are_exact_and_mirrored() {
        assert_eq!(sin_cos_degrees(90.0), (1.0, 0.0));
        assert_eq!(sin_cos_degrees(180.0), (0.0, -1.0));
        for degrees in 1..90 {
            let a = f64::from(degrees);
            let (s, c) = sin_cos_degrees(a);
            assert_eq!(sin_cos_degrees(180.0 - a), (s, -c));
            assert_eq!(sin_cos_degrees(90.0 - a), (c, s));
            assert!((s - a.to_radians().sin()).abs() < 1e-15);
        }
    }
}
