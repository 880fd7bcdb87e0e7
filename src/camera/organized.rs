//! The camera of an organized cloud: one whose points are the pixels of an image, row after row.
//!
//! The pixel of each point is known, so the camera follows from linear equations (the direct linear transform: Hartley and
//! Zisserman, *Multiple View Geometry in Computer Vision*, 2nd edition, section 7.1). Noise does not disturb them, since it
//! moves a point along the line of sight of its own pixel.

use super::evenness::Seen;
use super::pixel_grid::Grid;
use super::viewpoint::Viewpoint;
use crate::frame::Points;
use crate::mix::spread;
use crate::surface::quantile::quantile;
use crate::vector::{Vec3, dot, minus, normalized};
use nalgebra::{DMatrix, Matrix3, SymmetricEigen, Vector3};

/// Fewest points that tell a camera.
const FEWEST: usize = 1 << 9;
/// Most points that are used.
const SAMPLES: usize = 1 << 12;
/// This share of the points is at most so far from its pixel, in pixels: coordinates may be rounded, and lines bent by a
/// lens …
const MOST: f64 = 0.95;
const OFF: f64 = 3.0;
/// … and in front of the camera.
const IN_FRONT: f64 = 0.995;
/// The camera is at the home of the points if they fit their pixels so well as seen from there: at most so many times the
/// distance that is left from where it is found, or so many pixels. A flat wall is seen alike from everywhere.
const NO_WORSE: f64 = 2.0;
const SAME: f64 = 0.01;
/// A camera is at most so many times as far from the middle of the points as they are, in the mean, …
const REACH: f64 = 30.0;
/// … and, unless it is at home, so many times as far away points are more than so many times as far from their pixels.
const FARTHER: f64 = 10.0;
const TOLD: f64 = 2.0;

/// Which pixel each point is.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Rows<'a> {
    /// Pixels of a row.
    pub length: u32,
    /// The index in the file of each point; `None` where it is that of the point.
    pub places: Option<&'a [u32]>,
}

impl Rows<'_> {
    /// Column and row of a point.
    fn pixel(&self, point: usize) -> [f64; 2] {
        let place = self.places.map_or(point as u32, |places| places[point]);
        [place % self.length, place / self.length].map(f64::from)
    }
}

/// A point in its pixel; both are centred and scaled, which keeps the equations well conditioned.
struct Sample {
    pixel: [f64; 2],
    point: Vec3,
}

/// The camera that sees each point in its pixel, if there is one. It may be at the `home` of the points; `some` of them tell
/// how deep the frame is. Points for which `stands_for_none` holds are missing.
pub(super) fn camera(
    points: &Points,
    rows: Rows,
    (home, stands_for_none): (Vec3, &dyn Fn(Vec3) -> bool),
    some: &Seen,
) -> Option<Grid> {
    if rows.length < 2 {
        return None;
    }
    let (pixels, places): (Vec<[f64; 2]>, Vec<Vec3>) = spread(points.len(), SAMPLES)
        .map(|i| (rows.pixel(i), points.get(i).map(f64::from)))
        .filter(|&(_, p)| !stands_for_none(p))
        .unzip();
    if places.len() < FEWEST {
        return None;
    }
    let (pixel_middle, pixel_scale) = middle_and_scale(&pixels)?;
    let (middle, scale) = middle_and_scale(&places)?;
    let samples: Vec<Sample> = (pixels.iter().zip(&places))
        .map(|(pixel, place)| Sample {
            pixel: [0, 1].map(|a| (pixel[a] - pixel_middle[a]) / pixel_scale),
            point: [0, 1, 2].map(|a| (place[a] - middle[a]) / scale),
        })
        .collect();
    let seen_from = |eye: Vec3| {
        let view = Projection::from(eye, &samples)?;
        let off = view.off(&samples)? * pixel_scale;
        Some((view, off))
    };
    let is_near = |eye: &Vec3| dot(*eye, *eye) <= REACH * REACH;
    // From much farther away points are seen in other pixels, unless they lie on a grid in space.
    let is_told = |(view, off): &(Projection, f64)| {
        let farther = seen_from(view.eye.map(|v| FARTHER * v));
        farther.is_none_or(|(_, farther)| farther > TOLD * off.max(SAME))
    };
    let home_of_samples = Some([0, 1, 2].map(|a| (home[a] - middle[a]) / scale));
    let at_home = home_of_samples.filter(is_near).and_then(seen_from);
    let elsewhere = eye(&samples).filter(is_near).and_then(seen_from).filter(is_told);
    let limit = elsewhere.as_ref().map_or(OFF, |(_, off)| (NO_WORSE * off).clamp(SAME, OFF));
    let is_at_home = at_home.as_ref().is_some_and(|&(_, off)| off <= limit);
    let (view, off) = if is_at_home { at_home? } else { elsewhere? };
    if off > OFF {
        return None;
    }
    let eye = match is_at_home {
        true => home,
        false => [0, 1, 2].map(|a| middle[a] + scale * view.eye[a]),
    };
    log::debug!("pixels of an organized cloud, off by {off:.4}, seen from {eye:?}");
    let viewpoint = Viewpoint::new(eye, view.forward, some);
    let pitch = 1.0 / pixel_scale;
    let edge = viewpoint.across(view.to_next_column.map(|v| v * pitch));
    Some(Grid { viewpoint, edge, is_regular: false })
}

