//! Scanned clouds that are not part of the repository: each must do with no option.

use super::*;

/// The folder of the clouds; says so where it is missing.
fn folder() -> Option<PathBuf> {
    let folder = std::env::var_os("PLANES_SHARED_CLOUDS").map_or_else(
        || PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../shared/clouds")),
        PathBuf::from,
    );
    if !folder.is_dir() {
        eprintln!("skipped: {} is missing", folder.display());
        return None;
    }
    Some(folder)
}

#[test]
fn every_scanned_cloud_has_planes() {
    let Some(folder) = folder() else { return };
    let results = tempfile::tempdir().unwrap();
    let mut clouds = 0;
    for name in names(&folder) {
        let path = folder.join(&name);
        let Ok(source) = Source::open(&path) else { continue };
        if name.ends_with(".md") {
            continue;
        }
        drop(source);
        clouds += 1;
        let labels = results.path().join("labels.npy");
        let options = format!("--json - --labels {}", labels.display());
        let document = json(detect(&path, &options).text());
        let planes = found(&document);
        assert!(!planes.is_empty(), "{name}: no planes");
        let labels = npy(&labels);
        assert_eq!(document["input"]["points"], labels.len(), "{name}");
        let mut members = vec![0u64; planes.len()];
        for label in labels.into_iter().filter(|&label| label >= 0) {
            members[label as usize] += 1;
        }
        let inliers: Vec<u64> = planes.iter().map(|p| p["inliers"].as_u64().unwrap()).collect();
        assert_eq!(members, inliers, "{name}");
    }
    assert!(clouds > 0, "no cloud in {}", folder.display());
}
