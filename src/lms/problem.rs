//! Points, the number of them that a slab must hold, and what all versions compute alike.

use super::orient;
use crate::{Error, Result};
use std::cmp::Ordering;

/// Products of larger coordinates may not be finite.
const LARGEST: f64 = 1e100;
/// Integers up to this have exact cross products in `f64`.
const EXACT: f64 = (1u64 << 25) as f64;

/// The default number of points that a slab holds: more than half of `n`.
pub fn majority(n: usize) -> usize {
    n / 2 + 1
}

/// Points whose thinnest slab is sought.
///
/// They are sorted by `x`, then `y`, so that nothing depends on the order in which they were given.
#[derive(Debug, Clone, PartialEq)]
pub struct Problem {
    points: Vec<[f64; 2]>,
    /// The index of each point among those given.
    given: Vec<u32>,
    h: usize,
    /// Whether cross products of the points are free of rounding.
    exact: bool,
}

/// The thinnest slab that holds `h` points, and the line in its middle.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Slab {
    /// Slope of the line.
    pub slope: f64,
    /// Where the line meets `x = 0`.
    pub intercept: f64,
    /// Height of the slab, along `y`.
    pub height: f64,
    /// The points that it touches: two on one side, whose slope it has, and one on the other. Where two
    /// points are enough to define it, the last one is repeated.
    pub touches: [usize; 3],
    /// The number of points that it had to hold.
    pub h: usize,
}

impl Slab {
    /// The residual of a point: how far above the line it is.
    pub fn residual(&self, [x, y]: [f64; 2]) -> f64 {
        y - (self.slope * x + self.intercept)
    }
}

/// The side of the line through a pair of points on which a slab hangs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Side {
    Above,
    Below,
}

/// A slab that hangs on a pair of points.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Hanging {
    pub height: f64,
    pub slope: f64,
    pub intercept: f64,
    pub pair: [usize; 2],
    pub side: Side,
}

impl Hanging {
    /// The order in which slabs are preferred.
    pub fn order(&self, other: &Hanging) -> Ordering {
        self.height
            .total_cmp(&other.height)
            .then(self.slope.abs().total_cmp(&other.slope.abs()))
            .then(self.intercept.total_cmp(&other.intercept))
            .then(self.slope.total_cmp(&other.slope))
            .then(self.pair.cmp(&other.pair))
            .then(self.side.cmp(&other.side))
    }

    /// The better of two slabs, if the first exists.
    pub fn better(best: Option<Hanging>, new: Hanging) -> Option<Hanging> {
        match best {
            Some(best) if best.order(&new).is_le() => Some(best),
            _ => Some(new),
        }
    }
}

impl Problem {
    /// Points in any order, and how many of them a slab must hold, by default [`majority`].
    ///
    /// # Errors
    /// [`Error::Parameter`] if there are no points, for coordinates that are not finite or larger than 10¹⁰⁰,
    /// and if `h` is not from 1 to the number of points.
    pub fn new(points: &[[f64; 2]], h: Option<usize>) -> Result<Problem> {
        let n = points.len();
        let wrong = |message: String| Err(Error::Parameter(message));
        if n == 0 || u32::try_from(n).is_err() {
            return wrong(format!("a line is sought through 1 to 2^32 - 1 points, not {n}"));
        }
        let is_fit = |p: &[f64; 2]| p.iter().all(|v| v.abs() <= LARGEST);
        if let Some(i) = points.iter().position(|p| !is_fit(p)) {
            return wrong(format!("point {i} has a coordinate that is not finite or too large"));
        }
        let h = h.unwrap_or(majority(n));
        if !(1..=n).contains(&h) {
            return wrong(format!("a slab holds 1 to {n} of {n} points, not {h}"));
        }
        let mut given: Vec<u32> = (0..n as u32).collect();
        // Adding zero makes −0 the same as 0.
        let point = |&i: &u32| points[i as usize].map(|v| v + 0.0);
        given.sort_by(|i, j| {
            let ([a, b], [c, d]) = (point(i), point(j));
            a.total_cmp(&c).then(b.total_cmp(&d)).then(i.cmp(j))
        });
        let points: Vec<[f64; 2]> = given.iter().map(point).collect();
        let is_exact = |v: &f64| v.fract() == 0.0 && v.abs() <= EXACT;
        let exact = points.iter().flatten().all(is_exact);
        Ok(Problem { points, given, h, exact })
    }

    /// The points, by `x`, then `y`.
    pub fn points(&self) -> &[[f64; 2]] {
        &self.points
    }

    /// How many of them a slab must hold.
    pub fn h(&self) -> usize {
        self.h
    }

    /// Whether all points have the same `x`: then no pair of them has a slope.
    pub(crate) fn is_upright(&self) -> bool {
        self.points[0][0] == self.points[self.points.len() - 1][0]
    }

    /// The slope of a pair with different `x`.
    #[inline]
    pub(super) fn slope(&self, i: usize, j: usize) -> f64 {
        let ([a, b], [c, d]) = (self.points[i.min(j)], self.points[i.max(j)]);
        (d - b) / (c - a)
    }

    /// The sign of the turn from `i` over `j` to `k`, exactly; zero for collinear points.
    #[inline]
    pub(super) fn turn(&self, i: usize, j: usize, k: usize) -> f64 {
        orient::turn([i, j, k].map(|m| self.points[m]), self.exact)
    }

