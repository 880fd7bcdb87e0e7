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
        let las = synth(folder.path(), scene, 20_000, &[], &format!("{scene}.las"));
        let laz = synth(folder.path(), scene, 20_000, &[], &format!("{scene}.laz"));
        // The same doubles, to the last bit.
        let ply = folder.path().join(format!("{scene}.ply"));
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

/// The points of a cloud that ships.
fn points(name: &str) -> Vec<[f64; 3]> {
    let cloud = read(&shipped(name));
    (0..cloud.len()).map(|i| [cloud.x[i], cloud.y[i], cloud.z[i]]).collect()
}

#[test]
fn whatever_the_order_of_the_points() {
    let folder = tempfile::tempdir().unwrap();
    for name in CLOUDS {
        let points = points(name);
        // Coprime to the number of points: every point once, near ones far apart.
        let stride = (1..).map(|k| 104_729 + 2 * k).find(|s| gcd(points.len(), *s) == 1);
        let shuffled: Vec<usize> =
            (0..points.len()).map(|i| i * stride.unwrap() % points.len()).collect();
        let [straight, mixed] = ["straight.ply", "mixed.ply"].map(|n| folder.path().join(n));
        write(&straight, &points);
        write(&mixed, &shuffled.iter().map(|&i| points[i]).collect::<Vec<_>>());
        let (document, labels) = answer(&straight, "");
        let (other, mixed) = answer(&mixed, "");
        assert_eq!(other, document, "{name}");
        for (label, &i) in mixed.into_iter().zip(&shuffled) {
            assert_eq!(label, labels[i], "{name}: point {i}");
        }
    }
}

fn gcd(a: usize, b: usize) -> usize {
    if b == 0 { a } else { gcd(b, a % b) }
}

/// Metres, feet and millimetres: nothing else needs to be said.
#[test]
fn whatever_the_unit() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["room.ply", "roofs.las"] {
        let points = points(name);
        let scaled = |unit: f64| {
            let path = folder.path().join(format!("{unit}.ply"));
            write(&path, &points.iter().map(|p| p.map(|v| v * unit)).collect::<Vec<_>>());
            answer(&path, "").1
        };
        let labels = scaled(1.0);
        for unit in [1.0 / 0.3048, 1000.0] {
            let others = scaled(unit);
            for plane in 0..=*labels.iter().max().unwrap() {
                let members: Vec<usize> =
                    (0..labels.len()).filter(|&i| labels[i] == plane).collect();
                // Another step rounds otherwise, and cells lie otherwise: what is seen in a few
                // cells alone may be seen or not.
                if members.len() < 200 {
                    continue;
                }
                let mut shares = std::collections::HashMap::new();
                members.iter().for_each(|&i| *shares.entry(others[i]).or_insert(0) += 1);
                let (&twin, &shared) = shares.iter().max_by_key(|s| s.1).unwrap();
                let all = members.len() + others.iter().filter(|&&l| l == twin).count() - shared;
                assert!(twin >= 0 && 10 * shared > 8 * all, "{name} {unit}: {plane}: {shares:?}");
            }
        }
    }
}
