//! Planes in clouds as instruments make them: as many as there are, found without parameters.

use super::*;
use ply_rs::parser::Parser;
use ply_rs::ply::{DefaultElement, Property};

/// What a search of a cloud scores.
struct Score {
    planes: usize,
    f1: f64,
    quality: f64,
}

/// Searches a cloud and scores the labels against its own.
fn score(cloud: &Path, options: &str) -> Score {
    let folder = tempfile::tempdir().unwrap();
    let labels = folder.path().join("labels.npy");
    let args = format!("--json - --labels {} {options}", labels.display());
    let document = json(detect(cloud, &args).text());
    let eval = [OsStr::new("eval"), labels.as_ref(), OsStr::new("--truth"), cloud.as_ref()];
    let scores = json(planes(eval.into_iter().chain(["--json", "-"].map(OsStr::new))).text());
    let number = |name: &Value| name.as_f64().unwrap();
    let segments = &scores["segments"];
    Score {
        planes: found(&document).len(),
        f1: number(&segments["at_50"]["f1"]),
        quality: number(&segments["panoptic_quality"]),
    }
}

/// Draws a scene with options given as one string.
fn synth(folder: &Path, scene: &str) -> PathBuf {
    let cloud = folder.join("cloud.ply");
    let args = format!("synth {scene} -o {}", cloud.display());
    planes(args.split_whitespace()).text();
    cloud
}

#[test]
fn planes_are_found_as_instruments_see_them() {
    let folder = tempfile::tempdir().unwrap();
    for (scene, f1, quality) in [
        ("room --points 200000 --noise 0.002 --round 0.01", 0.99, 0.95),
        ("room --points 200000 --noise 0.002 --copies 4", 0.93, 0.88),
        ("room --points 200000 --sag 0.006", 0.94, 0.88),
        ("room --points 100000 --curved", 0.93, 0.88),
        ("room --points 200000 --curved", 0.97, 0.90),
        ("roofs --points 100000 --sensor depth", 0.87, 0.80),
        ("roofs --points 100000 --sensor slam", 0.80, 0.74),
        ("hard --points 100000 --sensor photo", 0.84, 0.79),
        ("hard --points 100000 --sensor tripod", 0.86, 0.81),
        ("room --points 400000 --sensor photo", 0.80, 0.75),
        ("street --points 300000 --sensor depth", 0.50, 0.45),
        // Sparse frames, in which few neighbourhoods are slices.
        ("room --points 30000 --sensor depth --seed 11", 0.60, 0.55),
        ("room --points 16000 --sensor depth --seed 2", 0.70, 0.65),
        ("hard --points 30000 --sensor depth", 0.70, 0.60),
        ("hard --points 100000 --sensor depth --seed 2", 0.50, 0.40),
        ("street --points 30000 --sensor depth --seed 12", 0.55, 0.45),
        // Dense frames, and dense clouds with strays far away.
        ("room --points 1000000 --sensor depth", 0.60, 0.55),
        ("hard --points 1000000 --sensor tripod", 0.84, 0.80),
        // So many points that independent noise hides correlated noise.
        ("room --points 3000000 --sensor depth", 0.60, 0.55),
        ("room --points 3000000 --sensor photo", 0.76, 0.69),
        // Waves and edges, which the curve of thickness does not tell apart.
        ("boards --points 100000 --sensor photo --seed 12", 0.72, 0.60),
        // Other scales are tried, and those of the curve are best.
        ("roofs --points 100000 --sensor photo", 0.97, 0.93),
        // Waves and scattered points.
        ("room --points 100000 --sensor photo --seed 3 --outliers 0.05", 0.94, 0.84),
        // Slabs 10 cm apart, which are no noise.
        ("hard --points 100000 --sensor photo --seed 11", 0.88, 0.83),
        // The sides of boards, closer together than neighbourhoods are wide.
        ("boards --points 100000", 0.66, 0.57),
        ("boards --points 400000 --seed 41", 0.66, 0.57),
        ("boards --points 1000000", 0.65, 0.56),
        // A level road is exact, the façades are not.
        ("street --points 300000 --noise 0.002 --round 0.01", 0.90, 0.84),
        // Voxel centres: their layers turn the normals of wide neighbourhoods, as waves do.
        ("street --points 200000 --voxel 0.05", 0.82, 0.75),
    ] {
        let score = score(&synth(folder.path(), scene), "");
        assert!(score.f1 >= f1, "{scene}: F1 {}", score.f1);
        assert!(score.quality >= quality, "{scene}: panoptic quality {}", score.quality);
    }
}

