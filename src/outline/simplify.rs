//! Fewer vertices without crossings.

use super::trace::signed_area;
use super::validity::{conflicts, nested};

/// For each ring (outer ring first, then its holes) the vertices that are kept: those of Douglas and Peucker
/// within `tolerance`, and as many more as are needed to keep the rings apart and nested.
///
/// Indices ascend and may run past the ring's end, once around: take them modulo its length. The given rings
/// must be apart and nested, as traced rings are.
pub fn simplify(rings: &[&[[f64; 2]]], tolerance: f64) -> Vec<Vec<usize>> {
    let mut kept: Vec<Vec<usize>> = rings.iter().map(|r| reduced(r, tolerance)).collect();
    loop {
        let shapes: Vec<_> = rings.iter().zip(&kept).map(|(r, k)| pick(r, k)).collect();
        let bad = conflicts(&shapes);
        if bad.is_empty() && nested(&shapes) {
            return kept;
        }
        let before: usize = kept.iter().map(Vec::len).sum();
        // From the back, so that the positions of earlier segments stay right.
        for &(r, k) in bad.iter().rev() {
            let end = kept[r].get(k + 1).copied();
            let end = end.unwrap_or(kept[r][0] + rings[r].len());
            if let Some((middle, _)) = farthest(rings[r], kept[r][k], end) {
                kept[r].insert(k + 1, middle);
            }
        }
        if kept.iter().map(Vec::len).sum::<usize>() == before {
            return rings.iter().map(|r| (0..r.len()).collect()).collect();
        }
    }
}

/// The vertices of `ring` at the `kept` indices.
pub fn pick(ring: &[[f64; 2]], kept: &[usize]) -> Vec<[f64; 2]> {
    kept.iter().map(|&k| ring[k % ring.len()]).collect()
}

fn reduced(ring: &[[f64; 2]], tolerance: f64) -> Vec<usize> {
    let n = ring.len();
    // Two vertices far apart are corners of any reasonable outline; the two chains between them are
    // simplified separately.
    let a = most_distant(ring, ring[0]);
    let b = most_distant(ring, ring[a]);
    let b = if b < a { b + n } else { b };
    let mut kept = vec![a];
    let mut chains = vec![(b, a + n), (a, b)];
    while let Some((from, to)) = chains.pop() {
        match farthest(ring, from, to) {
            Some((middle, distance)) if distance > tolerance => {
                chains.push((middle, to));
                chains.push((from, middle));
            }
            _ => kept.push(to),
        }
    }
    kept.pop();
    // A ring thinner than the tolerance would lose its area or turn over.
    if signed_area(&pick(ring, &kept)) / signed_area(ring) < 0.5 {
        return (0..n).collect();
    }
    kept
}

fn most_distant(ring: &[[f64; 2]], from: [f64; 2]) -> usize {
    let mut best = (0, -1.0);
    for (k, p) in ring.iter().enumerate() {
        let d = (p[0] - from[0]).powi(2) + (p[1] - from[1]).powi(2);
        if d > best.1 {
            best = (k, d);
        }
    }
    best.0
}

/// The vertex strictly between `from` and `to` that is farthest from the chord, with its distance.
fn farthest(ring: &[[f64; 2]], from: usize, to: usize) -> Option<(usize, f64)> {
    let n = ring.len();
    let (a, b) = (ring[from % n], ring[to % n]);
    let d = [b[0] - a[0], b[1] - a[1]];
    let length2 = d[0] * d[0] + d[1] * d[1];
    let mut best: Option<(usize, f64)> = None;
    for k in from + 1..to {
        let p = ring[k % n];
        let e = [p[0] - a[0], p[1] - a[1]];
        let along = if length2 > 0.0 {
            ((d[0] * e[0] + d[1] * e[1]) / length2).clamp(0.0, 1.0)
        } else {
            0.0
        };
        let distance = (e[0] - along * d[0]).hypot(e[1] - along * d[1]);
        if best.is_none_or(|(_, most)| distance > most) {
            best = Some((k, distance));
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A square of `side` unit steps, walked counter-clockwise.
    fn stepped_square(side: i32) -> Vec<[f64; 2]> {
        let corner = [[0, 0], [side, 0], [side, side], [0, side]];
        let heading = [[1, 0], [0, 1], [-1, 0], [0, -1]];
        (0..4)
            .flat_map(|s| {
                (0..side).map(move |k| {
                    [0, 1].map(|axis| f64::from(corner[s][axis] + k * heading[s][axis]))
                })
            })
            .collect()
    }

    #[test]
    fn a_stepped_square_keeps_its_corners() {
        let ring = stepped_square(10);
        let mut kept = pick(&ring, &simplify(&[&ring], 0.5)[0]);
        assert_eq!(signed_area(&kept), 100.0);
        kept.sort_by(|p, q| p.partial_cmp(q).unwrap());
        assert_eq!(kept, [[0.0, 0.0], [0.0, 10.0], [10.0, 0.0], [10.0, 10.0]]);
    }

    #[test]
    fn a_ring_thinner_than_the_tolerance_is_kept_whole() {
        let ring = [[0.0, 0.0], [9.0, 0.0], [9.0, 0.5], [0.0, 0.5]];
        assert_eq!(simplify(&[&ring], 0.75)[0].len(), 4);
    }

    #[test]
    fn a_hole_under_a_simplified_bulge_brings_the_bulge_back() {
        // The roof over the hole is lower than the tolerance; without it the hole would stick out.
        let ring = [[0.0, 0.0], [20.0, 0.0], [20.0, 9.0], [10.0, 9.9], [0.0, 9.0]];
        let hole = [[9.0, 8.0], [10.0, 9.5], [11.0, 8.0]];
        assert_eq!(simplify(&[&ring], 1.0)[0].len(), 4);
        let kept = simplify(&[&ring, &hole], 1.0);
        assert_eq!(kept[0].len(), 5);
        let shapes = vec![pick(&ring, &kept[0]), pick(&hole, &kept[1])];
        assert_eq!(conflicts(&shapes), []);
    }
}
