//! Rings around connected cells.
//!
//! The ring of a component has one vertex for each free side of a cell, a quarter of a cell outside the
//! cell's centre. This is the contour of marching squares over the cell centres: rings never touch themselves
//! or each other, not even at diagonal cells.

use super::cells::{Cell, CellSet, Direction, EAST, SOUTH};

/// How far a vertex lies from its cell's centre, in cells. A half would follow the cells' edges, about half a
/// cell outside the points, since border cells are seldom full.
pub const REACH: f64 = 0.25;

/// A closed ring with the inside on its left.
pub struct Ring {
    /// The component of cells that it bounds.
    pub component: u32,
    /// For each vertex, the cell it belongs to and the side of that cell.
    pub sides: Vec<(Cell, Direction)>,
    /// The vertices, in cells; cell `(c, r)` has its centre at `(c, r)`.
    pub vertices: Vec<[f64; 2]>,
}

/// All rings of the set, in an order that follows from the set alone.
///
/// `component` comes from [`CellSet::components`]. Outer rings run counter-clockwise (positive
/// [`signed_area`]), rings of holes clockwise.
pub fn rings(cells: &CellSet, component: &[u32]) -> Vec<Ring> {
    let mut seen = vec![0u8; cells.cell_limit()];
    let mut rings = Vec::new();
    for cell in cells.borders() {
        for side in EAST..=SOUTH {
            if seen[cell as usize] >> side & 1 == 0 && cells.step(cell, side).is_none() {
                let sides = follow(cells, cell, side, &mut seen);
                let vertices = sides.iter().map(|&(c, s)| vertex(cells, c, s)).collect();
                rings.push(Ring { component: component[cell as usize], sides, vertices });
            }
        }
    }
    rings
}

/// Walks along free sides, keeping the cells on the left, until it returns to the first side.
fn follow(cells: &CellSet, cell: Cell, side: Direction, seen: &mut [u8]) -> Vec<(Cell, Direction)> {
    let mut sides = Vec::new();
    let (mut cell, mut side) = (cell, side);
    while seen[cell as usize] >> side & 1 == 0 {
        seen[cell as usize] |= 1 << side;
        sides.push((cell, side));
        let heading = (side + 1) % 4;
        // Only a cell over a shared edge continues the ring: cells that meet at a corner are
        // not connected, so the corner is rounded on both sides.
        match cells.step(cell, heading) {
            None => side = heading,
            Some(ahead) => match cells.step(ahead, side) {
                None => cell = ahead,
                Some(outward) => {
                    cell = outward;
                    side = (side + 3) % 4;
                }
            },
        }
    }
    sides
}

fn vertex(cells: &CellSet, cell: Cell, side: Direction) -> [f64; 2] {
    let (column, row) = cells.position(cell);
    let (x, y) = (f64::from(column), f64::from(row));
    match side {
        0 => [x + REACH, y],
        1 => [x, y + REACH],
        2 => [x - REACH, y],
        _ => [x, y - REACH],
    }
}

/// Area of a ring, positive when it runs counter-clockwise.
pub fn signed_area(ring: &[[f64; 2]]) -> f64 {
    let Some(&[x0, y0]) = ring.first() else {
        return 0.0;
    };
    // About the first vertex: far from the origin the products would lose digits.
    let twice: f64 = ring
        .windows(2)
        .map(|w| (w[0][0] - x0) * (w[1][1] - y0) - (w[1][0] - x0) * (w[0][1] - y0))
        .sum();
    twice / 2.0
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rings_of(cells: &[(u32, u32)]) -> Vec<Ring> {
        let mut set = CellSet::new();
        for &(c, r) in cells {
            set.insert(c, r);
        }
        set.finish();
        let (component, _) = set.components();
        rings(&set, &component)
    }

    #[test]
    fn one_cell_is_a_diamond() {
        let rings = rings_of(&[(5, 6)]);
        assert_eq!(rings.len(), 1);
        assert_eq!(rings[0].vertices, [[5.25, 6.0], [5.0, 6.25], [4.75, 6.0], [5.0, 5.75]]);
        assert_eq!(signed_area(&rings[0].vertices), 0.125);
    }

    #[test]
    fn a_frame_has_an_outer_ring_and_a_hole() {
        let frame: Vec<_> =
            (0..25).map(|k| (6 + k % 5, 6 + k / 5)).filter(|&p| p != (8, 8)).collect();
        let rings = rings_of(&frame);
        let areas: Vec<f64> = rings.iter().map(|r| signed_area(&r.vertices)).collect();
        // A square of 4.5 without its four corners, and a diamond of half diagonal 0.75.
        assert_eq!(areas, [20.25 - 0.125, -1.125]);
    }

    #[test]
    fn cells_that_meet_at_a_corner_have_rings_apart() {
        let rings = rings_of(&[(5, 5), (6, 6)]);
        assert_eq!(rings.len(), 2);
        assert_ne!(rings[0].component, rings[1].component);
    }

    #[test]
    fn every_free_side_is_on_exactly_one_ring() {
        // A ring of cells around two empty ones that meet at a corner.
        let block: Vec<_> = (0..16)
            .map(|k| (6 + k % 4, 6 + k / 4))
            .filter(|&p| p != (7, 7) && p != (8, 8))
            .collect();
        let rings = rings_of(&block);
        let sides: usize = rings.iter().map(|r| r.sides.len()).sum();
        assert_eq!(sides, 16 + 4 + 4);
        assert_eq!(rings.len(), 2, "empty cells that meet at a corner are one hole");
    }
}
