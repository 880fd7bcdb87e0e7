//! The papers' spaces by their names.

use super::edge_image::EdgeImage;
use super::spaces::{cartesian, kumar, tomagou, tomagou_origin};
use crate::space::Space;
use crate::{Error, Result};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// A space of the papers. As text: `kumar`, `cartesian`, `cartesian:3` or `tomagou`.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PaperSpace {
    /// [`kumar`](super::spaces::kumar).
    Kumar,
    /// [`cartesian`](super::spaces::cartesian), with slopes in steps of so many degrees.
    Cartesian(f64),
    /// [`tomagou`](super::spaces::tomagou), for square images.
    Tomagou,
}

impl PaperSpace {
    /// What it is called in a table.
    pub fn long_name(self) -> String {
        match self {
            PaperSpace::Kumar => "polar, 181 angles".into(),
            PaperSpace::Cartesian(step) => format!("Cartesian, two spaces, {step}°"),
            PaperSpace::Tomagou => "Tomagou's, 180 × 192".into(),
        }
    }

    /// Degrees from one angle or slope to the next.
    pub fn step(self) -> f64 {
        match self {
            PaperSpace::Kumar | PaperSpace::Tomagou => 1.0,
            PaperSpace::Cartesian(step) => step,
        }
    }

    /// The image with the space's origin, and the space or spaces that it votes in.
    ///
    /// # Errors
    /// [`Error::Parameter`] where the image is not square and must be, for steps out of range, and where a
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
