//! Labelled copies of E57 files: everything stays, and the labels are added.

use super::common::e57::{Scan, doubles, pose, rich, spherical};
use super::*;
use e57::{
    Blob, E57Reader, E57Writer, Extension, ImageFormat, PointCloud, RawValues, RecordName,
    RecordValue, VisualReferenceImageProperties,
};
use planes::export::labels::{self, LabelBy};
use planes::{Detection, Detector, Device};
use std::io::Cursor;
use std::path::Path;
use std::process::Command;

const IMAGE: &[u8] = &[0xA5; 5001];
const MASK: &[u8] = &[1, 2, 3];
const OWN: &[u8] = &[7; 2003];

/// A floor at 0 and a ceiling at 3.
fn storey() -> Vec<[f64; 3]> {
    let point =
        |i: u32| [f64::from(i % 40) * 0.1, f64::from(i / 40 % 40) * 0.1, f64::from(i / 1600) * 3.0];
    (0..3200).map(point).collect()
}

fn add(writer: &mut E57Writer<&mut Cursor<Vec<u8>>>, name: &str, scan: &Scan) {
    let mut points = writer.add_pointcloud(name, scan.prototype.clone()).unwrap();
    points.set_name(Some(format!("{name} <&>")));
    points.set_sensor_model(Some("model".into()));
    points.set_temperature(Some(21.5));
    points.set_transform(scan.pose.clone());
    scan.points.iter().for_each(|point| points.add_point(point.clone()).unwrap());
    points.finalize().unwrap();
}

/// The element of an extension that names bytes of its own.
fn own(blob: &Blob) -> String {
    format!("<ext:own type=\"Blob\" fileOffset=\"{}\" length=\"{}\"/>", blob.offset, blob.length)
}

/// A file with scans of every kind, one of them empty, an image with a mask, and an extension with this XML.
fn whole(extension: impl Fn(&Blob) -> String) -> Vec<u8> {
    let mut bytes = Cursor::new(Vec::new());
    let mut writer = E57Writer::new(&mut bytes, "a file").unwrap();
    writer.set_coordinate_metadata(Some("LOCAL_CS[\"site\"]".into()));
    writer.register_extension(Extension::new("ext", "urn:ext")).unwrap();
    add(&mut writer, "floors", &doubles(&storey(), pose(30.0, [5.0, 6.0, 7.0])));
    let mut image = writer.add_image("image").unwrap();
    let size = VisualReferenceImageProperties { width: 10, height: 20 };
    let mut mask = MASK;
    image.add_visual_reference(ImageFormat::Jpeg, &mut { IMAGE }, size, Some(&mut mask)).unwrap();
    image.finalize().unwrap();
    add(&mut writer, "empty", &doubles(&[], None));
    let mut all = rich(20_001);
    all.prototype[9].name = RecordName::Unknown { namespace: "ext".into(), name: "quality".into() };
    add(&mut writer, "rich", &all);
    let blob = writer.add_blob(&mut { OWN }).unwrap();
    let angles: Vec<[f64; 3]> =
        (0..301).map(|i| f64::from(i) * 0.01).map(|t| [1.0 + t, t - 3.0, t / 9.0]).collect();
    add(&mut writer, "spherical", &spherical(&angles, None));
    let extended =
        |xml: String| Ok(xml.replace("</e57Root>", &format!("{}</e57Root>", extension(&blob))));
    writer.finalize_customized_xml(extended).unwrap();
    drop(writer);
    bytes.into_inner()
}

/// A floor and a ceiling, and each, or none, for every point of the file.
fn detection() -> Detection {
    let found = Detector::new().device(Device::Cpu).detect(&storey()).unwrap();
    let first_piece = [0, found.planes[0].pieces.len() as i32, -1];
    let points = 0..3200 + 20_001 + 301;
    Detection {
        labels: points.clone().map(|k| [0, 1, -1][k % 3]).collect(),
        piece_labels: points.map(|k| if k % 2 == 0 { first_piece[k % 3] } else { -1 }).collect(),
        ..found
    }
}

