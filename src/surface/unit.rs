//! How large the base cells of a cloud are.

/// Distinct points that a base cell holds on average, at most.
const OCCUPANCY: f64 = 2.0;
/// Where a cloud is denser than on average, cells are so small that this share of the points …
const DENSE: f64 = 0.9;
/// … lies in cells of at most so many.
pub const FULL: u32 = 6;
/// But there are at most so many cells a point.
const MOST_CELLS: f64 = 0.75;
/// And so many at all: a cloud of more points is judged on cells of more points.
const LIMIT: f64 = 1.5e6;
/// Edge of the finest cells that are counted, in steps: what shares one counts as one point.
pub const FINEST: u32 = 8;
/// Points stand in clusters when there are so many times fewer clusters than points, …
const CLUSTERED: f64 = 1.5;
/// … whose number falls by less than this when cells double: of points strewn over a surface it falls by
/// more long before it has halved.
const STILL: f64 = 1.12;
/// Share of the points that must be in clusters of few, so that these are copies and no objects.
const SMALL: f64 = 0.8;
/// Clusters that are worth looking for.
const FEWEST: u64 = 500;
/// Units of the moments in the edge of a base cell, at most: finer detail says nothing about the
/// shape of the surface there.
const DETAIL: u32 = 256;

/// Numbers of cells of a lattice whose cells double.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CellCounts {
    /// Cells of [`FINEST`] steps: points that share one count as one.
    pub finest: u64,
    /// Cells of each size, from the finest on.
    pub cells: Vec<u64>,
    /// Finest cells that lie in cells of at most [`FULL`] of them, of each size.
    pub roomy: Vec<u64>,
}

/// The edge of a base cell: `span` units of `steps` local steps.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Unit {
    /// Units in the edge of a base cell.
    pub span: u32,
    /// Steps in a unit.
    pub steps: u32,
    /// Points that stand for one, since they lie closer together than a surface is sampled.
    pub copies: f64,
}

impl Unit {
    /// The edge for a cloud.
    ///
    /// Counted on a lattice whose cells double, and read off between two of its sizes. What lies
    /// closer together than a surface is sampled, such as copies of points, counts once.
    pub fn for_counts(counts: &CellCounts) -> Unit {
        // The larger the cells the fewer there are, and the fewer points have room.
        let distinct = sites(counts) as f64;
        let cells = counts.cells.iter().map(|&n| n as f64);
        let fall_to = |n: f64| crossing(cells.clone().map(|c| (c / n).ln()));
        let mean = fall_to(distinct / OCCUPANCY);
        let most = fall_to(distinct * MOST_CELLS);
        let limit = fall_to(LIMIT);
        let crowd = counts.finest as f64 / distinct.max(1.0);
        let share = |&n: &u64| n as f64 / counts.finest.max(1) as f64;
        let dense = if crowd > CLUSTERED {
            f64::INFINITY
        } else {
            crossing(counts.roomy.iter().map(|n| share(n) - DENSE))
        };
        let edge = f64::from(FINEST) * mean.min(dense.max(most)).max(limit).exp2();
        Unit::of_edge(edge, crowd.max(1.0))
    }

    /// The same for cells so many times as wide.
    pub fn coarser(self, times: f64) -> Unit {
        Unit::of_edge(times * f64::from(self.span * self.steps), self.copies)
    }

    fn of_edge(edge: f64, copies: f64) -> Unit {
        let steps = (edge / f64::from(DETAIL)).ceil().max(1.0) as u32;
        Unit { span: ((edge / f64::from(steps)).round() as u32).max(FINEST), steps, copies }
    }
}

/// The number of places of a cloud: its distinct points, unless nearly all of them stand in small
/// clusters that are far smaller than the clusters are apart. Cells between these two sizes are as many
/// as the clusters.
fn sites(counts: &CellCounts) -> u64 {
    let finest = counts.finest as f64;
    let is_clustered = |&at: &usize| {
        let [n, next, roomy] = [counts.cells[at], counts.cells[at + 1], counts.roomy[at]];
        n >= FEWEST
            && (n as f64) < STILL * next as f64
            && finest > CLUSTERED * n as f64
            && roomy as f64 > SMALL * finest
    };
    let coarsest = (0..counts.cells.len() - 1).rfind(is_clustered);
    coarsest.map_or(counts.finest, |at| counts.cells[at])
}

/// The binary logarithm of the size, in finest cells, at which a falling value crosses zero.
fn crossing(values: impl Iterator<Item = f64>) -> f64 {
    let values: Vec<f64> = values.collect();
    let above = (1..values.len()).find(|&i| values[i] <= 0.0).unwrap_or(values.len() - 1);
    let (fine, coarse) = (values[above - 1], values[above]);
    let share = if fine > coarse { fine / (fine - coarse) } else { 0.0 };
    (above - 1) as f64 + share.clamp(0.0, 1.0)
}
