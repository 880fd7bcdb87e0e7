//! Kinds of clouds beside LAS, LAZ, PLY and text: PCD, NumPy's arrays, compressed files and depth images.

use super::*;
use flate2::{Compression, write::GzEncoder};
use std::io::Write;

fn gzip(content: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(content).unwrap();
    encoder.finish().unwrap()
}

fn zstd(content: &[u8]) -> Vec<u8> {
    use ruzstd::encoding::{CompressionLevel, compress_to_vec};
    compress_to_vec(content, CompressionLevel::Fastest)
}

/// A NumPy array of so many rows of three `f64`.
fn array(points: &[[f64; 3]]) -> Vec<u8> {
    let shape = points.len();
    // With room for larger numbers, as NumPy leaves it.
    let text =
        format!("{{'descr': '<f8', 'fortran_order': False, 'shape': ({shape}, 3)}}{:40}\n", "");
    let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
    bytes.extend((text.len() as u16).to_le_bytes());
    bytes.extend(text.bytes());
    bytes.extend(points.iter().flatten().flat_map(|v| v.to_le_bytes()));
    bytes
}

/// A floor and a wall.
fn corner() -> Vec<[f64; 3]> {
    let square = (0..900).map(|k| (0.1 * f64::from(k % 30), 0.1 * f64::from(k / 30)));
    square.flat_map(|(a, b)| [[a, b, 0.0], [a, 0.0, b + 0.1]]).collect()
}

/// A depth image of 160 × 120 pixels of a slanted wall, 16 bits as PGM; the first row shows nothing.
fn frame() -> Vec<u8> {
    let mut bytes = b"P5\n160 120\n65535\n".to_vec();
    for k in 0..160 * 120 {
        let (column, row) = (k % 160, k / 160);
        // The plane z = 2 + x / 2 of the camera's frame: z = 2 / (1 − (u − cx) / (2 fx)).
        let z = 2.0 / (1.0 - (f64::from(column) - 79.5) / 300.0);
        let value = if row == 0 { 0 } else { (z * 5000.0).round() as u16 };
        bytes.extend(value.to_be_bytes());
    }
    bytes
}

const CAMERA: &str = "--camera 150,150,79.5,59.5,5000";

#[test]
fn the_same_points_give_the_same_planes_in_every_kind() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    write(&at("a.ply"), &corner());
    write(&at("a.pcd"), &corner());
    std::fs::write(at("a.npy"), array(&corner())).unwrap();
    let ply = std::fs::read(at("a.ply")).unwrap();
    std::fs::write(at("a.ply.gz"), gzip(&ply)).unwrap();
    std::fs::write(at("a.ply.zst"), zstd(&ply)).unwrap();
    let document = |name: &str| json(detect(&at(name), "--json -").text());
    let want = document("a.ply");
    assert_eq!(found(&want).len(), 2);
    for name in ["a.pcd", "a.npy", "a.ply.gz", "a.ply.zst"] {
        let got = document(name);
        assert_eq!(got["planes"], want["planes"], "{name}");
        assert_eq!(got["parameters"], want["parameters"], "{name}");
    }
    let done = planes_with(["detect", "-", "--json", "-"], Some(&at("a.ply.gz")));
    assert_eq!(json(done.text())["planes"], want["planes"]);
    let info = planes([OsStr::new("info"), at("a.ply.gz").as_ref()]).text();
    assert!(info.contains("PLY binary little endian, double coordinates, in gzip"), "{info}");
}

#[test]
fn compressed_files_name_their_results_without_both_endings() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    write(&at("a.ply"), &corner());
    std::fs::create_dir(at("in")).unwrap();
    let packed = gzip(&std::fs::read(at("a.ply")).unwrap());
    std::fs::write(at("in/a.ply.gz"), &packed).unwrap();
    std::fs::write(at("in/notes.txt.gz"), gzip(b"no cloud\n")).unwrap();
    std::fs::write(at("in/other.gz"), gzip(b"\0\x01")).unwrap();
    detect(&at("in/a.ply.gz"), &format!("--out {}", at("one").display())).text();
    let batch = format!("batch {} --out {}", at("in").display(), at("all").display());
    let done = planes(batch.split(' '));
    // The text is meant to be a cloud and is none; what is called nothing is passed over.
    assert_eq!(done.code, Some(1), "{}", done.err);
    assert!(
        done.err.contains("notes.txt.gz") && done.err.contains("passed over 1"),
        "{}",
        done.err
    );
    for name in ["a.json", "a.labels.ply"] {
        let [one, all] = ["one", "all"].map(|folder| at(folder).join(name));
        assert!(std::fs::read(one).unwrap() == std::fs::read(all).unwrap(), "{name}");
    }
}

