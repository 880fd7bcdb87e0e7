//! Which points of a cloud are searched.

use super::{Chunk, Fields, Source};
use crate::{Error, Result};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// The points that are searched: those that pass all that is given.
///
/// The others belong to no plane, and stay in labelled clouds.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Choice {
    /// Those of these classes.
    pub classes: Option<Vec<u8>>,
    /// Those in this box.
    pub bbox: Option<Bbox>,
    /// The first of every so many points of the file.
    pub every: Option<u64>,
}

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

impl Choice {
    /// Whether all points are searched.
    pub fn is_all(&self) -> bool {
        *self == Choice::default()
    }

    /// How many of so many points it takes, where that can be told before they are read.
    #[must_use]
    pub fn of(&self, points: u64) -> Option<u64> {
        let by_place = self.classes.is_none() && self.bbox.is_none();
        by_place.then(|| points.div_ceil(self.every.unwrap_or(1).max(1)))
    }

    /// What a pass has to read beside coordinates.
    pub fn fields(&self) -> Fields {
        Fields { class: self.classes.is_some(), ..Fields::NONE }
    }

    /// Refuses a choice by what the points of `source` do not have.
    ///
    /// # Errors
    /// [`Error::Parameter`], naming the file.
    pub fn check(&self, source: &Source) -> Result<()> {
        if self.classes.is_some() && !source.info().fields.class {
            let message =
                format!("{}: `classes`: its points have no class", source.path().display());
            return Err(Error::Parameter(message));
        }
        Ok(())
    }

    /// Whether point `k` of a chunk, which has this index in the file, is searched.
    #[inline]
    pub(crate) fn takes(&self, chunk: &Chunk, k: usize, index: u64) -> bool {
        let class = |classes: &Vec<u8>| chunk.class.get(k).is_some_and(|c| classes.contains(c));
        self.every.is_none_or(|every| index.is_multiple_of(every.max(1)))
            && self.classes.as_ref().is_none_or(class)
            && self.bbox.is_none_or(|b| b.holds([chunk.x[k], chunk.y[k], chunk.z[k]]))
    }
}

impl Bbox {
    /// Whether a point lies in it; NaN lies in none.
    fn holds(&self, [x, y, z]: [f64; 3]) -> bool {
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
            _ => return Err(wrong("not xmin,ymin,xmax,ymax nor xmin,ymin,zmin,xmax,ymax,zmax")),
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
    fn the_first_of_every_so_many_can_be_counted() {
        let every = Choice { every: Some(10), ..Choice::default() };
        assert_eq!([every.of(0), every.of(1), every.of(11)], [Some(0), Some(1), Some(2)]);
        assert_eq!(Choice::default().of(7), Some(7));
        assert_eq!(Choice { classes: Some(vec![2]), ..every }.of(7), None);
    }

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
