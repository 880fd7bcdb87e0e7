//! From the points of a plane to the outline of the area they cover.
//!
//! The plane is divided into square cells. Those that hold points, with gaps up to two cells wide filled, form
//! connected components, the **parts**. The contour of a part is traced, simplified, and fitted to the points
//! along its long edges. A lone cell beside a part, as of a scattered point, belongs to the part, but
//! the contour does not turn aside to it:
//!
//! ```
//! use planes::outline::{OutlineOptions, outline};
//!
//! // A rectangle of 8 by 3, points every 0.05.
//! let points: Vec<[f64; 2]> = (0..160 * 60)
//!     .map(|k| [0.05 * (k % 160) as f64, 0.05 * (k / 160) as f64])
//!     .collect();
//! let outline = outline(&points, &OutlineOptions::new(0.15));
//! assert_eq!(outline.parts.len(), 1);
//! assert_eq!(outline.parts[0].exterior.len(), 4);
//! assert!((outline.parts[0].area - 24.0).abs() < 0.5);
//! ```
//!
//! Rings do not cross or touch themselves or each other, and the result does not depend on the order of the
//! points.

mod cells;
mod frame;
mod rectangle;
mod refit;
mod simplify;
mod trace;
mod validity;

pub use frame::PlaneFrame;
pub use rectangle::smallest_rectangle;

use crate::plane::Polygon;
use crate::ranges::ranges;
use cells::{Cell, CellSet, EAST, WEST};
use rayon::prelude::*;
use refit::Edges;
use std::ops::Range;
use trace::{REACH, Ring, signed_area};

/// A point that belongs to no part, in [`Outline::part_of`].
pub const NO_PART: u32 = u32::MAX;

/// Distance of a simplified ring from the traced one, in cells.
const TOLERANCE: f64 = 1.0;

/// The same after the ring is fitted to the points.
const TIDY_TOLERANCE: f64 = 0.5;

/// The extent of a plane in cells stays below this; if necessary, the cell size is doubled.
const MOST_CELLS: f64 = 8_388_608.0;

/// How an outline is drawn.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct OutlineOptions {
    /// Side of a cell, in the unit of the points: two to four times their spacing. Points that are
    /// more than two cells apart are not connected.
    pub cell: f64,
    /// Whether gaps up to two cells wide are filled, and a single cell beside a well-covered edge is left out of the contour.
    pub close: bool,
    /// Holes smaller than this many cells are filled.
    pub min_hole: u64,
    /// Parts smaller than this many cells are dropped; their points belong to no part.
    pub min_part: u64,
}

impl OutlineOptions {
    /// Gaps up to two cells wide and holes below 4 cells are filled; every part is kept.
    pub fn new(cell: f64) -> OutlineOptions {
        OutlineOptions { cell, close: true, min_hole: 4, min_part: 1 }
    }
}

/// A connected part of the support of a plane, in in-plane coordinates.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Part {
    /// The outer ring, counter-clockwise; the first vertex is not repeated.
    pub exterior: Vec<[f64; 2]>,
    /// The rings of the holes, clockwise.
    pub holes: Vec<Vec<[f64; 2]>>,
    /// Area of the outer ring less that of the holes, in the unit of the points squared.
    pub area: f64,
    /// Number of points.
    pub points: u64,
}

impl Part {
    /// The part as a polygon in space, in the input coordinates of `frame`. With `is_turned` its rings run
    /// the other way, as seen from the plane's other side; the first vertices stay the same.
    pub fn polygon(&self, frame: &PlaneFrame, is_turned: bool) -> Polygon {
        let lift = |ring: &Vec<[f64; 2]>| {
            let mut ring: Vec<[f64; 3]> = ring.iter().map(|&p| frame.lift(p)).collect();
            if let (true, Some(rest)) = (is_turned, ring.get_mut(1..)) {
                rest.reverse();
            }
            ring
        };
        Polygon { exterior: lift(&self.exterior), holes: self.holes.iter().map(lift).collect() }
    }
}

