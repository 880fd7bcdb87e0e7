//! Votes per second of every CPU voter on the synthetic street. Before a voter is timed, its accumulator is
//! compared with that of the serial loop.
//!
//! `cargo bench --bench vote` prints the tables of `results/vote.md`; an optional argument is the
//! number of points, and with `-- --full` the serial loops vote with all points instead of a part.

mod street;

use planes::backend::{Backend, Sign};
use planes::cpu::{Cpu, InstructionSet, Voter};
use planes::frame::Points;
use planes::space::{RhoAxis, Space};
use std::time::Instant;
use street::street;

fn main() {
    let n = std::env::args().skip(1).find_map(|a| a.parse().ok()).unwrap_or(1_000_000);
    let points = street(n as u64);
    let directions: planes::space::Directions = "polar:180x180".parse().unwrap();
    let radius = points.radius();
    let space = Space::new(directions.table(), RhoAxis::symmetric(radius, radius / 90.0)).unwrap();
    println!("{n} points of the street, {directions}, {} bins\n", space.bins());
    let one = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();

    // The serial loops take 5 to 20 ns a vote, minutes for a million points.
    let full = std::env::args().any(|a| a == "--full");
    let few = points.select(&(0..n as u32).step_by((n / 10_000).max(1)).collect::<Vec<_>>());
    let part = if full { &points } else { &few };
    let (f64_rate, f64_counts) =
        rate(&Cpu::new(Voter::SerialF64), &space, part, if full { 1 } else { 3 });
    let (f32_rate, f32_counts) =
        rate(&Cpu::new(Voter::Serial), &space, part, if full { 1 } else { 3 });
    let differing: u64 =
        f64_counts.iter().zip(&f32_counts).map(|(a, b)| u64::from(a.abs_diff(*b))).sum();
    println!(
        "serial loops: {} points; votes that fall into another bin in f32 than in f64: {} of {}\n",
        part.len(),
        differing / 2,
        part.len() * space.rows()
    );
    println!("| voter | threads | 1e9 votes/s | over serial f64 |\n| --- | --- | --- | --- |");
    let line = |name: &str, threads: usize, rate: f64| {
        println!("| {name} | {threads} | {:.3} | {:.1} |", rate / 1e9, rate / f64_rate);
    };
    line("serial f64", 1, f64_rate);
    line("serial f32", 1, f32_rate);
    for instructions in InstructionSet::ALL {
        let Some(cpu) = Cpu::with_instructions(instructions) else {
            println!("| parallel {instructions} | | not on this processor | |");
            continue;
        };
        let (_, counts) = rate(&cpu, &space, part, 1);
        assert!(counts == f32_counts, "{instructions} does not equal the serial loop, bin for bin");
        if instructions == InstructionSet::Portable {
            let (rate, _) = one.install(|| rate(&cpu, &space, &few, 3));
            line(&format!("parallel {instructions}, on {} points", few.len()), 1, rate);
            continue;
        }
        let (rate_one, _) = one.install(|| rate(&cpu, &space, &points, 3));
        line(&format!("parallel {instructions}"), 1, rate_one);
        let (rate_all, _) = rate(&cpu, &space, &points, 3);
        line(&format!("parallel {instructions}"), rayon::current_num_threads(), rate_all);
    }
}

/// Votes per second, the median of some runs, and the accumulator.
fn rate(cpu: &Cpu, space: &Space, points: &Points, runs: usize) -> (f64, Vec<u32>) {
    let mut seconds = Vec::new();
    let mut counts = Vec::new();
    for _ in 0..runs {
        let mut accumulator = cpu.accumulator(space).unwrap();
        let start = Instant::now();
        accumulator.vote(points, Sign::Add).unwrap();
        seconds.push(start.elapsed().as_secs_f64());
        counts = accumulator.counts().unwrap();
    }
    seconds.sort_by(f64::total_cmp);
    ((points.len() * space.rows()) as f64 / seconds[runs / 2], counts)
}
