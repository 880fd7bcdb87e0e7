//! Joins lines that are really one: doubles, and the two sides of a stroke.

use super::geometry::Axis;
use super::line::{Line, Segment};

/// Two lines are one when the ends of the weaker line's pieces are no farther than this from the stroke of the
/// stronger one, in pixels.
const BESIDE: f64 = 2.0;
/// Widest stroke whose two sides are one line, in pixels.
const WIDEST: f64 = 12.0;
/// Two sides are parallel if the distance between them changes by no more than this over their shared length, in
/// pixels.
const PARALLEL: f64 = 3.0;
/// Two sides share at least this part of the longer one.
const SHARED: f64 = 0.5;

/// A line, and how much brighter the image is on the side of its normal than on the other; 0 if unknown.
#[derive(Debug, Clone)]
pub(super) struct Side {
    pub line: Line,
    pub light: f64,
}

/// Leaves out every line that runs along a better one; the best come first. If the sides of strokes are to stay
/// apart, two lines that face each other are not doubles.
pub(super) fn without_doubles(sides: Vec<Side>, sides_apart: bool) -> Vec<Side> {
    let mut kept: Vec<Side> = Vec::with_capacity(sides.len());
    for side in sides {
        let is_double = |better: &Side| {
            runs_along(&side.line, &better.line) && !(sides_apart && face(&side, better))
        };
        if !kept.iter().any(is_double) {
            kept.push(side);
        }
    }
    kept
}

fn runs_along(line: &Line, better: &Line) -> bool {
    let axis = axis(better);
    let reach = better.width / 2.0 + BESIDE;
    let is_beside =
        |s: &Segment| axis.distance(s.start).abs() <= reach && axis.distance(s.end).abs() <= reach;
    line.segments.iter().all(is_beside)
}

/// Joins the two sides of each stroke into a line midway between them; the best come first. Each
/// side is paired with the nearest side that faces it.
pub(super) fn strokes(sides: Vec<Side>, max_gap: f64) -> Vec<Line> {
    let mut sides: Vec<Option<Side>> = sides.into_iter().map(Some).collect();
    let mut lines = Vec::new();
    for i in 0..sides.len() {
        let Some(side) = sides[i].take() else {
            continue;
        };
        let nearest = (i + 1..sides.len())
            .filter_map(|j| Some((width(&side, sides[j].as_ref()?)?, j)))
            .min_by(|a, b| a.0.total_cmp(&b.0));
        let other = nearest.and_then(|(width, j)| Some((width, sides[j].take()?)));
        lines.push(match other {
            Some((width, other)) => between(&side.line, &other.line, width, max_gap),
            None => side.line,
        });
    }
    lines
}

/// The width of the stroke between two lines, if they are its sides.
fn width(side: &Side, other: &Side) -> Option<f64> {
    let (a, b) = (axis(&side.line), axis(&other.line));
    if !face(side, other) {
        return None;
    }
    let (own, others) = (spans(&side.line, a), spans(&other.line, a));
    let shared: Vec<[f64; 2]> = (own.iter())
        .flat_map(|s| others.iter().map(move |o| [s[0].max(o[0]), s[1].min(o[1])]))
        .filter(|s| s[1] > s[0])
        .collect();
    let total = |spans: &[[f64; 2]]| spans.iter().map(|s| s[1] - s[0]).sum::<f64>();
    if total(&shared) < SHARED * total(&own).max(total(&others)) {
        return None;
    }
    let from = shared.iter().map(|s| s[0]).fold(f64::INFINITY, f64::min);
    let to = shared.iter().map(|s| s[1]).fold(f64::NEG_INFINITY, f64::max);
    let [d, e] = [from, to].map(|t| b.distance(along(a, t)));
    let width = (d + e).abs() / 2.0;
    (width <= WIDEST && (d - e).abs() <= PARALLEL && d * e > 0.0).then_some(width)
}

/// Whether two lines may be sides of a stroke: both brighter towards each other, or both away from each other.
fn face(side: &Side, other: &Side) -> bool {
    let (a, b) = (axis(&side.line), axis(&other.line));
    let same_way = a.cos * b.cos + a.sin * b.sin;
    same_way.abs() >= 0.9 && side.light * other.light * same_way < 0.0
}

/// The line midway between the sides of a stroke.
fn between(line: &Line, other: &Line, width: f64, max_gap: f64) -> Line {
    let (a, b) = (axis(line), axis(other));
    let sign = if a.cos * b.cos + a.sin * b.sin < 0.0 { -1.0 } else { 1.0 };
    let (cos, sin) = (a.cos + sign * b.cos, a.sin + sign * b.sin);
    let norm = cos.hypot(sin);
    let middle = Axis { cos: cos / norm, sin: sin / norm, rho: (a.rho + sign * b.rho) / norm };
    let mut spans: Vec<([f64; 2], u64)> = [line, other]
        .iter()
        .flat_map(|line| line.segments.iter().map(|s| (span(s, middle), s.pixels)))
        .collect();
    spans.sort_by(|a, b| a.0[0].total_cmp(&b.0[0]));
    let mut joined: Vec<([f64; 2], u64)> = Vec::new();
    for (span, pixels) in spans {
        match joined.last_mut() {
            Some((last, sum)) if span[0] <= last[1] + max_gap => {
                last[1] = last[1].max(span[1]);
                *sum += pixels;
            }
            _ => joined.push((span, pixels)),
        }
    }
    let segment = |&([from, to], pixels): &([f64; 2], u64)| Segment {
        start: along(middle, from),
        end: along(middle, to),
        pixels,
    };
    let (theta, rho) = middle.polar();
    Line {
        theta,
        rho,
        width,
        pixels: line.pixels + other.pixels,
        segments: joined.iter().map(segment).collect(),
        ..*line
    }
}

fn axis(line: &Line) -> Axis {
    Axis::new(line.theta.to_radians(), line.rho)
}

/// The start and end of a segment, as positions along a line.
fn span(segment: &Segment, axis: Axis) -> [f64; 2] {
    let at = |[x, y]: [f64; 2]| y * axis.cos - x * axis.sin;
    let (a, b) = (at(segment.start), at(segment.end));
    [a.min(b), a.max(b)]
}

fn spans(line: &Line, axis: Axis) -> Vec<[f64; 2]> {
    line.segments.iter().map(|s| span(s, axis)).collect()
}

/// The point at a position along a line.
fn along(axis: Axis, t: f64) -> [f64; 2] {
    [axis.rho * axis.cos - t * axis.sin, axis.rho * axis.sin + t * axis.cos]
}
