//! The table of counts where few bins of a row have votes.
//!
//! Surfels vote only for directions near their normals, and a cloud is seldom as wide along a direction as its
//! farthest point is away. So most bins at the ends of most rows stay empty, and take no memory.

use super::bin::count;
use crate::backend::Sign;
use std::ops::Range;

/// The votes of one direction.
#[derive(Clone, Default)]
pub(super) struct Row {
    /// The first bin that is kept.
    first: u32,
    votes: Box<[u32]>,
}

/// A part of a row; all other bins are empty.
#[derive(Clone, Copy)]
pub(super) struct Part<'a> {
    pub first: usize,
    pub votes: &'a [u32],
}

impl Row {
    /// The bins that are kept.
    pub fn part(&self) -> Part<'_> {
        Part { first: self.first as usize, votes: &self.votes }
    }

    /// Adds or subtracts `votes`, given from bin `first` on.
    pub fn count(&mut self, first: usize, votes: &[u32], sign: Sign) {
        let own = self.part().bins();
        let all = match own.is_empty() {
            true => first..first + votes.len(),
            false => own.start.min(first)..own.end.max(first + votes.len()),
        };
        if own != all {
            let mut wider = vec![0; all.len()].into_boxed_slice();
            wider[own.start.max(all.start) - all.start..][..own.len()].copy_from_slice(&self.votes);
            *self = Row { first: all.start as u32, votes: wider };
        }
        let to = &mut self.votes[first - all.start..];
        to.iter_mut().zip(votes).for_each(|(bin, &votes)| count(bin, votes, sign));
    }
}

impl<'a> Part<'a> {
    /// Its bins.
    fn bins(self) -> Range<usize> {
        self.first..self.first + self.votes.len()
    }

    /// The part of it within some bins.
    pub fn within(self, bins: Range<usize>) -> Part<'a> {
        let own = self.bins();
        let first = bins.start.clamp(own.start, own.end);
        let end = bins.end.clamp(first, own.end);
        Part { first, votes: &self.votes[first - own.start..end - own.start] }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_grow_to_either_side() {
        let mut row = Row::default();
        assert!(row.part().within(3..9).votes.is_empty());
        row.count(5, &[1, 2], Sign::Add);
        row.count(8, &[4], Sign::Add);
        row.count(3, &[7, 0, 3], Sign::Add);
        row.count(6, &[1], Sign::Subtract);
        let all = row.part();
        assert_eq!((all.first, all.votes), (3, &[7, 0, 4, 1, 0, 4][..]));
        let some = all.within(4..6);
        assert_eq!((some.first, some.votes), (4, &[0, 4][..]));
        assert!(all.within(0..2).votes.is_empty() && all.within(20..30).votes.is_empty());
    }
}
