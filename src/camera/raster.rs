//! The points of an image in square places, to find neighbours.

use crate::frame::Points;
use crate::mix::mixed;
use crate::vector::Vec3;
use rayon::prelude::*;
use std::ops::Range;

/// Edge of a place, in the lengths that places are given in.
pub(super) const EDGE: f32 = 1.6;
/// In a grid the nearest point is one pixel away, give or take this share of a pixel.
pub(super) const UNEVEN: f64 = 0.25;
/// Points farther than this many standard deviations from the middle of the image are not in it.
const FAR: f64 = 4.0;
/// Most places of the image for each point, or in all if that is more: a frame may be nearly empty, and is larger if it
/// is rolled.
const PLACES: usize = 4;
const IN_ALL: usize = 1 << 22;
/// Points that one thread processes at a time.
const PIECE: usize = 1 << 14;

/// The points of an image in square places of equal size, row by row.
#[derive(Debug)]
pub(super) struct Raster {
    /// Where each point lies, in a length of about one pixel; NaN for those that are not in the image.
    at: Vec<[f32; 2]>,
    columns: usize,
    rows: usize,
    /// Where each place begins in `points`, and where the last one ends.
    starts: Vec<u32>,
    /// The points, place by place.
    points: Vec<u32>,
}

/// Where points lie in an image, before their places have a size.
pub(super) struct Image {
    at: Vec<[f64; 2]>,
    low: [f64; 2],
    /// Distance between neighbours of a square grid that fills the image. Where part of the image is empty, neighbours
    /// are nearer.
    pub apart: f64,
}

impl Image {
    /// The image in which `place` tells where a point lies, NaN if it is not there; `None` if all of them lie on a line.
    /// Points far from all others are not in it either.
    pub fn of(points: &Points, place: impl Fn(Vec3) -> [f64; 2] + Sync) -> Option<Image> {
        let place = |i: usize| place(points.get(i).map(f64::from));
        let mut at: Vec<[f64; 2]> =
            (0..points.len()).into_par_iter().with_min_len(PIECE).map(place).collect();
        let (low, high) = bounds(&at);
        let is_inside = |p: &[f64; 2]| (0..2).all(|a| (low[a]..=high[a]).contains(&p[a]));
        at.par_iter_mut().filter(|p| !is_inside(p)).for_each(|p| *p = [f64::NAN; 2]);
        let area = (high[0] - low[0]) * (high[1] - low[1]);
        let inside = at.iter().filter(|p| !p[0].is_nan()).count();
        let apart = (area / inside.max(1) as f64).sqrt();
        (apart > 0.0 && apart.is_finite()).then_some(Image { at, low, apart })
    }

    /// The points in one in so many square tiles of this edge, given in lengths of `apart`, sorted by tile.
    pub fn tiles(&self, edge: f64, one_in: u64) -> Vec<(u64, u32)> {
        let tile = |(i, p): (usize, &[f64; 2])| {
            let [u, v] = [0, 1].map(|a| ((p[a] - self.low[a]) / (edge * self.apart)) as u64);
            // Not even the first tile is always chosen.
            let tile = mixed(mixed(u + 1) ^ v);
            (!p[0].is_nan() && tile.is_multiple_of(one_in)).then_some((tile, i as u32))
        };
        let all = self.at.par_iter().enumerate().with_min_len(PIECE);
        let mut tiles: Vec<(u64, u32)> = all.filter_map(tile).collect();
        tiles.par_sort_unstable();
        tiles
    }

    /// Where a point is in its tile of this edge, in tiles.
    pub fn in_tile(&self, point: u32, edge: f64) -> [f64; 2] {
        let place = self.at[point as usize];
        [0, 1].map(|a| ((place[a] - self.low[a]) / (edge * self.apart)).fract())
    }

