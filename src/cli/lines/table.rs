//! Lines as a table for people.

use super::super::words::counted;
use planes::lines::Detection;
use std::fmt::Write;

/// Most lines shown; the others are counted.
const ROWS: usize = 30;

/// A summary, then one row per line.
pub fn lines(name: &str, detection: &Detection) -> String {
    let name = crate::cli::words::clean(name);
    let mut out = String::new();
    let count = detection.lines.len();
    // Writing to a string cannot fail.
    let _ = writeln!(
        out,
        "{name}: {} in {} × {} pixels with {} ({})",
        counted(count as u64, "line"),
        detection.width,
        detection.height,
        counted(detection.edges, "edge pixel"),
        detection.parameters.edges
    );
    if detection.lines.is_empty() {
        return out;
    }
    let _ = writeln!(
        out,
        "{:>5} {:>9} {:>10} {:>7} {:>8} {:>6}   longest segment",
        "line", "theta", "rho", "votes", "z", "width"
    );
    for (id, line) in detection.lines.iter().take(ROWS).enumerate() {
        let length =
            |s: &&planes::lines::Segment| (s.end[0] - s.start[0]).hypot(s.end[1] - s.start[1]);
        let longest = line.segments.iter().max_by(|a, b| length(a).total_cmp(&length(b)));
        let ends = longest.map_or_else(String::new, |s| {
            let ([x1, y1], [x2, y2]) = (s.start, s.end);
            format!("{x1:.1} {y1:.1} to {x2:.1} {y2:.1}")
        });
        let others = match line.segments.len() {
            0 | 1 => String::new(),
            n => format!(", and {} more", n - 1),
        };
        let _ = writeln!(
            out,
            "{id:>5} {:>9.3} {:>10.2} {:>7} {:>8.1} {:>6.1}   {ends}{others}",
            line.theta, line.rho, line.votes, line.z, line.width
        );
    }
    if count > ROWS {
        let _ = writeln!(out, "  and {} more", count - ROWS);
    }
    out
}
