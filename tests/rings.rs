//! Sweeps of a spinning scanner, whose points lie in rings that are far apart.

use planes::cloud::Chunk;
use planes::synth::{HardPart, Scene, SceneOptions, Sensor, generate};
use planes::{Detection, Detector, Device, Options};
use std::f64::consts::TAU;

/// Lasers, and directions of each.
const LASERS: u32 = 16;
const COLUMNS: u32 = 1800;

/// A plane, the points `p` with `normal · p = rho`, as seen by a scanner at the origin.
type Wall = ([f64; 3], f64);

/// A floor and the four walls of a yard; the scanner is 1.7 m above the floor.
const YARD: [Wall; 5] = [
    ([0.02, 0.0, 1.0], -1.7),
    ([1.0, 0.1, 0.0], 9.0),
    ([1.0, 0.1, 0.0], -14.0),
    ([-0.1, 1.0, 0.0], 7.0),
    ([-0.1, 1.0, 0.0], -11.0),
];
/// A round tower in it: where its axis is, and its radius.
const TOWER: [f64; 3] = [5.0, -4.0, 1.5];

/// Where a ray of length 1 meets the tower.
fn tower([x, y, _]: [f64; 3]) -> Option<f64> {
    let [a, b, radius] = TOWER;
    let (square, along) = (x * x + y * y, a * x + b * y);
    let root = along * along - square * (a * a + b * b - radius * radius);
    (root > 0.0 && along > 0.0).then(|| (along - root.sqrt()) / square)
}

/// A sweep of the yard, and the wall of each point; that of the tower is one more than the last.
fn sweep() -> (Vec<[f32; 3]>, Vec<usize>) {
    sweep_of(COLUMNS)
}

/// The same if each laser measures in so many directions.
fn sweep_of(columns: u32) -> (Vec<[f32; 3]>, Vec<usize>) {
    let mut state = 1u64;
    let mut uniform = || {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 11) as f64 / (1u64 << 53) as f64
    };
    let point = |i: u32| {
        let elevation = (2.0 * f64::from(i % LASERS) - 15.0).to_radians();
        let azimuth = TAU * f64::from(i / LASERS) / f64::from(columns);
        let ray =
            [elevation.cos() * azimuth.cos(), elevation.cos() * azimuth.sin(), elevation.sin()];
        let hit = |(k, (normal, rho)): (usize, &Wall)| {
            let range = rho / (0..3).map(|a| normal[a] * ray[a]).sum::<f64>();
            (range > 0.0).then_some((range, k))
        };
        let hits =
            YARD.iter().enumerate().filter_map(hit).chain(tower(ray).map(|t| (t, YARD.len())));
        let (range, wall) = hits.min_by(|a, b| a.0.total_cmp(&b.0)).unwrap();
        let noise = 0.01 * ((0..12).map(|_| uniform()).sum::<f64>() - 6.0);
        (ray.map(|v| (v * (range + noise)) as f32), wall)
    };
    (0..LASERS * columns).map(point).unzip()
}

fn detect(points: &[[f32; 3]]) -> Detection {
    Detector::new().device(Device::Cpu).detect(points).unwrap()
}

/// Checks that each wall of the yard is one plane with most of its points, and that nearly all of the tower is in no plane.
fn assert_found(found: &Detection, walls: &[usize]) {
    assert_eq!(found.parameters.rings, LASERS as usize);
    let count = |wall: usize, plane: i32| {
        walls.iter().zip(&found.labels).filter(|&(w, l)| (*w, *l) == (wall, plane)).count()
    };
    let mut taken = Vec::new();
    for wall in 0..YARD.len() {
        let best = (0..found.planes.len() as i32).max_by_key(|&plane| count(wall, plane)).unwrap();
        let all = walls.iter().filter(|&&w| w == wall).count();
        assert!(count(wall, best) as f64 > 0.85 * all as f64, "wall {wall}: {}", count(wall, best));
        taken.push(best);
    }
    taken.sort_unstable();
    taken.dedup();
    assert_eq!(taken.len(), YARD.len());
    let of_tower = walls.iter().filter(|&&w| w == YARD.len()).count();
    assert!(count(YARD.len(), -1) as f64 > 0.9 * of_tower as f64);
    assert!(found.planes.len() <= YARD.len() + 1);
}

