//! The polar space of an image.

use crate::Result;
use crate::backend::{Backend, Sign};
use crate::frame::Points;
use crate::space::{RhoAxis, Space, half_turn};

/// Directions in equal steps over half a turn, and bins of `ρ` for an image of a given size.
///
/// The origin may be any pixel of the image; in the middle of the image it needs the fewest bins. Pixels vote
/// relative to it. It is the centre of a pixel, so that the middle of a bin lies on it.
#[derive(Debug, Clone, PartialEq)]
pub struct Polar {
    /// The space in which pixels vote.
    pub space: Space,
    /// Column and row of the origin.
    pub origin: [u32; 2],
    /// Pixels in a row and rows of the image.
    pub size: [u32; 2],
}

impl Polar {
    /// The space of an image with its origin in the middle.
    ///
    /// # Errors
    /// If the space would have too many bins.
    pub fn centred(size: [u32; 2], directions: u32, rho_step: f64) -> Result<Polar> {
        Polar::new(size, size.map(|n| (n - n.min(1)) / 2), directions, rho_step)
    }

    /// The space of an image with its origin in the top left pixel, as in OpenCV.
    ///
    /// # Errors
    /// If the space would have too many bins.
    pub fn top_left(size: [u32; 2], directions: u32, rho_step: f64) -> Result<Polar> {
        Polar::new(size, [0, 0], directions, rho_step)
    }

    fn new(size: [u32; 2], origin: [u32; 2], directions: u32, rho_step: f64) -> Result<Polar> {
        let farthest = |a: usize| f64::from(origin[a].max(size[a].saturating_sub(origin[a])));
        let axis = RhoAxis::centred(farthest(0).hypot(farthest(1)), rho_step);
        Ok(Polar { space: Space::new(half_turn(directions), axis)?, origin, size })
    }

    /// A pixel as a point that votes: relative to the origin.
    pub fn point(&self, [x, y]: [u16; 2]) -> [f32; 3] {
        let local = |v: u16, origin: u32| (i64::from(v) - i64::from(origin)) as f32;
        [local(x, self.origin[0]), local(y, self.origin[1]), 0.0]
    }

    /// Pixels as points that vote.
    pub fn points(&self, pixels: impl IntoIterator<Item = [u16; 2]>) -> Points {
        pixels.into_iter().map(|pixel| self.point(pixel)).collect()
    }

    /// The accumulator of edge pixels, row by row.
    ///
    /// # Errors
    /// Errors of the backend.
    pub fn vote(&self, pixels: &[[u16; 2]], backend: &dyn Backend) -> Result<Vec<u32>> {
        let mut votes = backend.accumulator(&self.space)?;
        votes.vote(&self.points(pixels.iter().copied()), Sign::Add)?;
        votes.into_counts()
    }

    /// The line in the middle of a bin: its unit normal, and its distance from the top left pixel.
    pub(crate) fn line(&self, index: usize) -> ([f64; 2], f64) {
        let ([cos, sin, _], local) = self.space.plane(index);
        let [x, y] = self.origin.map(f64::from);
        ([cos, sin], local + x * cos + y * sin)
    }

    /// Angle between neighbouring directions, in degrees.
    pub fn theta_step(&self) -> f64 {
        180.0 / self.space.rows() as f64
    }
}
