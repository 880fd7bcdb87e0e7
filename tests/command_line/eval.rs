//! `planes eval`: what is scored, from which files.

use super::*;

/// Runs `planes eval` on a result and a truth, with options given as one string.
fn eval(result: &Path, truth: &Path, options: &str) -> Done {
    let mut args = vec![OsStr::new("eval"), result.as_ref(), OsStr::new("--truth"), truth.as_ref()];
    args.extend(options.split_whitespace().map(OsStr::new));
    planes(args)
}

fn scores(result: &Path, truth: &Path, options: &str) -> Value {
    json(eval(result, truth, &format!("{options} --json -")).text())
}

#[test]
fn labels_are_right_against_themselves() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::copy(shipped("hard.labels"), folder.path().join("hard.labels")).unwrap();
    for name in CLOUDS {
        // Away from its truth document, each label is a plane.
        let cloud = folder.path().join(name);
        std::fs::copy(shipped(name), &cloud).unwrap();
        let s = scores(&cloud, &cloud, "");
        assert_eq!((&s["format"], &s["version"]), (&"planes-evaluation".into(), &1.into()));
        assert_eq!(s["points"], read(&cloud).len());
        let (planes, segments) = (&s["planes"], &s["segments"]);
        assert!(planes["truth"].as_u64().unwrap() >= 10, "{name}");
        for score in ["panoptic_quality", "segmentation_quality", "recognition_quality", "mean_iou"]
        {
            assert_eq!(segments[score], 1.0, "{name}: {score}");
        }
        for set in ["at_50", "at_75", "at_iou", "by_points"] {
            for score in ["precision", "recall", "f1"] {
                assert_eq!(segments[set][score], 1.0, "{name}: {set} {score}");
            }
        }
        let hoover = &segments["hoover"];
        assert_eq!(hoover["correct"], planes["truth"], "{name}");
        assert_eq!((&hoover["missed"], &hoover["noise"]), (&0.into(), &0.into()), "{name}");
        assert_eq!((&planes["missed"], &planes["angle"]), (&0.into(), &0.0.into()), "{name}");
    }
}

#[test]
fn pieces_of_a_true_plane_are_asked_for_once() {
    // The facade and its panes have labels of their own and one equation.
    let folder = tempfile::tempdir().unwrap();
    let alone = folder.path().join("street.laz");
    std::fs::copy(shipped("street.laz"), &alone).unwrap();
    let street = shipped("street.laz");
    let itself = scores(&street, &street, "");
    for score in ["precision", "recall", "f1"] {
        assert_eq!(itself["planes"][score], 1.0, "{score}");
        assert_eq!(itself["segments"]["at_75"][score], 1.0, "{score}");
    }
    assert_eq!(itself["planes"]["duplicates"], 0);
    // Labels alone do not say which of them are one plane.
    let s = scores(&alone, &street, "");
    let rows = s["truth"].as_array().unwrap();
    let pieces: Vec<u64> = rows.iter().map(|row| row["pieces"].as_u64().unwrap()).collect();
    let document = json(std::fs::read(shipped("street.truth.json")).unwrap());
    assert_eq!(pieces.iter().sum::<u64>(), found(&document).len() as u64);
    assert!(pieces.iter().any(|&pieces| pieces > 1));
    assert_eq!(s["planes"]["missed"], 0);
    assert!(s["planes"]["duplicates"].as_u64().unwrap() > 0);
    assert!(s["segments"]["hoover"]["over_segmented"].as_u64().unwrap() > 0);
}

