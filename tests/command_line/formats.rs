//! What files say beside points, and what they say wrongly: told, kept or refused.

use super::*;
use las::point::{Classification, Format};
use las::{Builder, Transform, Vector, Vlr, Writer};

const WKT: &str = "PROJCS[\"ETRS89 / UTM zone 32N\",GEOGCS[\"ETRS89\",\
    DATUM[\"D\",SPHEROID[\"GRS 1980\",6378137,298.257222101]],PRIMEM[\"Greenwich\",0],\
    UNIT[\"degree\",0.0174532925199433]],PROJECTION[\"Transverse_Mercator\"],\
    UNIT[\"metre\",1],AUTHORITY[\"EPSG\",\"25832\"]]";

/// Points of a floor and a wall.
fn points() -> Vec<[f64; 3]> {
    let floor = (0..900).map(|k| [0.1 * (k % 30) as f64, 0.1 * (k / 30) as f64, 0.0]);
    let wall = (0..900).map(|k| [0.1 * (k % 30) as f64, 0.0, 0.1 + 0.1 * (k / 30) as f64]);
    floor.chain(wall).collect()
}

/// A LAS or LAZ file of these points with records before and behind the points.
fn las_file(path: &Path, points: &[[f64; 3]], format: u8, before: Vec<Vlr>, behind: Vec<Vlr>) {
    let mut builder = Builder::from((1, 4));
    builder.point_format = Format::new(format).unwrap();
    builder.has_wkt_crs = format >= 6;
    let axis = Transform { scale: 0.001, offset: 0.0 };
    builder.transforms = Vector { x: axis, y: axis, z: axis };
    builder.vlrs = before;
    builder.evlrs = behind;
    let mut writer = Writer::from_path(path, builder.into_header().unwrap()).unwrap();
    for (k, &[x, y, z]) in points.iter().enumerate() {
        let classification = Classification::new([2, 6, 1][k % 3]).unwrap();
        let format = writer.header().point_format();
        let (gps_time, color) = (format.has_gps_time, format.has_color);
        let gps_time = gps_time.then_some(k as f64);
        let color = color.then_some(las::Color::default());
        let point = las::Point { x, y, z, classification, gps_time, color, ..Default::default() };
        writer.write_point(point).unwrap();
    }
    writer.close().unwrap();
}

fn projection(record_id: u16, data: Vec<u8>) -> Vlr {
    Vlr { user_id: "LASF_Projection".into(), record_id, description: String::new(), data }
}

/// Records of GeoTIFF for a system of this kind (1 projected, 2 geographic), number and unit.
fn geokeys(kind: u16, code: u16, unit: u16) -> Vec<Vlr> {
    let (system, measure) = if kind == 1 { (3072, 3076) } else { (2048, 2054) };
    let keys = [
        [1, 1, 0, 4],
        [1024, 0, 1, kind],
        [1026, 34737, 9, 0],
        [system, 0, 1, code],
        [measure, 0, 1, unit],
    ];
    let directory = keys.as_flattened().iter().flat_map(|key: &u16| key.to_le_bytes()).collect();
    vec![projection(34735, directory), projection(34737, b"somewhere|\0"[..9].to_vec())]
}

fn info(path: &Path) -> Value {
    json(planes([OsStr::new("info"), "--json".as_ref(), path.as_ref()]).text())
}

/// A file in a folder with these bytes changed.
fn patched(path: &Path, changes: &[(usize, &[u8])]) -> PathBuf {
    let mut bytes = std::fs::read(path).unwrap();
    for &(at, value) in changes {
        bytes[at..at + value.len()].copy_from_slice(value);
    }
    let patched = path.with_file_name("patched.las");
    std::fs::write(&patched, bytes).unwrap();
    patched
}

