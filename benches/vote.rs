//! Votes per second of every CPU voter, each checked against the serial loop before it is timed.
//!
//! `cargo bench --bench vote [POINTS]` prints the table of `results/vote.md`.

use planes::backend::{Backend, Sign};
use planes::cpu::{Cpu, Level, Voter};
use planes::frame::Points;
use planes::space::{RhoAxis, Space};
use std::time::Instant;

/// Points on the walls of a few boxes around a scanner whose density falls with the square of the
/// distance, in millimetres.
fn scan(n: usize) -> Points {
    let mut state = 1u64;
    let mut unit = move || {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 40) as f64 / (1u64 << 24) as f64
    };
    (0..n)
        .map(|_| {
            let z = 2.0 * unit() - 1.0;
            let angle = std::f64::consts::TAU * unit();
            let r = (1.0 - z * z).sqrt();
            let d = [r * angle.cos(), r * angle.sin(), z];
            // The nearest of ground, two facades and two ends of the street.
            let hit = [(2, -1.8), (2, 12.0), (1, 7.0), (1, -9.0), (0, 40.0), (0, -50.0)]
                .iter()
                .map(|&(a, at): &(usize, f64)| at / d[a])
                .filter(|&t| t > 0.0)
                .fold(f64::INFINITY, f64::min);
            d.map(|v| (v * hit * 1000.0).round() as f32)
        })
        .collect()
}

fn main() {
    let n = std::env::args().skip(1).find_map(|a| a.parse().ok()).unwrap_or(1_000_000);
    let points = scan(n);
    let directions: planes::space::Directions = "polar:180x180".parse().unwrap();
    let radius = points.radius();
    let space = Space::new(directions.table(), RhoAxis::symmetric(radius, radius / 90.0)).unwrap();
    println!("{n} points, {directions}, {} bins of {:.0} mm\n", space.bins(), space.rho().bin);
    let one = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();

    // The serial loops are timed on a part: they take 13 ns a vote.
    let part = points.select(&(0..(n as u32)).step_by((n / 10_000).max(1)).collect::<Vec<_>>());
    let (f64_rate, f64_counts) = rate(&Cpu::new(Voter::SerialF64), &space, &part);
    let (f32_rate, f32_counts) = rate(&Cpu::new(Voter::Serial), &space, &part);
    let differing: u64 =
        f64_counts.iter().zip(&f32_counts).map(|(a, b)| u64::from(a.abs_diff(*b))).sum();
    println!(
        "votes that fall into another bin in f32 than in f64: {} of {}\n",
        differing / 2,
        part.len() * space.rows()
    );
    println!("| voter | threads | 1e9 votes/s | over serial f64 |\n| --- | --- | --- | --- |");
    let line = |name: &str, threads: usize, rate: f64| {
        println!("| {name} | {threads} | {:.3} | {:.1} |", rate / 1e9, rate / f64_rate);
    };
    line("serial f64", 1, f64_rate);
    line("serial f32", 1, f32_rate);
    for level in Level::ALL {
        let Some(cpu) = Cpu::with_level(level) else {
            println!("| parallel {level} | | not on this processor | |");
            continue;
        };
        let (_, counts) = rate(&cpu, &space, &part);
        assert!(counts == f32_counts, "{level} does not equal the serial loop");
        if level == Level::Portable {
            let (rate, _) = one.install(|| rate(&cpu, &space, &part));
            line(&format!("parallel {level}, on {} points", part.len()), 1, rate);
            continue;
        }
        let (rate_one, _) = one.install(|| rate(&cpu, &space, &points));
        line(&format!("parallel {level}"), 1, rate_one);
        let (rate_all, _) = rate(&cpu, &space, &points);
        line(&format!("parallel {level}"), rayon::current_num_threads(), rate_all);
    }
}

/// Votes per second, the median of three runs, and the accumulator.
fn rate(cpu: &Cpu, space: &Space, points: &Points) -> (f64, Vec<u32>) {
    let mut seconds = Vec::new();
    let mut counts = Vec::new();
    for _ in 0..3 {
        let mut accumulator = cpu.accumulator(space).unwrap();
        let start = Instant::now();
        accumulator.vote(points, Sign::Add).unwrap();
        seconds.push(start.elapsed().as_secs_f64());
        counts = accumulator.counts().unwrap();
    }
    seconds.sort_by(f64::total_cmp);
    ((points.len() * space.rows()) as f64 / seconds[1], counts)
}
