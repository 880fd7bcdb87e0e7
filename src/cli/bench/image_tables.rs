//! Measurements of images, as tables for people.

use super::grid::{self, Grid};
use super::tables::{points, times};
use crate::cli::words::significant;
use planes::papers::bench::Timing;
use planes::papers::bench::images::{GreyRow, ImageReport, VoterRow};

/// All tables, as Markdown or as aligned text.
pub fn tables(report: &ImageReport, markdown: bool) -> String {
    let mut text = grid::head(&report.machine, &report.source, markdown);
    let mut names: Vec<&str> = report.voters.iter().map(|row| row.table.as_str()).collect();
    names.dedup();
    for name in names {
        let rows: Vec<&VoterRow> = report.voters.iter().filter(|row| row.table == name).collect();
        text += "\n";
        text += &table(name, &rows).text(markdown);
    }
    if !report.grey.is_empty() {
        text += "\n";
        text += &grey(&report.grey).text(markdown);
    }
    text + "\n" + notes(report)
}

fn notes(report: &ImageReport) -> &'static str {
    if report.voters.iter().any(|row| row.total.is_extrapolated()) {
        "All times in milliseconds. *: a part was measured and the rest extrapolated.\n"
    } else {
        "All times in milliseconds.\n"
    }
}

/// For one image, the steps of each voter; for several, edge list and vote of each image.
fn table(name: &str, rows: &[&VoterRow]) -> Grid {
    let mut columns: Vec<&str> = rows.iter().map(|row| row.column.as_str()).collect();
    columns.dedup();
    if columns.len() == 1 { steps(name, rows) } else { sweep(name, rows, &columns) }
}

fn steps(name: &str, rows: &[&VoterRow]) -> Grid {
    let first = rows.first();
    let title = first.map_or_else(String::new, |row| {
        let [width, height] = row.size;
        format!("{name}: {width} × {height} pixels, {} edges", points(row.edges))
    });
    let header =
        ["", "list", "vote", "select", "transfers", "total", "over serial", "1e9 votes/s", "paper"];
    let mut grid = Grid::new(title, header.map(String::from).into());
    for row in rows {
        let cells = [
            time(&row.list),
            time(&row.vote),
            time(&row.select),
            time(&row.transfers),
            time(&row.total),
            row.speedup.map(times),
            Some(significant(row.votes_per_second / 1e9)),
            row.paper.map(ms),
        ];
        grid.push(row.voter.clone(), cells.into_iter());
    }
    grid
}

fn sweep(name: &str, rows: &[&VoterRow], columns: &[&str]) -> Grid {
    let title = format!("{name}: list and vote");
    let header = std::iter::once("").chain(columns.iter().copied()).map(String::from);
    let mut grid = Grid::new(title, header.collect());
    let mut voters: Vec<&str> = Vec::new();
    for row in rows {
        if !voters.contains(&row.voter.as_str()) {
            voters.push(&row.voter);
        }
    }
    for voter in voters {
        let find = |column: &&str| rows.iter().find(|r| r.voter == voter && r.column == *column);
        let own: Vec<_> = columns.iter().map(find).collect();
        grid.push(
            voter.into(),
            own.iter().map(|row| time(&row.as_ref()?.list.and(row.as_ref()?.vote))),
        );
        if own.iter().flatten().any(|row| row.paper.is_some()) {
            grid.push("    in the paper".into(), own.iter().map(|row| row.as_ref()?.paper.map(ms)));
        }
    }
    grid
}

fn grey(rows: &[GreyRow]) -> Grid {
    let title = "From grey images to sorted bins, 180 directions, bins of a pixel";
    let header = ["", "on", "edges", "share", "bins found", "find", "vote", "select", "all"];
    let mut grid = Grid::new(title.into(), header.map(String::from).into());
    for row in rows {
        let share = row.edges as f64 / (f64::from(row.size[0]) * f64::from(row.size[1]));
        let cells = [
            if row.on_gpu { "GPU" } else { "CPU" }.into(),
            points(row.edges),
            format!("{:.2} %", 100.0 * share),
            row.bins.to_string(),
            ms(row.find),
            ms(row.vote),
            ms(row.select),
            ms(row.total),
        ];
        grid.push(row.image.clone(), cells.into_iter().map(Some));
    }
    grid
}

/// Milliseconds, marked if they are extrapolated; `None` for a step that does not exist.
fn time(timing: &Timing) -> Option<String> {
    let mark = if timing.is_extrapolated() { "*" } else { "" };
    (timing.seconds > 0.0).then(|| ms(timing.seconds) + mark)
}

fn ms(seconds: f64) -> String {
    significant(seconds * 1e3)
}
