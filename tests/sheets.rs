//! Surfaces close behind each other, such as the faces of boards, and a wall with its windows: their distance is no noise.

#[path = "scan/mod.rs"]
mod scan;

use scan::{Face, Random, detect, scan};

#[test]
fn the_thickness_of_boards_is_no_noise() {
    // Three boards of 18 mm before a wall, scanned so densely that the spacing is as small as the noise. The boards have most points.
    let noise = 0.003;
    let random = &mut Random(7);
    let mut points = scan(&Face([0.0; 3], [0.5, 0.0, 0.0], [0.0, 0.0, 1.0]), 25_000, noise, random);
    for board in 0..3 {
        for z in [0.05, 0.068] {
            let corner = [0.0, 0.001, z + 0.33 * f64::from(board)];
            let face = Face(corner, [0.5, 0.0, 0.0], [0.0, 0.3, 0.0]);
            points.extend(scan(&face, 15_000, noise, random));
        }
        let edge =
            Face([0.0, 0.301, 0.05 + 0.33 * f64::from(board)], [0.5, 0.0, 0.0], [0.0, 0.0, 0.018]);
        points.extend(scan(&edge, 900, noise, random));
    }
    let found = detect(&points);
    let read = found.parameters.noise;
    assert!((0.8 * noise..1.2 * noise).contains(&read), "{read}");
    // Both faces of each board, and the wall.
    let large = found.planes.iter().filter(|plane| plane.inliers > 10_000).count();
    assert_eq!(large, 7);
}

#[test]
fn the_depth_of_windows_is_no_noise() {
    // A façade of 32 m × 12 m, of which a quarter is set back.
    for (points, back, noise) in [(60_000, 0.15, 0.005), (10_000, 0.3, 0.005), (60_000, 0.2, 0.002)]
    {
        let random = &mut Random(points);
        let count = usize::try_from(points).unwrap();
        let wall = Face([0.0; 3], [32.0, 0.0, 0.0], [0.0, 0.0, 12.0]);
        let mut cloud = scan(&wall, count, noise, random);
        for [x, y, z] in &mut cloud {
            let is_window = x.rem_euclid(2.4) < 1.2 && (1.0..2.5).contains(&z.rem_euclid(3.0));
            *y += if is_window { back } else { 0.0 };
        }
        let found = detect(&cloud);
        let read = found.parameters.noise;
        assert!((0.8 * noise..1.3 * noise).contains(&read), "{read} with {points} points");
        assert_eq!(found.planes.len(), 2, "{points} points");
        let share = found.planes[0].inliers as f64 / f64::from(u32::try_from(points).unwrap());
        assert!((0.7..0.8).contains(&share), "{share}");
    }
}
