//! The operations of a device: vote, suppress, pick winners, and see the surfaces of a cloud.
//!
//! Detection is written once for these traits. Each has two implementations, in [`cpu`](crate::cpu) and in
//! [`cuda`](crate::cuda), whose results are the same to the last bit. A device that has no room for a cloud's
//! cells, surfaces, layers or labels hands them to the CPU; the caller does not notice.
//!
//! A cloud passes through four of them, each made from the one before: [`Held`] holds its points, [`InCells`]
//! the points in cells, [`Surfaces`] knows how flat the cells' blocks are, and [`Labels`] assigns each point
//! to its plane. An [`Accumulator`] counts votes.

use crate::Result;
use crate::frame::Points;
use crate::image::{EdgeMap, Image, Method};
use crate::lms::{self, Problem, Sheet, Slab};
use crate::space::{Neighbours, Space};
use crate::surface::cells::Cells;
use crate::surface::cloud::CellCloud;
use crate::surface::flat::{Flatness, Seen};
use crate::surface::layers::{Trials, Tried};
use crate::surface::moments::Moments;
use crate::surface::noise_field::NoiseField;
use crate::surface::plane::{Assigned, Claim, LocalPlane};
use crate::surface::present::Present;
use crate::surface::sums::Sums;
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
    /// Its name, for people: `cpu, parallel (AVX2), 8 threads`.
    fn name(&self) -> String;

    /// An accumulator of zeros for `space`.
    ///
    /// # Errors
    /// If the device has no room for it.
    fn accumulator<'a>(&'a self, space: &'a Space) -> Result<Box<dyn Accumulator + 'a>>;

    /// Brings the points of a cloud to where the device works on them.
    ///
    /// # Errors
    /// If the device fails.
    fn hold<'a>(&'a self, points: Arc<Points>) -> Result<Box<dyn Held<'a> + 'a>> {
        self.receive(points.len())?.finish(points)
    }

    /// The same for a cloud of at most `most` points that is still being read, so that its points are on the
    /// device soon after the last one is read.
    ///
    /// # Errors
    /// If the device fails.
    fn receive<'a>(&'a self, most: usize) -> Result<Box<dyn Receiver<'a> + 'a>>;

    /// The thinnest slab of each of many point sets.
    ///
    /// # Errors
    /// If the device fails.
    fn slabs(&self, problems: &[Problem]) -> Result<Vec<Slab>> {
        Ok(lms::slabs(problems))
    }

    /// For each of many point sets, the plane with the least median distance among those through a fixed
    /// number of triples; `None` if no triple defines a plane. The order of the points decides which triples
    /// are tried.
    ///
    /// # Errors
    /// If the device fails.
    fn sheets(&self, sets: &[Vec<[f32; 3]>]) -> Result<Vec<Option<Sheet>>> {
        Ok(lms::sheets(sets))
    }

    /// The densest slab of a space: of all runs of `slab` bins (at least one) in one row, the one that gets
    /// most votes of weighted places, as its row and its first bin; of equals the first. `None` if no row has
    /// so many bins.
    ///
    /// # Errors
    /// If the device fails.
    fn densest_slab(
        &self,
        space: &Space,
        places: &[Weighted],
        slab: usize,
    ) -> Result<Option<(usize, usize)>>;

    /// Shuts the device down, for the whole process. Called while other work goes on, it saves the wait for that at the
    /// end of the process.
    ///
    /// Nothing that was obtained from the backend may be alive, and nothing may be asked of it afterwards.
    #[doc(hidden)]
    fn shut_down(&'static self) {}

    /// The edges of an image: those of [`EdgeMap::find`], on whichever device they are found.
    ///
    /// # Errors
    /// As there, and if the device fails.
    fn edges(&self, image: &Image, method: &Method) -> Result<EdgeMap> {
        EdgeMap::find(image, method)
    }
}

/// A place in local coordinates and the number of its votes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Weighted {
    /// Where it is.
    pub at: [f32; 3],
    /// How many votes it casts; all places together cast fewer than 2³².
    pub weight: u32,
}

/// Takes the points of a cloud while it is read.
pub trait Receiver<'a>: Send {
    /// Says that the first `ready` of the points are final. Each call passes at least the points of the one
    /// before.
    ///
    /// # Errors
    /// If the device fails.
    fn take(&mut self, points: &Points, ready: usize) -> Result<()>;

    /// Holds the points, all of which are known now.
    ///
    /// # Errors
    /// If the device fails.
    fn finish(self: Box<Self>, points: Arc<Points>) -> Result<Box<dyn Held<'a> + 'a>>;
}

/// The points of a cloud where a device works on them.
pub trait Held<'a> {
    /// The number of occupied cells on lattices of cubes of all sizes.
    ///
    /// # Errors
    /// If the device fails.
    fn count_cells(&mut self) -> Result<CellCounts>;

    /// Cuts the points into base cells of a given edge, and joins these into larger ones. Also returns the
    /// order of the points: for each, its index before.
    ///
    /// # Errors
    /// If the device fails.
    fn cut(&mut self, unit: Unit) -> Result<(Vec<u32>, Box<dyn InCells<'a> + 'a>)>;
}

/// Memory of what is no longer needed: what is made again takes no fresh memory.
#[derive(Debug, Default)]
pub struct Room {
    /// Points as many as those of the cloud.
    pub points: Points,
    /// Sums of as many base cells.
    pub sums: Vec<Sums>,
}

