//! What a surveyor expects: which way normals look, slope and size, tables, pictures, plain words.

use super::*;

fn numbers(value: &Value) -> [f64; 3] {
    [0, 1, 2].map(|axis| value[axis].as_f64().unwrap())
}

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap()
}

fn dot(a: [f64; 3], b: [f64; 3]) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

fn document(name: &str, options: &str) -> Value {
    json(detect(&shipped(name), &format!("{options} --json -")).text())
}

/// A cloud in a folder: a grid of points for each of the given places, `scale` times as large.
fn cloud(path: &Path, scale: f64, surfaces: &[&dyn Fn(f64, f64) -> [f64; 3]]) {
    let grid = (0..40 * 40).map(|k| [f64::from(k % 40) / 10.0, f64::from(k / 40) / 10.0]);
    let points = surfaces.iter().flat_map(|surface| grid.clone().map(|[u, v]| surface(u, v)));
    write(path, &points.map(|p| p.map(|v| v * scale)).collect::<Vec<_>>());
}

#[test]
fn planes_that_are_much_thicker_than_the_noise_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("road.ply");
    // A road that falls from its crown to both sides and sags by so much over 58 m.
    let said = |sag: f64| {
        let random = &mut random::Random(1);
        let mut point = || {
            let [u, v] = [random.unit() - 0.5, random.unit() - 0.5];
            let chance: f64 = (0..12).map(|_| random.unit()).sum::<f64>() - 6.0;
            [58.0 * u, 7.0 * v, 4.0 * sag * u * u - 0.14 * v.abs() + 0.005 * chance]
        };
        write(&file, &(0..20_000).map(|_| point()).collect::<Vec<_>>());
        detect(&file, "").err
    };
    let much = said(0.11);
    assert!(much.contains(" times as thick as the noise; "), "{much}");
    assert!(much.contains("may be several, which --widen 1 keeps apart"), "{much}");
    let none = said(0.0);
    assert!(!none.contains("as thick as the noise"), "{none}");
}

#[test]
fn a_cloud_of_too_few_points_says_so() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("few.xyz");
    let point = |k: u32| [f64::from(k % 4), f64::from(k / 4), 0.0];
    for (points, options, said) in [
        (19, "", Some("19 points to search, but a plane must have 20 (--min-inliers)")),
        (2, "--min-inliers 3", Some("2 points to search, but a plane must have 3 (--min-inliers)")),
        (3, "--min-inliers 3", Some("3 points show no surface: where some lie together, ")),
        (3, "--one-pass --min-votes 9", None),
        (19, "--min-inliers 19", None),
        (20, "", None),
    ] {
        write(&file, &(0..points).map(point).collect::<Vec<_>>());
        let stderr = detect(&file, options).err;
        assert_eq!(stderr.lines().count(), usize::from(said.is_some()), "{stderr}");
        assert!(stderr.contains(said.unwrap_or_default()), "{stderr}");
    }
}

#[test]
fn a_choice_that_leaves_too_few_points_is_named() {
    let room = shipped("room.ply");
    for (options, leaves, said) in [
        ("--every 4000", "--every leaves 10", "10 points to search, but a plane must have 20"),
        ("--every 400", "--every leaves 100", "100 points show no surface: "),
        ("--every 1000", "--every leaves 40", "no planes; the best candidate has "),
        (
            "--every 50 --bbox 0,0,0.1,0.1",
            "--bbox and --every leave 1",
            "1 point to search, but a plane must have 20",
        ),
    ] {
        let stderr = detect(&room, options).err;
        assert!(stderr.contains(said), "{options}: {stderr}");
        assert!(stderr.contains(&format!("; {leaves} of 40000 points")), "{options}: {stderr}");
    }
    assert_eq!(detect(&room, "--every 20").err, "");
}

