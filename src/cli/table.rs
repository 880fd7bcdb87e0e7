//! Planes as a table for people.

use super::words::{aligned, clean, counted, digits, significant, within};
use planes::measures::Measures;
use planes::{Detection, Plane};

/// Most planes shown; the others are counted.
const ROWS: usize = 30;

/// The smallest difference of angles that an instrument can measure, in degrees.
const FINEST_ANGLE: f64 = 1e-4;

/// The error of a normal that is assumed where it is not known, in degrees.
const UNKNOWN_TURN: f64 = 0.1;

/// How a table says where a plane is.
#[derive(Clone, Copy)]
enum Place {
    /// By its offset.
    Offset,
    /// By the height of its middle: far from the origin, the offset is hardly known.
    Height,
}

impl Place {
    /// How it is said in a table of these planes: by the height if the error of the first plane at the origin is larger
    /// than its tolerance.
    fn of(planes: &[Plane]) -> Place {
        let is_far = |plane: &Plane| leaning(plane, UNKNOWN_TURN) > plane.tolerance;
        if planes.first().is_some_and(is_far) { Place::Height } else { Place::Offset }
    }

    fn heading(self) -> &'static str {
        match self {
            Place::Offset => "offset",
            Place::Height => "z",
        }
    }

    /// The place of a plane, with as many digits as its standard errors justify or, without errors, the tolerance.
    fn cell(self, plane: &Plane, detection: &Detection) -> String {
        let parameters = &detection.parameters;
        let across = plane.offset_error.unwrap_or(parameters.tolerance / 10.0);
        let (value, error) = match self {
            Place::Offset => (plane.offset, across.hypot(leaning(plane, 0.0))),
            Place::Height => {
                let [.., up] = plane.normal;
                // Along the plane, the middle of a surface is known to about the gaps between its points.
                let along = parameters.spacing.max(parameters.tolerance);
                let error = (up * across).hypot((1.0 - up * up).max(0.0).sqrt() * along);
                (plane.centroid[2], error)
            }
        };
        // Coordinates are rounded to steps, so no digit below the step is shown.
        within(value, error.max(detection.input.step))
    }
}

/// What the error of a plane's normal, or `unknown` degrees, adds to that of its offset, which holds at the origin.
fn leaning(plane: &Plane, unknown: f64) -> f64 {
    let far = plane.centroid.iter().map(|v| v * v).sum::<f64>();
    let reach = (far - plane.offset * plane.offset).max(0.0).sqrt();
    plane.normal_error.unwrap_or(unknown).to_radians() * reach
}

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
    let place = Place::of(&detection.planes);
    let row = |(id, plane): (usize, &Plane)| row(id, plane, (place, detection));
    let mut rows: Vec<Vec<String>> = shown.map(row).collect();
    let heading =
        ["plane", "points", "area", "length", "width", "slope", "aspect", place.heading(), "rmse"];
    if let Some(unit) = unit {
        let area = format!("{unit}²");
        let units = ["", "", &area, unit, unit, "°", "°", unit, unit];
        rows.insert(0, units.map(str::to_owned).into());
    }
    out += &aligned(&heading, &rows);
    if count > ROWS {
        out += &format!("  and {} more\n", count - ROWS);
    }
    out
}

/// The cells of a plane, with as many digits as its standard errors justify.
fn row(id: usize, plane: &Plane, (place, detection): (Place, &Detection)) -> Vec<String> {
    let Measures { slope, aspect, length, width } = Measures::of(plane);
    let parameters = &detection.parameters;
    let turn = plane.normal_error.unwrap_or(UNKNOWN_TURN).max(FINEST_ANGLE);
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
        place.cell(plane, detection),
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
    fn far_from_the_origin_the_height_is_shown_instead_of_the_offset() {
        let mut detection = detection();
        let place = |detection: &Detection| {
            let text = planes("a", detection, None);
            let cell = |line: usize| {
                let row = text.lines().nth(line).unwrap().split_whitespace();
                row.rev().nth(1).unwrap().to_owned()
            };
            [cell(1), cell(2)]
        };
        assert_eq!(place(&detection), ["offset", "12.346"]);
        detection.planes[0].centroid = [500_000.0, 4.6e6, 301.123_4];
        detection.parameters.spacing = 0.3;
        assert_eq!(place(&detection), ["z", "301.1"]);
        // That of a level plane does not depend on where its middle is.
        detection.planes[0].normal = [0.0, 0.0, 1.0];
        assert_eq!(place(&detection), ["z", "301.123"]);
        // Without standard errors, the offset is known no better.
        (detection.planes[0].normal_error, detection.planes[0].offset_error) = (None, None);
        assert_eq!(place(&detection)[0], "z");
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
