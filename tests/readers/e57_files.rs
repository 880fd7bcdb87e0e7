//! E57, as the crate `e57` writes it.

use crate::common::e57::{Scan, doubles, file, pose, rich, seal, spherical};
use crate::*;
use e57::{CartesianCoordinate, E57Reader};
use planes::cloud::Note;
use planes::detect::Options;
use planes::orient::Orient;
use planes::{Detector, Device};
use std::io::Cursor;

/// Points of a floor at 0 and of a ceiling at 3.
fn storey() -> Vec<[f64; 3]> {
    let point =
        |i: u32| [f64::from(i % 40) * 0.1, f64::from(i / 40 % 40) * 0.1, f64::from(i / 1600) * 3.0];
    (0..3200).map(point).collect()
}

fn bits(chunk: &Chunk) -> Vec<[u64; 3]> {
    (0..chunk.len()).map(|k| [chunk.x[k], chunk.y[k], chunk.z[k]].map(f64::to_bits)).collect()
}

/// Three scans of different kinds, with and without a pose.
fn scans() -> [Scan; 3] {
    let angles: Vec<[f64; 3]> = (0..3000)
        .map(|i| f64::from(i) * 0.001)
        .map(|t| [1.0 + t, 2.0 * t - 3.0, t / 3.0 - 0.5])
        .collect();
    [
        doubles(&storey(), None),
        rich(200_000),
        spherical(&angles, pose(30.0, [500_000.0, 4_600_000.0, 300.0])),
    ]
}

#[test]
fn scans_of_any_kind_come_into_one_frame() {
    let bytes = file(&scans(), None);
    let mut theirs = E57Reader::new(Cursor::new(bytes.clone())).unwrap();
    let mut expected = Vec::new();
    for cloud in theirs.pointclouds() {
        let points = theirs.pointcloud_simple(&cloud).unwrap();
        expected.extend(points.map(|point| match point.unwrap().cartesian {
            CartesianCoordinate::Valid { x, y, z } => Some([x, y, z]),
            _ => None,
        }));
    }
    let source = source(bytes);
    assert_eq!((source.format(), source.info().points), (Format::E57, Some(206_200)));
    assert_eq!(source.info().description, "E57, 3 scans, 1 with rows and columns");
    assert_eq!(source.info().others, ["rowIndex", "columnIndex"]);
    let got = all(&source, Fields::ALL);
    assert_eq!(got.len(), expected.len());
    // Theirs has cosines of sums where ours has products of cosines.
    let near = |a: f64, b: f64| (a - b).abs() <= 1e-9 * b.abs().max(1.0);
    for (k, expected) in expected.into_iter().enumerate() {
        match expected {
            Some([x, y, z]) => assert!(
                near(got.x[k], x) && near(got.y[k], y) && near(got.z[k], z),
                "point {k}: {} {} {} and not {x} {y} {z}",
                got.x[k],
                got.y[k],
                got.z[k]
            ),
            None => assert!(got.x[k].is_nan() && got.y[k].is_nan() && got.z[k].is_nan(), "{k}"),
        }
    }
    // What one scan has is blank in the others.
    for (k, i) in (0..200_000).map(|i| (3200 + i, i)) {
        assert_eq!(usize::from(got.intensity[k]), i % 2048);
        let colour = [(i % 256) as u8, (i / 3 % 256) as u8, (255 - i % 256) as u8];
        assert_eq!(got.colour[k], if i % 5 == 1 { [0; 3] } else { colour }, "{i}");
    }
    assert_eq!((got.intensity[0], got.colour[0]), (0, [0; 3]));
    // Coordinates without a pose are those of the file, to the bit.
    let floor = storey();
    assert!((0..3200).all(|k| [got.x[k], got.y[k], got.z[k]] == floor[k]));
}

#[test]
fn limits_threads_and_passes_change_no_e57() {
    let source = source(file(&scans(), None));
    let whole = all(&source, Fields::ALL);
    for limit in [777, 65_536, 206_199] {
        let parts = points(&source, Fields::ALL, limit).unwrap();
        assert_eq!(bits(&parts), bits(&whole));
        assert!(parts.colour == whole.colour && parts.intensity == whole.intensity);
    }
    for threads in [1, 5] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        assert_eq!(pool.install(|| bits(&all(&source, Fields::NONE))), bits(&whole));
    }
}

#[test]
fn one_scan_has_rows_columns_and_a_place() {
    let one = source(file(&[rich(20_000)], None));
    assert_eq!(one.info().description, "E57, 1 scan of 200 rows and 100 columns");
    assert_eq!((one.info().scanner, one.scanner().unwrap()), (None, None));
    let posed = source(file(&[doubles(&storey(), pose(90.0, [1.0, 2.0, 1.5]))], None));
    assert_eq!(posed.scanner().unwrap(), Some([1.0, 2.0, 1.5]));
}