#[test]
fn a_cloud_without_planes_says_why() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("cloud.xyz");
    let ball = |k: u32| {
        let (z, turn) = (1.0 - 2.0 * (f64::from(k) + 0.5) / 20_000.0, 2.399_963 * f64::from(k));
        let radius = (1.0 - z * z).sqrt() + 0.01 * f64::from(k * 7919 % 997) / 997.0;
        [radius * turn.cos(), radius * turn.sin(), z]
    };
    write(&file, &(0..20_000).map(ball).collect::<Vec<_>>());
    let said = |options: &str| detect(&file, options).err;
    let why = said("");
    assert!(why.contains("no planes; the best candidate has "), "{why}");
    assert!(why.contains(" points: its surface is curved"), "{why}");
    assert_eq!(said("--curved facets"), "");
    let wall = |k: u32| [f64::from(k % 50) / 10.0, f64::from(k / 50) / 10.0, 0.0];
    write(&file, &(0..2500).map(wall).collect::<Vec<_>>());
    let said = |options: &str| detect(&file, options).err;
    assert_eq!(said("--min-area 20"), "");
    let small = said("--min-area 30");
    assert!(small.contains("no plane is as large as --min-area"), "{small}");
}

#[test]
fn normals_look_up() {
    for (name, options) in [("roofs.las", ""), ("room.ply", ""), ("room.ply", "--one-pass")] {
        let document = document(name, options);
        assert_eq!(document["parameters"]["orient"], "up");
        let mut level = 0;
        for plane in found(&document) {
            let [x, y, z] = numbers(&plane["normal"]);
            let error = plane["normal_error"].as_f64().map_or(0.0, f64::to_radians);
            let margin = (3.0 * error).clamp(1e-6, 0.01);
            let first = [z, y, x].into_iter().find(|v| v.abs() > margin).unwrap();
            assert!(first > 0.0, "{name} {options}: {x} {y} {z}");
            level += usize::from(z > 0.999);
            // The angles are those of the normal.
            let (theta, phi) = (number(&plane["theta"]), number(&plane["phi"]));
            let (theta, phi) = (theta.to_radians(), phi.to_radians());
            let turned = [phi.sin() * theta.cos(), phi.sin() * theta.sin(), phi.cos()];
            assert!(dot(turned, [x, y, z]) > 1.0 - 1e-12, "{name}");
            let offset =
                dot([x, y, z], numbers(&document["input"]["origin"])) + number(&plane["rho"]);
            assert!((offset - number(&plane["offset"])).abs() < 1e-6, "{name}");
        }
        assert!(level > 0, "{name}: no level plane");
    }
}

#[test]
fn outlines_run_counter_clockwise_about_the_normal() {
    for options in ["", "--orient offset", "--orient scanner:500000,4600000,310"] {
        for plane in found(&document("roofs.las", options)) {
            let normal = numbers(&plane["normal"]);
            for piece in plane["pieces"].as_array().unwrap() {
                let ring: Vec<_> =
                    piece["boundary"]["exterior"].as_array().unwrap().iter().map(numbers).collect();
                let from = |p: [f64; 3]| [0, 1, 2].map(|axis| p[axis] - ring[0][axis]);
                let twice: f64 = ring
                    .windows(2)
                    .map(|w| {
                        let ([a, b, c], [d, e, f]) = (from(w[0]), from(w[1]));
                        dot(normal, [b * f - c * e, c * d - a * f, a * e - b * d])
                    })
                    .sum();
                assert!(twice > 0.0, "{options}");
            }
        }
    }
}

