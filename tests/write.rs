//! The cloud writers: every value comes back, and a file is there whole or not at all.

use planes::Error;
use planes::cloud::{Chunk, Fields};
use planes::cloud::{PlyEncoding, WriteOptions, create};
use planes::synth::{STEP, Scene, SceneOptions, generate, truth_path, write_scene};
use std::fs;
use std::path::Path;

/// A scene's points in one chunk.
fn drawn(scene: Scene, options: &SceneOptions) -> Chunk {
    let points = generate(scene, options).unwrap();
    points.with_chunk_size(usize::MAX).next().unwrap()
}

fn position(chunk: &Chunk, i: usize) -> [f64; 3] {
    [chunk.x[i], chunk.y[i], chunk.z[i]]
}

fn steps(p: [f64; 3]) -> [i64; 3] {
    p.map(|v| (v * 1000.0).round() as i64)
}

fn las_points(path: &Path) -> Vec<las::Point> {
    let mut reader = las::Reader::from_path(path).unwrap();
    let all = reader.read_all().unwrap();
    all.points().map(|point| point.unwrap()).collect()
}

#[test]
fn las_and_laz_hold_every_value() {
    let folder = tempfile::tempdir().unwrap();
    let options = SceneOptions::new(Scene::Roofs, 70_000);
    let chunk = drawn(Scene::Roofs, &options);
    for name in ["a.las", "a.laz"] {
        let path = folder.path().join(name);
        let mut reported = 0;
        write_scene(Scene::Roofs, &options, &path, &mut |done| reported = done).unwrap();
        assert_eq!(reported, 70_000);
        let header = las::Reader::from_path(&path).unwrap().header().clone();
        assert_eq!(header.point_format().to_u8().unwrap() & 0x7f, 7);
        assert_eq!(header.number_of_points(), 70_000);
        assert_eq!(header.transforms().y.offset, 4_600_000.0);
        let extra = header.vlrs().iter().find(|vlr| vlr.record_id == 4).unwrap();
        assert_eq!((&extra.user_id[..], extra.data.len()), ("LASF_Spec", 192));
        assert_eq!(&extra.data[2..14], b"\x06\0plane_id\0\0");
        let points = las_points(&path);
        assert_eq!(points.len(), chunk.len());
        for (i, point) in points.iter().enumerate() {
            assert_eq!(steps([point.x, point.y, point.z]), steps(position(&chunk, i)));
            assert_eq!(point.intensity, chunk.intensity[i]);
            let colour = point.color.unwrap();
            let wide = chunk.colour[i].map(|v| u16::from(v) * 257);
            assert_eq!([colour.red, colour.green, colour.blue], wide);
            assert_eq!(point.extra_bytes, chunk.label[i].to_le_bytes());
        }
    }
}

#[test]
fn ply_holds_every_value() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.ply");
    let options = SceneOptions::new(Scene::Room, 1_000);
    write_scene(Scene::Room, &options, &path, &mut |_| {}).unwrap();
    let chunk = drawn(Scene::Room, &options);
    let bytes = fs::read(&path).unwrap();
    let end = b"end_header\n";
    let at = bytes.windows(end.len()).position(|w| w == end).unwrap() + end.len();
    let header = std::str::from_utf8(&bytes[..at]).unwrap();
    assert!(header.starts_with("ply\nformat binary_little_endian 1.0\n"));
    assert!(header.contains("\nelement vertex 1000\nproperty double x\n"));
    let rows: Vec<&[u8]> = bytes[at..].chunks(33).collect();
    assert_eq!((rows.len(), rows[999].len()), (1_000, 33));
    for (i, row) in rows.iter().enumerate() {
        let double = |at: usize| f64::from_le_bytes(row[at..at + 8].try_into().unwrap());
        assert_eq!([double(0), double(8), double(16)], position(&chunk, i));
        assert_eq!(row[24..26], chunk.intensity[i].to_le_bytes());
        assert_eq!(row[26..29], chunk.colour[i]);
        assert_eq!(row[29..33], chunk.label[i].to_le_bytes());
    }
}

#[test]
fn ply_rounds_to_32_bits_when_asked() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.ply");
    let options = WriteOptions { ply: PlyEncoding::Float, ..WriteOptions::default() };
    let mut writer = create(&path, &options).unwrap();
    let chunk = Chunk { x: vec![0.1], y: vec![500_000.123], z: vec![-2.5], ..Chunk::default() };
    writer.write(&chunk).unwrap();
    writer.finish().unwrap();
    let bytes = fs::read(&path).unwrap();
    let expected: Vec<u8> =
        [0.1_f32, 500_000.13, -2.5].iter().flat_map(|v| v.to_le_bytes()).collect();
    assert!(bytes.ends_with(&[b"property float z\nend_header\n", &expected[..]].concat()));
}

