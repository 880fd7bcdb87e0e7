//! The directions of the lines of an image, and how they continue across their seam.
//!
//! `(θ, ρ)` and `(θ ± 180°, −ρ)` are the same line. So the first direction follows the last one, and the last
//! precedes the first, with the sign of the distance changed. `kernels/lines.cu` follows the same rule.

use super::angle::sin_cos_degrees;

/// The directions of the lines of an image, `(cos θ, sin θ, 0)` with `θ` in `steps` equal steps over
/// 180°.
pub fn half_turn(steps: u32) -> Vec<[f64; 3]> {
    let direction = |i: u32| {
        let (sin, cos) = sin_cos_degrees(180.0 * f64::from(i) / f64::from(steps));
        [cos, sin, 0.0]
    };
    (0..steps).map(direction).collect()
}

/// The row whose direction is nearest to a vector or to its opposite, among `rows` rows over half a turn.
pub(crate) fn nearest_row([x, y]: [f64; 2], rows: usize) -> u32 {
    let turn = y.atan2(x) / std::f64::consts::PI * rows as f64;
    (turn.round() as i64).rem_euclid(rows as i64) as u32
}

/// Brings a place before the first row or after the last one back into a space with this many rows over half
/// a turn, and with bins around zero.
pub(crate) fn across_the_seam([rows, bins]: [isize; 2], [row, r]: [isize; 2]) -> [isize; 2] {
    if (0..rows).contains(&row) { [row, r] } else { [row.rem_euclid(rows), bins - 1 - r] }
}

/// A line with its angle, given from −180 to 180 degrees, brought to at least 0 and below 180.
pub(crate) fn in_half_turn((theta, rho): (f64, f64)) -> (f64, f64) {
    let (theta, rho) = if theta < 0.0 { (theta + 180.0, -rho) } else { (theta, rho) };
    if theta >= 180.0 { (theta - 180.0, -rho) } else { (theta, rho) }
}

/// A line with its angle brought near that of another line; both are given from 0 to 180 degrees.
pub(crate) fn turned_towards(other: f64, (theta, rho): (f64, f64)) -> (f64, f64) {
    match theta - other {
        turn if turn > 90.0 => (theta - 180.0, -rho),
        turn if turn < -90.0 => (theta + 180.0, -rho),
        _ => (theta, rho),
    }
}

#[cfg(test)]
mod tests {
    use super::super::polar;
    use super::*;

    #[test]
    fn lines_are_the_equator_of_planes() {
        let equator: Vec<[f64; 3]> =
            polar::table(36, 2)[36..].iter().map(|d| d.map(|v| v + 0.0)).collect();
        assert_eq!(half_turn(36), equator);
    }

    #[test]
    fn every_direction_is_next_to_itself_and_its_opposite() {
        for (row, [x, y, _]) in (0..).zip(half_turn(36)) {
            assert_eq!(nearest_row([x, y], 36), row);
            assert_eq!(nearest_row([-x, -y], 36), row);
        }
    }

    #[test]
    fn rows_go_on_across_the_seam_with_their_bins_turned_around() {
        let across = |place| across_the_seam([36, 9], place);
        assert_eq!(across([35, 2]), [35, 2]);
        assert_eq!(across([36, 2]), [0, 6]);
        assert_eq!(across([-1, 6]), [35, 2]);
    }

    #[test]
    fn a_line_has_two_angles() {
        assert_eq!(in_half_turn((-30.0, 5.0)), (150.0, -5.0));
        assert_eq!(in_half_turn((180.0, 5.0)), (0.0, -5.0));
        assert_eq!(in_half_turn((30.0, 5.0)), (30.0, 5.0));
        assert_eq!(turned_towards(0.0, (179.0, 5.0)), (-1.0, -5.0));
        assert_eq!(turned_towards(178.0, (1.0, 5.0)), (181.0, -5.0));
        assert_eq!(turned_towards(90.0, (1.0, 5.0)), (1.0, 5.0));
    }
}