#[test]
fn normals_look_where_they_are_asked_to() {
    let up = document("room.ply", "");
    let offset = document("room.ply", "--orient offset");
    assert_eq!(offset["parameters"]["orient"], "offset");
    assert!(found(&offset).iter().all(|plane| number(&plane["rho"]) >= 0.0));
    // Within the room its walls, its floor and its ceiling all look inwards.
    let scanner = document("room.ply", "--orient scanner:2,3,1.5");
    assert_eq!(scanner["parameters"]["orient"], "scanner:2,3,1.5");
    for plane in found(&scanner) {
        assert!(dot(numbers(&plane["normal"]), [2.0, 3.0, 1.5]) >= number(&plane["offset"]));
    }
    let plain = document("room.ply", "--orient scanner");
    assert!(found(&plain).iter().all(|plane| number(&plane["offset"]) <= 0.0));
    // They are the same planes, turned.
    let mut turned = 0;
    for (a, b) in found(&up).iter().zip(found(&scanner)) {
        let (n, m) = (numbers(&a["normal"]), numbers(&b["normal"]));
        let sign = dot(n, m).signum();
        assert_eq!(n, m.map(|v| sign * v));
        assert_eq!(number(&a["offset"]), sign * number(&b["offset"]));
        assert_eq!([&a["inliers"], &a["slope"]], [&b["inliers"], &b["slope"]]);
        turned += usize::from(sign < 0.0);
    }
    assert!(turned > 0 && turned < found(&up).len());
    for wrong in ["down", "scanner:1,2", "scanner:a,b,c"] {
        let message = detect(&shipped("room.ply"), &format!("--orient {wrong}")).refusal();
        assert!(message.contains("scanner:X,Y,Z"), "{message}");
    }
}

#[test]
fn areas_and_sizes_do_not_depend_on_the_side() {
    for name in ["room.ply", "roofs.las"] {
        let up = document(name, "");
        for side in ["offset", "scanner", "scanner:2,3,1.5", "scanner:500000,4600000,-9000"] {
            let other = document(name, &format!("--orient {side}"));
            let mut turned = 0;
            for (a, b) in found(&up).iter().zip(found(&other)) {
                for member in ["area", "length", "width", "slope", "rmse"] {
                    assert_eq!(a[member], b[member], "{name} {side} {member}");
                }
                let is_turned = numbers(&a["normal"]) != numbers(&b["normal"]);
                turned += usize::from(is_turned);
                let pieces = |plane: &Value| plane["pieces"].as_array().unwrap().clone();
                for (p, q) in pieces(a).iter().zip(pieces(b)) {
                    assert_eq!(p["area"], q["area"]);
                    let ring =
                        |piece: &Value| piece["boundary"]["exterior"].as_array().unwrap().clone();
                    let mut expected = ring(p);
                    if is_turned {
                        expected[1..].reverse();
                    }
                    assert_eq!(expected, ring(&q), "{name} {side}");
                }
            }
            assert!(turned > 0, "{name} {side}");
        }
    }
}

#[test]
fn distances_of_points_have_the_sign_of_the_normal() {
    let folder = tempfile::tempdir().unwrap();
    let cloud = folder.path().join("floor.xyz");
    let bump = |u: f64, v: f64| [u, v, if (u - 2.05).hypot(v - 2.05) < 0.1 { 0.01 } else { 0.0 }];
    self::cloud(&cloud, 1.0, &[&bump]);
    let labels = folder.path().join("labels.ply");
    for (options, sign) in [("", 1.0), ("--orient scanner:2,2,-5", -1.0)] {
        let options = format!("{options} --tolerance 0.05 --labels {}", labels.display());
        detect(&cloud, &options).text();
        let mut file = std::io::BufReader::new(File::open(&labels).unwrap());
        let parser = ply_rs::parser::Parser::<ply_rs::ply::DefaultElement>::new();
        let ply = parser.read_ply(&mut file).unwrap();
        let distance = |row: &ply_rs::ply::DefaultElement| match row["plane_distance"] {
            ply_rs::ply::Property::Float(distance) => sign * f64::from(distance),
            ref other => panic!("{other:?}"),
        };
        let most = ply.payload["vertex"].iter().map(distance).fold(0.0, f64::max);
        assert!(most > 0.009, "{most}");
    }
}

