//! Frames of a depth camera without noise, exact or with rounded depths, and small parts of frames whose disparities come in
//! steps.

use planes::cloud::Organized;
use planes::{Detection, Detector, Device};

/// A plane, the points `p` with `normal · p = rho`, as seen by a camera at the origin that looks along z; y points down.
type Wall = ([f64; 3], f64);

/// A floor, a ceiling and three walls, one of which the camera faces.
const ROOM: [Wall; 5] = [
    ([0.0, 1.0, 0.0], 1.2),
    ([0.0, 1.0, 0.0], -1.4),
    ([0.0, 0.0, 1.0], 4.5),
    ([1.0, 0.0, 0.1], 2.0),
    ([1.0, 0.0, -0.2], -2.1),
];

/// The image of the walls in a window of `[first, count]` columns and rows, with depths changed by `rounded`, and the wall of
/// each pixel.
fn image(
    walls: &[Wall],
    [columns, rows]: [[u32; 2]; 2],
    rounded: impl Fn(f64, u32) -> f64,
) -> (Vec<[f32; 3]>, Vec<usize>) {
    let pixel = |i: u32| {
        let [column, row] = [columns[0] + i % columns[1], rows[0] + i / columns[1]];
        let ray = [(f64::from(column) - 159.5) / 262.0, (f64::from(row) - 119.5) / 262.0, 1.0];
        let hit = |(k, (normal, rho)): (usize, &Wall)| {
            let depth = rho / (0..3).map(|a| normal[a] * ray[a]).sum::<f64>();
            (depth > 0.0).then_some((depth, k))
        };
        let hits = walls.iter().enumerate().filter_map(hit);
        let (depth, wall) = hits.min_by(|a, b| a.0.total_cmp(&b.0)).unwrap();
        let depth = rounded(depth, i);
        (ray.map(|v| (v * depth) as f32), wall)
    };
    (0..columns[1] * rows[1]).map(pixel).unzip()
}

const ALL: [[u32; 2]; 2] = [[0, 320], [0, 240]];

/// Checks that each wall is one plane, whose points are nearly all of the wall's.
fn assert_found(found: &Detection, walls: &[usize], of: usize) {
    assert_eq!(found.planes.len(), of, "{:?}", found.parameters);
    let shared = |wall: usize, plane: i32| {
        walls.iter().zip(&found.labels).filter(|&(w, l)| (*w, *l) == (wall, plane)).count()
    };
    let mut taken = Vec::new();
    for wall in 0..of {
        let best = (0..of as i32).max_by_key(|&plane| shared(wall, plane)).unwrap();
        let all = walls.iter().filter(|&&w| w == wall).count();
        assert!(shared(wall, best) as f64 > 0.95 * all as f64, "wall {wall} of {all}");
        assert!(!taken.contains(&best), "{best}");
        taken.push(best);
    }
}

/// The planes of a frame, as points and with its rows.
fn detect(points: &[[f32; 3]], row_length: u32) -> [Detection; 2] {
    let detector = Detector::new().device(Device::Cpu);
    let organized = Organized { points, row_length };
    [detector.detect(points).unwrap(), detector.detect(&organized).unwrap()]
}

#[test]
fn rendered_frames_have_whole_walls() {
    let exact = |depth: f64, _| depth;
    let millimetres = |depth: f64, _| (1e3 * depth).round() / 1e3;
    let centimetres = |depth: f64, _| (1e2 * depth).round() / 1e2;
    let fifths = |depth: f64, _| (5e3 * depth).round() / 5e3;
    for rounded in [exact, millimetres, centimetres, fifths] {
        let (points, walls) = image(&ROOM, ALL, rounded);
        for found in detect(&points, ALL[0][1]) {
            assert_found(&found, &walls, ROOM.len());
        }
    }
}

#[test]
fn rows_of_an_exact_floor_are_no_steps() {
    // A level camera sees the inverse depths of a floor grow alike from row to row; a low plate lies 1 cm above the floor.
    let scene = [([0.0, 1.0, 0.0], 1.2), ([0.3, 0.0, 1.0], 4.5)];
    let (mut points, mut walls) = image(&scene, ALL, |depth, _| depth);
    let higher = [([0.0, 1.0, 0.0], 1.19), ([0.3, 0.0, 1.0], 4.5)];
    let plate = image(&higher, ALL, |depth, _| depth).0;
    for (i, p) in plate.into_iter().enumerate() {
        if p[0].abs() < 0.5 && (2.2..3.2).contains(&p[2]) {
            (points[i], walls[i]) = (p, 2);
        }
    }
    for found in detect(&points, ALL[0][1]) {
        assert_found(&found, &walls, 3);
    }
}

#[test]
fn far_parts_of_a_frame_do_not_fall_into_steps() {
    // Disparities in eighths of a pixel and a little noise; the corner of the room is 4.5 m away.
    let stepped = |depth: f64, i: u32| {
        let noise = f64::from(i.wrapping_mul(2_654_435_761) >> 16) / 65_536.0 - 0.5;
        160.0 / (160.0 / depth + 0.7 * noise).round()
    };
    let part = [[220, 100], [140, 100]];
    let (points, walls) = image(&ROOM, part, stepped);
    for found in detect(&points, part[0][1]) {
        assert!((2..=4).contains(&found.planes.len()), "{:?}", found.parameters);
        let labelled = found.labels.iter().filter(|&&label| label >= 0).count();
        assert!(labelled as f64 > 0.75 * walls.len() as f64, "{labelled}");
    }
}
