//! How points are drawn: in space, or as a camera sees them.

use crate::camera::viewpoint::share_of_error;
use crate::frame::Points;
use crate::surface::flat::Flatness;
use std::sync::Arc;

/// In the camera's view, surfaces tell the noise if the cosine of the angle between their normal and the line of sight is larger than
/// this.
const ASLANT: f64 = 0.35;

/// How the points of a cloud are drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Drawn {
    /// Where they are.
    InSpace,
    /// In a depth camera's view.
    AsSeen,
}

/// The points of a cloud as they are drawn.
#[derive(Clone, Copy)]
pub(super) struct DrawnPoints<'a> {
    pub points: &'a Arc<Points>,
    pub drawn: Drawn,
    /// Least thickness of a surface, in steps; thinner ones count as this thick.
    pub thinnest: f32,
}

impl<'a> DrawnPoints<'a> {
    /// Points as they are drawn, with no least thickness.
    pub fn new(points: &'a Arc<Points>, drawn: Drawn) -> Self {
        DrawnPoints { points, drawn, thinnest: 0.0 }
    }

    /// The same with this least thickness, in steps.
    pub fn at_least(self, thinnest: f32) -> Self {
        DrawnPoints { thinnest, ..self }
    }
}

impl Drawn {
    /// Whether a neighbourhood tells how far its points are off: in the camera's view, one that is seen far aslant does not.
    pub fn tells_error(self, flat: &Flatness) -> bool {
        self == Drawn::InSpace || f64::from(flat.normal[2].abs()) > ASLANT
    }

    /// How far points are off, root mean square, where a neighbourhood is so thick. In the camera's view they are off along
    /// the line of sight, which is more than across a surface that is seen aslant.
    pub fn error(self, flat: &Flatness) -> f64 {
        let share = match self {
            Drawn::InSpace => 1.0,
            Drawn::AsSeen => share_of_error(flat.normal.map(f64::from)),
        };
        f64::from(flat.thickness) / share
    }
}
