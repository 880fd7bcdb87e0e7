//! Whether the rings of an area stay apart.

/// Least distance of two segments, in cells. It is far above the rounding of `f64` at survey coordinates, so
/// that rings apart here are still apart when lifted into space.
const GAP: f64 = 1e-3;

/// A segment by ring and by the index of its first vertex.
pub type Segment = (usize, usize);

struct Edge {
    a: [f64; 2],
    b: [f64; 2],
    name: Segment,
    next: Segment,
}

impl Edge {
    fn low(&self, axis: usize) -> f64 {
        self.a[axis].min(self.b[axis]) - GAP
    }
    fn high(&self, axis: usize) -> f64 {
        self.a[axis].max(self.b[axis]) + GAP
    }
}

/// The segments that cross or touch another one, of their own ring or of another, sorted.
pub fn conflicts(rings: &[Vec<[f64; 2]>]) -> Vec<Segment> {
    let mut pieces: Vec<Edge> = Vec::new();
    for (r, ring) in rings.iter().enumerate() {
        for k in 0..ring.len() {
            let next = (k + 1) % ring.len();
            pieces.push(Edge { a: ring[k], b: ring[next], name: (r, k), next: (r, next) });
        }
    }
    pieces.sort_by(|p, q| p.low(0).total_cmp(&q.low(0)));
    let mut found = Vec::new();
    for (k, p) in pieces.iter().enumerate() {
        let (right, bottom, top) = (p.high(0), p.low(1), p.high(1));
        let overlapping = pieces[k + 1..]
            .iter()
            .take_while(|q| q.low(0) <= right)
            .filter(|q| q.low(1) <= top && q.high(1) >= bottom);
        for q in overlapping {
            if conflict(p, q) {
                found.extend([p.name, q.name]);
            }
        }
    }
    found.sort_unstable();
    found.dedup();
    found
}

fn conflict(p: &Edge, q: &Edge) -> bool {
    // Segments that follow each other share a vertex; only the other ends can be too near.
    match (p.next == q.name, q.next == p.name) {
        (true, true) => true,
        (true, false) => near(p.a, q) || near(q.b, p),
        (false, true) => near(q.a, p) || near(p.b, q),
        (false, false) => {
            near(p.a, q) || near(p.b, q) || near(q.a, p) || near(q.b, p) || cross(p, q)
        }
    }
}

fn near(point: [f64; 2], s: &Edge) -> bool {
    let d = [s.b[0] - s.a[0], s.b[1] - s.a[1]];
    let e = [point[0] - s.a[0], point[1] - s.a[1]];
    let length2 = d[0] * d[0] + d[1] * d[1];
    let along =
        if length2 > 0.0 { ((d[0] * e[0] + d[1] * e[1]) / length2).clamp(0.0, 1.0) } else { 0.0 };
    let [x, y] = [e[0] - along * d[0], e[1] - along * d[1]];
    x * x + y * y < GAP * GAP
}

/// Ends are known to be apart from the other segment, so rounding cannot change a sign here.
fn cross(p: &Edge, q: &Edge) -> bool {
    let side = |s: &Edge, c: [f64; 2]| {
        (s.b[0] - s.a[0]) * (c[1] - s.a[1]) - (s.b[1] - s.a[1]) * (c[0] - s.a[0]) > 0.0
    };
    side(p, q.a) != side(p, q.b) && side(q, p.a) != side(q, p.b)
}

/// Whether `point` lies inside `ring` (even-odd).
fn inside(point: [f64; 2], ring: &[[f64; 2]]) -> bool {
    let mut inside = false;
    for k in 0..ring.len() {
        let (a, b) = (ring[k], ring[(k + 1) % ring.len()]);
        if (a[1] > point[1]) != (b[1] > point[1])
            && point[0] < a[0] + (point[1] - a[1]) * (b[0] - a[0]) / (b[1] - a[1])
        {
            inside = !inside;
        }
    }
    inside
}

/// Whether every ring after the first lies inside the first and outside every other. The rings are known to
/// be apart, so one vertex decides for its ring.
pub fn nested(rings: &[Vec<[f64; 2]>]) -> bool {
    let Some((exterior, holes)) = rings.split_first() else {
        return true;
    };
    let bounds: Vec<_> = holes.iter().map(|h| bounds(h)).collect();
    holes.iter().enumerate().all(|(k, hole)| {
        inside(hole[0], exterior)
            && holes.iter().enumerate().all(|(j, other)| {
                let ([x0, y0], [x1, y1]) = bounds[j];
                let p = hole[0];
                j == k
                    || !(x0..=x1).contains(&p[0])
                    || !(y0..=y1).contains(&p[1])
                    || !inside(p, other)
            })
    })
}

fn bounds(ring: &[[f64; 2]]) -> ([f64; 2], [f64; 2]) {
    ring.iter().fold(([f64::INFINITY; 2], [f64::NEG_INFINITY; 2]), |(low, high), p| {
        ([low[0].min(p[0]), low[1].min(p[1])], [high[0].max(p[0]), high[1].max(p[1])])
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const SQUARE: [[f64; 2]; 4] = [[0.0, 0.0], [4.0, 0.0], [4.0, 4.0], [0.0, 4.0]];

    #[test]
    fn a_square_with_a_hole_has_no_conflict() {
        let hole = vec![[1.0, 1.0], [1.0, 2.0], [2.0, 2.0]];
        let rings = [SQUARE.to_vec(), hole];
        assert_eq!(conflicts(&rings), []);
        assert!(nested(&rings));
    }

    #[test]
    fn a_bow_tie_names_the_two_crossing_segments() {
        let ring = vec![[0.0, 0.0], [4.0, 4.0], [4.0, 0.0], [0.0, 4.0]];
        assert_eq!(conflicts(&[ring]), [(0, 0), (0, 2)]);
    }

    #[test]
    fn a_hole_that_touches_the_outer_ring_is_a_conflict() {
        let hole = vec![[1.0, 1.0], [2.0, 4.0], [2.0, 1.0]];
        assert_eq!(conflicts(&[SQUARE.to_vec(), hole]), [(0, 2), (1, 0), (1, 1)]);
    }

    #[test]
    fn a_spike_folded_on_itself_is_a_conflict() {
        let ring = vec![[0.0, 0.0], [4.0, 0.0], [4.0, 4.0], [4.0, 1.0], [0.0, 1.0]];
        assert_eq!(conflicts(&[ring]), [(0, 1), (0, 2), (0, 3)]);
    }

    #[test]
    fn a_hole_outside_or_in_another_hole_is_not_nested() {
        let away = SQUARE.map(|p| [p[0] + 9.0, p[1]]).to_vec();
        assert!(!nested(&[SQUARE.to_vec(), away]));
        let hole = SQUARE.map(|p| [1.0 + p[0] / 2.0, 1.0 + p[1] / 2.0]).to_vec();
        let inner = SQUARE.map(|p| [1.5 + p[0] / 4.0, 1.5 + p[1] / 4.0]).to_vec();
        assert!(!nested(&[SQUARE.to_vec(), hole, inner]));
    }
}
