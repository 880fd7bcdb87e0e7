//! Frames of a depth camera that faces a wall with something before it, or that has something near beside what is far.

mod random;

use planes::cloud::Organized;
use planes::{Detection, Detector, Device};
use random::Random;

/// A rectangle, as seen by a camera at the origin that looks along z; y points down. A corner and two edges.
type Face = [[f64; 3]; 3];

const COLUMNS: u32 = 640;
const ROWS: u32 = 480;
const FOCAL: f64 = 525.0;
/// Focal length in pixels times the baseline of 75 mm.
const DEPTH_TIMES_DISPARITY: f64 = 0.075 * FOCAL;

fn dot(a: [f64; 3], b: [f64; 3]) -> f64 {
    (0..3).map(|k| a[k] * b[k]).sum()
}

fn cross(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    [0, 1, 2].map(|i| {
        let (j, k) = ((i + 1) % 3, (i + 2) % 3);
        a[j] * b[k] - a[k] * b[j]
    })
}

/// The depth at which a ray, which goes one along z, meets a rectangle.
fn depth(ray: [f64; 3], [corner, a, b]: &Face) -> Option<f64> {
    let normal = cross(*a, *b);
    let depth = dot(*corner, normal) / dot(ray, normal);
    let place = [0, 1, 2].map(|k| depth * ray[k] - corner[k]);
    let inside = |edge: &[f64; 3]| (0.0..=1.0).contains(&(dot(place, *edge) / dot(*edge, *edge)));
    (depth > 0.0 && inside(a) && inside(b)).then_some(depth)
}

/// The error of each pixel's disparity, in pixels: that of neighbouring pixels is alike.
fn errors() -> Vec<f64> {
    let mut random = Random(1);
    // Nearly normally distributed, with a mean of 0 and a variance of 1.
    let mut normal = || (0..12).map(|_| random.unit()).sum::<f64>() - 6.0;
    let columns = COLUMNS + 2;
    let normals: Vec<f64> = (0..columns * (ROWS + 2)).map(|_| normal()).collect();
    let weights = [1.0, 2.0, 1.0];
    let error = |i: u32| {
        let (row, column) = (i / COLUMNS, i % COLUMNS);
        let around = (0..9).map(|k| {
            let (down, right) = (k / 3, k % 3);
            let normal = normals[((row + down) * columns + column + right) as usize];
            weights[down as usize] * weights[right as usize] * normal
        });
        0.06 * around.sum::<f64>() / 6.0
    };
    (0..COLUMNS * ROWS).map(error).collect()
}

/// What the camera sees of some rectangles, whose disparities come in eighths of a pixel, and the rectangle of each pixel.
fn frame(faces: &[Face]) -> (Vec<[f32; 3]>, Vec<usize>) {
    let errors = errors();
    let pixel = |i: u32| {
        let (row, column) = (i / COLUMNS, i % COLUMNS);
        let ray = [(f64::from(column) - 319.5) / FOCAL, (f64::from(row) - 239.5) / FOCAL, 1.0];
        let hits = faces.iter().enumerate().filter_map(|(k, face)| Some((depth(ray, face)?, k)));
        let (depth, face) = hits.min_by(|a, b| a.0.total_cmp(&b.0)).unwrap();
        let disparity = DEPTH_TIMES_DISPARITY / depth + errors[i as usize];
        let depth = DEPTH_TIMES_DISPARITY / ((8.0 * disparity).round() / 8.0);
        (ray.map(|v| (v * depth) as f32), face)
    };
    (0..COLUMNS * ROWS).map(pixel).unzip()
}

/// Checks that a plane has most of each of the first rectangles and little else, with rows and without.
fn check(name: &str, faces: &[Face], of: usize) {
    let (points, seen) = frame(faces);
    let detector = Detector::new().device(Device::Cpu);
    let organized = Organized { points: &points, row_length: COLUMNS };
    for found in [detector.detect(&points).unwrap(), detector.detect(&organized).unwrap()] {
        (0..of).for_each(|face| assert_found(name, &found, &seen, face));
        assert!(found.planes.len() <= 2 * faces.len(), "{name}: {} planes", found.planes.len());
    }
}

fn assert_found(name: &str, found: &Detection, seen: &[usize], face: usize) {
    let count = |of: &dyn Fn(usize, i32) -> bool| {
        seen.iter().zip(&found.labels).filter(|&(&face, &label)| of(face, label)).count() as f64
    };
    let shared = |plane: usize| count(&|f, l| f == face && l == plane as i32);
    let best = (0..found.planes.len()).max_by(|&a, &b| shared(a).total_cmp(&shared(b)));
    let best = best.unwrap_or_else(|| panic!("{name}: no plane, {:?}", found.parameters));
    let either = count(&|f, l| f == face || l == best as i32);
    let overlap = shared(best) / either;
    assert!(overlap > 0.8, "{name}, face {face}: {overlap:.2}, {:?}", found.parameters);
}

/// A wall at this depth and a board before it, turned downwards by this tangent.
fn wall_and_board(depth: f64, apart: f64, down: f64) -> [Face; 2] {
    let up = [0.0, 9.0, -9.0 * down];
    let at = |x: f64, y: f64, z: f64| [x, y, z - down * y];
    let wall = [at(-9.0, -4.5, depth), [18.0, 0.0, 0.0], up];
    let corner = at(-0.35 * depth, -0.25 * depth, depth - apart);
    let board = [corner, [0.7 * depth, 0.0, 0.0], up.map(|v| v * depth / 18.0)];
    [wall, board]
}

#[test]
fn a_board_before_a_wall_is_another_plane() {
    for (depth, apart) in [(2.0, 0.08), (2.4, 0.15), (2.8, 0.15), (3.0, 0.3), (3.2, 0.3)] {
        for down in [0.0, 0.1] {
            let name = format!("{apart} m before a wall at {depth} m, {down}");
            check(&name, &wall_and_board(depth, apart, down), 2);
        }
    }
}

#[test]
fn what_is_near_does_not_hide_what_is_far() {
    let wall = [[-9.0, -9.0, 3.2], [18.0, 0.0, 0.0], [0.0, 18.0, 0.0]];
    let floor = [[-9.0, 0.9, 0.1], [18.0, 0.0, 0.0], [0.0, 0.0, 4.0]];
    // The top is just below the camera, and reaches nearer than an eighth of the wall's distance.
    let table = [[-0.3, 0.16, 0.35], [1.2, 0.0, 0.0], [0.0, 0.0, 0.9]];
    let board = [[-0.5, -0.35, 0.45], [0.25, 0.0, 0.0], [0.0, 0.5, 0.1]];
    check("near", &[wall, table, board, floor], 3);
}