#[test]
fn places_count_once_and_only_where_points_were_taken() {
    let [a, b] = [1.0, 2.0].map(|at| doubles(&storey()[..5], pose(0.0, [at; 3])));
    let none = doubles(&[], pose(0.0, [3.0; 3]));
    let one = source(file(&[none.clone(), a.clone(), a.clone()], None));
    assert_eq!(one.scanner().unwrap(), Some([1.0; 3]));
    let two = source(file(&[a.clone(), b, none, a], None)).scanner().unwrap_err().to_string();
    assert!(two.contains("from 2 places"), "{two}");
}

#[test]
fn bytes_behind_its_end_are_told() {
    let whole = file(&[doubles(&storey(), None)], None);
    assert_eq!(source(whole.clone()).notes(), []);
    let joined = source(whole.repeat(2));
    assert_eq!(joined.notes(), [Note::MoreBytes { bytes: whole.len() as u64 }]);
    assert_eq!(all(&joined, Fields::NONE).x.len(), storey().len());
}

#[test]
fn a_coordinate_system_is_read() {
    let text =
        "PROJCRS[\"ETRS89 / UTM 32N\",CS[Cartesian,2],LENGTHUNIT[\"metre\",1],ID[\"EPSG\",25832]]";
    let source = source(file(&[doubles(&storey(), None)], Some(text)));
    let crs = source.info().crs.clone().unwrap();
    assert_eq!((crs.epsg, crs.wkt.as_deref()), (Some(25832), Some(text)));
}

fn detector(orient: Orient) -> Detector<'static> {
    Detector::new().device(Device::Cpu).options(Options { orient, ..Options::default() })
}

#[test]
fn planes_look_to_the_scanner_of_the_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.e57");
    // Seen from a table's height, in coordinates of the scanner.
    let seen: Vec<[f64; 3]> =
        storey().iter().map(|p| [p[0] - 2.0, p[1] - 2.0, p[2] - 1.0]).collect();
    std::fs::write(&path, file(&[doubles(&seen, pose(0.0, [102.0, 2.0, 51.0]))], None)).unwrap();
    let found = detector(Orient::Scanner(None)).detect_file(&path).unwrap();
    let mut sides: Vec<(i64, f64)> =
        found.planes.iter().map(|p| (p.centroid[2].round() as i64, p.normal[2].round())).collect();
    sides.sort_by_key(|side| side.0);
    assert_eq!(sides, [(50, 1.0), (53, -1.0)]);
    assert_eq!(found.parameters.orient, Orient::Scanner(Some([102.0, 2.0, 51.0])));
    // The default does not ask the file.
    let up = detector(Orient::Up).detect_file(&path).unwrap();
    assert!(up.planes.iter().all(|plane| plane.normal[2] > 0.99));
    // Scans from several places leave the choice to the user.
    let scans = [doubles(&seen, pose(0.0, [1.0; 3])), doubles(&seen, pose(0.0, [2.0; 3]))];
    std::fs::write(&path, file(&scans, None)).unwrap();
    let message = detector(Orient::Scanner(None)).detect_file(&path).unwrap_err().to_string();
    assert!(message.ends_with("name it, as in `orient` scanner:1,2,3"), "{message}");
    let named = Orient::Scanner(Some([0.0; 3]));
    assert_eq!(detector(named).detect_file(&path).unwrap().parameters.orient, named);
    // Points in memory stand where they stand.
    let found = detector(Orient::Scanner(None)).detect(&seen).unwrap();
    assert_eq!(found.parameters.orient, named);
}

#[test]
fn what_is_cut_off_or_altered_is_an_error() {
    let bytes = file(&[rich(3000)], None);
    for length in [1, 7] {
        assert!(!error(&bytes[..length]).is_empty());
    }
    for length in (8..bytes.len()).step_by(509) {
        assert!(!error(&bytes[..length]).is_empty(), "{length}");
    }
    // What is damaged is said, unless it is never read, such as rows and columns.
    let whole = all(&source(bytes.clone()), Fields::ALL);
    let mut found = 0;
    for at in (0..bytes.len()).step_by(331) {
        let mut damaged = bytes.clone();
        damaged[at] ^= 0x10;
        let read =
            Source::from_bytes(damaged).and_then(|source| points(&source, Fields::ALL, 1000));
        match read {
            Err(_) => found += 1,
            Ok(read) => assert!(bits(&read) == bits(&whole) && read.colour == whole.colour, "{at}"),
        }
    }
    assert!(found > bytes.len() / 331 / 2, "{found}");
    let mut damaged = bytes.clone();
    damaged[2000] ^= 1;
    assert_eq!(error(damaged), "byte 1024: the checksum of this page is wrong");
}

/// The file with a text of its XML in place of another of the same length.
fn with(bytes: &[u8], old: &str, new: &str) -> Vec<u8> {
    assert_eq!(old.len(), new.len());
    // Pages are cut where the text may be: it is looked for in what they hold.
    let mut held: Vec<u8> = bytes.chunks(1024).flat_map(|page| &page[..1020]).copied().collect();
    let at = held.windows(old.len()).position(|text| text == old.as_bytes()).expect(old);
    held[at..at + old.len()].copy_from_slice(new.as_bytes());
    let mut bytes: Vec<u8> = held.chunks(1020).flat_map(|held| [held, &[0; 4]].concat()).collect();
    seal(&mut bytes);
    bytes
}

