//! LAS files copied with labels.

use super::*;
use las::{Builder, Color, Reader, Vlr, Writer, point::Format};
use planes::export::labels::{self, LabelBy};

pub fn copy(input: &Path, detection: &Detection, output: &Path) -> Result<()> {
    labels::save(&Source::open(input)?, detection, LabelBy::Plane, output).map(drop)
}

/// A LAS file of a point format with records of every kind, extra bytes described in part.
pub fn rich_las(path: &Path, format: u8, minor: u8) -> Vec<las::Point> {
    let mut builder = Builder::from((1, minor));
    builder.point_format = Format::new(format).unwrap();
    builder.point_format.extra_bytes = 5;
    builder.file_source_id = 17;
    builder.system_identifier = "a scanner".into();
    let mut description = vec![0; 192];
    description[2] = 3;
    description[4..8].copy_from_slice(b"echo");
    let vlr = |user: &str, record_id, data: &[u8]| Vlr {
        user_id: user.into(),
        record_id,
        description: "kept".into(),
        data: data.to_vec(),
    };
    builder.vlrs.push(vlr("somebody", 9, b"anything"));
    builder.vlrs.push(vlr("LASF_Spec", 4, &description));
    if minor == 4 {
        builder.evlrs.push(vlr("somebody", 10, &[7; 70_000]));
    }
    let mut writer = Writer::from_path(path, builder.into_header().unwrap()).unwrap();
    let format = *writer.header().point_format();
    let points: Vec<las::Point> = (0..802u16)
        .map(|k| las::Point {
            x: f64::from(k) * 0.001,
            y: f64::from(k % 29),
            z: f64::from(k % 7),
            intensity: k,
            return_number: 1 + (k % 3) as u8,
            number_of_returns: 3,
            user_data: k as u8,
            point_source_id: k,
            gps_time: format.has_gps_time.then_some(f64::from(k) * 0.5),
            color: format.has_color.then_some(Color::new(k, 2 * k, 65_535 - k)),
            nir: format.has_nir.then_some(k),
            waveform: format.has_waveform.then(Default::default),
            extra_bytes: k.to_le_bytes().into_iter().chain([1, 2, 3]).collect(),
            ..Default::default()
        })
        .collect();
    for point in &points {
        writer.write_point(point.clone()).unwrap();
    }
    writer.close().unwrap();
    points
}

fn all_points(path: &Path) -> (las::Header, Vec<las::Point>) {
    let mut reader = Reader::from_path(path).unwrap();
    let data = reader.read_all().unwrap();
    let points = data.points().map(|p| p.unwrap()).collect();
    (reader.header().clone(), points)
}

/// The records of a LAS or LAZ file, not compressed.
fn records(path: &PathBuf) -> Vec<Vec<u8>> {
    let data = Reader::from_path(path).unwrap().read_all().unwrap();
    let records = data.raw_bytes().chunks_exact(data.record_len());
    records.map(<[u8]>::to_vec).collect()
}

#[test]
fn a_copy_keeps_every_field_and_record() {
    let folder = tempfile::tempdir().unwrap();
    let waveforms = [4, 5, 9, 10];
    for (format, minor) in (0..=10).map(|f| (f, if f < 4 { 2 } else { 4 })) {
        for (from, to) in
            [("a.las", "b.las"), ("a.laz", "b.laz"), ("a.las", "b.laz"), ("a.laz", "b.las")]
        {
            if waveforms.contains(&format) && from.ends_with("laz") {
                continue;
            }
            let (input, output) = (folder.path().join(from), folder.path().join(to));
            let before = rich_las(&input, format, minor);
            copy(&input, &detection(), &output).unwrap();
            let header = all_points(&output).0;
            assert_eq!(header.number_of_points(), 802);
            assert_eq!(header.point_format().to_u8().unwrap() & 0x3f, format);
            assert_eq!(header.point_format().is_compressed, to.ends_with("laz"));
            let old = all_points(&input).0;
            assert_eq!(header.bounds(), old.bounds());
            assert_eq!(header.file_source_id(), 17);
            assert_eq!(header.system_identifier(), "a scanner");
            assert_eq!(header.number_of_points_by_return(2), old.number_of_points_by_return(2));
            assert_eq!(header.evlrs(), old.evlrs());
            assert!(header.vlrs().contains(&old.vlrs()[0]));
            let ([after, before_bytes], kept) =
                ([&output, &input].map(records), old.point_format().len());
            for (after, before) in after.iter().zip(&before_bytes) {
                assert_eq!(after[..kept.into()], before[..], "format {format}, {from} to {to}");
            }
            let positions: Vec<_> = before.iter().map(|p| [p.x, p.y, p.z]).collect();
            assert_labels(&labels_of(&output), &detection(), &positions);
        }
    }
}

