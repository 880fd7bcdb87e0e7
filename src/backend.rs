//! What a device must be able to do: vote, suppress, pick winners, and see the surfaces of a cloud.
//!
//! Detection is written once above these traits, and each of them has two implementations, in
//! [`cpu`](crate::cpu) and in [`cuda`](crate::cuda), that answer the same to the last bit. A device that has no room
//! for a cloud's cells, surfaces, layers or labels hands them to the CPU; the caller cannot tell.
//!
//! A cloud goes through four of them, each of which comes out of the one before: [`Held`] are its points,
//! [`InCells`] the same in cells, [`Surfaces`] know how flat the cells' blocks are, and [`Labels`] give
//! each point to its plane. Votes are counted by an [`Accumulator`].

use crate::Result;
use crate::frame::Points;
use crate::image::{EdgeMap, Image, Method};
use crate::lms::{self, Problem, Sheet, Slab};
use crate::space::{Neighbours, Space};
use crate::surface::cells::Cells;
use crate::surface::cloud::CellCloud;
use crate::surface::flat::{Flatness, Surface};
use crate::surface::layers::{Trials, Tried};
use crate::surface::moments::Moments;
use crate::surface::noise_field::NoiseField;
use crate::surface::plane::{Assigned, LocalPlane, PRESENT};
use crate::surface::unit::{CellCounts, Unit};
use crate::vote::{Ballots, Peak};
use std::sync::Arc;

/// Whether votes are added or taken back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sign {
    /// Add votes.
    Add,
    /// Take back votes that were added before.
    Subtract,
}

/// Which bins [`Accumulator::peaks`] returns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PeakOptions {
    /// Neighbourhood along `ρ`: this many bins to either side.
    pub rho_radius: u32,
    /// Fewest votes.
    pub min_votes: u32,
    /// Most peaks.
    pub limit: usize,
}

/// A device that votes.
pub trait Backend: Send + Sync {
    /// What it is, for people: `cpu, parallel (AVX2), 8 threads`.
    fn name(&self) -> String;

    /// An accumulator of zeros for `space`.
    ///
    /// # Errors
    /// Where the device has no room for it.
    fn accumulator<'a>(&'a self, space: &'a Space) -> Result<Box<dyn Accumulator + 'a>>;

    /// Takes the points of a cloud to where the device works on them.
    ///
    /// # Errors
    /// Where the device fails.
    fn hold<'a>(&'a self, points: Arc<Points>) -> Result<Box<dyn Held<'a> + 'a>> {
        self.receive(points.len())?.finish(points)
    }

    /// The same for a cloud of at most `most` points that is still being read, so that they are
    /// there soon after its end.
    ///
    /// # Errors
    /// Where the device fails.
    fn receive<'a>(&'a self, most: usize) -> Result<Box<dyn Receiver<'a> + 'a>>;

    /// The thinnest slab of each of many point sets.
    ///
    /// # Errors
    /// Where the device fails.
    fn slabs(&self, problems: &[Problem]) -> Result<Vec<Slab>> {
        Ok(lms::slabs(problems))
    }

    /// The plane with the least median distance of each of many point sets, of those through a fixed
    /// number of triples; none where no triple has a plane. The order of the points decides which.
    ///
    /// # Errors
    /// Where the device fails.
    fn sheets(&self, sets: &[Vec<[f32; 3]>]) -> Result<Vec<Option<Sheet>>> {
        Ok(lms::sheets(sets))
    }

    /// The densest slab of a space: of the runs of `slab` bins, at least one, of one row, that in which
    /// most votes of weighted places fall, as its row and its first bin; of equals the first. There is
    /// none where no row has so many bins.
    ///
    /// # Errors
    /// Where the device fails.
    fn densest_slab(
        &self,
        space: &Space,
        places: &[Weighted],
        slab: usize,
    ) -> Result<Option<(usize, usize)>>;

    /// The edges of an image: those of [`EdgeMap::find`], wherever they are found.
    ///
    /// # Errors
    /// As there, and where the device fails.
    fn edges(&self, image: &Image, method: &Method) -> Result<EdgeMap> {
        EdgeMap::find(image, method)
    }
}

/// A place in local coordinates and the number of its votes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Weighted {
    /// Where it is.
    pub at: [f32; 3],
    /// How many votes it casts; those of all places together are fewer than 2³².
    pub weight: u32,
}

/// Takes the points of a cloud while it is read.
pub trait Receiver<'a>: Send {
    /// Says that the first `ready` of the points are final. Each call knows at least as many as the
    /// one before, and the same ones.
    ///
    /// # Errors
    /// Where the device fails.
    fn take(&mut self, points: &Points, ready: usize) -> Result<()>;

    /// All points are known: holds them.
    ///
    /// # Errors
    /// Where the device fails.
    fn finish(self: Box<Self>, points: Arc<Points>) -> Result<Box<dyn Held<'a> + 'a>>;
}

/// The points of a cloud where a device works on them.
pub trait Held<'a> {
    /// How many cells there are on lattices of cubes of all sizes.
    ///
    /// # Errors
    /// Where the device fails.
    fn count_cells(&mut self) -> Result<CellCounts>;

    /// Cuts the points into base cells of a given edge, and these into larger ones. The order of the points
    /// comes with it: the place before of each.
    ///
    /// # Errors
    /// Where the device fails.
    fn cut(&mut self, unit: Unit) -> Result<(Vec<u32>, Box<dyn InCells<'a> + 'a>)>;
}

