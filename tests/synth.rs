//! The synthetic scenes: exact truth, the same points everywhere, files whole or not at all.

mod drawing;

use drawing::{dot, drawn_in, position};
use planes::synth::{
    HardPart, STEP, Scene, SceneOptions, Truth, generate, truth_path, write_scene,
};
use planes::{Error, Polygon};
use std::collections::HashMap;
use std::fs;
use std::path::Path;

const POINTS: u64 = 20_000;

fn in_threads<T: Send>(threads: usize, work: impl FnOnce() -> T + Send) -> T {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
    pool.unwrap().install(work)
}

#[test]
fn neither_threads_nor_chunks_change_a_point() {
    for scene in Scene::ALL {
        let options = SceneOptions::new(scene, 5_000);
        let expected = in_threads(1, || drawn_in(scene, &options, 5_000));
        for (threads, chunk_size) in [(1, 7), (3, 1_000), (8, 4_999)] {
            let found = in_threads(threads, || drawn_in(scene, &options, chunk_size));
            assert!(found == expected, "{scene} {threads} {chunk_size}");
        }
    }
}

#[test]
fn the_points_are_what_they_were() {
    // These numbers are the same on every machine. Where a scene is changed on purpose they
    // change with it, and so does every measurement that was made with it.
    let expected = [
        ("room", 0xf3d8_53b5_701b_faf4),
        ("boards", 0xc789_737b_f38e_cfc1),
        ("street", 0x398f_8d4e_1ea4_2dc7),
        ("roofs", 0xd9ef_593c_d7e1_06c9),
        ("hard", 0x06d6_95b0_d0f5_6bc6),
        ("hard-parallel", 0x000d_e34f_b198_f919),
        ("hard-poles", 0x3826_4423_9470_51d8),
        ("hard-seam", 0xf780_d98a_f137_fdbd),
        ("hard-stairs", 0x131f_5f73_3f88_3b00),
        ("hard-strips", 0x0552_93ca_105b_e0b4),
        ("hard-giant", 0x4573_ed1e_01fa_0971),
        ("hard-outliers", 0x6e4d_92a4_9207_bbef),
        ("hard-duplicates", 0x47c7_a6f2_73fc_7db9),
    ];
    let found = Scene::ALL.map(|scene| {
        let (chunk, _) = drawn_in(scene, &SceneOptions::new(scene, 5_000), 5_000);
        let mut hash = 0xcbf2_9ce4_8422_2325_u64;
        let mut add = |value: i64| {
            for byte in value.to_le_bytes() {
                hash = (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3);
            }
        };
        for i in 0..chunk.len() {
            for value in position(&chunk, i) {
                add((value * 1000.0).round() as i64);
            }
            for value in chunk.colour[i] {
                add(i64::from(value));
            }
            add(i64::from(chunk.intensity[i]));
            add(i64::from(chunk.label[i]));
        }
        (scene.name(), hash)
    });
    assert_eq!(found, expected);
}

#[test]
fn another_seed_makes_other_points_of_the_same_planes() {
    for scene in Scene::ALL {
        let first = SceneOptions::new(scene, 1_000);
        let second = SceneOptions { seed: 2, ..first.clone() };
        let (a, truth_a) = drawn_in(scene, &first, 1_000);
        let (b, truth_b) = drawn_in(scene, &second, 1_000);
        let same = (0..1_000).filter(|&i| position(&a, i) == position(&b, i)).count();
        assert_eq!(same, 0, "{scene}");
        for (p, q) in truth_a.planes.iter().zip(&truth_b.planes) {
            assert_eq!((p.normal, p.offset, &p.polygon), (q.normal, q.offset, &q.polygon));
        }
    }
}

#[test]
fn labelled_points_lie_on_their_planes() {
    for scene in Scene::ALL {
        for noise in [0.0, scene.default_noise()] {
            let options = SceneOptions { noise, ..SceneOptions::new(scene, POINTS) };
            let (chunk, truth) = drawn_in(scene, &options, 6_000);
            assert_eq!(chunk.len() as u64, POINTS);
            assert_eq!(truth.points, POINTS);
            let mut counts = vec![0; truth.planes.len()];
            let (mut square, mut labelled) = (0.0, 0);
            for i in 0..chunk.len() {
                let Ok(label) = usize::try_from(chunk.label[i]) else {
                    assert_eq!(chunk.label[i], -1);
                    continue;
                };
                let plane = &truth.planes[label];
                let distance = dot(plane.normal, position(&chunk, i)) - plane.offset;
                // Rounding to a step moves a point by half of its diagonal at most.
                let most = 6.0 * noise + STEP * 0.87;
                assert!(distance.abs() < most, "{scene} {}: {distance}", plane.name);
                assert!(near(&plane.polygon, position(&chunk, i), most), "{}", plane.name);
                counts[label] += 1;
                square += distance * distance;
                labelled += 1;
            }
            let counted: Vec<u64> = truth.planes.iter().map(|plane| plane.points).collect();
            assert_eq!(counts, counted);
            assert_eq!(truth.on_planes, labelled);
            if noise > 0.0 {
                let deviation = (square / labelled as f64).sqrt();
                assert!((deviation / noise - 1.0).abs() < 0.03, "{scene}: {deviation}");
            }
        }
    }
}