#[test]
fn slope_and_aspect_are_those_of_the_roofs() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("roofs.xyz");
    // A level square, a slope to the east of 45 degrees, one to the south of 26.565.
    cloud(
        &path,
        1.0,
        &[&|u, v| [u, v, 9.0], &|u, v| [20.0 + u, v, 9.0 - u], &|u, v| {
            [40.0 + u, v, 9.0 + v / 2.0]
        }],
    );
    let document = json(detect(&path, "--json -").text());
    let mut measures: Vec<_> = found(&document)
        .iter()
        .map(|p| {
            let size = [number(&p["length"]), number(&p["width"])];
            (number(&p["slope"]), p["aspect"].as_f64(), size)
        })
        .collect();
    measures.sort_by(|a, b| a.0.total_cmp(&b.0));
    let expected = [
        (0.0, None, [3.9, 3.9]),
        (26.565, Some(180.0), [3.9 * 1.25f64.sqrt(), 3.9]),
        (45.0, Some(90.0), [3.9 * 2f64.sqrt(), 3.9]),
    ];
    assert_eq!(measures.len(), expected.len());
    for ((slope, aspect, size), (true_slope, true_aspect, true_size)) in
        measures.iter().zip(expected)
    {
        assert!((slope - true_slope).abs() < 0.01, "{slope}");
        assert_eq!(aspect.is_some(), true_aspect.is_some(), "{aspect:?}");
        assert!((aspect.unwrap_or(0.0) - true_aspect.unwrap_or(0.0)).abs() < 0.01, "{aspect:?}");
        for (side, true_side) in size.iter().zip(true_size) {
            assert!((side - true_side).abs() < 0.3, "{size:?}");
        }
    }
    let table = detect(&path, "").text();
    let mut slopes: Vec<f64> = table
        .lines()
        .skip(2)
        .map(|row| row.split_whitespace().nth(5).unwrap().parse().unwrap())
        .collect();
    slopes.sort_by(f64::total_cmp);
    for (slope, (expected, ..)) in slopes.iter().zip(expected) {
        assert!((slope - expected).abs() < 0.01, "{table}");
    }
}

#[test]
fn a_table_of_the_planes_as_csv() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("planes.csv");
    let options = format!("--csv {} --json -", path.display());
    let document = json(detect(&shipped("street.laz"), &options).text());
    let text = std::fs::read_to_string(&path).unwrap();
    let mut lines = text.lines();
    let columns: Vec<&str> = lines.next().unwrap().split(',').collect();
    assert_eq!(lines.clone().count(), found(&document).len());
    for (line, plane) in lines.zip(found(&document)) {
        let cells: Vec<&str> = line.split(',').collect();
        assert_eq!(cells.len(), columns.len());
        for (&column, &cell) in columns.iter().zip(&cells) {
            let value = match column.rsplit_once('_') {
                _ if column == "pieces" => Value::from(plane["pieces"].as_array().unwrap().len()),
                Some((triple @ ("normal" | "centroid"), axis @ ("x" | "y" | "z"))) => {
                    plane[triple]["xyz".find(axis).unwrap()].clone()
                }
                _ => plane[column].clone(),
            };
            match value.as_f64() {
                Some(value) => assert_eq!(cell.parse::<f64>().unwrap(), value, "{column}"),
                None => assert!(value.is_null() && cell.is_empty(), "{column}: {cell}"),
            }
        }
    }
    let message = detect(&shipped("street.laz"), "--csv planes.txt").refusal();
    assert!(message.contains("planes.txt") && message.contains(".csv"), "{message}");
}

