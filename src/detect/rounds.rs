//! The rounds: vote, take the good peaks, refine and claim each, take their votes back, and repeat.

use super::found::{Failed, Findings, FoundPlane, Support};
use super::grow::Grower;
use super::limits::Limits;
use super::progress::{Progress, go_on};
use super::support::{Candidate, Failures, Field};
use crate::backend::{Accumulator, Backend, CloudAccumulator, PeakOptions, Sign};
use crate::space::{Neighbours, Space, SphereIndex};
use crate::surface::cells::Cells;
use crate::surface::surfels::{Surfel, Surfels};
use crate::vector::Vec3;
use crate::vote::{Ballots, Peak, bin, position};
use rayon::prelude::*;
use std::cmp::Reverse;

/// Most peaks of one round; their claims change the table, so more are of little use.
const PEAKS_A_ROUND: usize = 1024;

/// In the usual spaces no direction is farther than this from the nearest direction of the table, in
/// degrees.
const CLOSE: f64 = 1.5;

/// How the rounds search, lengths in steps.
pub(super) struct Search<'a> {
    /// The coarse space that is voted in.
    pub space: &'a Space,
    /// Directions that a surfel votes for: those within this angle of its normal, in degrees.
    pub spread: f64,
    /// Fewest votes of a peak.
    pub min_votes: u32,
    /// What makes a plane.
    pub limits: Limits,
}

/// Where a search takes place.
pub(super) struct Places<'a> {
    /// The cells of the cloud.
    pub cells: &'a Cells,
    /// The pieces of surface in them.
    pub surfels: &'a Surfels,
}

/// Who votes for what, and where the votes are counted.
pub(super) enum Votes<'a> {
    /// Every surfel for the directions near its normal.
    Near(Box<dyn Accumulator + 'a>),
    /// Every point for every direction.
    All(Box<dyn CloudAccumulator + 'a>),
}

impl Votes<'_> {
    fn table(&mut self) -> &mut dyn Accumulator {
        match self {
            Votes::Near(table) => table.as_mut(),
            Votes::All(votes) => votes.table(),
        }
    }
}

/// The votes of the `chosen` surfels, ordered by the direction nearest to their normals.
fn ballots(
    surfels: &[Surfel],
    chosen: impl Iterator<Item = u32>,
    rows: &[u32],
    k: usize,
) -> Ballots {
    let by_row = chosen.map(|i| (rows[i as usize], i));
    Ballots::by_row(k, by_row, |i| {
        let surfel = &surfels[i as usize];
        (surfel.centroid.map(|v| v as f32), surfel.weight)
    })
}

/// No direction: the surfel has no normal.
const NOWHERE: u32 = u32::MAX;

/// The direction nearest to the normal of each surfel, at most `spread` degrees away.
fn rows(surfels: &[Surfel], directions: &[Vec3], spread: f64) -> Vec<u32> {
    let nearest = |index: &SphereIndex, s: &Surfel| {
        s.surface.and_then(|s| index.nearest(s.normal())).unwrap_or(NOWHERE)
    };
    // Nearly always a direction is much nearer than `spread`, and an index of close ones finds it sooner.
    let close = SphereIndex::new(directions, spread.min(CLOSE));
    let mut rows: Vec<u32> = surfels.par_iter().map(|s| nearest(&close, s)).collect();
    let is_far = |(&row, s): (&u32, &Surfel)| row == NOWHERE && s.surface.is_some();
    if spread > CLOSE && rows.par_iter().zip(surfels).any(is_far) {
        let index = SphereIndex::new(directions, spread);
        let far = rows.par_iter_mut().zip(surfels).filter(|(row, _)| **row == NOWHERE);
        far.for_each(|(row, s)| *row = nearest(&index, s));
    }
    rows
}

