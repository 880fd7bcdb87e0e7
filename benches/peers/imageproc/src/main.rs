//! Seconds of imageproc's Hough transform on an edge map, one line per run, for `benches/peers/hough.py`.

use imageproc::hough::{LineDetectionOptions, detect_lines};
use std::time::Instant;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut args = std::env::args().skip(1);
    let (Some(path), Some(threshold), Some(runs)) = (args.next(), args.next(), args.next()) else {
        return Err("usage: hough-of-imageproc IMAGE THRESHOLD RUNS".into());
    };
    let edges = image::open(path)?.to_luma8();
    let options = LineDetectionOptions { vote_threshold: threshold.parse()?, suppression_radius: 3 };
    for _ in 0..runs.parse::<usize>()? {
        let start = Instant::now();
        let lines = detect_lines(&edges, options);
        println!("{} {}", start.elapsed().as_secs_f64(), lines.len());
    }
    Ok(())
}