#[test]
fn a_batch_takes_no_table_of_planes_for_a_cloud() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    detect(&shipped("room.ply"), &format!("--csv {}", at("room.planes.csv"))).text();
    std::fs::copy(shipped("room.ply"), at("room.ply")).unwrap();
    let out = at("out");
    let done = planes(["batch", folder.path().to_str().unwrap(), "--out", &out, "--only", "csv"]);
    assert_eq!(done.code, Some(0), "{}", done.err);
    let bytes = |name: String| std::fs::read(name).unwrap();
    assert_eq!(bytes(at("out/room.planes.csv")), bytes(at("room.planes.csv")));
    let summary = std::fs::read_to_string(at("out/summary.csv")).unwrap();
    assert_eq!(summary.lines().count(), 2, "{summary}");
}

#[test]
fn digits_follow_the_cloud_in_any_unit() {
    let folder = tempfile::tempdir().unwrap();
    // Noise of a kind: digits of a sine that are as good as random.
    let rough = |u: f64, v: f64| ((12.9898 * u + 78.233 * v).sin() * 43758.5453).fract() / 200.0;
    for scale in [1e-3, 1.0, 1e6] {
        let path = folder.path().join("cloud.ply");
        cloud(
            &path,
            scale,
            &[&|u, v| [u, v, 3.0 + rough(u, v)], &|u, v| [9.0 + rough(u, v), u, v]],
        );
        let options = format!("--top 2 --tolerance {}", 0.02 * scale);
        let table = detect(&path, &options).text();
        let rows: Vec<Vec<f64>> = table
            .lines()
            .skip(2)
            .map(|row| row.split_whitespace().map(|cell| cell.parse().unwrap_or(0.0)).collect())
            .collect();
        assert_eq!(rows.len(), 2, "{table}");
        for (row, plane) in
            rows.iter().zip(found(&json(detect(&path, &format!("{options} --json -")).text())))
        {
            for (column, member, part) in
                [(2, "area", 0.01), (3, "length", 0.05), (7, "offset", 1e-3), (8, "rmse", 0.01)]
            {
                let (shown, value) = (row[column], number(&plane[member]));
                assert!((shown - value).abs() <= part * value.abs(), "{member} {value}: {table}");
            }
        }
        let cell = table.lines().nth(2).unwrap().split_whitespace().nth(7).unwrap().to_owned();
        let decimals = cell.split_once('.').map_or(0, |(_, decimals)| decimals.len());
        let expected = if scale < 1.0 { 7 } else { 4 };
        assert!(scale > 1e3 && decimals == 0 || decimals.abs_diff(expected) <= 1, "{cell}");
    }
}

#[test]
fn one_plane_is_no_planes() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("floor.xyz");
    cloud(&path, 1.0, &[&|u, v| [u, v, 3.0]]);
    let text = detect(&path, "--explain").text();
    assert!(text.contains(": 1 plane holds 100.0 % of 1600 points\n"), "{text}");
    assert!(text.contains("  1 plane, 0 of them") && !text.contains("1 planes"), "{text}");
}

#[test]
fn info_prints_digits_that_mean_something() {
    for name in CLOUDS {
        let text = planes([OsStr::new("info"), shipped(name).as_os_str()]).text();
        let extent = text.lines().filter(|line| {
            ["min", "max", "extent"].contains(&line.split_whitespace().next().unwrap())
        });
        for number in extent.flat_map(|line| line.split_whitespace().skip(1)) {
            // The files hold millimetres.
            let decimals = number.split_once('.').map_or(0, |(_, decimals)| decimals.len());
            assert!(decimals <= 3, "{text}");
        }
    }
    let text = planes([OsStr::new("info"), shipped("street.laz").as_os_str()]).text();
    assert!(text.contains("min        -56.096 -38.529 -0.02\n"), "{text}");
}

