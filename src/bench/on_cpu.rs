//! The rows that run on the CPU.

use super::case::{Case, Reference};
use super::report::{Check, Measurement};
use super::stopwatch::{Limits, linear, repeat};
use super::{Row, Timing};
use crate::Result;
use crate::backend::{Backend, PeakOptions, Sign};
use crate::cpu::Cpu;
use crate::slides::{PHIS, RADIUS, serial};
use crate::space::Neighbours;
use std::hint::black_box;
use std::time::Instant;

/// Points with which the search for the parallel voter's speed begins.
const FIRST: usize = 1 << 12;

/// The slides' loops. The vote was timed with the reference, and the other steps work on what that
/// voted: they compare as many bins whatever the votes.
pub(super) fn serial(case: &Case, reference: &Reference, tops: &[u32]) -> Result<Vec<Measurement>> {
    let suppress = suppression(&reference.accumulator)?;
    let votes = Case::votes(case.len());
    let own = Case::votes(reference.points);
    let check = Check { points: reference.points as u64, votes: own, differing: 0 };
    tops.iter()
        .map(|&top| {
            let winners = repeat(|| {
                let mut left = reference.accumulator.clone();
                let start = Instant::now();
                black_box(serial::winners(&mut left, top as usize));
                Ok(start.elapsed().as_secs_f64())
            })?;
            let steps = [reference.vote, suppress, winners, Timing::NONE];
            let of = (Row::Cpu, case.len() as u64, top);
            Ok(Measurement::new(of, steps, votes as f64, check))
        })
        .collect()
}

/// The suppression, from as many layers of `φ`, evenly spread, as take about a second.
fn suppression(accumulator: &[u64]) -> Result<Timing> {
    linear(PHIS, 1, Limits::CPU, |n| {
        let start = Instant::now();
        for i in 0..n {
            let phi = (2 * i + 1) * PHIS / (2 * n);
            black_box(serial::maxima(accumulator, phi..phi + 1));
        }
        Ok(start.elapsed().as_secs_f64())
    })
}

/// The backend's own versions on all cores. Suppression finds the winners as well.
pub(super) fn fast(
    case: &Case,
    reference: &Reference,
    neighbours: &Neighbours,
    tops: &[u32],
) -> Result<Vec<Measurement>> {
    let cpu = Cpu::default();
    let mut accumulator = cpu.accumulator(&case.space)?;
    let check = reference.check_f32(&cpu.name(), case, |part| {
        let mut own = cpu.accumulator(&case.space)?;
        own.vote(part, Sign::Add)?;
        own.counts()
    })?;
    let vote = linear(case.len(), FIRST, Limits::DEVICE, |n| {
        accumulator = cpu.accumulator(&case.space)?;
        let part = if n < case.len() { Some(case.points.slice(0..n)) } else { None };
        let start = Instant::now();
        accumulator.vote(part.as_ref().unwrap_or(&case.points), Sign::Add)?;
        Ok(start.elapsed().as_secs_f64())
    })?;
    tops.iter()
        .map(|&top| {
            let options = peak_options(top);
            let suppress = repeat(|| {
                let start = Instant::now();
                black_box(accumulator.peaks(neighbours, options)?);
                Ok(start.elapsed().as_secs_f64())
            })?;
            let steps = [vote, suppress, Timing::NONE, Timing::NONE];
            let of = (Row::Fast, case.len() as u64, top);
            Ok(Measurement::new(of, steps, Case::votes(case.len()) as f64, check))
        })
        .collect()
}

/// The slides' neighbourhood along `ρ`, and so many winners.
pub(super) fn peak_options(top: u32) -> PeakOptions {
    PeakOptions { rho_radius: RADIUS as u32, min_votes: 1, limit: top as usize }
}
