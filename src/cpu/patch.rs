//! The points of one block, coordinate by coordinate, and sums over those in a slab.

pub(super) use crate::shared::BLOCK_POINTS as MOST_POINTS;
use crate::surface::spread::Spread;
use crate::vector::{Vec3, dot};

/// Up to this extent, in steps, sums over the points of a block are integers that `f64` holds exactly in any
/// order, for at most [`MOST_POINTS`] points with integer coordinates.
const EXACT: f64 = (1 << 22) as f64;
const _: () = assert!(MOST_POINTS as f64 * EXACT * EXACT <= (1u64 << 53) as f64);

/// Points that are processed side by side.
const WIDTH: usize = 4;

/// One number for each of them.
type Vector = [f64; WIDTH];

/// The middle plane of a slab.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Middle {
    pub normal: Vec3,
    pub rho: f64,
}

impl Middle {
    /// Signed distance of a point.
    #[inline(always)]
    pub fn distance(&self, p: Vec3) -> f64 {
        dot(p, self.normal) - self.rho
    }
}

/// A number for each point of a block.
type Numbers = [f64; MOST_POINTS];
const _: () = assert!(MOST_POINTS.is_multiple_of(WIDTH));

/// Which points of a block are chosen: one for those, zero for the others.
#[derive(PartialEq)]
pub(super) struct Marks([u8; MOST_POINTS]);

impl Default for Marks {
    /// No point is chosen.
    fn default() -> Marks {
        Marks([0; MOST_POINTS])
    }
}

/// The points of a block of known extent.
pub(super) struct Patch {
    /// The points fill whole vectors; unused lanes hold NaN.
    axes: [Numbers; 3],
    len: usize,
    /// Whether sums are exact.
    exact: bool,
}

impl Default for Patch {
    fn default() -> Patch {
        Patch { axes: [[0.0; MOST_POINTS]; 3], len: 0, exact: false }
    }
}

impl Patch {
    /// Removes all points and prepares for those of a block of this extent in steps, at most [`MOST_POINTS`].
    #[inline(always)]
    pub fn begin(&mut self, extent: f64) {
        self.len = 0;
        self.exact = extent <= EXACT;
    }

    /// Adds a point.
    #[inline(always)]
    pub fn push(&mut self, point: Vec3) {
        for (axis, v) in self.axes.iter_mut().zip(point) {
            axis[self.len] = v;
        }
        self.len += 1;
    }

    /// Ends the addition of points.
    #[inline(always)]
    pub fn end(&mut self) {
        let whole = self.len.next_multiple_of(WIDTH);
        self.axes.iter_mut().for_each(|axis| axis[self.len..whole].fill(f64::NAN));
    }

    /// Number of points.
    #[inline(always)]
    pub fn len(&self) -> usize {
        self.len
    }

    /// A point.
    #[inline(always)]
    pub fn point(&self, i: usize) -> Vec3 {
        self.axes.each_ref().map(|axis| axis[i])
    }

    /// The sums over all points.
    #[inline(always)]
    pub fn all(&self) -> Spread {
        let mut marks = Marks::default();
        marks.0[..self.len].fill(1);
        self.spread(&marks)
    }

    /// Marks the points within `slab` of a middle; returns whether they differ from those that were marked.
    #[inline(always)]
    pub fn mark(&self, middle: &Middle, slab: f64, marks: &mut Marks) -> bool {
        let mut differ = 0;
        for (marks, at) in marks.0.as_chunks_mut::<WIDTH>().0.iter_mut().zip(self.vectors()) {
            let away = distances(middle, at);
            for (mark, away) in marks.iter_mut().zip(away) {
                let is_inside = u8::from(away.abs() <= slab);
                differ |= is_inside ^ *mark;
                *mark = is_inside;
            }
        }
        differ != 0
    }

    /// The sums over the marked points, as if they were added in order.
    #[inline(always)]
    pub fn spread(&self, Marks(marks): &Marks) -> Spread {
        let is_marked = |&i: &usize| marks[i] != 0;
        let Some(first) = (0..self.len).find(is_marked) else { return Spread::default() };
        if !self.exact {
            let mut spread = Spread::default();
            (first..self.len).filter(is_marked).for_each(|i| spread.add(self.point(i), 1.0));
            return spread;
        }
        let origin = self.point(first);
        let mut sums = [[0.0; WIDTH]; 10];
        for ([x, y, z], marks) in self.vectors().zip(marks.as_chunks::<WIDTH>().0) {
            let one = marked(&[1.0; WIDTH], marks);
            let x = marked(&each(|l| x[l] - origin[0]), marks);
            let y = marked(&each(|l| y[l] - origin[1]), marks);
            let z = marked(&each(|l| z[l] - origin[2]), marks);
            let [n, sum_x, sum_y, sum_z, xx, xy, xz, yy, yz, zz] = &mut sums;
            for (sum, term) in [(n, &one), (sum_x, &x), (sum_y, &y), (sum_z, &z)] {
                *sum = each(|l| sum[l] + term[l]);
            }
            add_product(xx, &x, &x);
            add_product(xy, &x, &y);
            add_product(xz, &x, &z);
            add_product(yy, &y, &y);
            add_product(yz, &y, &z);
            add_product(zz, &z, &z);
        }
        let [n, x, y, z, xx, xy, xz, yy, yz, zz] = sums.map(|lanes| lanes.iter().sum());
        Spread::of(origin, n, [x, y, z], [xx, xy, xz, yy, yz, zz])
    }

