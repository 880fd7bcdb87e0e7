//! Planes as a table for people.

use planes::Detection;
use std::fmt::Write;

/// Planes shown; the rest is counted.
const ROWS: usize = 30;

/// A summary line and one row a plane.
pub fn planes(name: &str, detection: &Detection) -> String {
    let share = 100.0 * detection.labelled() as f64 / detection.input.points.max(1) as f64;
    let mut out = String::new();
    // Writing to a string cannot fail.
    let _ = writeln!(
        out,
        "{name}: {} planes hold {share:.1} % of {} points",
        detection.planes.len(),
        detection.input.points
    );
    if detection.planes.is_empty() {
        return out;
    }
    let _ = writeln!(
        out,
        "{:>5} {:>9} {:>12} {:>10}   {:<29} {:>14}   centroid",
        "plane", "inliers", "area", "rmse", "normal", "offset"
    );
    for (i, p) in detection.planes.iter().take(ROWS).enumerate() {
        let n = p.normal;
        let c = p.centroid;
        let _ = writeln!(
            out,
            "{i:>5} {:>9} {:>12} {:>10}   {:<29} {:>14.4}   {:.2} {:.2} {:.2}",
            p.inliers,
            significant(p.area),
            significant(p.rmse),
            format!("{:+.5} {:+.5} {:+.5}", n[0], n[1], n[2]),
            p.offset,
            c[0],
            c[1],
            c[2]
        );
    }
    if detection.planes.len() > ROWS {
        let _ = writeln!(out, "  and {} more", detection.planes.len() - ROWS);
    }
    out
}

/// A positive number with four significant digits.
pub fn significant(v: f64) -> String {
    if v == 0.0 {
        return "0".into();
    }
    let digits = 3 - v.abs().log10().floor() as i32;
    format!("{v:.*}", digits.clamp(0, 12) as usize)
}

#[cfg(test)]
mod tests {
    use super::significant;

    #[test]
    fn four_digits_are_shown() {
        assert_eq!(significant(0.001_234_56), "0.001235");
        assert_eq!(significant(12.3456), "12.35");
        assert_eq!(significant(1_234_567.8), "1234568");
        assert_eq!(significant(0.0), "0");
    }
}
