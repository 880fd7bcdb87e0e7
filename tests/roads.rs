//! Roads, of which two sides fall from the crown to kerbs or shoulders, and decks with bays.

#[path = "scan/mod.rs"]
mod scan;

use planes::Detection;
use scan::{Face, Random, detect, scan};

/// Slope of a pavement.
const FALL: f64 = 0.015;
/// Width of a pavement.
const PAVEMENT: f64 = 2.5;
/// Height of the kerbs.
const KERB: f64 = 0.12;

/// The slopes across a road of planes with more than so many points, ascending, and their numbers of points.
fn slopes_of(found: &Detection, more: u64) -> Vec<(f64, u64)> {
    let large = found.planes.iter().filter(|plane| plane.inliers > more);
    let mut slopes: Vec<(f64, u64)> =
        large.map(|plane| (-plane.normal[1] / plane.normal[2], plane.inliers)).collect();
    slopes.sort_by(|a, b| a.0.total_cmp(&b.0));
    slopes
}

/// The slopes of planes with more than 5000 points. The road has two sides of this width and so many points, kerbs, and two pavements.
fn slopes([crown, width, length]: [f64; 3], points: [usize; 3], noise: f64) -> Vec<(f64, u64)> {
    let random = &mut Random(points[0] as u64);
    let along = [length, 0.0, 0.0];
    let mut cloud = Vec::new();
    for side in [1.0, -1.0] {
        let low = -crown * width;
        let half = [0.0, side * width, low];
        let [foot, top] = [low, low + KERB].map(|z| [0.0, side * width, z]);
        let pavement = [0.0, side * PAVEMENT, FALL * PAVEMENT];
        for (corner, across, count) in [
            ([0.0; 3], half, points[0]),
            (top, pavement, points[1]),
            (foot, [0.0, 0.0, KERB], points[2]),
        ] {
            cloud.extend(scan(&Face(corner, along, across), count, noise, random));
        }
    }
    slopes_of(&detect(&cloud), 5000)
}

#[test]
fn the_sides_of_a_crowned_road_and_its_pavements_are_four_planes() {
    let crowned = |crown: f64, size: [f64; 2], points: [usize; 3], noise: f64| {
        let slopes = slopes([crown, size[0], size[1]], points, noise);
        let is_near = |inliers: u64, points: usize| {
            let share = inliers as f64 / points as f64;
            (0.75..1.25).contains(&share)
        };
        let truth =
            [(-crown, points[0]), (-FALL, points[1]), (FALL, points[1]), (crown, points[0])];
        assert_eq!(slopes.len(), truth.len(), "{noise}: {slopes:?}");
        for (&(slope, inliers), (true_slope, points)) in slopes.iter().zip(truth) {
            let is_right = (slope - true_slope).abs() < 0.004 && is_near(inliers, points);
            assert!(is_right, "{noise}: {slopes:?}");
        }
    };
    for noise in [0.005, 0.006, 0.01, 0.015] {
        crowned(0.02, [4.0, 70.0], [76_000, 12_000, 2250], noise);
    }
    // With so many points on the pavements, the steps look like waves.
    crowned(0.025, [3.5, 60.0], [42_900, 30_600, 1500], 0.01);
}

#[test]
fn both_sides_of_a_road_through_a_landscape_are_planes() {
    for seed in 1..=5 {
        let (random, noise) = (&mut Random(seed), 0.006);
        let along = [80.0, 0.0, 0.0];
        let mut points = Vec::new();
        for (side, bank) in [(1.0, -2.0), (-1.0, 1.5)] {
            let mut corner = [0.0; 3];
            // Width and rise, and the number of points: a side, its shoulder, the embankment, and ground.
            for ([width, rise], count) in [
                ([7.5, -0.19], 85_000),
                ([2.5, -0.15], 5000),
                ([3.0, bank], 6000),
                ([10.0, 0.3], 4000),
            ] {
                let across = [0.0, side * width, rise];
                points.extend(scan(&Face(corner, along, across), count, noise, random));
                corner = std::array::from_fn(|axis| corner[axis] + across[axis]);
            }
        }
        let slopes = slopes_of(&detect(&points), 75_000);
        let [(down, _), (up, _)] = slopes[..] else { panic!("{seed}: {slopes:?}") };
        assert!((down + 0.025).abs() < 0.004 && (up - 0.025).abs() < 0.004, "{seed}: {slopes:?}");
    }
}

