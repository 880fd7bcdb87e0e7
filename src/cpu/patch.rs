//! The points of one block, coordinate by coordinate, and sums over those in a slab.

pub(super) use crate::shared::BLOCK_POINTS as MOST_POINTS;
use crate::surface::moments::PAIRS;
use crate::surface::spread::Spread;
use crate::vector::{Vec3, dot, minus};

/// Up to this extent, in steps, sums over the points of a block are integers that `f64` holds exactly in any
/// order, for at most [`MOST_POINTS`] points with integer coordinates.
const EXACT: f64 = (1 << 22) as f64;
const _: () = assert!(3.0 * MOST_POINTS as f64 * EXACT * EXACT <= (1u64 << 53) as f64);

/// Loops run over whole multiples of this many points, so that none of their vectors is left incomplete.
const WIDTH: usize = 8;

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

/// Three numbers for each point of a block.
type Axes<T> = [[T; MOST_POINTS]; 3];
const _: () = assert!(MOST_POINTS.is_multiple_of(WIDTH));

/// Which points of a block are chosen: all bits of a mark are set for those, none for the others.
#[derive(PartialEq)]
pub(super) struct Marks([i32; MOST_POINTS]);

impl Default for Marks {
    /// No point is chosen.
    fn default() -> Marks {
        Marks([0; MOST_POINTS])
    }
}

/// The points of a block of known extent.
pub(super) struct Patch {
    /// The points, filled up to a multiple of [`WIDTH`] with NaN.
    axes: Axes<f64>,
    /// The same relative to the first, for sums that are exact.
    steps: Axes<i32>,
    len: usize,
    /// Whether sums are exact.
    exact: bool,
}

impl Default for Patch {
    fn default() -> Patch {
        let (axes, steps) = ([[0.0; MOST_POINTS]; 3], [[0; MOST_POINTS]; 3]);
        Patch { axes, steps, len: 0, exact: false }
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
        for (axis, steps) in self.axes.iter_mut().zip(&mut self.steps) {
            axis[self.len..whole].fill(f64::NAN);
            let first = axis[0];
            for (step, v) in steps[..whole].iter_mut().zip(&axis[..whole]) {
                *step = (v - first) as i32;
            }
        }
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
        marks.0[..self.len].fill(!0);
        self.spread(&marks)
    }

    /// Marks the points within `slab` of a middle; returns whether they differ from those that were marked.
    #[inline(always)]
    pub fn mark(&self, middle: &Middle, slab: f64, marks: &mut Marks) -> bool {
        let mut differ = 0;
        for (mark, away) in marks.0.iter_mut().zip(self.distances(middle)) {
            let is_inside = -i32::from(away.abs() <= slab);
            differ |= is_inside ^ *mark;
            *mark = is_inside;
        }
        differ != 0
    }

    /// The sums over the marked points, as if they were added in order.
    #[inline(always)]
    pub fn spread(&self, marks: &Marks) -> Spread {
        let is_marked = |&i: &usize| marks.0[i] != 0;
        let Some(first) = (0..self.len).find(is_marked) else { return Spread::default() };
        if self.exact {
            return self.sums(marks).from(first, self);
        }
        let mut spread = Spread::default();
        (first..self.len).filter(is_marked).for_each(|i| spread.add(self.point(i), 1.0));
        spread
    }

    /// The sums over the marked points, relative to the block's first point.
    #[inline(always)]
    fn sums(&self, marks: &Marks) -> Sums {
        let [x, y, z] = self.in_use(&self.steps);
        // Single variables, since the compiler does not keep the elements of an array in vectors.
        let (mut n, mut of_x, mut of_y, mut of_z) = (0, 0, 0, 0);
        let (mut xx, mut xy, mut xz, mut yy, mut yz, mut zz) = (0, 0, 0, 0, 0, 0);
        for (((x, y), z), mark) in x.iter().zip(y).zip(z).zip(&marks.0) {
            let [x, y, z] = [x & mark, y & mark, z & mark];
            n -= mark;
            of_x += x;
            of_y += y;
            of_z += z;
            let [x, y, z] = [x, y, z].map(i64::from);
            xx += x * x;
            xy += x * y;
            xz += x * z;
            yy += y * y;
            yz += y * z;
            zz += z * z;
        }
        let products = [xx, xy, xz, yy, yz, zz].map(|v: i64| v as f64);
        Sums { n: n.into(), sum: [of_x, of_y, of_z].map(f64::from), products }
    }