    /// The number of points at most `slab` from a middle.
    #[inline(always)]
    pub fn within(&self, middle: &Middle, slab: f64) -> usize {
        let mut counts = [0.0; WIDTH];
        for at in self.vectors() {
            let away = distances(middle, at);
            let inside = each(|l| if away[l].abs() <= slab { 1.0 } else { 0.0 });
            counts = each(|l| counts[l] + inside[l]);
        }
        counts.iter().sum::<f64>() as usize
    }

    /// The number of points farther than `slab` and at most twice as far below a middle, the number within
    /// `slab`, and the number as far above.
    #[inline(always)]
    pub fn sides(&self, middle: &Middle, slab: f64) -> [usize; 3] {
        let mut counts = [[0.0; WIDTH]; 3];
        for at in self.vectors() {
            let away = distances(middle, at);
            // Both conditions are evaluated, so that the loop has no branches.
            let one = |is: [bool; 2]| if is[0] & is[1] { 1.0 } else { 0.0 };
            let below = each(|l| one([away[l] >= -2.0 * slab, away[l] < -slab]));
            let inside = each(|l| one([away[l].abs() <= slab, true]));
            let above = each(|l| one([away[l] <= 2.0 * slab, away[l] > slab]));
            for (counts, term) in counts.iter_mut().zip([below, inside, above]) {
                *counts = each(|l| counts[l] + term[l]);
            }
        }
        counts.map(|counts| counts.iter().sum::<f64>() as usize)
    }

    /// The largest squared distance of a point from the first.
    #[inline(always)]
    pub fn farthest(&self) -> f64 {
        let first = self.point(0);
        let mut most = [0.0; WIDTH];
        for [x, y, z] in self.vectors() {
            let apart = |l: usize| [x[l] - first[0], y[l] - first[1], z[l] - first[2]];
            let square = each(|l| dot(apart(l), apart(l)));
            most = each(|l| if square[l] > most[l] { square[l] } else { most[l] });
        }
        most.into_iter().fold(0.0, f64::max)
    }

    /// The points in vectors, one for each coordinate.
    #[inline(always)]
    fn vectors(&self) -> impl Iterator<Item = [&Vector; 3]> {
        let used = self.len.div_ceil(WIDTH);
        let [x, y, z] = self.axes.each_ref().map(|axis| axis.as_chunks().0[..used].iter());
        x.zip(y).zip(z).map(|((x, y), z)| [x, y, z])
    }
}

/// Signed distances of points.
#[inline(always)]
fn distances(middle: &Middle, [x, y, z]: [&Vector; 3]) -> Vector {
    let normal = middle.normal;
    each(|l| x[l] * normal[0] + y[l] * normal[1] + z[l] * normal[2] - middle.rho)
}

/// The numbers of the marked points, and zeros for the others.
#[inline(always)]
fn marked(v: &Vector, marks: &[u8; WIDTH]) -> Vector {
    each(|l| if marks[l] != 0 { v[l] } else { 0.0 })
}

/// Adds the products of numbers side by side.
#[inline(always)]
fn add_product(sums: &mut Vector, a: &Vector, b: &Vector) {
    *sums = each(|l| sums[l] + a[l] * b[l]);
}

/// One number for each of the points side by side.
#[inline(always)]
fn each(of: impl Fn(usize) -> f64) -> Vector {
    let mut vector = [0.0; WIDTH];
    for (l, v) in vector.iter_mut().enumerate() {
        *v = of(l);
    }
    vector
}

#[cfg(test)]
mod tests {
    use super::*;

    fn patch(n: i64, extent: f64) -> (Patch, Vec<Vec3>) {
        let point =
            |i: i64| [i * 7919 % 2003 - 90_000, i * 104_729 % 1999, i * 31 % 17].map(|v| v as f64);
        let points: Vec<Vec3> = (0..n).map(point).collect();
        let mut patch = Patch::default();
        patch.begin(extent);
        points.iter().for_each(|&p| patch.push(p));
        patch.end();
        (patch, points)
    }

    #[test]
    fn sums_are_those_of_one_point_after_the_other() {
        for n in [1, 7, 8, 9, 64, 159] {
            // The second extent is too large for sums in any order.
            for extent in [2003.0, 5e6] {
                let (patch, points) = patch(n, extent);
                for slab in [0.0, 3.0, 700.0, 1e9] {
                    let middle = Middle { normal: [0.6, 0.0, 0.8], rho: -53_400.0 };
                    let inside = |p: &&Vec3| middle.distance(**p).abs() <= slab;
                    let mut plain = Spread::default();
                    points.iter().filter(inside).for_each(|&p| plain.add(p, 1.0));
                    let mut marks = Marks::default();
                    assert_eq!(patch.mark(&middle, slab, &mut marks), plain.weight() > 0.0);
                    assert!(!patch.mark(&middle, slab, &mut marks));
                    assert!(patch.spread(&marks) == plain);
                    assert_eq!(patch.within(&middle, slab) as f64, plain.weight());
                    let away = points.iter().map(|&p| middle.distance(p));
                    let below = away.clone().filter(|&d| d < -slab && d >= -2.0 * slab).count();
                    let above = away.filter(|&d| d > slab && d <= 2.0 * slab).count();
                    let inside = plain.weight() as usize;
                    assert_eq!(patch.sides(&middle, slab), [below, inside, above]);
                }
                assert_eq!(patch.all().weight(), n as f64);
                let from = |p: &Vec3| {
                    let apart = crate::vector::minus(*p, points[0]);
                    dot(apart, apart)
                };
                assert_eq!(patch.farthest(), points.iter().map(from).fold(0.0, f64::max));
            }
        }
    }
}
