//! The measurements as comma-separated lines.

use planes::bench::{Measurement, Report};
use std::fmt::Write;

/// Names of the columns.
const COLUMNS: &str = "row,points,top,vote,sort,suppress,winners,transfers,total,measured_part,\
                       votes_per_second,over_cpu,slides,checked_points,checked_votes,differing_votes";

/// A line of names, then one a measurement; times in seconds, empty where there is none.
pub fn lines(report: &Report) -> String {
    let mut text = format!("{COLUMNS}\n");
    for m in &report.measurements {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{}", line(m));
    }
    text
}

fn line(m: &Measurement) -> String {
    let optional = |value: Option<f64>| value.map(|v| v.to_string()).unwrap_or_default();
    [
        m.row.name().to_owned(),
        m.points.to_string(),
        m.top.to_string(),
        m.vote.seconds.to_string(),
        optional(m.sort.map(|t| t.seconds)),
        m.suppress.seconds.to_string(),
        m.winners.seconds.to_string(),
        m.transfers.seconds.to_string(),
        m.total.seconds.to_string(),
        m.total.part.to_string(),
        m.votes_per_second.to_string(),
        optional(m.speedup),
        optional(m.slides),
        m.check.points.to_string(),
        m.check.votes.to_string(),
        m.check.differing.to_string(),
    ]
    .join(",")
}
