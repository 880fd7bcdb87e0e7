//! Files out and in again: what a detection becomes on disk.

mod clouds;
mod copies;
mod document;
mod polygons;

use las::Reader;
use planes::cloud::{Choice, Chunk, Crs, Source, Unit};
use planes::{Detection, Error, Input, Piece, Plane, Polygon, Result};
use std::path::{Path, PathBuf};

/// Points of a level square of side 4 at height 2 and of a wall, then two that belong nowhere.
fn points() -> Vec<[f64; 3]> {
    let grid = |k: usize| [0.2 * (k % 20) as f64, 0.2 * (k / 20) as f64];
    let floor = (0..400).map(|k| [grid(k)[0], grid(k)[1], 2.0]);
    let wall = (0..400).map(|k| [grid(k)[0], 0.0, 2.2 + grid(k)[1]]);
    floor.chain(wall).chain([[9.0, 9.0, 9.0], [-3.0, 1.0, 0.5]]).collect()
}

fn square(lift: impl Fn([f64; 2]) -> [f64; 3], low: f64, high: f64) -> Vec<[f64; 3]> {
    [[low, low], [high, low], [high, high], [low, high]].map(lift).to_vec()
}

fn detection() -> Detection {
    let floor = |[x, y]: [f64; 2]| [x, y, 2.0];
    let wall = |[x, y]: [f64; 2]| [x, 0.0, 2.0 + y];
    let mut hole = square(floor, 1.0, 2.0);
    hole.reverse();
    let piece = |id, inliers, area, exterior, holes| Piece {
        id,
        inliers,
        area,
        boundary: Polygon { exterior, holes },
    };
    let plane = |normal: [f64; 3], offset: f64, pieces: Vec<Piece>| Plane {
        normal,
        offset,
        theta: 0.0,
        phi: 0.0,
        rho: offset,
        votes: 400,
        significance: 12.5,
        inliers: 400,
        tolerance: 0.0625,
        rmse: 0.015625,
        normal_error: Some(0.125),
        offset_error: None,
        centroid: [1.9, 1.9, 2.0],
        area: pieces.iter().map(|p| p.area).sum(),
        pieces,
    };
    let mut labels = vec![0; 400];
    labels.extend([1; 400]);
    labels.extend([-1; 2]);
    // Of the wall, the points below 2 and those above are a piece each, the last five are in none.
    let mut piece_labels = vec![0; 400];
    piece_labels
        .extend((0..400).map(|k| [1, 2, -1][usize::from(k >= 200) + usize::from(k >= 395)]));
    piece_labels.extend([-1; 2]);
    Detection {
        input: Input {
            points: 802,
            min: [-3.0, 0.0, 0.5],
            max: [9.0, 9.0, 9.0],
            step: 0.0009765625,
            crs: Some(Crs {
                name: Some("somewhere".into()),
                unit: Some(Unit { name: "metre".into(), metres: Some(1.0) }),
                vertical_unit: Some(Unit { name: "foot".into(), metres: Some(0.3048) }),
                ..Crs::default()
            }),
            ..Input::default()
        },
        parameters: planes::Parameters {
            directions: "ball:2".parse().unwrap(),
            widen: 5.0,
            copies: 1.0,
            choice: Choice { bbox: "0,0,9,9".parse().ok(), ..Choice::default() },
            ..Default::default()
        },
        planes: vec![
            plane(
                [0.0, 0.0, 1.0],
                1.9,
                vec![piece(0, 400, 15.0, square(floor, 0.0, 4.0), vec![hole])],
            ),
            plane(
                [0.0, -1.0, 0.0],
                0.25,
                vec![
                    piece(1, 200, 4.0, square(wall, 0.0, 2.0), Vec::new()),
                    piece(2, 195, 4.0, square(wall, 2.0, 4.0), Vec::new()),
                ],
            ),
        ],
        labels,
        piece_labels,
        ..Detection::default()
    }
}

/// A cloud in memory.
fn cloud(points: &[[f64; 3]], colours: bool) -> Source {
    let line = |(k, [x, y, z]): (usize, &[f64; 3])| match colour(k) {
        [r, g, b] if colours => format!("{x} {y} {z} {k} {r} {g} {b}\n"),
        _ => format!("{x} {y} {z}\n"),
    };
    let text: String = points.iter().enumerate().map(line).collect();
    Source::from_bytes(text.into_bytes()).unwrap()
}

fn colour(k: usize) -> [u8; 3] {
    [k as u8, (k / 256) as u8, 255]
}

fn shared(name: &str) -> Option<PathBuf> {
    let folder = std::env::var_os("PLANES_SHARED_CLOUDS").map_or_else(
        || Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/clouds"),
        PathBuf::from,
    );
    let path = folder.join(name);
    if path.is_file() {
        return Some(path);
    }
    eprintln!("skipped: {} is not there", path.display());
    None
}

/// Numbers of a PLY element, row by row; lists as their members.
fn read_ply(path: &Path) -> ply_rs::ply::Ply<ply_rs::ply::DefaultElement> {
    let mut file = std::io::BufReader::new(std::fs::File::open(path).unwrap());
    ply_rs::parser::Parser::new().read_ply(&mut file).unwrap()
}

/// The last `N` times four bytes of each record of a LAS or LAZ file, where the labels stand.
fn ends<const N: usize>(path: &Path) -> Vec<[[u8; 4]; N]> {
    let mut reader = Reader::from_path(path).unwrap();
    let data = reader.read_all().unwrap();
    (data.raw_bytes().chunks_exact(data.record_len()))
        .map(|record| record[record.len() - 4 * N..].as_chunks::<4>().0.try_into().unwrap())
        .collect()
}

/// Plane and distance of each record.
fn labels_of(path: &Path) -> Vec<(i32, f32)> {
    ends(path).into_iter().map(|[id, d]| (i32::from_le_bytes(id), f32::from_le_bytes(d))).collect()
}

fn assert_labels(found: &[(i32, f32)], expected: &Detection, points: &[[f64; 3]]) {
    assert_eq!(found.len(), points.len());
    for ((&(id, distance), &label), p) in found.iter().zip(&expected.labels).zip(points) {
        assert_eq!(id, label);
        match label {
            -1 => assert!(distance.is_nan()),
            k => {
                let plane = &expected.planes[k as usize];
                let exact: f64 = (0..3).map(|k| plane.normal[k] * p[k]).sum::<f64>() - plane.offset;
                assert!((f64::from(distance) - exact).abs() < 1e-6, "{distance} {exact}");
            }
        }
    }
}