/// The state of a search.
struct Rounds<'a> {
    search: &'a Search<'a>,
    field: Field<'a>,
    grower: Grower<'a>,
    table: Vec<[f32; 4]>,
    /// The row of each surfel's normal.
    rows: Vec<u32>,
    /// Directions that a surfel votes for.
    near: Neighbours,
    /// Whether a surfel is still unclaimed.
    free: Vec<bool>,
    /// Whether a surfel's votes are in the table.
    voting: Vec<bool>,
    /// Whether a surfel is known to belong to a curved surface.
    curved: Vec<bool>,
    /// What failed since surfels were last claimed.
    failed: Failures,
}

/// Finds planes among the surfels.
///
/// `progress` is told the number of points that each plane claims.
pub(super) fn search(
    backend: &dyn Backend,
    search: &Search,
    Places { cells, surfels }: Places,
    mut votes: Votes,
    progress: &dyn Progress,
) -> crate::Result<Findings> {
    let space = search.space;
    let list = &surfels.list;
    let rows = rows(list, space.directions(), search.spread);
    let voting: Vec<bool> = rows.iter().map(|&r| r != NOWHERE).collect();
    let near = Neighbours::within(space, search.spread)?;
    match &mut votes {
        Votes::Near(table) => {
            let chosen = (0..list.len() as u32).filter(|&i| voting[i as usize]);
            let ballots = ballots(list, chosen, &rows, space.rows());
            table.vote_near(&ballots, &near, Sign::Add)?;
        }
        Votes::All(votes) => votes.vote(None, Sign::Add)?,
    }
    let mut rounds = Rounds {
        search,
        field: Field { backend, surfels, limits: search.limits },
        grower: Grower::new(cells, surfels),
        table: space.vote_table(),
        rows,
        near,
        free: voting.clone(),
        curved: vec![false; voting.len()],
        voting,
        failed: Failures::default(),
    };
    rounds.run(&mut votes, cells, progress)
}

