//! The densest slab of a small space, row by row.

use crate::backend::Weighted;
use crate::space::Space;
use crate::vote::{bin, position};
use crate::wide::{Work, widely};
use rayon::prelude::*;
use std::cmp::Reverse;

/// Votes that are worth a thread.
const WORTH: usize = 1 << 14;

/// The row and the first bin of the slab; see [`Backend::densest_slab`](crate::backend::Backend).
pub(crate) fn densest_slab(
    space: &Space,
    places: &[Weighted],
    slab: usize,
) -> Option<(usize, usize)> {
    let table = space.vote_table();
    let densest = |votes: &mut Vec<u32>, k: usize| {
        votes.fill(0);
        widely(Voting { direction: table[k], places, votes });
        let slabs = votes.windows(slab).map(|slab| slab.iter().sum::<u32>());
        // Of equals the first.
        let (most, first) = slabs.zip(0..).max_by_key(|&(votes, r)| (votes, Reverse(r)))?;
        Some((most, Reverse(k), first))
    };
    let rows = (0..table.len()).into_par_iter().with_min_len(WORTH / places.len().max(1) + 1);
    let best = rows.map_init(|| vec![0; space.bins()], densest).flatten().max();
    best.map(|(_, Reverse(k), first)| (k, first))
}

/// The votes of places in one row.
struct Voting<'a> {
    direction: [f32; 4],
    places: &'a [Weighted],
    votes: &'a mut [u32],
}

impl Work for Voting<'_> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        for place in self.places {
            if let Some(r) = bin(position(self.direction, place.at), self.votes.len()) {
                self.votes[r] += place.weight;
            }
        }
    }
}
