//! Time against points or edges, both axes logarithmic, as a picture.

use planes::papers::bench::images::ImageReport;
use planes::papers::bench::{Machine, Report, Row, published};
use std::fmt::Write;

/// Size of the picture, and the part of it between the axes.
const SIZE: [f64; 2] = [1000.0, 560.0];
const LEFT: f64 = 80.0;
const RIGHT: f64 = 700.0;
const TOP: f64 = 50.0;
const BOTTOM: f64 = 500.0;
/// Height of a line of the legend.
const LEGEND: f64 = 22.0;

/// A colour for each row, distinguishable for colour-blind people (Okabe and Ito 2008).
const COLOURS: [&str; 7] =
    ["#000000", "#e69f00", "#56b4e9", "#009e73", "#cc79a7", "#0072b2", "#d55e00"];

/// A line of the plot.
struct Series {
    name: String,
    colour: &'static str,
    dashed: bool,
    /// Points of the cloud, or edges of the image, and seconds.
    values: Vec<(f64, f64)>,
}

/// The picture of a report.
pub fn plot(report: &Report) -> String {
    draw_all(&title(&report.source, &report.machine), "points", &series(report))
}

/// The picture of a report on images: every voter of every table.
pub fn plot_images(report: &ImageReport) -> String {
    let mut series: Vec<Series> = Vec::new();
    for row in &report.voters {
        let name = format!("{}, {}", row.voter, row.table);
        let value = (row.edges.max(1) as f64, row.total.seconds.max(1e-9));
        match series.iter_mut().find(|s| s.name == name) {
            Some(known) => known.values.push(value),
            None => {
                let colour = COLOURS[series.len() % COLOURS.len()];
                // When the colours run out, they repeat with dashes, then without, and so on.
                let dashed = series.len() / COLOURS.len() % 2 == 1;
                series.push(Series { name, colour, dashed, values: vec![value] });
            }
        }
    }
    draw_all(&title(&report.source, &report.machine), "edges", &series)
}

fn title(source: &str, machine: &Machine) -> String {
    let device = machine.gpu.as_deref().or(machine.cpu.as_deref()).unwrap_or("CPU");
    format!("{source}: {device}")
}

fn draw_all(title: &str, x_label: &str, series: &[Series]) -> String {
    let x = Axis::around(series.iter().flat_map(|s| s.values.iter().map(|v| v.0)), [LEFT, RIGHT]);
    let y = Axis::around(series.iter().flat_map(|s| s.values.iter().map(|v| v.1)), [BOTTOM, TOP]);
    let [width, least] = SIZE;
    let height = least.max(TOP + 30.0 + LEGEND * series.len() as f64);
    let mut svg = sheet([width, height]);
    text(&mut svg, [LEFT, 28.0], "start", title);
    text(&mut svg, [(LEFT + RIGHT) / 2.0, BOTTOM + 42.0], "middle", x_label);
    text(&mut svg, [LEFT - 10.0, TOP - 16.0], "end", "seconds");
    axes(&mut svg, &x, &y);
    for (place, series) in series.iter().enumerate() {
        draw(&mut svg, series, &x, &y);
        legend(&mut svg, series, place);
    }
    svg + "</svg>\n"
}

/// A white sheet, to which the contents and the closing `</svg>` are added.
pub(super) fn sheet([width, height]: [f64; 2]) -> String {
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" \
         font-family=\"sans-serif\" font-size=\"13\">\n\
         <rect width=\"{width}\" height=\"{height}\" fill=\"white\"/>\n"
    )
}

/// Our rows, and those of the slides for the same number of winners.
fn series(report: &Report) -> Vec<Series> {
    let top = report.tops.last().copied().unwrap_or(0);
    let mut series = Vec::new();
    for (row, colour) in Row::ALL.into_iter().zip(COLOURS) {
        let own = report.measurements.iter().filter(|m| (m.row, m.top) == (row, top));
        let values: Vec<_> = own.map(|m| (m.points as f64, m.total.seconds)).collect();
        if !values.is_empty() {
            series.push(Series { name: row.name().into(), colour, dashed: false, values });
        }
        let published = published::POINTS.into_iter();
        let values: Vec<_> =
            published.filter_map(|n| Some((n as f64, published::seconds(row, n, top)?))).collect();
        if !values.is_empty() {
            let name = format!("{}, slides", row.name());
            series.push(Series { name, colour, dashed: true, values });
        }
    }
    series
}

/// A logarithmic axis that covers whole decades.
pub(super) struct Axis {
    /// First and last decade.
    decades: [i32; 2],
    /// Their positions in the picture.
    ends: [f64; 2],
}

