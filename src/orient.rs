//! The side of a plane to which its normal points.

use crate::vector::{Vec3, dot};
use crate::{Error, Result};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// The side of a plane to which its normal points.
///
/// ```
/// use planes::orient::Orient;
///
/// assert_eq!("scanner:1,2,3".parse::<Orient>()?, Orient::Scanner(Some([1.0, 2.0, 3.0])));
/// assert_eq!(Orient::Scanner(None).to_string(), "scanner");
/// # Ok::<(), planes::Error>(())
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum Orient {
    /// Upwards: to positive `z`. For an upright plane to positive `y`, and if that is zero, too, to positive
    /// `x`.
    #[default]
    Up,
    /// Away from the local origin, which is the middle of the cloud's box.
    Offset,
    /// To a point, such as the scanner's position; for a plane through that point, upwards. `None` is the
    /// position that the file gives, else (0, 0, 0); a result always names the point.
    Scanner(Option<[f64; 3]>),
}

/// A component of a unit normal smaller than this counts as zero: it may be due to rounding.
const ROUNDING: f64 = 1e-6;
/// Standard errors within which a component of a normal counts as zero.
const ERRORS: f64 = 3.0;
/// The most that counts as zero: a plane of few points may be unsure by many degrees and yet not be upright;
/// 0.01 is 0.6°.
const MOST: f64 = 0.01;

/// Size up to which a component of a normal counts as zero, given the standard error of the normal's
/// direction in radians, if known.
///
/// Without this margin, noise would decide to which side the normal of a plumb wall points.
pub(crate) fn margin(error: Option<f64>) -> f64 {
    error.map_or(ROUNDING, |error| (ERRORS * error).clamp(ROUNDING, MOST))
}

impl Orient {
    /// The same with the point named, where `scanner` is the position that the file gives.
    pub(crate) fn resolved(self, scanner: Option<[f64; 3]>) -> Orient {
        match self {
            Orient::Scanner(None) => Orient::Scanner(Some(scanner.unwrap_or_default())),
            named => named,
        }
    }

    /// Whether the normal of the plane `normal · p = offset` must be reversed. Of the two equations of a
    /// plane, exactly one is reversed, except by [`Orient::Offset`], which leaves both: the planes found are
    /// already oriented about the local origin.
    pub(crate) fn turns(self, normal: Vec3, offset: f64, error: Option<f64>) -> bool {
        match self {
            Orient::Up => looks_down(normal, margin(error)),
            Orient::Offset => false,
            Orient::Scanner(point) => {
                let above = dot(normal, point.unwrap_or_default()) - offset;
                above < 0.0 || above == 0.0 && looks_down(normal, margin(error))
            }
        }
    }
}

/// The normal reversed if it looks down, given the standard error of its direction in radians.
pub(crate) fn upward(normal: Vec3, error: Option<f64>) -> Vec3 {
    if looks_down(normal, margin(error)) { normal.map(|v| 0.0 - v) } else { normal }
}

fn looks_down([x, y, z]: Vec3, margin: f64) -> bool {
    let first = [z, y].into_iter().find(|v| v.abs() > margin);
    first.unwrap_or(x) < 0.0
}

impl fmt::Display for Orient {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Orient::Up => f.write_str("up"),
            Orient::Offset => f.write_str("offset"),
            Orient::Scanner(None) => f.write_str("scanner"),
            Orient::Scanner(Some([x, y, z])) => write!(f, "scanner:{x},{y},{z}"),
        }
    }
}

impl FromStr for Orient {
    type Err = Error;

    fn from_str(text: &str) -> Result<Orient> {
        let wrong = || {
            let message = format!("'{text}' is none of up, offset, scanner and scanner:X,Y,Z");
            Error::Parameter(message)
        };
        match text {
            "up" => Ok(Orient::Up),
            "offset" => Ok(Orient::Offset),
            "scanner" => Ok(Orient::Scanner(None)),
            _ => {
                let place = text.strip_prefix("scanner:").ok_or_else(wrong)?;
                let parts: std::result::Result<Vec<f64>, _> =
                    place.split(',').map(|part| part.trim().parse()).collect();
                let point: [f64; 3] =
                    parts.ok().and_then(|p| p.try_into().ok()).ok_or_else(wrong)?;
                // Adding zero makes −0 the same as 0.
                let point = point.map(|v| v + 0.0);
                point
                    .iter()
                    .all(|v| v.is_finite())
                    .then_some(Orient::Scanner(Some(point)))
                    .ok_or_else(wrong)
            }
        }
    }
}

impl TryFrom<String> for Orient {
    type Error = Error;

    fn try_from(text: String) -> Result<Orient> {
        text.parse()
    }
}

impl From<Orient> for String {
    fn from(orient: Orient) -> String {
        orient.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn up_is_z_then_y_then_x() {
        let turns = |normal| Orient::Up.turns(normal, 3.0, None);
        assert!(!turns([0.6, 0.0, 0.8]) && turns([0.6, 0.0, -0.8]));
        // An upright plane, with rounding errors in the other components.
        assert!(!turns([0.0, 1.0, -1e-9]) && turns([0.0, -1.0, 1e-9]));
        assert!(!turns([1.0, -1e-9, -1e-9]) && turns([-1.0, 1e-9, 1e-9]));
    }

    #[test]
    fn a_wall_is_upright_within_its_standard_error() {
        let wall = [0.0, 1.0, -0.002];
        assert!(Orient::Up.turns(wall, 3.0, None));
        assert!(Orient::Up.turns(wall, 3.0, Some(0.0005)));
        assert!(!Orient::Up.turns(wall, 3.0, Some(0.001)));
        // A roof is not a wall, however large its error.
        assert!(Orient::Up.turns([0.0, 0.8, -0.6], 3.0, Some(2.0)));
    }

    #[test]
    fn a_plane_looks_to_the_scanner() {
        let orient = Orient::Scanner(Some([0.0, 0.0, 5.0]));
        assert!(!orient.turns([0.0, 0.0, 1.0], 2.0, None));
        assert!(orient.turns([0.0, 0.0, 1.0], 7.0, None));
        assert!(orient.turns([0.0, 0.0, -1.0], -2.0, None));
        // Through the scanner itself.
        assert!(orient.turns([0.0, -1.0, 0.0], 0.0, None));
    }

    #[test]
    fn what_is_written_is_read() {
        let point = Orient::Scanner(Some([1.5, -2.0, 1e7]));
        for orient in [Orient::Up, Orient::Offset, Orient::Scanner(None), point] {
            assert_eq!(orient.to_string().parse::<Orient>().unwrap(), orient);
        }
        for wrong in ["", "down", "scanner:", "scanner:1,2", "scanner:1,2,nan", "scanner:1,2,3,4"] {
            assert!(wrong.parse::<Orient>().is_err(), "{wrong}");
        }
    }
}
