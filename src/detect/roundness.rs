//! Whether a narrow plane, or one of few points, is a piece of a curved surface.
//!
//! A column only a few cells wide falls into strips that surfels are too coarse to tell from planes. The
//! points can tell: a paraboloid through them shows how far the normals fan out, and with what error.

use super::members::members;
use super::paraboloid::{Fan, Height, Paraboloid, SURE};
use crate::frame::Points;
use crate::surface::moments::Moments;
use crate::surface::plane::LocalPlane;
use crate::surface::quantile::quantile;
use crate::vector::{Vec3, axes, dot, minus};
use rayon::prelude::*;

/// About so many points tell the shape of a plane that has more. Where points share their errors, those left share fewer,
/// so that the plane is rather taken for flat.
pub(super) const ENOUGH: u64 = 16_384;
/// Planes with more points, wider than this many tolerances, are not judged: one that fans out by [`FAN`] leaves its slab,
/// and less is judged by its surfels.
const NARROW: f64 = 66.0;
/// Fewest points that are judged.
const FEWEST: usize = 20;
/// A piece is curved when its normals surely fan out by more than this, in radians, root mean square.
const FAN: f64 = 0.07;
/// Points are far from the middle of a piece beyond this many times the median distance. Half of a rectangle's points are at most
/// half as far as its sides.
const FAR: f64 = 2.5;
/// If at least this share of the points is not far, a paraboloid through these tells whether a piece is curved, too.
const NEAR: f64 = 0.9;
/// Next to another curved piece, this many standard errors are enough.
const LIKELY: f64 = 1.5;
/// Next to one that goes on with its surface, which is tilted against it by at most this angle, 40 degrees, …
const GOES_ON: f64 = 40.0 * std::f64::consts::PI / 180.0;
/// … a smaller fan is enough, too: the strips of a column take points from each other. Faces of a post meet at 45 degrees or more.
const FAN_BETWEEN: f64 = 0.03;
/// Two pieces are adjacent when their middles are at most this many times the sum of their extents apart.
const REACH: f64 = 1.5;

/// Which planes are pieces of curved surfaces. `sums` are those over their points; `alike` points share one error.
pub(super) fn round(
    points: &Points,
    labels: &[i32],
    planes: &[LocalPlane],
    sums: &[Moments],
    alike: f64,
) -> Vec<bool> {
    let mut judged = 0;
    let place = |(plane, sums): (&LocalPlane, &Moments)| {
        (sums.n <= ENOUGH as i64 || is_narrow(plane, sums)).then(|| {
            judged += 1;
            judged - 1
        })
    };
    let places: Vec<Option<usize>> = planes.iter().zip(sums).map(place).collect();
    let of_planes = members(labels, &places, judged);
    let shape = |(plane, place): (&LocalPlane, &Option<usize>)| {
        let all = &of_planes[(*place)?];
        // Chosen by their coordinates, so that the order of the points does not matter.
        let below = |hash: u64| (u128::from(hash) * all.len() as u128) >> u64::BITS;
        let chosen = all.iter().map(|&i| i as usize);
        let chosen = chosen.filter(|&i| below(points.hash(i)) < u128::from(ENOUGH));
        shape(&chosen.map(|i| points.get(i).map(f64::from)).collect::<Vec<_>>(), plane)
    };
    let shapes: Vec<Option<Shape>> =
        planes.par_iter().zip(&places).with_max_len(1).map(shape).collect();
    let is_sure = |s: &&Shape| s.is_curved(FAN, SURE, alike);
    let round: Vec<&Shape> = shapes.iter().flatten().filter(is_sure).collect();
    let is_round = |shape: &Option<Shape>| {
        shape.as_ref().is_some_and(|s| {
            let near = || round.iter().filter(|other| s.is_next_to(other));
            is_sure(&s)
                || s.is_curved(FAN, LIKELY, alike) && near().next().is_some()
                || s.is_curved(FAN_BETWEEN, LIKELY, alike)
                    && near().any(|other| s.goes_on_in(other))
        })
    };
    shapes.iter().map(is_round).collect()
}

