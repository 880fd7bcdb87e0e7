//! The densest slab of a small space, row by row.

use crate::backend::Weighted;
use crate::space::Space;
use crate::vote::{bin, position};

/// The row and the first bin of the slab; see [`Backend::densest_slab`](crate::backend::Backend).
pub(crate) fn densest_slab(
    space: &Space,
    places: &[Weighted],
    slab: usize,
) -> Option<(usize, usize)> {
    let mut best = None;
    let mut row = vec![0u32; space.bins()];
    for (k, direction) in space.vote_table().into_iter().enumerate() {
        row.fill(0);
        for place in places {
            if let Some(r) = bin(position(direction, place.at), space.bins()) {
                row[r] += place.weight;
            }
        }
        for (r, slab) in row.windows(slab).enumerate() {
            let votes: u32 = slab.iter().sum();
            if best.is_none_or(|(most, _, _)| votes > most) {
                best = Some((votes, k, r));
            }
        }
    }
    best.map(|(_, row, first)| (row, first))
}
