//! Long edges moved from the cells to the points.
//!
//! A ring through cells is off by up to a cell, and its corners are cut. Where an edge is a few cells long,
//! the points next to it locate it better: in each stretch of one cell the outermost point is its support.
//! The edge becomes the line through the supports, moved out by the gap to be expected between an outermost
//! point and the true edge.

use super::cells::{Cell, CellSet};
use super::trace::{Ring, signed_area};
use super::validity::{Segment, conflicts, nested};

/// Shortest edge that is refitted, in cells.
const SHORTEST: f64 = 4.0;
/// Points farther outside or inside than this belong to something else, in cells.
const BAND: f64 = 1.5;
/// A support this much farther inside than the middle one is a gap in the points, in cells.
const GAP: f64 = 0.75;
/// Farthest that a vertex may move, in cells.
const FARTHEST: f64 = 1.5;

/// One edge of a simplified ring.
pub struct Edge {
    start: [f64; 2],
    along: [f64; 2],
    length: f64,
    /// Outermost point of each stretch of one cell, measured outwards; the first stretch starts one
    /// cell after the start, because the points at the ends belong to the next edges as well.
    supports: Vec<f64>,
}

impl Edge {
    fn new(start: [f64; 2], end: [f64; 2]) -> Edge {
        let d = [end[0] - start[0], end[1] - start[1]];
        let length = d[0].hypot(d[1]);
        let stretches = if length >= SHORTEST { length as usize - 2 } else { 0 };
        Edge {
            start,
            along: [d[0] / length, d[1] / length],
            length,
            supports: vec![f64::NEG_INFINITY; stretches],
        }
    }

    fn add(&mut self, p: [f64; 2]) {
        let e = [p[0] - self.start[0], p[1] - self.start[1]];
        let along = e[0] * self.along[0] + e[1] * self.along[1] - 1.0;
        let outwards = e[0] * self.along[1] - e[1] * self.along[0];
        if along >= 0.0
            && outwards.abs() <= BAND
            && let Some(support) = self.supports.get_mut(along as usize)
        {
            *support = support.max(outwards);
        }
    }

    /// How far the edge moves outwards at its start and at its end.
    fn shift(&self, expected_gap: f64) -> [f64; 2] {
        let mut sorted: Vec<f64> = self.supports.clone();
        sorted.retain(|s| s.is_finite());
        sorted.sort_unstable_by(f64::total_cmp);
        let Some(&middle) = sorted.get(sorted.len() / 2) else {
            return [0.0; 2];
        };
        let [mut n, mut sx, mut sy, mut sxx, mut sxy] = [0.0; 5];
        for (k, &y) in self.supports.iter().enumerate() {
            if y > middle - GAP {
                let x = 1.5 + k as f64 - self.length / 2.0;
                n += 1.0;
                sx += x;
                sy += y;
                sxx += x * x;
                sxy += x * y;
            }
        }
        let spread = n * sxx - sx * sx;
        let slope = if spread > 0.0 { (n * sxy - sx * sy) / spread } else { 0.0 };
        let centre = (sy - slope * sx) / n + expected_gap;
        let half = slope * self.length / 2.0;
        [centre - half, centre + half].map(|s| s.clamp(-FARTHEST, FARTHEST))
    }

    fn moved(&self, shift: [f64; 2]) -> ([f64; 2], [f64; 2]) {
        let at = |distance: f64, shift: f64| {
            [
                self.start[0] + distance * self.along[0] + shift * self.along[1],
                self.start[1] + distance * self.along[1] - shift * self.along[0],
            ]
        };
        (at(0.0, shift[0]), at(self.length, shift[1]))
    }
}

/// The edges of one part: its rings, outer ring first, each with its kept vertices.
pub struct Part {
    /// The simplified rings, in cells.
    pub rings: Vec<Vec<[f64; 2]>>,
    /// For each ring the number of its first edge; edges of a ring follow each other.
    first_edge: Vec<usize>,
}

/// Which edges a cell's points may support.
#[derive(Default)]
pub struct Edges {
    edges: Vec<Edge>,
    near: Vec<(Cell, u32)>,
    first: Vec<u32>,
    /// For each tile of 64 cells, a bit for each that may.
    is_near: Vec<u64>,
}

impl Edges {
    /// Takes up the rings of a part and the cells next to their long edges.
    pub fn add(&mut self, cells: &CellSet, rings: &[&Ring], kept: &[Vec<usize>]) -> Part {
        let mut part = Part { rings: Vec::new(), first_edge: Vec::new() };
        for (ring, kept) in rings.iter().zip(kept) {
            let shape = super::simplify::pick(&ring.vertices, kept);
            part.first_edge.push(self.edges.len());
            for (k, &start) in shape.iter().enumerate() {
                let edge = Edge::new(start, shape[(k + 1) % shape.len()]);
                if !edge.supports.is_empty() {
                    let end = kept.get(k + 1).copied();
                    let end = end.unwrap_or(kept[0] + ring.sides.len());
                    self.note(cells, ring, kept[k]..=end);
                }
                self.edges.push(edge);
            }
            part.rings.push(shape);
        }
        part
    }

