//! The measurements as tables for people, with the paper's own figures beside them.

use super::super::grid::{self, Grid};
use crate::cli::words::significant;
use planes::lms::Refine;
use planes::papers::bench::Timing;
use planes::papers::bench::lms::{
    Accuracy, LmsReport, METHODS, PHOTO_CELL, POINTS_OF_A_SET, SlabTimes, published,
};

/// All tables, as Markdown or as aligned text.
pub fn tables(report: &LmsReport, markdown: bool) -> String {
    let mut text = grid::head(&report.machine, "", markdown);
    let mut grids = vec![times(&report.times)];
    if !report.many.is_empty() {
        grids.push(many(report));
    }
    grids.extend([accuracy(report, true), accuracy(report, false), photo(report)]);
    for grid in grids {
        text += "\n";
        text += &grid.text(markdown);
    }
    text + "\nPaper: the figures of Shapira and Hassner, on an Intel E6550 and a GTX 720 as they have it.\n\
            Times on a GPU are those of the kernels. A line is right within 1 degree, and 2 pixels at its \
            middle.\n"
}

fn header(names: &[&str]) -> Vec<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}

/// Table 1.
fn times(times: &[SlabTimes]) -> Grid {
    let names = [
        "points",
        "in the slab",
        "sweep",
        "paper's kernels",
        "fast",
        "sweep over fast",
        "sweep, in the paper",
        "GPU, in the paper",
    ];
    let title = "Table 1: the thinnest slab of random points, milliseconds";
    let mut grid = Grid::new(title.into(), header(&names));
    let ms = |seconds: f64| significant(1e3 * seconds);
    let timing = |t: &Option<Timing>| t.map(|t| ms(t.seconds));
    for row in times {
        let over = row.fast.map(|fast| row.sweep.seconds / fast.seconds.max(1e-9));
        let cells = [
            Some(row.h.to_string()),
            Some(ms(row.sweep.seconds)),
            timing(&row.paper),
            timing(&row.fast),
            over.map(|over| format!("{}x", significant(over))),
            row.published.map(|p| ms(p[0])),
            row.published.map(|p| ms(p[1])),
        ];
        grid.push(row.points.to_string(), cells.into_iter());
    }
    grid
}

/// Many sets at once.
fn many(report: &LmsReport) -> Grid {
    let title = format!("Many sets of {POINTS_OF_A_SET} points at once, fast, milliseconds");
    let mut grid = Grid::new(title, header(&["sets", "all", "each"]));
    for row in &report.many {
        let ms = 1e3 * row.fast.seconds;
        let cells = [significant(ms), significant(ms / row.sets as f64)];
        grid.push(row.sets.to_string(), cells.into_iter().map(Some));
    }
    grid
}

/// Figure 7, or 8.
fn accuracy(report: &LmsReport, over_cells: bool) -> Grid {
    let names = [
        if over_cells { "cell" } else { "noise" },
        "voters of the line",
        "method",
        "right",
        "median angle, deg",
        "mean angle, deg",
        "mean slope, %",
        "median slope, %",
        "median distance, px",
    ];
    let (title, rows) = if over_cells {
        ("Figure 7: errors over the cells of the accumulator", &report.cells)
    } else {
        ("Figure 8: errors over noise", &report.noise)
    };
    let title = match rows.first() {
        Some(row) if over_cells => format!("{title}, noise {}, {} images", row.noise, row.images),
        Some(row) => format!(
            "{title}, cells of {} degrees and {} pixels, {} images",
            row.theta_step, row.rho_step, row.images
        ),
        None => title.into(),
    };
    let mut grid = Grid::new(title, header(&names));
    for row in rows {
        let place = if over_cells {
            format!("{} deg, {} px", row.theta_step, row.rho_step)
        } else {
            row.noise.to_string()
        };
        grid.push(place, accuracy_cells(row).into_iter().map(Some));
    }
    if over_cells {
        for method in METHODS {
            if let Some(percent) = published::slope_percent(method) {
                let cells = [None, Some(name(method)), None, None, None, Some(percent.to_string())];
                grid.push("in the paper".into(), cells.into_iter().chain([None, None]));
            }
        }
    }
    grid
}

fn accuracy_cells(row: &Accuracy) -> [String; 8] {
    let infinite = || "-".to_owned();
    [
        format!("{:.0} %", 100.0 * row.inliers),
        name(row.method),
        format!("{:.0} %", 100.0 * row.right),
        significant(row.angle_median),
        significant(row.angle_mean),
        row.slope_percent_mean.map_or_else(infinite, significant),
        significant(row.slope_percent_median),
        significant(row.distance_median),
    ]
}

/// The name of a method in the tables.
fn name(method: Refine) -> String {
    if method == Refine::None { "cell".into() } else { method.name().into() }
}

/// Table 2.
fn photo(report: &LmsReport) -> Grid {
    let title = format!(
        "Table 2: pixels between lines in a photograph ({}), cells of {} degrees and {} pixels",
        report.photo_name, PHOTO_CELL[0], PHOTO_CELL[1]
    );
    let names = ["added noise", "method", "lines", "mean", "deviation", "mean, in the paper"];
    let names = [&names[..], &["deviation, in the paper"]].concat();
    let mut grid = Grid::new(title, header(&names));
    for row in &report.photo {
        let paper = published::photo(row.method).filter(|_| row.noise.is_none());
        let noise = row.noise.map_or("all".into(), |noise| noise.to_string());
        let cells = [
            Some(name(row.method)),
            Some(row.lines.to_string()),
            Some(significant(row.mean)),
            Some(significant(row.deviation)),
            paper.map(|p| p[0].to_string()),
            paper.map(|p| p[1].to_string()),
        ];
        grid.push(noise, cells.into_iter());
    }
    grid
}