/// Whether `p` is within the bounds of the outline, give or take `slack`.
fn near(polygon: &Polygon, p: [f64; 3], slack: f64) -> bool {
    (0..3).all(|axis| {
        let along = polygon.exterior.iter().map(|corner| corner[axis]);
        let low = along.clone().fold(f64::INFINITY, f64::min);
        let high = along.fold(f64::NEG_INFINITY, f64::max);
        (low - slack..=high + slack).contains(&p[axis])
    })
}

#[test]
fn outlines_lie_on_their_planes_and_run_the_right_way() {
    for scene in Scene::ALL {
        let truth = generate(scene, &SceneOptions::new(scene, 0)).unwrap().truth();
        assert!(!truth.planes.is_empty());
        for plane in &truth.planes {
            assert!((dot(plane.normal, plane.normal) - 1.0).abs() < 1e-14);
            assert!(plane.offset >= 0.0);
            let area = |ring: &[[f64; 3]]| {
                let sub = |a: [f64; 3], b: [f64; 3]| [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
                let mut doubled = 0.0;
                for pair in ring.windows(2) {
                    let (a, b) = (sub(pair[0], ring[0]), sub(pair[1], ring[0]));
                    let cross = [
                        a[1] * b[2] - a[2] * b[1],
                        a[2] * b[0] - a[0] * b[2],
                        a[0] * b[1] - a[1] * b[0],
                    ];
                    doubled += dot(cross, plane.normal);
                }
                doubled / 2.0
            };
            let rings = [&plane.polygon.exterior].into_iter().chain(&plane.polygon.holes);
            for corner in rings.flatten() {
                let distance = dot(plane.normal, *corner) - plane.offset;
                assert!(distance.abs() < 2e-9, "{scene} {}: {distance}", plane.name);
            }
            assert!(area(&plane.polygon.exterior) > 0.0, "{}", plane.name);
            for hole in &plane.polygon.holes {
                assert!(area(hole) < 0.0, "{}", plane.name);
            }
        }
    }
}

#[test]
fn the_origin_moves_the_roofs_and_nothing_else() {
    let far = SceneOptions::new(Scene::Roofs, 3_000);
    let near = SceneOptions { origin: Some([0.0; 3]), ..far.clone() };
    let (a, far_truth) = drawn_in(Scene::Roofs, &far, 3_000);
    let (b, near_truth) = drawn_in(Scene::Roofs, &near, 3_000);
    assert_eq!(far_truth.origin, [500_000.0, 4_600_000.0, 300.0]);
    let steps = |v: f64| (v * 1000.0).round() as i64;
    for i in 0..3_000 {
        let (p, q) = (position(&a, i), position(&b, i));
        for axis in 0..3 {
            let shift = steps(far_truth.origin[axis]);
            assert_eq!(steps(p[axis]) - shift, steps(q[axis]));
        }
    }
    assert_eq!(a.label, b.label);
    let counts = |truth: &Truth| truth.planes.iter().map(|p| p.points).collect::<Vec<_>>();
    assert_eq!(counts(&far_truth), counts(&near_truth));
}

#[test]
fn the_street_thins_with_the_square_of_the_distance() {
    let options =
        SceneOptions { outliers: 0.0, noise: 0.0, ..SceneOptions::new(Scene::Street, 200_000) };
    let (chunk, truth) = drawn_in(Scene::Street, &options, 200_000);
    let road = truth.planes.iter().position(|p| p.name == "road").unwrap();
    // The eye is 1.8 m above the road, 3.5 m wide to either side; the street is turned about the
    // origin, which leaves the eye's distance to a point of the road as it is.
    let turn = -0.237_f64;
    let (c, s) = ((1.0 - turn * turn) / (1.0 + turn * turn), 2.0 * turn / (1.0 + turn * turn));
    let eye = [0.4, -0.7];
    let within = |from: f64, to: f64| {
        (0..chunk.len())
            .filter(|&i| chunk.label[i] == road as i32)
            .filter(|&i| {
                let (x, y) = (chunk.x[i] * c + chunk.y[i] * s, chunk.y[i] * c - chunk.x[i] * s);
                let distance = (x - eye[0]).hypot(y - eye[1]);
                (from..to).contains(&distance)
            })
            .count() as f64
    };
    // Solid angle of a ring on the ground.
    let angle = |r: f64| 1.8 / 1.8_f64.hypot(r);
    let expected = (angle(1.2) - angle(1.8)) / (angle(1.8) - angle(2.7));
    let found = within(1.2, 1.8) / within(1.8, 2.7);
    assert!((found / expected - 1.0).abs() < 0.05, "{found} {expected}");
}

#[test]
fn half_of_the_outlier_scene_is_outliers() {
    let scene = Scene::Hard(HardPart::Outliers);
    let (_, truth) = drawn_in(scene, &SceneOptions::new(scene, POINTS), 10_000);
    let share = truth.on_planes as f64 / POINTS as f64;
    assert!((share - 0.5).abs() < 0.02, "{share}");
    let none =
        SceneOptions { outliers: 0.0, ..SceneOptions::new(Scene::Hard(HardPart::Stairs), POINTS) };
    let (_, truth) = drawn_in(Scene::Hard(HardPart::Stairs), &none, 10_000);
    assert_eq!(truth.on_planes, POINTS);
}

#[test]
fn duplicates_are_exact() {
    let scene = Scene::Hard(HardPart::Duplicates);
    let (chunk, _) = drawn_in(scene, &SceneOptions::new(scene, 1_080), 100);
    let mut times: HashMap<[u64; 3], u32> = HashMap::new();
    for i in 0..chunk.len() {
        *times.entry(position(&chunk, i).map(f64::to_bits)).or_default() += 1;
    }
    let mut seen: Vec<u32> = times.into_values().collect();
    seen.sort_unstable();
    seen.dedup();
    assert_eq!(seen, (2..=10).collect::<Vec<_>>());
}

#[test]
fn the_truth_reads_back() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("room.laz");
    let options = SceneOptions::new(Scene::Room, 2_000);
    let truth = write_scene(Scene::Room, &options, &path, &mut |_| {}).unwrap();
    assert_eq!(truth_path(&path), folder.path().join("room.truth.json"));
    assert_eq!(Truth::read(truth_path(&path)).unwrap(), truth);
    assert_eq!(truth.points, 2_000);
    let text = fs::read_to_string(truth_path(&path)).unwrap();
    let newer = text.replacen("\"version\":1", "\"version\":2", 1);
    fs::write(truth_path(&path), newer).unwrap();
    let error = Truth::read(truth_path(&path)).unwrap_err();
    assert!(matches!(error, Error::Format { place, .. } if place == "version"));
}

