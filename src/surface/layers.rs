//! Layers: the surface through a cell whose surrounding points belong to several surfaces.

/// Base cells that are tried for layers in the blocks of a level.
#[derive(Debug, Clone)]
pub struct Trials<'a> {
    /// The base cells that are tried, ascending.
    pub bases: &'a [u32],
    /// The level of the cells that hold them and whose blocks are examined; the base is zero.
    pub level: usize,
    /// The usual standard deviation of points about their surface, in steps.
    pub noise: f64,
    /// The largest noise for which the blocks of the level are wide enough. A crowded block is skipped if
    /// blocks of the level below were already wide enough.
    pub widest: f64,
}

/// The outcome of [`Trials`].
#[derive(Debug, Clone, PartialEq)]
pub struct Tried {
    /// For each base cell.
    pub outcomes: Vec<Outcome>,
    /// The layers, in any order.
    pub layers: Vec<Layer>,
}

/// How the trial of a base cell for a layer ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// Its block has too few points to tell.
    TooFew,
    /// Its block is too crowded to be examined, and will be so on higher levels.
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