#[test]
fn steps_of_depth_are_no_planes() {
    let folder = tempfile::tempdir().unwrap();
    let cloud = synth(folder.path(), "room --points 100000 --sensor depth");
    let score = score(&cloud, "");
    // Two hundred slices before.
    assert!(score.planes <= 20, "{} planes", score.planes);
    assert!(score.f1 >= 0.6, "F1 {}", score.f1);
}

/// What a depth camera with a baseline of 75 mm and disparities in eighths of a pixel sees of a wall, turned by some
/// degrees.
fn wall_before_a_camera(file: &Path, distance: f64, degrees: f64) {
    let (across, along) = degrees.to_radians().sin_cos();
    let mut uniform = uniform();
    let mut text = String::new();
    for pixel in 0..640 * 480 {
        let x = (f64::from(pixel % 640) - 319.5) / 525.0;
        let y = (f64::from(pixel / 640) - 239.5) / 525.0;
        let depth = distance * along / (across * x + along);
        // Four uniform numbers have a standard deviation of 0.58.
        let noise = (0..4).map(|_| uniform()).sum::<f64>() * 0.0625 / 0.58;
        let disparity = ((525.0 * 0.075 / depth + noise) * 8.0).round() / 8.0;
        let depth = (525.0 * 0.075 / disparity * 1000.0).round() / 1000.0;
        text += &format!("{:.5} {:.5} {depth:.3}\n", x * depth, y * depth);
    }
    std::fs::write(file, text).unwrap();
}

/// Numbers between −0.5 and 0.5 in no visible order.
fn uniform() -> impl FnMut() -> f64 {
    let mut state = 1u64;
    move || {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 40) as f64 / f64::from(1 << 24) - 0.5
    }
}

#[test]
fn the_noise_of_waves_is_what_whole_surfaces_deviate_by() {
    let folder = tempfile::tempdir().unwrap();
    // Root mean square distances of the points from their true planes, in the median over these.
    for (scene, deviation) in [("roofs", 0.0148), ("hard", 0.0040)] {
        let cloud = synth(folder.path(), &format!("{scene} --points 100000 --sensor photo"));
        let document = json(detect(&cloud, "--json -").text());
        let noise = document["parameters"]["noise"].as_f64().unwrap();
        assert!((0.9..1.4).contains(&(noise / deviation)), "{scene}: {noise}");
    }
}

#[test]
fn finer_cells_are_cut_where_planes_tell_that_the_noise_is_smaller() {
    let folder = tempfile::tempdir().unwrap();
    let cut = |scene: &str| {
        let cloud = synth(folder.path(), scene);
        let told = detect(&cloud, "-v --json -").err;
        let count = |stage: &str| told.lines().filter(|line| line.contains(stage)).count();
        ([" cells: ", " planes: "].map(count), cloud)
    };
    // Planes tell nothing new, or that cells are as fine as they need be.
    assert_eq!(cut("street --points 100000").0, [1, 1]);
    // Another scale is tried at which they tell the noise, too.
    assert_eq!(cut("roofs --points 100000 --sensor photo").0, [2, 4]);
    // One of the two searches is cut again.
    let (counts, street) = cut("street --points 100000 --sensor photo");
    assert_eq!(counts, [3, 4]);
    let Score { f1, quality, .. } = score(&street, "");
    assert!(f1 >= 0.90 && quality >= 0.84, "{f1} {quality}");
    // Points that are stored twice tell the same.
    let file = std::fs::read(&street).unwrap();
    let body = file.windows(11).position(|at| at == b"end_header\n").unwrap() + 11;
    let header = String::from_utf8_lossy(&file[..body]).replace("vertex 100000", "vertex 200000");
    let twice = folder.path().join("twice.ply");
    std::fs::write(&twice, [header.as_bytes(), &file[body..], &file[body..]].concat()).unwrap();
    let [once, twice] = [&street, &twice].map(|cloud| json(detect(cloud, "--json -").text()));
    assert_eq!(twice["parameters"]["copies"], 2.0);
    assert_eq!(once["parameters"]["noise"], twice["parameters"]["noise"]);
    assert_eq!(found(&once).len(), found(&twice).len());
}