    /// The number of points at most `slab` from a middle.
    #[inline(always)]
    pub fn within(&self, middle: &Middle, slab: f64) -> usize {
        let mut count = 0;
        for away in self.distances(middle) {
            count += u64::from(away.abs() <= slab);
        }
        count as usize
    }

    /// The number of points farther than `slab` and at most twice as far below a middle, the number within
    /// `slab`, and the number as far above.
    #[inline(always)]
    pub fn sides(&self, middle: &Middle, slab: f64) -> [usize; 3] {
        let (mut below, mut inside, mut above) = (0, 0, 0);
        for away in self.distances(middle) {
            // Both conditions are evaluated, so that the loop has no branches.
            below += u64::from((away >= -2.0 * slab) & (away < -slab));
            inside += u64::from(away.abs() <= slab);
            above += u64::from((away <= 2.0 * slab) & (away > slab));
        }
        [below, inside, above].map(|count| count as usize)
    }

    /// The largest squared distance of a point from the first.
    #[inline(always)]
    pub fn farthest(&self) -> f64 {
        let first = self.point(0);
        let apart = |i: usize| minus(self.point(i), first);
        // The bits of positive numbers are in the order of the numbers, and vectors have a greatest integer.
        let squares = (0..self.len).map(|i| dot(apart(i), apart(i)).to_bits().cast_signed());
        f64::from_bits(squares.fold(0, i64::max).cast_unsigned())
    }

    /// The signed distances of the points from a middle; NaN for those that fill up the vectors.
    #[inline(always)]
    fn distances(&self, middle: &Middle) -> impl Iterator<Item = f64> {
        let [x, y, z] = self.in_use(&self.axes);
        let (normal, rho) = (middle.normal, middle.rho);
        let points = x.iter().zip(y).zip(z);
        points.map(move |((x, y), z)| x * normal[0] + y * normal[1] + z * normal[2] - rho)
    }

    /// The numbers of the points, in whole vectors.
    #[inline(always)]
    fn in_use<'a, T>(&self, axes: &'a Axes<T>) -> [&'a [T]; 3] {
        let whole = self.len.next_multiple_of(WIDTH).min(MOST_POINTS);
        axes.each_ref().map(|axis| &axis[..whole])
    }
}

/// Sums over points of a block, relative to its first point: whole numbers.
struct Sums {
    n: f64,
    sum: Vec3,
    products: [f64; 6],
}

impl Sums {
    /// The same, relative to another point of the block.
    #[inline(always)]
    fn from(self, point: usize, patch: &Patch) -> Spread {
        let Sums { n, sum, products } = self;
        let moved = patch.steps.each_ref().map(|axis| f64::from(axis[point]));
        let mut about = products;
        for (product, (a, b)) in about.iter_mut().zip(PAIRS) {
            // No intermediate sum exceeds 3 · MOST_POINTS · EXACT², which `f64` holds exactly.
            *product = *product - moved[a] * sum[b] - moved[b] * sum[a] + n * moved[a] * moved[b];
        }
        let sum = std::array::from_fn(|a| sum[a] - n * moved[a]);
        Spread::of(patch.point(point), n, sum, about)
    }
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
    fn sums_over_the_largest_block_are_exact() {
        // Most points are at a corner, the first one is at the other or there as well.
        let far = (1 << 22) as f64;
        for first in [0.0, far] {
            let mut patch = Patch::default();
            patch.begin(far);
            let corner = |i: usize| match i {
                0 => first,
                1 => 0.0,
                _ => far,
            };
            let points: Vec<Vec3> = (0..MOST_POINTS).map(|i| [corner(i); 3]).collect();
            points.iter().for_each(|&p| patch.push(p));
            patch.end();
            // All, and those that are far from the first one.
            for slab in [1e9, 1.0] {
                let middle = Middle { normal: [1.0, 0.0, 0.0], rho: far - first };
                let mut plain = Spread::default();
                let inside = points.iter().filter(|&&p| middle.distance(p).abs() <= slab);
                inside.for_each(|&p| plain.add(p, 1.0));
                let mut marks = Marks::default();
                patch.mark(&middle, slab, &mut marks);
                assert!(patch.spread(&marks) == plain, "{first} {slab}");
            }
        }
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
                    let apart = minus(*p, points[0]);
                    dot(apart, apart)
                };
                assert_eq!(patch.farthest(), points.iter().map(from).fold(0.0, f64::max));
            }
        }
    }
}
