//! Spaces: a table of directions and an axis of equal `ρ` bins.
//!
//! A plane `d · p = ρ` is a point of a space: a direction and a distance. Every parameterization
//! in the papers is only another table of directions, so this module is the one place that knows
//! of `θ`, `φ`, seams and poles. Directions cover a half-sphere, since `(d, ρ)` and `(−d, −ρ)`
//! are one plane; [`Neighbours`] crosses the edge of that half-sphere.
//!
//! Lengths are local units (see [`Frame`](crate::frame::Frame)); for an image, pixels.

mod ball;
mod neighbours;
mod polar;

pub use neighbours::{Neighbour, Neighbours, SphereIndex};

use crate::{Error, Result};
use std::str::FromStr;

/// The table of directions, by name and resolution.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Directions {
    /// The papers' grid: `θ` and `φ` in equal steps over 180° each; `polar:180x180`.
    Polar {
        /// Steps of `θ`.
        theta: u32,
        /// Steps of `φ`.
        phi: u32,
    },
    /// Rings of `φ` with as many steps of `θ` as the ring's length asks for, after the *ball* of
    /// Borrmann et al. (2011): directions spread evenly over the half-sphere; `ball:1.5`.
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

    /// Angle between neighbouring directions, in degrees; the larger of the two for a grid.
    pub fn step(&self) -> f64 {
        match *self {
            Directions::Polar { theta, phi } => 180.0 / f64::from(theta.min(phi)),
            Directions::Ball { step } => step,
        }
    }

    /// The largest angle between a plane's normal and the direction next to it, in degrees.
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

/// The equal bins of `ρ`: bin `r` holds `min + r·bin ≤ ρ < min + (r + 1)·bin`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RhoAxis {
    /// Lower edge of bin 0.
    pub min: f64,
    /// Width of a bin.
    pub bin: f64,
    /// Number of bins.
    pub bins: u32,
}

impl RhoAxis {
    /// An axis around zero that holds every `|ρ| ≤ radius`, with an even number of bins.
    ///
    /// `ρ` in bin `r` then has `−ρ` in bin `bins − 1 − r`, which is what the seam asks for. One
    /// bin is to spare at either end, so that rounding in `f32` never leaves the axis.
    pub fn symmetric(radius: f64, bin: f64) -> RhoAxis {
        let half = (radius / bin).floor() + 2.0;
        RhoAxis { min: -half * bin, bin, bins: 2 * half as u32 }
    }

    /// An axis that holds every `|ρ| ≤ radius` and has the middle of a bin at zero, as for pixels,
    /// whose lines along rows and columns then lie in the middle of bins.
    ///
    /// `ρ` in bin `r` has `−ρ` in bin `bins − 1 − r`, here, too.
    pub fn centred(radius: f64, bin: f64) -> RhoAxis {
        let half = (radius / bin).floor() + 2.0;
        RhoAxis { min: -(half + 0.5) * bin, bin, bins: 2 * half as u32 + 1 }
    }

    /// The middle of bin `r`.
    pub fn centre(&self, r: u32) -> f64 {
        self.min + (f64::from(r) + 0.5) * self.bin
    }
}

/// A space: directions times `ρ` bins.
#[derive(Debug, Clone, PartialEq)]
pub struct Space {
    directions: Vec<[f64; 3]>,
    rho: RhoAxis,
}

impl Space {
    /// A space of the given directions and bins.
    ///
    /// # Errors
    /// [`Error::Parameter`] where there is no direction or no bin, or more than `2^31` bins in all.
    pub fn new(directions: Vec<[f64; 3]>, rho: RhoAxis) -> Result<Space> {
        let size = directions.len() as u64 * u64::from(rho.bins);
        if size == 0
            || size > 1 << 31
            || !rho.bin.is_normal()
            || rho.bin < 0.0
            || !rho.min.is_finite()
        {
            return Err(Error::Parameter(format!(
                "a space of {} directions and {} bins of {} does not work; it must have 1 to 2^31 \
                 bins in all: choose a larger --rho-bin or a coarser --space, in images --rho-step and --theta-step",
                directions.len(),
                rho.bins,
                rho.bin
            )));
        }
        Ok(Space { directions, rho })
    }

    /// The unit directions (not of unit length in Cartesian spaces).
    pub fn directions(&self) -> &[[f64; 3]] {
        &self.directions
    }

    /// The bins of `ρ`.
    pub fn rho(&self) -> RhoAxis {
        self.rho
    }

    /// Number of directions, `K`.
    pub fn rows(&self) -> usize {
        self.directions.len()
    }

    /// Number of bins in a row, `R`.
    pub fn bins(&self) -> usize {
        self.rho.bins as usize
    }

    /// Number of bins in all, `K × R`.
    pub fn size(&self) -> usize {
        self.rows() * self.bins()
    }

    /// The direction and the bin's middle that stand for bin `index` of the accumulator.
    pub fn plane(&self, index: usize) -> ([f64; 3], f64) {
        let (row, r) = (index / self.bins(), index % self.bins());
        (self.directions[row], self.rho.centre(r as u32))
    }

    /// The table that every `f32` voter uses: see [`crate::vote::bin`].
    pub fn vote_table(&self) -> Vec<[f32; 4]> {
        let scale = 1.0 / self.rho.bin;
        let shift = (-self.rho.min * scale) as f32;
        let row = |d: &[f64; 3]| {
            [(d[0] * scale) as f32, (d[1] * scale) as f32, (d[2] * scale) as f32, shift]
        };
        self.directions.iter().map(row).collect()
    }
}

/// The directions of the lines of an image, `(cos θ, sin θ, 0)` with `θ` in `steps` equal steps over
/// 180°.
pub fn half_turn(steps: u32) -> Vec<[f64; 3]> {
    polar::half_turn(steps)
}

/// Sine and cosine of an angle in degrees, exact at multiples of 90° and with exact symmetry, so
/// that mirrored directions are mirrored to the bit.
pub(crate) fn sin_cos_degrees(degrees: f64) -> (f64, f64) {
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
    fn names_are_read_back() {
        for name in ["polar:180x180", "polar:90x45", "ball:1.5"] {
            assert_eq!(name.parse::<Directions>().unwrap().to_string(), name);
        }
        for wrong in ["", "polar", "polar:180", "polar:0x3", "polar:9999x9", "ball:0", "ball:nan"] {
            assert!(wrong.parse::<Directions>().is_err(), "{wrong}");
        }
    }

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

    #[test]
    fn a_symmetric_axis_mirrors_its_bins() {
        let axis = RhoAxis::symmetric(91.3, 1.0);
        assert_eq!(axis.bins % 2, 0);
        let bin = |rho: f64| ((rho - axis.min) / axis.bin).floor() as u32;
        for rho in [0.5, 17.25, 91.25] {
            assert_eq!(bin(-rho), axis.bins - 1 - bin(rho));
        }
        assert!(bin(91.3) < axis.bins - 1 && bin(-91.3) > 0);
    }

    #[test]
    fn an_impossible_space_is_refused() {
        let axis = RhoAxis { min: 0.0, bin: 1.0, bins: 1 << 20 };
        assert!(Space::new(vec![[0.0, 0.0, 1.0]; 1 << 12], axis).is_err());
        assert!(Space::new(vec![], axis).is_err());
    }
}