/// What the crate `e57` reads of a file.
struct Read {
    clouds: Vec<PointCloud>,
    points: Vec<Vec<RawValues>>,
    /// Images, coordinate system and extensions in words, without offsets.
    rest: String,
    blobs: Vec<Vec<u8>>,
}

fn read(path: &Path) -> Read {
    let mut reader = E57Reader::from_file(path).unwrap();
    let clouds = reader.pointclouds();
    let points = clouds.iter().map(|cloud| {
        let points = reader.pointcloud_raw(cloud).unwrap();
        points.map(Result::unwrap).collect()
    });
    let points = points.collect();
    let image = reader.images()[0].clone();
    let reference = image.visual_reference.clone().unwrap();
    let xml = reader.xml().to_owned();
    let document = roxmltree::Document::parse(&xml).unwrap();
    let own = document.descendants().find(|node| node.has_tag_name("own")).unwrap();
    let number = |name| own.attribute(name).unwrap().parse().unwrap();
    let own = Blob::new(number("fileOffset"), number("length"));
    let mut blobs = Vec::new();
    for blob in [&reference.blob.data, reference.mask.as_ref().unwrap(), &own] {
        let mut bytes = Vec::new();
        reader.blob(blob, &mut bytes).unwrap();
        blobs.push(bytes);
    }
    let rest = format!("{:?} {:?}", image.guid, reader.coordinate_metadata());
    Read { clouds, points, rest, blobs }
}

/// The XML without the labels and without the places of sections.
fn xml(path: &Path) -> String {
    let xml = E57Reader::from_file(path).unwrap().xml().to_owned();
    let mut out = String::new();
    for (k, part) in xml.split("fileOffset=\"").enumerate() {
        out += if k == 0 { part } else { part.split_once('"').unwrap().1 };
    }
    let mut rest = out.replace(" xmlns:planes=\"urn:planes:labels\"", "");
    while let Some(start) = rest.find("<planes:") {
        let end = rest[start..].find("/>").unwrap() + start + 2;
        rest.replace_range(start..end, "");
    }
    rest
}

#[test]
fn a_copy_has_all_that_the_file_has() {
    let folder = tempfile::tempdir().unwrap();
    let [path, copy] = ["a.e57", "b.e57"].map(|name| folder.path().join(name));
    std::fs::write(&path, whole(own)).unwrap();
    let found = detection();
    let source = Source::open(&path).unwrap();
    labels::save(&source, &found, LabelBy::Piece, &copy).unwrap();
    assert_eq!(xml(&copy), xml(&path));
    let (old, new) = (read(&path), read(&copy));
    assert_eq!(new.rest, old.rest);
    assert_eq!(old.blobs, [IMAGE, MASK, OWN]);
    assert_eq!(new.blobs, old.blobs);
    let planes: Vec<(i64, f32, i64)> = (old.points.iter().zip(&new.points))
        .flat_map(|(old, new)| {
            assert_eq!(old.len(), new.len());
            old.iter().zip(new).map(|(old, new)| {
                let (kept, added) = new.split_at(old.len());
                assert_eq!(kept, old);
                match added {
                    &[
                        RecordValue::Integer(plane),
                        RecordValue::Single(distance),
                        RecordValue::Integer(piece),
                    ] => (plane, distance, piece),
                    other => panic!("{other:?}"),
                }
            })
        })
        .collect();
    assert_eq!(planes.len(), 3200 + 20_001 + 301);
    let points = all(&source, Fields::NONE);
    for (k, &(plane, distance, piece)) in planes.iter().enumerate() {
        let expected = (found.labels[k].into(), found.piece_labels[k].into());
        assert_eq!((plane, piece), expected, "{k}");
        match usize::try_from(plane).map(|plane| &found.planes[plane]) {
            Ok(plane) => {
                let [a, b, c] = plane.normal;
                let along = a * points.x[k] + b * points.y[k] + c * points.z[k];
                let expected = (along - plane.offset) as f32;
                // Of an invalid point it is NaN.
                assert!(distance == expected || (distance.is_nan() && expected.is_nan()), "{k}");
            }
            Err(_) => assert!(distance.is_nan()),
        }
    }
    let name = |record: &e57::Record| format!("{:?}", record.name);
    let names: Vec<String> = new.clouds[3].prototype[3..].iter().map(name).collect();
    let expected = ["plane_id", "plane_distance", "piece_id"]
        .map(|name| format!("Unknown {{ namespace: \"planes\", name: {name:?} }}"));
    assert_eq!(names, expected);
    assert_eq!(new.clouds[0].sensor_model.as_deref(), Some("model"));
    // This program reads the labels, and the same points.
    let copied = all(&Source::open(&copy).unwrap(), Fields::ALL);
    assert_eq!(copied.label, found.labels);
    let bits = |values: &[f64]| values.iter().map(|v| v.to_bits()).collect::<Vec<_>>();
    assert_eq!(bits(&copied.x), bits(&points.x));
    assert_eq!([bits(&copied.y), bits(&copied.z)], [bits(&points.y), bits(&points.z)]);
}

