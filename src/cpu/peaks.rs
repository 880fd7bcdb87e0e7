//! Non-maximum suppression and the winners.

use crate::backend::PeakOptions;
use crate::space::{Neighbours, Space};
use crate::vote::Peak;
use crate::wide::{Work, widely};
use rayon::prelude::*;

/// The bins that are the maximum of their neighbourhood, best first.
///
/// A neighbourhood is all directions near the bin's own, across seams and poles, and `rho_radius` bins to
/// either side. The neighbourhoods of bins below the threshold are never examined, so the cost follows the
/// number of candidates, not the size of the table.
pub(super) fn peaks(
    space: &Space,
    counts: &[u32],
    neighbours: &Neighbours,
    options: PeakOptions,
) -> Vec<Peak> {
    let least = options.min_votes.max(1);
    let mut peaks: Vec<Peak> = counts
        .par_chunks(space.bins())
        .enumerate()
        .flat_map_iter(|(row, votes)| {
            let is_peak =
                move |&r: &usize| is_maximum(space, counts, neighbours, options.rho_radius, row, r);
            let index = move |r: usize| (row * space.bins() + r) as u32;
            let enough = widely(Enough { votes, least }).into_iter();
            enough.filter(is_peak).map(move |r| Peak { votes: votes[r], index: index(r) })
        })
        .collect();
    peaks.par_sort_unstable_by_key(Peak::rank);
    peaks.truncate(options.limit);
    peaks
}

/// The task of finding the bins of a row that have at least `least` votes.
struct Enough<'a> {
    votes: &'a [u32],
    least: u32,
}

impl Work for Enough<'_> {
    type Output = Vec<usize>;

    #[inline(always)]
    fn run(self) -> Vec<usize> {
        /// Bins that are checked together: few have votes.
        const TOGETHER: usize = 32;
        let mut found = Vec::new();
        for (piece, votes) in self.votes.chunks(TOGETHER).enumerate() {
            if votes.iter().fold(0, |most, &v| most.max(v)) >= self.least {
                let bins = votes.iter().enumerate().filter(|&(_, &v)| v >= self.least);
                found.extend(bins.map(|(r, _)| piece * TOGETHER + r));
            }
        }
        found
    }
}

/// Whether no neighbour of bin `(row, r)` outranks it.
fn is_maximum(
    space: &Space,
    counts: &[u32],
    neighbours: &Neighbours,
    rho_radius: u32,
    row: usize,
    r: usize,
) -> bool {
    let (bins, radius) = (space.bins(), rho_radius as usize);
    let index = row * bins + r;
    let votes = counts[index];
    let outranked = |row: usize, r: usize| {
        let window = r.saturating_sub(radius)..(r + radius + 1).min(bins);
        let start = row * bins + window.start;
        // Of equal bins the lowest index wins.
        counts[row * bins..][window]
            .iter()
            .enumerate()
            .any(|(i, &v)| v > votes || (v == votes && start + i < index))
    };
    // Its own row first, since most bins fail there.
    !outranked(row, r)
        && !neighbours.of(row).iter().any(|n| outranked(n.row as usize, n.bin(r, bins)))
}