#[test]
fn numbers_that_are_none_are_answered_in_words() {
    let room = shipped("room.ply");
    for (options, said) in [
        ("--tolerance -1", "must be a positive length"),
        ("--tolerance abc", "'abc' is not a number"),
        ("--tolerance 0,02", "use a point: 0.02"),
        ("--rho-bin -0.5", "must be a positive length"),
        ("--angle -3", "--angle must be between 1 and 45 degrees"),
        ("--angle steep", "'steep' is not a number"),
        ("--widen x", "'x' is not a number"),
        ("--top many", "'many' is not a whole number"),
        ("--top -3", "must not be negative"),
        ("--min-inliers 2.5", "'2.5' is not a whole number"),
        ("--chunk x", "'x' is not a whole number"),
        ("--gpus 0", "must be from 1 to"),
        ("--false-alarms 1e", "'1e' is not a number"),
        ("--false-alarms -1", "--false-alarms is from 1e-300 to 1000000"),
        ("--class 256", "--class takes numbers from 0 to 255, such as 2,6"),
        ("--class ground", "--class takes numbers from 0 to 255, such as 2,6"),
        ("--every 0", "--every takes a whole number from 1 on, such as 10"),
        ("--every x", "--every takes a whole number from 1 on, such as 10"),
    ] {
        let message = detect(&room, options).refusal();
        assert!(message.contains(said), "{options}: {message}");
        let option = options.split(' ').next().unwrap();
        assert!(message.contains(option), "{options}: {message}");
        assert!(!message.contains("literal") && !message.contains("invalid digit"), "{message}");
        assert!(!message.contains(" -- "), "{options}: {message}");
    }
    for args in [
        &["synth", "room", "-o", "x.ply", "--noise", "a"][..],
        &["synth", "room", "-o", "x.ply", "--points", "a"],
        &["eval", "a.json", "--truth", "b.ply", "--angle", "a"],
        &["bench", "lms", "--hold", "a"],
        &["bench", "--top", "a"],
        &["batch", "a", "--out", "b", "--tolerance", "a"],
    ] {
        let message = planes(args).refusal();
        assert!(message.contains("'a' is not a"), "{message}");
    }
    for only in ["", "jsn", "json,", "json;labels"] {
        let message = planes(["batch", "a", "--out", "b", "--only", only]).refusal();
        assert!(message.contains("json, labels, overlay, ply, csv, svg, space"), "{message}");
    }
}

#[test]
fn help_stands_under_true_headings() {
    let help = planes(["detect", "--help"]).text();
    let heading = |option: &str| {
        // Options with a short name stand farther to the left.
        let indent = if option.starts_with("--") { 6 } else { 2 };
        let line = format!("\n{:indent$}{option}", "");
        let at = help.find(&line).unwrap_or_else(|| panic!("{option}"));
        let above =
            help[..at].lines().rev().find(|line| !line.starts_with(' ') && line.ends_with(':'));
        above.unwrap().to_owned()
    };
    for (option, expected) in [
        ("--explain", "Messages:"),
        ("--timings", "Messages:"),
        ("-o, --out <DIR>", "Output:"),
        ("--csv <FILE>", "Output:"),
        ("--labels <FILE>", "Output of clouds:"),
        ("--up <AXIS>", "Output of clouds:"),
        ("--svg <FILE>", "Output of images:"),
        ("--top <N>", "Search:"),
        ("--tolerance <LENGTH>", "Search in clouds:"),
        ("--orient <SIDE>", "Search in clouds:"),
        ("--edges <METHOD>", "Search in images:"),
        ("--device <DEVICE>", "Machine:"),
    ] {
        assert_eq!(heading(option), expected, "{option}");
    }
}

#[test]
fn voters_that_need_a_gpu_are_named() {
    let help = planes(["detect", "--help"]).text();
    let help = help.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(help.contains("These need an NVIDIA GPU: kumar-baseline"), "{help}");
    let folder = tempfile::tempdir().unwrap();
    let image = folder.path().join("lines.png");
    planes(["synth", "lines", "-o", image.to_str().unwrap()]).text();
    let options = "--device cpu --one-pass --line-space kumar --line-voter braak-fast";
    let message = detect(&image, options).refusal();
    assert!(message.contains("needs an NVIDIA GPU; serial, all-cores"), "{message}");
}

