//! The directions of planes, by name.

use super::{ball, polar};
use crate::{Error, Result};
use serde::{Deserialize, Serialize};
use std::str::FromStr;

/// The table of directions, by name and resolution.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum Directions {
    /// The papers' grid: `θ` and `φ` in equal steps over 180° each; `polar:180x180`.
    Polar {
        /// Steps of `θ`.
        theta: u32,
        /// Steps of `φ`.
        phi: u32,
    },
    /// Rings of `φ` with as many steps of `θ` as fit the ring's length, after the *ball* of Borrmann et al.
    /// (2011): directions spread evenly over the half-sphere; `ball:1.5`.
    Ball {
        /// Angle between neighbours, in degrees.
        step: f64,
    },
}

impl Directions {
    /// The unit directions, in the order of their index.
    pub fn table(&self) -> Vec<[f64; 3]> {
        match *self {
            Directions::Polar { theta, phi } => polar::table(theta, phi),
            Directions::Ball { step } => ball::table(step),
        }
    }

    /// Angle between neighbouring directions, in degrees; for a grid the larger of the two.
    pub fn step(&self) -> f64 {
        match *self {
            Directions::Polar { theta, phi } => 180.0 / f64::from(theta.min(phi)),
            Directions::Ball { step } => step,
        }
    }

    /// The largest angle between a plane's normal and the nearest direction, in degrees.
    pub fn coarseness(&self) -> f64 {
        match *self {
            Directions::Polar { theta, phi } => {
                let (a, b) = (90.0 / f64::from(theta), 90.0 / f64::from(phi));
                a.hypot(b)
            }
            Directions::Ball { step } => step * std::f64::consts::FRAC_1_SQRT_2,
        }
    }
}

impl Default for Directions {
    /// Evenly spread, 2° apart.
    fn default() -> Directions {
        Directions::Ball { step: 2.0 }
    }
}

impl std::fmt::Display for Directions {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        match self {
            Directions::Polar { theta, phi } => write!(f, "polar:{theta}x{phi}"),
            Directions::Ball { step } => write!(f, "ball:{step}"),
        }
    }
}

impl FromStr for Directions {
    type Err = Error;

    fn from_str(text: &str) -> Result<Directions> {
        let wrong = || {
            Error::Parameter(format!(
                "space `{text}`: expected polar:THETAxPHI with 1 to 3600 steps each, such as \
                 polar:180x180, or ball:DEGREES from 0.1 to 45, such as ball:1.5"
            ))
        };
        match text.split_once(':') {
            Some(("polar", size)) => {
                let (theta, phi) = size.split_once('x').ok_or_else(wrong)?;
                let steps = |s: &str| s.parse().ok().filter(|n| (1..=3600).contains(n));
                let theta = steps(theta).ok_or_else(wrong)?;
                let phi = steps(phi).ok_or_else(wrong)?;
                Ok(Directions::Polar { theta, phi })
            }
            Some(("ball", step)) => {
                let step = step.parse().ok().filter(|s| (0.1..=45.0).contains(s));
                Ok(Directions::Ball { step: step.ok_or_else(wrong)? })
            }
            _ => Err(wrong()),
        }
    }
}

impl From<Directions> for String {
    fn from(directions: Directions) -> String {
        directions.to_string()
    }
}

impl TryFrom<String> for Directions {
    type Error = Error;

    fn try_from(text: String) -> Result<Directions> {
        text.parse()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_back() {
        for name in ["polar:180x180", "polar:90x45", "ball:1.5"] {
            assert_eq!(name.parse::<Directions>().unwrap().to_string(), name);
        }
        for wrong in ["", "polar", "polar:180", "polar:0x3", "polar:9999x9", "ball:0", "ball:nan"] {
            assert!(wrong.parse::<Directions>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn documents_have_the_name() {
        let ball = Directions::Ball { step: 2.0 };
        assert_eq!(serde_json::to_string(&ball).unwrap(), "\"ball:2\"");
        assert_eq!(serde_json::from_str::<Directions>("\"ball:2\"").unwrap(), ball);
        assert!(serde_json::from_str::<Directions>("\"cube:2\"").is_err());
    }
}