#[test]
fn a_table_top_seen_at_a_grazing_angle_is_thin() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("table.xyz");
    let mut uniform = uniform();
    let mut text = String::new();
    let (sin, cos) = (-0.1f64).sin_cos();
    let (mut top, mut front) = (0, 0);
    for pixel in 0..320 * 240 {
        let ray =
            [(f64::from(pixel % 320) - 159.5) / 262.5, (f64::from(pixel / 320) - 119.5) / 262.5];
        // The camera looks up a little. A floor, a wall 4 m away, and a block before it, whose top is 0.5 m below.
        let (down, ahead) = (ray[1] * cos + sin, cos - ray[1] * sin);
        let at = |depth: f64| [ray[0] * depth, down * depth, ahead * depth];
        let (floor, wall) = (1.3 / down.max(1e-9), 4.0 / ahead);
        let (block_top, block_front) = (0.5 / down.max(1e-9), 1.8 / ahead);
        let [x, _, z] = at(block_top);
        let is_top = x.abs() <= 0.6 && (1.8..2.6).contains(&z);
        let [x, y, _] = at(block_front);
        let is_front = x.abs() <= 0.6 && (0.5..0.7).contains(&y);
        (top, front) = (top + u64::from(is_top), front + u64::from(is_front));
        let depth = match (is_front, is_top) {
            (true, _) => block_front,
            (_, true) => block_top,
            _ => floor.min(wall),
        };
        let noise = (0..4).map(|_| uniform()).sum::<f64>() / 0.58;
        let disparity = 262.5 * 0.075 / (depth + 0.0015 * depth * depth * noise);
        let depth = 262.5 * 0.075 / ((disparity * 16.0).round() / 16.0);
        text += &format!("{:.6} {:.6} {depth:.6}\n", ray[0] * depth, ray[1] * depth);
    }
    std::fs::write(&file, text).unwrap();
    let document = json(detect(&file, "-q --json -").text());
    assert_eq!(inliers_and_camera(&document).1, Some([0.0; 3]));
    let normal =
        |plane: &Value| -> [f64; 3] { serde_json::from_value(plane["normal"].clone()).unwrap() };
    let distance = |plane: &Value| plane["offset"].as_f64().unwrap().abs();
    let is_top = |plane: &&Value| (distance(plane) - 0.5).abs() < 0.05;
    let planes = found(&document);
    let plane = planes.iter().find(is_top).unwrap();
    let cosine = normal(plane)[1] * cos + normal(plane)[2] * sin;
    assert!(cosine.abs() > 0.5f64.to_radians().cos(), "{plane}");
    // Nearly the whole top, and hardly anything of the front.
    let inliers = plane["inliers"].as_u64().unwrap();
    assert!(top > 3000 && front > 3000, "{top} {front}");
    assert!((top * 8 / 10..top + front / 10).contains(&inliers), "{inliers} of {top}");
}

#[test]
fn a_wall_of_wide_steps_is_one_plane() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("wall.xyz");
    for (distance, degrees) in [(2.0, 10.0), (3.0, 0.0), (3.0, 10.0), (4.0, 3.0)] {
        wall_before_a_camera(&file, distance, degrees);
        let document = json(detect(&file, "--json -").text());
        let planes = found(&document);
        assert_eq!(planes.len(), 1, "{distance} m, {degrees} degrees");
        let points = planes[0]["inliers"].as_u64().unwrap();
        assert!(points > 290_000, "{points}");
        let slope = planes[0]["slope"].as_f64().unwrap();
        assert!((slope - degrees).abs() < 0.1, "{slope}");
    }
}

#[test]
fn exact_terraces_are_no_steps_of_depth() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("terraces.xyz");
    let mut text = String::new();
    for i in 0..60_000_u32 {
        let (step, place) = (f64::from(i % 12), i / 12);
        let along = f64::from(place * 7919 % 9973) / 9973.0;
        let across = f64::from(place * 104_729 % 9967) / 9967.0 * 10.0;
        // Two thirds of the points are on the treads, the others on the risers.
        let (x, z) = if place % 3 < 2 { (along, 0.0) } else { (1.0, along) };
        text += &format!("{:.6} {across:.6} {:.6}\n", 0.9 * (step + x), 0.4 * (step + z));
    }
    std::fs::write(&file, text).unwrap();
    let document = json(detect(&file, "--json -").text());
    assert_eq!(found(&document).len(), 24);
}

