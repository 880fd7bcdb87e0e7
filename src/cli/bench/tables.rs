//! The measurements as tables for people.

use super::grid::{self, Grid};
use crate::cli::words::significant;
use planes::papers::bench::{Measurement, Report, Row, Timing, published};
use std::fmt::Write;

/// All tables, as Markdown or as aligned text.
pub fn tables(report: &Report, markdown: bool) -> String {
    let mut text = grid::head(&report.machine, &report.source, markdown);
    let most = report.tops.last().copied().unwrap_or(0);
    let mut grids = Vec::new();
    if report.tops.len() > 1 {
        grids.push(over_winners(report));
    }
    grids.push(over_points(report, most));
    grids.push(steps(report, most));
    for grid in grids {
        text += "\n";
        text += &grid.text(markdown);
    }
    text + "\n" + &notes(report)
}

fn notes(report: &Report) -> String {
    let mut text = String::from(
        "Lines \"in the slides\" are A. Duca's own figures, on hardware that they do not name.\n",
    );
    let all = &report.measurements;
    if all.iter().any(|m| m.total.is_extrapolated()) {
        text += "*: a part was measured and the rest extrapolated.\n";
    }
    if let Some(part) = all.iter().find(|m| m.check.points < m.points) {
        // Writing to a string cannot fail.
        let _ = writeln!(
            text,
            "Of large clouds the votes of the first points were compared: of {} those of {}.",
            part.points, part.check.points
        );
    }
    text
}

/// The slides' first table.
fn over_winners(report: &Report) -> Grid {
    let columns: Vec<(u64, u32)> = report.tops.iter().map(|&t| (report.tops_points, t)).collect();
    let title = format!("Seconds for so many winners, {} points", report.tops_points);
    let header = report.tops.iter().map(|top| format!("top {top}"));
    let mut grid = Grid::new(title, std::iter::once(String::new()).chain(header).collect());
    grid.rows = both(report, &columns);
    grid
}

/// The slides' second table.
fn over_points(report: &Report, top: u32) -> Grid {
    let columns: Vec<(u64, u32)> = sizes(report).into_iter().map(|n| (n, top)).collect();
    let title = format!("Seconds for so many points, top {top}");
    let header = columns.iter().map(|&(n, _)| points(n));
    let mut grid = Grid::new(title, std::iter::once(String::new()).chain(header).collect());
    grid.rows = both(report, &columns);
    for row in [Row::OptimizedFinal, Row::Fast] {
        let found: Vec<_> = columns.iter().map(|c| find(report, row, *c)).collect();
        if found.iter().any(|m| m.is_some_and(|m| m.speedup.is_some())) {
            let times = |m: &Option<&Measurement>| m.and_then(|m| m.speedup).map(times);
            grid.push(format!("CPU over {}", row.name().to_lowercase()), found.iter().map(times));
        }
        if row == Row::OptimizedFinal {
            let slides = |&(n, top): &(u64, u32)| {
                let of = |row| published::seconds(row, n, top);
                Some(times(of(Row::Cpu)? / of(row)?))
            };
            if columns.iter().any(|c| slides(c).is_some()) {
                let name = format!("CPU over {}, in the slides", row.name().to_lowercase());
                grid.push(name, columns.iter().map(slides));
            }
        }
    }
    grid
}

/// Each row of a table, with the slides' figures below it.
fn both(report: &Report, columns: &[(u64, u32)]) -> Vec<Vec<String>> {
    let mut grid = Grid::default();
    for row in Row::ALL {
        let found: Vec<_> = columns.iter().map(|c| find(report, row, *c)).collect();
        if found.iter().all(Option::is_none) {
            continue;
        }
        grid.push(row.name().into(), found.iter().map(|m| m.map(|m| time(&m.total))));
        let slides = |&(n, top): &(u64, u32)| {
            let seconds = significant(published::seconds(row, n, top)?);
            let estimated = published::ESTIMATED == (row, n);
            Some(if estimated { format!("[{seconds}]") } else { seconds })
        };
        if columns.iter().any(|c| slides(c).is_some()) {
            grid.push("    in the slides".into(), columns.iter().map(slides));
        }
    }
    grid.rows
}

/// The steps of each row.
fn steps(report: &Report, top: u32) -> Grid {
    let header = [
        "",
        "points",
        "vote",
        "suppress",
        "winners",
        "transfers",
        "total",
        "over CPU",
        "1e9 votes/s",
        "differing",
    ];
    let title = format!("Seconds of each step, top {top}");
    let mut grid = Grid::new(title, header.map(String::from).into());
    for m in report.measurements.iter().filter(|m| m.top == top) {
        let cells = [
            points(m.points),
            time(&m.vote),
            time(&m.suppress),
            time(&m.winners),
            time(&m.transfers),
            time(&m.total),
            m.speedup.map(times).unwrap_or_default(),
            significant(m.votes_per_second / 1e9),
            m.check.differing.to_string(),
        ];
        grid.push(m.row.name().into(), cells.into_iter().map(Some));
    }
    grid
}

fn find(report: &Report, row: Row, (points, top): (u64, u32)) -> Option<&Measurement> {
    report.measurements.iter().find(|m| (m.row, m.points, m.top) == (row, points, top))
}

fn sizes(report: &Report) -> Vec<u64> {
    let mut sizes: Vec<u64> = report.measurements.iter().map(|m| m.points).collect();
    sizes.dedup();
    sizes
}

/// Seconds, marked if they are extrapolated.
fn time(timing: &Timing) -> String {
    if *timing == Timing::NONE {
        return "-".into();
    }
    let mark = if timing.is_extrapolated() { "*" } else { "" };
    format!("{}{mark}", significant(timing.seconds))
}

pub fn times(factor: f64) -> String {
    format!("{}x", significant(factor))
}

/// A number of points in groups of three digits.
pub fn points(n: u64) -> String {
    let digits = n.to_string();
    let mut text = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            text.push(' ');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn large_numbers_are_grouped() {
        assert_eq!([1, 1000, 23_000_000].map(points), ["1", "1 000", "23 000 000"]);
    }
}