#[test]
fn a_result_that_lies_elsewhere_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let room = shipped("room.ply");
    let at_home = read(&room);
    let moved = |name: &str, by: [f64; 3]| {
        let point = |i| [at_home.x[i] + by[0], at_home.y[i] + by[1], at_home.z[i] + by[2]];
        write(&at(name), &(0..at_home.len()).map(point).collect::<Vec<_>>());
        let (out, labels) = (folder.path().display(), at("alone.npy"));
        detect(&at(name), &format!("--out {out} --labels {}", labels.display())).text();
    };
    let said = |result: &str, options: &str| eval(&at(result), &room, options).err;
    let alone = format!("--labels {}", at("alone.npy").display());
    moved("near.ply", [0.0; 3]);
    assert_eq!([said("near.json", ""), said("near.json", &alone)], ["", ""]);
    moved("far.ply", [500_000.0, -70.0, 3.0]);
    let far = "its points are not where those of ";
    let by = " are, but moved by 500000, -70, 3; ";
    for (result, options) in [("far.json", ""), ("far.json", &alone), ("far.labels.ply", "")] {
        let said = said(result, options);
        assert!(said.contains(far) && said.contains(by), "{result} {options}: {said}");
    }
    let labelled = read(&at("near.labels.ply"));
    let turned = format!(
        "x y z label\n{}",
        (0..labelled.len())
            .rev()
            .map(|i| {
                format!(
                    "{} {} {} {}\n",
                    labelled.x[i], labelled.y[i], labelled.z[i], labelled.label[i]
                )
            })
            .collect::<String>()
    );
    std::fs::write(at("turned.txt"), turned).unwrap();
    let said = said("turned.txt", "");
    assert!(
        said.contains(far) && said.contains("must be the same cloud in the same order"),
        "{said}"
    );
}

#[test]
fn a_result_is_scored_from_whatever_holds_it() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let room = shipped("room.ply");
    let out = format!("--out {}", folder.path().display());
    detect(&room, &format!("{out} --labels {}", at("alone.npy").display())).text();
    let document = at("room.json");
    let beside = scores(&document, &room, "");
    assert!(beside["planes"]["f1"].as_f64().unwrap() > 0.2);
    let labels = format!("--labels {}", at("alone.npy").display());
    assert_eq!(scores(&document, &room, &labels), beside);
    // The same as floats in the shape of an image.
    let numbers = npy(&at("alone.npy"));
    let shape = format!("(2, {})", numbers.len() / 2);
    let header = format!("{{'descr': '<f8', 'fortran_order': False, 'shape': {shape}, }}\n");
    let mut image = [b"\x93NUMPY\x01\0", &(header.len() as u16).to_le_bytes()[..]].concat();
    image.extend(header.as_bytes());
    image.extend(numbers.iter().flat_map(|&label| f64::from(label).to_le_bytes()));
    std::fs::write(at("image.npy"), image).unwrap();
    let labels = format!("--labels {}", at("image.npy").display());
    assert_eq!(scores(&document, &room, &labels), beside);

    // Planes fitted to the labels are all but those of the document.
    let fitted = scores(&at("alone.npy"), &room, "");
    assert_eq!(scores(&at("room.labels.ply"), &room, ""), fitted);
    assert_eq!(fitted["segments"], beside["segments"]);
    for (a, b) in
        fitted["found"].as_array().unwrap().iter().zip(beside["found"].as_array().unwrap())
    {
        assert_eq!((&a["id"], &a["truth"], &a["points"]), (&b["id"], &b["truth"], &b["points"]));
    }

    // Without labels on a side there are planes alone.
    std::fs::remove_file(at("room.labels.ply")).unwrap();
    let planes_alone = scores(&document, &room, "");
    assert_eq!(planes_alone["segments"], Value::Null);
    assert_eq!(planes_alone["planes"]["matched"], beside["planes"]["matched"]);
    let outlines = scores(&document, &shipped("room.truth.json"), "");
    assert_eq!(outlines["planes"]["truth"], beside["planes"]["truth"]);
    assert!(outlines["planes"]["matched"].as_u64().unwrap() > 5);
}

