//! What a device must be able to do: vote, suppress, pick winners.
//!
//! Detection is written once above these two traits. The accumulator stays where the backend keeps
//! it; peaks come back, or the whole table on request.

use crate::Result;
use crate::detect::Moments;
use crate::frame::Points;
use crate::image::{EdgeMap, Image, Method};
use crate::lms::{self, Problem, Sheet, Slab};
use crate::space::{Neighbours, Space};
use crate::vote::{Ballots, Peak};
use std::any::Any;

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

    /// Keeps the points of a cloud where the backend works on them, or leaves that to the caller.
    ///
    /// # Errors
    /// Where the device fails; want of room is no error, but `None`.
    fn hold<'a>(&'a self, points: &Points) -> Result<Option<Box<dyn Held + 'a>>> {
        match self.receive(points.len())? {
            Some(receiver) => receiver.finish(points),
            None => Ok(None),
        }
    }

    /// The same for a cloud of at most `most` points that is still being read, so that they are
    /// there soon after its end.
    ///
    /// # Errors
    /// Where the device fails; want of room is no error, but `None`.
    fn receive<'a>(&'a self, _most: usize) -> Result<Option<Box<dyn Receiver<'a> + 'a>>> {
        Ok(None)
    }

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
    /// Where the device fails; want of room is no error, but `None`.
    fn finish(self: Box<Self>, points: &Points) -> Result<Option<Box<dyn Held + 'a>>>;
}

/// The points of a cloud, kept by a backend.
///
/// What it answers is what the CPU computes, to the last bit; where it has no room for the work, it
/// answers `None`, and the CPU does it.
pub trait Held {
    /// How many cells there are on a lattice of cubes whose edge is `finest` steps, and on those of
    /// twice, four times, … that. Points that share a finest cell count as one; a cell of at most
    /// `full` is roomy.
    ///
    /// # Errors
    /// Where the device fails.
    fn count_cells(&mut self, finest: u32, full: u32) -> Result<Option<CellCounts>>;

    /// The cells of `edge` steps, with the sums over their points in units of `steps`.
    ///
    /// # Errors
    /// Where the device fails.
    fn cells(&mut self, edge: u32, steps: u32) -> Result<Option<CellTable>>;

    /// The points in the order of the last [`cells`](Held::cells) as the backend keeps them, for its own
    /// [`Accumulator::vote_held`].
    fn in_order(&self) -> Option<&dyn Any>;

    /// Puts the points into the order of the last [`cells`](Held::cells); whether it did.
    ///
    /// # Errors
    /// Where the device fails.
    fn points_in_order(&mut self, points: &mut Points) -> Result<bool>;

    /// Looks for the layers through some base cells, in the blocks of a level that was judged.
    ///
    /// # Errors
    /// Where the device fails.
    fn layers(&mut self, trials: &Trials) -> Result<Option<Tried>>;

    /// Judges how flat the surface is in the blocks of the last [`cells`](Held::cells) and of so many
    /// levels in all, each of twice the edge, where the noise differs from place to place as told;
    /// whether there is room for that.
    ///
    /// # Errors
    /// Where the device fails.
    fn judge(&mut self, levels: usize, noise: &LocalNoise) -> Result<bool>;

    /// The thickness below which `share` of the points lie, of those around which there is a surface
    /// of at most `thickest` in the blocks that were judged, and the number of these points; both
    /// thicknesses as they would be where the noise is as usual.
    ///
    /// # Errors
    /// Where the device fails.
    fn thickness(&mut self, thickest: f64, share: f64) -> Result<Option<(f64, u64)>>;

    /// The surfaces of at most `thickest`, times the scale of the noise there, around the base cells, row by row, in the blocks that were
    /// judged.
    ///
    /// # Errors
    /// Where the device fails.
    fn surfaces(&mut self, thickest: f64) -> Result<Option<Vec<CellSurface>>>;

    /// Leaves behind what is `known` of each base cell, row by row: bit 0 says that the surface around
    /// it is, bit 1 that it belongs to a plane. Cells of the former, and blocks of which a good part
    /// is of the latter, show no surface any more. Whether there is room for that.
    ///
    /// # Errors
    /// Where the device fails.
    fn leave(&mut self, known: &[u8]) -> Result<bool>;

    /// Notes which planes are present in or around each of the cells of the last
    /// [`cells`](Held::cells), in the order of that table; whether it could.
    ///
    /// # Errors
    /// Where the device fails.
    fn present(&mut self, planes: &[[u32; PRESENT]]) -> Result<bool>;

    /// Every point to a plane: of those [`present`](Held::present) in its cell, the nearest of which it
    /// is within the tolerance, the first of equals. `becomes` are the labels of the planes, none of
    /// them larger than their number.
    ///
    /// # Errors
    /// Where the device fails.
    fn assign(
        &mut self,
        planes: &[LocalPlane],
        becomes: &[u32],
        wants_labels: bool,
    ) -> Result<Option<Assigned>>;
}