#[test]
fn a_jpeg_that_is_cut_off_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.jpg");
    let picture = image::RgbImage::from_fn(200, 150, |x, y| {
        image::Rgb([(x % 50) as u8 * 5, (y % 30) as u8 * 8, ((x * y) % 251) as u8])
    });
    picture.save(&path).unwrap();
    let whole = std::fs::read(&path).unwrap();
    let shown = detect(&path, "--json -").text();
    for length in [whole.len() - 2, whole.len() - 1, whole.len() / 2, whole.len() / 4] {
        std::fs::write(&path, &whole[..length]).unwrap();
        let refused = detect(&path, "").refusal();
        assert!(
            refused.ends_with(
                "a.jpg: image: it is cut off: the JPEG data end before the end of the image"
            ),
            "{refused}"
        );
    }
    // What stands behind the end harms nobody.
    std::fs::write(&path, [&whole[..], b"\0\0more, as some cameras write"].concat()).unwrap();
    assert_eq!(detect(&path, "--json -").text(), shown);
}

#[test]
fn coordinate_systems_are_told_and_carried_on() {
    let folder = tempfile::tempdir().unwrap();
    let wkt = || projection(2112, [WKT.as_bytes(), b"\0"].concat());
    for (name, format, before, behind, epsg, text) in [
        ("wkt.las", 6, vec![wkt()], vec![], 25832, Some(WKT)),
        ("late.las", 7, vec![], vec![wkt()], 25832, Some(WKT)),
        ("wkt.laz", 6, vec![wkt()], vec![], 25832, Some(WKT)),
        ("late.laz", 6, vec![], vec![wkt()], 25832, Some(WKT)),
        ("keys.las", 3, geokeys(1, 32633, 9001), vec![], 32633, None),
        ("keys.laz", 1, geokeys(1, 32633, 9001), vec![], 32633, None),
    ] {
        let path = folder.path().join(name);
        las_file(&path, &points(), format, before, behind);
        let crs = info(&path)["header"]["crs"].clone();
        assert_eq!((&crs["epsg"], &crs["unit"]["name"]), (&epsg.into(), &"metre".into()), "{name}");
        assert_eq!(crs["wkt"].as_str(), text);
        let shown = planes([OsStr::new("info"), path.as_ref()]).text();
        let line = format!("EPSG:{epsg}, in metre\n");
        assert!(shown.contains("system") && shown.contains(&line), "{shown}");
        for ending in ["las", "laz"] {
            let labels = folder.path().join(format!("labels.{ending}"));
            let document = detect(&path, &format!("--json - --labels {}", labels.display()));
            assert_eq!(json(document.text())["input"]["crs"], crs);
            assert_eq!(info(&labels)["header"]["crs"], crs, "{name} to {ending}");
            let flags = |path: &Path| std::fs::read(path).unwrap()[6] & 0x10;
            assert_eq!(flags(&labels), flags(&path), "the mark of well-known text");
        }
    }
    let bare = detect(&shipped("room.ply"), "--json -").text();
    assert_eq!(json(bare)["input"]["crs"], Value::Null);
}

/// An E57 of these points in the coordinate system [`WKT`].
fn e57_file(path: &Path, points: &[[f64; 3]]) {
    use e57::{E57Writer, Record, RecordValue};
    let mut writer = E57Writer::from_file(path, "a file").unwrap();
    writer.set_coordinate_metadata(Some(WKT.into()));
    let axes = [Record::CARTESIAN_X_F64, Record::CARTESIAN_Y_F64, Record::CARTESIAN_Z_F64];
    let mut scan = writer.add_pointcloud("a scan", axes.to_vec()).unwrap();
    for point in points {
        scan.add_point(point.map(RecordValue::Double).to_vec()).unwrap();
    }
    scan.finalize().unwrap();
    writer.finalize().unwrap();
}