impl Axis {
    pub(super) fn around(values: impl Iterator<Item = f64>, ends: [f64; 2]) -> Axis {
        let (low, high) = values
            .map(f64::log10)
            .fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), v| (a.min(v), b.max(v)));
        // Without values, one decade.
        let first = if low.is_finite() { low.floor() as i32 } else { 0 };
        let last = if high.is_finite() { high.ceil() as i32 } else { 1 };
        Axis { decades: [first, last.max(first + 1)], ends }
    }

    pub(super) fn place(&self, value: f64) -> f64 {
        let [first, last] = self.decades.map(f64::from);
        let share = (value.log10() - first) / (last - first);
        self.ends[0] + share * (self.ends[1] - self.ends[0])
    }

    /// The decades and their positions.
    pub(super) fn ticks(&self) -> impl Iterator<Item = (i32, f64)> {
        let [first, last] = self.decades;
        (first..=last).map(|decade| (decade, self.place(10f64.powi(decade))))
    }
}

/// The frame, with a line at each decade.
fn axes(svg: &mut String, x: &Axis, y: &Axis) {
    for (decade, at) in x.ticks() {
        line(svg, [at, BOTTOM], [at, TOP], "stroke=\"#dddddd\"");
        power(svg, [at, BOTTOM + 20.0], "middle", decade);
    }
    for (decade, at) in y.ticks() {
        line(svg, [LEFT, at], [RIGHT, at], "stroke=\"#dddddd\"");
        power(svg, [LEFT - 10.0, at + 4.0], "end", decade);
    }
    line(svg, [LEFT, BOTTOM], [RIGHT, BOTTOM], "stroke=\"black\"");
    line(svg, [LEFT, BOTTOM], [LEFT, TOP], "stroke=\"black\"");
}

fn draw(svg: &mut String, series: &Series, x: &Axis, y: &Axis) {
    let Series { colour, dashed, values, .. } = series;
    let places: Vec<[f64; 2]> = values.iter().map(|v| [x.place(v.0), y.place(v.1)]).collect();
    let width = if *dashed { 1 } else { 2 };
    let style = format!("stroke=\"{colour}\" stroke-width=\"{width}\"{}", dashes(*dashed));
    polyline(svg, &places, &style);
    for [x, y] in places.iter().filter(|_| !dashed) {
        let _ = writeln!(svg, "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"3\" fill=\"{colour}\"/>");
    }
}

fn legend(svg: &mut String, series: &Series, place: usize) {
    let y = TOP + 10.0 + LEGEND * place as f64;
    let style = format!("stroke=\"{}\" stroke-width=\"2\"{}", series.colour, dashes(series.dashed));
    line(svg, [RIGHT + 20.0, y], [RIGHT + 50.0, y], &style);
    text(svg, [RIGHT + 58.0, y + 4.0], "start", &series.name);
}

fn dashes(dashed: bool) -> &'static str {
    if dashed { " stroke-dasharray=\"5 4\"" } else { "" }
}

pub(super) fn polyline(svg: &mut String, places: &[[f64; 2]], style: &str) {
    let list: Vec<String> = places.iter().map(|[x, y]| format!("{x:.1},{y:.1}")).collect();
    // Writing to a string cannot fail.
    let _ = writeln!(svg, "<polyline points=\"{}\" fill=\"none\" {style}/>", list.join(" "));
}

pub(super) fn line(svg: &mut String, [x1, y1]: [f64; 2], [x2, y2]: [f64; 2], style: &str) {
    let _ = writeln!(
        svg,
        "<line x1=\"{x1:.1}\" y1=\"{y1:.1}\" x2=\"{x2:.1}\" y2=\"{y2:.1}\" {style}/>"
    );
}

pub(super) fn text(svg: &mut String, [x, y]: [f64; 2], anchor: &str, text: &str) {
    let text = text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
    // XML does not allow control characters.
    let text: String = text.chars().map(|c| if c.is_control() { '?' } else { c }).collect();
    let _ = writeln!(svg, "<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"{anchor}\">{text}</text>");
}

/// A power of ten, as 10 with an exponent.
pub(super) fn power(svg: &mut String, [x, y]: [f64; 2], anchor: &str, exponent: i32) {
    let _ = writeln!(
        svg,
        "<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"{anchor}\">10<tspan dy=\"-5\" \
         font-size=\"10\">{exponent}</tspan></text>"
    );
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_axis_holds_its_values_between_whole_decades() {
        let axis = Axis::around([3.0, 400.0].into_iter(), [0.0, 300.0]);
        assert_eq!(axis.decades, [0, 3]);
        assert!((axis.place(100.0) - 200.0).abs() < 1e-9);
        assert_eq!(axis.ticks().count(), 4);
        // A single value, on a decade, also gets an axis.
        assert_eq!(Axis::around([10.0].into_iter(), [0.0, 1.0]).decades, [1, 2]);
        assert_eq!(Axis::around(std::iter::empty(), [0.0, 1.0]).decades, [0, 1]);
    }
}
