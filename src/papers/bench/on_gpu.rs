//! The rows that run on the GPU.

use super::case::{Case, Reference};
use super::on_cpu::peak_options;
use super::report::{Check, Measurement};
use super::rows::Row;
use super::stopwatch::{Limits, Timing, linear, repeat};
use crate::cuda::Cuda;
use crate::cuda::measure::{Measuring, Seconds};
use crate::papers::slides::{Slides, Suppress, Vote, Winner, Winners, serial};
use crate::space::Neighbours;
use crate::{Error, Result};
use std::collections::HashMap;

/// Number of points with which the search for a kernel's speed begins.
const FIRST: usize = 1 << 14;

/// The slides' rows. Steps that several rows share are timed once.
pub(super) fn slides(
    gpu: &Cuda,
    case: &Case,
    reference: &Reference,
    rows: &[Row],
    tops: &[u32],
) -> Result<Vec<Measurement>> {
    let versions: Vec<_> = rows.iter().filter_map(|r| Some((*r, r.on_the_gpu()?))).collect();
    if versions.is_empty() {
        return Ok(Vec::new());
    }
    let transfers = repeat(|| Ok(Slides::upload(gpu, &case.scaled)?.1))?;
    let (mut slides, _) = Slides::upload(gpu, &case.scaled)?;
    let mut votes = HashMap::new();
    for version in Vote::ALL {
        if versions.iter().any(|(_, (vote, ..))| *vote == version) {
            votes.insert(version, vote(&mut slides, case, reference, version)?);
        }
    }
    let mut later = Later::default();
    for version in Suppress::ALL {
        let own: Vec<Winners> =
            versions.iter().filter(|v| v.1.1 == version).map(|v| v.1.2).collect();
        if !own.is_empty() {
            later.measure(&mut slides, version, &own, tops)?;
        }
    }
    let mut measurements = Vec::new();
    for (row, (vote, suppress, winners)) in versions {
        for &top in tops {
            let found = (votes.get(&vote), later.suppress.get(&suppress));
            let winners = later.winners.get(&(suppress, winners, top));
            let ((Some(&(vote, check)), Some(&suppress)), Some(&winners)) = (found, winners) else {
                continue;
            };
            let steps = [vote, suppress, winners, transfers];
            let of = (row, case.len() as u64, top);
            let votes = Case::votes(case.len()) as f64;
            measurements.push(Measurement::new(of, steps, votes, check));
        }
    }
    Ok(measurements)
}

/// Compares a version's accumulator with the CPU's, then times it.
fn vote(
    slides: &mut Slides,
    case: &Case,
    reference: &Reference,
    version: Vote,
) -> Result<(Timing, Check)> {
    slides.vote(version, reference.points)?;
    let check = reference.check(version.name(), &slides.accumulator()?)?;
    let timing = linear(case.len(), FIRST, Limits::DEVICE, |n| slides.vote(version, n))?;
    Ok((timing, check))
}

/// The steps after the vote.
#[derive(Default)]
struct Later {
    suppress: HashMap<Suppress, Timing>,
    winners: HashMap<(Suppress, Winners, u32), Timing>,
}

impl Later {
    /// Times a suppression, and the ways to find the winners in its result; each must
    /// find the same winners as the CPU.
    fn measure(
        &mut self,
        slides: &mut Slides,
        suppress: Suppress,
        winners: &[Winners],
        tops: &[u32],
    ) -> Result<()> {
        self.suppress.insert(suppress, repeat(|| slides.suppress(suppress))?);
        let most = tops.iter().copied().max().unwrap_or(0) as usize;
        let expected = serial::winners(&mut slides.suppressed()?, most);
        for &version in winners {
            for &top in tops {
                if self.winners.contains_key(&(suppress, version, top)) {
                    continue;
                }
                let timing = repeat(|| {
                    let (found, seconds) = slides.winners(version, top as usize)?;
                    check_winners(version, &found, &expected, top as usize)?;
                    Ok(seconds)
                })?;
                self.winners.insert((suppress, version, top), timing);
            }
        }
        Ok(())
    }
}

fn check_winners(version: Winners, found: &[Winner], best: &[Winner], top: usize) -> Result<()> {
    if found == &best[..top.min(best.len())] {
        return Ok(());
    }
    let message = "the winners are not those of the CPU".into();
    Err(Error::Device { device: version.name().into(), message })
}

/// The backend's own versions.
pub(super) fn fast(
    gpu: &Cuda,
    case: &Case,
    reference: &Reference,
    neighbours: &Neighbours,
    tops: &[u32],
) -> Result<Vec<Measurement>> {
    let mut measuring = gpu.measuring(&case.space, neighbours)?;
    let check = reference.check_f32("fast", case, |part| {
        measuring.run(part, peak_options(1))?;
        measuring.counts()
    })?;
    tops.iter().map(|&top| fast_once(&mut measuring, case, top, check)).collect()
}

/// The medians of each step over several runs.
fn fast_once(
    measuring: &mut Measuring,
    case: &Case,
    top: u32,
    check: Check,
) -> Result<Measurement> {
    let mut runs: Vec<Seconds> = Vec::new();
    repeat(|| {
        let (_, seconds) = measuring.run(&case.points, peak_options(top))?;
        runs.push(seconds);
        Ok(seconds.total())
    })?;
    // The first one warms up.
    runs.remove(0);
    let piece = |of: fn(&Seconds) -> f64| {
        let mut seconds: Vec<f64> = runs.iter().map(of).collect();
        seconds.sort_by(f64::total_cmp);
        Timing { seconds: seconds[seconds.len() / 2], runs: seconds.len(), part: 1.0 }
    };
    let sort = piece(|s| s.sort);
    let steps = [
        sort.and(piece(|s| s.vote)),
        piece(|s| s.suppress),
        piece(|s| s.winners),
        piece(|s| s.upload),
    ];
    let of = (Row::Fast, case.len() as u64, top);
    let measurement = Measurement::new(of, steps, Case::votes(case.len()) as f64, check);
    Ok(Measurement { sort: Some(sort), ..measurement })
}
