//! `planes synth`: instruments, and what is done to clouds on the way.

use super::*;

fn synth(scene: &str, out: &Path, options: &str) -> Done {
    let mut args = vec![OsStr::new("synth"), scene.as_ref(), OsStr::new("-o"), out.as_ref()];
    args.extend(options.split_whitespace().map(OsStr::new));
    planes(args)
}

#[test]
fn every_sensor_writes_every_kind_of_file() {
    let folder = tempfile::tempdir().unwrap();
    for (sensor, name) in [
        ("tripod", "a.las"),
        ("depth", "b.laz"),
        ("slam", "c.ply"),
        ("airborne", "d.laz"),
        ("photo", "e.csv"),
        ("spinning", "f.ply"),
    ] {
        let path = folder.path().join(name);
        synth("roofs", &path, &format!("--points 3000 --sensor {sensor}")).text();
        let truth = json(std::fs::read(path.with_extension("truth.json")).unwrap());
        let points = read(&path).len();
        assert_eq!(truth["points"], points, "{sensor}");
        assert_eq!(truth["survey"]["sensor"], sensor);
        assert!(points == 3000 || sensor == "depth");
        // Right against itself, whatever its noise.
        let done = planes([
            OsStr::new("eval"),
            path.as_ref(),
            OsStr::new("--truth"),
            path.as_ref(),
            OsStr::new("--json"),
            OsStr::new("-"),
        ]);
        assert_eq!(json(done.text())["segments"]["at_75"]["f1"], 1.0, "{sensor}");
    }
}

#[test]
fn options_are_heeded_together() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("room.ply");
    let options = "--points 4000 --sensor slam --sag 0.006 --curved --passes 2:0.02 \
                   --voxel 0.02:mean --copies 2 --round 0.01 --noise 0 --outliers 0";
    synth("room", &path, options).text();
    let truth = json(std::fs::read(path.with_extension("truth.json")).unwrap());
    let survey = json(
        r#"{"sensor": "slam", "noise": 0.0, "sag": 0.006, "curved": true,
            "passes": {"count": 2, "apart": 0.02}, "voxel": {"edge": 0.02, "mean": true},
            "copies": 2}"#,
    );
    assert_eq!((&truth["survey"], &truth["step"]), (&survey, &0.01.into()));
    let cloud = read(&path);
    assert!(cloud.x.iter().all(|v| (v * 100.0).round() / 100.0 == *v));
    // A plain scene says nothing of this.
    synth("room", &path, "--points 100").text();
    let truth = json(std::fs::read(path.with_extension("truth.json")).unwrap());
    assert_eq!(truth["survey"], Value::Null);
}

#[test]
fn the_truth_of_another_cloud_is_not_replaced() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    synth("room", &at("a.las"), "--points 300").text();
    let truth = std::fs::read(at("a.truth.json")).unwrap();
    for (scene, name) in
        [("roofs", "a.ply"), ("room", "a.laz"), ("lines", "a.png"), ("room", "a.xyz")]
    {
        let message = synth(scene, &at(name), "").refusal();
        assert!(message.contains("a.truth.json: it would be replaced"), "{message}");
        assert!(message.contains("the truth of") && message.contains("a.las"), "{message}");
        assert!(
            std::fs::read(at("a.truth.json")).unwrap() == truth && !at(name).exists(),
            "{name}"
        );
    }
    // The same points in another format have the same truth.
    synth("room", &at("a.ply"), "--points 300").text();
    assert!(std::fs::read(at("a.truth.json")).unwrap() == truth);
    std::fs::remove_file(at("a.ply")).unwrap();
    // Its own cloud may be drawn again, and one elsewhere.
    synth("room", &at("a.las"), "--points 200").text();
    // However the other one's ending is written.
    synth("room", &at("c.LAS"), "--points 300").text();
    assert!(synth("roofs", &at("c.ply"), "").refusal().contains("c.LAS"));
    synth("room", &at("b.ply"), "--points 200").text();
    assert_ne!(std::fs::read(at("a.truth.json")).unwrap(), truth);
}

#[test]
fn what_makes_no_sense_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.ply");
    for (scene, options, what) in [
        ("room", "--sensor sonar", "airborne"),
        ("street", "--curved", "the room alone"),
        ("room", "--voxel 0", "voxel"),
        ("room", "--voxel 0.1:median", "METRES"),
        ("room", "--passes 2", "2:0.02"),
        ("room", "--copies 0", "1 to 1000"),
        ("room", "--copies x", "'x' is not a whole number"),
        ("room", "--sag -1", "floors sag by 0 to 10 m"),
        ("lines", "--lines 1.5", "'1.5' is not a whole number"),
        ("room", "--round 0", "rounded"),
        ("room", "--points 4294967296", "at most 4294967295 points"),
        ("lines", "--copies 2", "--copies is for clouds"),
        ("lines", "--curved", "--curved is for clouds"),
    ] {
        let done = synth(scene, &path, options);
        assert_eq!(done.code, Some(2), "{options}");
        assert!(done.err.contains(what), "{what}: {}", done.err);
    }
    assert_eq!(names(folder.path()), Vec::<String>::new());
    assert_eq!(synth("lines", &folder.path().join("a.png"), "--lines 1e1").code, Some(0));
}

#[test]
fn what_is_no_truth_is_not_replaced() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    for (name, text) in [
        ("a.truth.json", "{\"mine\": 1}"),
        ("b.truth.json", "{\"format\": \"planes-detection\", \"version\": 1, \"planes\": []}"),
    ] {
        std::fs::write(at(name), text).unwrap();
        let message =
            synth("room", &at(&name.replace("truth.json", "ply")), "--points 300").refusal();
        assert!(message.contains("it would be replaced, and is no truth"), "{message}");
        assert_eq!(std::fs::read_to_string(at(name)).unwrap(), text);
    }
    // That of an image is one.
    for _ in 0..2 {
        synth("lines", &at("c.png"), "").text();
    }
}
