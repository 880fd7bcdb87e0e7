//! The pixels of a depth camera's frame: which points are next to each other in its image.

use super::raster::{EDGE, Image, Raster, UNEVEN, apart};
use super::viewpoint::Sight;
use crate::frame::Points;
use crate::sets::Sets;
use crate::surface::quantile::quantile;
use rayon::prelude::*;

/// Points are next to each other when they are at most this many pixels apart: across a corner, too.
const NEXT: f32 = EDGE;
/// Every place of a grid has a point at most so many pixels away; half the diagonal of a pixel is 0.71.
const WITHIN: f32 = 0.75;
/// More points than this in one place are no pixels, …
const CROWD: usize = 64;
/// … or than this in places of a size that most of the image may not fill.
const ROUGH_CROWD: usize = 1 << 10;
/// Points that one thread joins at a time.
const BAND: usize = 1 << 15;
/// Points that tell the distance between pixels, and whether they are a grid.
const SAMPLES: usize = 1 << 12;
/// At least this share of the points of a grid are a pixel from the next one, give or take `UNEVEN`, …
const SHARE: f64 = 0.8;
/// … and most points have at least this many next to them: neither every other row is missing nor every other column.
const NEIGHBOURS: f64 = 4.0;

/// The image of a frame.
#[derive(Debug)]
pub(crate) struct Pixels {
    /// How it is seen.
    pub sight: Sight,
    /// Its points; lengths are in pixels.
    raster: Raster,
}

impl Pixels {
    /// The image of a cloud; `None` if its points are no grid of pixels as they are seen.
    pub fn find(points: &Points, sight: Sight) -> Option<Pixels> {
        let image = Image::of(points, |p| sight.place(p))?;
        let with = |pixel: f64, most: usize| {
            let pixels = Pixels { sight, raster: image.raster(pixel)? };
            (pixels.raster.most_in_place() <= most).then_some(pixels)
        };
        let apart = quantile(&mut with(image.apart, ROUGH_CROWD)?.nearest_to_samples(), 0.5);
        with(image.apart * apart, CROWD).filter(Pixels::is_grid)
    }

    /// Whether the points are a grid: one a pixel, each with pixels around it.
    fn is_grid(&self) -> bool {
        let nearest = self.nearest_to_samples();
        let even = nearest.iter().filter(|&d| (d - 1.0).abs() <= UNEVEN).count();
        let near =
            |i: u32| self.raster.around(self.place(i)).filter(move |&(j, d)| j != i && d <= NEXT);
        let mut next: Vec<f64> = self.samples().map(|i| near(i).count() as f64).collect();
        even as f64 >= SHARE * nearest.len() as f64 && quantile(&mut next, 0.5) >= NEIGHBOURS
    }

    /// Points spread over the whole image.
    fn samples(&self) -> impl Iterator<Item = u32> {
        let points = self.raster.points();
        points.iter().copied().step_by(points.len().div_ceil(SAMPLES).max(1))
    }

    /// The distance from some points to the nearest others; infinite if that is far.
    fn nearest_to_samples(&self) -> Vec<f64> {
        let nearest = |i: u32| {
            let others = self.raster.around(self.place(i)).filter(|&(j, _)| j != i);
            f64::from(others.map(|(_, d)| d).fold(f32::INFINITY, f32::min))
        };
        self.samples().map(nearest).collect()
    }

    /// The point at a place of the image, if there is one.
    pub fn at(&self, place: [f32; 2]) -> Option<u32> {
        let near = self.raster.around(place).filter(|&(_, d)| d <= WITHIN);
        near.min_by(|a, b| a.1.total_cmp(&b.1).then(a.0.cmp(&b.0))).map(|(point, _)| point)
    }

    /// Where a point lies in the image, in pixels.
    pub fn place(&self, point: u32) -> [f32; 2] {
        self.raster.at(point)
    }

