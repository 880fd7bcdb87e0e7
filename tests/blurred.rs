//! Frames of a depth camera of which later steps have blurred the pixels: thinned, rounded, with added noise, or merged, wherever
//! the camera was.

use planes::{Detection, Detector, Device};

type Point = [f64; 3];

/// A plane, the points `p` with `normal · p = rho`, as seen by a camera at the origin that looks along z; y points down.
type Wall = (Point, f64);

/// A floor, a ceiling and three walls, none of which the camera faces.
const ROOM: [Wall; 5] = [
    ([0.0, 1.0, 0.0], 1.1),
    ([0.0, 1.0, 0.0], -1.5),
    ([0.5, 0.0, 1.0], 3.9),
    ([1.0, 0.0, -0.1], 1.2),
    ([1.0, 0.0, 0.1], -1.4),
];

/// A number from 0 to 1 that depends on two others.
fn hashed(i: u32, salt: u32) -> f64 {
    let mut v = u64::from(i) << 32 | u64::from(salt);
    for _ in 0..2 {
        v = (v ^ v >> 31).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    }
    (v >> 40) as f64 / f64::from(1 << 24)
}

/// A number with a mean of 0 and a variance of 1, nearly normally distributed.
fn normal(i: u32, salt: u32) -> f64 {
    (0..12).map(|k| hashed(i, 100 * salt + k)).sum::<f64>() - 6.0
}

/// What a camera of 320 × 240 pixels sees, whose disparities come in steps of this many pixels and are off by half a step, and
/// the wall of each pixel.
fn frame(step: f64) -> (Vec<Point>, Vec<usize>) {
    let pixel = |i: u32| {
        let ray = [(f64::from(i % 320) - 159.5) / 262.0, (f64::from(i / 320) - 119.5) / 262.0, 1.0];
        let hit = |(wall, (normal, rho)): (usize, &Wall)| {
            let depth = rho / (0..3).map(|a| normal[a] * ray[a]).sum::<f64>();
            (depth > 0.0).then_some((depth, wall))
        };
        let hits = ROOM.iter().enumerate().filter_map(hit);
        let (depth, wall) = hits.min_by(|a, b| a.0.total_cmp(&b.0)).unwrap();
        let disparity = 20.0 / depth + 0.5 * step * normal(i, 1);
        let depth = 20.0 / (step * (disparity / step).round());
        (ray.map(|v| v * depth), wall)
    };
    (0..320 * 240).map(pixel).unzip()
}

/// Turned and moved, so that the camera is elsewhere and looks along no axis.
fn moved([x, y, z]: Point) -> Point {
    let ([sin, cos], [rise, flat]) = ([0.6, 0.8], [0.28, 0.96]);
    let [a, b, c] = [cos * x + sin * z, y, cos * z - sin * x];
    [a + 3.0, flat * b + rise * c - 7.0, flat * c - rise * b + 1.0]
}

fn detect(points: &[Point]) -> Detection {
    Detector::new().device(Device::Cpu).detect(points).unwrap()
}

/// Checks that a plane has most of each wall and little else, and that there are at most as many others.
fn assert_found(name: &str, found: &Detection, walls: &[usize]) {
    let count = |of: &dyn Fn(usize, i32) -> bool| {
        walls.iter().zip(&found.labels).filter(|&(&wall, &label)| of(wall, label)).count() as f64
    };
    let planes = found.planes.len();
    assert!(planes <= 2 * ROOM.len(), "{name}: {planes} planes, {:?}", found.parameters);
    for wall in 0..ROOM.len() {
        let shared = |plane: i32| count(&|w, l| (w, l) == (wall, plane));
        let best = (0..planes as i32).max_by(|&a, &b| shared(a).total_cmp(&shared(b))).unwrap();
        let either = count(&|w, l| w == wall || l == best);
        assert!(shared(best) > 0.6 * either, "{name}: wall {wall}");
    }
}

/// Searches some of the points of the frame, each changed by its index.
fn check(name: &str, step: f64, of: impl Fn(u32, Point) -> Option<Point>) {
    let (points, walls) = frame(step);
    let changed = points.into_iter().zip(walls).enumerate();
    let changed = changed.filter_map(|(i, (p, wall))| Some((of(i as u32, p)?, wall)));
    let (points, walls): (Vec<Point>, Vec<usize>) = changed.unzip();
    assert_found(name, &detect(&points), &walls);
}

fn with_noise(i: u32, p: Point, noise: f64) -> Point {
    [0, 1, 2].map(|a| p[a as usize] + noise * normal(i, 2 + a))
}

fn rounded(p: Point, to: f64) -> Point {
    p.map(|v| (v / to).round() * to)
}

#[test]
fn thinned_frames_have_whole_walls() {
    for one_in in [2, 5, 12] {
        let kept = |i| hashed(i, 7) * f64::from(one_in) < 1.0;
        check("thinned", 0.0625, |i, p| kept(i).then_some(p));
        check("thinned and moved", 0.0625, |i, p| kept(i).then_some(moved(p)));
    }
}

#[test]
fn frames_with_added_noise_have_whole_walls() {
    for noise in [0.001, 0.003] {
        check("noise", 0.1, |i, p| Some(with_noise(i, p, noise)));
        check("moved, noise", 0.1, |i, p| Some(with_noise(i, moved(p), noise)));
    }
}

#[test]
fn frames_that_were_moved_and_rounded_have_whole_walls() {
    for to in [0.002, 0.005] {
        check("rounded", 0.1, |_, p| Some(rounded(moved(p), to)));
    }
}

#[test]
fn frames_that_were_registered_have_whole_walls() {
    let shift = |i: u32| if hashed(i, 8) < 0.5 { 0.004 } else { 0.0 };
    check("registered", 0.1, |i, p| Some(moved(p).map(|v| v + shift(i))));
}

#[test]
fn treads_seen_from_above_are_no_slices() {
    for (spacing, noise) in [(0.02, 0.005), (0.05, 0.005)] {
        let on_tread = (1.2 * 0.28 / spacing / spacing) as u32;
        let place = |i: u32, tread: u32| {
            let step = f64::from(tread);
            let along = 0.28 * (step + hashed(i, 10));
            [1.2 * hashed(i, 9), along, 0.17 * step + noise * normal(i, 11)]
        };
        let treads =
            (0..14).flat_map(|tread| (0..on_tread).map(move |k| (tread * on_tread + k, tread)));
        let points: Vec<Point> = treads.map(|(i, tread)| place(i, tread)).collect();
        assert_eq!(detect(&points).planes.len(), 14, "{spacing}");
    }
}
