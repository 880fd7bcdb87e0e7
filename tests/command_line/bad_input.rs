//! Files that are not what they should be: one line on stderr and exit code 2, or a right answer,
//! and never half a result.

use super::*;

const KINDS: [&str; 5] = ["las", "laz", "ply", "pcd", "txt"];

/// A folder with one file, and one for results.
struct Case {
    folder: tempfile::TempDir,
    file: PathBuf,
}

impl Case {
    fn new(name: &str, bytes: &[u8]) -> Case {
        let case = Case::empty(name);
        std::fs::write(&case.file, bytes).unwrap();
        case
    }

    fn of(name: &str, points: &[[f64; 3]]) -> Case {
        let case = Case::empty(name);
        write(&case.file, points);
        case
    }

    fn empty(name: &str) -> Case {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("results")).unwrap();
        let file = folder.path().join(name);
        Case { folder, file }
    }

    fn results(&self) -> PathBuf {
        self.folder.path().join("results")
    }

    /// Runs the program with every output there is but the picture, which takes its time.
    fn run(&self) -> Done {
        let at = self.results();
        let at = at.display();
        let options = format!("--json {at}/a.json --ply {at}/a.ply --labels {at}/a.las");
        detect(&self.file, &options)
    }

    /// Runs the program with every output there is.
    fn run_all(&self) -> Done {
        let at = self.results();
        let at = at.display();
        let options = format!(
            "--out {at}/out --json {at}/a.json --ply {at}/a.ply --labels {at}/a.las --overlay {at}/a.png"
        );
        detect(&self.file, &options)
    }

    /// The message of a run that left nothing behind, without the file's name.
    fn refusal(&self) -> String {
        let message = self.run_all().refusal();
        assert_eq!(names(&self.results()), [""; 0], "{message}");
        let info = planes([OsStr::new("info"), self.file.as_ref()]);
        assert_ne!(info.code, None, "{}", info.err);
        assert!(!info.err.contains("panicked"), "{}", info.err);
        let name = format!("{}: ", self.file.display());
        message.strip_prefix(&name).unwrap_or_else(|| panic!("{message}")).to_string()
    }

    /// The document of a run that went well.
    fn document(&self) -> Value {
        let done = self.run();
        assert_eq!(done.code, Some(0), "{}", done.err);
        json(std::fs::read(self.results().join("a.json")).unwrap())
    }

    /// Either a refusal or an answer with a label for every point that LAS can hold.
    fn answer(&self) {
        let done = self.run();
        match done.code {
            Some(2) => {
                let message = done.refusal();
                assert!(message.contains(self.file.to_str().unwrap()), "{message}");
                assert_eq!(names(&self.results()), [""; 0], "{message}");
            }
            _ => {
                let document = json(std::fs::read(self.results().join("a.json")).unwrap());
                let labels = read(&self.results().join("a.las")).label;
                let points = labels.len() + left_out_of_las(&done.err);
                assert_eq!(document["input"]["points"], points, "{}", done.err);
            }
        }
    }
}

/// The number of points that LAS cannot hold, as it was said.
fn left_out_of_las(said: &str) -> usize {
    let number = |line: &str| {
        let (before, _) = line.split_once(" that LAS cannot hold")?;
        before.rsplit(' ').nth(1)?.parse().ok()
    };
    said.lines().find_map(number).unwrap_or(0)
}

/// A flat square of 30 × 30 points.
fn square() -> Vec<[f64; 3]> {
    (0..900).map(|i| [f64::from(i % 30) * 0.1, f64::from(i / 30) * 0.1, 1.0]).collect()
}

/// The square as a file of a kind.
fn bytes_of(kind: &str) -> Vec<u8> {
    let case = Case::of(&format!("whole.{kind}"), &square());
    std::fs::read(&case.file).unwrap()
}

#[test]
fn the_square_is_one_plane() {
    for kind in KINDS {
        let document = Case::new(&format!("a.{kind}"), &bytes_of(kind)).document();
        assert_eq!(found(&document).len(), 1, "{kind}");
        assert_eq!(found(&document)[0]["inliers"], 900, "{kind}");
    }
}

#[test]
fn missing_files_and_folders() {
    let case = Case::empty("none.las");
    assert!(case.refusal().contains("No such file"));
    std::fs::create_dir(&case.file).unwrap();
    assert!(case.refusal().contains("director"));
}

