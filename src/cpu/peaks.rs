//! Non-maximum suppression and the winners.

use crate::backend::PeakOptions;
use crate::space::{Neighbours, Space};
use crate::vote::Peak;
use rayon::prelude::*;

/// The bins that are the maximum of their neighbourhood, best first.
///
/// A neighbourhood is all directions near the bin's own, across seams and poles, and
/// `rho_radius` bins to either side. Bins below the threshold are never looked around, so the
/// cost follows the number of candidates, not the size of the table.
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
            let is_peak = move |&(r, &v): &(usize, &u32)| {
                v >= least && is_maximum(space, counts, neighbours, options.rho_radius, row, r)
            };
            let index = move |r: usize| (row * space.bins() + r) as u32;
            votes
                .iter()
                .enumerate()
                .filter(is_peak)
                .map(move |(r, &votes)| Peak { votes, index: index(r) })
        })
        .collect();
    peaks.par_sort_unstable_by_key(Peak::rank);
    peaks.truncate(options.limit);
    peaks
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
        // Of equals the lowest index wins.
        counts[row * bins..][window]
            .iter()
            .enumerate()
            .any(|(i, &v)| v > votes || (v == votes && start + i < index))
    };
    // Its own row first: there most bins fail.
    !outranked(row, r)
        && !neighbours
            .of(row)
            .iter()
            .any(|n| outranked(n.row as usize, if n.flipped { bins - 1 - r } else { r }))
}
