//! Files out and in again: what a detection becomes on disk.

use las::{Builder, Color, Reader, Vlr, Writer, point::Format};
use planes::cloud::{Chunk, PointReader, Source};
use planes::export::{json, labels, ply};
use planes::{Detection, Error, Input, Plane, Polygon, Result};
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
    let plane = |normal: [f64; 3], offset: f64, boundary: Vec<Polygon>| Plane {
        normal,
        offset,
        theta: 0.0,
        phi: 0.0,
        rho: offset,
        votes: 400,
        inliers: 400,
        rmse: 0.015625,
        centroid: [1.9, 1.9, 2.0],
        area: 15.0,
        boundary,
    };
    let mut labels = vec![0; 400];
    labels.extend([1; 400]);
    labels.extend([-1; 2]);
    Detection {
        input: Input {
            points: 802,
            min: [-3.0, 0.0, 0.5],
            max: [9.0, 9.0, 9.0],
            step: 0.0009765625,
            ..Input::default()
        },
        parameters: planes::Parameters { directions: "ball:2".into(), ..Default::default() },
        planes: vec![
            plane(
                [0.0, 0.0, 1.0],
                1.9,
                vec![Polygon { exterior: square(floor, 0.0, 4.0), holes: vec![hole] }],
            ),
            plane(
                [0.0, -1.0, 0.0],
                0.25,
                vec![Polygon { exterior: square(wall, 0.0, 4.0), holes: Vec::new() }],
            ),
        ],
        labels,
    }
}

/// A cloud in memory.
struct Cloud {
    points: Vec<[f64; 3]>,
    colours: bool,
    at: usize,
}

impl Cloud {
    fn new(points: Vec<[f64; 3]>, colours: bool) -> Cloud {
        Cloud { points, colours, at: 0 }
    }
}

fn colour(k: usize) -> [u8; 3] {
    [k as u8, (k / 256) as u8, 255]
}

impl PointReader for Cloud {
    fn read(&mut self, chunk: &mut Chunk, limit: usize) -> Result<()> {
        chunk.clear();
        // Small chunks, so that there are several.
        for k in self.at..self.points.len().min(self.at + limit.min(300)) {
            let [x, y, z] = self.points[k];
            chunk.x.push(x);
            chunk.y.push(y);
            chunk.z.push(z);
            if self.colours {
                chunk.colour.push(colour(k));
                chunk.intensity.push(k as u16);
            }
        }
        self.at += chunk.len();
        Ok(())
    }
}

fn copy(input: &Path, detection: &Detection, output: &Path) -> Result<()> {
    labels::copy_las(&Source::open(input)?, detection, output)
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

fn validate(document: &serde_json::Value) -> bool {
    let mut compiler = boon::Compiler::new();
    let schema = serde_json::from_str(json::SCHEMA).unwrap();
    compiler.add_resource("detection", schema).unwrap();
    let mut schemas = boon::Schemas::new();
    let index = compiler.compile("detection", &mut schemas).unwrap();
    schemas.validate(document, index).is_ok()
}

fn document() -> serde_json::Value {
    let mut bytes = Vec::new();
    json::write_json(&detection(), &mut bytes).unwrap();
    serde_json::from_slice(&bytes).unwrap()
}

#[test]
fn the_document_is_read_back_equal() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("planes.json");
    json::save_json(&detection(), &path).unwrap();
    let expected = Detection { labels: Vec::new(), ..detection() };
    assert_eq!(json::read_json(&path).unwrap(), expected);
}

#[test]
fn vertices_stand_on_lines_of_their_own() {
    let mut bytes = Vec::new();
    json::write_json(&detection(), &mut bytes).unwrap();
    let text = String::from_utf8(bytes).unwrap();
    assert!(text.contains("\n      \"normal\": [0.0,0.0,1.0],\n"), "{text}");
    assert!(text.contains("\n            [4.0,0.0,2.0],\n"));
    assert!(text.starts_with("{\n  \"format\": \"planes-detection\",\n  \"version\": 1,\n"));
    assert!(text.ends_with("  ]\n}\n"));
}

#[test]
fn the_document_keeps_to_its_schema() {
    assert!(validate(&document()));
}

/// Removes, adds and mistypes every member of every object, one at a time.
#[test]
fn the_schema_refuses_a_missing_an_extra_and_a_mistyped_member() {
    fn objects(value: &serde_json::Value, at: &str, found: &mut Vec<(String, Vec<String>)>) {
        match value {
            serde_json::Value::Object(map) => {
                found.push((at.into(), map.keys().cloned().collect()));
                map.iter().for_each(|(k, v)| objects(v, &format!("{at}/{k}"), found));
            }
            serde_json::Value::Array(items) => (items.iter().enumerate())
                .for_each(|(k, v)| objects(v, &format!("{at}/{k}"), found)),
            _ => {}
        }
    }
    let whole = document();
    let mut found = Vec::new();
    objects(&whole, "", &mut found);
    assert_eq!(found.len(), 7);
    for (at, members) in found {
        let change = |f: &dyn Fn(&mut serde_json::Map<String, serde_json::Value>)| {
            let mut changed = whole.clone();
            f(changed.pointer_mut(&at).unwrap().as_object_mut().unwrap());
            validate(&changed)
        };
        assert!(!change(&|o| drop(o.insert("more".into(), 1.into()))), "{at}");
        for member in &members {
            assert!(!change(&|o| drop(o.insert(member.clone(), true.into()))), "{at}/{member}");
            let removed = change(&|o| drop(o.remove(member)));
            assert_eq!(removed, member == "holes", "{at}/{member}");
        }
    }
}

