//! How evenly points lie in the image that a camera at some place would take of them.
//!
//! The search for a camera compares hundreds of places by thousands of points each, so the loops work on several
//! points side by side, and what is added up for each of them in turn is joined at the end.

use crate::vector::{Vec3, axes, normalized};
use crate::wide::{Work, widely};

/// Mean number of points of a place in the image.
const EACH: f64 = 16.0;
/// Cosine of the widest angle at which a frame shows points.
const WIDEST: f64 = 0.25;
/// At most one in this many points of a frame is outside that angle.
pub(super) const OUTSIDE: usize = 200;
/// Most places of an image for each point.
const PLACES: usize = 64;
/// Points side by side.
const LANES: usize = 8;

/// One number for each of them.
type Lane = [f64; LANES];

/// Points, axis by axis.
pub(crate) struct Seen {
    axes: [Vec<f64>; 3],
}

impl Seen {
    /// From points in any order.
    pub fn new(points: &[Vec3]) -> Seen {
        Seen { axes: [0, 1, 2].map(|a| points.iter().map(|p| p[a]).collect()) }
    }

    /// Number of points.
    pub fn len(&self) -> usize {
        self.axes[0].len()
    }

    /// A point.
    pub fn get(&self, i: usize) -> Vec3 {
        [0, 1, 2].map(|a| self.axes[a][i])
    }

    /// The smallest and the largest coordinates.
    pub fn bounds(&self) -> (Vec3, Vec3) {
        let bound = |start: f64, of: fn(f64, f64) -> f64| {
            [0, 1, 2].map(|a| self.axes[a].iter().copied().fold(start, of))
        };
        (bound(f64::INFINITY, f64::min), bound(f64::NEG_INFINITY, f64::max))
    }

    /// The mean direction of the points.
    pub fn forward(&self, eye: Vec3) -> Vec3 {
        normalized(widely(Directions { seen: self, eye }))
    }

    /// First decile, median and ninth decile of the depths.
    pub fn depths(&self, eye: Vec3, forward: Vec3) -> [f64; 3] {
        let mut depths: Vec<f64> = (0..self.len())
            .map(|i| (0..3).map(|a| (self.axes[a][i] - eye[a]) * forward[a]).sum())
            .collect();
        let last = depths.len();
        [1, 5, 9].map(|tenths| *depths.select_nth_unstable_by(last * tenths / 10, f64::total_cmp).1)
    }

    /// How unevenly the points lie in the image seen from `eye`: the mean square of the counts of its places over
    /// the squared mean. `None` if too many of them are not in front of the eye.
    pub fn unevenness(&self, eye: Vec3) -> Option<f64> {
        let forward = self.forward(eye);
        let (u, v) = axes(forward);
        let image = widely(Image { seen: self, eye, axes: [u, v, forward] });
        if (self.len() - image.inside) * OUTSIDE > self.len() {
            return None;
        }
        let edge = image.edge()?;
        Some(image.counts(edge))
    }

    /// Where the points lie in the image that a camera at `eye` takes along the third of these axes, at a depth of one; NaN
    /// for those outside. There are more places than points, to fill the last lanes.
    pub fn places(&self, eye: Vec3, axes: [Vec3; 3]) -> [Vec<f64>; 2] {
        widely(Image { seen: self, eye, axes }).places
    }

    /// The distances of some points from the eye along each axis; beyond the last point they are zero.
    #[inline(always)]
    fn offsets(&self, first: usize, eye: Vec3) -> [Lane; 3] {
        let mut from = [[0.0; LANES]; 3];
        let count = LANES.min(self.len() - first);
        for a in 0..3 {
            let axis = &self.axes[a][first..first + count];
            from[a].iter_mut().zip(axis).for_each(|(from, at)| *from = at - eye[a]);
        }
        from
    }
}

/// Sums of products of three lanes.
#[inline(always)]
fn dots(a: &[Lane; 3], b: &[Lane; 3]) -> Lane {
    std::array::from_fn(|l| a[0][l] * b[0][l] + a[1][l] * b[1][l] + a[2][l] * b[2][l])
}