    /// For each point the number of its part, which is less than the number of points. A part is all points of one label
    /// that are connected through points next to each other. Points with a negative label, and those outside the image,
    /// are alone.
    pub fn connected(&self, labels: &[i32]) -> Vec<u32> {
        let raster = &self.raster;
        let points = raster.points();
        let ordered: Vec<(i32, [f32; 2])> = points
            .par_iter()
            .with_min_len(BAND)
            .map(|&i| (labels[i as usize], self.place(i)))
            .collect();
        let is_next = |i: usize, j: usize| {
            let [(label, at), (other, there)] = [ordered[i], ordered[j]];
            label == other && apart(at, there) <= NEXT
        };
        // Joins the points of a row with those of the next one, or with each other.
        let join_row = |row: usize, below: bool, join: &mut dyn FnMut(usize, usize)| {
            for column in 0..raster.columns() {
                let own = raster.run(row, [column, column + 1]);
                let others = match below {
                    true => raster.run(row + 1, [column.saturating_sub(1), column + 2]),
                    false => own.start..raster.run(row, [column, column + 2]).end,
                };
                for i in own.filter(|&i| ordered[i].0 >= 0) {
                    let others = others.start.max(i + 1)..others.end;
                    others.filter(|&j| is_next(i, j)).for_each(|j| join(i, j));
                }
            }
        };
        let mut parts: Vec<u32> = (0..points.len() as u32).collect();
        let bands = raster.bands(BAND);
        let mut rest = &mut parts[..];
        let mut own = Vec::new();
        for rows in &bands {
            let (band, after) = rest.split_at_mut(raster.run_of(rows).len());
            own.push((rows.clone(), Sets::new(raster.run_of(rows).start as u32, band)));
            rest = after;
        }
        own.into_par_iter().for_each(|(rows, mut parts)| {
            for row in rows.clone() {
                join_row(row, false, &mut |i, j| parts.join(i as u32, j as u32));
                if row + 1 < rows.end {
                    join_row(row, true, &mut |i, j| parts.join(i as u32, j as u32));
                }
            }
        });
        let mut whole = Sets::new(0, &mut parts);
        for rows in &bands[..bands.len().saturating_sub(1)] {
            join_row(rows.end - 1, true, &mut |i, j| whole.join(i as u32, j as u32));
        }
        // Points outside the image get the numbers after those of the others.
        let mut outside = points.len() as u32..;
        let mut numbers: Vec<u32> = vec![u32::MAX; labels.len()];
        for (k, &i) in (0..).zip(points) {
            numbers[i as usize] = whole.root(k);
        }
        let missing = numbers.iter_mut().filter(|number| **number == u32::MAX);
        missing.zip(&mut outside).for_each(|(number, next)| *number = next);
        numbers
    }
}

#[cfg(test)]
mod tests {
    use super::super::viewpoint::SeenFrom;
    use super::*;

    /// A grid of 60 × 40 pixels, rotated, without those that are `left_out`.
    fn grid(left_out: impl Fn(usize) -> bool) -> (Vec<usize>, Points) {
        let chosen: Vec<usize> = (0..2400).filter(|&i| !left_out(i)).collect();
        let point = |&i: &usize| {
            let [u, v] = [i % 60, i / 60].map(|v| v as f32);
            [80.0 * u - 60.0 * v, 60.0 * u + 80.0 * v, (i * 7919 % 997) as f32].map(f32::round)
        };
        let points = chosen.iter().map(point).collect();
        (chosen, points)
    }

    fn pixels(points: &Points) -> Option<Pixels> {
        Pixels::find(
            points,
            Sight { from: SeenFrom::Drawn { nearest: f64::INFINITY }, camera: [0.0; 3] },
        )
    }

    #[test]
    fn parts_are_what_is_connected_from_pixel_to_pixel() {
        // A column and a row are missing; other labels are other parts.
        let (chosen, points) = grid(|i| i % 60 == 20 || i / 60 == 30);
        let pixels = pixels(&points).unwrap();
        let label = |i: usize| match i % 60 {
            0..40 => 4,
            40..50 => 7,
            _ => -1,
        };
        let labels: Vec<i32> = chosen.iter().map(|&i| label(i)).collect();
        let parts = pixels.connected(&labels);
        let part_of = |i: usize| (i % 60 > 20, i / 60 > 30, label(i));
        for (a, &i) in chosen.iter().enumerate().step_by(7) {
            for (b, &j) in chosen.iter().enumerate() {
                let labelled = labels[a] >= 0 && labels[b] >= 0;
                let same = a == b || labelled && part_of(i) == part_of(j);
                assert_eq!(parts[a] == parts[b], same, "{i} {j}");
            }
        }
        // A pixel is found by where it is, a missing one is not.
        assert_eq!(pixels.at(pixels.place(77)), Some(77));
        let [before, after] =
            [79, 81].map(|i| pixels.place(chosen.binary_search(&i).unwrap() as u32));
        assert_eq!(pixels.at([0, 1].map(|a| 0.5 * (before[a] + after[a]))), None);
        assert_eq!(pixels.at([f32::NAN, 3.0]), None);
        assert_eq!(pixels.at([-50.0, 3.0]), None);
    }

    #[test]
    fn bands_are_joined() {
        // More points than one thread joins at a time: rows that are connected at one end only.
        let points: Points =
            (0..400 * 400).map(|i| [(i % 400) as f32, (i / 400) as f32, 0.0]).collect();
        let label = |i: usize| match [i % 400, i / 400] {
            [x, y] if y % 2 == 0 || x == if y % 4 == 1 { 399 } else { 0 } => 0,
            _ => -1,
        };
        let labels: Vec<i32> = (0..400 * 400).map(label).collect();
        let parts = pixels(&points).unwrap().connected(&labels);
        let of_label: Vec<u32> =
            (0..parts.len()).filter(|&i| labels[i] == 0).map(|i| parts[i]).collect();
        assert!(of_label.iter().all(|&part| part == of_label[0]));
    }

    #[test]
    fn rows_with_wide_gaps_are_no_grid() {
        assert!(pixels(&grid(|_| false).1).is_some());
        assert!(pixels(&grid(|i| i / 60 % 2 == 1).1).is_none());
        assert!(pixels(&(0..2400).map(|i| [i as f32, 0.0, 0.0]).collect()).is_none());
    }
}
