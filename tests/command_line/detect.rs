//! `planes detect` on clouds that are in order.

use super::*;

fn valid(document: &Value) -> bool {
    let mut compiler = boon::Compiler::new();
    compiler.add_resource("detection", json(planes(["schema"]).text())).unwrap();
    let mut schemas = boon::Schemas::new();
    let index = compiler.compile("detection", &mut schemas).unwrap();
    schemas.validate(document, index).is_ok()
}

#[test]
fn a_table_is_printed_when_nothing_else_is_asked_for() {
    for name in CLOUDS {
        let text = detect(&shipped(name), "").text();
        let mut lines = text.lines();
        let summary = lines.next().unwrap();
        let (file, rest) = summary.split_once(": ").unwrap();
        assert_eq!(file, shipped(name).to_str().unwrap());
        let count: usize = rest.split_once(" planes hold ").unwrap().0.parse().unwrap();
        assert!(text.lines().skip(1).all(|line| line.chars().count() <= 80), "{text}");
        assert!(count > 0, "{summary}");
        assert!(lines.next().unwrap().trim_start().starts_with("plane"));
        let mut rows = 0;
        for (i, row) in lines.take_while(|line| !line.contains("more")).enumerate() {
            assert_eq!(row.split_whitespace().next(), Some(&*i.to_string()), "{row}");
            assert_eq!(row.split_whitespace().count(), 9, "{row}");
            rows += 1;
        }
        assert_eq!(rows, count.min(30));
    }
}

#[test]
fn a_folder_receives_everything() {
    for name in CLOUDS {
        let folder = tempfile::tempdir().unwrap();
        let out = folder.path().join("new");
        let input = shipped(name);
        assert_eq!(detect(&input, &format!("--out {}", out.display())).text(), "");
        let (stem, kind) = name.split_once('.').unwrap();
        let kind = if kind == "txt" { "ply" } else { kind };
        let labelled = format!("{stem}.labels.{kind}");
        let mut expected = vec![
            format!("{stem}.json"),
            labelled.clone(),
            format!("{stem}.planes.csv"),
            format!("{stem}.planes.ply"),
            format!("{stem}.png"),
        ];
        expected.sort();
        assert_eq!(names(&out), expected);

        let document = json(std::fs::read(out.join(format!("{stem}.json"))).unwrap());
        assert!(valid(&document), "{name}");
        let (before, after) = (read(&input), read(&out.join(labelled)));
        assert_eq!(document["input"]["points"], before.len());
        assert_eq!([&after.x, &after.y, &after.z], [&before.x, &before.y, &before.z], "{name}");
        assert_eq!(after.intensity, before.intensity, "{name}");
        assert_eq!(after.colour, before.colour, "{name}");
        for (id, plane) in found(&document).iter().enumerate() {
            assert_eq!(plane["id"], id);
            let members = after.label.iter().filter(|&&label| label == id as i32).count();
            assert_eq!(plane["inliers"], members, "{name}, plane {id}");
        }
        let picture = std::fs::read(out.join(format!("{stem}.png"))).unwrap();
        let pixels = image::load_from_memory(&picture).unwrap().into_bytes();
        assert!(pixels.iter().any(|&v| v != pixels[0]), "{name}: an empty picture");
    }
}

#[test]
fn single_files_are_those_of_the_folder() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let bytes = |name: &str| std::fs::read(at(name)).unwrap();
    let options = format!(
        "--out {0} --json {0}/a.json --csv {0}/e.csv --ply {0}/b.ply --labels {0}/c.LAS --overlay {0}/d.png",
        folder.path().display()
    );
    assert_eq!(detect(&shipped("roofs.las"), &options).text(), "");
    assert_eq!(bytes("a.json"), bytes("roofs.json"));
    assert_eq!(bytes("b.ply"), bytes("roofs.planes.ply"));
    assert_eq!(bytes("c.LAS"), bytes("roofs.labels.las"));
    assert_eq!(bytes("d.png"), bytes("roofs.png"));
    assert_eq!(bytes("e.csv"), bytes("roofs.planes.csv"));
    assert_eq!(names(folder.path()).len(), 10);
    let printed = detect(&shipped("roofs.las"), "--json -").text();
    assert_eq!(printed.as_bytes(), bytes("a.json"));
}

