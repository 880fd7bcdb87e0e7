//! How many pixels of the whole image each bin holds: the transform of the image of ones.
//!
//! Letting every pixel vote would take longer than the search. But the pixels with `d · p < b` are
//! the lattice points of a rectangle below a line, and their number is a sum of `⌊(a i + c) / b⌋`,
//! which Euclid's algorithm computes in a handful of divisions. The coefficients are exactly those of the
//! vote. The vote itself rounds, so a pixel on the border of a bin
//! may be counted on the other side of it.

use super::space::Polar;
use crate::space::Space;
use rayon::prelude::*;

/// Binary places of the coefficients; a vote's coefficients have no more unless they are below 2⁻¹⁶.
const PLACES: i32 = 40;

/// The number of image pixels in each bin of the space.
pub(crate) fn areas(polar: &Polar) -> Vec<u32> {
    let space: &Space = &polar.space;
    let bins = space.bins();
    let mut areas = vec![0; space.size()];
    let fixed = |v: f32| (f64::from(v) * 2f64.powi(PLACES)).round() as i64;
    areas.par_chunks_mut(bins).zip(space.vote_table()).for_each(|(row, t)| {
        let slope = [fixed(t[0]), fixed(t[1])];
        // The position of the top left pixel, from which the others are counted.
        let first =
            fixed(t[3]) - (0..2).map(|a| slope[a] * i64::from(polar.origin[a])).sum::<i64>();
        let mut before = 0;
        for (r, area) in (1..).zip(row) {
            let up_to = below(polar.size.map(i64::from), slope, (r << PLACES) - first);
            *area = (up_to - before) as u32;
            before = up_to;
        }
    });
    areas
}

/// Number of `0 ≤ x < width`, `0 ≤ y < height` with `a x + b y < bound`.
fn below([width, height]: [i64; 2], [a, b]: [i64; 2], bound: i64) -> i64 {
    // Counted from the corner where the value is least, both coefficients are positive.
    let bound = bound - a.min(0) * (width - 1) - b.min(0) * (height - 1);
    let (a, b) = (a.abs(), b.abs());
    if bound <= 0 {
        return 0;
    }
    if b == 0 {
        return if a == 0 { width * height } else { height * ceil(bound, a).min(width) };
    }
    if a == 0 {
        return width * ceil(bound, b).min(height);
    }
    // The columns that are entirely below, and the first column that has no pixel below.
    let whole = ceil((bound - b * (height - 1)).max(0), a).min(width);
    let end = ceil(bound, a).min(width);
    // In the columns between, counted from the last, the heights grow: ⌈(bound − a (end − 1) + a i) / b⌉.
    let rest = floor_sum(end - whole, b, a, bound - a * (end - 1) + b - 1);
    whole * height + rest
}

fn ceil(n: i64, d: i64) -> i64 {
    (n + d - 1) / d
}

/// The sum of `⌊(a i + c) / m⌋` over `0 ≤ i < n`, for `a, c ≥ 0`.
fn floor_sum(mut n: i64, mut m: i64, mut a: i64, mut c: i64) -> i64 {
    let mut sum = 0;
    while n > 0 {
        sum += n * (n - 1) / 2 * (a / m) + n * (c / m);
        (a, c) = (a % m, c % m);
        let top = a * n + c;
        if top < m {
            break;
        }
        // The same lattice points, counted along the other axis.
        (n, c) = (top / m, top % m);
        (m, a) = (a, m);
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::backend::{Backend, Sign};
    use crate::cpu::Cpu;

    #[test]
    fn equals_the_vote_of_every_pixel() {
        for (size, directions, step) in
            [([61, 40], 180, 1.0), ([1, 7], 36, 0.5), ([33, 64], 720, 2.5)]
        {
            let polar = Polar::centred(size, directions, step).unwrap();
            let pixels = polar.points(
                (0..size[0] * size[1]).map(|i| [(i % size[0]) as u16, (i / size[0]) as u16]),
            );
            let cpu = Cpu::default();
            let mut votes = cpu.accumulator(&polar.space).unwrap();
            votes.vote(&pixels, Sign::Add).unwrap();
            let votes = votes.counts().unwrap();
            let (areas, pixels) = (areas(&polar), size[0] * size[1]);
            let differing = areas.iter().zip(&votes).filter(|(area, votes)| area != votes).count();
            // The rounding of the vote moves about one pixel in a hundred thousand across a border.
            assert!(differing * 50_000 <= (pixels * directions) as usize, "{size:?}: {differing}");
            assert!(areas.iter().zip(&votes).all(|(a, v)| a.abs_diff(*v) <= 1));
            assert!(areas.chunks(polar.space.bins()).all(|row| row.iter().sum::<u32>() == pixels));
        }
    }

    #[test]
    fn sums_of_floors() {
        for (n, m, a, c) in [(10, 7, 3, 5), (1, 1, 0, 0), (100, 13, 29, 31), (0, 5, 5, 5)] {
            let plain: i64 = (0..n).map(|i| (a * i + c) / m).sum();
            assert_eq!(floor_sum(n, m, a, c), plain);
        }
    }
}
