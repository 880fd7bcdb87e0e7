//! The size of a cloud's base cells.

/// Most distinct points in a base cell, on average.
const OCCUPANCY: f64 = 2.0;
/// Where a cloud is denser than its average, cells are so small that this share of the points …
const DENSE: f64 = 0.9;
/// … lies in cells of at most this many.
pub const FULL: u32 = 6;
/// But there are at most this many cells per point, …
const MOST_CELLS: f64 = 0.75;
/// … at most this many for the root of the number of points, …
const PER_ROOT: f64 = 500.0;
/// … and at most this many in all, unless they hide faces.
const LIMIT: f64 = 1.5e6;
/// Where so many would be too coarse to show the faces of a large place, there are at most this many.
const FINE_LIMIT: f64 = 1.2e7;
/// Finer cells are worth a second cut if they are narrower by so many doublings.
const WORTH_CUTTING: f64 = 0.25;
/// Clouds of more distinct points than this are judged on cells of more points. A surface has as many cells as
/// if the cloud had this many points, …
const MANY: f64 = 3e5;
/// … or as many as the geometric mean of this number and that of its points, if that is more.
const MEAN_OF: f64 = 1e5;
/// Edge of the finest cells that are counted, in steps: points that share such a cell count as one.
pub const FINEST: u32 = 8;
/// Points stand in clusters when there are this many times fewer clusters than points, …
const CLUSTERED: f64 = 1.5;
/// … and when the number of clusters falls by less than this factor as cells double. For points strewn over a
/// surface it falls by more, long before it has halved.
const STILL: f64 = 1.12;
/// Share of the points that must be in clusters of few points, so that clusters are copies, not objects, …
const SMALL: f64 = 0.8;
/// … or clusters have up to this many points in the mean, and their number is the same on three sizes of cells.
const MOST_COPIES: u64 = 64;
/// Copies that coincide are joined in cells that are this many doublings wider than the finest.
const COINCIDING: usize = 2;
/// Edge of such cells, in steps.
pub const OF_COINCIDING: u32 = FINEST << COINCIDING;
/// Fewest clusters worth looking for.
const FEWEST: u64 = 500;
/// Most units of the moments in the edge of a base cell: finer detail says nothing about the shape of the
/// surface there.
const DETAIL: u32 = 256;

/// Numbers of cells on lattices of doubling cell size.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CellCounts {
    /// Points, those that coincide included.
    pub points: u64,
    /// Occupied cells of [`FINEST`] steps: points that share one count as one.
    pub finest: u64,
    /// Cells of each size, from the finest on.
    pub cells: Vec<u64>,
    /// For each size, the finest cells that lie in cells with at most [`FULL`] of them.
    pub roomy: Vec<u64>,
}

/// The edge of a base cell: `span` units of `steps` local steps.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Unit {
    /// Units in the edge of a base cell.
    pub span: u32,
    /// Steps in a unit.
    pub steps: u32,
    /// How many times, in whole doublings, the edge is wider because the cloud has many points; cells that are
    /// wider for the sake of the noise do not count.
    pub doublings: u32,
}

impl Unit {
    /// The edge for a cloud.
    ///
    /// Cells are counted on lattices of doubling cell size, and the edge is interpolated between two sizes.
    pub fn for_counts(counts: &CellCounts) -> Unit {
        let (few, distinct) = (counts.with_few_points(), counts.finest as f64);
        let limit = counts.fall_to(LIMIT.min(PER_ROOT * distinct.sqrt()));
        let as_if = distinct.min(MANY.max((MEAN_OF * distinct).sqrt()));
        let wider = (0.5 * (distinct / as_if).log2()).max(limit - few);
        Unit::of_size(few, wider)
    }

    /// Half this edge, or as small a one as the cells of a cloud may have; `None` if it is nearly that already.
    pub fn finer(self, counts: &CellCounts) -> Option<Unit> {
        let few = counts.with_few_points();
        let wider = (self.edge() / f64::from(FINEST)).log2() - few;
        let least = (counts.fall_to(FINE_LIMIT) - few).max(0.0);
        let finer = (wider - 1.0).max(least);
        (wider - finer >= WORTH_CUTTING).then(|| Unit::of_size(few, finer))
    }