#[test]
fn a_labelled_pcd_keeps_its_fields() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let header = |data: &str| {
        format!(
            "# .PCD v0.7\nVERSION 0.7\nFIELDS x y z plane_id hist\nSIZE 8 8 8 4 2\nTYPE F F F I U\n\
             COUNT 1 1 1 1 2\nWIDTH 60\nHEIGHT 30\nVIEWPOINT 1 2 3 1 0 0 0\nPOINTS 1800\nDATA {data}\n"
        )
    };
    let lines = corner().into_iter().map(|[x, y, z]| format!("{x} {y} {z} 99 7 8\n"));
    std::fs::write(at("text.pcd"), header("ascii") + &lines.collect::<String>()).unwrap();
    let record = |p: [f64; 3]| {
        let hist = [7_u16, 8].map(u16::to_le_bytes).concat();
        [&p.map(f64::to_le_bytes).concat()[..], &99_i32.to_le_bytes(), &hist].concat()
    };
    let records: Vec<u8> = corner().into_iter().flat_map(record).collect();
    std::fs::write(at("bin.pcd"), [header("binary").into_bytes(), records].concat()).unwrap();
    for name in ["text", "bin"] {
        let labels = at(&format!("{name}.labels.pcd"));
        let input = at(&format!("{name}.pcd"));
        detect(&input, &format!("--label-by piece --labels {}", labels.display())).text();
        let bytes = std::fs::read(&labels).unwrap();
        let text = String::from_utf8_lossy(&bytes[..400]).into_owned();
        for line in [
            "FIELDS x y z hist plane_id plane_distance piece_id\n",
            "SIZE 8 8 8 2 4 4 4\nTYPE F F F U I F I\nCOUNT 1 1 1 2 1 1 1\nWIDTH 60\nHEIGHT 30\nVIEWPOINT 1 2 3 1 0 0 0\n",
        ] {
            assert!(text.contains(line), "{text}");
        }
        let chunk = read(&labels);
        assert_eq!(chunk.len(), 1800);
        assert!(chunk.label.contains(&0) && chunk.label.contains(&1) && !chunk.label.contains(&99));
        let points = corner();
        assert!((0..1800).all(|k| [chunk.x[k], chunk.y[k], chunk.z[k]] == points[k]));
        // Once more: the same labels take the place of those.
        let again = at("again.pcd");
        detect(&labels, &format!("--label-by piece --labels {}", again.display())).text();
        assert!(std::fs::read(&again).unwrap() == bytes, "{name}");
    }
    assert_eq!(read(&at("text.labels.pcd")).label, read(&at("bin.labels.pcd")).label);
}

#[test]
fn depth_images_are_clouds_with_a_camera() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    std::fs::create_dir(at("frames")).unwrap();
    std::fs::write(at("frames/a.pgm"), frame()).unwrap();
    std::fs::write(at("frames/b.pgm"), gzip(&frame())).unwrap();
    let labels = at("labels.npy");
    let options = format!("{CAMERA} --json - --labels {}", labels.display());
    let run = detect(&at("frames/a.pgm"), &options);
    assert!(run.err.contains("left out 160 pixels without depth"), "{}", run.err);
    let document = json(run.text());
    assert_eq!(found(&document).len(), 1, "{document}");
    assert_eq!(document["input"]["points"], 160 * 120);
    assert_eq!(document["input"]["not_finite"], 160);
    let ids = npy(&labels);
    let there = ids.iter().filter(|&&id| id >= 0).count() as f64 / f64::from(160 * 119);
    let table = detect(&at("frames/a.pgm"), CAMERA).text();
    assert!(table.contains(&format!("{:.1} % of 19040 points", 100.0 * there)), "{table}");
    assert!(ids[..160].iter().all(|&id| id == -1));
    assert!(ids[160..].iter().filter(|&&id| id == 0).count() > 160 * 110);
    let batch = format!("batch {} --out {} {CAMERA}", at("frames").display(), at("out").display());
    let done = planes(batch.split(' '));
    assert_eq!(done.code, Some(0), "{}", done.err);
    for name in ["a.json", "b.json"] {
        let text = std::fs::read(at("out").join(name)).unwrap();
        assert_eq!(json(text)["planes"], document["planes"], "{name}");
    }
    let info = planes([
        OsStr::new("info"),
        at("frames/a.pgm").as_ref(),
        "--camera".as_ref(),
        OsStr::new(&CAMERA[9..]),
    ]);
    assert!(info.text().contains("depth image, 160 x 120 pixels"));
    // Without a camera it is an image.
    let image = detect(&at("frames/a.pgm"), "--json -");
    assert!(image.err.contains("if it is a depth image, give --camera"), "{}", image.err);
    assert_eq!(json(image.text())["format"], "planes-lines");
}

