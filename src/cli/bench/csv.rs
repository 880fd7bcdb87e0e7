//! The measurements as comma-separated lines.

use planes::bench::images::{ImageReport, VoterRow};
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

/// Names of the columns of images.
const IMAGE_COLUMNS: &str = "table,column,width,height,edges,voter,list,vote,select,transfers,total,\
                             measured_part,votes_per_second,over_serial,paper";

/// The same for images, a line a voter, space and image.
pub fn image_lines(report: &ImageReport) -> String {
    let mut text = format!("{IMAGE_COLUMNS}\n");
    for row in &report.voters {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{}", image_line(row));
    }
    text
}

fn image_line(row: &VoterRow) -> String {
    let optional = |value: Option<f64>| value.map(|v| v.to_string()).unwrap_or_default();
    [
        format!("\"{}\"", row.table),
        row.column.clone(),
        row.size[0].to_string(),
        row.size[1].to_string(),
        row.edges.to_string(),
        row.voter.clone(),
        row.list.seconds.to_string(),
        row.vote.seconds.to_string(),
        row.select.seconds.to_string(),
        row.transfers.seconds.to_string(),
        row.total.seconds.to_string(),
        row.total.part.to_string(),
        row.votes_per_second.to_string(),
        optional(row.speedup),
        optional(row.paper),
    ]
    .join(",")
}
