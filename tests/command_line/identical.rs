//! The same points and parameters give the same bytes.

use super::*;

/// Runs with all kinds of search; each gives other planes.
const SEARCHES: [&str; 3] = ["", "--one-pass --space polar:90x90", "--vote all --space ball:4"];

/// JSON and labels of a run.
fn answer(file: &Path, options: &str) -> (String, Vec<i32>) {
    let folder = tempfile::tempdir().unwrap();
    let labels = folder.path().join("labels.npy");
    let text = detect(file, &format!("{options} --json - --labels {}", labels.display())).text();
    (text, npy(&labels))
}

/// A synthetic cloud.
fn synth(folder: &Path, scene: &str, points: u64, more: &[&str], name: &str) -> PathBuf {
    let path = folder.join(name);
    let points = points.to_string();
    let out = path.to_str().unwrap();
    let args = ["synth", scene, "--points", &points, "-o", out];
    planes([&args[..], more].concat()).text();
    path
}

#[test]
fn whatever_the_threads_the_chunks_and_the_run() {
    for name in ["roofs.las", "room.ply"] {
        let expected = answer(&shipped(name), "");
        for options in
            ["", "--threads 1", "--threads 2", "--threads 3", "--chunk 1000", "--chunk 77"]
        {
            assert!(answer(&shipped(name), options) == expected, "{name} {options}");
        }
    }
    let folder = tempfile::tempdir().unwrap();
    let street = synth(folder.path(), "street", 9000, &[], "street.ply");
    for search in SEARCHES {
        let expected = answer(&street, search);
        assert!(!found(&json(&expected.0)).is_empty(), "{search}");
        for options in ["--threads 1", "--threads 2", "--threads 3 --chunk 1", "--chunk 1000"] {
            let options = format!("{search} {options}");
            assert!(answer(&street, &options) == expected, "{options}");
        }
    }
}

#[test]
fn whatever_the_format() {
    let folder = tempfile::tempdir().unwrap();
    for scene in ["roofs", "street"] {
        let las = synth(folder.path(), scene, 20_000, &[], "cloud.las");
        let laz = synth(folder.path(), scene, 20_000, &[], "cloud.laz");
        // The same doubles, to the last bit.
        let ply = folder.path().join("cloud.ply");
        let cloud = read(&las);
        write(
            &ply,
            &(0..cloud.len()).map(|i| [cloud.x[i], cloud.y[i], cloud.z[i]]).collect::<Vec<_>>(),
        );
        let expected = answer(&las, "");
        assert!(!found(&json(&expected.0)).is_empty());
        assert!(answer(&laz, "") == expected, "{scene}: LAZ differs from LAS");
        assert!(answer(&ply, "") == expected, "{scene}: PLY differs from LAS");
    }
}

/// The unit of the last place of a survey coordinate, as a share of what a normal or an offset may
/// be off by.
#[test]
fn survey_coordinates_change_nothing_but_the_offset() {
    const SHIFT: [f64; 3] = [500_000.0, 4_600_000.0, 300.0];
    let folder = tempfile::tempdir().unwrap();
    let away = synth(folder.path(), "roofs", 50_000, &[], "away.las");
    let here = synth(folder.path(), "roofs", 50_000, &["--origin", "0,0,0"], "here.las");
    let ((away, away_labels), (here, here_labels)) = (answer(&away, ""), answer(&here, ""));
    let (away, here) = (json(away), json(here));
    assert!(found(&here).len() >= 10);
    assert_eq!(found(&away).len(), found(&here).len());
    let number = |v: &Value| v.as_f64().unwrap();
    for (a, b) in found(&away).iter().zip(found(&here)) {
        let mut shift = 0.0;
        for (axis, by) in SHIFT.iter().enumerate() {
            let (n, m) = (number(&a["normal"][axis]), number(&b["normal"][axis]));
            assert!((n - m).abs() <= 1e-9, "normals {} and {}", a["normal"], b["normal"]);
            shift += n * by;
        }
        let [far, near] = [number(&a["offset"]) - shift, number(&b["offset"])];
        assert!((far - near).abs() <= 1e-6, "offsets {far} and {near}");
        assert_eq!(a["inliers"], b["inliers"]);
    }
    assert!(away_labels == here_labels, "points belong to other planes");
}