#[test]
fn text_holds_every_value() {
    let folder = tempfile::tempdir().unwrap();
    let options = SceneOptions::new(Scene::Roofs, 40_000);
    let chunk = drawn(Scene::Roofs, &options);
    for (name, columns, skipped) in
        [("a.xyz", 3, 0), ("b.txt", 7, 0), ("c.pts", 7, 1), ("d.csv", 8, 1)]
    {
        let path = folder.path().join(name);
        write_scene(Scene::Roofs, &options, &path, &mut |_| {}).unwrap();
        let text = fs::read_to_string(&path).unwrap();
        assert_eq!(text.lines().count(), 40_000 + skipped);
        for (i, line) in text.lines().skip(skipped).enumerate() {
            let values: Vec<f64> = line.split([' ', ',']).map(|v| v.parse().unwrap()).collect();
            assert_eq!(values.len(), columns);
            assert_eq!(values[..3], position(&chunk, i));
            if columns > 3 {
                let rest = chunk.colour[i].map(f64::from);
                assert_eq!(values[3], f64::from(chunk.intensity[i]));
                assert_eq!(values[4..7], rest);
            }
            if columns > 7 {
                assert_eq!(values[7], f64::from(chunk.label[i]));
            }
        }
        if columns < 8 {
            let labels = fs::read_to_string(path.with_extension("labels")).unwrap();
            let labels: Vec<i32> = labels.lines().map(|line| line.parse().unwrap()).collect();
            assert_eq!(labels, chunk.label);
        }
    }
}

#[test]
fn a_file_does_not_depend_on_threads_or_chunks() {
    let folder = tempfile::tempdir().unwrap();
    let options = SceneOptions::new(Scene::Room, 120_000);
    let write_options = WriteOptions {
        fields: Fields { class: false, ..Fields::ALL },
        scale: Some(STEP),
        offset: Some([0.0; 3]),
        ..WriteOptions::default()
    };
    for name in ["a.las", "a.laz", "a.ply", "a.txt"] {
        let path = folder.path().join(name);
        write_scene(Scene::Room, &options, &path, &mut |_| {}).unwrap();
        let expected = fs::read(&path).unwrap();
        let other = folder.path().join(format!("other-{name}"));
        let pool = rayon::ThreadPoolBuilder::new().num_threads(3).build();
        pool.unwrap().install(|| {
            let mut writer = create(&other, &write_options).unwrap();
            for chunk in generate(Scene::Room, &options).unwrap().with_chunk_size(7_777) {
                writer.write(&chunk).unwrap();
            }
            writer.finish().unwrap();
        });
        assert!(fs::read(&other).unwrap() == expected, "{name}");
    }
}

#[test]
fn empty_clouds_are_files_too() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["a.las", "a.laz", "a.ply", "a.xyz", "a.txt", "a.csv", "a.pts"] {
        let path = folder.path().join(name);
        let options = SceneOptions::new(Scene::Room, 0);
        let truth = write_scene(Scene::Room, &options, &path, &mut |_| {}).unwrap();
        assert_eq!((truth.points, truth.on_planes), (0, 0));
        assert!(path.exists());
    }
    assert_eq!(las_points(&folder.path().join("a.las")).len(), 0);
    assert_eq!(las_points(&folder.path().join("a.laz")).len(), 0);
}

#[test]
fn a_writer_dropped_halfway_leaves_what_was_there() {
    let folder = tempfile::tempdir().unwrap();
    let options = SceneOptions::new(Scene::Room, 2_000);
    for name in ["a.las", "b.laz", "c.ply", "d.xyz", "e.csv"] {
        let path = folder.path().join(name);
        fs::write(&path, "before").unwrap();
        let mut writer = create(&path, &WriteOptions::default()).unwrap();
        for chunk in generate(Scene::Room, &options).unwrap().with_chunk_size(500) {
            writer.write(&chunk).unwrap();
        }
        drop(writer);
        assert_eq!(fs::read(&path).unwrap(), b"before");
    }
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 5);
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let options = SceneOptions::new(Scene::Room, 2_000);
    for name in ["a.las", "a.laz", "a.ply", "a.xyz"] {
        let path = folder.path().join(name);
        std::os::unix::fs::symlink("/dev/full", &path).unwrap();
        let error = write_scene(Scene::Room, &options, &path, &mut |_| {}).unwrap_err();
        assert!(
            matches!(&error, Error::Io { source, .. }
                if source.kind() == std::io::ErrorKind::StorageFull),
            "{error}"
        );
        assert!(!truth_path(&path).exists());
    }
}