pub use crate::shared::PRESENT;

/// A plane in local coordinates.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LocalPlane {
    /// Unit normal.
    pub normal: [f64; 3],
    /// Distance from local zero along the normal, in steps.
    pub rho: f64,
    /// Largest distance of its points, in steps.
    pub tolerance: f64,
}

impl LocalPlane {
    /// Signed distance of a local point, in steps.
    #[inline]
    pub fn distance(&self, p: [f32; 3]) -> f64 {
        let ([a, b, c], [x, y, z]) = (self.normal, p.map(f64::from));
        a * x + b * y + c * z - self.rho
    }
}

/// Points that were given to planes; see [`Held::assign`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Assigned {
    /// The label of each point, `-1` without a plane; empty if not asked for.
    pub labels: Vec<i32>,
    /// Exact sums over the points of each label, in local coordinates.
    pub sums: Vec<Moments>,
}

/// The surface around a base cell; one of no thickness is none.
#[repr(C)]
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct CellSurface {
    /// Unit normal, of either sign.
    pub normal: [f32; 3],
    /// Standard error of its direction, in radians.
    pub error: f32,
    /// Root mean square distance of the block's points from their plane, in steps.
    pub thickness: f32,
    /// The level of the block.
    pub level: u32,
}

/// Base cells that are tried for layers in the blocks of a level.
#[derive(Debug, Clone)]
pub struct Trials<'a> {
    /// The base cells that are tried, by their places in Morton order, ascending.
    pub bases: &'a [u32],
    /// The level of the cells that hold them and around which the blocks are; the base is zero.
    pub level: usize,
    /// Standard deviation of points about their surface where the noise is as usual, in steps.
    pub noise: f64,
    /// The most noise for which the blocks of the level are wide enough. A crowded block is skipped if
    /// blocks of the level below were wide enough already.
    pub widest: f64,
}

/// How the noise differs from place to place, for the base cells in Morton order; empty where it does not.
#[derive(Debug, Clone, Copy, Default)]
pub struct LocalNoise<'a> {
    /// How many times the usual noise there is.
    pub scale: &'a [f32],
    /// A block that is thinner counts as so thick, in steps.
    pub floor: &'a [f32],
}

/// What became of [`Trials`].
#[derive(Debug, Clone, PartialEq)]
pub struct Tried {
    /// Of each base cell.
    pub outcomes: Vec<Outcome>,
    /// The layers, in any order.
    pub layers: Vec<Layer>,
}

/// What became of a base cell that was tried for a layer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// Its block has too few points to tell.
    TooFew,
    /// Its block is too crowded to be looked at, and will be on higher levels.
    Crowded,
    /// There is none.
    None,
    /// There is one.
    Found,
}

/// The layer through a base cell.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Layer {
    /// Index of the base cell among those that were tried.
    pub entry: u32,
    /// Mean of the cell's points in the layer.
    pub centroid: [f64; 3],
    /// Their number.
    pub weight: u32,
    /// Their covariance xx, xy, xz, yy, yz, zz.
    pub scatter: [f32; 6],
    /// Unit normal of the layer.
    pub normal: [f32; 3],
    /// Standard error of its direction, in radians.
    pub error: f32,
    /// Root mean square distance of the block's points of the layer from its plane.
    pub thickness: f32,
}

/// Numbers of cells; see [`Held::count_cells`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CellCounts {
    /// Finest cells.
    pub finest: u64,
    /// Cells of each size, from the finest on.
    pub cells: Vec<u64>,
    /// Finest cells that lie in roomy cells of each size.
    pub roomy: Vec<u64>,
}

/// A cloud in cells; see [`Held::cells`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CellTable {
    /// Indices of all points, cell by cell; within a cell by x, then y, then z, then index.
    pub order: Vec<u32>,
    /// The Morton key of each cell, ascending.
    pub keys: Vec<u64>,
    /// Where each cell begins in `order`.
    pub starts: Vec<u32>,
    /// The cells row by row: by z, then y, then x.
    pub by_row: Vec<u32>,
    /// Sums over the distinct points of each cell, relative to its corner, in the order of `by_row`.
    pub moments: Vec<Moments<i64>>,
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

    /// The same for points that are held: all of them, or those at some places in the order of the
    /// last [`cells`](Held::cells), each at most once. Whether it did; if not, there was no vote.
    ///
    /// # Errors
    /// Where the device fails.
    fn vote_held(
        &mut self,
        _held: &dyn Held,
        _places: Option<&[u32]>,
        _sign: Sign,
    ) -> Result<bool> {
        Ok(false)
    }

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
