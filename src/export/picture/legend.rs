//! The list of the largest planes beside the views.

use super::super::palette::colour;
use super::canvas::{Canvas, LETTER, Rect};
use super::theme::Theme;
use crate::detection::Detection;
use crate::measures::Measures;

/// The largest planes by area, largest first.
pub struct Legend {
    rows: Vec<LegendRow>,
    /// Number of all planes.
    planes: usize,
}

struct LegendRow {
    id: usize,
    area: f64,
    measures: Measures,
}

/// Letters of each column, including the blanks before it: number, area, length, width.
const COLUMNS: [usize; 4] = [5, 8, 7, 7];
/// Rows that fit below the views.
const ROWS: usize = 12;

impl Legend {
    /// The legend of a detection.
    pub fn of(detection: &Detection) -> Legend {
        let planes = detection.planes.iter().enumerate();
        let row = |(id, plane): (usize, &crate::Plane)| (id, plane.area);
        let mut largest: Vec<(usize, f64)> = planes.map(row).collect();
        largest.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        let rows = largest.into_iter().take(ROWS).map(|(id, area)| LegendRow {
            id,
            area,
            measures: Measures::of(&detection.planes[id]),
        });
        Legend { rows: rows.collect(), planes: detection.planes.len() }
    }

    /// The row of a plane; for a plane without a row, one after all rows.
    pub fn rank(&self, plane: usize) -> usize {
        self.rows.iter().position(|row| row.id == plane).unwrap_or(self.rows.len())
    }

    /// Draws the legend into a rectangle, with as many rows and columns as fit.
    pub fn draw(
        &self,
        canvas: &mut Canvas,
        rect: Rect,
        (theme, size): (&Theme, usize),
        unit: Option<&str>,
    ) {
        canvas.fill(rect, theme.panel);
        canvas.frame(rect, theme.frame);
        let letter = LETTER * size;
        let left = rect.x + 6 * size;
        let fits = |columns: &usize| {
            COLUMNS[..*columns].iter().sum::<usize>() * letter + 16 * size <= rect.width
        };
        let columns = (1..=COLUMNS.len()).rev().find(fits).unwrap_or(1);
        let heading = ["plane", "area", "length", "width"].map(str::to_owned);
        let step = 11 * size;
        let mut y = rect.y + 6 * size;
        canvas.text(left, y, &aligned(&heading, columns), size, theme.text);
        if let Some(unit) = unit {
            y += step;
            let units = ["", &format!("{unit}²"), unit, unit].map(str::to_owned);
            canvas.text(left, y, &aligned(&units, columns), size, theme.text);
        }
        let bottom = rect.y + rect.height - 4 * size;
        for (k, row) in self.rows.iter().enumerate() {
            y += step;
            let is_last = y + step + letter > bottom;
            if is_last && self.planes > k + 1 {
                let more = format!("and {} more", self.planes - k);
                canvas.text(left, y, &more, size, theme.text);
                return;
            }
            let swatch = Rect { x: left, y, width: letter - size, height: letter - size };
            canvas.fill(swatch, colour(row.id as i32));
            canvas.text(left, y, &aligned(&row.cells(), columns), size, theme.text);
        }
        if self.planes > self.rows.len() {
            let more = format!("and {} more", self.planes - self.rows.len());
            canvas.text(left, y + step, &more, size, theme.text);
        }
    }
}

impl LegendRow {
    fn cells(&self) -> [String; 4] {
        let Measures { length, width, .. } = self.measures;
        [self.id.to_string(), short(self.area), short(length), short(width)]
    }
}

/// The first cells, right-aligned in their columns.
fn aligned(cells: &[String], columns: usize) -> String {
    let cells = cells.iter().zip(COLUMNS).take(columns);
    cells.map(|(cell, width)| format!("{cell:>width$}")).collect()
}

/// A number, written with few letters.
fn short(v: f64) -> String {
    match v.abs() {
        0.0 => "0".into(),
        size if !(1e-3..1e7).contains(&size) => format!("{v:.2e}"),
        size => format!("{v:.*}", (2.0 - size.log10().floor()).max(0.0) as usize),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn areas_are_short() {
        let cases = [(0.0, "0"), (25.12, "25.1"), (9810.4, "9810"), (0.001_234, "0.00123")];
        for (area, expected) in cases {
            assert_eq!(short(area), expected);
        }
        assert_eq!([short(1e12), short(2.5e-9)], ["1.00e12", "2.50e-9"]);
    }
}