#[test]
fn promises_are_checked_first() {
    let bytes = file(&[rich(3000)], None);
    let of = |old, new| error(with(&bytes, old, new));
    assert!(
        of("recordCount=\"3000\"", "recordCount=\"9999\"")
            .contains("more than the file has room for")
    );
    assert!(of("recordCount=\"3000\"", "recordCount=\"-300\"").starts_with("header: "));
    assert!(of("</data3D>", "</data3E>").contains("XML"));
    assert!(of("</cartesianX>", "<cartesianX/>").contains("XML"));
    let mut long = bytes.clone();
    long[32..40].copy_from_slice(&(1u64 << 60).to_le_bytes());
    seal(&mut long);
    assert_eq!(error(long), "header: its XML lies behind the end of the file");
}

#[test]
fn scans_do_not_share_packets() {
    let ten = || doubles(&storey()[..10], None);
    let bytes = file(&[doubles(&storey(), None), ten(), ten()], None);
    let scans = E57Reader::new(Cursor::new(&bytes)).unwrap().pointclouds();
    let of_first = |bytes: &[u8], scan: usize| {
        let own = scans[scan].file_offset.to_string();
        let first = format!("{:01$}", scans[0].file_offset, own.len());
        with(bytes, &format!("fileOffset=\"{own}\""), &format!("fileOffset=\"{first}\""))
    };
    // Of the packets of the first scan, which are most of the file, the last one alone keeps its points.
    let mut bytes = with(&bytes, "recordCount=\"3200\"", "recordCount=\"0000\"");
    let packet = scans[0].file_offset as usize + 32;
    assert_eq!(std::mem::replace(&mut bytes[packet], 2), 1);
    let one = of_first(&bytes, 1);
    assert_eq!(all(&source(one.clone()), Fields::NONE).len(), 20);
    let message = error(of_first(&one, 2));
    assert!(message.ends_with("several scans share packets"), "{message}");
}

/// The file with another XML.
fn with_xml(bytes: &[u8], edit: impl Fn(&str) -> String) -> Vec<u8> {
    let mut held: Vec<u8> = bytes.chunks(1024).flat_map(|page| &page[..1020]).copied().collect();
    let [at, length] = [24, 32].map(|k| u64::from_le_bytes(*bytes[k..].first_chunk().unwrap()));
    let (at, length) = ((at / 1024 * 1020 + at % 1024) as usize, length as usize);
    let xml = edit(std::str::from_utf8(&held[at..at + length]).unwrap());
    held.truncate(at);
    held.extend(xml.bytes());
    held.resize(held.len().next_multiple_of(1020), 0);
    let all = (held.len() / 1020 * 1024) as u64;
    held[16..24].copy_from_slice(&all.to_le_bytes());
    held[32..40].copy_from_slice(&(xml.len() as u64).to_le_bytes());
    let mut bytes: Vec<u8> = held.chunks(1020).flat_map(|held| [held, &[0; 4]].concat()).collect();
    seal(&mut bytes);
    bytes
}

#[test]
fn tags_are_measured_to_their_ends() {
    let bytes = file(&[doubles(&storey(), None)], None);
    let attributes: String = (0..2000).map(|k| format!(" a{k}=''")).collect();
    for quoted in ["x='>'", "x=\">'>\"", "y='<!--'"] {
        let root = format!("<e57Root {quoted}{attributes}");
        let message = error(with_xml(&bytes, |xml| xml.replace("<e57Root", &root)));
        assert_eq!(message, "header: a tag of its XML is too long", "{quoted}");
    }
    let long = "a < 'b ".repeat(2000);
    for part in [
        format!("<!-- {long} --></e57Root>"),
        format!("<note type=\"String\"><![CDATA[{long}]]></note></e57Root>"),
        format!("</e57Root><?note {long} ?>"),
    ] {
        let source = source(with_xml(&bytes, |xml| xml.replace("</e57Root>", &part)));
        assert_eq!(all(&source, Fields::NONE).len(), 3200);
    }
}

#[test]
fn no_damage_makes_it_panic() {
    let whole = file(&[doubles(&storey()[..50], pose(1.0, [1.0; 3])), rich(60)], None);
    let mut state = 1u64;
    let mut random = || {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize
    };
    for _ in 0..2000 {
        let mut bytes = whole.clone();
        for _ in 0..1 + random() % 4 {
            let at = random() % bytes.len();
            bytes[at] = random() as u8;
        }
        seal(&mut bytes);
        if let Ok(source) = Source::from_bytes(bytes) {
            // What it says has one line; how it ends does not matter.
            if let Err(error) = points(&source, Fields::ALL, 1000) {
                assert_eq!(error.to_string().lines().count(), 1);
            }
        }
    }
}