    /// Its points in places of about one pixel, which is so long; `None` if they are too many since most of the image is empty.
    pub fn raster(&self, pixel: f64) -> Option<Raster> {
        if !(pixel > 0.0 && pixel.is_finite()) {
            return None;
        }
        let in_pixels = |p: &[f64; 2]| [0, 1].map(|a| ((p[a] - self.low[a]) / pixel) as f32);
        Raster::new(self.at.par_iter().with_min_len(PIECE).map(in_pixels).collect())
    }
}

impl Raster {
    fn new(at: Vec<[f32; 2]>) -> Option<Raster> {
        let inside = || at.iter().zip(0u32..).filter(|(p, _)| !p[0].is_nan());
        let high = inside().fold([0f32; 2], |high, (p, _)| [0, 1].map(|a| high[a].max(p[a])));
        let [columns, rows] = high.map(|v| ((v / EDGE) as usize).saturating_add(1));
        let count = columns.checked_mul(rows).filter(|&n| n <= IN_ALL.max(PLACES * at.len()))?;
        let place = |p: &[f32; 2]| {
            let [column, row] = p.map(|v| (v / EDGE) as usize);
            row * columns + column
        };
        let mut starts = vec![0u32; count + 1];
        inside().for_each(|(p, _)| starts[place(p) + 1] += 1);
        (1..starts.len()).for_each(|i| starts[i] += starts[i - 1]);
        let mut next = starts.clone();
        let mut points = vec![0u32; starts[count] as usize];
        for (p, i) in inside() {
            let next = &mut next[place(p)];
            points[*next as usize] = i;
            *next += 1;
        }
        Some(Raster { at, columns, rows, starts, points })
    }

    /// Most points in one place.
    pub fn most_in_place(&self) -> usize {
        self.starts.windows(2).map(|ends| (ends[1] - ends[0]) as usize).max().unwrap_or(0)
    }

    /// Number of columns.
    pub fn columns(&self) -> usize {
        self.columns
    }

    /// The points in some columns of a row, by their numbers in `points`.
    pub fn run(&self, row: usize, [first, end]: [usize; 2]) -> Range<usize> {
        let at = |column: usize| self.starts[row * self.columns + column.min(self.columns)];
        at(first) as usize..at(end) as usize
    }

    /// The points in some rows, by their numbers in `points`.
    pub fn run_of(&self, rows: &Range<usize>) -> Range<usize> {
        let [first, end] = [rows.start, rows.end].map(|row| self.starts[row * self.columns]);
        first as usize..end as usize
    }

    /// The rows in bands of about so many points.
    pub fn bands(&self, points: usize) -> Vec<Range<usize>> {
        let (mut bands, mut first) = (Vec::new(), 0);
        for end in 1..=self.rows {
            if end == self.rows || self.run_of(&(first..end)).len() >= points {
                bands.push(first..end);
                first = end;
            }
        }
        bands
    }

    /// The points of the image, place by place.
    pub fn points(&self) -> &[u32] {
        &self.points
    }

    /// Where a point lies; NaN if it is not in the image.
    pub fn at(&self, point: u32) -> [f32; 2] {
        self.at[point as usize]
    }

    /// The points in the places around a position of the image, at least those within `EDGE`, and their distances from it;
    /// none for positions that are negative or no numbers.
    pub fn around(&self, at: [f32; 2]) -> impl Iterator<Item = (u32, f32)> {
        // What is no number is in no place.
        let [column, row] = at.map(|v| if v >= 0.0 { (v / EDGE) as usize } else { usize::MAX - 1 });
        let rows = row.saturating_sub(1)..row.saturating_add(2).min(self.rows);
        rows.flat_map(move |row| {
            let run = self.run(row, [column.saturating_sub(1), column.saturating_add(2)]);
            self.points[run].iter().map(move |&j| (j, apart(self.at(j), at)))
        })
    }
}

/// The distance between two places.
pub(crate) fn apart(a: [f32; 2], b: [f32; 2]) -> f32 {
    let [x, y] = [a[0] - b[0], a[1] - b[1]];
    (x * x + y * y).sqrt()
}

