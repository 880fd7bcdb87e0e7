//! Quantities of a plane that surveyors use.

use crate::orient::{margin, upward};
use crate::outline::{PlaneFrame, smallest_rectangle};
use crate::plane::Plane;
use serde::Serialize;

/// Slope, aspect and size of a plane.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Measures {
    /// Angle to the horizontal in degrees: 0 for a level plane, 90 for a wall.
    pub slope: f64,
    /// Compass direction of the steepest descent in degrees, clockwise from north (`y`) to east (`x`),
    /// `0 ≤ aspect < 360`; for an upright plane, the direction of its normal. `None` for a level plane: one
    /// whose slope is within three standard errors of 0, and at most 0.6 degrees.
    pub aspect: Option<f64>,
    /// Longer side of the smallest rectangle around the outlines of all pieces, in the cloud's unit.
    pub length: f64,
    /// Shorter side of that rectangle.
    pub width: f64,
}

impl Measures {
    /// The measures of a plane, with `z` upwards.
    pub fn of(plane: &Plane) -> Measures {
        let [x, y, z] = plane.normal;
        let margin = margin(plane.normal_error.map(f64::to_radians));
        let level = x.hypot(y);
        // Water runs to where the upper side faces; an upright plane has no upper side.
        let side = if z < -margin { -1.0 } else { 1.0 };
        let aspect = (side * x).atan2(side * y).to_degrees().rem_euclid(360.0);
        let [length, width] = size(plane);
        Measures {
            slope: level.atan2(z.abs()).to_degrees(),
            // The remainder of a tiny negative angle rounds to 360.
            aspect: (level > margin).then_some(if aspect < 360.0 { aspect } else { 0.0 }),
            length,
            width,
        }
    }
}

/// Length and width of the smallest rectangle around a plane's outlines.
fn size(plane: &Plane) -> [f64; 2] {
    let rings = plane.pieces.iter().map(|piece| &piece.boundary.exterior);
    // Relative to a vertex, so that large survey coordinates cost no digits.
    let Some(&first) = rings.clone().flatten().next() else { return [0.0; 2] };
    // The same whichever side the normal points to.
    let upward = upward(plane.normal, plane.normal_error.map(f64::to_radians));
    let frame = PlaneFrame::new(upward, first);
    let flat: Vec<[f64; 2]> = rings.flatten().map(|&vertex| frame.project(vertex)).collect();
    smallest_rectangle(&flat)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plane::{Piece, Polygon};

    fn plane(normal: [f64; 3], normal_error: Option<f64>, corners: &[[f64; 3]]) -> Plane {
        let boundary = Polygon { exterior: corners.to_vec(), holes: Vec::new() };
        let pieces = vec![Piece { boundary, ..Piece::default() }];
        Plane { normal_error, pieces, ..Plane::with_normal(normal) }
    }

    #[test]
    fn slope_and_aspect_are_those_of_the_water() {
        let h = 0.5f64.sqrt();
        for (normal, slope, aspect) in [
            ([0.0, 0.0, 1.0], 0.0, None),
            ([0.0, 0.0, -1.0], 0.0, None),
            ([0.0, h, h], 45.0, Some(0.0)),
            ([h, 0.0, h], 45.0, Some(90.0)),
            ([-h, 0.0, -h], 45.0, Some(90.0)),
            ([0.0, -h, h], 45.0, Some(180.0)),
            ([-1.0, 0.0, -1e-9], 90.0, Some(270.0)),
            ([0.0, 1.0, 0.0], 90.0, Some(0.0)),
        ] {
            let found = Measures::of(&plane(normal, None, &[]));
            assert!((found.slope - slope).abs() < 1e-6, "{normal:?}: {found:?}");
            let near = |a: f64, b: f64| (a - b).abs() < 1e-6;
            assert!(
                match (found.aspect, aspect) {
                    (Some(a), Some(b)) => near(a, b),
                    (a, b) => a == b,
                },
                "{normal:?}: {found:?}"
            );
        }
    }

    #[test]
    fn what_is_level_within_its_error_has_no_aspect() {
        let floor = [0.0001, 0.0, 1.0];
        assert_eq!(Measures::of(&plane(floor, Some(0.002), &[])).aspect, None);
        assert_eq!(Measures::of(&plane(floor, Some(0.0001), &[])).aspect, Some(90.0));
    }

    #[test]
    fn the_size_is_that_of_the_outline() {
        let corners = [[5e5, 4e6, 0.0], [5e5 + 3.0, 4e6, 0.0], [5e5 + 3.0, 4e6, 2.0]];
        let found = Measures::of(&plane([0.0, 1.0, 0.0], None, &corners));
        assert!((found.length - 13f64.sqrt()).abs() < 1e-9 || (found.length - 3.0).abs() < 1e-9);
        assert!((found.length * found.width - 6.0).abs() < 1e-9);
    }
}
