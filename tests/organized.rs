//! The rows of an organized cloud tell where its camera was, whatever the cloud is kept in.

use planes::cloud::{Choice, Organized};
use planes::{Detection, Detector, Device, Options};
use std::fs;
use std::path::{Path, PathBuf};

const COLUMNS: u32 = 160;
const ROWS: u32 = 120;
const CAMERA: [f64; 3] = [3.0, -2.0, 1.5];

/// What a camera of 160 × 120 pixels sees of a wall and a floor, with disparities in steps, moved and turned; every third
/// column is missing, so that points alone do not look like pixels.
fn frame() -> Vec<[f32; 3]> {
    let pixel = |i: u32| {
        let [column, row] = [i % COLUMNS, i / COLUMNS];
        if column.is_multiple_of(3) {
            return [f32::NAN; 3];
        }
        let [x, y] = [(f64::from(column) - 79.5) / 140.0, (f64::from(row) - 59.5) / 140.0];
        let disparity = f64::max(1.0 / (5.0 - x), y / 0.8);
        let noise = f64::from(i.wrapping_mul(2_654_435_761) >> 16) / 65_536.0 - 0.5;
        let depth = 600.0 / (600.0 * disparity + noise).round();
        let [x, y, z] = [x * depth, y * depth, depth];
        let turned = [0.6 * x + 0.8 * z, y, 0.6 * z - 0.8 * x];
        std::array::from_fn(|a| (turned[a] + CAMERA[a]) as f32)
    };
    (0..COLUMNS * ROWS).map(pixel).collect()
}

fn bytes(points: &[[f32; 3]]) -> Vec<u8> {
    points.as_flattened().iter().flat_map(|v| v.to_le_bytes()).collect()
}

/// A PCD file of these points with so many in a row.
fn pcd(folder: &Path, points: &[[f32; 3]], width: u32) -> PathBuf {
    let path = folder.join(format!("{width}.pcd"));
    let all = points.len();
    let height = all / width as usize;
    let head = format!(
        "VERSION .7\nFIELDS x y z\nSIZE 4 4 4\nTYPE F F F\nCOUNT 1 1 1\nWIDTH {width}\nHEIGHT {height}\n\
         VIEWPOINT 0 0 0 1 0 0 0\nPOINTS {all}\nDATA binary\n"
    );
    fs::write(&path, [head.into_bytes(), bytes(points)].concat()).unwrap();
    path
}

/// A NumPy array of these points.
fn npy(folder: &Path, points: &[[f32; 3]], shape: &str) -> PathBuf {
    let path = folder.join("frame.npy");
    let head = format!("{{'descr': '<f4', 'fortran_order': False, 'shape': {shape}, }}");
    let head = format!("{head:<117}\n");
    let front = [b"\x93NUMPY\x01\x00".as_slice(), &118_u16.to_le_bytes(), head.as_bytes()];
    fs::write(&path, [front.concat(), bytes(points)].concat()).unwrap();
    path
}

fn detector() -> Detector<'static> {
    Detector::new().device(Device::Cpu)
}

fn is_near_camera(place: Option<[f64; 3]>) -> bool {
    place.is_some_and(|place| (0..3).all(|a| (place[a] - CAMERA[a]).abs() < 1e-4))
}

#[test]
fn rows_are_known_whatever_the_cloud_is_kept_in() {
    let folder = tempfile::tempdir().unwrap();
    let points = frame();
    let organized = Organized { points: &points, row_length: COLUMNS };
    let found = detector().detect(&organized).unwrap();
    assert!(is_near_camera(found.parameters.viewpoint), "{:?}", found.parameters);
    assert_eq!((found.planes.len(), found.labels.len()), (2, points.len()));
    let same = |other: Detection| assert_eq!(other, found);
    same(detector().detect_file(&pcd(folder.path(), &points, COLUMNS)).unwrap());
    let shape = format!("({ROWS}, {COLUMNS}, 3)");
    same(detector().detect_file(&npy(folder.path(), &points, &shape)).unwrap());
}

#[test]
fn rows_that_are_none_tell_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let points = frame();
    let alone = detector().detect(&points).unwrap();
    // Their places tell the camera as well, though a little less precisely than their rows.
    assert!(is_near_camera(alone.parameters.viewpoint), "{:?}", alone.parameters);
    for width in [points.len() as u32, COLUMNS + 32] {
        let found = detector().detect_file(&pcd(folder.path(), &points, width)).unwrap();
        assert_eq!(found, alone, "{width}");
    }
    let shape = format!("({}, 3)", points.len());
    assert_eq!(detector().detect_file(&npy(folder.path(), &points, &shape)).unwrap(), alone);
    let rows = Organized { points: &points, row_length: 161 };
    let said = detector().detect(&rows).unwrap_err().to_string();
    assert_eq!(said, "19200 points are no rows of 161");
}

#[test]
fn rows_hold_for_chosen_points() {
    let points = frame();
    let organized = Organized { points: &points, row_length: COLUMNS };
    let choice = Choice { every: Some(2), ..Choice::default() };
    let found = detector().choice(choice).detect(&organized).unwrap();
    assert!(is_near_camera(found.parameters.viewpoint), "{:?}", found.parameters);
    // A tolerance means the same everywhere, so such a cloud is searched in space.
    let options = Options { tolerance: Some(0.02), ..Options::default() };
    let found = detector().options(options).detect(&organized).unwrap();
    assert_eq!(found.parameters.viewpoint, None);
    assert!(is_near_camera(found.parameters.camera), "{:?}", found.parameters);
}