#[test]
fn points_that_a_scanner_marked_are_called_so() {
    use e57::{E57Writer, Record, RecordDataType, RecordName, RecordValue};
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.e57");
    let mut writer = E57Writer::from_file(&path, "a file").unwrap();
    let state = Record {
        name: RecordName::CartesianInvalidState,
        data_type: RecordDataType::Integer { min: 0, max: 2 },
    };
    let axes = [Record::CARTESIAN_X_F64, Record::CARTESIAN_Y_F64, Record::CARTESIAN_Z_F64];
    let mut scan = writer.add_pointcloud("a scan", [&axes[..], &[state]].concat()).unwrap();
    for (k, point) in points().into_iter().enumerate() {
        let state = RecordValue::Integer(if k < 7 { 2 } else { 0 });
        scan.add_point([&point.map(RecordValue::Double)[..], &[state]].concat()).unwrap();
    }
    scan.finalize().unwrap();
    writer.finalize().unwrap();
    drop(writer);
    let marked = "7 points marked as invalid or not finite";
    let done = detect(&path, "");
    assert!(done.err.contains(&format!("a.e57: left out {marked}\n")), "{}", done.err);
    let said = planes([OsStr::new("info"), path.as_ref()]).text();
    assert!(said.contains("  left out   7 points marked as invalid or not finite\n"), "{said}");
}

#[test]
fn a_newly_written_cloud_has_the_coordinate_system() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    e57_file(&at("a.e57"), &points());
    las_file(&at("a.las"), &points(), 6, vec![projection(2112, WKT.into())], vec![]);
    let labelled = |input: &str, name: &str| {
        let path = at(name);
        detect(&at(input), &format!("--labels {}", path.display())).text();
        path
    };
    for name in ["b.las", "b.laz"] {
        let path = labelled("a.e57", name);
        let header = las::Reader::from_path(&path).unwrap().header().clone();
        let is_system = |vlr: &&Vlr| vlr.user_id == "LASF_Projection" && vlr.record_id == 2112;
        let record = header.vlrs().iter().find(is_system).expect(name);
        assert_eq!(record.data.strip_suffix(b"\0"), Some(WKT.as_bytes()), "{name}");
        assert!(header.has_wkt_crs(), "{name}");
        assert_eq!(info(&path)["header"]["crs"], info(&at("a.e57"))["header"]["crs"], "{name}");
    }
    for input in ["a.e57", "a.las"] {
        let (header, _) = ply_parts(&labelled(input, "b.ply"));
        assert!(header.contains(&format!("\ncomment crs {WKT}\n")), "{input}: {header}");
    }
}

#[test]
fn degrees_are_refused_with_what_to_do() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.las");
    let said = |path: &Path| {
        let done = detect(path, "");
        assert_eq!(done.code, Some(0), "{}", done.err);
        done.err
    };
    let refused = |path: &Path| {
        let told = detect(path, "").refusal();
        assert!(told.contains(": x and y are degrees"), "{told}");
        assert!(told.contains("project the cloud to metres first"), "{told}");
    };
    // However the file says so.
    las_file(&path, &points(), 3, geokeys(2, 4326, 9102), vec![]);
    refused(&path);
    let axes =
        "CS[ellipsoidal,2],AXIS[\"lat\",north],AXIS[\"lon\",east],ANGLEUNIT[\"degree\",0.0174]";
    let wgs = format!("GEOGCRS[\"WGS 84\",DATUM[\"D\",ELLIPSOID[\"E\",6378137,298.2]],{axes}]");
    let high = "VERTCRS[\"H\",CS[vertical,1],AXIS[\"up\",up],LENGTHUNIT[\"metre\",1]]";
    for text in [wgs.clone(), format!("COMPOUNDCRS[\"WGS 84 + H\",{wgs},{high}]")] {
        let system = projection(2112, [text.as_bytes(), b"\0"].concat());
        las_file(&path, &points(), 6, vec![system], vec![]);
        refused(&path);
    }
    let named = folder.path().join("named.csv");
    let line = |p: &[f64; 3]| format!("{},{},{}\n", 47.2 + p[1] / 1e3, 8.5 + p[0] / 1e3, p[2]);
    let lines: String = points().iter().map(line).collect();
    std::fs::write(&named, format!("lat,lon,height\n{lines}")).unwrap();
    refused(&named);
    let vertex = "property double longitude\nproperty double latitude\nproperty double z\n";
    let ply = folder.path().join("named.ply");
    std::fs::write(
        &ply,
        format!("ply\nformat ascii 1.0\nelement vertex 1\n{vertex}end_header\n8 47 400\n"),
    )
    .unwrap();
    let told = detect(&ply, "").refusal();
    assert!(told.ends_with("in place of x and y; project the cloud to metres first"), "{told}");
    assert!(info(&path)["notes"][0].as_str().unwrap().starts_with("x and y are degrees"));
    // Nobody says so, but heights are much larger than a tile is wide.
    let text = folder.path().join("a.txt");
    let point =
        |p: &[f64; 3]| format!("{} {} {}\n", 8.5 + p[0] / 1e3, 47.2 + p[1] / 1e3, 9.0 * p[2]);
    std::fs::write(&text, points().iter().map(point).collect::<String>()).unwrap();
    assert!(said(&text).contains("a.txt: x and y look like degrees"));
    las_file(&path, &points(), 3, geokeys(1, 32633, 9001), vec![]);
    assert_eq!(said(&path), "");
}