/// The pixels of a picture.
fn picture(path: &Path) -> planes::image::Image {
    planes::image::Image::open(path).unwrap()
}

/// The share of the large view that is of the colour of points of no plane, more or less.
fn grey_share(path: &Path) -> f64 {
    let picture = picture(path);
    let width = picture.width() as usize;
    let large = |k: usize| k % width < width * 6 / 10;
    let pixels = picture.rgb().chunks(3).enumerate().filter(|&(k, _)| large(k));
    let is_grey = |p: &[u8]| p[0] > 50 && p.iter().all(|v| v.abs_diff(p[1]) < 12) && p[0] < 130;
    let (all, grey) =
        pixels.fold((0, 0), |(all, grey), (_, p)| (all + 1, grey + i32::from(is_grey(p))));
    f64::from(grey) / f64::from(all)
}

#[test]
fn points_of_no_plane_bury_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("street.png");
    detect(&shipped("street.laz"), &format!("--overlay {}", path.display())).text();
    let share = grey_share(&path);
    assert!(share < 0.01, "{share}");
}

#[test]
fn the_picture_stands_as_it_is_asked_to() {
    let folder = tempfile::tempdir().unwrap();
    let draw = |cloud: &Path, options: &str| {
        let path = folder.path().join("picture.png");
        detect(cloud, &format!("{options} --overlay {}", path.display())).text();
        std::fs::read(path).unwrap()
    };
    let room = shipped("room.ply");
    let by_itself = draw(&room, "");
    assert!(by_itself == draw(&room, "--up z") && by_itself != draw(&room, "--up y"));
    assert!(draw(&room, "--up x") != draw(&room, "--up y"));
    // The same room lying on its side: y is up.
    let points = read(&room);
    let turned: Vec<_> =
        (0..points.len()).map(|k| [points.x[k], points.z[k], -points.y[k]]).collect();
    let lying = folder.path().join("lying.ply");
    write(&lying, &turned);
    let by_itself = draw(&lying, "");
    assert!(by_itself == draw(&lying, "--up y") && by_itself != draw(&lying, "--up z"));
    assert_eq!(detect(&room, "--up y").refusal(), "--up y: no picture is asked for");
    assert!(detect(&room, "--up down").refusal().contains("auto, x, y and z"));
}

/// The picture in the README is what its second command makes.
#[test]
fn the_picture_of_the_readme_is_made_by_its_command() {
    let readme = shipped("../README.md");
    let readme = std::fs::read_to_string(readme).unwrap();
    assert!(readme.contains("](clouds/street.png)"));
    assert!(readme.contains("planes detect clouds/street.laz --out results"));
    let folder = tempfile::tempdir().unwrap();
    detect(&shipped("street.laz"), &format!("--out {}", folder.path().display())).text();
    let (made, kept) =
        (picture(&folder.path().join("street.png")), picture(&shipped("street.png")));
    assert_eq!((made.width(), made.height()), (kept.width(), kept.height()));
    // Light and shade are computed with functions that differ in the last digit from system to system.
    let differ = made.rgb().iter().zip(kept.rgb()).filter(|(a, b)| a.abs_diff(**b) > 2).count();
    assert!(differ < made.rgb().len() / 1000, "{differ}; write clouds/street.png again");
}

#[test]
fn the_hough_space_has_axes() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let image = at("lines.png");
    planes(["synth", "lines", "-o", image.to_str().unwrap()]).text();
    detect(&image, &format!("--space-image {}", at("space.png").display())).text();
    let space = picture(&at("space.png"));
    // 720 directions and what is written around them.
    assert!(space.width() > 720 + 50, "{}", space.width());
    let below = space.rgb().chunks(3 * space.width() as usize).rev().take(20);
    assert!(below.flatten().any(|&v| v > 150), "nothing is written below");
}
