//! Spaces: a table of directions and an axis of equal `ρ` bins.
//!
//! A plane `d · p = ρ` is a point of a space: a direction and a distance. The parameterizations in the papers
//! differ only in their tables of directions, so this module alone deals with `θ`, `φ`, seams and poles.
//! Directions cover a half-sphere, since `(d, ρ)` and `(−d, −ρ)` are the same plane; [`Neighbours`] crosses
//! the edge of that half-sphere.
//!
//! Lengths are local units (see [`Frame`](crate::frame::Frame)); for an image, pixels.
//!
//! Each table of directions has a file: [`Directions`] names those of planes, [`half_turn`](half_turn())
//! makes those of lines, and [`kumar`](kumar()), [`cartesian`](cartesian()) and [`tomagou`](tomagou()) are
//! the papers' spaces of images.

mod angle;
mod axis;
mod ball;
mod bins;
mod cartesian;
mod directions;
mod half_turn;
mod kumar;
mod neighbours;
mod polar;
mod tomagou;

pub use axis::RhoAxis;
pub use bins::Space;
pub use cartesian::{cartesian, slopes};
pub use directions::Directions;
pub use half_turn::half_turn;
pub(crate) use half_turn::{across_the_seam, in_half_turn, nearest_row, turned_towards};
pub use kumar::kumar;
pub use neighbours::{Neighbour, Neighbours, SphereIndex};
pub use tomagou::{tomagou, tomagou_origin};