#[test]
fn units_that_differ_are_said() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.laz");
    let wkt = format!("COMPD_CS[\"both\",{WKT},VERT_CS[\"up\",UNIT[\"foot\",0.3048]]]");
    las_file(&path, &points(), 6, vec![projection(2112, wkt.into_bytes())], vec![]);
    let said = detect(&path, "").err;
    assert!(said.contains("x and y are in metre, z is in foot"), "{said}");
}

#[test]
fn scales_of_nothing_are_refused_and_tiny_ones_said() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.las");
    las_file(&path, &points(), 0, vec![], vec![]);
    for (axis, at) in ["x", "y", "z"].into_iter().zip([131, 139, 147]) {
        for scale in [0.0, -0.0, 1e-310_f64] {
            let bad = patched(&path, &[(at, &scale.to_le_bytes())]);
            let refused = detect(&bad, "").refusal();
            let message = format!("patched.las: header: {axis} is stored in steps of {scale:e}, ");
            assert!(refused.contains(&message), "{refused}");
        }
        let odd = patched(&path, &[(at, &1e-300_f64.to_le_bytes())]);
        let said = planes([OsStr::new("info"), odd.as_ref()]).err;
        assert!(said.contains(&format!("header: {axis} is stored in steps of 1e-300")), "{said}");
        let odd = patched(&path, &[(at, &(-0.001_f64).to_le_bytes())]);
        assert!(info(&odd)["notes"][0].as_str().unwrap().contains("in steps of -1e-3"));
    }
}

#[test]
fn a_file_with_more_points_than_its_header_says_is_told() {
    let folder = tempfile::tempdir().unwrap();
    for (name, what) in [("a.las", "holds 1800;"), ("a.laz", "holds more;")] {
        for format in [3, 7] {
            let path = folder.path().join(name);
            las_file(&path, &points(), format, vec![], vec![]);
            assert_eq!(info(&path)["notes"], json("[]"));
            // The old count, where there is one, and the new one.
            let old = if format < 6 { 100_u32 } else { 0 };
            let bad = patched(&path, &[(107, &old.to_le_bytes()), (247, &100_u64.to_le_bytes())]);
            let done = detect(&bad, "--json -");
            let said = done.err.clone();
            assert!(said.contains("the header says 100 points, the file"), "{name}: {said}");
            assert!(said.contains(what), "{name}: {said}");
            assert_eq!(json(done.text())["input"]["points"], 100);
        }
    }
}

#[test]
fn points_that_las_cannot_hold_are_left_out_and_named() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.txt");
    let mut lines: Vec<String> =
        points().iter().map(|p| format!("{:.1} {:.1} {:.1}\n", p[0], p[1], p[2])).collect();
    lines.insert(7, "nan 1 1\n".into());
    lines.insert(20, "1 1e15 1\n".into());
    lines.push("inf 0 0\n".into());
    std::fs::write(&path, lines.concat()).unwrap();
    for ending in ["las", "laz"] {
        let labels = folder.path().join(format!("labels.{ending}"));
        let done = detect(&path, &format!("--labels {}", labels.display()));
        assert_eq!(done.code, Some(0));
        let message = "a.txt: 3 points that LAS cannot hold, not finite or too far away, are not in \
            the labelled cloud; counted from 0: 7 20 1802";
        assert!(done.err.contains(message), "{}", done.err);
        let read = read(&labels);
        assert_eq!(read.len(), 1800);
        for (k, p) in points().into_iter().enumerate() {
            for (found, exact) in [read.x[k], read.y[k], read.z[k]].into_iter().zip(p) {
                assert!((found - exact).abs() < 1e-9, "{k}: {found} {exact}");
            }
            assert!(read.label[k] >= 0, "{k}");
        }
    }
}