/// The same number in all lanes.
#[inline(always)]
fn all(v: Vec3) -> [Lane; 3] {
    v.map(|v| [v; LANES])
}

/// The task of adding up the directions of points.
struct Directions<'a> {
    seen: &'a Seen,
    eye: Vec3,
}

impl Work for Directions<'_> {
    type Output = Vec3;

    #[inline(always)]
    fn run(self) -> Vec3 {
        let mut sums = [[0.0; LANES]; 3];
        for first in (0..self.seen.len()).step_by(LANES) {
            let from = self.seen.offsets(first, self.eye);
            let squares = dots(&from, &from);
            for (sum, from) in sums.iter_mut().zip(&from) {
                for l in 0..LANES {
                    let far = squares[l].sqrt();
                    sum[l] += if far > 0.0 { from[l] / far } else { 0.0 };
                }
            }
        }
        sums.map(|lane| lane.iter().sum())
    }
}

/// The task of drawing points.
struct Image<'a> {
    seen: &'a Seen,
    eye: Vec3,
    axes: [Vec3; 3],
}

/// Where points are drawn.
struct Drawn {
    /// Places of the points, two axes; NaN for those outside.
    places: [Vec<f64>; 2],
    /// Number of points inside.
    inside: usize,
    /// Sums over those inside of u, v, uu, uv and vv.
    sums: [f64; 5],
}

impl Work for Image<'_> {
    type Output = Drawn;

    #[inline(always)]
    fn run(self) -> Drawn {
        let n = self.seen.len().next_multiple_of(LANES);
        let mut places = [vec![f64::NAN; n], vec![f64::NAN; n]];
        let mut inside = [0.0; LANES];
        let mut sums = [[0.0; LANES]; 5];
        let [u, v, forward] = self.axes.map(all);
        for first in (0..self.seen.len()).step_by(LANES) {
            let from = self.seen.offsets(first, self.eye);
            let (squares, z) = (dots(&from, &from), dots(&from, &forward));
            let (along_u, along_v) = (dots(&from, &u), dots(&from, &v));
            for l in 0..LANES {
                // Beyond the last point all are zero, and outside.
                let is_inside = z[l] > WIDEST * squares[l].sqrt();
                let [a, b] = [along_u[l] / z[l], along_v[l] / z[l]];
                places[0][first + l] = if is_inside { a } else { f64::NAN };
                places[1][first + l] = if is_inside { b } else { f64::NAN };
                let [a, b] = [a, b].map(|v| if is_inside { v } else { 0.0 });
                inside[l] += f64::from(u8::from(is_inside));
                let terms = [a, b, a * a, a * b, b * b];
                sums.iter_mut().zip(terms).for_each(|(sum, term)| sum[l] += term);
            }
        }
        let inside = inside.iter().sum::<f64>() as usize;
        Drawn { places, inside, sums: sums.map(|lane| lane.iter().sum()) }
    }
}

impl Drawn {
    /// The edge of a place in the image; `None` if there are too many of them or none.
    fn edge(&self) -> Option<f64> {
        let n = self.inside as f64;
        let [a, b, aa, ab, bb] = self.sums.map(|sum| sum / n);
        let [aa, ab, bb] = [aa - a * a, ab - a * b, bb - b * b];
        // The squared edge of an even rectangle is twelve times its variance.
        let area = 12.0 * (aa * bb - ab * ab).max(0.0).sqrt();
        let edge = (area * EACH / n).sqrt();
        if edge.is_nan() || edge <= 0.0 {
            return None;
        }
        let across = (2.0 / (WIDEST * edge)).ceil();
        (across * across <= PLACES as f64 * n).then_some(edge)
    }