#[test]
fn a_copy_of_a_copy_replaces_the_labels() {
    let folder = tempfile::tempdir().unwrap();
    let [path, a, b, c] =
        ["in.e57", "a.e57", "b.e57", "c.e57"].map(|name| folder.path().join(name));
    std::fs::write(&path, whole(own)).unwrap();
    let found = detection();
    let save = |from: &Path, by, to: &Path| {
        labels::save(&Source::open(from).unwrap(), &found, by, to).unwrap();
    };
    save(&path, LabelBy::Plane, &a);
    save(&path, LabelBy::Piece, &b);
    assert!(std::fs::metadata(&a).unwrap().len() < std::fs::metadata(&b).unwrap().len());
    save(&b, LabelBy::Plane, &c);
    let bytes = |path: &Path| std::fs::read(path).unwrap();
    assert!(bytes(&a) == bytes(&c));
    // Many planes need wider labels.
    let mut many = found.clone();
    many.planes = std::iter::repeat_n(found.planes[0].clone(), 70_000).collect();
    many.labels = (0..found.labels.len()).map(|k| if k % 5 == 0 { -1 } else { k as i32 }).collect();
    many.labels[1] = 69_999;
    for planes in [70_000, 30_000, 300] {
        many.planes.truncate(planes);
        for label in &mut many.labels {
            *label = if *label < 0 { -1 } else { *label % planes as i32 };
        }
        labels::save(&Source::open(&path).unwrap(), &many, LabelBy::Plane, &c).unwrap();
        let copied = all(&Source::open(&c).unwrap(), Fields { label: true, ..Fields::NONE });
        assert_eq!(copied.label, many.labels);
    }
}

#[test]
fn what_cannot_be_copied_is_an_error_and_leaves_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let copy = folder.path().join("b.e57");
    let found = detection();
    let refusal = |bytes: Vec<u8>| {
        let source = Source::from_bytes(bytes).unwrap();
        let error = labels::save(&source, &found, LabelBy::Plane, &copy).unwrap_err().to_string();
        assert!(!copy.exists() && error.lines().count() == 1, "{error}");
        error.strip_prefix("<memory>: ").unwrap().to_owned()
    };
    let mut damaged = whole(own);
    let image = damaged.windows(64).position(|bytes| bytes == &IMAGE[..64]).unwrap();
    damaged[image] ^= 1;
    assert!(refusal(damaged).ends_with("the checksum of this page is wrong"));
    let nowhere = whole(|_| own(&Blob::new(9_999_999, 5)));
    assert_eq!(refusal(nowhere), "header: a blob lies nowhere");
    let long = whole(|blob| own(&Blob::new(blob.offset, u64::MAX)));
    assert_eq!(refusal(long), "header: its blobs are longer than the file");
    let often = |blob: &Blob| (0..2000).map(|k| own(&Blob::new(blob.offset, 2000 - k))).collect();
    assert_eq!(refusal(whole(often)), "header: its blobs are longer than the file");
    let wrong = |what: &str| format!("header: its XML cannot be copied: {what}");
    let odd = whole(|_| "<ext:own type=\"Blob\" fileOffset=\"x\" length=\"1\"/>".into());
    assert_eq!(refusal(odd), wrong("fileOffset of own is no number"));
    let records = "<ext:more type=\"CompressedVector\" fileOffset=\"48\" recordCount=\"1\"/>";
    assert_eq!(refusal(whole(|_| records.into())), wrong("the records of more are no scan"));
    // Labels of another number of points, and a cloud that is no E57.
    let mut short = found.clone();
    short.labels.pop();
    let source = Source::from_bytes(whole(own)).unwrap();
    assert!(labels::save(&source, &short, LabelBy::Plane, &copy).is_err());
    let text = Source::from_bytes(b"1 2 3\n".to_vec()).unwrap();
    let error = labels::save(&text, &found, LabelBy::Plane, &copy).unwrap_err().to_string();
    let expected =
        "only an E57 can be written as E57; labels are written as .las, .laz, .ply, .pcd or .npy";
    assert!(error.ends_with(expected), "{error}");
    assert_eq!(folder.path().read_dir().unwrap().count(), 0);
}

