//! Rounds: the best bins become lines, and the pixels of the lines no longer vote.

use super::area::areas;
use super::cast::Casting;
use super::chance::Chance;
use super::geometry::Axis;
use super::options::Options;
use super::peaks::{is_outdone, least_excess};
use super::raster::Raster;
use super::refine::{Coarse, Stroke, refine};
use super::space::Polar;
use super::verify::{is_remainder, log_tail};
use super::voters;
use crate::Result;
use crate::backend::{Accumulator, Backend, Sign};
use crate::image::EdgeMap;
use crate::lms::Refine;
use rayon::prelude::*;

/// Most bins examined per round.
const CANDIDATES: usize = 256;
/// A bin must keep this share of its z after earlier lines of its round took their pixels.
const KEPT: f64 = 0.8;

/// If a round examines the full number of bins and fewer than this are lines, it is the last: the
/// rest is texture, with many bins and few lines.
const WORTHWHILE: usize = 3;

/// A line and the bin that proposed it.
#[derive(Debug, Clone)]
pub(super) struct FoundLine {
    pub stroke: Stroke,
    pub votes: u32,
    pub z: f64,
    pub significance: f64,
}

#[derive(Debug, Clone, Copy)]
struct Candidate {
    index: usize,
    z: f64,
}

/// What a bin turned out to be.
enum Seen {
    /// Its pixels are gone; the rest of it may still be a line in the next round.
    Faded,
    /// Not a line.
    Nothing,
    Line(FoundLine),
}

/// The state of a search.
pub(super) struct Rounds<'a> {
    polar: &'a Polar,
    options: &'a Options,
    backend: &'a dyn Backend,
    casting: Casting<'a>,
    areas: Vec<u32>,
    raster: Raster,
    /// Bins that were examined and are not lines.
    refused: Vec<bool>,
    pub found: Vec<FoundLine>,
}

/// The lines of the edge pixels, in the order in which they were found.
pub(super) fn search(
    edges: &EdgeMap,
    polar: &Polar,
    options: &Options,
    backend: &dyn Backend,
) -> Result<Vec<FoundLine>> {
    let mut votes = backend.accumulator(&polar.space)?;
    let raster = Raster::new(edges);
    let casting = Casting::new(polar, &raster)?;
    casting.vote(votes.as_mut(), &raster, &edges.pixels, Sign::Add)?;
    let mut rounds = Rounds {
        polar,
        casting,
        options,
        backend,
        areas: areas(polar),
        raster,
        refused: vec![false; polar.space.size()],
        found: Vec::new(),
    };
    while rounds.round(votes.as_mut())? {}
    Ok(rounds.found)
}

