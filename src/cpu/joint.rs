//! One increment for the votes of a point in two neighbouring rows.
//!
//! Let `b` and `b + e` be the bins of a point in two rows. Neighbouring directions are so close that `e`
//! takes few values: about 38 for 1920 × 1080 pixels, 1° and 1 pixel. So points are counted in a table of all
//! `(e, b)`, with one increment for two votes. Afterwards line `e` of the table is added to the first row at
//! `b` and to the second at `b + e`, vector by vector.
//!
//! An image reaches a parallelogram of `area × sin(step)` cells of the table, 36 thousand in this example.
//! One row of its pixels reaches so few that they stay in the first-level cache while the rows pass by.
//! Adding and clearing a cell costs a good half of an increment. So with fewer points than that, or with
//! steps so coarse that the parallelogram is large, each row is voted for separately. Three rows at once
//! would save another sixth of the increments but reach four times as many cells: measured with counters of 8
//! bits, they are slower than two.
//!
//! The result is exact: a cell is added where its points would have voted, and the sum of a row is compared
//! with the number of points. A point out of reach is missing there; this requires a coordinate that is not a
//! number, or bins so fine that `f32` hardly distinguishes them. Then no votes are counted, and the caller
//! votes row by row.
//!
//! `benches/peers/hough.py` compares it with other implementations; the results are in
//! `benches/results/line_voters.md`.

use super::bin::count;
use super::lanes::{InstructionSet, Lanes};
use super::reach::{Edges, Extent, range};
use super::tally::{Binning, bin, tally};
use crate::backend::Sign;
use crate::vote::position;
use std::ops::Range;

/// The table pays off with this many points for each cell to be added. The break-even depends on the image
/// and the steps: measured between 0.4 (640 × 480 pixels) and 0.8 (steps of 4°).
const WORTH: f64 = 0.6;
/// Most cells of a table. Sums of numbers up to this are exact in `f32`.
const MOST_CELLS: f64 = (1 << 22) as f64;
/// Lines begin at multiples of this, so that they are whole vectors.
const ALIGN: usize = 16;
/// How far a position in `f32` may differ from that in `f64`, in bins, without falling back to single rows.
const SLACK: f64 = 1.0 / 16.0;

/// Two rows and the cells of their table.
struct Pair {
    rows: [[f32; 4]; 2],
    /// The bin of the first row at which each line begins, and the `e` of the first line.
    first: [f64; 2],
    /// Distance from one line to the next.
    stride: usize,
    /// The cells of each line that points may reach.
    lines: Vec<Range<usize>>,
}

impl Pair {
    /// The table of two rows for points in `extent`, unless it would be too large.
    fn new(rows: [[f32; 4]; 2], extent: &Extent) -> Option<Pair> {
        // For the first row exact, as positions of points lie between those of corners: see `crate::vote`.
        let bins = extent.0.map(|[x, y]| f64::from(position(rows[0], [x, y, 0.0]).floor()));
        let [low, high] = range(bins);
        let edges = Edges::new(rows, extent);
        let [least, most] = range(edges.corners());
        let [least, most] = [(least - SLACK).floor(), (most + SLACK).ceil()];
        let stride = ((high - low + 1.0) / ALIGN as f64).ceil() * ALIGN as f64;
        let cells = stride * (most - least + 1.0);
        // Written so that NaN is refused, too.
        if !(cells <= MOST_CELLS && low.abs() <= MOST_CELLS && (least * stride).abs() <= MOST_CELLS)
        {
            return None;
        }
        let stride = stride as usize;
        let line = |e: usize| {
            let e = least + e as f64;
            // The difference of the floors can be `e` only if that of the positions is less than one off `e`.
            let [from, to] = edges.between(e - 1.0 - SLACK, e + 1.0 + SLACK)?;
            let from = (from - SLACK - low) as usize / ALIGN * ALIGN;
            let to = ((to + SLACK - low) as usize + 1).next_multiple_of(ALIGN).min(stride);
            Some(from.min(to)..to)
        };
        let lines = (0..(most - least) as usize + 1).map(|e| line(e).unwrap_or(0..0)).collect();
        Some(Pair { rows, first: [low, least], stride, lines })
    }