#[test]
fn walls_far_from_the_scanner_and_the_floor_are_planes() {
    let (points, walls) = sweep();
    assert_found(&detect(&points), &walls);
    // The axis may be any of the three.
    let turned: Vec<[f32; 3]> = points.iter().map(|&[x, y, z]| [x, z, -y]).collect();
    assert_found(&detect(&turned), &walls);
}

#[test]
fn a_dense_sweep_shows_its_noise() {
    // As if twelve turns of a scanner that stands still were joined. Noise spreads a ring by three times as much as its points are apart.
    let (points, walls) = sweep_of(12 * COLUMNS);
    let found = detect(&points);
    let noise = found.parameters.noise;
    assert!((0.003..0.01).contains(&noise), "{noise}");
    assert_found(&found, &walls);
    // Such rings tell where the scanner stood, also in a survey's coordinates with three decimals.
    let [x, y, z] = [512_345.67, 5_412_345.67, 310.2];
    let moved =
        points.iter().map(|p| [f64::from(p[0]) + x, f64::from(p[1]) + y, f64::from(p[2]) + z]);
    let moved: Vec<[f64; 3]> = moved.map(|p| p.map(|v| (v * 1e3).round() / 1e3)).collect();
    let found = Detector::new().device(Device::Cpu).detect(&moved).unwrap();
    assert_found(&found, &walls);
}

#[test]
fn the_order_of_the_points_does_not_matter() {
    let (points, walls) = sweep();
    let order = |i: usize| i * 7919 % points.len();
    let shuffled: Vec<[f32; 3]> = (0..points.len()).map(|i| points[order(i)]).collect();
    let walls: Vec<usize> = (0..points.len()).map(|i| walls[order(i)]).collect();
    let (found, plain) = (detect(&shuffled), detect(&points));
    assert_found(&found, &walls);
    assert!((0..points.len()).all(|i| found.labels[i] == plain.labels[order(i)]));
    assert!(found.planes == plain.planes);
}

#[test]
fn a_sweep_given_twice_is_a_sweep() {
    let (points, walls) = sweep();
    let twice: Vec<[f32; 3]> = points.iter().flat_map(|&p| [p, p]).collect();
    let walls: Vec<usize> = walls.iter().flat_map(|&wall| [wall, wall]).collect();
    let found = detect(&twice);
    assert_eq!(found.parameters.copies, 2.0);
    assert_found(&found, &walls);
}

#[test]
fn an_opening_divides_a_wall() {
    // Rings are 25 cm apart where the wall has no points, over 2 m.
    let (points, walls) = sweep();
    let is_open = |i: usize| walls[i] == 1 && (0.0..2.0).contains(&points[i][1]);
    let open: Vec<[f32; 3]> =
        (0..points.len()).filter(|&i| !is_open(i)).map(|i| points[i]).collect();
    let pieces_across = |points: &[[f32; 3]]| {
        let found = detect(points);
        let wall = found
            .planes
            .into_iter()
            .find(|p| p.normal[0].abs() > 0.9 && p.offset.abs() < 9.2)
            .unwrap();
        wall.pieces.iter().filter(|piece| piece.inliers > 500).count()
    };
    assert_eq!([pieces_across(&points), pieces_across(&open)], [1, 2]);
}

