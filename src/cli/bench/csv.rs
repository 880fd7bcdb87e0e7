//! The measurements as comma-separated lines.

use planes::papers::bench::images::{ImageReport, VoterRow};
use planes::papers::bench::{Measurement, Report};

/// A column: its name, and its cell in a row.
pub type Column<Row> = (&'static str, fn(&Row) -> String);

/// A line of column names, then one line per row.
pub fn table<Row>(columns: &[Column<Row>], rows: &[Row]) -> String {
    let names: Vec<&str> = columns.iter().map(|column| column.0).collect();
    let cells = |row: &Row| columns.iter().map(|column| column.1(row)).collect::<Vec<_>>();
    let lines = rows.iter().map(|row| cells(row).join(",") + "\n");
    std::iter::once(names.join(",") + "\n").chain(lines).collect()
}

/// A number; empty if there is none.
pub fn optional(value: Option<f64>) -> String {
    value.map(|value| value.to_string()).unwrap_or_default()
}

/// One line per measurement; times in seconds.
pub fn lines(report: &Report) -> String {
    let columns: [Column<Measurement>; 16] = [
        ("row", |m| m.row.name().to_owned()),
        ("points", |m| m.points.to_string()),
        ("top", |m| m.top.to_string()),
        ("vote", |m| m.vote.seconds.to_string()),
        ("sort", |m| optional(m.sort.map(|t| t.seconds))),
        ("suppress", |m| m.suppress.seconds.to_string()),
        ("winners", |m| m.winners.seconds.to_string()),
        ("transfers", |m| m.transfers.seconds.to_string()),
        ("total", |m| m.total.seconds.to_string()),
        ("measured_part", |m| m.total.part.to_string()),
        ("votes_per_second", |m| m.votes_per_second.to_string()),
        ("over_cpu", |m| optional(m.speedup)),
        ("slides", |m| optional(m.slides)),
        ("checked_points", |m| m.check.points.to_string()),
        ("checked_votes", |m| m.check.votes.to_string()),
        ("differing_votes", |m| m.check.differing.to_string()),
    ];
    table(&columns, &report.measurements)
}

/// The same for images: one line per voter, space and image.
pub fn image_lines(report: &ImageReport) -> String {
    let columns: [Column<VoterRow>; 15] = [
        ("table", |row| format!("\"{}\"", row.table)),
        ("column", |row| row.column.clone()),
        ("width", |row| row.size[0].to_string()),
        ("height", |row| row.size[1].to_string()),
        ("edges", |row| row.edges.to_string()),
        ("voter", |row| row.voter.clone()),
        ("list", |row| row.list.seconds.to_string()),
        ("vote", |row| row.vote.seconds.to_string()),
        ("select", |row| row.select.seconds.to_string()),
        ("transfers", |row| row.transfers.seconds.to_string()),
        ("total", |row| row.total.seconds.to_string()),
        ("measured_part", |row| row.total.part.to_string()),
        ("votes_per_second", |row| row.votes_per_second.to_string()),
        ("over_serial", |row| optional(row.speedup)),
        ("paper", |row| optional(row.paper)),
    ];
    table(&columns, &report.voters)
}