#[test]
fn a_camera_is_for_depth_images_alone() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    write(&at("a.ply"), &corner());
    std::fs::write(at("a.pgm"), b"P5 2 2 255 abcd").unwrap();
    let refusal = detect(&at("a.ply"), CAMERA).refusal();
    assert!(refusal.ends_with("--camera is for depth images, and this is PLY"), "{refusal}");
    let refusal = detect(&at("a.pgm"), CAMERA).refusal();
    assert!(refusal.ends_with("16 bits in one channel, and this is another image"), "{refusal}");
    let refusal = detect(&at("a.pgm"), "--camera 1,2,3").refusal();
    assert!(refusal.contains("not fx,fy,cx,cy,scale"), "{refusal}");
}

#[test]
fn damaged_files_end_in_one_line() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    write(&at("a.pcd"), &corner());
    let (pcd, npy, pgm) = (std::fs::read(at("a.pcd")).unwrap(), array(&corner()), frame());
    let labels = b"\x93NUMPY\x01\0\x3a\0{'descr': '<i4', 'fortran_order': False, 'shape': (1,), }\n\x01\0\0\0";
    // A frame without its size, whose window is 2²⁸ bytes.
    let wide = b"\x28\xb5\x2f\xfd\x00\x90\x01\x00\x00";
    let cut = |bytes: &[u8], length: usize| bytes[..length].to_vec();
    let changed = |bytes: &[u8], from: &str, to: &str| {
        let at = bytes.windows(from.len()).position(|w| w == from.as_bytes()).unwrap();
        [&bytes[..at], to.as_bytes(), &bytes[at + from.len()..]].concat()
    };
    let packed = |pack: fn(&[u8]) -> Vec<u8>, part: usize| {
        let whole = pack(&npy);
        cut(&whole, whole.len() * part / 4)
    };
    for (name, bytes, message) in [
        ("a.pcd", cut(&pcd, 100), "not a line of a PCD header"),
        ("a.pcd", cut(&pcd, pcd.len() - 1), "point 1799: the file ends before"),
        ("a.pcd", changed(&pcd, "POINTS 1800", "POINTS 9999"), "POINTS 9999, but WIDTH 1800"),
        ("a.pcd", changed(&pcd, "FIELDS x y z", "FIELDS x y w"), "a point has no x, y and z"),
        ("a.pcd", changed(&pcd, "TYPE F", "TYPE Q"), "unknown type Q of size 8"),
        ("a.pcd", changed(&pcd, "DATA binary", "DATA binary_compressed"), "compressed data: "),
        ("a.npy", cut(&npy, 30), "header: it does not end"),
        ("a.npy", cut(&npy, npy.len() - 1), "point 1799: the file ends before"),
        ("a.npy", changed(&npy, "(1800,", "(99999999999999999,"), "the file ends before"),
        ("a.npy", changed(&npy, "<f8", "|O8"), "its elements are Python objects, and no numbers"),
        ("a.npy", labels.to_vec(), "labels, or other numbers, and no points"),
        ("a.npy.gz", packed(gzip, 3), "gzip: the file ends after"),
        ("a.npy.zst", packed(zstd, 3), "zstd: "),
        ("a.npy.zst", wide.to_vec(), "zstd: its window is 256 MiB, and at most 128 are read"),
        ("a.gz", gzip(&gzip(&npy)), "a gzip archive; unpack it first"),
        ("a.pgm", cut(&pgm, 3000), "image: it is cut off"),
    ] {
        std::fs::write(at(name), bytes).unwrap();
        let camera = if name == "a.pgm" { CAMERA } else { "" };
        let results = at("results");
        let refusal = detect(&at(name), &format!("{camera} --out {}", results.display())).refusal();
        assert!(refusal.contains(name) && refusal.contains(message), "{name}: {refusal}");
        assert!(!results.exists(), "{name}");
    }
}

