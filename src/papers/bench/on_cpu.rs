//! The rows that run on the CPU.

use super::case::{Case, Reference};
use super::report::{Check, Measurement};
use super::rows::Row;
use super::stopwatch::{Limits, Timing, linear, repeat};
use crate::Result;
use crate::backend::{Accumulator, Backend, PeakOptions, Sign};
use crate::cpu::Cpu;
use crate::frame::Points;
use crate::papers::slides::{PHIS, RADIUS, serial};
use crate::space::Neighbours;
use std::hint::black_box;
use std::time::Instant;

/// Directions per thread with which the search for the parallel voter's speed begins, and the
/// largest part of all directions that it begins with.
const FIRST: usize = 64;
const FIRST_PART: usize = 16;
/// If that voter runs in part, this many points fill the accumulator for the steps after it.
const FILLING: usize = 1 << 16;

/// The slides' loops. The vote was timed with the reference, and the other steps use the reference's
/// votes: they compare the same number of bins whatever the votes are.
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

/// The suppression, measured on as many evenly spread layers of `φ` as take about a second.
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

/// The backend's own versions on all cores. Suppression also finds the winners.
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
    let vote = parallel_vote(&cpu, case, &mut accumulator)?;
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

/// The parallel voter, and its accumulator.
///
/// It is not linear in the points: the closer together they are, the more of them vote at once. So a part consists
/// of all points and some directions; sorting, which does not depend on the directions, is counted once.
fn parallel_vote<'a>(
    cpu: &'a Cpu,
    case: &'a Case,
    accumulator: &mut Box<dyn Accumulator + 'a>,
) -> Result<Timing> {
    let rows = case.space.rows();
    let mut seconds = |some: usize| {
        if some < rows {
            let space = case.some_directions(some)?;
            return vote_once(cpu.accumulator(&space)?.as_mut(), &case.points);
        }
        *accumulator = cpu.accumulator(&case.space)?;
        vote_once(accumulator.as_mut(), &case.points)
    };
    let sort = repeat(|| seconds(1))?;
    let first = (FIRST * rayon::current_num_threads()).min(rows / FIRST_PART);
    let directions = linear(rows, first, Limits::DEVICE, |some| {
        Ok((seconds(some)? - sort.seconds).max(f64::MIN_POSITIVE))
    })?;
    if directions.is_extrapolated() {
        accumulator.vote(&case.points.slice(0..case.len().min(FILLING)), Sign::Add)?;
    }
    Ok(sort.and(directions))
}

/// The seconds of a vote.
fn vote_once(accumulator: &mut dyn Accumulator, points: &Points) -> Result<f64> {
    let start = Instant::now();
    accumulator.vote(points, Sign::Add)?;
    Ok(start.elapsed().as_secs_f64())
}

/// The slides' neighbourhood along `ρ`, and the number of winners.
pub(super) fn peak_options(top: u32) -> PeakOptions {
    PeakOptions { rho_radius: RADIUS as u32, min_votes: 1, limit: top as usize }
}
