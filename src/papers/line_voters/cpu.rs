//! The papers' voters for the CPU.

use super::edge_image::EdgeImage;
use crate::space::Space;
use crate::vote::{bin, position};
use rayon::prelude::*;

/// Kumar's serial loop: pixel by pixel, angle by angle. Returns the accumulator, row by row.
pub fn serial(image: &EdgeImage, space: &Space) -> Vec<u32> {
    let (table, bins) = (space.vote_table(), space.bins());
    let mut counts = vec![0; space.size()];
    for p in image.edges().map(|pixel| local(image, pixel)) {
        for (row, &t) in table.iter().enumerate() {
            if let Some(r) = bin(position(t, p), bins) {
                counts[row * bins + r] += 1;
            }
        }
    }
    counts
}

/// van den Braak's loop for all cores: each core goes through all pixels and fills some of the rows.
pub fn all_cores(image: &EdgeImage, space: &Space) -> Vec<u32> {
    let (table, bins) = (space.vote_table(), space.bins());
    let mut counts = vec![0; space.size()];
    let share = table.len().div_ceil(rayon::current_num_threads());
    counts.par_chunks_mut(share * bins).zip(table.par_chunks(share)).for_each(|(counts, table)| {
        for p in image.edges().map(|pixel| local(image, pixel)) {
            for (counts, &t) in counts.chunks_mut(bins).zip(table) {
                if let Some(r) = bin(position(t, p), bins) {
                    counts[r] += 1;
                }
            }
        }
    });
    counts
}

/// A pixel as a point that votes.
fn local(image: &EdgeImage, [x, y]: [u32; 2]) -> [f32; 3] {
    let relative = |v: u32, origin: i32| (i64::from(v) - i64::from(origin)) as f32;
    [relative(x, image.origin[0]), relative(y, image.origin[1]), 0.0]
}
