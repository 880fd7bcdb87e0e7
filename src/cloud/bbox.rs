//! A box that points are chosen by.

use crate::{Error, Result};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// A box, faces included; without `z` of any height.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Bbox {
    /// Smallest and largest x.
    pub x: [f64; 2],
    /// Smallest and largest y.
    pub y: [f64; 2],
    /// Smallest and largest z.
    pub z: Option<[f64; 2]>,
}

impl Bbox {
    /// Whether a point lies in it; NaN lies in none.
    pub(super) fn holds(&self, [x, y, z]: [f64; 3]) -> bool {
        let within = |value: f64, [low, high]: [f64; 2]| value >= low && value <= high;
        within(x, self.x) && within(y, self.y) && self.z.is_none_or(|range| within(z, range))
    }
}

impl fmt::Display for Bbox {
    /// As it is read.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ([x0, x1], [y0, y1]) = (self.x, self.y);
        match self.z {
            None => write!(f, "{x0},{y0},{x1},{y1}"),
            Some([z0, z1]) => write!(f, "{x0},{y0},{z0},{x1},{y1},{z1}"),
        }
    }
}

impl FromStr for Bbox {
    type Err = Error;

    /// `xmin,ymin,xmax,ymax` or `xmin,ymin,zmin,xmax,ymax,zmax`.
    fn from_str(text: &str) -> Result<Bbox> {
        let wrong = |message: &str| Error::Parameter(message.into());
        let numbers: Option<Vec<f64>> = text
            .split(',')
            .map(|number| number.trim().parse().ok().filter(|v: &f64| v.is_finite()))
            .collect();
        let bbox = match numbers.as_deref() {
            Some(&[x0, y0, x1, y1]) => Bbox { x: [x0, x1], y: [y0, y1], z: None },
            Some(&[x0, y0, z0, x1, y1, z1]) => Bbox { x: [x0, x1], y: [y0, y1], z: Some([z0, z1]) },
            _ => {
                let message = "not xmin,ymin,xmax,ymax nor xmin,ymin,zmin,xmax,ymax,zmax, with points for decimals";
                return Err(wrong(message));
            }
        };
        let ranges = [Some(bbox.x), Some(bbox.y), bbox.z];
        if ranges.into_iter().flatten().any(|[low, high]| low > high) {
            return Err(wrong("a smallest coordinate is larger than the largest"));
        }
        Ok(bbox)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn boxes_have_four_or_six_numbers() {
        let flat: Bbox = "1,2, 3,4".parse().unwrap();
        assert_eq!(flat, Bbox { x: [1.0, 3.0], y: [2.0, 4.0], z: None });
        assert!(flat.holds([3.0, 2.0, 1e9]) && !flat.holds([f64::NAN, 3.0, 0.0]));
        let solid: Bbox = "0,0,0,1,1,1".parse().unwrap();
        assert!(solid.holds([1.0; 3]) && !solid.holds([1.0, 1.0, 1.1]));
        assert_eq!([flat, solid].map(|b| b.to_string()), ["1,2,3,4", "0,0,0,1,1,1"]);
        for wrong in ["", "1,2,3", "1,2,3,4,5", "3,0,1,1", "0,0,nan,1", "a,b,c,d"] {
            assert!(wrong.parse::<Bbox>().is_err(), "{wrong}");
        }
    }
}
