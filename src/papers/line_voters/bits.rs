//! The bit-sliced vote on the CPU, the counterpart of `kernels/slices.cu`.

use super::edge_image::EdgeImage;
use crate::shared::SLICE_PLANES as PLANES;
use crate::space::{Space, slopes};
use crate::{Error, Result};
use rayon::prelude::*;

/// Bits of a word.
const BITS: usize = u64::BITS as usize;

/// The votes of an image in its two [`cartesian`](crate::space::cartesian()) spaces, row by row, on all cores.
///
/// At a given slope, a column of the image (in the second space a row) is shifted by a whole number of
/// bins. So a row of the space is the sum of the image's columns of bits, each shifted. 64 bins are added
/// at once, with one word for each bit of their counts. The time does not depend on the number of edges.
///
/// # Errors
/// [`Error::Parameter`] if the image's origin is not its top left pixel.
pub fn slices(image: &EdgeImage, spaces: &[Space; 2]) -> Result<[Vec<u32>; 2]> {
    if image.origin != [0, 0] {
        let message = "slopes need an image with its origin in the top left pixel";
        return Err(Error::Parameter(message.into()));
    }
    Ok([(&spaces[0], true), (&spaces[1], false)].map(|(space, are_columns)| {
        let lines = Lines::new(image, are_columns);
        let mut counts = vec![0; space.size()];
        let slopes = slopes(space, are_columns);
        let rows = counts.par_chunks_mut(space.bins()).zip(slopes);
        rows.for_each(|(votes, slope)| lines.vote(slope, votes));
        counts
    }))
}

/// The columns or rows of an image in bits: bit `i` of line `l` is its pixel `i`.
struct Lines {
    /// Each line with a word of zeros before and after it.
    words: Vec<u64>,
    stride: usize,
}

impl Lines {
    fn new(image: &EdgeImage, are_columns: bool) -> Lines {
        let [width, height] = image.size.map(|n| n as usize);
        let (lines, length) = if are_columns { (width, height) } else { (height, width) };
        let stride = length.div_ceil(BITS) + 2;
        let mut words = vec![0; lines * stride];
        for [x, y] in image.edges().map(|p| p.map(|v| v as usize)) {
            let (line, i) = if are_columns { (x, y) } else { (y, x) };
            words[line * stride + 1 + i / BITS] |= 1 << (i % BITS);
        }
        Lines { words, stride }
    }

    /// The votes of a row.
    fn vote(&self, [slope, offset]: [f32; 2], votes: &mut [u32]) {
        let mut sums = vec![[0; PLANES]; votes.len().div_ceil(BITS) + 1];
        for (line, number) in self.words.chunks(self.stride).zip(0u16..) {
            // The axis begins below the lowest bin of any pixel, so no shift is negative.
            let shift = f32::from(number).mul_add(slope, offset).floor() as usize;
            let (first, within) = (shift / BITS, shift % BITS);
            for (sum, pair) in sums[first..].iter_mut().zip(line.windows(2)) {
                add(sum, shifted(pair[0], pair[1], within));
            }
        }
        for (votes, sum) in votes.chunks_mut(BITS).zip(&sums) {
            for (bit, votes) in votes.iter_mut().enumerate() {
                let digits = sum.iter().zip(0..);
                *votes = digits.map(|(plane, p)| ((plane >> bit & 1) as u32) << p).sum();
            }
        }
    }
}

/// The word `high`, shifted up by `by` bits and filled with the uppermost bits of `low`.
fn shifted(low: u64, high: u64, by: usize) -> u64 {
    if by == 0 { high } else { high << by | low >> (BITS - by) }
}

/// Adds one to the counts of some bins.
fn add(sum: &mut [u64; PLANES], mut carry: u64) {
    for plane in sum {
        if carry == 0 {
            break;
        }
        (*plane, carry) = (*plane ^ carry, *plane & carry);
    }
}