/// The part of the image in which nearly all places are that are numbers: its least and its largest coordinates.
fn bounds(places: &[[f64; 2]]) -> ([f64; 2], [f64; 2]) {
    // Added up piece by piece and then in order, so that the sums do not depend on the number of threads.
    let add = |[n, u, v, uu, vv]: [f64; 5], &[a, b]: &[f64; 2]| {
        [n + 1.0, u + a, v + b, uu + a * a, vv + b * b]
    };
    let sums =
        |places: &[[f64; 2]]| places.iter().filter(|place| !place[0].is_nan()).fold([0.0; 5], add);
    let pieces: Vec<[f64; 5]> = places.par_chunks(PIECE).map(sums).collect();
    let mut total = [0.0; 5];
    pieces.iter().for_each(|piece| total.iter_mut().zip(piece).for_each(|(sum, v)| *sum += v));
    let [n, sums @ ..] = total;
    let [u, v, uu, vv] = sums.map(|sum| sum / n.max(1.0));
    let (middle, half) =
        ([u, v], [uu - u * u, vv - v * v].map(|variance| FAR * variance.max(0.0).sqrt()));
    let within = |p: &&[f64; 2]| (0..2).all(|a| (p[a] - middle[a]).abs() <= half[a]);
    let start = ([f64::INFINITY; 2], [f64::NEG_INFINITY; 2]);
    places.iter().filter(within).fold(start, |(low, high), p| {
        ([0, 1].map(|a| low[a].min(p[a])), [0, 1].map(|a| high[a].max(p[a])))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_are_found_by_where_they_are() {
        let point = |i: usize| [(i % 50) as f32 * 100.0, (i / 50) as f32 * 100.0, 7.0];
        let points: Points = (0..2000).map(point).chain([[4e6, 4e6, 7.0]]).collect();
        let image = Image::of(&points, |p| [p[0], p[1]]).unwrap();
        let raster = image.raster(100.0).unwrap();
        // The last point is far outside.
        assert_eq!(raster.points().len(), 2000);
        assert!(raster.at(2000)[0].is_nan());
        assert_eq!(raster.around(raster.at(2000)).count(), 0);
        assert_eq!(raster.around([-3.0, 5.0]).count(), 0);
        let near = |at| raster.around(at).filter(|&(_, d)| d <= 1.0).map(|(i, _)| i);
        let mut around: Vec<u32> = near(raster.at(777)).collect();
        around.sort_unstable();
        assert_eq!(around, [727, 776, 777, 778, 827]);
        assert_eq!(near(raster.at(1999)).count(), 3);
        let bands = raster.bands(500);
        assert!(bands.len() > 2);
        let all: Vec<usize> = bands.iter().flat_map(|rows| raster.run_of(rows)).collect();
        assert!(all.into_iter().eq(0..2000));
    }

    #[test]
    fn an_image_that_is_nearly_empty_is_in_places_as_well() {
        // A diagonal of 1000 rows and columns.
        let points: Points = (0..1000).map(|i| [i as f32, i as f32, 0.0]).collect();
        let image = Image::of(&points, |p| [p[0], p[1]]).unwrap();
        let raster = image.raster(1.0).unwrap();
        assert_eq!((raster.points().len(), raster.most_in_place()), (1000, 2));
        assert!(image.raster(0.1).is_none());
    }

    #[test]
    fn what_has_no_area_has_no_image() {
        let image = |points: Points| Image::of(&points, |p| [p[0], p[1]]);
        assert!(image((0..100).map(|i| [i as f32, 5.0, 0.0]).collect()).is_none());
        assert!(image((0..100).map(|_| [3.0, 5.0, 0.0]).collect()).is_none());
        assert!(image(Points::default()).is_none());
        let wide = image((0..100).map(|i| [(i % 10) as f32, (i / 10) as f32, 0.0]).collect());
        let wide = wide.unwrap();
        assert!(wide.raster(1e-30).is_none() && wide.raster(f64::NAN).is_none());
        assert!(wide.raster(0.0).is_none() && wide.raster(1.0).is_some());
    }
}
