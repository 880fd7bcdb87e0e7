//! Edges that averaging has rounded.
//!
//! The mean of the points in a voxel at an edge lies on neither face, and a mesh of fused depth images cuts edges off. What was an edge
//! is then a strip of two or three points' width, tilted against the faces beside it.

use super::found::{FoundPlane, owners};
use super::piece::Piece;
use crate::surface::cells::Cells;
use crate::surface::moments::Moments;
use crate::surface::plane::LocalPlane;
use crate::surface::surfels::Surfels;
use crate::vector::dot;
use rayon::prelude::*;

/// A chamfer is at most so many times as wide as its points are apart, …
const NARROW: f64 = 3.5;
/// … at least this share of it lies next to planes of more points …
const BESIDE: f64 = 0.5;
/// … that are tilted against it by at least this angle, in radians, …
const LEAST: f64 = 10.0 * std::f64::consts::PI / 180.0;
/// … and by at most this one: a strip that is upright on a face is the edge of a board.
const MOST: f64 = 75.0 * std::f64::consts::PI / 180.0;

/// Which planes are chamfers; `sums` are those over their points, of which there are `densities` per square step.
pub(super) fn chamfers(
    (cells, surfels): (&Cells, &Surfels),
    (found, local): (&[FoundPlane], &[LocalPlane]),
    (sums, densities): (&[Moments], &[f64]),
) -> Vec<bool> {
    let owners = owners(found, surfels.list.len());
    let is_narrow = |i: usize| {
        let width = sums[i].fit().map_or(f64::INFINITY, |fit| fit.width());
        width * densities[i].sqrt() <= NARROW
    };
    let is_chamfer = |(i, one): (usize, &FoundPlane)| {
        let piece = Piece { cells, surfels, own: &one.support.surfels, plane: local[i] };
        let is_face = |_: u32, j: u32| {
            let owner = owners[j as usize] as usize;
            local.get(owner).is_some_and(|face| {
                let cosine = dot(face.normal, piece.plane.normal).abs();
                let has_more = sums[owner].n > sums[i].n;
                has_more && (MOST.cos()..=LEAST.cos()).contains(&cosine)
            })
        };
        is_narrow(i) && piece.share_beside(piece.own.iter().copied(), is_face) >= BESIDE
    };
    found.par_iter().enumerate().with_max_len(1).map(is_chamfer).collect()
}

#[cfg(test)]
mod tests {
    use super::super::found::Support;
    use super::super::testing::surfels;
    use super::*;
    use crate::frame::Points;
    use crate::vector::Vec3;

    /// Distance of neighbouring points, and the points of a face from one side to the other.
    const APART: f64 = 100.0;
    const SIDE: i32 = 60;

    /// A point of a floor, of a strip at its end that is tilted against it, or of a face beyond that is tilted twice as much.
    fn point(along: i32, across: i32, (rows, tilt): (i32, f64)) -> ([f64; 3], usize) {
        let at = |from: Vec3, angle: f64, rows: i32| {
            let far = APART * (f64::from(rows) + 0.5);
            [from[0] + far * angle.cos(), 0.0, from[2] + far * angle.sin()]
        };
        let strip = at([0.0; 3], tilt, rows);
        let (from, part) = match across {
            across if across < 0 => (at([0.0; 3], 0.0, across), 0),
            across if across < rows => (at([0.0; 3], tilt, across), 1),
            across => (at(strip, 2.0 * tilt, across - rows), 2),
        };
        ([from[0], APART * f64::from(along), from[2]], part)
    }

    /// Whether the floor, a strip of so many rows and the face beyond are chamfers. So many rows are missing between the strip and each
    /// face, and faces have so many.
    fn are_chamfers(rows: i32, degrees: f64, (missing, wide): (i32, i32)) -> Vec<bool> {
        let shape = (rows, degrees.to_radians());
        let across = (-wide..-missing).chain(0..rows).chain(rows + missing..rows + wide);
        let across = across.flat_map(|across| (0..SIDE).map(move |a| (a, across)));
        let all: Vec<([f64; 3], usize)> = across.map(|(a, b)| point(a, b, shape)).collect();
        let points: Points = all.iter().map(|(at, _)| at.map(|v| v as f32)).collect();
        let mut sums = [Moments::default(); 3];
        all.iter().for_each(|&(at, part)| sums[part].add(at.map(|v| v as i64)));
        let local = sums.map(|sums| LocalPlane::of_fit(&sums.fit().unwrap(), 20.0));
        let (cloud, surfels) = surfels(&points, 5.0);
        let nearest = |i: &u32| {
            let centroid = surfels.list[*i as usize].centroid;
            let away = |part: &usize| (dot(local[*part].normal, centroid) - local[*part].rho).abs();
            [1, 0, 2].into_iter().min_by(|a, b| away(a).total_cmp(&away(b))).unwrap()
        };
        let found = [0, 1, 2].map(|part| {
            let own = (0..surfels.list.len() as u32).filter(|i| nearest(i) == part).collect();
            let LocalPlane { normal, rho, tolerance } = local[part];
            FoundPlane { votes: 1, support: Support { normal, rho, tolerance, surfels: own } }
        });
        let densities = [1.0 / (APART * APART); 3];
        chamfers((&cloud.cells, &surfels), (&found, &local), (&sums, &densities))
    }

    #[test]
    fn a_narrow_strip_at_an_edge_is_a_chamfer() {
        let strip = [false, true, false];
        for degrees in [25.0, 45.0] {
            assert_eq!(are_chamfers(3, degrees, (0, SIDE)), strip);
        }
        // A wide strip, a fold of one face, and the edge of a board.
        for (rows, degrees) in [(5, 45.0), (3, 8.0), (3, 85.0)] {
            assert_eq!(are_chamfers(rows, degrees, (0, SIDE)), [false; 3]);
        }
        // A strip alone, and one beside narrower ones.
        assert_eq!(are_chamfers(3, 45.0, (30, SIDE)), [false; 3]);
        assert!(!are_chamfers(3, 45.0, (0, 2))[1]);
    }
}
