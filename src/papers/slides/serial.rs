//! The slides' steps on the CPU, loop by loop.

use super::grid::{MAXRHO, PHIS, RADIUS, RHOS, SIZE, THETAS};
use super::steps::Winner;
use std::ops::Range;

/// The accumulator of some points: slide "Hough Transform: CPU".
///
/// # Panics
/// If a point is off the axis; the points of a [`Cloud`](super::Cloud) never are.
pub fn vote(points: &[[f64; 3]]) -> Vec<u64> {
    let mut accumulator = vec![0; SIZE];
    add_votes(points, &mut accumulator);
    accumulator
}

/// Adds the votes of some points.
///
/// # Panics
/// As [`vote`].
pub fn add_votes(points: &[[f64; 3]], accumulator: &mut [u64]) {
    let conversion = std::f64::consts::PI / 180.0;
    let sin: [f64; PHIS] = std::array::from_fn(|i| (i as f64 * conversion).sin());
    let cos: [f64; PHIS] = std::array::from_fn(|i| (i as f64 * conversion).cos());
    for [x, y, z] in points {
        for theta in 0..THETAS {
            for phi in 0..PHIS {
                let rho = x * sin[phi] * cos[theta] + y * sin[phi] * sin[theta] + z * cos[phi];
                let r = (rho.floor() as i32 + MAXRHO as i32) as usize;
                accumulator[phi * THETAS * RHOS + theta * RHOS + r] += 1;
            }
        }
    }
}

/// Sets bins to zero that are not the maximum of their neighbourhood: slide "Non-maximum Suppression: CPU".
/// Of equal maxima all stay.
pub fn suppress(accumulator: &mut [u64]) {
    let is_max = maxima(accumulator, 0..PHIS);
    for (bin, is_max) in accumulator.iter_mut().zip(is_max) {
        if !is_max {
            *bin = 0;
        }
    }
}

/// Whether each bin with `φ` in a range is a maximum: the work of [`suppress`], or a part of it.
pub fn maxima(accumulator: &[u64], phis: Range<usize>) -> Vec<bool> {
    let around = |at: usize, size: usize| at.saturating_sub(RADIUS)..(at + RADIUS + 1).min(size);
    let mut is_max = vec![true; phis.len() * THETAS * RHOS];
    let first = phis.start * THETAS * RHOS;
    for (i, is_max) in (first..).zip(&mut is_max) {
        let current = accumulator[i];
        for j in around(i / (THETAS * RHOS), PHIS) {
            for k in around(i / RHOS % THETAS, THETAS) {
                let row = j * THETAS * RHOS + k * RHOS;
                for l in around(i % RHOS, RHOS) {
                    if accumulator[row + l] > current && row + l != i {
                        *is_max = false;
                    }
                }
            }
        }
    }
    is_max
}

/// The bins with the most votes, best first, of equal bins the one with the lowest index: slide
/// "Determine Winning Planes: CPU". They are set to zero.
///
/// If fewer than `count` bins have votes, fewer are returned; the slides then return the first bin of
/// all, again and again.
pub fn winners(accumulator: &mut [u64], count: usize) -> Vec<Winner> {
    let mut result = Vec::new();
    for _ in 0..count {
        // Unlike `max_by_key`, C++'s `max_element` returns the first of equal elements.
        let mut best = Winner { votes: 0, index: 0 };
        for (index, &votes) in (0..).zip(accumulator.iter()) {
            if votes > best.votes {
                best = Winner { votes, index };
            }
        }
        if best.votes == 0 {
            break;
        }
        accumulator[best.index as usize] = 0;
        result.push(best);
    }
    result
}