#[test]
fn a_frame_is_searched_as_the_camera_sees_it() {
    let folder = tempfile::tempdir().unwrap();
    let cloud = synth(folder.path(), "room --points 100000 --sensor depth");
    let found = |options: &str| {
        let command = format!("detect -q {} --json - {options}", cloud.display());
        planes(command.split_whitespace()).text()
    };
    let place = |document: &str, name: &str| -> Option<[f64; 3]> {
        let document: Value = serde_json::from_str(document).unwrap();
        serde_json::from_value(document["parameters"][name].clone()).unwrap()
    };
    let viewpoint = |document: &str| place(document, "viewpoint");
    let plain = found("--device cpu");
    let truth = std::fs::read_to_string(cloud.with_extension("truth.json")).unwrap();
    let truth: Value = serde_json::from_str(&truth).unwrap();
    let camera: [f64; 3] =
        serde_json::from_value(truth["survey"]["camera"]["position"].clone()).unwrap();
    let at = viewpoint(&plain).unwrap();
    assert!((0..3).all(|a| (at[a] - camera[a]).abs() < 0.001), "{at:?} {camera:?}");
    assert_eq!(place(&plain, "camera"), Some(at));
    assert!(found("--device cpu --threads 1 --chunk 1000") == plain);
    assert!(viewpoint(&found("--refine lms --vote all")).is_some());
    // What a given tolerance means is the same everywhere.
    assert_eq!(viewpoint(&found("--tolerance 0.02")), None);
    assert_eq!(viewpoint(&found("--one-pass")), None);
    let explained = format!("detect {} --explain", cloud.display());
    let explained = planes(explained.split_whitespace()).text();
    assert!(explained.contains("  camera     at "), "{explained}");
    assert!(explained.contains("  pixels     as seen from "), "{explained}");
}

#[test]
fn planes_of_a_frame_are_divided_where_the_camera_sees_through() {
    let folder = tempfile::tempdir().unwrap();
    // What a camera that measures exactly sees: two plates 2 m before it, 8 pixels apart, and a wall 3 m away, which a pole
    // hides in part. All are moved and turned.
    let depth = |u: i32, v: i32| match [u, v] {
        [60..=64, _] => 1.5,
        [20..=99 | 108..=149, 40..=79] => 2.0,
        _ => 3.0,
    };
    let mut text = String::new();
    for (u, v) in (0..120).flat_map(|v| (0..160).map(move |u| (u, v))) {
        let z = depth(u, v) + 0.0005 * f64::from((u * 7919 + v * 104_729) % 101 - 50) / 50.0;
        let [x, y] = [(f64::from(u) - 79.5) * z / 140.0, (f64::from(v) - 59.5) * z / 140.0];
        let (a, b) = (0.8 * x - 0.6 * z, 0.6 * x + 0.8 * z);
        text += &format!("{:.7} {:.7} {:.7}\n", a + 5.0, b - 7.0, 1.6 - y);
    }
    let cloud = folder.path().join("plates.txt");
    std::fs::write(&cloud, text).unwrap();
    let document = |options: &str| {
        let command = format!("detect -q {} --json - {options}", cloud.display());
        planes(command.split_whitespace()).text()
    };
    let plain = document("--device cpu");
    assert!(document("--device cpu --threads 1 --chunk 500") == plain);
    let (inliers, camera) = inliers_and_camera(&json(plain));
    let camera = camera.unwrap();
    let off = [camera[0] - 5.0, camera[1] + 7.0, camera[2] - 1.6];
    assert!(off.iter().all(|v| v.abs() < 0.001), "{camera:?}");
    // The wall, the plates, one of them behind the pole, and the pole.
    let expected = [160 * 120 - 5 * 120 - 117 * 40, 75 * 40, 42 * 40, 5 * 120];
    assert_eq!(inliers.len(), 4, "{inliers:?}");
    let close = |(&n, &of): (&u64, &u64)| n.abs_diff(of) * 20 <= of;
    assert!(inliers.iter().zip(&expected).all(close), "{inliers:?}");
}