/// The parts of a plane's support.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Outline {
    /// The parts, largest area first; ties go to more points, then to the position.
    pub parts: Vec<Part>,
    /// For each point the index of its part in `parts`, or [`NO_PART`].
    pub part_of: Vec<u32>,
}

impl Outline {
    /// Sum of the areas of the parts.
    pub fn area(&self) -> f64 {
        // Not `sum`, whose empty sum is -0.
        self.parts.iter().fold(0.0, |sum, p| sum + p.area)
    }
}

/// The outline of `points`, which are in-plane coordinates (see [`PlaneFrame::project`]).
///
/// Points with a coordinate that is not finite, or beyond 1e150, belong to no part. If the cell is not a
/// positive number, there are no parts.
pub fn outline(points: &[[f64; 2]], options: &OutlineOptions) -> Outline {
    outline_of(points.len(), |run, to| to.extend_from_slice(&points[run]), options)
}

/// The outline of `n` points that are not stored: `add` computes a run of them and adds them to a list. Each point is
/// computed a few times, in different runs.
pub(crate) fn outline_of(
    n: usize,
    add: impl Fn(Range<usize>, &mut Vec<[f64; 2]>) + Sync,
    options: &OutlineOptions,
) -> Outline {
    let points = &Computed { n, add };
    let Some(grid) = Grid::new(points, options.cell) else {
        return Outline { parts: Vec::new(), part_of: vec![NO_PART; n] };
    };
    // First the cell of each point in its piece, then its part.
    let mut part_of = vec![NO_PART; n];
    let pieces = occupied(points, &grid, &mut part_of);
    let mut cells = CellSet::new();
    pieces.iter().for_each(|piece| cells.absorb(piece));
    cells.finish();
    let strays = if options.close { cells.close() } else { Vec::new() };
    let (mut component, sizes) = cells.components();
    cells.place_strays(&strays, &mut component);
    let groups = group(trace::rings(&cells, &component), sizes.len(), options.min_hole);

    let mut edges = Edges::default();
    let mut shapes = Vec::with_capacity(groups.len());
    for (rings, &size) in groups.iter().zip(&sizes) {
        if size < options.min_part {
            shapes.push(None);
            continue;
        }
        let vertices: Vec<&[[f64; 2]]> = rings.iter().map(|r| &r.vertices[..]).collect();
        let kept = simplify::simplify(&vertices, TOLERANCE);
        shapes.push(Some(edges.add(&cells, &rings.iter().collect::<Vec<_>>(), &kept)));
    }
    edges.finish(&cells);

    let place = |(k, (part_of, piece)): (usize, (&mut [u32], &CellSet))| {
        let mut placed = Placed::default();
        let tiles = cells.tiles_of(piece);
        let mut computed = Vec::with_capacity(1);
        for (i, of) in part_of.iter_mut().enumerate().filter(|(_, of)| **of != NO_PART) {
            let cell = u64::from(tiles[(*of >> 6) as usize]) << 6 | u64::from(*of & 63);
            *of = component[cell as usize];
            placed.add(*of);
            if edges.is_near(cell) {
                computed.clear();
                (points.add)(k * PIECE + i..k * PIECE + i + 1, &mut computed);
                placed.supporters.extend(computed.iter().map(|&p| (cell, grid.in_cells(p))));
            }
        }
        placed
    };
    let placed: Vec<Placed> =
        part_of.par_chunks_mut(PIECE).zip(&pieces).enumerate().map(place).collect();
    drop(pieces);
    for (cell, p) in placed.iter().flat_map(|piece| &piece.supporters) {
        edges.support(*cell, *p);
    }
    let mut counts = vec![0u64; groups.len()];
    for &(part, run) in placed.iter().flat_map(|piece| &piece.runs) {
        counts[part as usize] += run;
    }

    let mut parts: Vec<(u32, Part)> = Vec::new();
    for (number, shape) in shapes.iter().enumerate() {
        if let Some(shape) = shape {
            let density = counts[number] as f64 / sizes[number] as f64;
            let rings = tidy(&edges.refit(shape, density));
            parts.push((number as u32, grid.part(&rings, counts[number])));
        }
    }
    parts.sort_by(|(i, a), (j, b)| {
        (b.area.total_cmp(&a.area)).then(b.points.cmp(&a.points)).then(i.cmp(j))
    });
    let mut rank = vec![NO_PART; sizes.len()];
    for (r, (number, _)) in parts.iter().enumerate() {
        rank[*number as usize] = r as u32;
    }
    let ranked = |part: &mut u32| *part = rank.get(*part as usize).copied().unwrap_or(NO_PART);
    part_of.par_chunks_mut(PIECE).for_each(|piece| piece.iter_mut().for_each(ranked));
    Outline { parts: parts.into_iter().map(|(_, part)| part).collect(), part_of }
}

