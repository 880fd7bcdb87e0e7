//! Lines that are one.

use super::geometry::Axis;
use super::{Line, Segment};

/// Two lines are one when the ends of the weaker one's pieces lie within this of the stronger one's
/// stroke, in pixels.
const BESIDE: f64 = 2.0;

/// Leaves out every line that runs along a better one; the best come first.
pub(super) fn without_doubles(lines: Vec<Line>) -> Vec<Line> {
    let mut kept: Vec<Line> = Vec::with_capacity(lines.len());
    for line in lines {
        if !kept.iter().any(|better| runs_along(&line, better)) {
            kept.push(line);
        }
    }
    kept
}

fn runs_along(line: &Line, better: &Line) -> bool {
    let axis = Axis::new(better.theta.to_radians(), better.rho);
    let reach = better.width / 2.0 + BESIDE;
    let is_beside =
        |s: &Segment| axis.distance(s.start).abs() <= reach && axis.distance(s.end).abs() <= reach;
    line.segments.iter().all(is_beside)
}
