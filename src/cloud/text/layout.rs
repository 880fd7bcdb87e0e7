//! Whether columns without names are as programs mostly write them.

use super::guess::Rows;

/// Whether numbers that start with x y z go on with nothing, or with colours and normals, before which the
/// intensity may stand, or with a colour and one number.
///
/// Anything else may as well start with a time, the number of a ring or that of a point.
pub(super) fn is_usual(rows: &Rows) -> bool {
    let width = rows.numbers_from(0);
    let has_intensity = width % 3 == 1;
    let first = 3 + usize::from(has_intensity);
    let has_colour = |from: usize| rows.are_colours(from..from + 3) || are_shares(rows, from);
    let is_known = |from: usize| has_colour(from) || rows.are_normals(from..from + 3);
    match width {
        3 => true,
        4 => false,
        _ if width % 3 == 2 => false,
        7 if !has_colour(4) && !rows.are_normals(4..7) => has_colour(3),
        _ => (first..width).step_by(3).all(is_known) && !(has_intensity && is_shifted(rows)),
    }
}

/// Whether three columns are shares of the brightest colour.
fn are_shares(rows: &Rows, from: usize) -> bool {
    let rows = rows.values(from..from + 3);
    rows.iter().flatten().all(|value| (0.0..=1.0).contains(value))
}

/// Whether the first four columns look like something else and then x, y and z: whole numbers before fractions,
/// or what rises from line to line before what is no intensity.
fn is_shifted(rows: &Rows) -> bool {
    let values = rows.values(0..4);
    let part = |is: &dyn Fn(&[f64]) -> bool| values.iter().filter(|row| is(row)).count();
    let has_fraction = |column: usize| 2 * part(&|row| row[column].fract() != 0.0) > values.len();
    let is_numbered = part(&|row| row[0].fract() != 0.0) == 0 && (1..4).all(has_fraction);
    let steps = || values.windows(2).map(|pair| pair[1][0] - pair[0][0]);
    let rises = steps().all(|step| step >= 0.0)
        && 2 * steps().filter(|&step| step > 0.0).count() > steps().count();
    let is_share = |row: &[f64]| (0.0..=1.0).contains(&row[3]);
    is_numbered || (rises && has_fraction(3) && part(&is_share) < values.len())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cloud::text::guess::style_of;

    fn usual(line: impl Fn(usize) -> String) -> bool {
        let text: String = (0..50).map(|i| line(i) + "\n").collect();
        let first = text.lines().next().unwrap_or_default();
        is_usual(&Rows::new(style_of(first.as_bytes()), text.as_bytes(), None).unwrap())
    }

    /// A point whose x neither rises nor falls throughout.
    fn point(i: usize) -> String {
        format!("{}.25 {}.5 {}.125", 37 * i % 50, 11 * i % 50, i % 3)
    }

    #[test]
    fn layouts_of_programs_are_usual() {
        let colour = |i: usize| format!("{} {} 255", i % 200, 7 * i % 256);
        let normal = |i: usize| ["0 0 1", "0.6 -0.8 0.00", "0.577 0.577 -0.577"][i % 3];
        assert!(usual(point));
        assert!(usual(|i| format!("{} {}", point(i), colour(i))));
        assert!(usual(|i| format!("{} {}", point(i), normal(i))));
        assert!(usual(|i| format!("{} 0 0 0", point(i))));
        for intensity in ["-1372", "0.25", "-12.75"] {
            assert!(usual(|i| format!("{} {intensity} {}", point(i), colour(i))));
        }
        assert!(usual(|i| format!("{} 17 {}", point(i), normal(i))));
        assert!(usual(|i| format!("{} {} {}", point(i), colour(i), normal(i))));
        assert!(usual(|i| format!("{} {} {}", point(i), normal(i), colour(i))));
        assert!(usual(|i| format!("{} 3 {} {}", point(i), colour(i), normal(i))));
        assert!(usual(|i| format!("{} 0.{} 0.31 1", point(i), i % 10)));
        assert!(usual(|i| format!("{} {} -7.25", point(i), colour(i))));
        // Sorted by x, or x in whole metres.
        assert!(usual(|i| format!("{i}.5 {} 3.25 17 {}", 7 * i % 50, colour(i))));
        assert!(usual(|i| format!("{} 0.5 3.25 17 {}", 7 * i % 50, colour(i))));
    }

    #[test]
    fn what_may_start_with_something_else_is_not_usual() {
        let id = |i: usize| 17 * i % 50;
        let time = |i: usize| format!("1600000000.{i:03}");
        assert!(!usual(|i| format!("{} 0.5", point(i))));
        assert!(!usual(|i| format!("{} {} {}", id(i), point(i), i % 200)));
        assert!(!usual(|i| format!("{} {} {}", time(i), point(i), i % 200)));
        assert!(!usual(|i| format!("{} {} 3 4", id(i), point(i))));
        assert!(!usual(|i| format!("{} {} 10 20 {}", id(i), point(i), 30 + i)));
        assert!(!usual(|i| format!("{} {} 10 20 {}", time(i), point(i), 30 + i)));
        assert!(!usual(|i| format!("{} {} 9 10 20 {}", time(i), point(i), 30 + i)));
        assert!(!usual(|i| format!("{} 0.5 2.5 {}", point(i), i)));
    }
}