/// The planes' points, the largest first, and the camera that is told.
fn inliers_and_camera(document: &Value) -> (Vec<u64>, Option<[f64; 3]>) {
    let mut inliers: Vec<u64> =
        found(document).iter().map(|p| p["inliers"].as_u64().unwrap()).collect();
    inliers.sort_unstable_by_key(|&n| std::cmp::Reverse(n));
    (inliers, serde_json::from_value(document["parameters"]["camera"].clone()).unwrap())
}

#[test]
fn roofs_of_a_height_model_are_found_wherever_its_origin_is() {
    let folder = tempfile::tempdir().unwrap();
    let cloud = folder.path().join("model.txt");
    let is_roof = |u: i32, v: i32| (41..160).contains(&v) && (matches!(u, 21..110 | 126..220));
    for [east, north, up] in
        [[500_000.0, 4_600_000.0, 300.0], [-60.0, -50.0, 120.0], [-60.0, -50.0, -120.0]]
    {
        let mut text = String::new();
        let (mut roofs, mut ground) = (0, 0);
        for (u, v) in (0..200).flat_map(|v| (0..240).map(move |u| (u, v))) {
            let noise = 0.01 * f64::from((u * 7919 + v * 104_729) % 101 - 50) / 50.0;
            let height = if is_roof(u, v) { 8.0 } else { 0.0 };
            *(if is_roof(u, v) { &mut roofs } else { &mut ground }) += 1;
            text += &format!(
                "{:.4} {:.4} {:.4}\n",
                east + 0.5 * f64::from(u),
                north + 0.5 * f64::from(v),
                up + height + noise
            );
        }
        std::fs::write(&cloud, text).unwrap();
        let (inliers, camera) = inliers_and_camera(&json(detect(&cloud, "-q --json -").text()));
        assert_eq!(camera, None);
        let expected = [ground, roofs];
        let close = |(&n, &of): (&u64, &u64)| n.abs_diff(of) * 1000 <= of;
        assert!(inliers.len() == 2 && inliers.iter().zip(&expected).all(close), "{inliers:?}");
    }
}

#[test]
fn missing_pixels_at_the_camera_do_not_hide_it() {
    let folder = tempfile::tempdir().unwrap();
    let cloud = folder.path().join("frame.txt");
    let mut text = String::new();
    for (u, v) in (0..120).flat_map(|v| (0..160).map(move |u| (u, v))) {
        let ray = [(f64::from(u) - 79.5) / 140.0, (f64::from(v) - 59.5) / 140.0];
        // A floor, a wall, and a box before it.
        let box_at = if (50..90).contains(&u) && v > 30 { 1.5 } else { f64::INFINITY };
        let depth = (1.0 / ray[1].max(1e-9)).min(3.0).min(box_at);
        let depth = depth + 0.0005 * f64::from((u * 7919 + v * 104_729) % 101 - 50) / 50.0;
        text += &format!("{:.6} {:.6} {depth:.6}\n", ray[0] * depth, ray[1] * depth);
    }
    let found = |missing: usize| {
        std::fs::write(&cloud, text.clone() + &"0 0 0\n".repeat(missing)).unwrap();
        inliers_and_camera(&json(detect(&cloud, "-q --json -").text()))
    };
    let some = found(1);
    assert_eq!(some.1, Some([0.0; 3]));
    assert_eq!(some.0.len(), 3, "{:?}", some.0);
    assert_eq!(found(3000), some);
}

#[test]
fn planes_of_scanned_clouds_are_found() {
    let truth = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/clouds/truth");
    // The wall of the tunnel is curved; a few small pieces of it are planes. A small piece of one of the office's four
    // walls is a plane of its own.
    for (name, f1, most) in [("office_room2.ply", 0.85, 45), ("tunnel_frame.ply", 0.95, 4)] {
        let cloud = truth.join(name);
        if !cloud.exists() {
            println!("skipped: {name} is not there");
            continue;
        }
        let score = score(&cloud, "");
        assert!(score.f1 >= f1, "{name}: F1 {}", score.f1);
        assert!(score.planes <= most, "{name}: {} planes", score.planes);
    }
}

