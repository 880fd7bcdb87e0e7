//! Choosing points and planes: by class, box, every Nth and area.

use super::*;

/// Detects and gives the document and the labels.
fn run(file: &Path, options: &str) -> (Value, Vec<i32>) {
    let folder = tempfile::tempdir().unwrap();
    let labels = folder.path().join("labels.npy");
    let done = detect(file, &format!("--json - --labels {} {options}", labels.display()));
    (json(done.text()), npy(&labels))
}

/// What is found, but for how it was asked for.
fn planes_of(document: &Value) -> &Value {
    &document["planes"]
}

/// Points of a cloud that pass, in a file of their own.
fn alone(folder: &Path, cloud: &Chunk, keep: impl Fn(usize) -> bool) -> PathBuf {
    let path = folder.join("alone.ply");
    let kept = (0..cloud.len()).filter(|&k| keep(k));
    write(&path, &kept.map(|k| [cloud.x[k], cloud.y[k], cloud.z[k]]).collect::<Vec<_>>());
    path
}

/// The result for a choice is that of the chosen points alone, and the others have no label.
fn check(file: &Path, options: &str, keep: impl Fn(&Chunk, usize) -> bool) -> Value {
    let folder = tempfile::tempdir().unwrap();
    let cloud = read(file);
    let alone = alone(folder.path(), &cloud, |k| keep(&cloud, k));
    let (whole, labels) = run(file, options);
    let (part, part_labels) = run(&alone, "");
    assert_eq!(planes_of(&whole), planes_of(&part), "{options}");
    assert!(!found(&whole).is_empty(), "{options}");
    assert_eq!(labels.len(), cloud.len());
    let mut of_part = part_labels.iter();
    for (k, &label) in labels.iter().enumerate() {
        let want = if keep(&cloud, k) { *of_part.next().unwrap() } else { -1 };
        assert_eq!(label, want, "{options}: point {k}");
    }
    let left_out = cloud.len() - part_labels.len();
    assert_eq!(whole["input"]["points"], cloud.len());
    assert_eq!(whole["input"]["not_chosen"], left_out, "{options}");
    // However it is read.
    for more in ["--chunk 999", "--threads 1"] {
        assert_eq!(run(file, &format!("{options} {more}")), (whole.clone(), labels.clone()));
    }
    whole
}

