//! Which way is up.

use crate::detection::Detection;
use crate::{Error, Result};
use std::fmt;
use std::str::FromStr;

/// Which coordinate points up.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Up {
    /// The third, unless the planes indicate another: see [`Up::of`].
    #[default]
    Auto,
    /// The first.
    X,
    /// The second, as in many models of buildings.
    Y,
    /// The third, as in surveys.
    Z,
}

/// Cosine of 10°, the largest angle between an axis and the normal of a plane across it.
const ACROSS: f64 = 0.985;
/// The planes across another axis must have this many times the area of the planes across `z`.
const CLEARLY: f64 = 1.5;
/// The ceiling has at least this share of the floor's area.
const CEILING: f64 = 0.3;
/// A cloud this many times its own size away from zero has survey coordinates.
const FAR: f64 = 20.0;

impl Up {
    /// The axis that points up in a cloud. For [`Up::Auto`] it is `z`, unless all of this holds for `x` or
    /// `y`: the planes across it have clearly more area than those across `z`, it is not the longer of
    /// the two, and two large planes across it, a floor and a ceiling, are far apart. In survey coordinates,
    /// far from zero, `z` is up.
    pub fn of(self, detection: &Detection) -> Up {
        match self {
            Up::Auto if is_surveyed(detection) => Up::Z,
            Up::Auto => {
                let area = [0, 1, 2].map(|axis| across(detection, axis).map(|p| p.0).sum::<f64>());
                let speaks = |&axis: &usize| {
                    area[axis] > CLEARLY * area[2]
                        && side(detection, axis) <= side(detection, 2)
                        && has_ceiling(detection, axis)
                };
                let other = [1, 0].into_iter().filter(speaks);
                match other.max_by(|&a, &b| area[a].total_cmp(&area[b])) {
                    Some(0) => Up::X,
                    Some(_) => Up::Y,
                    None => Up::Z,
                }
            }
            given => given,
        }
    }
}

fn side(detection: &Detection, axis: usize) -> f64 {
    detection.input.max[axis] - detection.input.min[axis]
}

/// Whether the coordinates are those of a national grid.
fn is_surveyed(detection: &Detection) -> bool {
    let size = (0..3).map(|axis| side(detection, axis)).fold(0.0, f64::max);
    (0..2).any(|axis| detection.input.min[axis].abs() > FAR * size)
}

/// Area and position of the planes across an axis.
fn across(detection: &Detection, axis: usize) -> impl Iterator<Item = (f64, f64)> {
    let planes = detection.planes.iter().filter(move |p| p.normal[axis].abs() > ACROSS);
    planes.map(move |p| (p.area, p.centroid[axis]))
}

/// Whether another plane across an axis, nearly as large as the largest one, is far away from it.
fn has_ceiling(detection: &Detection, axis: usize) -> bool {
    let largest = across(detection, axis).max_by(|a, b| a.0.total_cmp(&b.0));
    largest.is_some_and(|(area, at)| {
        let away = |place: f64| (place - at).abs() > 0.2 * side(detection, axis);
        across(detection, axis).any(|(a, place)| a > CEILING * area && away(place))
    })
}

impl fmt::Display for Up {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(match self {
            Up::Auto => "auto",
            Up::X => "x",
            Up::Y => "y",
            Up::Z => "z",
        })
    }
}

impl FromStr for Up {
    type Err = Error;

    fn from_str(text: &str) -> Result<Up> {
        let all = [Up::Auto, Up::X, Up::Y, Up::Z];
        let wrong = || Error::Parameter(format!("'{text}' is none of auto, x, y and z"));
        all.into_iter().find(|up| up.to_string() == text).ok_or_else(wrong)
    }
}