    /// The edge that is so many doublings `wider` than that of cells of `few` points, in doublings of the finest.
    fn of_size(few: f64, wider: f64) -> Unit {
        let edge = f64::from(FINEST) * (few + wider.max(0.0)).exp2();
        Unit { doublings: wider.round() as u32, ..Unit::of_edge(edge) }
    }

    /// The same for cells `times` as wide.
    pub fn coarser(self, times: f64) -> Unit {
        Unit { doublings: self.doublings, ..Unit::of_edge(times * self.edge()) }
    }

    /// This or another, whichever is wider.
    pub fn at_least(self, other: Unit) -> Unit {
        if self.edge() < other.edge() { other } else { self }
    }

    /// The edge, in local steps.
    fn edge(self) -> f64 {
        f64::from(self.span * self.steps)
    }

    fn of_edge(edge: f64) -> Unit {
        let steps = (edge / f64::from(DETAIL)).ceil().max(1.0) as u32;
        Unit { span: ((edge / f64::from(steps)).round() as u32).max(FINEST), steps, doublings: 0 }
    }
}

impl CellCounts {
    /// The size of cells of which there are `n`, in doublings of the finest.
    fn fall_to(&self, n: f64) -> f64 {
        // Larger cells are fewer.
        crossing(self.cells.iter().map(|&cells| (cells as f64 / n).ln()))
    }

    /// The size of the cells of a cloud that has not too many points, in doublings of the finest.
    fn with_few_points(&self) -> f64 {
        let distinct = self.finest as f64;
        let mean = self.fall_to(distinct / OCCUPANCY);
        let most = self.fall_to(distinct * MOST_CELLS);
        let share = |&n: &u64| n as f64 / self.finest.max(1) as f64;
        // Fewer points lie in larger cells with room.
        let dense = crossing(self.roomy.iter().map(|n| share(n) - DENSE));
        mean.min(dense.max(most))
    }

    /// The edges of the smallest and of the largest cells, in steps, that hold the clusters of a cloud in which
    /// nearly all points stand in small clusters, far smaller than the gaps between them; `None` for other
    /// clouds. Cells of all sizes between these two are as many as the clusters.
    pub fn clusters(&self) -> Option<[u32; 2]> {
        let [points, finest] = [self.points, self.finest].map(|n| n as f64);
        let is_clustered = |&at: &usize| {
            let [n, next, roomy] = [self.cells[at], self.cells[at + 1], self.roomy[at]];
            let before = at.checked_sub(1).map_or(u64::MAX, |finer| self.cells[finer]);
            let is_still = |many: u64| (many as f64) < STILL * next as f64;
            n >= FEWEST
                && is_still(n)
                && points > CLUSTERED * n as f64
                && (roomy as f64 > SMALL * finest
                    || is_still(before) && self.finest <= MOST_COPIES * n)
        };
        let mut sizes = (0..self.cells.len() - 1).filter(is_clustered);
        let finest = sizes.next()?;
        let mut largest = sizes.next_back().unwrap_or(finest);
        // Wide cells join what the sides of narrow ones cut in two, which is hardly anything if copies coincide.
        if finest == 0 && (self.cells[0] as f64) < STILL * self.cells[largest] as f64 {
            largest = largest.min(COINCIDING);
        }
        Some([finest, largest].map(|at| FINEST << at))
    }
}

/// The binary logarithm of the size, in finest cells, at which a falling value crosses zero.
fn crossing(values: impl Iterator<Item = f64>) -> f64 {
    let values: Vec<f64> = values.collect();
    let above = (1..values.len()).find(|&i| values[i] <= 0.0).unwrap_or(values.len() - 1);
    let (fine, coarse) = (values[above - 1], values[above]);
    let share = if fine > coarse { fine / (fine - coarse) } else { 0.0 };
    (above - 1) as f64 + share.clamp(0.0, 1.0)
}