/// The mean of some places and their distance from it, as a root mean square; `None` if they are all the same.
fn middle_and_scale<const N: usize>(places: &[[f64; N]]) -> Option<([f64; N], f64)> {
    let n = places.len() as f64;
    let middle = std::array::from_fn(|a| places.iter().map(|p| p[a]).sum::<f64>() / n);
    let square = |p: &[f64; N]| (0..N).map(|a| (p[a] - middle[a]).powi(2)).sum::<f64>();
    let scale = (places.iter().map(square).sum::<f64>() / n).sqrt();
    (scale > 0.0).then_some((middle, scale))
}

/// A pinhole camera at a known place.
struct Projection {
    eye: Vec3,
    /// The matrix that turns directions from the eye into pixels, as homogeneous coordinates.
    matrix: Matrix3<f64>,
    forward: Vec3,
    /// From a pixel to the next of its row, in the image at a depth of one.
    to_next_column: Vec3,
}

impl Projection {
    /// The camera at `eye` that fits the samples best.
    fn from(eye: Vec3, samples: &[Sample]) -> Option<Projection> {
        let directions = samples.iter().map(|s| (s.pixel, minus(s.point, eye)));
        let rows = transform(directions)?;
        let in_front = samples.iter().filter(|s| dot(rows[2], minus(s.point, eye)) > 0.0).count();
        // Pixels tell the matrix but for its sign.
        let sign = if 2 * in_front >= samples.len() { 1.0 } else { -1.0 };
        let matrix = Matrix3::from_fn(|row, column| sign * rows[row][column]);
        let ahead = rows[2].map(|v| sign * v);
        let across = matrix.try_inverse()? * Vector3::x() * dot(ahead, ahead).sqrt();
        let view =
            Projection { eye, matrix, forward: normalized(ahead), to_next_column: across.into() };
        view.to_next_column.iter().all(|v| v.is_finite()).then_some(view)
    }

    /// How far most samples are from their pixels; `None` if some are behind the camera.
    fn off(&self, samples: &[Sample]) -> Option<f64> {
        let mut off: Vec<f64> = samples.iter().filter_map(|s| self.off_one(s)).collect();
        let in_front = off.len() as f64 >= IN_FRONT * samples.len() as f64;
        in_front.then(|| quantile(&mut off, MOST))
    }