#[test]
fn a_copy_of_a_copy_replaces_the_dimensions() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    rich_las(&path("a.las"), 3, 2);
    copy(&path("a.las"), &detection(), &path("b.laz")).unwrap();
    let mut other = detection();
    other.labels.reverse();
    copy(&path("b.laz"), &other, &path("c.las")).unwrap();
    copy(&path("a.las"), &other, &path("d.las")).unwrap();
    let bytes = |name: &str| std::fs::read(path(name)).unwrap();
    assert!(bytes("c.las") == bytes("d.las"));
    assert_eq!(labels_of(&path("c.las"))[0].0, -1);
}

#[test]
fn a_copy_by_piece_has_the_plane_too_and_replaces_what_was_there() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let by = |by, from: &str, to: &str| {
        labels::save(&Source::open(path(from)).unwrap(), &detection(), by, &path(to)).unwrap();
    };
    for format in [3, 7] {
        rich_las(&path("a.las"), format, 4);
        by(LabelBy::Piece, "a.las", "b.laz");
        let found = ends::<3>(&path("b.laz"));
        let pieces: Vec<i32> = found.iter().map(|[.., id]| i32::from_le_bytes(*id)).collect();
        assert_eq!(pieces, detection().piece_labels);
        by(LabelBy::Plane, "a.las", "c.las");
        let planes: Vec<_> = found.iter().map(|&[id, distance, _]| [id, distance]).collect();
        assert_eq!(planes, ends::<2>(&path("c.las")));
        // Neither the old plane_id nor the old piece_id stays.
        by(LabelBy::Plane, "b.laz", "d.las");
        by(LabelBy::Piece, "b.laz", "e.laz");
        let bytes = |name: &str| std::fs::read(path(name)).unwrap();
        assert!(bytes("d.las") == bytes("c.las"));
        assert!(bytes("e.laz") == bytes("b.laz"));
    }
}

#[test]
fn a_damaged_las_is_an_error_and_leaves_nothing() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["a.las", "a.laz"] {
        let input = folder.path().join(name);
        rich_las(&input, 7, 4);
        let whole = std::fs::read(&input).unwrap();
        for k in 0..200 {
            let mut bytes = whole.clone();
            if k < 100 {
                bytes.truncate(whole.len() * k / 100);
            } else {
                // Not the counts, which the labels are compared with, but all else up to the points.
                bytes[4 * (k - 100)] ^= 0x55;
            }
            std::fs::write(&input, &bytes).unwrap();
            let output = folder.path().join("b.laz");
            match copy(&input, &detection(), &output) {
                Ok(()) => std::fs::remove_file(&output).unwrap(),
                Err(error) => assert!(!error.to_string().contains('\n'), "{error}"),
            }
            assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
        }
        std::fs::remove_file(&input).unwrap();
    }
}

#[test]
fn real_clouds_are_copied_whole() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["autzen_trim.las", "indoor.laz"] {
        let Some(input) = shared(name) else { continue };
        let (header, before) = all_points(&input);
        let labelled = Detection {
            labels: (0..before.len()).map(|k| (k % 3) as i32 - 1).collect(),
            ..detection()
        };
        for output in ["b.las", "b.laz"] {
            let output = folder.path().join(output);
            copy(&input, &labelled, &output).unwrap();
            let (copied, after) = all_points(&output);
            assert_eq!(copied.transforms(), header.transforms());
            assert_eq!(after.len(), before.len());
            let extra = usize::from(header.point_format().extra_bytes);
            for (point, old) in after.into_iter().zip(&before) {
                let mut point = point;
                point.extra_bytes.truncate(extra);
                assert_eq!(&point, old);
            }
            let ids: Vec<i32> = labels_of(&output).iter().map(|l| l.0).collect();
            assert_eq!(ids, labelled.labels);
        }
    }
}