#[test]
fn points_called_p1_and_p2_are_no_image() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let rows = corner().into_iter().zip(1..);
    let rows =
        rows.map(|([x, y, z], k)| format!("P{k} {:.0} {:.0} {:.0}\n", 10. * x, 10. * y, 10. * z));
    std::fs::write(at("a.txt"), rows.collect::<String>()).unwrap();
    for options in ["--json -", "--columns -,x,y,z --json -"] {
        let done = detect(&at("a.txt"), options);
        assert_eq!(done.err, "", "{options}");
        assert_eq!(found(&json(done.text())).len(), 2, "{options}");
    }
    let info = planes([OsStr::new("info"), "--json".as_ref(), at("a.txt").as_ref()]).text();
    assert_eq!(json(info)["points"], 1800);
    let (cloud, results) = (at("a.txt"), at("results"));
    let batch = [OsStr::new("batch"), cloud.as_ref(), OsStr::new("--out"), results.as_ref()];
    assert_eq!(planes(batch).code, Some(0));
    assert!(names(&results).contains(&"a.json".to_owned()), "{:?}", names(&results));
}

#[test]
fn several_files_in_one_are_noticed() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let written = |name: &str| {
        write(&at(name), &corner());
        std::fs::read(at(name)).unwrap()
    };
    let lines: String = corner().iter().map(|[x, y, z]| format!("{x} {y} {z}\n")).collect();
    let ascii = "ply\nformat ascii 1.0\nelement vertex 1800\nproperty float x\n\
        property float y\nproperty float z\nend_header\n";
    for (name, bytes, more) in [
        ("a.npy", array(&corner()), "43311 bytes behind"),
        ("a.pcd", written("a.pcd"), "the file holds"),
        (
            "a.ply",
            written("a.ply"),
            " bytes behind the points are not read; if the file is several",
        ),
        (
            "a.las",
            written("a.las"),
            " bytes behind the points are not read; if the file is several",
        ),
        (
            "a.laz",
            written("a.laz"),
            " bytes behind the points are not read; if the file is several",
        ),
        ("b.ply", [ascii, &lines].concat().into(), " bytes behind the points are not read; if"),
    ] {
        std::fs::write(at(name), &bytes).unwrap();
        let one = detect(&at(name), "--json -");
        assert_eq!(one.err, "", "{name}");
        std::fs::write(at(name), bytes.repeat(2)).unwrap();
        let two = detect(&at(name), "--json -");
        assert!(two.err.contains(more), "{name}: {}", two.err);
        assert_eq!(two.text(), one.text(), "{name}");
    }
}

#[test]
fn lines_that_a_text_ply_does_not_promise_are_said() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.ply");
    let said = |body: &str, elements: &str| {
        let text = format!(
            "ply\nformat ascii 1.0\nelement vertex 2\nproperty float x\nproperty float y\n\
             property float z\n{elements}end_header\n{body}"
        );
        std::fs::write(&path, text).unwrap();
        planes([OsStr::new("info"), path.as_ref()]).err
    };
    let faces = "element face 1\nproperty list uchar int vertex_indices\n";
    assert!(said("1 2 3\n4 5 6\n7 8 9\n", "").contains("6 bytes behind the points"));
    assert!(said("1 2 3\n4 5 6\n3 0 1 0\n7 8 9", faces).contains("5 bytes behind the points"));
    assert_eq!(said("1 2 3\n\n4 5 6\n \n\n", ""), "");
    assert_eq!(said("1 2 3\n4 5 6\n3 0 1 0\n", faces), "");
}

#[test]
fn a_scanner_far_from_all_points_is_warned_about() {
    let folder = tempfile::tempdir().unwrap();
    let far = |shift: f64, options: &str| {
        let path = folder.path().join("a.npy");
        let points: Vec<[f64; 3]> = corner().iter().map(|&[x, y, z]| [x + shift, y, z]).collect();
        std::fs::write(&path, array(&points)).unwrap();
        detect(&path, &format!("--json - {options}")).err
    };
    let said = "--orient scanner means 0,0,0, since the file gives no position, and that is far from all points";
    assert!(far(1e5, "--orient scanner").contains(said));
    assert_eq!(far(1.0, "--orient scanner"), "");
    assert_eq!(far(1e5, "--orient scanner:1,2,3"), "");
    assert_eq!(far(1e5, ""), "");
}