    /// Number of cells that are added.
    fn reached(&self) -> usize {
        self.lines.iter().map(Range::len).sum()
    }

    /// Number of cells in all.
    fn cells(&self) -> usize {
        self.lines.len() * self.stride
    }
}

impl Binning for Pair {
    #[inline(always)]
    unsafe fn of<L: Lanes>(&self, x: L, y: L) -> L {
        let stride = self.stride as f64;
        let before = (self.first[0] + self.first[1] * stride) as f32;
        // SAFETY: the caller has the instruction set.
        unsafe {
            let b = bin(self.rows[0], x, y);
            let other = bin(self.rows[1], x, y);
            other.sub(b).mul_add(L::splat(stride as f32), b.sub(L::splat(before)))
        }
    }
}

/// The counters of a pair of rows, kept from pair to pair; all are zero in between.
#[derive(Default)]
pub(super) struct Joint {
    cells: Vec<u32>,
    sums: [Vec<u32>; 2],
}

impl Joint {
    /// Lets all points vote in two neighbouring rows of the table, `counts`. Returns whether it did; if not,
    /// nothing was counted.
    pub(super) fn vote(
        &mut self,
        instructions: InstructionSet,
        points: [&[f32]; 2],
        extent: &Extent,
        rows: [[f32; 4]; 2],
        sign: Sign,
        counts: &mut [u32],
    ) -> bool {
        let enough = points[0].len() as f64 / WORTH;
        if enough < extent.cells(rows) {
            return false;
        }
        let Some(pair) = Pair::new(rows, extent) else { return false };
        if enough < pair.reached() as f64 {
            return false;
        }
        let used = pair.cells() + 1;
        if self.cells.len() < used {
            self.cells = vec![0; used];
        }
        tally(instructions, points, &pair, &mut self.cells[..used]);
        self.add_lines(instructions, &pair);
        let voted: u64 = self.sums[0].iter().map(|&votes| u64::from(votes)).sum();
        if voted != points[0].len() as u64 {
            self.cells.fill(0);
            return false;
        }
        let (first, second) = counts.split_at_mut(counts.len() / 2);
        let [low, least] = pair.first.map(|v| v as i64);
        add(&self.sums[0], low, sign, first);
        add(&self.sums[1], low + least, sign, second);
        true
    }

    /// Adds all lines of the table to the sums of both rows, and clears them.
    fn add_lines(&mut self, instructions: InstructionSet, pair: &Pair) {
        for sums in &mut self.sums {
            sums.clear();
            sums.resize(pair.stride + pair.lines.len(), 0);
        }
        let [first, second] = &mut self.sums;
        for (e, line) in pair.lines.iter().enumerate() {
            let cells = &mut self.cells[e * pair.stride..][line.clone()];
            add_line(instructions, cells, &mut first[line.clone()], &mut second[e..][line.clone()]);
        }
    }
}

/// Adds the cells of a line to both rows and clears them, with these `instructions`.
fn add_line(
    instructions: InstructionSet,
    cells: &mut [u32],
    first: &mut [u32],
    second: &mut [u32],
) {
    #[cfg(target_arch = "x86_64")]
    if instructions >= InstructionSet::Avx2 {
        // SAFETY: an `InstructionSet` is used only where it is available; AVX-512 has AVX2 in it.
        return unsafe { add_line_avx2(cells, first, second) };
    }
    let _ = instructions;
    add_line_plain(cells, first, second);
}

/// The same code, compiled with AVX2.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn add_line_avx2(cells: &mut [u32], first: &mut [u32], second: &mut [u32]) {
    add_line_plain(cells, first, second);
}

#[inline(always)]
fn add_line_plain(cells: &mut [u32], first: &mut [u32], second: &mut [u32]) {
    for ((cell, first), second) in cells.iter_mut().zip(first).zip(second) {
        *first += *cell;
        *second += *cell;
        *cell = 0;
    }
}