    /// How far a sample is from its pixel; `None` if it is behind the camera.
    fn off_one(&self, sample: &Sample) -> Option<f64> {
        let seen = self.matrix * Vector3::from(minus(sample.point, self.eye));
        let [x, y] = sample.pixel;
        (seen.z > 0.0).then(|| (seen.x / seen.z - x).hypot(seen.y / seen.z - y))
    }
}

/// Where the camera is that fits samples best; it need not fit them well.
fn eye(samples: &[Sample]) -> Option<Vec3> {
    let homogeneous = samples.iter().map(|s| {
        let [x, y, z] = s.point;
        (s.pixel, [x, y, z, 1.0])
    });
    let rows = transform(homogeneous)?;
    let matrix = Matrix3::from_fn(|row, column| rows[row][column]);
    let shift = Vector3::from_fn(|row, _| rows[row][3]);
    let eye: Vec3 = (matrix.try_inverse()? * -shift).into();
    eye.iter().all(|v| v.is_finite()).then_some(eye)
}

/// The rows of the matrix that turns points into pixels, as homogeneous coordinates, with the least algebraic error.
fn transform<const N: usize>(
    samples: impl Iterator<Item = ([f64; 2], [f64; N])>,
) -> Option<[[f64; N]; 3]> {
    // Squares of the equations p₁ · x − u (p₃ · x) = 0 and p₂ · x − v (p₃ · x) = 0.
    let mut products = [[[0.0; N]; N]; 4];
    for ([u, v], x) in samples {
        for (weight, sum) in [1.0, u, v, u * u + v * v].into_iter().zip(&mut products) {
            for (row, a) in sum.iter_mut().zip(x) {
                row.iter_mut().zip(x).for_each(|(sum, b)| *sum += weight * a * b);
            }
        }
    }
    let normal = DMatrix::from_fn(3 * N, 3 * N, |i, j| {
        let at = |k: usize| products[k][i % N][j % N];
        match [i / N, j / N] {
            [0, 0] | [1, 1] => at(0),
            [0, 2] | [2, 0] => -at(1),
            [1, 2] | [2, 1] => -at(2),
            [2, 2] => at(3),
            _ => 0.0,
        }
    });
    if !normal.iter().all(|v| v.is_finite()) {
        return None;
    }
    let eigen = SymmetricEigen::new(normal);
    let least = eigen.eigenvalues.imin();
    let found = eigen.eigenvectors.column(least);
    Some([0, 1, 2].map(|row| std::array::from_fn(|column| found[row * N + column])))
}

#[cfg(test)]
mod tests {
    use super::*;

    const COLUMNS: u32 = 120;
    const ROWS: u32 = 90;

    /// What a camera of 120 × 90 pixels at `eye` sees: two walls and a box before them, drawn `turned`.
    fn frame(eye: Vec3, turned: bool) -> Vec<Vec3> {
        let pixel = |i: u32| {
            let [column, row] = [i % COLUMNS, i / COLUMNS].map(f64::from);
            let [x, y] = [(column - 57.0) / 110.0, (row - 41.0) / 110.0];
            // Lines of sight: noise along them does not matter.
            let rough = f64::from(i * 7919 % 1009) * 20.0;
            let depth = match (x, y) {
                (-0.2..0.1, -0.1..0.2) => 2.0e6,
                _ => 3.0e6 / (1.0 + 0.6 * x.abs()),
            } + rough;
            let [x, y, z] = [x * depth, y * depth, depth];
            let [x, y, z] =
                if turned { [0.6 * x + 0.8 * z, y, 0.6 * z - 0.8 * x] } else { [x, y, z] };
            [x + eye[0], y + eye[1], z + eye[2]].map(f64::round)
        };
        (0..COLUMNS * ROWS).map(pixel).collect()
    }