#[test]
fn empty() {
    for kind in KINDS {
        let message = Case::new(&format!("a.{kind}"), b"").refusal();
        assert_eq!(message, "not a cloud that planes can read: the file is empty");
        let message = Case::of(&format!("a.{kind}"), &[]).refusal();
        assert!(message.ends_with("empty") || message.ends_with("no points"), "{kind}: {message}");
    }
    let message = Case::new("a.csv", b"x,y,z\n").refusal();
    assert!(message.ends_with("without a line of three or more numbers"), "{message}");
}

#[test]
fn truncated() {
    for kind in ["las", "laz", "ply", "pcd"] {
        let whole = bytes_of(kind);
        for part in 1..16 {
            let bytes = &whole[..whole.len() * part / 16];
            let message = Case::new(&format!("a.{kind}"), bytes).refusal();
            assert!(!message.is_empty(), "{kind}");
        }
    }
    // Text does not say where it should end: what is there is read.
    let whole = bytes_of("txt");
    let lines = whole.split_inclusive(|&b| b == b'\n').take(450);
    let half: Vec<u8> = lines.flatten().copied().collect();
    assert_eq!(Case::new("a.txt", &half).document()["input"]["points"], 450);
    let message = Case::new("a.txt", &[&half[..], b"0.5 0."].concat()).refusal();
    assert!(message.starts_with("line 451: "), "{message}");
}

#[test]
fn corrupt() {
    for kind in KINDS {
        let whole = bytes_of(kind);
        for k in 0..24 {
            let mut bytes = whole.clone();
            // Half of the damage to the header, half anywhere.
            let span = if k % 2 == 0 { whole.len().min(400) } else { whole.len() };
            let at = (k * 7919 + 13) % span;
            let end = (at + 4).min(bytes.len());
            bytes[at..end].iter_mut().for_each(|b| *b ^= 0x5a ^ k as u8);
            Case::new(&format!("a.{kind}"), &bytes).answer();
        }
    }
}

#[test]
fn three_points() {
    for kind in KINDS {
        let three = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
        let document = Case::of(&format!("a.{kind}"), &three).document();
        assert_eq!(document["input"]["points"], 3);
        assert_eq!(found(&document).len(), 0, "{kind}: too few for a plane");
    }
}

#[test]
fn all_the_same_point() {
    for kind in KINDS {
        let same = [[500_000.0, 4_600_000.0, 300.0]; 1000];
        let document = Case::of(&format!("a.{kind}"), &same).document();
        assert_eq!(document["input"]["points"], 1000);
        assert_eq!(found(&document).len(), 0, "{kind}: a point has no direction");
    }
}

#[test]
fn all_on_a_line() {
    for kind in KINDS {
        let line: Vec<_> = (0..1000).map(|i| [f64::from(i), 2.0 * f64::from(i), 5.0]).collect();
        let document = Case::of(&format!("a.{kind}"), &line).document();
        assert_eq!(found(&document).len(), 0, "{kind}: a line has no direction");
    }
}

#[test]
fn points_that_are_not_finite_are_left_out() {
    let mut points = square();
    points[10][0] = f64::NAN;
    points[20][1] = f64::INFINITY;
    points[30][2] = f64::NEG_INFINITY;
    for name in ["a.ply", "a.pcd", "a.txt", "a.xyz", "a.csv", "a.pts"] {
        let case = Case::of(name, &points);
        let warned = case.run();
        assert_eq!(warned.err.lines().count(), 2, "{}", warned.err);
        assert_eq!(left_out_of_las(&warned.err), 3, "{}", warned.err);
        assert!(
            warned.err.contains("3 points with coordinates that are not finite"),
            "{}",
            warned.err
        );
        let document = case.document();
        assert_eq!(document["input"]["points"], 900, "{name}");
        assert_eq!(document["input"]["not_finite"], 3, "{name}");
        assert_eq!(found(&document)[0]["inliers"], 897, "{name}");
    }
    let none = [[f64::NAN; 3]; 50];
    for name in ["a.ply", "a.txt"] {
        let message = Case::of(name, &none).refusal();
        assert_eq!(message, "none of the 50 points has finite coordinates");
    }
    // LAS holds whole numbers; only its scale and offset can be NaN.
    for kind in ["las", "laz"] {
        for at in [131, 139, 147, 155, 163, 171] {
            let mut bytes = bytes_of(kind);
            bytes[at..at + 8].copy_from_slice(&f64::NAN.to_le_bytes());
            Case::new(&format!("a.{kind}"), &bytes).refusal();
        }
    }
}