/// A cloud that was cut into cells.
pub trait InCells<'a> {
    /// The cells.
    fn cells(&self) -> &Cells;

    /// Puts the points into the order of the cells, and judges how flat the surface is in the blocks of all
    /// cells. `room` is memory that may be used for the points.
    ///
    /// # Errors
    /// Where the device fails.
    fn judge(self: Box<Self>, room: Points) -> Result<Box<dyn Surfaces<'a> + 'a>>;
}

/// A cloud in cells of which all blocks were judged.
pub trait Surfaces<'a>: Sync {
    /// The cells, and the points in their order.
    fn cloud(&self) -> &Arc<CellCloud>;

    /// How flat the block of a cell of a level is; to be asked before anything is left behind.
    fn flatness(&self, level: usize, cell: u32) -> Option<Flatness>;

    /// Says how the noise differs from place to place; before, it is the same everywhere.
    ///
    /// # Errors
    /// Where the device fails.
    fn follow(&mut self, field: Arc<NoiseField>) -> Result<()>;

    /// The thickness below which `share` of the points lie, of those around which there is a surface
    /// of at most `thickest`, and the number of these points; both thicknesses as they would be where
    /// the noise is as usual.
    ///
    /// # Errors
    /// Where the device fails.
    fn thickness(&mut self, thickest: f64, share: f64) -> Result<(f64, u64)>;

    /// The surfaces of at most `thickest`, times the scale of the noise there, around the base cells, in
    /// Morton order.
    ///
    /// # Errors
    /// Where the device fails.
    fn surfaces(&mut self, thickest: f64) -> Result<Vec<Option<Surface>>>;

    /// Leaves behind what is `known` of each base cell, row by row: [`SEEN`] and [`TAKEN`]. Cells of the former, and
    /// blocks of which a good part is of the latter, show no surface any more.
    ///
    /// # Errors
    /// Where the device fails.
    fn leave(&mut self, known: &[u8]) -> Result<()>;

    /// Looks for the layers through some base cells, in the blocks of a level.
    ///
    /// # Errors
    /// Where the device fails.
    fn layers(&mut self, trials: &Trials) -> Result<Tried>;

    /// An accumulator of zeros of `backend`, which holds the cloud, for votes of the cloud's points.
    ///
    /// # Errors
    /// Where the device has no room for it.
    fn accumulator<'s>(
        &'s self,
        backend: &'s dyn Backend,
        space: &'s Space,
    ) -> Result<Box<dyn CloudAccumulator + 's>>;

    /// Notes which planes are `present` in or around each of the base cells, in Morton order.
    ///
    /// # Errors
    /// Where the device fails.
    fn present(self: Box<Self>, present: Vec<[u32; PRESENT]>) -> Result<Box<dyn Labels + 'a>>;
}

/// Bit of a base cell whose surface is known.
pub const SEEN: u8 = 1;
/// Bit of a base cell that belongs to a plane.
pub const TAKEN: u8 = 2;

/// A cloud in cells in which planes are present.
///
/// A point belongs to the nearest of the planes present in its cell of which it is within the tolerance, the
/// first of equals.
pub trait Labels {
    /// Exact sums over the points of each plane, in local coordinates.
    ///
    /// # Errors
    /// Where the device fails.
    fn sums(&mut self, planes: &[LocalPlane]) -> Result<Vec<Moments>>;

    /// Every point to its plane; what would be of plane `q` is of plane `becomes[q]`, none of which is
    /// larger than their number.
    ///
    /// # Errors
    /// Where the device fails.
    fn assign(self: Box<Self>, planes: &[LocalPlane], becomes: &[u32]) -> Result<Assigned>;
}

/// The table of counts of a space, kept by a backend.
///
/// A bin counts modulo 2³², which holds as long as fewer than 2³² votes fall into one.
pub trait Accumulator {
    /// Lets every point vote once for every direction.
    ///
    /// # Errors
    /// Where the device fails.
    fn vote(&mut self, points: &Points, sign: Sign) -> Result<()>;

    /// Lets every ballot vote for the directions `near` its own.
    ///
    /// # Errors
    /// Where the device fails.
    fn vote_near(&mut self, ballots: &Ballots, near: &Neighbours, sign: Sign) -> Result<()>;

    /// Suppresses what is not the maximum of its neighbourhood and returns what is left, best
    /// first. Of equal bins in one neighbourhood the lowest index survives.
    ///
    /// # Errors
    /// Where the device fails.
    fn peaks(&mut self, neighbours: &Neighbours, options: PeakOptions) -> Result<Vec<Peak>>;

    /// The whole table, row by row.
    ///
    /// # Errors
    /// Where the device fails.
    fn counts(&mut self) -> Result<Vec<u32>>;

    /// The whole table, row by row, of an accumulator that is not needed any more: without a copy where it
    /// is in memory as it stands.
    ///
    /// # Errors
    /// Where the device fails.
    fn into_counts(mut self: Box<Self>) -> Result<Vec<u32>> {
        self.counts()
    }
}

/// A table of counts for which the points of a cloud in cells vote.
pub trait CloudAccumulator {
    /// Lets every point of the cloud vote once for every direction, or those at some places in the order of
    /// the cells, each at most once.
    ///
    /// # Errors
    /// Where the device fails.
    fn vote(&mut self, places: Option<&[u32]>, sign: Sign) -> Result<()>;

    /// The table.
    fn table(&mut self) -> &mut dyn Accumulator;
}