#[test]
fn a_number_that_is_not_finite_is_refused_by_name() {
    let mut broken = detection();
    broken.planes[1].boundary[0].exterior[2][1] = f64::NAN;
    let mut bytes = Vec::new();
    let error = json::write_json(&broken, &mut bytes).unwrap_err();
    assert_eq!(error.to_string(), "a number of plane 1 is not finite");
    assert!(bytes.is_empty());
    let mut broken = detection();
    broken.parameters.tolerance = f64::INFINITY;
    let error = json::write_json(&broken, &mut bytes).unwrap_err();
    assert_eq!(error.to_string(), "a parameter is not finite");
}

#[test]
fn other_documents_are_refused_with_the_place() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.json");
    let read = |text: &str| {
        std::fs::write(&path, text).unwrap();
        match json::read_json(&path).unwrap_err() {
            Error::Format { place, message, .. } => (place, message),
            other => panic!("{other}"),
        }
    };
    assert_eq!(read("{\n\"format\": 1}").0, "line 2");
    assert!(read("{}").1.contains("not a result of planes"));
    let later = r#"{"format": "planes-detection", "version": 2}"#;
    assert_eq!(read(later).1, "version 2, this program reads version 1");
    let cut = r#"{"format": "planes-detection", "version": 1}"#;
    assert_eq!(read(cut), ("line 1".into(), "missing field `input`".into()));
    assert!(json::read_json(&folder.path().join("none")).is_err());
}

/// Numbers of a PLY element, row by row; lists as their members.
fn read_ply(path: &Path) -> ply_rs::ply::Ply<ply_rs::ply::DefaultElement> {
    let mut file = std::io::BufReader::new(std::fs::File::open(path).unwrap());
    ply_rs::parser::Parser::new().read_ply(&mut file).unwrap()
}

#[test]
fn polygons_become_triangles_of_the_same_area_that_look_along_the_normal() {
    use ply_rs::ply::Property;
    let folder = tempfile::tempdir().unwrap();
    let mut files = Vec::new();
    for encoding in [ply::Encoding::Ascii, ply::Encoding::Binary] {
        let path = folder.path().join("planes.ply");
        ply::save_polygons(&detection(), encoding, &path).unwrap();
        files.push(read_ply(&path).payload);
    }
    assert_eq!(files[0], files[1]);
    let vertices: Vec<[f64; 3]> = (files[0]["vertex"].iter())
        .map(|v| {
            ["x", "y", "z"].map(|name| match v[name] {
                Property::Double(x) => x,
                ref other => panic!("{other:?}"),
            })
        })
        .collect();
    assert_eq!(vertices.len(), 12);
    let mut areas = [[0.0; 3]; 2];
    for face in &files[0]["face"] {
        let (Property::ListInt(corners), Property::Int(id)) =
            (&face["vertex_indices"], &face["plane_id"])
        else {
            panic!("{face:?}");
        };
        assert_eq!(corners.len(), 3);
        let [a, b, c] = [0, 1, 2].map(|k| vertices[corners[k] as usize]);
        let [u, v] = [b, c].map(|p| [0, 1, 2].map(|k| p[k] - a[k]));
        for (k, area) in areas[*id as usize].iter_mut().enumerate() {
            let (i, j) = ((k + 1) % 3, (k + 2) % 3);
            *area += (u[i] * v[j] - u[j] * v[i]) / 2.0;
        }
    }
    assert_eq!(areas, [[0.0, 0.0, 15.0], [0.0, -16.0, 0.0]]);
}