    /// The camera of the points that are kept.
    fn camera_of(all: &[Vec3], keep: impl Fn(usize) -> bool, length: u32) -> Option<Viewpoint> {
        let places: Vec<u32> = (0..all.len()).filter(|&i| keep(i)).map(|i| i as u32).collect();
        let points: Points = places.iter().map(|&i| all[i as usize].map(|v| v as f32)).collect();
        let some = Seen::new(&places.iter().map(|&i| all[i as usize]).collect::<Vec<_>>());
        let rows = Rows { length, places: Some(&places) };
        let grid = camera(&points, rows, ([0.0; 3], &|p| p == [0.0; 3]), &some)?;
        Some(grid.viewpoint.along_pixels(grid.edge, &all[..2000]))
    }

    #[test]
    fn rows_tell_where_the_camera_is() {
        for (eye, turned) in [([0.0; 3], false), ([0.0; 3], true), ([9e5, -4e5, 2e6], true)] {
            let all = frame(eye, turned);
            // Most pixels are missing, and one in ten stands for none.
            let mut holes = all.clone();
            holes.iter_mut().step_by(10).for_each(|p| *p = [0.0; 3]);
            for (points, keep) in [(&all, 1), (&holes, 3)] {
                let found = camera_of(points, |i| i % keep == 0, COLUMNS).unwrap();
                let off = minus(found.eye(), eye);
                assert!(dot(off, off).sqrt() < 30.0, "{found:?}");
                let ahead = if turned { [0.8, 0.0, 0.6] } else { [0.0, 0.0, 1.0] };
                assert!(dot(found.ahead(), ahead) > 1.0 - 1e-9, "{found:?}");
                // The next pixel is 1/110 away.
                let [a, b] = [0, 1].map(|i| found.image(all[i]));
                assert!(((a[0] - b[0]).hypot(a[1] - b[1]) - 1.0 / 110.0).abs() < 1e-6);
            }
        }
    }

    #[test]
    fn a_camera_is_at_home_where_points_do_not_tell() {
        // A flat wall.
        let wall: Vec<Vec3> = (0..COLUMNS * ROWS)
            .map(|i| [i % COLUMNS * 3000, i / COLUMNS * 3000, 1_000_000].map(f64::from))
            .collect();
        assert_eq!(camera_of(&wall, |_| true, COLUMNS).unwrap().eye(), [0.0; 3]);
        let all = frame([0.0; 3], true);
        assert_eq!(camera_of(&all, |_| true, COLUMNS).unwrap().eye(), [0.0; 3]);
    }

    #[test]
    fn what_is_no_image_has_no_camera() {
        let all = frame([9e5, -4e5, 2e6], true);
        // Rows of another length, or few points.
        assert!(camera_of(&all, |_| true, COLUMNS + 7).is_none());
        assert!(camera_of(&all, |_| true, 1).is_none());
        assert!(camera_of(&all, |i| i % 40 == 0, COLUMNS).is_none());
        // A scanner that turns.
        let around = |i: u32| {
            let [turn, up] = [f64::from(i % COLUMNS) / 25.0, f64::from(i / COLUMNS) / 100.0 - 0.4];
            let far = 1e6 + f64::from(i * 7919 % 1009) * 300.0;
            [far * up.cos() * turn.cos(), far * up.cos() * turn.sin(), far * up.sin()]
                .map(f64::round)
        };
        let scan: Vec<Vec3> = (0..COLUMNS * ROWS).map(around).collect();
        assert!(camera_of(&scan, |_| true, COLUMNS).is_none());
        // A height model in steps, level ground far from home, and both at once.
        for (far, step) in [(0.0, 700.0), (4e6, 0.0), (4e6, 700.0)] {
            let model = |i: u32| {
                let [x, y] = [i % COLUMNS, i / COLUMNS].map(f64::from);
                [1000.0 * x + far, 1000.0 * y + far, step * (x / 7.0 + y / 11.0).round() + far]
            };
            let model: Vec<Vec3> = (0..COLUMNS * ROWS).map(model).collect();
            assert!(camera_of(&model, |_| true, COLUMNS).is_none(), "{far} {step}");
        }
        // Points that are all the same.
        assert!(camera_of(&vec![[5.0; 3]; 9000], |_| true, COLUMNS).is_none());
    }
}