#[test]
fn outlines_reach_from_ring_to_ring() {
    let (points, _) = sweep();
    let found = detect(&points);
    let floor = found.planes.iter().find(|plane| plane.normal[2].abs() > 0.9).unwrap();
    // Rings on the floor are up to 3 m apart, points on them 5 cm.
    assert!(floor.area > 150.0, "{}", floor.area);
    assert!(floor.pieces.len() < 8, "{}", floor.pieces.len());
}

#[test]
fn fewest_inliers_count_points_of_the_cloud() {
    let (points, _) = sweep();
    // By default, one in 2500, but no fewer than 20.
    assert_eq!(detect(&points).parameters.min_inliers, 20);
    let found = Detector::new()
        .device(Device::Cpu)
        .options(Options { min_inliers: Some(3000), ..Options::default() })
        .detect(&points)
        .unwrap();
    assert!(found.planes.iter().all(|plane| plane.inliers >= 3000));
    assert!(!found.planes.is_empty());
    assert_eq!(found.parameters.min_inliers, 3000);
    let labelled =
        |plane: usize| found.labels.iter().filter(|&&l| l == plane as i32).count() as u64;
    assert!(found.planes.iter().enumerate().all(|(i, plane)| plane.inliers == labelled(i)));
}

/// The points of a simulated sweep, whose scanner is at the origin, and their labels.
fn simulated(scene: Scene, options: &SceneOptions) -> (Vec<[f32; 3]>, Vec<i32>) {
    let all = |chunk: Chunk| {
        (0..chunk.len())
            .map(move |i| ([chunk.x[i], chunk.y[i], chunk.z[i]].map(|v| v as f32), chunk.label[i]))
    };
    generate(scene, options).unwrap().flat_map(all).unzip()
}

fn spinning(scene: Scene, points: u64) -> SceneOptions {
    SceneOptions::new(scene, points).with_sensor(scene, Sensor::Spinning)
}

#[test]
fn a_simulated_sweep_is_in_rings_about_its_origin() {
    let (points, _) = simulated(Scene::Street, &spinning(Scene::Street, 30_000));
    assert_eq!(detect(&points).parameters.rings, 16);
}

#[test]
fn strays_are_on_rings_too() {
    // The lasers of this scanner, from the lowest to the highest.
    let lowest = -25.0;
    let apart = 40.0 / 15.0;
    let options = SceneOptions { outliers: 0.5, ..spinning(Scene::Street, 30_000) };
    let (points, labels) = simulated(Scene::Street, &options);
    let strays = labels.iter().filter(|&&label| label < 0).count();
    assert!(2 * strays > 9 * points.len() / 10, "{strays} of {}", points.len());
    for [x, y, z] in points {
        let elevation = f64::from(z).atan2(f64::from(x).hypot(f64::from(y))).to_degrees();
        let laser = (elevation - lowest) / apart;
        assert!((laser - laser.round()).abs() < 1e-3, "{elevation}");
    }
}

#[test]
fn a_ring_is_no_plane() {
    // Most lasers of this scanner pass beside or above the scene, so that a few have most of the points. Those of one on a
    // wall are spread along their lines of sight by noise, and nowhere else.
    let scene = Scene::Hard(HardPart::All);
    let found = detect(&simulated(scene, &spinning(scene, 100_000)).0);
    assert!(found.parameters.rings > 50, "{}", found.parameters.rings);
    assert!(found.planes.len() > 15);
    for plane in &found.planes {
        let far = plane.centroid.map(|v| v * v).iter().sum::<f64>().sqrt();
        assert!(plane.offset.abs() > 0.002 * far, "{}: {} at {far}", plane.inliers, plane.offset);
    }
}

#[test]
fn parts_of_a_scene_are_no_rings() {
    // From the origin, the parts of this scene lie in twelve ranges of elevation.
    let scene = Scene::Hard(HardPart::All);
    for points in [30_000, 100_000] {
        let (points, _) = simulated(scene, &SceneOptions::new(scene, points));
        assert_eq!(detect(&points).parameters.rings, 0);
    }
}
