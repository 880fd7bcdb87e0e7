//! A sweep of the dual arrangement: `O(n²)` time, `O(n)` space, one thread.
//!
//! The dual of a point `(x, y)` is the line `v = x u − y`. Two such lines cross at the slope of their points,
//! and at that `u` all lines are ordered by the residuals of their points, the largest lowest. A topological
//! sweep (Edelsbrunner and Guibas 1989) passes all crossings. It keeps the order of the lines along a curve
//! from bottom to top, the *cut*, and two *horizon trees*, which give in constant time on average where each
//! line of the cut is crossed next.
//!
//! A slab of `h` points that hangs on a crossing ends at the line `h − 1` levels away. The cut shows that
//! line only while it contains it at the same `u`, so the sweep is *guided* (Edelsbrunner and Souvaine 1990):
//! a crossing waits until the edges of the cut at the levels where its slabs end reach as far to the right as
//! the crossing. The leftmost crossing never waits.
//!
//! Points are treated as if raised by tiny amounts, each far larger than those of the points before it. So no
//! three points are collinear, and of equal points the later is above. Lines of points with the same `x` are
//! parallel and never cross. Comparisons use the turn of three points, which is exact. Where many lines cross
//! at one place, some crossing there is at the lowest and some at the highest of all their levels, so no slab
//! is lost.

use super::problem::{Hanging, Problem, Side, Slab};
use rayon::prelude::*;

/// No line.
const NONE: u32 = u32::MAX;

/// The thinnest slab, by a sweep over the crossings of the dual lines.
pub fn sweep(problem: &Problem) -> Slab {
    let mut sweep = Sweep::new(problem);
    sweep.run();
    let best = sweep.best;
    best.map_or_else(|| problem.upright(), |best| problem.settled(best))
}

/// A line of the cut.
#[derive(Debug, Clone, Copy)]
struct Line {
    /// The line of larger slope that ends it in the upper horizon tree.
    upper: u32,
    /// The line of smaller slope that ends it in the lower horizon tree.
    lower: u32,
    /// Whichever of the two crosses it first.
    next: u32,
    /// Where it does, or infinity.
    at: f64,
}

struct Sweep<'a> {
    problem: &'a Problem,
    /// The lines of the cut from bottom to top.
    levels: Vec<u32>,
    /// Indexed by point.
    lines: Vec<Line>,
    /// Levels above which there may be a crossing that can be passed.
    ready: Vec<u32>,
    best: Option<Hanging>,
}