impl Rounds<'_> {
    fn run(
        &mut self,
        votes: &mut Votes,
        cells: &Cells,
        progress: &dyn Progress,
    ) -> crate::Result<Findings> {
        // Suppression reaches as far as the votes of a surfel: within that distance, bins share voters.
        let options = PeakOptions {
            rho_radius: 2,
            min_votes: self.search.min_votes.max(1),
            limit: PEAKS_A_ROUND,
        };
        let mut findings = Findings::default();
        loop {
            let peaks = votes.table().peaks(&self.near, options)?;
            let mut withdrawn = Vec::new();
            for (peak, voters) in peaks.iter().zip(self.voters(&peaks)) {
                go_on(progress)?;
                let counts = |&i: &u32| self.counts(i);
                let fresh = voters.iter().all(counts);
                let cast = u64::from(peak.votes);
                let support = self.refine(peak.index as usize, &voters)?;
                if let Some(Ok(support)) = &support {
                    self.failed.clear();
                    for &i in &support.surfels {
                        self.free[i as usize] = false;
                        self.withdraw(i, &mut withdrawn);
                    }
                    progress.advance(self.field.weight(&support.surfels));
                }
                if fresh && voters.iter().all(|&i| self.free[i as usize]) {
                    // None of these voters was claimed: take their votes back, so that other peaks come up.
                    voters.iter().for_each(|&i| self.withdraw(i, &mut withdrawn));
                }
                match support {
                    Some(Ok(support)) => findings.found.push(FoundPlane { votes: cast, support }),
                    Some(Err(mut failed)) => {
                        for i in std::mem::take(&mut failed.spent) {
                            self.curved[i as usize] = true;
                            self.withdraw(i, &mut withdrawn);
                        }
                        findings.failed.push((cast, failed));
                    }
                    None => {}
                }
            }
            if withdrawn.is_empty() {
                findings.found.sort_by_cached_key(|f| {
                    (Reverse(self.field.weight(&f.support.surfels)), f.support.surfels[0])
                });
                // What was given up at first may have become part of a plane.
                let is_grey = |&i: &u32| self.curved[i as usize] && self.free[i as usize];
                let surfels: Vec<u32> = (0..self.curved.len() as u32).filter(is_grey).collect();
                findings.curved = self.field.weight(&surfels);
                return Ok(findings);
            }
            self.take_back(votes, cells, withdrawn)?;
        }
    }

    /// Takes the votes of surfels out of the table.
    fn take_back(
        &self,
        votes: &mut Votes,
        cells: &Cells,
        withdrawn: Vec<u32>,
    ) -> crate::Result<()> {
        match votes {
            Votes::Near(table) => {
                let rows = self.search.space.rows();
                let ballots =
                    ballots(&self.field.surfels.list, withdrawn.into_iter(), &self.rows, rows);
                table.vote_near(&ballots, &self.near, Sign::Subtract)
            }
            Votes::All(votes) => {
                let points = |&i: &u32| cells.points_in(self.field.surfels.list[i as usize].places);
                let gone: Vec<u32> = withdrawn.iter().flat_map(points).map(|i| i as u32).collect();
                votes.vote(Some(&gone), Sign::Subtract)
            }
        }
    }

    /// Whether a surfel may lead to a plane: one of a plane, or of what is known to be curved, does not.
    fn counts(&self, surfel: u32) -> bool {
        self.free[surfel as usize] && !self.curved[surfel as usize]
    }

    /// Marks a surfel whose votes are to be taken back.
    fn withdraw(&mut self, surfel: u32, withdrawn: &mut Vec<u32>) {
        if std::mem::replace(&mut self.voting[surfel as usize], false) {
            withdrawn.push(surfel);
        }
    }

    /// The plane that a bin leads to, or why it leads to none; `None` if too few of its voters are still
    /// free.
    fn refine(
        &mut self,
        index: usize,
        voters: &[u32],
    ) -> crate::Result<Option<Result<Support, Failed>>> {
        let counts = |&i: &u32| self.counts(i);
        let voters: Vec<u32> = voters.iter().copied().filter(counts).collect();
        if self.field.weight(&voters) < u64::from(self.search.min_votes) {
            return Ok(None);
        }
        let (direction, _) = self.search.space.plane(index);
        let candidate = Candidate { direction, voters: &voters, failed: &mut self.failed };
        self.field.refine(&mut self.grower, candidate, &self.free).map(Some)
    }

    /// For each peak the free surfels whose votes are in its bin, ascending.
    ///
    /// One pass over the surfels serves all peaks: each looks up the few bins that it voted for.
    fn voters(&self, peaks: &[Peak]) -> Vec<Vec<u32>> {
        let bins = self.search.space.bins();
        let mut in_row: Vec<Vec<(usize, u32)>> = vec![Vec::new(); self.search.space.rows()];
        for (peak, i) in peaks.iter().zip(0..) {
            in_row[peak.index as usize / bins].push((peak.index as usize % bins, i));
        }
        // For each row, the rows near it that have peaks: there are few.
        let busy = |row: usize| -> Vec<usize> {
            let near = self.near.of(row).iter().map(|n| n.row as usize);
            near.filter(|&row| !in_row[row].is_empty()).collect()
        };
        let busy: Vec<Vec<usize>> = (0..in_row.len()).into_par_iter().map(busy).collect();
        let votes: Vec<(u32, u32)> = (0..self.rows.len())
            .into_par_iter()
            .with_min_len(1 << 12)
            .filter(|&i| self.free[i] && self.voting[i])
            .flat_map_iter(|i| {
                let p = self.field.surfels.list[i].centroid.map(|v| v as f32);
                let (in_row, table) = (&in_row, &self.table);
                busy[self.rows[i] as usize].iter().filter_map(move |&row| {
                    let r = bin(position(table[row], p), bins)?;
                    let &(_, peak) = in_row[row].iter().find(|&&(bin, _)| bin == r)?;
                    Some((peak, i as u32))
                })
            })
            .collect();
        let mut voters = vec![Vec::new(); peaks.len()];
        votes.into_iter().for_each(|(peak, i)| voters[peak as usize].push(i));
        voters
    }
}
