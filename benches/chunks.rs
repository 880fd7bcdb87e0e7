//! Votes of a cloud on a GPU in chunks, each copied while the one before votes.
//!
//! `cargo bench --bench chunks` prints a table of `results/cuda.md`; an optional argument is the number
//! of points.

mod street;

use planes::backend::{Backend, Sign};
use planes::cuda::Cuda;
use planes::space::{RhoAxis, Space};
use std::sync::Arc;
use std::time::Instant;
use street::street;

const RUNS: usize = 7;

/// Milliseconds, the median of some runs after a first.
fn median(mut work: impl FnMut()) -> f64 {
    work();
    let mut times: Vec<f64> = (0..RUNS)
        .map(|_| {
            let start = Instant::now();
            work();
            start.elapsed().as_secs_f64() * 1e3
        })
        .collect();
    times.sort_by(f64::total_cmp);
    times[RUNS / 2]
}

fn main() {
    let gpu = match Cuda::new() {
        Ok(gpu) => gpu,
        Err(why) => return println!("skipped: no GPU: {why}"),
    };
    let n = std::env::args().skip(1).find_map(|a| a.parse().ok()).unwrap_or(23_000_000);
    let points = street(n);
    let directions: planes::space::Directions = "polar:180x180".parse().expect("a space");
    let radius = points.radius();
    let axis = RhoAxis::symmetric(radius, radius / 90.0);
    let space = Space::new(directions.table(), axis).expect("a space");
    println!("{n} points of the street, {directions}, {} bins, {}\n", space.bins(), gpu.name());
    let points = Arc::new(points);
    let copy = median(|| drop(gpu.hold(points.clone()).expect("a copy")));
    println!("copy alone: {copy:.1} ms\n");
    println!("| points of a chunk | ms |\n| ---: | ---: |");
    let mut whole = None;
    for chunk in [n as usize, 1 << 23, 1 << 22, 1 << 21, 1 << 20] {
        let gpu = Cuda::new().expect("the same GPU").with_chunk(chunk);
        let mut accumulator = gpu.accumulator(&space).expect("room");
        accumulator.vote(&points, Sign::Add).expect("votes");
        let counts = accumulator.counts().expect("votes");
        assert!(*whole.get_or_insert(counts.clone()) == counts, "chunks of {chunk}");
        let ms = median(|| accumulator.vote(&points, Sign::Add).expect("votes"));
        println!("| {chunk} | {ms:.1} |");
    }
}
