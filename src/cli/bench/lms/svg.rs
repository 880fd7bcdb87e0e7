//! Figures 7 and 8 as a picture: the median error of the angle, on a logarithmic axis.

use super::super::svg::{Axis, line, polyline, power, sheet, text};
use planes::lms::Refine;
use planes::papers::bench::lms::{Accuracy, LmsReport, METHODS};

/// Size of the picture, and of each plot within it.
const SIZE: [f64; 2] = [1000.0, 460.0];
const LEFT: [f64; 2] = [80.0, 560.0];
const WIDTH: f64 = 400.0;
const TOP: f64 = 60.0;
const BOTTOM: f64 = 380.0;
/// Smaller errors are drawn as this value.
const LEAST: f64 = 1e-3;

/// Colours of the methods, distinguishable for colour-blind people (Okabe and Ito 2008).
const COLOURS: [&str; 3] = ["#000000", "#e69f00", "#0072b2"];

/// Both figures, side by side.
pub fn plots(report: &LmsReport) -> String {
    let mut svg = sheet(SIZE);
    let cell = |row: &Accuracy| (row.theta_step, format!("{}°", row.theta_step));
    let noise = |row: &Accuracy| (row.noise, row.noise.to_string());
    plot(&mut svg, LEFT[0], ("size of the cells", &report.cells), cell);
    plot(&mut svg, LEFT[1], ("noise", &report.noise), noise);
    for (place, (method, colour)) in METHODS.into_iter().zip(COLOURS).enumerate() {
        let x = LEFT[0] + 150.0 * place as f64;
        let style = format!("stroke=\"{colour}\" stroke-width=\"2\"");
        line(&mut svg, [x, SIZE[1] - 20.0], [x + 30.0, SIZE[1] - 20.0], &style);
        let name = if method == Refine::None { "middle of the cell" } else { method.name() };
        text(&mut svg, [x + 36.0, SIZE[1] - 16.0], "start", name);
    }
    svg + "</svg>\n"
}

/// One figure; `place` gives the position of each row, with its label.
fn plot(
    svg: &mut String,
    left: f64,
    (title, rows): (&str, &[Accuracy]),
    place: impl Fn(&Accuracy) -> (f64, String),
) {
    let y = Axis::around(rows.iter().map(|r| r.angle_median.max(LEAST)), [BOTTOM, TOP]);
    let most = rows.iter().map(|r| place(r).0).fold(f64::MIN_POSITIVE, f64::max);
    let x = |row: &Accuracy| left + WIDTH * place(row).0 / most;
    for (decade, at) in y.ticks() {
        line(svg, [left, at], [left + WIDTH, at], "stroke=\"#dddddd\"");
        power(svg, [left - 10.0, at + 4.0], "end", decade);
    }
    for row in rows.iter().filter(|row| row.method == METHODS[0]) {
        text(svg, [x(row), BOTTOM + 20.0], "middle", &place(row).1);
    }
    line(svg, [left, BOTTOM], [left + WIDTH, BOTTOM], "stroke=\"black\"");
    line(svg, [left, BOTTOM], [left, TOP], "stroke=\"black\"");
    text(svg, [left, TOP - 20.0], "start", "median error of the angle, degrees");
    text(svg, [left + WIDTH / 2.0, BOTTOM + 42.0], "middle", title);
    for (method, colour) in METHODS.into_iter().zip(COLOURS) {
        let own = rows.iter().filter(|row| row.method == method);
        let places = own.map(|row| [x(row), y.place(row.angle_median.max(LEAST))]);
        let style = format!("stroke=\"{colour}\" stroke-width=\"2\"");
        polyline(svg, &places.collect::<Vec<_>>(), &style);
    }
}
