//! Options of a search for lines.

use crate::image::Method;
use crate::lms::Refine;
use crate::{Error, Result};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// What to do with the two sides of a stroke: two lines that face each other, at most 12 pixels apart,
/// with a strip between them that is brighter or darker than both outer sides.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Strokes {
    /// [`Middle`](Strokes::Middle).
    #[default]
    Auto,
    /// One line, midway between them.
    Middle,
    /// Each side is a line. The automatic choice of edges is then Canny's even for a drawing.
    Sides,
}

impl Strokes {
    /// All variants.
    pub const ALL: [Strokes; 3] = [Strokes::Auto, Strokes::Middle, Strokes::Sides];

    /// Its name.
    pub const fn name(self) -> &'static str {
        match self {
            Strokes::Auto => "auto",
            Strokes::Middle => "middle",
            Strokes::Sides => "sides",
        }
    }

    /// Replaces [`Auto`](Strokes::Auto) by the choice it stands for.
    pub(super) fn resolved(self) -> Strokes {
        if self == Strokes::Sides { Strokes::Sides } else { Strokes::Middle }
    }
}

impl fmt::Display for Strokes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for Strokes {
    type Err = Error;

    fn from_str(text: &str) -> Result<Strokes> {
        let found = Strokes::ALL.into_iter().find(|strokes| strokes.name() == text);
        found.ok_or_else(|| {
            Error::Parameter(format!("stroke `{text}`: expected auto, middle or sides"))
        })
    }
}

/// Options of a search.
#[derive(Debug, Clone, PartialEq)]
pub struct Options {
    /// How edges are found.
    pub edges: Method,
    /// Angle between neighbouring directions, in degrees, 0.05 to 10; rounded so that a whole number
    /// of steps makes 180°.
    pub theta_step: f64,
    /// Width of a bin of `ρ`, in pixels, 0.25 to 16.
    pub rho_step: f64,
    /// Gaps in a segment are closed up to this length, in pixels.
    pub max_gap: f64,
    /// Shortest segment, in pixels; default: 1/60 of the diagonal of the image, 20 at least.
    pub min_length: Option<f64>,
    /// Largest expected number of lines made by chance in an image.
    pub false_alarms: f64,
    /// How bins become lines.
    pub refine: Refine,
    /// What to do with the two sides of a stroke.
    pub strokes: Strokes,
    /// Most lines.
    pub top: Option<u64>,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            edges: Method::Auto,
            theta_step: 0.25,
            rho_step: 1.0,
            max_gap: 10.0,
            min_length: None,
            false_alarms: 1e-3,
            refine: Refine::Stroke,
            strokes: Strokes::Auto,
            top: None,
        }
    }
}

impl Options {
    /// Checks the options; the error names the invalid one.
    ///
    /// # Errors
    /// [`Error::Parameter`].
    pub fn check(&self) -> Result<()> {
        self.edges.check()?;
        let ranges = [
            ("theta_step", self.theta_step, 0.05, 10.0),
            ("rho_step", self.rho_step, 0.25, 16.0),
            ("max_gap", self.max_gap, 0.0, 1e5),
            ("min_length", self.min_length.unwrap_or(0.0), 0.0, 1e5),
            ("false_alarms", self.false_alarms, 1e-300, 1e6),
        ];
        for (name, value, least, most) in ranges {
            if !(least..=most).contains(&value) {
                let least = if least > 0.0 && least < 1e-6 {
                    format!("{least:e}")
                } else {
                    least.to_string()
                };
                return Err(Error::Parameter(format!("`{name}` is from {least} to {most}")));
            }
        }
        if self.top == Some(0) {
            return Err(Error::Parameter("`top` is at least 1".into()));
        }
        Ok(())
    }

    /// The shortest segment in an image of a given size.
    pub fn min_length_in(&self, [width, height]: [u32; 2]) -> f64 {
        let diagonal = f64::from(width).hypot(f64::from(height));
        self.min_length.unwrap_or((diagonal / 60.0).round().max(20.0))
    }

    /// How edges are found: a drawing whose strokes are to have two sides is treated as a photograph.
    pub fn method(&self) -> Method {
        match (self.edges, self.strokes) {
            (Method::Auto, Strokes::Sides) => Method::Canny { sigma: None, thresholds: None },
            (edges, _) => edges,
        }
    }

    /// Number of directions.
    pub fn directions(&self) -> u32 {
        (180.0 / self.theta_step).round() as u32
    }
}

/// The parameters of a search, defaults resolved, so that it can be repeated.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Parameters {
    /// How edges were found, as `--edges` takes it.
    pub edges: String,
    /// Angle between neighbouring directions, in degrees.
    pub theta_step: f64,
    /// Width of a bin of `ρ`, in pixels.
    pub rho_step: f64,
    /// Gaps in a segment were closed up to this length, in pixels.
    pub max_gap: f64,
    /// Shortest segment, in pixels.
    pub min_length: f64,
    /// Largest expected number of lines made by chance.
    pub false_alarms: f64,
    /// How bins became lines.
    pub refine: Refine,
    /// How the two sides of a stroke were treated, as `--stroke` names it; none with `--one-pass`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stroke: Option<Strokes>,
    /// Most lines reported, if limited.
    pub top: Option<u64>,
    /// Space and voter of the papers' procedure.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub one_pass: Option<PassParameters>,
}

/// The parameters of [`one_pass`](crate::papers::one_pass()), defaults resolved.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PassParameters {
    /// The space: `polar`, or that of a paper.
    pub space: String,
    /// The voter.
    pub voter: String,
    /// Fewest votes, if limited.
    pub min_votes: Option<u32>,
}