    fn note(&mut self, cells: &CellSet, ring: &Ring, chain: std::ops::RangeInclusive<usize>) {
        let edge = self.edges.len() as u32;
        for k in chain {
            let (cell, side) = ring.sides[k % ring.sides.len()];
            self.near.push((cell, edge));
            if let Some(behind) = cells.step(cell, (side + 2) % 4) {
                self.near.push((behind, edge));
            }
        }
    }

    /// Makes [`Edges::support`] ready.
    pub fn finish(&mut self, cells: &CellSet) {
        self.near.sort_unstable();
        self.near.dedup();
        self.first = vec![0; cells.cell_limit() + 1];
        self.is_near = vec![0; cells.cell_limit() / 64];
        for &(cell, _) in &self.near {
            self.first[cell as usize + 1] += 1;
            self.is_near[(cell >> 6) as usize] |= 1 << (cell & 63);
        }
        for k in 1..self.first.len() {
            self.first[k] += self.first[k - 1];
        }
    }

    /// Whether the points of a cell may support an edge.
    pub fn is_near(&self, cell: Cell) -> bool {
        self.is_near[(cell >> 6) as usize] >> (cell & 63) & 1 == 1
    }

    /// Lets a point, in cells, support the edges near its cell.
    pub fn support(&mut self, cell: Cell, point: [f64; 2]) {
        let range = self.first[cell as usize] as usize..self.first[cell as usize + 1] as usize;
        for &(_, edge) in &self.near[range] {
            self.edges[edge as usize].add(point);
        }
    }

    /// The rings of a part with its long edges moved to their supports. `density` is the number of
    /// points in a full cell.
    pub fn refit(&self, part: &Part, density: f64) -> Vec<Vec<[f64; 2]>> {
        let expected_gap = (1.0 / density).min(0.5);
        let mut shapes: Vec<Vec<[f64; 2]>> = part
            .rings
            .iter()
            .zip(&part.first_edge)
            .map(|(ring, &first)| {
                refit_ring(ring, &self.edges[first..first + ring.len()], expected_gap)
            })
            .collect();
        // A vertex whose move made rings meet goes back to where it was.
        loop {
            let bad = conflicts(&shapes);
            if bad.is_empty() {
                break;
            }
            if !revert(&mut shapes, &part.rings, &bad) {
                return part.rings.clone();
            }
        }
        let turned =
            |(shape, ring): (&Vec<_>, &Vec<_>)| signed_area(shape) / signed_area(ring) < 0.5;
        if nested(&shapes) && !shapes.iter().zip(&part.rings).any(turned) {
            shapes
        } else {
            part.rings.clone()
        }
    }
}

fn revert(shapes: &mut [Vec<[f64; 2]>], original: &[Vec<[f64; 2]>], bad: &[Segment]) -> bool {
    let mut changed = false;
    for &(r, k) in bad {
        for v in [k, (k + 1) % original[r].len()] {
            changed |= shapes[r][v] != original[r][v];
            shapes[r][v] = original[r][v];
        }
    }
    changed
}

/// Whether a ring has lost its area or runs the other way round.
fn turned(shape: &[[f64; 2]], ring: &[[f64; 2]]) -> bool {
    signed_area(shape) / signed_area(ring) < 0.5
}

fn refit_ring(ring: &[[f64; 2]], edges: &[Edge], expected_gap: f64) -> Vec<[f64; 2]> {
    let lines: Vec<_> = edges.iter().map(|e| e.moved(e.shift(expected_gap))).collect();
    let moved: Vec<_> = (0..ring.len())
        .map(|k| {
            let before = lines[(k + ring.len() - 1) % ring.len()];
            let after = lines[k];
            let meeting = intersection(before, after);
            let average = [0, 1].map(|axis| (before.1[axis] + after.0[axis]) / 2.0);
            [meeting, Some(average)]
                .into_iter()
                .flatten()
                .find(|p| (p[0] - ring[k][0]).hypot(p[1] - ring[k][1]) <= FARTHEST)
                .unwrap_or(ring[k])
        })
        .collect();
    if turned(&moved, ring) {
        return ring.to_vec();
    }
    moved
}

/// Where two lines meet, unless they are nearly parallel.
fn intersection(p: ([f64; 2], [f64; 2]), q: ([f64; 2], [f64; 2])) -> Option<[f64; 2]> {
    let d = [p.1[0] - p.0[0], p.1[1] - p.0[1]];
    let e = [q.1[0] - q.0[0], q.1[1] - q.0[1]];
    let area = d[0] * e[1] - d[1] * e[0];
    if area.abs() < 0.25 * d[0].hypot(d[1]) * e[0].hypot(e[1]) {
        return None;
    }
    let t = ((q.0[0] - p.0[0]) * e[1] - (q.0[1] - p.0[1]) * e[0]) / area;
    let meeting = [p.0[0] + t * d[0], p.0[1] + t * d[1]];
    meeting.iter().all(|x| x.is_finite()).then_some(meeting)
}
