//! Which pixel votes for which directions.
//!
//! Where gradients are known, a pixel votes only for directions near its own. Texture, whose gradients point
//! everywhere, then puts few votes into any one bin. In an edge map a pixel votes for all directions.

use super::raster::{ACROSS, Raster};
use super::space::Polar;
use crate::Result;
use crate::backend::{Accumulator, Sign};
use crate::space::{Neighbours, nearest_row};
use crate::vote::Ballots;

/// How pixels vote.
pub(super) struct Casting<'a> {
    polar: &'a Polar,
    /// The neighbours of each direction, if gradients are known.
    near: Option<Neighbours>,
}

impl Casting<'_> {
    /// For the pixels of a grid.
    pub fn new<'a>(polar: &'a Polar, raster: &Raster) -> Result<Casting<'a>> {
        let near = raster.has_gradients().then(|| Neighbours::within(&polar.space, ACROSS));
        Ok(Casting { polar, near: near.transpose()? })
    }

    /// Lets pixels vote.
    pub fn vote(
        &self,
        votes: &mut dyn Accumulator,
        raster: &Raster,
        pixels: &[[u16; 2]],
        sign: Sign,
    ) -> Result<()> {
        match &self.near {
            None => votes.vote(&self.polar.points(pixels.iter().copied()), sign),
            Some(near) => votes.vote_near(&self.ballots(raster, pixels), near, sign),
        }
    }

    /// The pixels, sorted by the direction nearest to their gradient.
    fn ballots(&self, raster: &Raster, pixels: &[[u16; 2]]) -> Ballots {
        let rows = self.polar.space.rows();
        let row = |pixel: [u16; 2]| {
            nearest_row(raster.gradient(pixel.map(usize::from)).unwrap_or_default(), rows)
        };
        let packed = |[x, y]: [u16; 2]| u32::from(x) << 16 | u32::from(y);
        let by_row = pixels.iter().map(|&pixel| (row(pixel), packed(pixel)));
        let pixel = |packed: u32| [(packed >> 16) as u16, packed as u16];
        Ballots::by_row(rows, by_row, |packed| (self.polar.point(pixel(packed)), 1))
    }
}