#[test]
fn labels_of_an_earlier_run_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let room = shipped("room.ply");
    detect(&room, &format!("--out {}", folder.path().display())).text();
    eval(&at("room.json"), &room, "").text();
    // Another search, whose labels are not written.
    let options = format!("--angle 10 --tolerance 0.05 --json {}", at("room.json").display());
    detect(&room, &options).text();
    let labels = format!("--labels {}", at("room.labels.ply").display());
    for options in ["", &labels] {
        let message = eval(&at("room.json"), &room, options).refusal();
        assert!(message.contains("room.labels.ply: labels: "), "{message}");
        assert!(message.contains("but the result says"), "{message}");
    }
    // So are labels of pieces, of which a plane has several.
    let pieces = at("pieces.npy");
    let options = format!(
        "--json {} --labels {} --label-by piece",
        at("room.json").display(),
        pieces.display()
    );
    detect(&room, &options).text();
    let message =
        eval(&at("room.json"), &room, &format!("--labels {}", pieces.display())).refusal();
    assert!(message.contains("pieces.npy: labels: "), "{message}");
}

#[test]
fn limits_are_in_the_document_and_decide() {
    let room = shipped("room.ply");
    let s = scores(&room, &room, "");
    let limits =
        json(r#"{"angle": 1.0, "distance": 0.02, "iou": 0.75, "overlap": 0.8, "min_points": 50}"#);
    assert_eq!(s["limits"], limits);
    let rows = s["truth"].as_array().unwrap();
    let small = rows.iter().filter(|row| row["small"] == true).count();
    let few = rows.iter().filter(|row| row["points"].as_u64() < Some(50)).count();
    assert_eq!((&s["planes"]["small"], small), (&few.into(), few));

    let strict = "--min-points 1 --angle 0.5 --distance 0.003 --iou 0.9 --overlap 0.95";
    let all = scores(&room, &room, strict);
    let limits =
        json(r#"{"angle": 0.5, "distance": 0.003, "iou": 0.9, "overlap": 0.95, "min_points": 1}"#);
    assert_eq!(all["limits"], limits);
    let empty = rows.iter().filter(|row| row["points"] == 0).count();
    assert_eq!(all["planes"]["small"], empty);
    // Noise alone is 4 mm in the mean.
    assert_eq!(s["planes"]["missed"], 0);
    assert!(all["planes"]["missed"].as_u64() > Some(10));
}

#[test]
fn a_truth_without_planes_that_count_is_told() {
    let room = shipped("room.ply");
    let said = eval(&room, &room, "--min-points 1000000").err;
    let told = "no plane of at least 1000000 points, so there is nothing to find";
    assert!(said.contains(told), "{said}");
    assert_eq!(eval(&room, &room, "").err, "");
    assert_eq!(eval(&room, &room, "--min-points 0").refusal(), "`min_points` must be at least 1");
}

#[test]
fn a_truth_that_is_no_json_is_told_with_its_line_once() {
    let folder = tempfile::tempdir().unwrap();
    let cloud = folder.path().join("room.ply");
    std::fs::copy(shipped("room.ply"), &cloud).unwrap();
    std::fs::write(folder.path().join("room.truth.json"), "{\n\"version\": 1,\n]").unwrap();
    let refusal = eval(&cloud, &cloud, "").refusal();
    assert_eq!(refusal.matches("line 3").count(), 1, "{refusal}");
}

#[test]
fn the_table_says_it_in_words_and_the_list_names_planes() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    // A floor, a wall beside it, and noise; the result has the floor twice and no wall.
    let mut text = String::from("x y z label\n");
    let mut labels = String::new();
    for i in 0..300 {
        let (u, v) = (i % 10, i / 10 % 10);
        let (point, truth, found) = match i / 100 {
            0 => (format!("{u} {v} 0"), 0, i / 50),
            1 => (format!("0 {u} {v}"), 1, -1),
            _ => (format!("{u} {v} {}", u * v % 7), -1, -1),
        };
        text += &format!("{point} {truth}\n");
        labels += &format!("{found}\n");
    }
    std::fs::write(at("truth.txt"), text).unwrap();
    std::fs::write(at("found.labels"), labels).unwrap();
    let said = eval(&at("found.labels"), &at("truth.txt"), "--list").text();
    let found = [
        "2 true, 2 found, 1 of them right, 1 missed, 1 found again, 0 otherwise wrong",
        "precision 0.500  recall 0.500  F1 0.500, within 1° and ",
        "points\n  F1        0.000 at IoU 0.5  0.000 at IoU 0.75  panoptic quality 0.000 (",
        "mean IoU 0.250, weighted by points 0.250",
        "points    precision 0.500  recall 0.250  F1 0.333",
        "under-segmented 0.000, over-segmented 0.500, missed 0.500, noise 0.000, IoU 0.000, Dice",
        "0 correct, 1 over-segmented, 0 under-segmented, 1 missed, 0 noise, at overlap 0.8",
        "true 0, 100 points: over-segmented; best IoU 0.500, with 0\n",
        "true 1, 100 points: missed\n",
        "found 1, 50 points: true 0 found again; 50 of true 0\n",
    ];
    for part in found {
        assert!(said.contains(part), "{part} in {said}");
    }
    let document = at("scores.json");
    let option = format!("--json {}", document.display());
    assert_eq!(eval(&at("found.labels"), &at("truth.txt"), &option).text(), "");
    let s = json(std::fs::read(document).unwrap());
    assert_eq!(s["found"][1]["duplicate_of"], 0);
    assert_eq!(s["found"][1]["verdict"], "over-segmented");
    assert_eq!(s["truth"][1]["verdict"], "missed");
}

#[test]
fn unknown_points_are_neither_right_nor_wrong() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str, text: String| {
        let path = folder.path().join(name);
        std::fs::write(&path, text).unwrap();
        path
    };
    // A floor that is known and one beside it that is not, 100 points each, and 50 of nothing.
    let truth = |i: usize| [0, -2, -1][i / 100];
    let rows = (0..250).map(|i| format!("{} {} 0 {}\n", i % 10, i / 10, truth(i)));
    let truth = at("truth.txt", "x y z label\n".to_owned() + &rows.collect::<String>());
    let result = |name: &str, label: &dyn Fn(usize) -> i32| {
        at(name, (0..250).map(|i| format!("{}\n", label(i))).collect())
    };
    let plain = result("plain.labels", &|i| [0, -1, -1][i / 100]);
    let expected = scores(&plain, &truth, "");
    assert_eq!(
        (&expected["unknown"], &expected["segments"]["at_75"]["f1"]),
        (&100.into(), &1.0.into())
    );
    // The floor goes on there; other planes are there.
    for (name, beside) in [("wide.labels", 0), ("other.labels", 1), ("many.labels", 5)] {
        let wide = result(name, &|i| match i / 100 {
            0 => 0,
            1 if beside == 5 => 1 + i as i32 % 5,
            1 => beside,
            _ => -1,
        });
        let s = scores(&wide, &truth, "");
        assert_eq!(s["segments"], expected["segments"], "{name}");
        assert_eq!(s["planes"]["precision"], 1.0, "{name}");
        assert_eq!(s["planes"]["recall"], 1.0, "{name}");
    }
    // A plane of which half lies where the truth says nothing is there is wrong.
    let wrong = result("wrong.labels", &|i| {
        if i < 100 {
            0
        } else if i < 150 {
            -1
        } else {
            1
        }
    });
    let s = scores(&wrong, &truth, "");
    assert_eq!(s["segments"]["at_50"]["precision"], 0.5);
    assert_eq!(s["found"][1]["unknown"], 50);
    let said = eval(&wrong, &truth, "").text();
    assert!(said.contains("250 points, 100 of them unknown\n"), "{said}");
    // Which planes lie on unknown points, a document alone does not tell.
    let document = folder.path().join("alone.json");
    let written = detect(&truth, &format!("--json {}", document.display()));
    assert_eq!(written.code, Some(0), "{}", written.err);
    let said = eval(&document, &truth, "").err;
    assert!(said.contains("alone.json: without labels, planes on points that the truth"), "{said}");
    assert!(!eval(&wrong, &truth, "").err.contains("without labels"));
}

