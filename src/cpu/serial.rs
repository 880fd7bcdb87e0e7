//! The papers' loop: every point, every direction, one bin.
//!
//! After Duca, "3D Plane Detection via Hough Transform", step 1 on the CPU. These loops are the reference for
//! every other voter.

use super::bin::count;
use crate::backend::Sign;
use crate::frame::Points;
use crate::space::Space;
use crate::vote::{bin, position};

/// The loop in `f64`, where each multiplication and addition is rounded as in the paper.
pub(super) fn vote_f64(space: &Space, points: &Points, sign: Sign, counts: &mut [u32]) {
    let (axis, bins) = (space.rho(), space.bins());
    for i in 0..points.len() {
        let [x, y, z] = points.get(i).map(f64::from);
        for (row, d) in space.directions().iter().enumerate() {
            let rho = x * d[0] + y * d[1] + z * d[2];
            let r = ((rho - axis.min) / axis.bin).floor();
            if r >= 0.0 && r < bins as f64 {
                count(&mut counts[row * bins + r as usize], 1, sign);
            }
        }
    }
}

/// The loop in `f32`, with the arithmetic of [`crate::vote`].
pub(super) fn vote(space: &Space, points: &Points, sign: Sign, counts: &mut [u32]) {
    #[cfg(target_arch = "x86_64")]
    if std::arch::is_x86_feature_detected!("fma") {
        // SAFETY: the processor has FMA, as just checked.
        return unsafe { vote_fma(space, points, sign, counts) };
    }
    vote_plain(space, points, sign, counts);
}

/// The same code, compiled to use the fused multiply-add instruction instead of a library call.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "fma")]
fn vote_fma(space: &Space, points: &Points, sign: Sign, counts: &mut [u32]) {
    vote_plain(space, points, sign, counts);
}

#[inline(always)]
fn vote_plain(space: &Space, points: &Points, sign: Sign, counts: &mut [u32]) {
    let (table, bins) = (space.vote_table(), space.bins());
    for i in 0..points.len() {
        let p = points.get(i);
        for (row, &t) in table.iter().enumerate() {
            if let Some(r) = bin(position(t, p), bins) {
                count(&mut counts[row * bins + r], 1, sign);
            }
        }
    }
}
