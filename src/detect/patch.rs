//! The points of one block, coordinate by coordinate, and sums over those in a slab.

use super::spread::Spread;
use crate::vector::{Vec3, dot};

/// Most points of a block that are looked at; of more, evenly many of each place.
pub(super) const MOST_POINTS: usize = 160;

/// Up to this extent, in steps, sums over the points of a block are whole numbers that `f64` holds, whatever
/// the order: points with whole coordinates, at most [`MOST_POINTS`].
const EXACT: f64 = (1 << 22) as f64;
const _: () = assert!(MOST_POINTS as f64 * EXACT * EXACT <= (1u64 << 53) as f64);

/// Points that are looked at side by side.
const WIDTH: usize = 4;

/// The same number of each of them.
type Vector = [f64; WIDTH];

/// A slab's middle.
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

/// Points of a block of a known extent.
#[derive(Default)]
pub(super) struct Patch {
    /// As many points as fill whole vectors; those beyond the last lie nowhere.
    x: Vec<f64>,
    y: Vec<f64>,
    z: Vec<f64>,
    len: usize,
    /// Whether sums are exact.
    exact: bool,
}

impl Patch {
    /// Forgets its points and waits for those of a block so wide in steps.
    #[inline(always)]
    pub fn begin(&mut self, extent: f64) {
        let axes = [&mut self.x, &mut self.y, &mut self.z];
        axes.into_iter().for_each(Vec::clear);
        self.exact = extent <= EXACT;
    }

    /// Adds a point.
    #[inline(always)]
    pub fn push(&mut self, [x, y, z]: Vec3) {
        self.x.push(x);
        self.y.push(y);
        self.z.push(z);
    }

    /// Has all its points.
    #[inline(always)]
    pub fn end(&mut self) {
        self.len = self.x.len();
        let whole = self.len.next_multiple_of(WIDTH);
        let axes = [&mut self.x, &mut self.y, &mut self.z];
        axes.into_iter().for_each(|axis| axis.resize(whole, f64::NAN));
    }

    /// Number of points.
    #[inline(always)]
    pub fn len(&self) -> usize {
        self.len
    }

    /// A point.
    #[inline(always)]
    pub fn point(&self, i: usize) -> Vec3 {
        [self.x[i], self.y[i], self.z[i]]
    }

    /// The sums over all points.
    #[inline(always)]
    pub fn all(&self) -> Spread {
        // What has no normal is nowhere away from its middle.
        self.spread(&Middle::default(), 0.0)
    }

    /// The sums over the points within `slab` of a middle, as if they were added in their order.
    #[inline(always)]
    pub fn spread(&self, middle: &Middle, slab: f64) -> Spread {
        let is_inside = |&i: &usize| middle.distance(self.point(i)).abs() <= slab;
        let Some(first) = (0..self.len).find(is_inside) else { return Spread::default() };
        if !self.exact {
            let mut spread = Spread::default();
            (first..self.len).filter(is_inside).for_each(|i| spread.add(self.point(i), 1.0));
            return spread;
        }
        let origin = self.point(first);
        let mut sums = [[0.0; WIDTH]; 10];
        for [x, y, z] in self.vectors() {
            let away = distances(middle, [x, y, z]);
            let inside = |v: &Vector| each(|l| if away[l].abs() <= slab { v[l] } else { 0.0 });
            let from = |v: &Vector, origin: f64| each(|l| v[l] - origin);
            let one = inside(&[1.0; WIDTH]);
            let [x, y, z] = [(x, 0), (y, 1), (z, 2)].map(|(v, a)| inside(&from(v, origin[a])));
            let times = |a: &Vector, b: &Vector| each(|l| a[l] * b[l]);
            let products =
                [times(&x, &x), times(&x, &y), times(&x, &z), times(&y, &y), times(&y, &z)];
            let [xx, xy, xz, yy, yz] = products;
            let terms = [one, x, y, z, xx, xy, xz, yy, yz, times(&z, &z)];
            for (sum, term) in sums.iter_mut().zip(terms) {
                *sum = each(|l| sum[l] + term[l]);
            }
        }
        let [n, x, y, z, xx, xy, xz, yy, yz, zz] = sums.map(|lanes| lanes.iter().sum());
        Spread::of(origin, n, [x, y, z], [xx, xy, xz, yy, yz, zz])
    }

    /// How many points lie at most `slab` from a middle.
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

    /// How many points lie farther than `slab` from a middle and at most twice as far, on the one side
    /// and on the other.
    #[inline(always)]
    pub fn beside(&self, middle: &Middle, slab: f64) -> [usize; 2] {
        let mut counts = [[0.0; WIDTH]; 2];
        for at in self.vectors() {
            let away = distances(middle, at);
            for (counts, sign) in counts.iter_mut().zip([-1.0, 1.0]) {
                let away = each(|l| sign * away[l]);
                let near = each(|l| if away[l] <= 2.0 * slab { 1.0 } else { 0.0 });
                let outside = each(|l| if away[l] > slab { near[l] } else { 0.0 });
                *counts = each(|l| counts[l] + outside[l]);
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

    /// The points, a vector of each coordinate at a time.
    #[inline(always)]
    fn vectors(&self) -> impl Iterator<Item = [&Vector; 3]> {
        let [x, y, z] = [&self.x, &self.y, &self.z].map(|axis| axis.as_chunks::<WIDTH>().0.iter());
        x.zip(y).zip(z).map(|((x, y), z)| [x, y, z])
    }
}

/// Signed distances of points.
#[inline(always)]
fn distances(middle: &Middle, [x, y, z]: [&Vector; 3]) -> Vector {
    let normal = middle.normal;
    each(|l| x[l] * normal[0] + y[l] * normal[1] + z[l] * normal[2] - middle.rho)
}

/// A number for each of the points side by side.
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
            // The second one is too wide for sums in any order.
            for extent in [2003.0, 5e6] {
                let (patch, points) = patch(n, extent);
                for slab in [0.0, 3.0, 700.0, 1e9] {
                    let middle = Middle { normal: [0.6, 0.0, 0.8], rho: -53_400.0 };
                    let inside = |p: &&Vec3| middle.distance(**p).abs() <= slab;
                    let mut plain = Spread::default();
                    points.iter().filter(inside).for_each(|&p| plain.add(p, 1.0));
                    assert!(patch.spread(&middle, slab) == plain);
                    assert_eq!(patch.within(&middle, slab) as f64, plain.weight());
                    let away = points.iter().map(|&p| middle.distance(p));
                    let below = away.clone().filter(|&d| d < -slab && d >= -2.0 * slab).count();
                    let above = away.filter(|&d| d > slab && d <= 2.0 * slab).count();
                    assert_eq!(patch.beside(&middle, slab), [below, above]);
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
