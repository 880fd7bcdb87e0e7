//! The robust counterpart for planes: among the planes through sampled triples of points, the one with the
//! least median distance.
//!
//! With 45 % outliers, one triple in six has none. Among a thousand triples some are close to the best plane,
//! and least squares through the points near it does the rest.

use super::problem::majority;
use super::sample::random;
use crate::vector::{cross, dot, minus};
use rayon::prelude::*;

/// Triples that are tried.
pub(crate) const TRIPLES: u32 = 1024;

/// A plane near which half of the points lie.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Sheet {
    /// Unit normal, of either sign.
    pub normal: [f64; 3],
    /// A point of the plane.
    pub through: [f64; 3],
    /// The median of the distances from it: of `n` points, `⌊n/2⌋ + 1` are no farther.
    pub half: f64,
}

impl Sheet {
    /// Signed distance of a point.
    pub fn distance(&self, p: [f64; 3]) -> f64 {
        dot(self.normal, minus(p, self.through))
    }
}

/// The best sheet of each set of points; `None` if no triple defines a plane. The order of the points decides
/// which triples are tried, so callers order them by a hash, which is the same in every run.
pub fn sheets(sets: &[Vec<[f32; 3]>]) -> Vec<Option<Sheet>> {
    sets.par_iter().map(|points| sheet(points)).collect()
}

/// A plane through three points that are not collinear.
#[derive(Debug, Clone, Copy)]
struct Through {
    point: [f64; 3],
    /// Not of unit length.
    normal: [f64; 3],
    length: f64,
}

impl Through {
    /// The plane of triple number `triple`, unless the three are collinear.
    fn triple(points: &[[f32; 3]], triple: u32) -> Option<Through> {
        let pick = |corner: u64| {
            let number = random(3 * u64::from(triple) + corner) % points.len() as u64;
            points[number as usize].map(f64::from)
        };
        let [a, b, c] = [0, 1, 2].map(pick);
        let normal = cross(minus(b, a), minus(c, a));
        let square = dot(normal, normal);
        (square > 0.0).then(|| Through { point: a, normal, length: square.sqrt() })
    }

    /// Distance of a point, times `length`.
    #[inline]
    fn far(&self, p: [f32; 3]) -> f64 {
        dot(self.normal, minus(p.map(f64::from), self.point)).abs()
    }
}

/// The sheet of a triple whose `half` is known.
pub(crate) fn sheet_of(points: &[[f32; 3]], triple: u32, half: f64) -> Option<Sheet> {
    let Through { point, normal, length } = Through::triple(points, triple)?;
    Some(Sheet { normal: normal.map(|v| v / length), through: point, half })
}

fn sheet(points: &[[f32; 3]]) -> Option<Sheet> {
    if points.is_empty() {
        return None;
    }
    let h = majority(points.len());
    let mut distances = Vec::with_capacity(points.len());
    let mut best: Option<(f64, u32)> = None;
    for triple in 0..TRIPLES {
        let Some(plane) = Through::triple(points, triple) else { continue };
        distances.clear();
        // For most triples, too few points are within the best distance so far.
        let limit = best.map_or(f64::INFINITY, |(half, _)| half * plane.length * (1.0 + 1e-15));
        distances.extend(points.iter().map(|&p| plane.far(p)).filter(|&far| far <= limit));
        if distances.len() < h {
            continue;
        }
        let (_, far, _) = distances.select_nth_unstable_by(h - 1, f64::total_cmp);
        let half = *far / plane.length;
        if best.is_none_or(|(least, _)| half < least) {
            best = Some((half, triple));
        }
    }
    best.and_then(|(half, triple)| sheet_of(points, triple, half))
}

#[cfg(test)]
mod tests {
    use super::super::sample::random;
    use super::*;

    fn unit(k: u64) -> f64 {
        (random(k) >> 11) as f64 / (1u64 << 53) as f64
    }

    #[test]
    fn more_than_half_of_the_points_decide() {
        // Of 1000 points 440 are on another, steeper surface.
        let point = |i: u64| {
            let [x, y, z] = [0, 1, 2].map(|k| 1000.0 * unit(1_000_000 + 3 * i + k));
            let height = if i < 560 { 0.1 * x + 0.002 * z } else { 0.6 * x - 90.0 + 0.002 * z };
            [x, y, height].map(|v| v as f32)
        };
        let points: Vec<[f32; 3]> = (0..1000).map(point).collect();
        let sheet = sheets(&[points])[0].unwrap();
        let slope = -sheet.normal[0] / sheet.normal[2];
        assert!((slope - 0.1).abs() < 0.002 && sheet.half < 2.0, "{sheet:?}");
    }

    #[test]
    fn what_has_no_plane_has_no_layer() {
        let in_line = (0..50).map(|i| [i as f32, 2.0 * i as f32, 0.0]).collect();
        assert_eq!(sheets(&[vec![], vec![[1.0; 3]], vec![[1.0; 3]; 9], in_line]), [None; 4]);
        let square: Vec<[f32; 3]> =
            (0..100).map(|i| [(i % 10) as f32, (i / 10) as f32, 4.0]).collect();
        let level = sheets(&[square])[0].unwrap();
        assert_eq!((level.half, level.normal[2].abs(), level.through[2]), (0.0, 1.0, 4.0));
    }
}