/// Where the points of a piece lie.
#[derive(Default)]
struct Placed {
    /// Components, and how many points in a row lie in each.
    runs: Vec<(u32, u64)>,
    /// Points in cells near long edges.
    supporters: Vec<(Cell, [f64; 2])>,
}

impl Placed {
    fn add(&mut self, part: u32) {
        match self.runs.last_mut() {
            Some((last, run)) if *last == part => *run += 1,
            _ => self.runs.push((part, 1)),
        }
    }
}

/// Points that one thread processes at a time.
const PIECE: usize = 1 << 14;

/// Points that are computed at a time: they stay in the first-level cache.
const BLOCK: usize = 1 << 10;

/// Points that are computed when they are wanted.
struct Computed<A> {
    n: usize,
    /// Adds a run of them to a list.
    add: A,
}

impl<A: Fn(Range<usize>, &mut Vec<[f64; 2]>) + Sync> Computed<A> {
    /// The points in pieces for threads.
    fn pieces(&self) -> impl IndexedParallelIterator<Item = Range<usize>> {
        ranges(self.n, PIECE)
    }

    /// Calls `visit` with each point of a run.
    #[inline]
    fn each(&self, run: Range<usize>, mut visit: impl FnMut([f64; 2])) {
        let mut block = Vec::with_capacity(BLOCK.min(run.len()));
        for start in run.clone().step_by(BLOCK) {
            block.clear();
            (self.add)(start..run.end.min(start + BLOCK), &mut block);
            block.iter().for_each(|&p| visit(p));
        }
    }
}

/// The cells that hold points, for each piece of these; `cell_of` becomes the cell of each point in its piece.
fn occupied(
    points: &Computed<impl Fn(Range<usize>, &mut Vec<[f64; 2]>) + Sync>,
    grid: &Grid,
    cell_of: &mut [u32],
) -> Vec<CellSet> {
    let piece = |(piece, cell_of): (Range<usize>, &mut [u32])| {
        let mut cells = CellSet::new();
        let mut cell_of = cell_of.iter_mut();
        points.each(piece, |p| {
            let cell = grid.cell(p).map(|[column, row]| cells.insert(column, row) as u32);
            if let (Some(to), Some(cell)) = (cell_of.next(), cell) {
                *to = cell;
            }
        });
        cells
    };
    points.pieces().zip(cell_of.par_chunks_mut(PIECE)).map(piece).collect()
}

/// Removes what is left of the steps once the long edges are in place.
fn tidy(rings: &[Vec<[f64; 2]>]) -> Vec<Vec<[f64; 2]>> {
    let vertices: Vec<&[[f64; 2]]> = rings.iter().map(|r| &r[..]).collect();
    let kept = simplify::simplify(&vertices, TIDY_TOLERANCE);
    rings.iter().zip(&kept).map(|(r, k)| simplify::pick(r, k)).collect()
}