#[test]
fn what_cannot_be_compared_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str, text: &str| {
        let path = folder.path().join(name);
        std::fs::write(&path, text).unwrap();
        path
    };
    let room = shipped("room.ply");
    let three = at("three.labels", "0\n0\n0\n");
    let bare = at("bare.xyz", "0 0 0\n1 0 0\n0 1 0\n");
    let document = at("other.json", "{\"a\": 1}");
    let cut = at("cut.npy", "\u{93}NUMPY");
    let missing = folder.path().join("missing.ply");
    let labelled = at("labelled.txt", "x y z label\n0 0 0 0\n1 0 0 0\n0 1 0 0\n");
    at("labelled.truth.json", "{}");
    let result = at("result.json", "{\"format\": \"planes-detection\", \"version\": 1}");
    let lines = at("lines.json", "{\"format\": \"planes-lines\", \"version\": 1}");
    let true_lines = at("lines.truth.json", "{\"format\": \"planes-lines-truth\", \"version\": 1}");
    // Labels alone with a truth document beside them, as synth writes them.
    let scene = folder.path().join("scene.xyz");
    let args = ["synth", "room", "--points", "2000", "--out"].map(OsStr::new);
    planes([&args[..], &[scene.as_ref()]].concat()).text();
    let lonely = folder.path().join("scene.labels");
    for (result, truth, options, what) in [
        (&lonely, &lonely, "", "labels alone"),
        (&three, &room, "", "3 points: "),
        (&three, &bare, "", "bare.xyz: its points have no plane_id"),
        (&bare, &room, "", "bare.xyz: its points have no plane_id"),
        (&three, &three, "", "labels alone"),
        (&document, &room, "", "not a result of planes"),
        (&room, &document, "", "other.json: line 1: missing field"),
        (&three, &labelled, "", "labelled.truth.json: line 1: missing field"),
        (&result, &result, "", "result.json: document: a result of planes detect, not a truth"),
        (&lines, &lines, "", "lines.json: document: a result of planes detect, not a truth"),
        (&lines, &document, "", "other.json: document: no truth of lines"),
        (&true_lines, &true_lines, "", "a truth of lines, not a result"),
        (&result, &true_lines, "", "lines.truth.json: document: a truth of lines, and the result"),
        (&room, &room, "--columns x,y,z", "--columns is for text, and no cloud here is"),
        (&room, &room, "--camera 1,1,1,1,1", "--camera is for depth images, and there is none"),
        (&cut, &room, "", "cut.npy"),
        (&missing, &room, "", "missing.ply"),
        (&room, &missing, "", "missing.ply"),
        (&room, &room, "--labels x.npy", "--labels x.npy"),
        (&room, &room, "--angle nan", "--angle"),
        (&room, &room, "--distance=-1", "--distance"),
        (&room, &room, "--iou 0.5", "--iou"),
        (&room, &room, "--overlap 1.1", "--overlap"),
        (&room, &room, "--json no/such/folder.json", "no/such/folder.json"),
    ] {
        let message = eval(result, truth, options).refusal();
        assert!(message.contains(what), "{what}: {message}");
    }
    assert!(planes(["eval", room.to_str().unwrap()]).refusal().contains("--truth"));
    for (result, truth) in [("-", room.as_path()), ("x.json", Path::new("-"))] {
        let message = eval(Path::new(result), truth, "").refusal();
        assert!(message.contains("standard input is for planes detect and info"), "{message}");
    }
}

#[test]
fn what_is_said_of_a_cloud_names_options() {
    let folder = tempfile::tempdir().unwrap();
    let truth = folder.path().join("truth.txt");
    let labels = folder.path().join("found.labels");
    let rows = (0..100).map(|i| format!("{} {} 0 0\n", i % 10, i / 10));
    std::fs::write(&truth, rows.collect::<String>()).unwrap();
    std::fs::write(&labels, "0\n".repeat(100)).unwrap();
    let done = eval(&labels, &truth, "");
    assert_eq!(done.code, Some(0), "{}", done.err);
    assert!(done.err.contains("say it with --columns, as in --columns x,y,z,-"), "{}", done.err);
}

#[cfg(unix)]
#[test]
fn devices_are_no_files() {
    let room = shipped("room.ply");
    let zero = Path::new("/dev/zero");
    for message in [eval(zero, &room, "").refusal(), eval(&room, zero, "").refusal()] {
        assert!(message.contains("/dev/zero") && message.contains("regular"), "{message}");
    }
}