/// Whether a plane is so narrow that it may fan out.
fn is_narrow(plane: &LocalPlane, sums: &Moments) -> bool {
    sums.fit().is_some_and(|fit| fit.width() <= NARROW * plane.tolerance)
}

/// The shape of a plane's points.
struct Shape {
    /// How far the normals of a paraboloid fan out, through all points and through those that are not far from the middle.
    fans: Vec<Fan>,
    /// The normal of the plane.
    normal: Vec3,
    /// The mean of all points.
    middle: Vec3,
    /// Root mean square distance from it.
    extent: f64,
}

impl Shape {
    /// Whether the normals fan out by more than an angle and so many standard errors, if as many points as `alike` share one error.
    fn is_curved(&self, angle: f64, errors: f64, alike: f64) -> bool {
        self.fans.iter().any(|fan| fan.angle > angle && fan.is_sure(errors, alike))
    }

    /// Whether the planes of both are so little tilted against each other that one surface may go on from one to the other.
    fn goes_on_in(&self, other: &Shape) -> bool {
        dot(self.normal, other.normal).abs() >= GOES_ON.cos()
    }

    /// Whether two lie next to each other or overlap.
    fn is_next_to(&self, other: &Shape) -> bool {
        let apart = minus(self.middle, other.middle);
        dot(apart, apart).sqrt() <= REACH * (self.extent + other.extent)
    }
}

/// The shape of points near a plane.
fn shape(points: &[Vec3], plane: &LocalPlane) -> Option<Shape> {
    if points.len() < FEWEST {
        return None;
    }
    let n = points.len() as f64;
    let (u, v) = axes(plane.normal);
    let height = |p: &Vec3| Height {
        at: [dot(*p, u), dot(*p, v)],
        above: dot(*p, plane.normal) - plane.rho,
        weight: 1.0,
    };
    let mut heights: Vec<Height> = points.iter().map(height).collect();
    let bend = Paraboloid::fit(&heights)?;
    let middle = [0, 1, 2].map(|a| points.iter().map(|p| p[a]).sum::<f64>() / n);
    let mut fans = vec![bend.fan()];
    leave_out_far(&bend, &mut heights);
    let left = heights.len();
    if (FEWEST..points.len()).contains(&left) && left as f64 >= NEAR * n {
        fans.extend(Paraboloid::fit(&heights).map(|near| near.fan()));
    }
    Some(Shape { fans, normal: plane.normal, middle, extent: bend.extent() })
}

/// Leaves out what lies far from the middle of some points along either principal direction. A scattered point in the plane of a
/// strip, far to its side, would straighten the strip.
fn leave_out_far(bend: &Paraboloid, heights: &mut Vec<Height>) {
    let [along, across] = [0, 1].map(|axis| {
        let place = |h: &Height| bend.place(h.at)[axis];
        let mut places: Vec<f64> = heights.iter().map(place).collect();
        let middle = quantile(&mut places, 0.5);
        let mut away: Vec<f64> = places.iter().map(|at| (at - middle).abs()).collect();
        let far = FAR * quantile(&mut away, 0.5);
        move |h: &Height| far == 0.0 || (bend.place(h.at)[axis] - middle).abs() <= far
    });
    heights.retain(|h| along(h) && across(h));
}

#[cfg(test)]
mod tests {
    use super::*;

    use super::super::members;

    /// Points of a strip, 200 wide and 1000 high, of a column of the given radius; `noise` is the standard
    /// deviation of their noise.
    fn strip(n: i64, radius: f64, noise: f64) -> Vec<Vec3> {
        let point = |i: i64| {
            let [x, z] = [(i * 7919 % 997) as f64 / 997.0, (i * 104_729 % 1009) as f64 / 1009.0];
            let x = 200.0 * (x - 0.5);
            let depth = radius - (radius * radius - x * x).sqrt();
            let chance = (i * 48_271 % 2003) as f64 / 1001.0 - 1.0;
            [x, 5000.0 - depth + 3f64.sqrt() * noise * chance, 1000.0 * z]
        };
        (1..=n).map(point).collect()
    }