#[test]
fn a_damaged_file_is_copied_whole_or_not_at_all() {
    let folder = tempfile::tempdir().unwrap();
    let copy = folder.path().join("b.e57");
    let scans = [doubles(&storey()[..50], pose(1.0, [1.0; 3])), rich(60)];
    let whole = common::e57::file(&scans, None);
    let mut state = 1u64;
    let mut random = || {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize
    };
    let mut copied = 0;
    for _ in 0..2000 {
        let mut bytes = whole.clone();
        for _ in 0..1 + random() % 2 {
            let at = random() % bytes.len();
            bytes[at] = random() as u8;
        }
        common::e57::seal(&mut bytes);
        let Ok(source) = Source::from_bytes(bytes) else { continue };
        let Ok(old) = points(&source, Fields::NONE, 1000) else { continue };
        let found = Detection { labels: vec![-1; old.len()], ..Detection::default() };
        match labels::save(&source, &found, LabelBy::Plane, &copy) {
            Err(error) => assert_eq!(error.to_string().lines().count(), 1),
            Ok(_) => {
                let new = all(&Source::open(&copy).unwrap(), Fields::ALL);
                let bits = |values: &[f64]| values.iter().map(|v| v.to_bits()).collect::<Vec<_>>();
                assert_eq!(bits(&new.x), bits(&old.x));
                assert_eq!(new.label, found.labels);
                copied += 1;
            }
        }
    }
    assert!(copied > 500, "{copied}");
}

#[test]
fn the_program_labels_an_e57_as_e57() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let scan = doubles(&storey(), pose(30.0, [5.0, 6.0, 7.0]));
    std::fs::write(at("a.e57"), common::e57::file(&[scan], None)).unwrap();
    let text: String = storey().iter().map(|[x, y, z]| format!("{x} {y} {z}\n")).collect();
    std::fs::write(at("a.xyz"), text).unwrap();
    let run = |arguments: &str| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_planes"));
        command.current_dir(&folder).args(["-q"]).args(arguments.split(' '));
        command.output().unwrap()
    };
    let label = |name: &str| {
        all(&Source::open(at(name)).unwrap(), Fields { label: true, ..Fields::NONE }).label
    };
    assert!(run("detect --device cpu a.e57 --out found").status.success());
    let labels = label("found/a.labels.e57");
    assert!(labels.contains(&0) && labels.contains(&1) && labels.len() == 3200);
    assert!(run("detect --device cpu a.e57 --label-by piece --labels b.e57").status.success());
    assert_eq!(label("b.e57"), labels);
    assert!(run("batch --device cpu a.e57 --out all").status.success());
    assert_eq!(label("all/a.labels.e57"), labels);
    let refused = run("detect --device cpu a.xyz --labels c.e57");
    assert_eq!(refused.status.code(), Some(2));
    let message = String::from_utf8(refused.stderr).unwrap();
    assert!(message.contains("c.e57: only an E57 can be written as E57"), "{message}");
    assert!(!at("c.e57").exists());
}