#[test]
fn labels_agree_in_every_format() {
    let folder = tempfile::tempdir().unwrap();
    for name in CLOUDS {
        let cloud = read(&shipped(name));
        let mut answers = Vec::new();
        for ending in ["npy", "las", "laz", "ply"] {
            let path = folder.path().join(format!("{name}.{ending}"));
            let printed = detect(&shipped(name), &format!("--labels {}", path.display())).text();
            assert_eq!(printed, "");
            let labels = if ending == "npy" { npy(&path) } else { read(&path).label };
            assert_eq!(labels.len(), cloud.len(), "{name} as {ending}");
            answers.push(labels);
        }
        assert!(answers[0].contains(&0), "{name}");
        assert!(answers.iter().all(|labels| labels == &answers[0]), "{name}");
    }
}

#[test]
fn labels_by_piece_agree_with_the_document() {
    let folder = tempfile::tempdir().unwrap();
    let labels = |path: &Path, options: &str| {
        let npy = folder.path().join("labels.npy");
        let text = detect(path, &format!("{options} --json - --labels {}", npy.display())).text();
        (text, self::npy(&npy))
    };
    for name in ["street.laz", "hard.txt"] {
        let cloud = shipped(name);
        let (text, by_plane) = labels(&cloud, "");
        let (same, by_piece) = labels(&cloud, "--label-by piece");
        assert_eq!(text, same, "{name}");
        let mut counts = Vec::new();
        for (&plane, &piece) in by_plane.iter().zip(&by_piece).filter(|&(_, &piece)| piece >= 0) {
            counts.resize(counts.len().max(piece as usize + 1), (plane, 0));
            let (owner, count) = &mut counts[piece as usize];
            (*owner, *count) = (plane, *count + 1);
        }
        let mut next = 0;
        let document = json(&text);
        for plane in found(&document) {
            let pieces = plane["pieces"].as_array().unwrap();
            assert!(!pieces.is_empty(), "{name}");
            for piece in pieces {
                assert_eq!(piece["id"], next, "{name}");
                let (owner, count): (i32, u64) = counts[next];
                assert_eq!((&plane["id"], &piece["inliers"]), (&owner.into(), &count.into()));
                next += 1;
            }
            let sum: u64 = pieces.iter().map(|p| p["inliers"].as_u64().unwrap()).sum();
            assert!(sum <= plane["inliers"].as_u64().unwrap(), "{name}: {}", plane["id"]);
        }
        assert_eq!(next, counts.len(), "{name}");
        assert!(next > found(&document).len(), "{name}: no plane has two pieces");
        assert!(labels(&cloud, "--label-by piece --threads 1 --chunk 777").1 == by_piece, "{name}");
        // A labelled cloud keeps the planes beside the pieces.
        for ending in ["laz", "ply"] {
            let both = folder.path().join(format!("both.{ending}"));
            detect(&cloud, &format!("--label-by piece --labels {}", both.display())).text();
            assert!(read(&both).label == by_plane, "{name} as {ending}");
        }
    }
    let refused = detect(&shipped("hard.txt"), "--label-by piece --json -").refusal();
    assert_eq!(refused, "--label-by piece: no labelled cloud is asked for");
}

/// Whether two planes are one: within a degree and, at both centroids, 5 mm, the noise. The back of
/// the room's shelf is 2 cm from the wall.
fn alike(a: &Value, b: &Value) -> bool {
    let vector = |v: &Value| [0, 1, 2].map(|axis| v[axis].as_f64().unwrap());
    let dot = |u: [f64; 3], v: [f64; 3]| u[0] * v[0] + u[1] * v[1] + u[2] * v[2];
    let away = |plane: &Value, point: &Value| {
        let along = dot(vector(&plane["normal"]), vector(&point["centroid"]));
        (along - plane["offset"].as_f64().unwrap()).abs()
    };
    let cosine = dot(vector(&a["normal"]), vector(&b["normal"])).abs();
    cosine > 1f64.to_radians().cos() && away(a, b) < 0.005 && away(b, a) < 0.005
}