impl Sweep<'_> {
    /// The cut far to the left, where the steepest line is lowest.
    fn new(problem: &Problem) -> Sweep<'_> {
        let n = problem.points().len();
        let line = Line { upper: NONE, lower: NONE, next: NONE, at: f64::INFINITY };
        let mut sweep = Sweep {
            problem,
            levels: (0..n as u32).rev().collect(),
            lines: vec![line; n],
            ready: Vec::new(),
            best: None,
        };
        for level in 1..n {
            let line = sweep.levels[level];
            sweep.lines[line as usize].upper = sweep.end_above(line, sweep.levels[level - 1]);
        }
        for level in (0..n - 1).rev() {
            let line = sweep.levels[level];
            sweep.lines[line as usize].lower = sweep.end_below(line, sweep.levels[level + 1]);
        }
        (0..n as u32).for_each(|line| sweep.find_next(line));
        (0..n).for_each(|level| sweep.consider(level));
        sweep
    }

    fn run(&mut self) {
        loop {
            while let Some(level) = self.ready.pop() {
                let level = level as usize;
                if self.is_crossing(level) && self.may_pass(level) {
                    self.pass(level);
                }
            }
            // None is left, or rounding put two neighbouring slopes in the wrong order, and their crossings
            // wait for each other.
            let left = (0..self.levels.len()).filter(|&level| self.is_crossing(level));
            let at = |level: &usize| self.lines[self.levels[*level] as usize].at;
            match left.min_by(|a, b| at(a).total_cmp(&at(b))) {
                Some(level) => self.pass(level),
                None => return,
            }
        }
    }

    /// Whether the lines of this level and the next one cross next.
    fn is_crossing(&self, level: usize) -> bool {
        let (Some(&a), Some(&b)) = (self.levels.get(level), self.levels.get(level + 1)) else {
            return false;
        };
        self.lines[a as usize].next == b && self.lines[b as usize].next == a
    }

    /// The levels of the lines that end the slabs hanging on the crossing above a level, where they exist:
    /// first of the slab with the pair on its lower side, then of the other.
    fn ends(&self, level: usize) -> [Option<usize>; 2] {
        let h = self.problem.h();
        let over = level + h - 1;
        [(level + 2).checked_sub(h), (over < self.levels.len()).then_some(over)]
    }

    /// Whether the cut, where the crossing is, shows the lines that end its slabs.
    fn may_pass(&self, level: usize) -> bool {
        let at = self.lines[self.levels[level] as usize].at;
        let reaches = |end: usize| self.lines[self.levels[end] as usize].at >= at;
        self.ends(level).into_iter().flatten().all(reaches)
    }

    /// Notes a crossing if it can be passed.
    fn consider(&mut self, level: usize) {
        if self.is_crossing(level) && self.may_pass(level) {
            self.ready.push(level as u32);
        }
    }

    /// Moves the cut over the crossing of the lines at this level and the next one.
    fn pass(&mut self, level: usize) {
        let [a, b] = [self.levels[level], self.levels[level + 1]];
        self.look_at(level);
        self.levels.swap(level, level + 1);
        // Each line continues in one tree and begins anew in the other.
        let below = level.checked_sub(1).map_or(NONE, |below| self.levels[below]);
        self.lines[b as usize].upper = self.end_above(b, below);
        let above = self.levels.get(level + 2).copied().unwrap_or(NONE);
        self.lines[a as usize].lower = self.end_below(a, above);
        self.find_next(a);
        self.find_next(b);
        // Crossings that may have waited for these two levels.
        let h = self.problem.h();
        let places = [level.checked_sub(1), Some(level + 1)];
        let waiting = [
            (level + 1).checked_sub(h),
            (level + 2).checked_sub(h),
            (level + h).checked_sub(2),
            (level + h).checked_sub(1),
        ];
        for place in places.into_iter().chain(waiting).flatten() {
            self.consider(place);
        }
    }

    /// Compares the slabs that hang on a crossing with the best so far.
    fn look_at(&mut self, level: usize) {
        // The line of smaller slope is above, and its point is the first.
        let pair = [self.levels[level + 1] as usize, self.levels[level] as usize];
        for (end, side) in self.ends(level).into_iter().zip([Side::Above, Side::Below]) {
            let Some(end) = end else { continue };
            let rise = self.problem.rise(pair[0], pair[1], self.levels[end] as usize);
            let points = self.problem.points();
            let dx = points[pair[1]][0] - points[pair[0]][0];
            // Most slabs prove thicker without a division.
            if self.best.is_none_or(|best| rise.abs() <= best.height * dx * (1.0 + 1e-12)) {
                self.best = Hanging::better(self.best, self.problem.hanging(pair, side, rise));
            }
        }
    }

    fn x(&self, line: u32) -> f64 {
        self.problem.points()[line as usize][0]
    }

    fn turn(&self, i: u32, j: u32, k: u32) -> f64 {
        self.problem.turn(i as usize, j as usize, k as usize)
    }

    /// Where a line ends in the upper horizon tree: the first line of larger slope along the chain that
    /// begins with the line `below` it. Of three collinear points the last counts as raised.
    fn end_above(&self, line: u32, below: u32) -> u32 {
        let mut chain = below;
        while chain != NONE {
            let after = self.lines[chain as usize].upper;
            let meets = self.x(chain) > self.x(line);
            if meets && (after == NONE || self.turn(line, chain, after) >= 0.0) {
                return chain;
            }
            chain = after;
        }
        NONE
    }

    /// The same in the lower horizon tree, with the line `above` it.
    fn end_below(&self, line: u32, above: u32) -> u32 {
        let mut chain = above;
        while chain != NONE {
            let after = self.lines[chain as usize].lower;
            let meets = self.x(chain) < self.x(line);
            if meets && (after == NONE || self.turn(after, chain, line) < 0.0) {
                return chain;
            }
            chain = after;
        }
        NONE
    }

    /// Finds which of a line's ends in the two trees comes first.
    fn find_next(&mut self, line: u32) {
        let Line { upper, lower, .. } = self.lines[line as usize];
        let next = match (upper, lower) {
            (NONE, end) | (end, NONE) => end,
            (upper, lower) if self.turn(lower, line, upper) < 0.0 => upper,
            (_, lower) => lower,
        };
        let at = match next {
            NONE => f64::INFINITY,
            next => self.problem.slope(line as usize, next as usize),
        };
        let kept = &mut self.lines[line as usize];
        (kept.next, kept.at) = (next, at);
    }
}

/// The thinnest slab of each of many sets, by [`sweep`] on all cores.
pub fn slabs(problems: &[Problem]) -> Vec<Slab> {
    problems.par_iter().map(sweep).collect()
}
