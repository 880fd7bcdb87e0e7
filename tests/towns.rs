//! Towns from the air: many points because the place is large, not because its faces are dense.

#[path = "scan/mod.rs"]
mod scan;

use scan::{Face, Random, detect, scan};

/// Points of a square metre.
const DENSITY: f64 = 3.0;
/// Width of the town, in metres, and of the ground of each house.
const SIDE: f64 = 360.0;
const PLOT: f64 = 20.0;
/// Length of a face from the eaves to the ridge, seen from above, and along the ridge.
const FACE: [f64; 2] = [4.5, 9.0];
const NOISE: f64 = 0.02;

/// Height of the hills.
fn ground(x: f64, y: f64) -> f64 {
    6.0 * (x / 60.0).sin() + 4.0 * (y / 45.0).cos() + 2.0 * (x / 20.0 + y / 25.0).sin()
}

#[test]
fn faces_of_a_hundred_points_are_found_in_a_town_of_four_hundred_thousand() {
    let random = &mut Random(1);
    let [depth, length] = FACE;
    let plots = (SIDE / PLOT) as usize;
    let mut points = Vec::new();
    for plot in 0..plots * plots {
        let corner = [plot % plots, plot / plots].map(|n| PLOT * n as f64 + 5.0);
        let eaves = ground(corner[0], corner[1]) + 4.0 + random.unit();
        let rise = depth * (0.3 + 0.5 * random.unit());
        let along = [0.0, length, 0.0];
        for (x, across) in [(0.0, depth), (2.0 * depth, -depth)] {
            let face = Face([corner[0] + x, corner[1], eaves], along, [across, 0.0, rise]);
            points.extend(scan(&face, (DENSITY * depth * length) as usize, NOISE, random));
        }
    }
    let faces = 2 * plots * plots;
    for _ in 0..(DENSITY * SIDE * SIDE) as usize {
        let [x, y] = [(); 2].map(|()| SIDE * random.unit());
        let is_below_roof = |at: f64, size: f64| (5.0..5.0 + size).contains(&at.rem_euclid(PLOT));
        if !(is_below_roof(x, 2.0 * depth) && is_below_roof(y, length)) {
            points.push([x, y, ground(x, y) + NOISE * (2.0 * random.unit() - 1.0)]);
        }
    }
    let found = detect(&points);
    let is_face = |inliers: u64| (80..160).contains(&inliers);
    let steep = found.planes.iter().filter(|plane| plane.normal[1].abs() < 0.05);
    let right = steep.filter(|plane| is_face(plane.inliers) && plane.normal[0].abs() > 0.2);
    let (right, all) = (right.count(), found.planes.len());
    assert!(right * 100 >= faces * 95, "{right} of {faces}");
    assert!(all * 100 <= faces * 103, "{all} planes, {faces} faces");
}