#[test]
fn both_sides_of_a_road_are_planes_whatever_grows_beside_it() {
    // On the verges, grass stands so high.
    for (points, noise, grass) in [
        (30_000, 0.005, 0.03),
        (30_000, 0.005, 0.06),
        (30_000, 0.01, 0.03),
        (100_000, 0.002, 0.015),
        (100_000, 0.005, 0.03),
    ] {
        let random = &mut Random(points as u64);
        let along = [80.0, 0.0, 0.0];
        let mut cloud = Vec::new();
        for side in [1.0, -1.0] {
            let half = Face([0.0; 3], along, [0.0, side * 3.25, -0.0975]);
            cloud.extend(scan(&half, points, noise, random));
            // A verge of 5 m falls into a ditch and rises again.
            for (corner, rise) in [(3.25, -0.19), (5.75, 1.3)] {
                let z = if corner > 4.0 { -0.2875 } else { -0.0975 };
                let verge = Face([0.0, side * corner, z], along, [0.0, side * 2.5, rise]);
                for [x, y, z] in scan(&verge, points * 3 / 4, noise, random) {
                    let height: f64 = (0..12).map(|_| random.unit()).sum::<f64>() - 6.0;
                    cloud.push([x, y, z + grass * height.abs()]);
                }
            }
        }
        let found = detect(&cloud);
        assert!((found.parameters.noise / noise - 1.0).abs() < 0.2, "{:?}", found.parameters);
        // The steeper planes are those of the verges.
        let mut slopes = slopes_of(&found, points as u64 / 2);
        slopes.retain(|&(slope, _)| slope.abs() < 0.05);
        let [(down, left), (up, right)] = slopes[..] else { panic!("{noise} {grass}: {slopes:?}") };
        let is_right = (down + 0.03).abs() < 0.003 && (up - 0.03).abs() < 0.003;
        assert!(is_right, "{noise} {grass}: {slopes:?}");
        let most = 1.25 * points as f64;
        assert!(left.max(right) as f64 <= most, "{noise} {grass}: {slopes:?}");
    }
}

#[test]
fn the_bays_of_a_deck_are_planes() {
    for (bays, each, noise) in
        [(4, 20_000, 0.005), (4, 20_000, 0.01), (4, 12_500, 0.015), (8, 20_000, 0.01)]
    {
        let random = &mut Random(bays);
        let mut points = Vec::new();
        for bay in 0..bays {
            // They rise and fall by 3 % in turn.
            let [x, rise] = [8.0 * bay as f64, if bay % 2 == 0 { 0.24 } else { -0.24 }];
            let bay = Face([x, 0.0, 0.12 - rise / 2.0], [8.0, 0.0, rise], [0.0, 24.0, 0.0]);
            points.extend(scan(&bay, each, noise, random));
        }
        let found = detect(&points);
        let large = found.planes.iter().filter(|plane| plane.inliers > each as u64 * 3 / 4);
        let slopes: Vec<f64> = large.map(|p| (p.normal[0] / p.normal[2]).abs()).collect();
        assert_eq!(slopes.len() as u64, bays, "{noise}: {slopes:?}");
        assert!(slopes.iter().all(|slope| (slope - 0.03).abs() < 0.003), "{noise}: {slopes:?}");
    }
}

#[test]
fn both_sides_of_a_road_over_a_crest_or_through_a_sag_are_planes() {
    // Radius of the vertical curve, and the noise.
    for (radius, noise) in [(25_000.0, 0.005), (10_000.0, 0.005), (-5000.0, 0.005), (5000.0, 0.003)]
    {
        let random = &mut Random(7);
        let mut points = Vec::new();
        for side in [1.0, -1.0] {
            let half = Face([-20.0, 0.0, 0.0], [40.0, 0.0, 0.0], [0.0, side * 6.0, -0.12]);
            points.extend(scan(&half, 125_000, noise, random));
        }
        points.iter_mut().for_each(|[x, _, z]| *z += *x * *x / (2.0 * radius));
        let slopes = slopes_of(&detect(&points), 100_000);
        let [(down, _), (up, _)] = slopes[..] else { panic!("{radius}: {slopes:?}") };
        let is_right = (down + 0.02).abs() < 0.002 && (up - 0.02).abs() < 0.002;
        assert!(is_right, "{radius}: {slopes:?}");
    }
}

#[test]
fn the_faces_of_a_low_saw_tooth_roof_are_planes() {
    for (teeth, width, slope, density) in [(5, 10.0, 0.02, 10.0), (5, 6.0, 0.03, 15.0)] {
        let random = &mut Random(6);
        let each = (width * 40.0 * density) as usize;
        let mut points = Vec::new();
        for face in 0..2 * teeth {
            let x = width * f64::from(face);
            let [foot, top] = if face % 2 == 0 { [0.0, slope] } else { [slope, 0.0] };
            let corner = [x, 0.0, 5.0 + width * foot];
            let across = [width, 0.0, width * (top - foot)];
            points.extend(scan(&Face(corner, across, [0.0, 40.0, 0.0]), each, 0.03, random));
        }
        // The ground on either side.
        for x in [-30.0, 2.0 * width * f64::from(teeth)] {
            let ground = Face([x, 0.0, 0.0], [30.0, 0.0, 0.0], [0.0, 40.0, 0.0]);
            points.extend(scan(&ground, (1200.0 * density) as usize, 0.03, random));
        }
        let found = detect(&points);
        let faces = found.planes.iter().map(|plane| (plane.normal[0] / plane.normal[2]).abs());
        let faces = faces.filter(|tilt| (tilt - slope).abs() < 0.002).count();
        assert_eq!((faces, found.planes.len()), (2 * teeth as usize, 2 * teeth as usize + 1));
    }
}