/// The two dimensions of each record of a LAS or LAZ file, which stand at its end.
fn labels_of(path: &Path) -> Vec<(i32, f32)> {
    let mut reader = Reader::from_path(path).unwrap();
    let data = reader.read_all().unwrap();
    (data.raw_bytes().chunks_exact(data.record_len()))
        .map(|r| {
            let end: [u8; 8] = r[r.len() - 8..].try_into().unwrap();
            let [a, b, c, d, e, f, g, h] = end;
            (i32::from_le_bytes([a, b, c, d]), f32::from_le_bytes([e, f, g, h]))
        })
        .collect()
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

#[test]
fn a_cloud_becomes_las_and_laz_with_all_its_values() {
    let folder = tempfile::tempdir().unwrap();
    for (name, colours) in [("a.las", true), ("a.laz", true), ("b.LAZ", false)] {
        let path = folder.path().join(name);
        let mut cloud = Cloud::new(points(), colours);
        labels::save_las(&mut cloud, &detection(), &path).unwrap();
        assert_labels(&labels_of(&path), &detection(), &points());
        let mut reader = Reader::from_path(&path).unwrap();
        assert_eq!(reader.header().number_of_points_by_return(1), Some(802));
        assert_eq!(reader.header().bounds().min.x, -3.0);
        assert_eq!(reader.header().bounds().max.z, 9.0);
        let data = reader.read_all().unwrap();
        for (k, (point, p)) in data.points().zip(points()).enumerate() {
            let point = point.unwrap();
            // Coordinates with few decimals are exact but for the last bit of the product.
            for (found, exact) in [point.x, point.y, point.z].into_iter().zip(p) {
                assert!((found - exact).abs() < 1e-14, "{found} {exact}");
            }
            assert!(!point.is_withheld);
            let [r, g, b] = colour(k).map(|c| u16::from(c) * 257);
            assert_eq!(point.color, colours.then_some(Color::new(r, g, b)));
            assert_eq!(point.intensity, if colours { k as u16 } else { 0 });
        }
    }
}

#[test]
fn a_point_that_las_cannot_hold_is_withheld() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.las");
    let mut all = points();
    all[800] = [f64::NAN, 1.0, 1.0];
    all[801] = [0.0, 1e30, 1.0];
    labels::save_las(&mut Cloud::new(all, false), &detection(), &path).unwrap();
    let data = Reader::from_path(&path).unwrap().read_all().unwrap();
    let withheld: Vec<bool> = data.points().map(|p| p.unwrap().is_withheld).collect();
    assert_eq!(withheld.len(), 802);
    assert_eq!(withheld.iter().position(|&w| w), Some(800));
    assert!(withheld[801]);
}

#[test]
fn a_cloud_becomes_ply_with_all_its_values() {
    use ply_rs::ply::Property;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.ply");
    for colours in [true, false] {
        labels::save_ply(&mut Cloud::new(points(), colours), &detection(), &path).unwrap();
        let vertices = &read_ply(&path).payload["vertex"];
        let mut found = Vec::new();
        for (k, (v, p)) in vertices.iter().zip(points()).enumerate() {
            for (name, exact) in ["x", "y", "z"].into_iter().zip(p) {
                assert_eq!(v[name], Property::Double(exact));
            }
            for (name, exact) in ["red", "green", "blue"].into_iter().zip(colour(k)) {
                let expected = colours.then_some(&Property::UChar(exact)).cloned();
                assert_eq!(v.get(name).cloned(), expected);
            }
            let (Property::Int(id), Property::Float(distance)) =
                (&v["plane_id"], &v["plane_distance"])
            else {
                panic!("{v:?}");
            };
            found.push((*id, *distance));
        }
        assert_labels(&found, &detection(), &points());
    }
}

#[test]
fn labels_that_do_not_fit_are_refused_and_nothing_is_left() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.las");
    let mut longer = detection();
    longer.labels.push(0);
    let mut shorter = detection();
    shorter.labels.pop();
    let mut unknown = detection();
    unknown.labels[5] = 2;
    for wrong in [longer, shorter, unknown] {
        for save in [labels::save_las, labels::save_ply] {
            let error = save(&mut Cloud::new(points(), false), &wrong, &path).unwrap_err();
            assert!(matches!(error, Error::Parameter(_)), "{error}");
        }
    }
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
}

/// A LAS file of a point format with records of every kind, extra bytes described in part.
fn rich_las(path: &Path, format: u8, minor: u8) -> Vec<las::Point> {
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
fn the_name_of_the_file_chooses_the_format() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let text: String = points().iter().map(|p| format!("{} {} {}\n", p[0], p[1], p[2])).collect();
    let source = Source::from_bytes(text.into_bytes()).unwrap();
    for name in ["a.las", "a.LAZ", "a.ply", "a.npy"] {
        labels::save(&source, &detection(), &path(name)).unwrap();
    }
    assert_labels(&labels_of(&path("a.las")), &detection(), &points());
    assert!(std::fs::read(path("a.npy")).unwrap().starts_with(b"\x93NUMPY"));
    // A LAS source is copied, from memory as well as from a file.
    rich_las(&path("rich.las"), 3, 2);
    let rich = Source::from_bytes(std::fs::read(path("rich.las")).unwrap()).unwrap();
    labels::save(&rich, &detection(), &path("b.las")).unwrap();
    copy(&path("rich.las"), &detection(), &path("c.las")).unwrap();
    assert!(std::fs::read(path("b.las")).unwrap() == std::fs::read(path("c.las")).unwrap());
    let error = labels::save(&source, &detection(), &path("a.txt")).unwrap_err();
    assert!(error.to_string().ends_with("labels are written as .las, .laz, .ply or .npy"));
    assert!(!path("a.txt").exists());
}