#[test]
fn points_at_1e30_are_left_out() {
    let mut points = square();
    points[10] = [1e30, 0.0, 0.0];
    points[20] = [0.0, -1e30, 1e300];
    for name in ["a.ply", "a.pcd", "a.txt", "a.xyz", "a.csv", "a.pts"] {
        let document = Case::of(name, &points).document();
        assert_eq!(document["input"]["stray"], 2, "{name}");
        assert_eq!(found(&document)[0]["inliers"], 898, "{name}");
    }
    // All of a LAS file is as far away as its offset says.
    for kind in ["las", "laz"] {
        for at in [131, 139, 147, 155, 163, 171] {
            let mut bytes = bytes_of(kind);
            bytes[at..at + 8].copy_from_slice(&1e30f64.to_le_bytes());
            Case::new(&format!("a.{kind}"), &bytes).answer();
        }
    }
}

#[test]
fn coordinates_in_coarse_floats_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let room = read(&shipped("room.ply"));
    let moved = |by: [f64; 3]| {
        let at = |i: usize| [room.x[i] + by[0], room.y[i] + by[1], room.z[i] + by[2]];
        let path = folder.path().join("floats.ply");
        let points: Vec<[f64; 3]> = (0..room.len()).map(at).collect();
        write(&path, &points.iter().map(|p| p.map(|v| f64::from(v as f32))).collect::<Vec<_>>());
        path
    };
    // Steps of 25 cm hold most of the points on planes, which are the steps.
    let far = moved([2.6e6, 1.2e6, 500.0]);
    for options in ["", "--top 3", "--min-area 1"] {
        let done = detect(&far, options);
        assert_eq!(done.code, Some(0));
        assert!(
            done.err.contains("coordinates are in steps of 0.25, as in 32-bit"),
            "{}",
            done.err
        );
    }
    // A room 2 m long has so few steps that they cannot be counted; the header says that they are floats.
    let header = format!(
        "ply\nformat binary_little_endian 1.0\nelement vertex {}\nproperty float x\nproperty float y\n\
         property float z\nend_header\n",
        room.len()
    );
    let (first, last) =
        room.y.iter().fold((f64::MAX, f64::MIN), |(a, b), y| (a.min(*y), b.max(*y)));
    let narrow = |i: usize| [room.x[i] + 4e5, 2.0 * room.y[i] / (last - first) + 5.7e6, room.z[i]];
    let points = (0..room.len()).flat_map(narrow).flat_map(|v| (v as f32).to_le_bytes());
    let path = folder.path().join("narrow.ply");
    std::fs::write(&path, header.bytes().chain(points).collect::<Vec<u8>>()).unwrap();
    let done = detect(&path, "");
    assert!(done.err.contains("coordinates are in steps of 0.5, as in 32-bit"), "{}", done.err);
    // In text, a property that is called a float has all the digits that are written.
    let exact = |i: usize| {
        let [x, y, z] = [room.x[i] + 4e5, room.y[i] + 5.7e6, room.z[i]];
        format!("{x:.4} {y:.4} {z:.4}\n")
    };
    let text: String = (0..room.len()).map(exact).collect();
    std::fs::write(&path, header.replace("binary_little_endian", "ascii") + &text).unwrap();
    let done = detect(&path, "");
    assert!(done.code == Some(0) && !done.err.contains("in steps"), "{}", done.err);
    // Of 1/128 mm.
    let done = detect(&moved([100.0, 50.0, 0.0]), "");
    assert!(done.code == Some(0) && !done.err.contains("in steps"), "{}", done.err);
}

#[test]
fn parts_in_two_coordinate_systems_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let room = &read(&shipped("room.ply"));
    let path = folder.path().join("parts.ply");
    let part = |by: [f64; 3]| {
        (0..room.len()).map(move |i| [room.x[i] + by[0], room.y[i] + by[1], room.z[i] + by[2]])
    };
    // So wide a cloud is rounded to decimetres, which are planes as thick as the room is wide.
    write(&path, &part([0.0; 3]).chain(part([5e6, 5e5, 300.0])).collect::<Vec<_>>());
    let done = detect(&path, "");
    assert_eq!(done.code, Some(0));
    assert!(done.err.contains("search the parts one by one, with --bbox"), "{}", done.err);
    write(&path, &part([0.0; 3]).chain(part([50.0, 0.0, 0.0])).collect::<Vec<_>>());
    assert!(!detect(&path, "").err.contains("--bbox"));
}

#[test]
fn many_points_at_the_origin_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("zeros.ply");
    let with = |zeros: usize| {
        let mut points = square();
        points.extend(vec![[0.0; 3]; zeros]);
        write(&path, &points);
        let done = detect(&path, "");
        assert_eq!(done.code, Some(0));
        done.err
    };
    let said = with(30);
    assert!(said.contains("30 points are exactly at 0, 0, 0, where"), "{said}");
    assert!(!with(5).contains("0, 0, 0"));
}