    fn judged(strips: &[Vec<Vec3>]) -> Vec<bool> {
        judged_in_slabs(strips, 50.0)
    }

    /// The same for planes of this tolerance.
    fn judged_in_slabs(strips: &[Vec<Vec3>], tolerance: f64) -> Vec<bool> {
        let points: Points = strips.iter().flatten().map(|p| p.map(|v| v.round() as f32)).collect();
        let labels: Vec<i32> =
            (0..).zip(strips).flat_map(|(label, strip)| vec![label; strip.len()]).collect();
        let plane = LocalPlane { normal: [0.0, 1.0, 0.0], rho: 5000.0, tolerance };
        let sums = members::sums(&points, &labels, strips.len());
        round(&points, &labels, &vec![plane; strips.len()], &sums, 1.0)
    }

    #[test]
    fn strips_of_columns_are_told_from_planes() {
        let (column, plane) = (strip(80, 250.0, 5.0), strip(80, 1e9, 5.0));
        assert_eq!(judged(&[column, plane]), [true, false]);
        // A wall that sags by a little is a wall.
        assert_eq!(judged(&[strip(3000, 4000.0, 1.0)]), [false]);
        // However many points they have.
        let many = 3 * ENOUGH as i64;
        assert_eq!(judged(&[strip(many, 250.0, 5.0), strip(many, 1e9, 5.0)]), [true, false]);
        // Large planes that are wide against their slabs are judged by their surfels.
        assert_eq!(judged_in_slabs(&[strip(many, 250.0, 5.0)], 2.0), [false]);
    }

    #[test]
    fn next_to_a_round_piece_less_evidence_suffices() {
        let (sure, unsure) = (strip(200, 250.0, 5.0), strip(24, 250.0, 12.0));
        assert_eq!(judged(std::slice::from_ref(&unsure)), [false]);
        assert_eq!(judged(&[sure.clone(), unsure.clone()]), [true, true]);
        let far: Vec<Vec3> = unsure.iter().map(|p| [p[0] + 20_000.0, p[1], p[2]]).collect();
        assert_eq!(judged(&[sure, far]), [true, false]);
    }

    #[test]
    fn scattered_points_to_the_side_do_not_straighten_a_strip() {
        // At the ends of a slab through a column lie a few points.
        let mut column = strip(200, 250.0, 5.0);
        column.extend([-600.0, -480.0, 550.0].map(|x| [x, 4990.0, 500.0]));
        assert_eq!(judged(&[column]), [true]);
    }

    #[test]
    fn points_on_a_conic_tell_nothing() {
        let noise = |i: i64| (i * 48_271 % 5 - 2) as f64;
        let rows = |slope: i64| {
            let point = move |i: i64| {
                [(i / 2 * 37) as f64, 5000.0 + noise(i), (i % 2 * 300 + slope * (i / 2)) as f64]
            };
            (0..60).map(point).collect::<Vec<Vec3>>()
        };
        let ring = |i: i64| {
            let (sin, cos) = (0.2 * i as f64).sin_cos();
            [(1e5 * cos).round(), 5000.0 + noise(i), (1e5 * sin).round()]
        };
        assert_eq!(judged(&[rows(0), rows(11), (0..60).map(ring).collect()]), [false; 3]);
    }

    #[test]
    fn few_points_and_points_on_a_line_tell_nothing() {
        assert_eq!(judged(&[strip(FEWEST as i64 - 1, 250.0, 0.0)]), [false]);
        let line = (0..100).map(|i| [f64::from(i), 5000.0, 0.0]).collect();
        assert_eq!(judged(&[line, vec![[1.0, 5000.0, 2.0]; 50], Vec::new()]), [false; 3]);
    }
}
