//! Non-maximum suppression and the winners.

use super::rows::Part;
use crate::backend::PeakOptions;
use crate::space::{Neighbours, Space};
use crate::vote::Peak;
use crate::wide::{Work, widely};
use rayon::prelude::*;

/// The bins that are the maximum of their neighbourhood, best first.
///
/// A neighbourhood is all directions near the bin's own, across seams and poles, and `rho_radius` bins to
/// either side. `part` gives the bins of a row that may have votes. The neighbourhoods of bins below the
/// threshold are never examined, so the cost follows the number of candidates, not the size of the table.
pub(super) fn peaks<'a>(
    space: &Space,
    part: impl Fn(usize) -> Part<'a> + Copy + Send + Sync,
    neighbours: &Neighbours,
    options: PeakOptions,
) -> Vec<Peak> {
    let least = options.min_votes.max(1);
    let mut peaks: Vec<Peak> = (0..space.rows())
        .into_par_iter()
        .flat_map_iter(|row| {
            let Part { first, votes } = part(row);
            let is_peak =
                move |&r: &usize| is_maximum(space, part, neighbours, options.rho_radius, row, r);
            let index = move |r: usize| (row * space.bins() + r) as u32;
            let enough = widely(Enough { votes, least }).into_iter().map(move |r| first + r);
            let peak = move |r: usize| Peak { votes: votes[r - first], index: index(r) };
            enough.filter(is_peak).map(peak)
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
fn is_maximum<'a>(
    space: &Space,
    part: impl Fn(usize) -> Part<'a>,
    neighbours: &Neighbours,
    rho_radius: u32,
    row: usize,
    r: usize,
) -> bool {
    let (bins, radius) = (space.bins(), rho_radius as usize);
    let index = row * bins + r;
    let own = part(row);
    let votes = own.votes[r - own.first];
    let outranked = |row: usize, r: usize| {
        let window = part(row).within(r.saturating_sub(radius)..(r + radius + 1).min(bins));
        let start = row * bins + window.first;
        // Of equal bins the lowest index wins; empty ones never do.
        window
            .votes
            .iter()
            .enumerate()
            .any(|(i, &v)| v > votes || (v == votes && start + i < index))
    };
    // Its own row first, since most bins fail there.
    !outranked(row, r)
        && !neighbours.of(row).iter().any(|n| outranked(n.row as usize, n.bin(r, bins)))
}
