//! Canny's edges: ridges of the gradient, followed from their strong pixels.

use super::gradient::{Field, square};
use crate::shared::TAN_22;
use rayon::prelude::*;

/// The edge pixels of a field with the given gradients, ascending: those steeper than `high`, and
/// those steeper than `low` that are connected to them. Both limits are squares of gradients.
pub(super) fn edges(field: &Field, gradients: &[[i32; 2]], low: u64, high: u64) -> Vec<u32> {
    let ridge = ridges(field, gradients, low);
    follow(field, &ridge, |i| square(gradients[i]) > high)
}

/// Whether each pixel is steeper than `low` and than its two neighbours along the gradient, whose
/// direction is rounded to the nearest of four. Of two equal neighbours in a row or column the first stays.
pub(super) fn ridges(field: &Field, gradients: &[[i32; 2]], low: u64) -> Vec<bool> {
    let (width, height) = (field.width, field.height);
    let mut ridge = vec![false; gradients.len()];
    ridge.par_chunks_mut(width).enumerate().for_each(|(y, out)| {
        // What lies outside has no gradient.
        let at = |x: usize, y: usize, dx: isize, dy: isize| {
            let (x, y) = (x.wrapping_add_signed(dx), y.wrapping_add_signed(dy));
            if x < width && y < height { square(gradients[y * width + x]) } else { 0 }
        };
        for (x, out) in out.iter_mut().enumerate() {
            let [gx, gy] = gradients[y * width + x];
            let here = square([gx, gy]);
            if here <= low {
                continue;
            }
            let (ax, ay) = (u64::from(gx.unsigned_abs()), u64::from(gy.unsigned_abs()));
            *out = if (ay << 15) < ax * TAN_22 {
                here > at(x, y, -1, 0) && here >= at(x, y, 1, 0)
            } else if (ax << 15) < ay * TAN_22 {
                here > at(x, y, 0, -1) && here >= at(x, y, 0, 1)
            } else {
                let side = if (gx < 0) == (gy < 0) { 1 } else { -1 };
                here > at(x, y, -side, -1) && here > at(x, y, side, 1)
            };
        }
    });
    ridge
}

/// The ridge pixels connected, over sides and corners, to a strong one.
fn follow(field: &Field, ridge: &[bool], is_strong: impl Fn(usize) -> bool) -> Vec<u32> {
    let (width, height) = (field.width, field.height);
    let mut edge = vec![false; ridge.len()];
    let mut open: Vec<usize> = (0..ridge.len()).filter(|&i| ridge[i] && is_strong(i)).collect();
    open.iter().for_each(|&i| edge[i] = true);
    while let Some(i) = open.pop() {
        let (x, y) = (i % width, i / width);
        for y in y.saturating_sub(1)..(y + 2).min(height) {
            for x in x.saturating_sub(1)..(x + 2).min(width) {
                let next = y * width + x;
                if ridge[next] && !edge[next] {
                    edge[next] = true;
                    open.push(next);
                }
            }
        }
    }
    (0..edge.len() as u32).filter(|&i| edge[i as usize]).collect()
}
