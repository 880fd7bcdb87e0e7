//! Planes as a table for people.

use super::words::{aligned, clean, counted, digits, significant, within};
use planes::measures::Measures;
use planes::{Detection, Plane};

/// Most planes shown; the others are counted.
const ROWS: usize = 30;

/// The smallest difference of angles that an instrument can measure, in degrees.
const FINEST_ANGLE: f64 = 1e-4;

/// The columns.
const HEADING: [&str; 9] =
    ["plane", "points", "area", "length", "width", "slope", "aspect", "offset", "rmse"];

/// A summary, then one row per plane; `unit` is the unit of lengths, if known.
pub fn planes(name: &str, detection: &Detection, unit: Option<&str>) -> String {
    let name = clean(name);
    let (searched, not_chosen) = (detection.input.searched(), detection.input.not_chosen);
    let share = 100.0 * detection.labelled() as f64 / searched.max(1) as f64;
    let points = match not_chosen {
        0 => counted(searched, "point"),
        _ => counted(searched, "chosen point"),
    };
    let count = detection.planes.len();
    let mut out = format!(
        "{name}: {} {} {share:.1} % of {points}\n",
        counted(count as u64, "plane"),
        if count == 1 { "holds" } else { "hold" },
    );
    if count == 0 {
        return out;
    }
    let shown = detection.planes.iter().take(ROWS).enumerate();
    let mut rows: Vec<Vec<String>> = shown.map(|(id, plane)| row(id, plane, detection)).collect();
    if let Some(unit) = unit {
        let area = format!("{unit}²");
        let units = ["", "", &area, unit, unit, "°", "°", unit, unit];
        rows.insert(0, units.map(str::to_owned).into());
    }
    out += &aligned(&HEADING, &rows);
    if count > ROWS {
        out += &format!("  and {} more\n", count - ROWS);
    }
    out
}

/// The cells of a plane, with as many digits as its standard errors justify or, without errors, the
/// tolerance.
fn row(id: usize, plane: &Plane, detection: &Detection) -> Vec<String> {
    let Measures { slope, aspect, length, width } = Measures::of(plane);
    let (input, parameters) = (&detection.input, &detection.parameters);
    let turn = plane.normal_error.unwrap_or(0.1).max(FINEST_ANGLE);
    // The offset holds at the origin. The error of the normal adds to it there.
    let far = plane.centroid.iter().map(|v| v * v).sum::<f64>();
    let reach = (far - plane.offset * plane.offset).max(0.0).sqrt();
    let leaning = plane.normal_error.unwrap_or(0.0).to_radians() * reach;
    let offset = plane.offset_error.unwrap_or(parameters.tolerance / 10.0).hypot(leaning);
    // Coordinates are rounded to steps, so no digit below the step is shown.
    let offset = offset.max(input.step);
    // The steeper a plane, the more certain its aspect.
    let turn_of_aspect = turn / slope.to_radians().sin().max(f64::MIN_POSITIVE);
    let aspect = aspect.map(|aspect| {
        let text = within(aspect, turn_of_aspect);
        // An aspect rounded up to 360 is north again.
        if text.parse() == Ok(360.0) { within(0.0, turn_of_aspect) } else { text }
    });
    // An outline is about as close to the edge as points are to each other.
    let side = |side: f64| match parameters.spacing {
        spacing if spacing > 0.0 => within(side, spacing),
        _ => significant(side),
    };
    vec![
        id.to_string(),
        plane.inliers.to_string(),
        significant(plane.area),
        side(length),
        side(width),
        within(slope, turn),
        aspect.unwrap_or_else(|| "-".into()),
        within(plane.offset, offset),
        digits(plane.rmse, 3),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn detection() -> Detection {
        let plane = Plane {
            normal: [0.6, 0.0, 0.8],
            offset: 12.345_678,
            theta: 0.0,
            phi: 0.0,
            rho: 0.0,
            votes: 9,
            significance: 7.0,
            inliers: 400,
            tolerance: 0.02,
            rmse: 0.004_567,
            normal_error: Some(0.03),
            offset_error: Some(0.002),
            centroid: [0.0; 3],
            area: 25.123_4,
            pieces: Vec::new(),
        };
        Detection { planes: vec![plane], ..Detection::default() }
    }

    #[test]
    fn shares_are_of_the_points_that_were_chosen() {
        let mut detection = detection();
        detection.input.points = 1000;
        assert!(
            planes("a", &detection, None).starts_with("a: 1 plane holds 40.0 % of 1000 points\n")
        );
        detection.input.not_chosen = 500;
        let text = planes("a\n", &detection, None);
        assert!(text.starts_with("a\\n: 1 plane holds 80.0 % of 500 chosen points\n"), "{text}");
    }

    #[test]
    fn an_aspect_is_rounded_to_less_than_360() {
        let mut detection = detection();
        detection.planes[0].normal = [-1e-7, 0.6, 0.8];
        let text = planes("a", &detection, None);
        let row: Vec<&str> = text.lines().nth(2).unwrap().split_whitespace().collect();
        assert_eq!(row[6], "0.00", "{text}");
    }

    #[test]
    fn far_from_the_origin_the_offset_has_few_digits() {
        let mut detection = detection();
        detection.planes[0].centroid = [0.6 * 12.345_678, 4.6e6, 0.8 * 12.345_678];
        let text = planes("a", &detection, None);
        assert!(text.lines().nth(2).unwrap().contains(" 12 "), "{text}");
    }

    #[test]
    fn digits_follow_the_errors_and_units_stand_below_the_heading() {
        let text = planes("a.las", &detection(), Some("m"));
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines[0], "a.las: 1 plane holds 40000.0 % of 0 points");
        let units: Vec<&str> = lines[2].split_whitespace().collect();
        assert_eq!(units, ["m²", "m", "m", "°", "°", "m", "m"]);
        let row: Vec<&str> = lines[3].split_whitespace().collect();
        assert_eq!(row, ["0", "400", "25.12", "0", "0", "36.87", "90.00", "12.346", "0.00457"]);
        assert_eq!(planes("a.las", &detection(), None).lines().count(), 3);
    }
}