    /// How far point `k` is above the line through the pair `i < j`, times their difference in `x`.
    #[inline]
    pub(super) fn rise(&self, i: usize, j: usize, k: usize) -> f64 {
        let ([a, b], [c, d], [x, y]) = (self.points[i], self.points[j], self.points[k]);
        (c - a) * (y - b) - (d - b) * (x - a)
    }

    /// The slab that hangs on the pair `i < j` and has a point of this rise on its other side.
    #[inline]
    pub(super) fn hanging(&self, [i, j]: [usize; 2], side: Side, rise: f64) -> Hanging {
        let ([a, b], [c, d]) = (self.points[i], self.points[j]);
        let (dx, dy) = (c - a, d - b);
        let at_zero = b * dx - a * dy;
        Hanging {
            height: rise.abs() / dx,
            slope: dy / dx,
            intercept: (2.0 * at_zero + rise) / (2.0 * dx),
            pair: [i, j],
            side,
        }
    }

    /// The thinnest slab of `h` points that hangs on the pair `i < j` on this side, if there are so many
    /// points; `rises` is scratch space.
    pub(super) fn hang(
        &self,
        [i, j]: [usize; 2],
        side: Side,
        rises: &mut Vec<f64>,
    ) -> Option<Hanging> {
        rises.clear();
        rises.extend((0..self.points.len()).map(|k| self.rise(i, j, k)).filter(|r| match side {
            Side::Above => *r >= 0.0,
            Side::Below => *r <= 0.0,
        }));
        if rises.len() < self.h {
            return None;
        }
        let near = |a: &f64, b: &f64| a.abs().total_cmp(&b.abs());
        let (_, rise, _) = rises.select_nth_unstable_by(self.h - 1, near);
        Some(self.hanging([i, j], side, *rise))
    }

    /// The answer, from the pair and the side that a version found.
    pub(crate) fn slab(&self, pair: [usize; 2], side: Side) -> Slab {
        match self.hang(pair, side, &mut Vec::new()) {
            Some(best) => self.answer(&best),
            None => self.upright(),
        }
    }

    /// The answer, from the slab that a version found by exact turns. Rises are rounded, and may disagree
    /// about points within a rounding error of its edge.
    pub(super) fn settled(&self, best: Hanging) -> Slab {
        let by_rises = self.hang(best.pair, best.side, &mut Vec::new());
        self.answer(&by_rises.filter(|slab| slab.height <= best.height).unwrap_or(best))
    }

    fn answer(&self, best: &Hanging) -> Slab {
        let Hanging { slope, intercept, height, .. } = *best;
        Slab { slope, intercept, height, touches: self.touched(best), h: self.h }
    }

    /// The answer where no pair has a slope: the thinnest window of `y`, the lowest of equals.
    pub(crate) fn upright(&self) -> Slab {
        let y = |i: usize| self.points[i][1];
        let height = |i: usize| y(i + self.h - 1) - y(i);
        let windows = 0..=self.points.len() - self.h;
        let first = windows.min_by(|&i, &j| height(i).total_cmp(&height(j))).unwrap_or(0);
        let last = first + self.h - 1;
        let given = [first, last, last].map(|i| self.given[i] as usize);
        let intercept = y(first) + height(first) / 2.0;
        Slab { slope: 0.0, intercept, height: height(first), touches: given, h: self.h }
    }

    /// The points on the edges of a slab: two on the lower edge if it has two with different `x`, otherwise
    /// two on the upper one, and one on the other edge. Of several, those given first.
    fn touched(&self, slab: &Hanging) -> [usize; 3] {
        let [i, j] = slab.pair;
        let mut rises: Vec<(usize, f64, f64)> = (0..self.points.len())
            .map(|k| (self.given[k] as usize, self.points[k][0], self.rise(i, j, k)))
            .collect();
        rises.sort_by_key(|(given, _, _)| *given);
        // The far edge is where the computed height of the slab puts it.
        let dx = self.points[j][0] - self.points[i][0];
        let sign = if slab.side == Side::Above { 1.0 } else { -1.0 };
        let is_far = |rise: f64| sign * rise / dx == slab.height;
        let near: Vec<(usize, f64)> =
            rises.iter().filter(|r| r.2 == 0.0).map(|r| (r.0, r.1)).collect();
        let mut far: Vec<(usize, f64)> =
            rises.iter().filter(|r| is_far(r.2)).map(|r| (r.0, r.1)).collect();
        if far.is_empty() {
            // The far point is within a rounding error of the near edge.
            far.clone_from(&near);
        }
        let (low, high) = if slab.side == Side::Above { (near, far) } else { (far, near) };
        let pair = |edge: &[(usize, f64)]| {
            let first = edge.first()?;
            let second = edge.iter().find(|e| e.1 != first.1)?;
            Some([first.0, second.0])
        };
        let third = |edge: &[(usize, f64)], [a, b]: [usize; 2]| {
            let other = edge.iter().find(|e| e.0 != a && e.0 != b);
            [a, b, other.map_or(b, |e| e.0)]
        };
        let by_low = pair(&low).map(|pair| third(&high, pair));
        by_low.or_else(|| pair(&high).map(|pair| third(&low, pair))).unwrap_or([0; 3])
    }
}