#[test]
fn the_top_ten_are_ten_different_planes() {
    for name in CLOUDS {
        let document = json(detect(&shipped(name), "--top 10 --json -").text());
        assert_eq!(document["parameters"]["top"], 10);
        let planes = found(&document);
        assert_eq!(planes.len(), 10, "{name}");
        let ranks: Vec<f64> = planes.iter().map(|p| p["significance"].as_f64().unwrap()).collect();
        assert!(ranks.is_sorted_by(|a, b| a >= b) && ranks[9] > 0.0, "{name}: {ranks:?}");
        for (i, plane) in planes.iter().enumerate() {
            for other in &planes[..i] {
                assert!(!alike(plane, other), "{name}: {} and {}", plane["id"], other["id"]);
            }
        }
    }
}

#[test]
fn the_papers_flow_reports_what_it_is_asked_for() {
    let room = shipped("room.ply");
    let document = json(detect(&room, "--one-pass --json -").text());
    assert!(valid(&document));
    assert_eq!(found(&document).len(), 10);
    assert_eq!(document["parameters"]["directions"], "polar:180x180");
    let votes = |p: &Value| p["votes"].as_u64().unwrap();
    assert!(found(&document).is_sorted_by(|a, b| votes(a) >= votes(b)));

    let document = json(detect(&room, "--one-pass --top 3 --json -").text());
    assert_eq!(found(&document).len(), 3);
    let document = json(detect(&room, "--one-pass --min-votes 2000 --json -").text());
    assert!(!found(&document).is_empty());
    assert!(found(&document).iter().all(|p| votes(p) >= 2000));
}

#[test]
fn every_vote_and_voter_finds_planes() {
    let folder = tempfile::tempdir().unwrap();
    let room = folder.path().join("room.ply");
    let out = room.to_str().unwrap();
    planes(["synth", "room", "--points", "8000", "-o", out]).text();
    let run = |options: &str| detect(&room, &format!("{options} --json -")).text();
    for vote in ["--vote all --space ball:4", "--one-pass --space polar:60x60"] {
        let expected = run(vote);
        assert!(!found(&json(&expected)).is_empty());
        assert_eq!(run(&format!("{vote} --voter serial")), expected);
        assert_eq!(run(&format!("{vote} --voter parallel")), expected);
        assert!(!found(&json(run(&format!("{vote} --voter serial-f64")))).is_empty());
    }
    assert_eq!(run("--vote near"), run(""));
}

#[test]
fn options_are_in_the_result() {
    let options = "--tolerance 0.02 --angle 15 --min-inliers 77 --min-votes 33 --space ball:3 \
        --rho-bin 0.05 --top 4 --json -";
    let document = json(detect(&shipped("room.ply"), options).text());
    let parameters = &document["parameters"];
    assert_eq!(parameters["tolerance"], 0.02);
    assert_eq!(parameters["angle"], 15.0);
    assert_eq!(parameters["min_inliers"], 77);
    assert_eq!(parameters["min_votes"], 33);
    assert_eq!(parameters["directions"], "ball:3");
    assert_eq!(parameters["rho_bin"], 0.05);
    assert_eq!(parameters["top"], 4);
    assert!(found(&document).iter().all(|p| p["inliers"].as_u64() >= Some(77)));
}