impl Rounds<'_> {
    /// Examines the best bins; returns whether there were any.
    fn round(&mut self, votes: &mut dyn Accumulator) -> Result<bool> {
        let counts = votes.counts()?;
        let chances = self.chances(&counts);
        let candidates = self.candidates(&counts, &chances);
        let known = self.known(&candidates)?;
        let (mut taken, before) = (Vec::new(), self.found.len());
        self.look_at_all(&candidates, &known, &chances, &mut taken);
        let lines = self.found.len() - before;
        if lines == 0 {
            // Nothing will change for the bins that wait for the next round.
            candidates.iter().for_each(|candidate| self.refused[candidate.index] = true);
        }
        self.casting.vote(votes, &self.raster, &taken, Sign::Subtract)?;
        Ok(!candidates.is_empty() && (candidates.len() < CANDIDATES || lines >= WORTHWHILE))
    }

    /// The middle of a bin.
    fn coarse(&self, candidate: &Candidate) -> Coarse {
        let ([cos, sin], rho) = self.polar.line(candidate.index);
        let turn = self.polar.theta_step().to_radians();
        Coarse { axis: Axis { cos, sin, rho }, turn, shift: self.polar.space.rho().bin }
    }

    /// The lines of all bins of a round, if lines are fitted before their strokes are measured.
    fn known(&self, candidates: &[Candidate]) -> Result<Vec<Option<Axis>>> {
        if self.options.refine == Refine::Stroke {
            return Ok(vec![None; candidates.len()]);
        }
        let coarse: Vec<Coarse> = candidates.iter().map(|c| self.coarse(c)).collect();
        let pixels: Vec<Vec<[u16; 2]>> =
            coarse.par_iter().map(|coarse| coarse.pixels(&self.raster)).collect();
        let bins: Vec<(Axis, &[[u16; 2]])> =
            coarse.iter().zip(&pixels).map(|(coarse, pixels)| (coarse.axis, &pixels[..])).collect();
        let lines = voters::fit(&bins, self.options.refine, self.backend)?;
        Ok(lines.into_iter().map(Some).collect())
    }

    /// The expected effect of chance in each direction, from the pixels that vote for it.
    fn chances(&self, counts: &[u32]) -> Vec<Chance> {
        let pixels = (self.raster.size[0] * self.raster.size[1]) as f64;
        let rows = counts.par_chunks(self.polar.space.bins());
        rows.map(|row| {
            let votes: u64 = row.iter().map(|&votes| u64::from(votes)).sum();
            Chance { density: votes as f64 / pixels, scatter: 1.0 }
        })
        .collect()
    }

    /// `−log10` of the number of bins with this many votes that chance would make.
    fn significance(&self, chance: &Chance, votes: f64, area: f64) -> f64 {
        let bins = self.polar.space.size() as f64;
        -(chance.log_tail(votes, area) + bins.ln()) / std::f64::consts::LN_10
    }

    /// The bins that chance would not have made and that are the best nearby, best first.
    fn candidates(&self, counts: &[u32], chances: &[Chance]) -> Vec<Candidate> {
        let bins = self.polar.space.bins();
        let limit = -self.options.false_alarms.log10();
        let shape = [self.polar.space.rows(), bins];
        let least = least_excess(self.polar.space.size(), self.options.false_alarms);
        let z = |index: usize| chances[index / bins].z(counts[index], self.areas[index]);
        let mut found: Vec<Candidate> = (0..self.polar.space.rows())
            .into_par_iter()
            .flat_map_iter(|row| {
                let chance = &chances[row];
                (row * bins..(row + 1) * bins).filter_map(move |index| {
                    let (votes, area) = (f64::from(counts[index]), f64::from(self.areas[index]));
                    // A quick test first, which nearly all bins fail.
                    if votes < chance.density * area + least || self.refused[index] {
                        return None;
                    }
                    let here = z(index);
                    let is_line = self.significance(chance, votes, area) >= limit
                        && !is_outdone(shape, index, here, z);
                    is_line.then_some(Candidate { index, z: here })
                })
            })
            .collect();
        found.sort_by(|a, b| b.z.total_cmp(&a.z).then(a.index.cmp(&b.index)));
        found.truncate(CANDIDATES);
        found
    }

    /// Whether a line is stronger than chance would make it in its surroundings.
    fn stands_out(&self, stroke: &Stroke, chance: &Chance) -> bool {
        let bins = self.polar.space.size() as f64;
        let limit = (self.options.false_alarms / bins).ln();
        !is_remainder(&self.raster, stroke)
            && log_tail(&self.raster, stroke, chance.density) <= limit
    }

    /// Examines bins one after the other, and takes the pixels of those with a line.
    ///
    /// Threads look ahead. Once a line has taken its pixels, what the threads saw is out of date, and the bins are
    /// examined again, so the result is that of a single thread.
    fn look_at_all(
        &mut self,
        candidates: &[Candidate],
        known: &[Option<Axis>],
        chances: &[Chance],
        taken: &mut Vec<[u16; 2]>,
    ) {
        let most = 2 * rayon::current_num_threads();
        let (mut next, mut ahead) = (0, 1);
        while next < candidates.len() {
            let batch = next..candidates.len().min(next + ahead);
            let look = |i: usize| self.look_at(&candidates[i], known[i], chances);
            let seen: Vec<Seen> = batch.clone().into_par_iter().map(look).collect();
            ahead = (2 * ahead).min(most);
            for (i, seen) in batch.zip(seen) {
                next = i + 1;
                if self.settle(candidates[i].index, seen, taken) {
                    ahead = (ahead / 4).max(1);
                    break;
                }
            }
        }
    }

    /// Examines one bin.
    fn look_at(&self, candidate: &Candidate, known: Option<Axis>, chances: &[Chance]) -> Seen {
        let chance = &chances[candidate.index / self.polar.space.bins()];
        let coarse = self.coarse(candidate);
        let (axis, half) = (coarse.axis, self.polar.space.rho().bin / 2.0);
        let mut votes = 0;
        self.raster.walk(axis, 0..self.raster.steps(axis), [-half, half], |_, n| {
            votes += u32::from(n.on);
        });
        let area = self.areas[candidate.index];
        let z = chance.z(votes, area);
        if z < KEPT * candidate.z {
            return Seen::Faded;
        }
        let significance = self.significance(chance, f64::from(votes), f64::from(area));
        let refined = refine(&self.raster, coarse, known, chance.density, self.options);
        match refined.filter(|stroke| self.stands_out(stroke, chance)) {
            Some(stroke) => Seen::Line(FoundLine { stroke, votes, z, significance }),
            None => Seen::Nothing,
        }
    }

    /// Takes the pixels of the line seen in a bin; returns whether there were any.
    fn settle(&mut self, index: usize, seen: Seen, taken: &mut Vec<[u16; 2]>) -> bool {
        let before = taken.len();
        if let Seen::Line(FoundLine { stroke, .. }) = &seen {
            let band = [stroke.band[0] - 1.0, stroke.band[1] + 1.0];
            self.raster.walk(stroke.axis, 0..self.raster.steps(stroke.axis), band, |_, n| {
                if n.on {
                    taken.push(n.pixel.map(|v| v as u16));
                }
            });
        }
        taken[before..].iter().for_each(|&p| self.raster.take(p.map(usize::from)));
        match seen {
            Seen::Faded => false,
            Seen::Line(found) if taken.len() > before => {
                self.found.push(found);
                true
            }
            Seen::Line(_) | Seen::Nothing => {
                self.refused[index] = true;
                false
            }
        }
    }
}