/// A cloud that was cut into cells.
pub trait InCells<'a> {
    /// The cells.
    fn cells(&self) -> &Cells;

    /// The sums over the distinct points of each base cell.
    fn sums(&self) -> Vec<Sums>;

    /// Puts the points into cell order and judges how flat the surface is in the blocks of all cells. `room`
    /// is memory that may be used.
    ///
    /// # Errors
    /// If the device fails.
    fn judge(self: Box<Self>, room: Room) -> Result<Box<dyn Surfaces<'a> + 'a>>;
}

/// A cloud in cells, with all blocks judged.
pub trait Surfaces<'a>: Sync {
    /// The cells, and the points in their order.
    fn cloud(&self) -> &Arc<CellCloud>;

    /// How flat the block of a cell of a level is; must be called before
    /// [`follow`](Surfaces::follow) and [`leave`](Surfaces::leave).
    fn flatness(&self, level: usize, cell: u32) -> Option<Flatness>;

    /// Sets how the noise differs from place to place; by default it is the same everywhere.
    ///
    /// # Errors
    /// If the device fails.
    fn follow(&mut self, field: Arc<NoiseField>) -> Result<()>;

    /// The thickness below which a `share` of the points lie, among the points with a surface of at most
    /// `thickest` around them, and the number of these points. Both thicknesses are scaled to the usual
    /// noise.
    ///
    /// # Errors
    /// If the device fails.
    fn thickness(&mut self, thickest: f64, share: f64) -> Result<(f64, u64)>;

    /// The surfaces around the base cells, of at most `thickest` times the scale of the noise there.
    ///
    /// # Errors
    /// If the device fails.
    fn surfaces(&mut self, thickest: f64) -> Result<Box<dyn Seen + '_>>;

    /// Marks what is `known` of each base cell: [`SEEN`] and [`TAKEN`]. Cells that were seen, and blocks with a
    /// good part of taken cells, show no surface from then on.
    ///
    /// A backend may count first: if fewer than `least` points would then have a surface around them, it returns false and
    /// marks nothing. Others return true, and the caller counts.
    ///
    /// # Errors
    /// If the device fails.
    fn leave(&mut self, known: &[u8], least: u64) -> Result<bool>;

    /// Tries to find layers through some base cells, in the blocks of a level.
    ///
    /// # Errors
    /// If the device fails.
    fn layers(&mut self, trials: &Trials) -> Result<Tried>;

    /// An accumulator of zeros for votes of the cloud's points, on `backend`, which holds the cloud.
    ///
    /// # Errors
    /// If the device has no room for it.
    fn accumulator<'s>(
        &'s self,
        backend: &'s dyn Backend,
        space: &'s Space,
    ) -> Result<Box<dyn CloudAccumulator + 's>>;

    /// Sets which planes are `present` in or around each of the base cells, and how strongly each plane
    /// claims points. Asks for what is present when what is known of the blocks has been freed.
    ///
    /// # Errors
    /// If the device fails.
    fn present(
        self: Box<Self>,
        present: &dyn Fn() -> Present,
        claims: Vec<Claim>,
    ) -> Result<Box<dyn Labels + 'a>>;
}

/// Bit of a base cell whose surface is known.
pub const SEEN: u8 = 1;
/// Bit of a base cell that belongs to a plane.
pub const TAKEN: u8 = 2;

/// A cloud in cells in which planes are present.
///
/// A point belongs to the likeliest of the planes present in its cell whose tolerance it meets, the first of
/// equals: see [`Claim`].
pub trait Labels {
    /// Exact sums over the points of each plane, in local coordinates.
    ///
    /// # Errors
    /// If the device fails.
    fn sums(&mut self, planes: &[LocalPlane]) -> Result<Vec<Moments>>;

    /// Assigns every point to its plane. Points of plane `q` go to plane `becomes[q]`, which is below the
    /// number of planes.
    ///
    /// # Errors
    /// If the device fails.
    fn assign(self: Box<Self>, planes: &[LocalPlane], becomes: &[u32]) -> Result<Assigned>;
}

/// The table of vote counts of a space, kept by a backend.
///
/// A bin counts modulo 2³², which is exact as long as fewer than 2³² votes fall into it.
pub trait Accumulator {
    /// Lets every point vote once for every direction.
    ///
    /// # Errors
    /// If the device fails.
    fn vote(&mut self, points: &Points, sign: Sign) -> Result<()>;

    /// Lets every ballot vote for the directions `near` its own.
    ///
    /// # Errors
    /// If the device fails.
    fn vote_near(&mut self, ballots: &Ballots, near: &Neighbours, sign: Sign) -> Result<()>;

    /// Suppresses all bins that are not the maximum of their neighbourhood and returns the rest, best first.
    /// Of equal bins in one neighbourhood the lowest index survives.
    ///
    /// # Errors
    /// If the device fails.
    fn peaks(&mut self, neighbours: &Neighbours, options: PeakOptions) -> Result<Vec<Peak>>;

    /// The whole table, row by row.
    ///
    /// # Errors
    /// If the device fails.
    fn counts(&mut self) -> Result<Vec<u32>>;

    /// The whole table, row by row, of an accumulator that is no longer needed: without a copy if it is
    /// already in memory in that form.
    ///
    /// # Errors
    /// If the device fails.
    fn into_counts(mut self: Box<Self>) -> Result<Vec<u32>> {
        self.counts()
    }
}

/// A table of counts in which the points of a cloud in cells vote.
pub trait CloudAccumulator {
    /// Lets every point of the cloud, or only those at some places in cell order, each at most once, vote
    /// once for every direction.
    ///
    /// # Errors
    /// If the device fails.
    fn vote(&mut self, places: Option<&[u32]>, sign: Sign) -> Result<()>;

    /// The table.
    fn table(&mut self) -> &mut dyn Accumulator;
}