#[test]
fn resolved_defaults_replay_the_run() {
    let room = shipped("room.ply");
    let first = detect(&room, "--json -").text();
    let p = &json(&first)["parameters"];
    let options = format!(
        "--tolerance {} --widen {} --angle {} --min-inliers {} --min-votes {} --space {} --rho-bin {} --json -",
        p["tolerance"],
        p["widen"],
        p["angle"],
        p["min_inliers"],
        p["min_votes"],
        p["directions"].as_str().unwrap(),
        p["rho_bin"]
    );
    let again = json(detect(&room, &options).text());
    let first = json(first);
    assert_eq!(again["parameters"], first["parameters"]);
    assert_eq!(found(&again).len(), found(&first).len());
    assert!(again == first, "other planes");
}

#[test]
fn standard_input_is_a_cloud_like_any_other() {
    let folder = tempfile::tempdir().unwrap();
    for name in CLOUDS {
        let path = shipped(name);
        let done = planes_with(["detect", "-", "--json", "-"], Some(&path));
        assert_eq!(done.text(), detect(&path, "--json -").text(), "{name}");
    }
    let out = folder.path().to_str().unwrap();
    let roofs = shipped("roofs.las");
    assert_eq!(planes_with(["detect", "-", "--out", out], Some(&roofs)).text(), "");
    let expected =
        ["cloud.json", "cloud.labels.las", "cloud.planes.csv", "cloud.planes.ply", "cloud.png"];
    assert_eq!(names(folder.path()), expected);
    let table = planes_with(["detect", "-"], Some(&roofs)).text();
    assert!(table.starts_with("<stdin>: "), "{table}");
}

#[test]
fn several_clouds_come_one_after_the_other() {
    let folder = tempfile::tempdir().unwrap();
    let [room, hard] = ["room.ply", "hard.txt"].map(|n| shipped(n).to_str().unwrap().to_owned());
    let out = folder.path().to_str().unwrap();
    let printed = planes(["detect", &room, &hard, "--json", "-", "--out", out]).text();
    let alone = |file: &str| detect(Path::new(file), "--json -").text();
    assert_eq!(printed, alone(&room) + &alone(&hard));
    assert_eq!(names(folder.path()).len(), 10);
}

#[test]
fn a_result_explains_itself() {
    let room = shipped("room.ply");
    let text = detect(&room, "--explain --top 3 --tolerance 0.02").text();
    for said in [
        "noise      0.005",
        "--tolerance    0.02000        as given",
        "three standard errors",
        "3 planes, 0 of them in a wider slab",
        "; chance would make one like it in 1 of 10^",
        "Planes that are not among the top 3",
    ] {
        assert!(text.contains(said), "{said}: {text}");
    }
    assert!(!detect(&room, "--top 3").text().contains("Measured"));
    // What is no plane, and why: the column in the corner of the room.
    let text = detect(&room, "--explain").text();
    assert!(text.contains("its surface is curved, or a piece of one"), "{text}");
    // The planes themselves stay alone on standard output.
    let both = detect(&room, "--explain --json -");
    assert!(both.err.contains("Measured"), "{}", both.err);
    json(both.text());
}

#[test]
fn a_refinement_is_chosen_and_recorded() {
    let room = shipped("room.ply");
    let refined = |options: &str| {
        let document = json(detect(&room, &format!("{options} --json -")).text());
        document["parameters"]["refine"].as_str().unwrap().to_owned()
    };
    assert_eq!([refined(""), refined("--one-pass")], ["ols", "none"]);
    assert_eq!([refined("--refine lms"), refined("--one-pass --refine ols")], ["lms", "ols"]);
    // In one pass a plane is the middle of its bin; refined, it has standard errors.
    let planes = |options: &str| json(detect(&room, &format!("{options} --json -")).text());
    let [plain, lms] = ["--one-pass", "--one-pass --refine lms"].map(planes);
    for (plain, lms) in found(&plain).iter().zip(found(&lms)) {
        assert_eq!(plain["votes"], lms["votes"]);
        assert!(plain["normal_error"].is_null() && lms["normal_error"].is_f64());
        assert!(lms["normal"] != plain["normal"]);
    }
    for (options, what) in [("--refine best", "none, ols, lms"), ("--refine stroke", "images")] {
        let message = detect(&room, options).refusal();
        assert!(message.contains(what), "{message}");
    }
}