#[test]
fn pieces_of_round_surfaces_are_planes_for_those_who_want_them() {
    let folder = tempfile::tempdir().unwrap();
    let cloud = synth(folder.path(), "room --points 100000 --curved");
    let search = |options: &str| {
        let document = json(detect(&cloud, &format!("--json - {options}")).text());
        let inliers = found(&document).iter().map(|p| p["inliers"].as_u64().unwrap()).sum::<u64>();
        (document["parameters"]["curved"].as_str().unwrap().to_string(), inliers)
    };
    let (grey, facets) = (search(""), search("--curved facets"));
    assert_eq!([grey.0, facets.0], ["grey", "facets"]);
    assert!(facets.1 > grey.1 + 15_000, "{} {}", grey.1, facets.1);
    let told = detect(&cloud, "--explain").text();
    assert!(told.contains("around it; --curved facets may take it, or parts of it"), "{told}");
}

#[test]
fn slices_of_clutter_are_planes_for_those_who_want_them() {
    let folder = tempfile::tempdir().unwrap();
    let cloud = synth(folder.path(), "street --points 30000 --sensor slam");
    let told = detect(&cloud, "--explain").text();
    let said = "does not stand out from the points right above and below it; --curved facets";
    assert!(told.contains(said), "{told}");
    let told = detect(&cloud, "--explain --curved facets").text();
    assert!(told.contains("Best candidates") && !told.contains("stand out"), "{told}");
    // A slab as narrow as asked for is a slice of a rougher wall.
    let told = detect(&cloud, "--explain --widen 1").text();
    assert!(told.contains("Best candidates") && !told.contains("stand out"), "{told}");
}

/// A point of a floor of six by five metres that waves by up to so much.
fn wave(height: f64) -> impl Fn(u32) -> [f64; 3] {
    move |i: u32| {
        let [x, y, noise] =
            [48_271, 69_621, 16_807].map(|k| f64::from(i.wrapping_mul(k) % 10_007) / 10_007.0);
        let (x, y) = (6.0 * x, 5.0 * y);
        let wave = 4.0 / 7.0 * (2.1 * x).sin() + 3.0 / 7.0 * (2.9 * y).sin();
        [x, y, height * wave + 0.003 * noise]
    }
}

/// A candidate of `--explain` with an option that may take it, and the middle of its points.
fn advised(line: &str) -> Option<(String, [f64; 3])> {
    let (said, advice) = line.split_once("; --")?;
    let (options, _) = advice.split_once(" may take it")?;
    let place = said.split_once("around ")?.1.split_once("  ")?.0;
    let middle: Vec<f64> = place.split(", ").map(|v| v.parse().unwrap()).collect();
    Some((format!("--{options}"), middle.try_into().unwrap()))
}

/// The labels of a search.
fn labels(cloud: &Path, options: &str) -> Vec<i32> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("labels.npy");
    detect(cloud, &format!("{options} --labels {}", path.display())).text();
    npy(&path)
}

#[test]
fn options_that_may_take_a_candidate_do() {
    let folder = tempfile::tempdir().unwrap();
    // A plate of 18 points beside a floor of 9,000.
    let plate = |i: u32| [8.0 + 0.1 * f64::from(i % 4), 0.1 * f64::from(i / 4), 1.0];
    let small = folder.path().join("plate.ply");
    write(&small, &(1..=9000).map(wave(0.0)).chain((0..18).map(plate)).collect::<Vec<[f64; 3]>>());
    // A floor that waves.
    let waves = folder.path().join("waves.ply");
    write(&waves, &waves_between_walls());
    let curved = synth(folder.path(), "room --points 80000 --curved");
    for (cloud, option, radius) in
        [(&small, "--min-inliers", 0.5), (&waves, "--tolerance", 0.3), (&curved, "--curved", 0.3)]
    {
        let told = detect(cloud, "--explain").text();
        let (points, before) = (read(cloud), labels(cloud, ""));
        let grey_around = |[x, y, z]: [f64; 3]| -> Vec<usize> {
            let is_near = |i: &usize| {
                let off = [points.x[*i] - x, points.y[*i] - y, points.z[*i] - z];
                before[*i] < 0 && off.iter().map(|v| v * v).sum::<f64>() < radius * radius
            };
            (0..points.len()).filter(is_near).collect()
        };
        let advised = told.lines().filter_map(advised).filter(|(o, _)| o.starts_with(option));
        // What failed once may have become part of a plane later.
        let mut grey = advised.map(|(options, middle)| (options, grey_around(middle)));
        let (options, grey) = grey.find(|(_, grey)| grey.len() >= 18).expect(&told);
        let after = labels(cloud, &options);
        let taken = grey.iter().filter(|&&i| after[i] >= 0).count();
        assert!(10 * taken > 9 * grey.len(), "{options}: {taken} of {}", grey.len());
    }
}