#[test]
fn a_header_that_promises_too_much() {
    let promised = 1u64 << 60;
    for kind in ["las", "laz"] {
        let mut bytes = bytes_of(kind);
        assert_eq!(bytes[25], 4, "LAS 1.4, whose counts have 64 bits");
        bytes[107..111].fill(0);
        bytes[247..255].copy_from_slice(&promised.to_le_bytes());
        let message = Case::new(&format!("a.{kind}"), &bytes).refusal();
        assert!(message.contains(&promised.to_string()), "{message}");
    }
    for (name, body) in [("a.ply", &b"binary_little_endian"[..]), ("b.ply", b"ascii")] {
        let head = format!(
            "ply\nformat {} 1.0\nelement vertex {promised}\nproperty float x\nproperty float y\n\
             property float z\nend_header\n",
            String::from_utf8_lossy(body)
        );
        let message = Case::new(name, &[head.as_bytes(), b"1 2 3\n4 5 6\n"].concat()).refusal();
        assert!(message.contains(&promised.to_string()), "{message}");
    }
    let message = Case::new("a.pts", format!("{promised}\n1 2 3\n4 5 6\n").as_bytes()).refusal();
    assert!(message.contains(&promised.to_string()), "{message}");
}

#[test]
fn what_is_no_cloud_is_named() {
    for (name, bytes, what) in [
        ("a.las", &b"GIF89a and more"[..], "a GIF image"),
        ("b.las", b"\x89PNG\r\n\x1a\n0000", "image"),
        ("a.laz", b"PK\x03\x04zip", "a zip archive"),
        ("a.txt", b"\x00\x01\x02\x03", "binary data"),
        ("a.xyz", b"1 2 3\nfour five six\n", "line 2"),
        ("a.csv", b"x,y\n1,2\n", "line 2"),
    ] {
        let message = Case::new(name, bytes).refusal();
        assert!(message.contains(what), "{name}: {message}");
    }
}

#[test]
fn the_clouds_before_a_bad_one_are_done() {
    let case = Case::new("bad.las", b"LASF");
    let room = shipped("room.ply");
    let done = planes([
        OsStr::new("detect"),
        room.as_ref(),
        case.file.as_ref(),
        "--json".as_ref(),
        "-".as_ref(),
    ]);
    assert_eq!(done.code, Some(1));
    assert_eq!(done.err.lines().count(), 1, "{}", done.err);
    assert!(done.err.contains("bad.las: "), "{}", done.err);
    assert_eq!(String::from_utf8(done.out).unwrap(), detect(&room, "--json -").text());
}

/// The square as E57.
fn square_as_e57() -> Vec<u8> {
    use e57::{E57Writer, Record, RecordValue};
    let mut bytes = std::io::Cursor::new(Vec::new());
    let mut writer = E57Writer::new(&mut bytes, "a square").unwrap();
    let axes = vec![Record::CARTESIAN_X_F64, Record::CARTESIAN_Y_F64, Record::CARTESIAN_Z_F64];
    let mut scan = writer.add_pointcloud("its scan", axes).unwrap();
    for point in square() {
        scan.add_point(point.map(RecordValue::Double).to_vec()).unwrap();
    }
    scan.finalize().unwrap();
    writer.finalize().unwrap();
    drop(writer);
    bytes.into_inner()
}

#[test]
fn e57_is_whole_or_refused() {
    let whole = square_as_e57();
    let document = Case::new("a.e57", &whole).document();
    let as_ply = Case::of("a.ply", &square()).document();
    assert_eq!(document["planes"], as_ply["planes"]);
    for length in [8, 47, 48, 1023, 1024, 5000, whole.len() - 1024, whole.len() - 1] {
        let message = Case::new("a.e57", &whole[..length]).refusal();
        assert!(message.starts_with("header: ") || message.starts_with("byte "), "{message}");
    }
    for at in [9, 24, 32, 40, 100, 5000, whole.len() - 3] {
        let mut bytes = whole.clone();
        bytes[at] ^= 0x40;
        Case::new("a.e57", &bytes).refusal();
    }
}

#[test]
fn labels_of_e57_are_e57() {
    let case = Case::new("a.e57", &square_as_e57());
    let out = case.results().join("out");
    let done = detect(&case.file, &format!("--out {}", out.display()));
    assert_eq!(done.code, Some(0), "{}", done.err);
    let labelled = read(&out.join("a.labels.e57"));
    assert_eq!(labelled.label, [0; 900]);
}