    /// The mean square of the counts of places with this edge over the squared mean.
    fn counts(&self, edge: f64) -> f64 {
        let inside = || self.places[0].iter().zip(&self.places[1]).filter(|(u, _)| !u.is_nan());
        let cell = |v: f64| ((v + 1.0 / WIDEST) / edge) as u32;
        let cells: Vec<[u32; 2]> = inside().map(|(&u, &v)| [cell(u), cell(v)]).collect();
        // Counted within their bounds only: most of what could be seen is empty.
        let start = ([u32::MAX; 2], [0; 2]);
        let (low, high) = cells.iter().fold(start, |(low, high), cell| {
            ([0, 1].map(|a| cell[a].min(low[a])), [0, 1].map(|a| cell[a].max(high[a])))
        });
        let [rows, columns] = [0, 1].map(|a| (high[a] - low[a] + 1) as usize);
        let mut counts = vec![0u32; rows * columns];
        let (mut taken, mut squares) = (0u64, 0u64);
        for &[a, b] in &cells {
            let count = &mut counts[(a - low[0]) as usize * columns + (b - low[1]) as usize];
            taken += u64::from(*count == 0);
            // The square of one more is larger by this.
            squares += 2 * u64::from(*count) + 1;
            *count += 1;
        }
        let n = cells.len() as f64;
        squares as f64 * taken as f64 / (n * n)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::vector::{dot, minus};

    /// By the definition, point by point.
    fn plainly(points: &[Vec3], eye: Vec3) -> Option<f64> {
        let directions: Vec<Vec3> = points.iter().map(|&p| normalized(minus(p, eye))).collect();
        let forward = normalized([0, 1, 2].map(|a| directions.iter().map(|d| d[a]).sum()));
        let (u, v) = axes(forward);
        let ahead: Vec<&Vec3> = directions.iter().filter(|&&d| dot(d, forward) > WIDEST).collect();
        if (points.len() - ahead.len()) * OUTSIDE > points.len() {
            return None;
        }
        let drawn = |d: &&Vec3| [dot(**d, u), dot(**d, v)].map(|v| v / dot(**d, forward));
        let places: Vec<[f64; 2]> = ahead.iter().map(drawn).collect();
        let n = places.len() as f64;
        let mean = [0, 1].map(|a| places.iter().map(|p| p[a]).sum::<f64>() / n);
        let product = |a: usize, b: usize| {
            places.iter().map(|p| (p[a] - mean[a]) * (p[b] - mean[b])).sum::<f64>() / n
        };
        let area = 12.0 * (product(0, 0) * product(1, 1) - product(0, 1) * product(0, 1)).sqrt();
        let edge = (area * EACH / n).sqrt();
        if (2.0 / (WIDEST * edge)).ceil().powi(2) > PLACES as f64 * n {
            return None;
        }
        let mut counts = std::collections::BTreeMap::new();
        for place in places {
            *counts.entry(place.map(|v| ((v + 1.0 / WIDEST) / edge) as u32)).or_insert(0.0) += 1.0;
        }
        let squares: f64 = counts.values().map(|c| c * c).sum();
        Some(squares * counts.len() as f64 / (n * n))
    }

    #[test]
    fn lanes_count_as_single_points_do() {
        // 1001 points do not fill the last lanes.
        let point = |i: usize| {
            let [x, y] = [i * 7919 % 1009, i * 104_729 % 1013].map(|v| v as f64 * 10.0);
            [x, y, if x > 5000.0 { 300.0 } else { 900.0 }]
        };
        let points: Vec<Vec3> = (0..1001).map(point).collect();
        let seen = Seen::new(&points);
        let mut outside = 0;
        for i in 0..60 {
            let eye = [i % 5, i / 5 % 4, i / 20].map(|v| f64::from(v) * 9000.0 - 13_000.0);
            let (found, plain) = (seen.unevenness(eye), plainly(&points, eye));
            outside += usize::from(plain.is_none());
            assert!(found.is_some() == plain.is_some(), "{eye:?}");
            assert!((found.unwrap_or(0.0) - plain.unwrap_or(0.0)).abs() < 1e-9, "{eye:?}");
        }
        assert!((5..55).contains(&outside), "{outside}");
        let (low, high) = seen.bounds();
        assert_eq!((low[2], high[2]), (300.0, 900.0));
    }

    #[test]
    fn too_few_points_have_no_image() {
        assert_eq!(Seen::new(&[[5.0, 1.0, 2.0]]).unevenness([0.0; 3]), None);
        assert_eq!(Seen::new(&[[1.0; 3]; 9]).unevenness([1.0; 3]), None);
    }
}