/// A floor that waves by up to 12 cm, and two walls, with noise that is nearly normal.
fn waves_between_walls() -> Vec<[f64; 3]> {
    let mut state = 1_u64;
    let mut next = || {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 32) as f64 / f64::from(u32::MAX)
    };
    let point = |i: u32| {
        let (u, v) = (next(), next());
        let (x, y) = (6.0 * u, 5.0 * v);
        let wave = 4.0 / 7.0 * (2.1 * x).sin() + 3.0 / 7.0 * (2.9 * y).sin();
        let point = match i {
            0..10_000 => [x, y, 0.12 * wave],
            10_000..18_000 => [x, 5.5, 0.3 + 2.5 * v],
            _ => [-0.5, 5.0 * u, 0.3 + 2.5 * v],
        };
        point.map(|c| c + 0.005 * (next() + next() + next() + next() - 2.0))
    };
    (0..26_000).map(point).collect()
}

#[test]
fn a_tolerance_is_obeyed() {
    let folder = tempfile::tempdir().unwrap();
    let cloud = folder.path().join("waves.ply");
    let planes = |height: f64, options: &str| {
        write(&cloud, &(1..=10_000).map(wave(height)).collect::<Vec<[f64; 3]>>());
        found(&json(detect(&cloud, options).text())).clone()
    };
    // Small waves are noise that neighbours share.
    assert_eq!(planes(0.035, "--json -").len(), 1);
    let obeyed = planes(0.105, "--json - --tolerance 0.13");
    assert_eq!(obeyed.len(), 1);
    assert!(obeyed[0]["inliers"].as_u64().unwrap() > 9_900);
}

#[test]
fn copies_change_neither_planes_nor_their_limits() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let draw = |name: &str, options: &str| {
        let args = format!("synth room --noise 0.002 {options} -o {}", path(name).display());
        planes(args.split_whitespace()).text();
    };
    draw("once.ply", "--points 50000");
    draw("often.ply", "--points 400000 --copies 8");
    let search = |name: &str, options: &str| {
        json(detect(&path(name), &format!("--json - {options}")).text())
    };
    let [once, often] = ["once.ply", "often.ply"].map(|name| search(name, ""));
    assert_eq!(once["parameters"]["copies"], 1.0);
    let copies = often["parameters"]["copies"].as_f64().unwrap();
    assert!((7.0..8.5).contains(&copies), "{copies}");
    let count = |document: &Value| found(document).len() as i64;
    assert!((count(&once) - count(&often)).abs() <= 3, "{} and {}", count(&once), count(&often));
    // Copies make nothing more certain.
    for of in ["significance", "normal_error"] {
        let [one, many] = [&once, &often].map(|document| found(document)[0][of].as_f64().unwrap());
        assert!((0.7..1.4).contains(&(many / one)), "{of}: {one} and {many}");
    }
    // Limits are numbers of points.
    let fewer = search("often.ply", "--min-inliers 1600");
    let large = |plane: &&Value| plane["inliers"].as_u64().unwrap() >= 1600;
    let expected = found(&often).iter().filter(large).count() as i64;
    assert!((count(&fewer) - expected).abs() <= 2, "{} and not {expected}", count(&fewer));
    // A tolerance holds for every point.
    let labelled = path("labelled.ply");
    let options = format!("--tolerance 0.004 --refine none --labels {}", labelled.display());
    search("often.ply", &options);
    let mut file = std::io::BufReader::new(File::open(labelled).unwrap());
    let ply = Parser::<DefaultElement>::new().read_ply(&mut file).unwrap();
    let mut inside = 0;
    for row in &ply.payload["vertex"] {
        let Property::Float(distance) = row["plane_distance"] else { panic!("{row:?}") };
        assert!(distance.is_nan() || distance.abs() <= 0.004 + 1e-6, "{distance}");
        inside += usize::from(!distance.is_nan());
    }
    assert!(inside > 100_000, "{inside}");
}