/// Adds sums, the first of which is for bin `low`, to a row of the accumulator. Bins off the axis are left
/// out.
fn add(sums: &[u32], low: i64, sign: Sign, counts: &mut [u32]) {
    let (skipped, from) = ((-low).max(0) as usize, low.max(0) as usize);
    for (bin, &votes) in counts.iter_mut().skip(from).zip(sums.iter().skip(skipped)) {
        count(bin, votes, sign);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frame::Points;
    use crate::space::{RhoAxis, Space, half_turn};
    use crate::vote::bin;

    /// All pixels of a square, and the table of a space of lines with some steps over 180°.
    fn square(side: i32, steps: u32) -> (Points, Vec<[f32; 4]>, usize) {
        let points =
            (0..side * side).map(|i| [(i % side) as f32, (i / side) as f32, 0.0]).collect();
        let axis = RhoAxis::centred(1.5 * f64::from(side), 1.0);
        let space = Space::new(half_turn(steps), axis).unwrap();
        (points, space.vote_table(), space.bins())
    }

    fn vote(joint: &mut Joint, points: &Points, rows: [[f32; 4]; 2], counts: &mut [u32]) -> bool {
        let extent = Extent::of(points);
        joint.vote(InstructionSet::best(), [&points.x, &points.y], &extent, rows, Sign::Add, counts)
    }

    #[test]
    fn many_points_vote_for_two_rows_at_once_and_few_or_far_rows_do_not() {
        let (points, table, bins) = square(60, 180);
        let mut joint = Joint::default();
        for rows in table.chunks(2) {
            let rows = [rows[0], rows[1]];
            let mut expected = vec![0; 2 * bins];
            for i in 0..points.len() {
                for (row, &t) in rows.iter().enumerate() {
                    expected[row * bins + bin(position(t, points.get(i)), bins).unwrap()] += 1;
                }
            }
            let mut counts = vec![0; 2 * bins];
            assert!(vote(&mut joint, &points, rows, &mut counts), "{rows:?}");
            assert!(counts == expected, "{rows:?}");
        }
        let few = points.select(&[0, 1, 60, 3599]);
        assert!(!vote(&mut joint, &few, [table[40], table[41]], &mut vec![0; 2 * bins]));
        let third = points.select(&(0..3600).step_by(3).collect::<Vec<_>>());
        assert!(vote(&mut joint, &third, [table[0], table[1]], &mut vec![0; 2 * bins]));
        assert!(!vote(&mut joint, &third, [table[0], table[90]], &mut vec![0; 2 * bins]));
    }

    /// A point out of reach is noticed, no votes are counted, and the counters are as good as new.
    #[test]
    fn what_is_no_number_leaves_no_trace() {
        let (points, table, bins) = square(60, 180);
        let rows = [table[30], table[31]];
        let mut joint = Joint::default();
        let mut expected = vec![0; 2 * bins];
        assert!(vote(&mut joint, &points, rows, &mut expected));
        let mut broken = points.clone();
        broken.x[1234] = f32::NAN;
        let mut counts = vec![0; 2 * bins];
        assert!(!vote(&mut joint, &broken, rows, &mut counts));
        assert!(counts.iter().all(|&votes| votes == 0));
        assert!(vote(&mut joint, &points, rows, &mut counts));
        assert!(counts == expected);
    }

    #[test]
    fn no_extent_is_too_large() {
        let (points, table, bins) = square(60, 180);
        for large in [1e6, 1e9, 3e38, f32::INFINITY] {
            let mut far = points.clone();
            (far.x[7], far.y[9]) = (large, -large);
            for t in [table[0], [f32::NAN; 4], [1e30; 4], [0.0; 4], [1.0, 0.0, 0.0, -2e9]] {
                vote(&mut Joint::default(), &far, [t, table[1]], &mut vec![0; 2 * bins]);
            }
        }
    }
}