#[test]
fn digits_that_a_far_point_would_cost_are_not_lost_in_silence() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.txt");
    // So few that no point can be told from a stray.
    let lines = |far: &str| -> String {
        let near = (0..30).map(|i| format!("{}.25 {}.5 0.75\n", i % 6, i / 6));
        near.chain([format!("{far}\n")]).collect()
    };
    for (far, step) in [("1e9 1 1", Some("1")), ("1 -3e11 1", Some("1000")), ("9 1 1", None)] {
        std::fs::write(&path, lines(far)).unwrap();
        for ending in ["las", "laz"] {
            let labels = folder.path().join(format!("labels.{ending}"));
            let done = detect(&path, &format!("--labels {}", labels.display()));
            assert_eq!(done.code, Some(0), "{}", done.err);
            let said = done.err.lines().find(|line| line.contains("rounds coordinates"));
            assert_eq!(said.is_some(), step.is_some(), "{far}: {}", done.err);
            if let (Some(said), Some(step)) = (said, step) {
                let expected = format!("multiples of {step}; write the labels as .ply");
                assert!(said.contains("a.txt: point 30, counted from 0, is so far"), "{said}");
                assert!(said.contains(&expected), "{said}");
            }
        }
    }
}

#[test]
fn a_las_header_that_cannot_be_true_is_said() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.las");
    let whole = std::fs::read(shipped("roofs.las")).unwrap();
    let with = |at: usize, bytes: &[u8]| {
        let mut changed = whole.clone();
        changed[at..at + bytes.len()].copy_from_slice(bytes);
        std::fs::write(&path, changed).unwrap();
        detect(&path, "--top 1")
    };
    // Scales are at byte 131, the number of records at 100.
    let done = with(131, &1e300f64.to_le_bytes());
    assert!(
        done.err.contains("header: x is stored in steps of 1e300; the file may be"),
        "{}",
        done.err
    );
    let done = with(147, &2e5f64.to_le_bytes());
    assert!(
        done.err.contains("header: z is stored in steps of 2e5; the file may be"),
        "{}",
        done.err
    );
    let done = with(100, &u32::MAX.to_le_bytes());
    assert!(done.err.contains("it promises 4294967295 records before the points"), "{}", done.err);
    assert_eq!((done.code, done.err.lines().count()), (Some(0), 1), "{}", done.err);
    assert_eq!(with(100, &whole[100..104]).err, "");
}

/// The header of a PLY file and the rest of it.
fn ply_parts(path: &Path) -> (String, Vec<u8>) {
    let bytes = std::fs::read(path).unwrap();
    let end = bytes.windows(11).position(|w| w == b"end_header\n").unwrap() + 11;
    (String::from_utf8(bytes[..end].to_vec()).unwrap(), bytes[end..].to_vec())
}

const RICH: &str = "comment by hand\nelement camera 1\nproperty list uchar int pose\n\
    element vertex 1800\nproperty float nx\nproperty double x\nproperty double y\nproperty double z\n\
    property int plane_id\nproperty list uchar ushort seen\nproperty float scalar_Quality\n\
    element face 1\nproperty list uchar int vertex_indices\nend_header\n";