#[test]
fn a_damaged_ply_is_an_error_and_leaves_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let output = folder.path().join("b.ply");
    let head = "element vertex 802\nproperty float x\nproperty int plane_id\nproperty float y\n\
        property list uchar short seen\nproperty float z\nelement face 1\nproperty uchar flag\nend_header\n";
    let text: String = (0..802).map(|k| format!("{k} 7 2.5 1 {k} 0.5\n")).collect();
    let record = |k: u16| {
        let [x, y, z] = [f32::from(k), 2.5, 0.5].map(f32::to_le_bytes);
        [&x[..], &7i32.to_le_bytes(), &y, &[1], &k.to_le_bytes(), &z].concat()
    };
    let records: Vec<u8> = (0..802).flat_map(record).collect();
    for (format, body) in [("ascii", text.as_bytes()), ("binary_little_endian", &records)] {
        let front = format!("ply\nformat {format} 1.0\n{head}");
        let whole = [front.as_bytes(), body, b"9"].concat();
        let mut copied = 0;
        for k in 0..600 {
            let mut bytes = whole.clone();
            match k {
                0 => {}
                1..200 => bytes.truncate(whole.len() * k / 200),
                _ => bytes[front.len() + 7 * (k - 200)] ^= 0x15,
            }
            let source = Source::from_bytes(bytes);
            match source.and_then(|s| labels::save(&s, &detection(), LabelBy::Plane, &output)) {
                Ok(_) => {
                    let copy = Source::open(&output).unwrap();
                    assert_eq!(copy.info().points, Some(802));
                    std::fs::remove_file(&output).unwrap();
                    copied += 1;
                }
                Err(error) => assert!(!error.to_string().contains('\n'), "{error}"),
            }
            assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
        }
        assert!(copied > 1, "{format}");
    }
}

#[test]
fn a_line_that_is_too_long_or_too_short_does_not_shift_the_labels() {
    let folder = tempfile::tempdir().unwrap();
    let output = folder.path().join("b.ply");
    let head = "ply\nformat ascii 1.0\nelement vertex 802\nproperty float x\nproperty float y\n\
        property float z\nproperty list uchar short seen\nproperty double weight\nend_header\n";
    let copied = |odd: &str| {
        let line = |k: usize| if k == 9 { odd.into() } else { format!("{k} 2.5 1 1 7 0.5") };
        let text: String = (0..802).map(|k| line(k) + "\n").collect();
        let source = Source::from_bytes(format!("{head}{text}").into_bytes()).unwrap();
        labels::save(&source, &detection(), LabelBy::Plane, &output)?;
        let mut chunk = Chunk::default();
        let mut reader = Source::open(&output)?.reader(planes::cloud::Fields::ALL)?;
        reader.read(&mut chunk, usize::MAX)?;
        Ok::<_, Error>(chunk.label)
    };
    for odd in
        ["9 2.5 1 0 0.5", "9 2.5 1 1 7 0.5 99 98", "9 2.5 1 2e0 7 8 0.5", "9 2.5 1 1 \x0c\x0c 0.5"]
    {
        assert_eq!(copied(odd).unwrap(), detection().labels, "{odd}");
    }
    for odd in [
        "9 2.5 1",
        "9 2.5 1 1 7",
        "9 2.5 1 3 7 0.5",
        "9 2.5 1 a 7 0.5",
        "9 2.5 1 0A 0.5",
        "9 2.5 1 1: 7 0.5",
    ] {
        std::fs::remove_file(&output).unwrap_or_default();
        let error = copied(odd).unwrap_err().to_string();
        assert!(error.contains("lacks values that its header promises"), "{odd}: {error}");
        assert!(!output.exists(), "{odd}");
    }
}

#[test]
fn a_list_and_a_property_whose_names_end_alike_are_two() {
    let folder = tempfile::tempdir().unwrap();
    let output = folder.path().join("b.ply");
    let header = "ply\nformat binary_big_endian 1.0\nelement vertex 802\nproperty float x\n\
        property list int8 uchar plane_distance\nproperty float y\n\
        property uchar odd uchar plane_distance\nproperty float z\nend_header\n";
    let vertex = |k: u16| {
        let [x, y, z] = [k, k % 7, 3].map(|v| f32::from(v).to_be_bytes());
        [&x[..], &[1, 9], &y[..], &[5], &z[..]].concat()
    };
    let bytes = [header.as_bytes().to_vec(), (0..802).flat_map(vertex).collect()].concat();
    let source = Source::from_bytes(bytes).unwrap();
    labels::save(&source, &detection(), LabelBy::Plane, &output).unwrap();
    let points = |source: &Source| {
        let mut chunk = Chunk::default();
        let mut reader = source.reader(planes::cloud::Fields::ALL).unwrap();
        reader.read(&mut chunk, usize::MAX).unwrap();
        chunk
    };
    let (from, to) = (points(&source), points(&Source::open(&output).unwrap()));
    assert!(from.len() == 802 && [from.x, from.y, from.z] == [to.x, to.y, to.z]);
    assert_eq!(to.label, detection().labels);
}