#[test]
fn every_nth_point_and_a_box() {
    for name in ["room.ply", "roofs.las", "hard.txt"] {
        let document = check(&shipped(name), "--every 3", |_, k| k % 3 == 0);
        assert_eq!(document["parameters"]["choice"]["every"], 3);
    }
    let room = shipped("room.ply");
    let inside =
        |c: &Chunk, k: usize| (0.5..=3.0).contains(&c.x[k]) && (-1.0..=2.5).contains(&c.y[k]);
    let document = check(&room, "--bbox 0.5,-1,3,2.5", inside);
    let bbox = json(r#"{"x": [0.5, 3.0], "y": [-1.0, 2.5], "z": null}"#);
    assert_eq!(document["parameters"]["choice"]["bbox"], bbox);
    let low =
        |c: &Chunk, k: usize| inside(c, k) && (-9.0..=1.0).contains(&c.z[k]) && k.is_multiple_of(2);
    check(&room, "--bbox 0.5,-1,-9,3,2.5,1 --every 2", low);
}

/// A LAS or LAZ file of the points of a shipped one, with classes 0 to 9 in turn.
fn classified(path: &Path, format: u8) {
    let room = read(&shipped("room.ply"));
    let mut builder = las::Builder::from((1, 4));
    builder.point_format = las::point::Format::new(format).unwrap();
    let mut writer = las::Writer::from_path(path, builder.into_header().unwrap()).unwrap();
    for k in 0..room.len() {
        let class = [2, 2, 1, 5, 6][k % 5];
        let classification = las::point::Classification::new(class).unwrap();
        let [x, y, z] = [room.x[k], room.y[k], room.z[k]];
        // A flag in the same byte as the class of the older formats.
        let is_synthetic = k % 2 == 0;
        let format = writer.header().point_format();
        let (gps_time, color) = (format.has_gps_time, format.has_color);
        let gps_time = gps_time.then_some(k as f64);
        let color = color.then_some(las::Color::default());
        let point = las::Point {
            x,
            y,
            z,
            classification,
            is_synthetic,
            gps_time,
            color,
            ..Default::default()
        };
        writer.write_point(point).unwrap();
    }
    writer.close().unwrap();
}

#[test]
fn classes_of_las_and_laz() {
    let folder = tempfile::tempdir().unwrap();
    for (name, format) in [("a.las", 1), ("a.laz", 3), ("b.las", 6), ("b.laz", 7)] {
        let path = folder.path().join(name);
        classified(&path, format);
        let document = check(&path, "--class 6,2,2", |_, k| matches!(k % 5, 0 | 1 | 4));
        assert_eq!(document["parameters"]["choice"]["classes"], json("[2, 6]"), "{name}");
    }
}

#[test]
fn classes_where_there_are_none_and_nothing_chosen_are_refused() {
    let refused = detect(&shipped("room.ply"), "--class 2").refusal();
    assert!(refused.ends_with("room.ply: --class: its points have no class"), "{refused}");
    let refused = detect(&shipped("roofs.las"), "--bbox 0,0,1,1").refusal();
    assert!(refused.contains("roofs.las: --bbox leaves none of the "), "{refused}");
    let refused = detect(&shipped("roofs.las"), "--bbox 0,0,1,1 --every 2 --class 2").refusal();
    assert!(refused.contains("--class, --bbox and --every leave none of the "), "{refused}");
    for (options, why) in [
        ("--bbox 1,2,3", "not xmin,ymin,xmax,ymax"),
        ("--bbox 3,0,1,1", "smallest coordinate is larger"),
        ("--every 0", "--every"),
        ("--class 256", "--class"),
        ("--min-area=-1", "--min-area must be an area"),
    ] {
        let refused = detect(&shipped("room.ply"), options).refusal();
        assert!(refused.contains(why), "{refused}");
    }
}

#[test]
fn points_that_were_not_chosen_stay_in_labelled_clouds() {
    let folder = tempfile::tempdir().unwrap();
    let cloud = read(&shipped("hard.txt"));
    for ending in ["las", "laz", "ply"] {
        let labels = folder.path().join(format!("labels.{ending}"));
        // A corner of the cloud: the others are far outside its extent.
        let (x, y) = (cloud.x[0], cloud.y[0]);
        let bbox = format!("{},{},{},{}", x - 1.0, y - 1.0, x + 1.0, y + 1.0);
        let options = format!("--min-inliers 20 --bbox {bbox} --labels {}", labels.display());
        let done = detect(&shipped("hard.txt"), &options);
        assert_eq!(done.code, Some(0), "{}", done.err);
        let labelled = read(&labels);
        assert_eq!(labelled.len(), cloud.len(), "{ending}: {}", done.err);
        for k in 0..cloud.len() {
            let apart = (labelled.x[k] - cloud.x[k]).abs() + (labelled.z[k] - cloud.z[k]).abs();
            assert!(apart < 1e-4, "{ending}: point {k} is {apart} off");
        }
    }
}

#[test]
fn planes_smaller_than_an_area_are_not_reported() {
    for name in ["room.ply", "roofs.las"] {
        for options in ["", "--one-pass --top 12"] {
            let (all, _) = run(&shipped(name), options);
            let areas: Vec<f64> = found(&all).iter().map(|p| p["area"].as_f64().unwrap()).collect();
            let mut sorted = areas.clone();
            sorted.sort_by(f64::total_cmp);
            let least = sorted[sorted.len() / 2];
            let (some, labels) = run(&shipped(name), &format!("{options} --min-area {least}"));
            assert_eq!(some["parameters"]["min_area"], least);
            let kept: Vec<f64> = found(&some).iter().map(|p| p["area"].as_f64().unwrap()).collect();
            let want: Vec<f64> = areas.iter().copied().filter(|&area| area >= least).collect();
            assert_eq!(kept, want, "{name} {options}");
            let labelled = labels.iter().filter(|&&label| label >= 0).count() as u64;
            let inliers: u64 = found(&some).iter().map(|p| p["inliers"].as_u64().unwrap()).sum();
            assert_eq!(labelled, inliers);
            assert_eq!(labels.iter().max(), Some(&(kept.len() as i32 - 1)));
            let ids = found(&some).iter().flat_map(|p| p["pieces"].as_array().unwrap());
            assert!(ids.enumerate().all(|(k, piece)| piece["id"] == k));
        }
        // The top is taken of those that are large enough.
        let (all, _) = run(&shipped(name), "--min-area 2");
        let (top, _) = run(&shipped(name), "--min-area 2 --top 2");
        assert_eq!(found(&top)[..], found(&all)[..2]);
    }
}

#[test]
fn shares_are_of_the_points_that_are_searched() {
    let folder = tempfile::tempdir().unwrap();
    let room = shipped("room.ply");
    let share = |text: &str| -> f64 {
        let (_, rest) = text.split_once(" hold ").unwrap();
        rest.split(' ').next().unwrap().parse().unwrap()
    };
    let all = detect(&room, "").text();
    let some = detect(&room, "--every 10").text();
    let chosen = read(&room).len().div_ceil(10);
    assert!(some.contains(&format!(" % of {chosen} chosen points\n")), "{some}");
    assert!(share(&some) > 0.6 * share(&all), "{some}");
    let out = folder.path().join("out");
    let args = ["batch", "--quiet", "--only", "json", "--every", "10", "--out"].map(OsStr::new);
    planes(args.into_iter().chain([out.as_os_str(), room.as_os_str()])).text();
    let summary = json(std::fs::read(out.join("summary.json")).unwrap());
    let labelled = summary["files"][0]["labelled"].as_f64().unwrap();
    assert!((100.0 * labelled - share(&some)).abs() < 0.06, "{labelled}: {some}");
    assert_eq!(summary["files"][0]["points"], read(&room).len());
}

#[test]
fn a_batch_takes_the_same_choice() {
    let folder = tempfile::tempdir().unwrap();
    let room = shipped("room.ply");
    let out = folder.path().join("out");
    let batch = |options: &[&str]| {
        let args = ["batch", "--quiet", "--only", "json", "--out"].map(OsStr::new);
        let args = args.into_iter().chain([out.as_os_str(), room.as_os_str()]);
        planes(args.chain(options.iter().map(OsStr::new))).text();
        std::fs::read_to_string(out.join("room.json")).unwrap()
    };
    let options = "--every 2 --min-area 1.5 --bbox -1,-1,3,3";
    let choice: Vec<&str> = options.split(' ').collect();
    assert_eq!(batch(&choice), detect(&room, &format!("--json - {options}")).text());
    // Another choice is another result.
    assert_eq!(batch(&choice[..2]), detect(&room, "--json - --every 2").text());
}
