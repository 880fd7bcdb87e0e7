//! The papers' spaces by name.

use super::edge_image::EdgeImage;
use crate::space::{Space, cartesian, kumar, tomagou, tomagou_origin};
use crate::{Error, Result};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// A space of the papers. As text: `kumar`, `cartesian`, `cartesian:3` or `tomagou`.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PaperSpace {
    /// [`kumar`](crate::space::kumar).
    Kumar,
    /// [`cartesian`](crate::space::cartesian), with slopes in steps of this many degrees.
    Cartesian(f64),
    /// [`tomagou`](crate::space::tomagou), for square images.
    Tomagou,
}

impl PaperSpace {
    /// Its name in a table.
    pub fn long_name(self) -> String {
        match self {
            PaperSpace::Kumar => "polar, 181 angles".into(),
            PaperSpace::Cartesian(step) => format!("Cartesian, two spaces, {step}°"),
            PaperSpace::Tomagou => "Tomagou's, 180 × 192".into(),
        }
    }

    /// Degrees between neighbouring angles or slopes.
    pub fn step(self) -> f64 {
        match self {
            PaperSpace::Kumar | PaperSpace::Tomagou => 1.0,
            PaperSpace::Cartesian(step) => step,
        }
    }

    /// The image with the space's origin, and the space or spaces in which it votes.
    ///
    /// # Errors
    /// [`Error::Parameter`] if the image must be square and is not, for steps out of range, and if a
    /// space would have too many bins.
    pub fn of(self, image: &EdgeImage) -> Result<(EdgeImage, Vec<Space>)> {
        let [width, height] = image.size;
        let (origin, spaces) = match self {
            PaperSpace::Kumar => ([0, 0], vec![kumar(image.size)?]),
            PaperSpace::Cartesian(step) => ([0, 0], cartesian(image.size, step)?.into()),
            PaperSpace::Tomagou if width != height => {
                let message = "Tomagou's space is for square images";
                return Err(Error::Parameter(message.into()));
            }
            PaperSpace::Tomagou => (tomagou_origin(width), vec![tomagou(width)?]),
        };
        Ok((image.clone().with_origin(origin), spaces))
    }
}

impl fmt::Display for PaperSpace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PaperSpace::Kumar => f.write_str("kumar"),
            PaperSpace::Cartesian(step) => write!(f, "cartesian:{step}"),
            PaperSpace::Tomagou => f.write_str("tomagou"),
        }
    }
}

impl FromStr for PaperSpace {
    type Err = Error;

    fn from_str(text: &str) -> Result<PaperSpace> {
        let wrong = || {
            Error::Parameter(format!(
                "space `{text}`: expected kumar, cartesian, cartesian:DEGREES or tomagou"
            ))
        };
        match text.split_once(':') {
            None if text == "kumar" => Ok(PaperSpace::Kumar),
            None if text == "cartesian" => Ok(PaperSpace::Cartesian(1.0)),
            None if text == "tomagou" => Ok(PaperSpace::Tomagou),
            Some(("cartesian", step)) => {
                step.parse().map(PaperSpace::Cartesian).map_err(|_| wrong())
            }
            _ => Err(wrong()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::vote::{bin, position};

    #[test]
    fn every_pixel_is_on_every_axis() {
        for size in [[1, 1], [64, 48], [1920, 1080], [3, 2000]] {
            let corners = [[0, 0], [size[0] - 1, 0], [0, size[1] - 1], [size[0] - 1, size[1] - 1]];
            let [first, second] = cartesian(size, 1.0).unwrap();
            for space in [kumar(size).unwrap(), first, second] {
                for t in space.vote_table() {
                    for [x, y] in corners {
                        let at = position(t, [x as f32, y as f32, 0.0]);
                        assert!(bin(at, space.bins()).is_some(), "{size:?} {t:?} {x} {y}");
                    }
                }
            }
        }
        let side = 512;
        let (space, [ox, oy]) = (tomagou(side).unwrap(), tomagou_origin(side));
        for t in space.vote_table() {
            for [x, y] in [[0, 0], [511, 0], [0, 511], [511, 511]] {
                let at = position(t, [(x - ox) as f32, (y - oy) as f32, 0.0]);
                assert!(bin(at, 192).is_some(), "{t:?} {x} {y}");
            }
        }
    }

    #[test]
    fn the_papers_numbers_of_rows_and_bins() {
        let space = kumar([558, 563]).unwrap();
        assert_eq!((space.rows(), space.bins()), (181, 2 * 793 + 1));
        assert_eq!((tomagou(512).unwrap().rows(), tomagou(512).unwrap().bins()), (180, 192));
        let [first, second] = cartesian([1920, 1080], 1.0).unwrap();
        assert_eq!((first.rows(), first.bins()), (91, 1080 + 2 * 1920 + 2));
        assert_eq!((second.rows(), second.bins()), (91, 1920 + 2 * 1080 + 2));
        assert!(cartesian([100, 100], 0.0).is_err());
    }
}