#[test]
fn a_failed_write_leaves_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let options = SceneOptions::new(Scene::Room, 2_000);
    // The truth's place is taken by a folder.
    fs::create_dir(folder.path().join("room.truth.json")).unwrap();
    for name in ["room.las", "room.laz", "room.ply", "room.txt", "room.csv"] {
        let path = folder.path().join(name);
        let error = write_scene(Scene::Room, &options, &path, &mut |_| {}).unwrap_err();
        assert!(matches!(error, Error::Io { .. }));
    }
    let unknown = folder.path().join("room.obj");
    let error = write_scene(Scene::Room, &options, &unknown, &mut |_| {}).unwrap_err();
    assert!(matches!(error, Error::Parameter(_)));
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
}

#[test]
fn the_clouds_that_ship_are_made_as_their_readme_says() {
    let shipped = Path::new(env!("CARGO_MANIFEST_DIR")).join("clouds");
    let folder = tempfile::tempdir().unwrap();
    for (scene, points, name) in [
        (Scene::Roofs, 50_000, "roofs.las"),
        (Scene::Street, 60_000, "street.laz"),
        (Scene::Room, 40_000, "room.ply"),
        (Scene::Hard(HardPart::All), 30_000, "hard.txt"),
    ] {
        let options = SceneOptions::new(scene, points);
        write_scene(scene, &options, folder.path().join(name), &mut |_| {}).unwrap();
    }
    for entry in fs::read_dir(folder.path()).unwrap() {
        let made = entry.unwrap().path();
        let name = made.file_name().unwrap();
        let same = fs::read(&made).unwrap() == fs::read(shipped.join(name)).unwrap();
        assert!(same, "{}", name.display());
    }
}
