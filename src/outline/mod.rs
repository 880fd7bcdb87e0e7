//! From the points of a plane to the outline of the area they cover.
//!
//! The plane is divided into square cells. Those that hold points, with gaps of one cell filled, form
//! connected components, the **parts**. The contour of a part is traced, simplified, and fitted to the points
//! along its long edges:
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
    /// Whether gaps one cell wide are filled.
    pub close: bool,
    /// Holes smaller than this many cells are filled.
    pub min_hole: u64,
    /// Parts smaller than this many cells are dropped; their points belong to no part.
    pub min_part: u64,
}

impl OutlineOptions {
    /// Gaps of one cell and holes below 4 cells are filled; every part is kept.
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
    outline_of(points.len(), |i| points[i], options)
}

/// The outline of `n` points that are not stored: `at` computes a point, and is called a few times for each.
pub(crate) fn outline_of(
    n: usize,
    at: impl Fn(usize) -> [f64; 2] + Sync,
    options: &OutlineOptions,
) -> Outline {
    let at = &at;
    let Some(grid) = Grid::new(n, at, options.cell) else {
        return Outline { parts: Vec::new(), part_of: vec![NO_PART; n] };
    };
    let mut cells = occupied(n, at, &grid);
    cells.finish();
    if options.close {
        cells.close();
    }
    let (component, sizes) = cells.components();
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

    let mut counts = vec![0u64; groups.len()];
    let place = |range: Range<usize>| {
        let mut placed = Placed::default();
        let mut finder = cells.finder();
        for p in range.map(at) {
            let cell = grid.cell(p).and_then(|[c, r]| finder.find(c, r));
            let part = cell.map_or(NO_PART, |cell| component[cell as usize]);
            placed.add(part);
            if let Some(cell) = cell.filter(|&cell| edges.is_near(cell)) {
                placed.supporters.push((cell, grid.in_cells(p)));
            }
        }
        placed
    };
    let placed: Vec<Placed> = ranges(n, PIECE).map(place).collect();
    for (cell, p) in placed.iter().flat_map(|piece| &piece.supporters) {
        edges.support(*cell, *p);
    }
    for &(part, run) in placed.iter().flat_map(|piece| &piece.runs) {
        if let Some(n) = counts.get_mut(part as usize) {
            *n += run as u64;
        }
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
    let part = |&(part, run): &(u32, usize)| {
        std::iter::repeat_n(rank.get(part as usize).copied().unwrap_or(NO_PART), run)
    };
    let mut part_of = vec![0; n];
    part_of.par_chunks_mut(PIECE).zip(&placed).for_each(|(to, placed)| {
        to.iter_mut().zip(placed.runs.iter().flat_map(part)).for_each(|(to, part)| *to = part);
    });
    Outline { parts: parts.into_iter().map(|(_, part)| part).collect(), part_of }
}

/// Where the points of a piece lie.
#[derive(Default)]
struct Placed {
    /// Components, and how many points in a row lie in each.
    runs: Vec<(u32, usize)>,
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

/// The cells that hold points.
fn occupied(n: usize, at: &(impl Fn(usize) -> [f64; 2] + Sync), grid: &Grid) -> CellSet {
    let piece = |range: Range<usize>| {
        let mut cells = CellSet::new();
        range.filter_map(|i| grid.cell(at(i))).for_each(|[c, r]| cells.insert(c, r));
        cells
    };
    let pieces: Vec<CellSet> = ranges(n, PIECE).map(piece).collect();
    let mut all = CellSet::new();
    pieces.iter().for_each(|cells| all.absorb(cells));
    all
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
    fn new(n: usize, at: &(impl Fn(usize) -> [f64; 2] + Sync), cell: f64) -> Option<Grid> {
        if !(cell.is_finite() && cell > 0.0) {
            return None;
        }
        let piece = |range: Range<usize>| {
            range.map(at).filter(usable).fold(NOWHERE, |bounds, p| joined(bounds, [p, p]))
        };
        let [min, max] = ranges(n, PIECE).map(piece).reduce(|| NOWHERE, joined);
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