/// The rings of each component, outer ring first, holes below `min_hole` cells left out.
fn group(rings: Vec<Ring>, components: usize, min_hole: u64) -> Vec<Vec<Ring>> {
    let mut groups: Vec<Vec<Ring>> = (0..components).map(|_| Vec::new()).collect();
    for ring in rings {
        let area = signed_area(&ring.vertices);
        let group = &mut groups[ring.component as usize];
        if area > 0.0 {
            group.insert(0, ring);
        } else if hole_cells(&ring) >= min_hole {
            group.push(ring);
        }
    }
    groups
}

/// Number of cells inside the ring of a hole: along each row it runs from a free east side to the
/// next free west side.
fn hole_cells(ring: &Ring) -> u64 {
    let columns: f64 = ring
        .sides
        .iter()
        .zip(&ring.vertices)
        .map(|(&(_, side), v)| match side {
            EAST => REACH - 1.0 - v[0],
            WEST => REACH + v[0],
            _ => 0.0,
        })
        .sum();
    columns as u64
}

/// Where points fall in cells.
struct Grid {
    min: [f64; 2],
    cell: f64,
}

/// Free columns and rows before the first cell, which closing needs.
const MARGIN: f64 = 8.0;

/// Bounds that contain no point.
const NOWHERE: [[f64; 2]; 2] = [[f64::INFINITY; 2], [f64::NEG_INFINITY; 2]];

/// Bounds of the union of two sets of points.
fn joined([a, b]: [[f64; 2]; 2], [c, d]: [[f64; 2]; 2]) -> [[f64; 2]; 2] {
    [[a[0].min(c[0]), a[1].min(c[1])], [b[0].max(d[0]), b[1].max(d[1])]]
}

/// Whether areas computed with this point are finite.
fn usable(p: &[f64; 2]) -> bool {
    p.iter().all(|x| x.abs() <= 1e150)
}

impl Grid {
    fn new(
        points: &Computed<impl Fn(Range<usize>, &mut Vec<[f64; 2]>) + Sync>,
        cell: f64,
    ) -> Option<Grid> {
        if !(cell.is_finite() && cell > 0.0) {
            return None;
        }
        let piece = |piece: Range<usize>| {
            let mut bounds = NOWHERE;
            points.each(piece, |p| {
                if usable(&p) {
                    bounds = joined(bounds, [p, p]);
                }
            });
            bounds
        };
        let [min, max] = points.pieces().map(piece).reduce(|| NOWHERE, joined);
        let extent = (max[0] - min[0]).max(max[1] - min[1]);
        let mut cell = cell;
        while extent / cell > MOST_CELLS {
            cell *= 2.0;
        }
        (extent >= 0.0 && cell.is_finite()).then_some(Grid { min, cell })
    }

    /// Coordinates in cells; cell `(c, r)` has its centre at `(c, r)`.
    fn in_cells(&self, p: [f64; 2]) -> [f64; 2] {
        [0, 1].map(|k| (p[k] - self.min[k]) / self.cell + (MARGIN - 0.5))
    }

    fn cell(&self, p: [f64; 2]) -> Option<[u32; 2]> {
        usable(&p).then(|| self.in_cells(p).map(|x| (x + 0.5) as u32))
    }

    fn part(&self, rings: &[Vec<[f64; 2]>], points: u64) -> Part {
        let mut rings = rings.iter().map(|ring| {
            ring.iter()
                .map(|p| [0, 1].map(|k| self.min[k] + (p[k] - (MARGIN - 0.5)) * self.cell))
                .collect::<Vec<[f64; 2]>>()
        });
        let exterior = rings.next().unwrap_or_default();
        let holes: Vec<_> = rings.collect();
        let area = signed_area(&exterior) + holes.iter().map(|h| signed_area(h)).sum::<f64>();
        Part { exterior, holes, area, points }
    }
}

#[cfg(test)]
mod tests;