#[test]
fn a_labelled_text_ply_keeps_all_that_it_had() {
    let folder = tempfile::tempdir().unwrap();
    let [path, labels] = ["a.ply", "b.ply"].map(|name| folder.path().join(name));
    let line = |(k, [x, y, z]): (usize, [f64; 3])| {
        let seen = ["0", "2 7 8"][k % 2];
        (format!("0.{k} {x} {y} {z}"), format!("{seen} 0.5"))
    };
    let lines: Vec<(String, String)> = points().into_iter().enumerate().map(line).collect();
    let body: String = lines.iter().map(|(a, b)| format!("{a} 99 {b}\n")).collect();
    let text = format!("ply\nformat ascii 1.0\n{RICH}2 5 6\n{body}3 0 1 2\n");
    std::fs::write(&path, text).unwrap();
    detect(&path, &format!("--labels {}", labels.display())).text();
    let (header, body) = ply_parts(&labels);
    let kept = RICH.replace("property int plane_id\n", "").replace(
        "scalar_Quality\n",
        "scalar_Quality\nproperty int plane_id\nproperty float plane_distance\n",
    );
    let kept = kept.replace("element camera", "comment plane_id -1: no plane\nelement camera");
    assert_eq!(header, format!("ply\nformat ascii 1.0\n{kept}"));
    let body = String::from_utf8(body).unwrap();
    let found: Vec<&str> = body.lines().collect();
    assert_eq!((found[0], found[1801], found.len()), ("2 5 6", "3 0 1 2", 1802));
    let read = read(&labels);
    for (k, (a, b)) in lines.iter().enumerate() {
        let start = format!("{a} {b} {} ", read.label[k]);
        assert!(found[k + 1].starts_with(&start), "{} {start}", found[k + 1]);
    }
    assert!(read.label.contains(&0) && read.label.contains(&1));
    // Once more: the same labels take the place of those.
    let again = folder.path().join("c.ply");
    detect(&labels, &format!("--labels {}", again.display())).text();
    assert!(std::fs::read(&again).unwrap() == std::fs::read(&labels).unwrap());
}

#[test]
fn a_labelled_binary_ply_keeps_all_that_it_had() {
    let folder = tempfile::tempdir().unwrap();
    let [path, labels] = ["a.ply", "b.ply"].map(|name| folder.path().join(name));
    for is_big in [false, true] {
        let number = |little: &[u8]| -> Vec<u8> {
            if is_big { little.iter().rev().copied().collect() } else { little.to_vec() }
        };
        let record = |(k, p): (usize, [f64; 3])| {
            let mut kept = number(&(k as f32).to_le_bytes());
            p.iter().for_each(|v| kept.extend(number(&v.to_le_bytes())));
            let mut rest = vec![(k % 3) as u8];
            (0..k % 3).for_each(|i| rest.extend(number(&(i as u16).to_le_bytes())));
            rest.extend(number(&0.5_f32.to_le_bytes()));
            (kept, rest)
        };
        let records: Vec<_> = points().into_iter().enumerate().map(record).collect();
        let name = if is_big { "binary_big_endian" } else { "binary_little_endian" };
        let (camera, face) = ([1, 0, 0, 0, 9], [0]);
        let mut bytes = format!("ply\nformat {name} 1.0\n{RICH}").into_bytes();
        bytes.extend(camera);
        for (a, b) in &records {
            bytes.extend([&a[..], &number(&99_i32.to_le_bytes()), b].concat());
        }
        bytes.extend(face);
        std::fs::write(&path, bytes).unwrap();
        detect(&path, &format!("--label-by piece --labels {}", labels.display())).text();
        let (header, body) = ply_parts(&labels);
        assert!(header.contains("Quality\nproperty int plane_id\nproperty float plane_distance\nproperty int piece_id\nelement face"), "{header}");
        assert_eq!(header.matches("plane_id").count(), 2, "{header}");
        assert_eq!((&body[..5], &body[body.len() - 1..]), (&camera[..], &face[..]));
        let read = read(&labels);
        let mut at = 5;
        for (k, (a, b)) in records.iter().enumerate() {
            let want = [&a[..], b, &number(&read.label[k].to_le_bytes())].concat();
            assert!(body[at..].starts_with(&want), "point {k}");
            at += want.len() + 8;
        }
        assert_eq!(at, body.len() - 1);
        assert_eq!(read.label.iter().filter(|&&l| l >= 0).count(), 1800);
    }
}
