//! `planes batch`: which files, what comes out, what is done again.

use super::*;
use std::collections::BTreeMap;
use std::fs;
use std::time::SystemTime;

/// A temporary folder with clouds in it and room for results.
pub struct Place {
    folder: tempfile::TempDir,
}

impl Place {
    pub fn new() -> Place {
        Place { folder: tempfile::tempdir().unwrap() }
    }

    pub fn at(&self, path: &str) -> PathBuf {
        self.folder.path().join(path)
    }

    pub fn text(&self, path: &str) -> String {
        self.at(path).to_str().unwrap().to_owned()
    }

    /// A small cloud in the format that its name asks for; other seeds give other clouds.
    pub fn cloud(&self, path: &str, seed: u32) {
        let out = self.at(path);
        fs::create_dir_all(out.parent().unwrap()).unwrap();
        let seed = seed.to_string();
        let out = out.to_str().unwrap();
        planes(["synth", "room", "--points", "900", "--seed", &seed, "-o", out]).text();
        fs::remove_file(Path::new(out).with_extension("truth.json")).unwrap();
        // Text comes with one more.
        let _ = fs::remove_file(Path::new(out).with_extension("labels"));
    }

    /// Runs `planes batch` into `out`: files of this place, then options. Pictures take longest,
    /// so they are made only where that is asked for.
    pub fn batch(&self, args: &str) -> Done {
        let words: Vec<&str> = args.split_whitespace().collect();
        let files = words.iter().take_while(|word| !word.starts_with('-')).count();
        let mut args = vec!["batch".to_owned()];
        args.extend(words[..files].iter().map(|file| self.text(file)));
        args.extend(words[files..].iter().map(|&word| word.to_owned()));
        args.extend(["--out".to_owned(), self.text("out")]);
        if !args.iter().any(|arg| arg == "--only") {
            args.extend(["--only".to_owned(), "json,labels,ply".to_owned()]);
        }
        // With a GPU, it would say that small files are not searched there.
        if !args.iter().any(|arg| arg == "--device") {
            args.extend(["--device", "cpu"].map(String::from));
        }
        planes(args)
    }

    pub fn summary(&self) -> Value {
        json(fs::read(self.at("out/summary.json")).unwrap())
    }

    /// Status of each file, by its path relative to this place.
    fn statuses(&self) -> Vec<(String, String)> {
        let summary = self.summary();
        let root = format!("{}/", self.folder.path().display());
        let row = |row: &Value| {
            let file = row["file"].as_str().unwrap();
            let status = row["status"].as_str().unwrap();
            (file.strip_prefix(&root).unwrap_or(file).to_owned(), status.to_owned())
        };
        summary["files"].as_array().unwrap().iter().map(row).collect()
    }

    /// Names of the files below `out`, without what the program keeps for itself.
    pub fn results(&self) -> Vec<String> {
        let own = |name: &&String| !name.starts_with(".planes/");
        tree(&self.at("out")).keys().filter(own).cloned().collect()
    }
}

/// All files below a folder and their bytes, without what two runs do not share: how long they took.
pub fn tree(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut files = BTreeMap::new();
    for name in names(folder) {
        let path = folder.join(&name);
        if path.is_dir() {
            files.extend(tree(&path).into_iter().map(|(n, bytes)| (format!("{name}/{n}"), bytes)));
        } else if path.exists() {
            let bytes = timeless(&name, fs::read(path).unwrap());
            files.insert(name, bytes);
        }
    }
    files
}

/// A summary or a record without the seconds, which stand last in a line, or in one of their own.
fn timeless(name: &str, bytes: Vec<u8>) -> Vec<u8> {
    let Some(text) = std::str::from_utf8(&bytes).ok().filter(|text| text.contains("seconds"))
    else {
        return bytes;
    };
    let line = |line: &str| match name {
        "summary.csv" => line.rsplit_once(',').unwrap().0.to_owned() + "\n",
        _ if line.trim_start().starts_with("\"seconds\": ") => String::new(),
        _ => line.to_owned() + "\n",
    };
    text.lines().map(line).collect::<String>().into_bytes()
}

/// Changes a byte of a file but not its size.
fn alter(path: &Path) {
    let mut bytes = fs::read(path).unwrap();
    *bytes.last_mut().unwrap() ^= 1;
    fs::write(path, bytes).unwrap();
}

#[test]
fn each_file_gets_what_detect_gives() {
    let place = Place::new();
    for name in CLOUDS {
        fs::create_dir_all(place.at("in")).unwrap();
        fs::copy(shipped(name), place.at("in").join(name)).unwrap();
        detect(&shipped(name), &format!("--out {}", place.text("detect"))).text();
    }
    let done = place.batch("in --only json,labels,overlay,ply,csv");
    assert_eq!(done.err.lines().count(), 1, "{}", done.err);
    assert!(done.err.starts_with("planes: 4 files: 4 done; see "), "{}", done.err);
    assert_eq!(done.text(), "");
    let mut expected = tree(&place.at("detect"));
    let results = tree(&place.at("out"));
    for name in place.results() {
        if !name.starts_with("summary.") {
            assert!(expected.remove(&name) == Some(results[&name].clone()), "{name}");
        }
    }
    assert!(expected.is_empty(), "{:?}", expected.keys());

    let summary = place.summary();
    assert_eq!([&summary["done"], &summary["failed"]], [4, 0]);
    let csv = String::from_utf8(results["summary.csv"].clone()).unwrap();
    assert_eq!(csv.lines().count(), 5);
    for (row, line) in summary["files"].as_array().unwrap().iter().zip(csv.lines().skip(1)) {
        let name = row["name"].as_str().unwrap();
        let document = json(&results[&format!("{name}.json")]);
        assert_eq!(row["points"], document["input"]["points"]);
        assert_eq!(row["planes"], found(&document).len());
        let inliers: u64 = found(&document).iter().map(|p| p["inliers"].as_u64().unwrap()).sum();
        let share = inliers as f64 / row["points"].as_f64().unwrap();
        assert_eq!(row["labelled"], (share * 1e4).round() / 1e4);
        let cells = [&row["points"], &row["planes"], &row["labelled"]].map(Value::to_string);
        assert!(line.contains(&format!(",{name},done,{},", cells.join(","))), "{line}");
    }
}

#[test]
fn folders_are_searched_and_patterns_expanded() {
    let place = Place::new();
    for (i, path) in
        ["in/b.las", "in/a.txt", "in/deep/er/c.laz", "in/deep/d.ply"].iter().enumerate()
    {
        place.cloud(path, i as u32);
    }
    for beside in ["in/README.txt", "in/notes", "in/.hidden.las", "in/e.labels.las", "in/x.csv"] {
        fs::write(place.at(beside), "Not a cloud.\n").unwrap();
    }
    place.batch("in").text();
    let files = ["in/a.txt", "in/b.las", "in/deep/d.ply", "in/deep/er/c.laz"];
    let expected: Vec<_> = files.iter().map(|f| (f.to_string(), "done".to_string())).collect();
    assert_eq!(place.statuses(), expected);
    let results = place.results();
    for name in ["a.json", "a.labels.ply", "b.planes.ply", "deep/d.json", "deep/er/c.labels.laz"] {
        assert!(results.iter().any(|r| r == name), "{name} in {results:?}");
    }

    // A link that leads nowhere is missed; one in circles does not trap.
    #[cfg(unix)]
    for (to, link) in [("gone.las", "in/link.las"), ("..", "in/deep/up")] {
        std::os::unix::fs::symlink(to, place.at(link)).unwrap();
        assert_eq!(place.batch("in").code, Some(1), "{link}");
        let failed = ("in/link.las".to_owned(), "failed".to_owned());
        assert_eq!(place.statuses().len(), 5, "{link}");
        assert!(place.statuses().contains(&failed));
    }

    let flat = Place::new();
    fs::rename(place.at("in"), flat.at("in")).unwrap();
    fs::remove_file(flat.at("in/README.txt")).unwrap();
    flat.batch("in/**/?.la[sz] in/*.txt in/a.txt").text();
    assert_eq!(flat.statuses().len(), 3);
    let name = |name: &str| flat.results().iter().any(|r| r == name);
    assert!(name("a.json") && name("b.json") && name("c.json") && !name("d.json"));
}

#[test]
fn files_of_one_name_keep_their_results_apart() {
    let place = Place::new();
    for (i, path) in
        ["a/s.las", "b/s.las", "c/t.las", "c/t.ply", "c/summary.las"].iter().enumerate()
    {
        place.cloud(path, i as u32);
    }
    place.batch("a/s.las b/s.las c/t.las c/t.ply c/summary.las a/../a/s.las").text();
    let rows = place.summary();
    let rows = rows["files"].as_array().unwrap();
    let names: Vec<&str> = rows.iter().map(|row| row["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["a/s", "b/s", "summary.las", "t.las", "t.ply"]);
    for row in rows {
        let [name, file] = ["name", "file"].map(|m| row[m].as_str().unwrap());
        let expected = detect(Path::new(file), "--json -").text();
        let written = fs::read(place.at(&format!("out/{name}.json"))).unwrap();
        assert!(written == expected.as_bytes(), "{name}");
    }
    fs::remove_dir_all(place.at("out")).unwrap();
    place.batch("c a b").text();
    assert!(place.results().iter().any(|name| name == "a/s.json"), "{:?}", place.results());
}

/// Whether a run does `in/a.las` again: a result that was altered without a trace is then whole
/// again.
fn done_again(place: &Place, args: &str) -> bool {
    let result = place.at("out/a.json");
    alter(&result);
    let altered = fs::read(&result).unwrap();
    place.batch(args).text();
    fs::read(&result).unwrap() != altered
}

#[test]
fn what_is_finished_is_not_done_again() {
    let place = Place::new();
    place.cloud("in/a.las", 1);
    place.cloud("in/b.ply", 2);
    place.batch("in").text();
    let first = tree(&place.at("out"));
    let again = place.batch("in");
    assert!(again.err.contains("2 finished before"), "{}", again.err);
    assert!(tree(&place.at("out")) == first);
    assert!(!done_again(&place, "in"));
    // Neither how the work is shared out nor the time of a file matters.
    assert!(!done_again(&place, "in --threads 1 --chunk 100 --device cpu"));
    let touched = File::options().write(true).open(place.at("in/a.las")).unwrap();
    touched.set_modified(SystemTime::now() + Duration::from_secs(3600)).unwrap();
    assert!(!done_again(&place, "in"));
    assert!(!done_again(&place, "in"));
    // One file that is missing is made again, and with it the others of its cloud.
    fs::remove_file(place.at("out/a.planes.ply")).unwrap();
    assert!(done_again(&place, "in"));
    assert!(tree(&place.at("out")) == first);
    fs::write(place.at("out/a.planes.ply"), "cut").unwrap();
    assert!(done_again(&place, "in"));
    fs::remove_dir_all(place.at("out/.planes")).unwrap();
    assert!(done_again(&place, "in"));
    assert!(tree(&place.at("out")) == first);
}

#[test]
fn what_changed_is_done_again() {
    let place = Place::new();
    place.cloud("in/a.las", 1);
    place.cloud("in/b.ply", 2);
    place.batch("in").text();
    // The same size, another point.
    alter(&place.at("in/a.las"));
    assert!(done_again(&place, "in"));
    let first = tree(&place.at("out"));
    for options in ["--top 2", "--tolerance 0.02", "--min-inliers 30"] {
        assert!(done_again(&place, &format!("in {options}")), "{options}");
        assert!(tree(&place.at("out")) != first, "{options}");
    }
    assert!(done_again(&place, "in"));
    // What is found does not depend on these.
    assert!(!done_again(&place, "in --only json,ply"));
    assert!(!done_again(&place, "in --edges sobel"));
    assert!(done_again(&place, "in --label-by piece"));
    assert!(tree(&place.at("out")) != first);
    assert!(done_again(&place, "in"));
    assert!(tree(&place.at("out")) == first, "{:?}", place.results());
    // What belongs to a file that is gone stays.
    fs::remove_file(place.at("in/b.ply")).unwrap();
    place.batch("in").text();
    assert_eq!(place.statuses(), [("in/a.las".to_owned(), "done".to_owned())]);
    assert!(place.results().contains(&"b.json".to_owned()));
}

#[test]
fn a_bad_file_is_passed_over_and_tried_again() {
    let place = Place::new();
    place.cloud("in/a.las", 1);
    place.cloud("in/b.las", 2);
    place.cloud("in/c.las", 3);
    place.batch("in").text();
    let whole = tree(&place.at("out"));
    fs::remove_dir_all(place.at("out")).unwrap();

    let good = fs::read(place.at("in/b.las")).unwrap();
    fs::write(place.at("in/b.las"), &good[..good.len() / 2]).unwrap();
    let missing = place.text("in/d.las");
    let done = place.batch("in in/d.las");
    assert_eq!(done.code, Some(1), "{}", done.err);
    let lines: Vec<&str> = done.err.lines().collect();
    assert_eq!(lines.len(), 3, "{}", done.err);
    assert!(lines[0].starts_with(&format!("planes: {missing}: ")), "{}", done.err);
    assert!(lines[1].starts_with(&format!("planes: {}: ", place.text("in/b.las"))), "{}", done.err);
    assert!(lines[2].contains("4 files: 2 done, 2 failed; see "), "{}", done.err);
    let statuses: Vec<String> = place.statuses().into_iter().map(|(_, status)| status).collect();
    assert_eq!(statuses, ["done", "failed", "done", "failed"]);
    for row in place.summary()["files"].as_array().unwrap() {
        assert_eq!(row["error"].is_string(), row["status"] == "failed");
        assert_eq!(row["points"].is_u64(), row["status"] == "done");
    }
    assert!(place.results().iter().all(|name| !name.starts_with("b.")), "{:?}", place.results());
    assert!(place.batch("in in/d.las -q").err.lines().count() == 3);

    fs::write(place.at("in/b.las"), &good).unwrap();
    let done = place.batch("in -q");
    assert_eq!((done.code, &*done.err), (Some(0), ""));
    assert!(tree(&place.at("out")) == whole);

    // Results of a better time stay, and the message says so.
    fs::write(place.at("in/b.las"), "LASF").unwrap();
    let done = place.batch("in");
    assert_eq!(done.code, Some(1));
    assert!(done.err.contains("its results of an earlier run stay"), "{}", done.err);
    assert!(place.results().iter().any(|name| name == "b.json"), "{:?}", place.results());
}

#[test]
fn nothing_that_could_be_done_is_an_error() {
    let place = Place::new();
    fs::create_dir_all(place.at("in/empty")).unwrap();
    for (args, what) in [
        ("in", "no cloud and no image in this folder"),
        ("in/*.las", "no file matches"),
        ("in/a.las", "a.las"),
        ("in/[", "not a pattern"),
        ("in/empty in/*.las", "and 1 more failed"),
        ("-", "standard input"),
        ("in --only json --labels npy", "--labels"),
        ("in --only json --label-by piece", "--label-by"),
        ("in --top 0", "--top"),
    ] {
        let message = place.batch(args).refusal();
        assert!(message.contains(what), "{args}: {message}");
        assert!(!place.at("out").exists(), "{args}");
    }
    assert!(planes(["batch", "--out", "out"]).refusal().contains("FILE"));
    assert!(planes(["batch", "in"]).refusal().contains("--out"));

    fs::write(place.at("in/a.las"), "LASF").unwrap();
    let done = place.batch("in");
    assert_eq!(done.code, Some(2), "{}", done.err);
    assert_eq!(done.err.lines().count(), 2, "{}", done.err);
    assert!(done.err.contains("1 file: 1 failed"), "{}", done.err);
    assert_eq!(place.results(), ["summary.csv", "summary.json"]);

    fs::write(place.at("file"), "").unwrap();
    let args = ["batch", &place.text("in"), "--out", &place.text("file")];
    assert!(planes(args).refusal().contains("file"));
}

#[test]
fn results_are_no_inputs() {
    let place = Place::new();
    for (i, path) in ["out/a.las", "out/b.txt", "out/deep/c.ply"].iter().enumerate() {
        place.cloud(path, i as u32);
    }
    place.batch("out").text();
    let first = tree(&place.at("out"));
    for (args, files) in [
        ("out", 3),
        ("out/?.*", 2),
        (
            "out/a.las out/a.json out/a.labels.las out/b.txt out/summary.csv out/deep/c.planes.ply",
            2,
        ),
    ] {
        let done = place.batch(args);
        let expected = format!("{files} files: {files} finished before");
        assert!(done.err.contains(&expected), "{args}: {}", done.err);
    }
    place.batch("out").text();
    assert!(tree(&place.at("out")) == first);

    // A cloud whose name is that of a result is not replaced by it.
    place.cloud("in/deep/f.las", 7);
    place.cloud("out/deep/f.las", 8);
    fs::rename(place.at("out/deep/f.las"), place.at("out/deep/f.json")).unwrap();
    let cloud = fs::read(place.at("out/deep/f.json")).unwrap();
    let done = place.batch("in out/deep/f.json");
    assert_eq!(done.code, Some(1), "{}", done.err);
    assert!(done.err.contains("that is an input of this batch"), "{}", done.err);
    assert!(fs::read(place.at("out/deep/f.json")).unwrap() == cloud);
}

#[test]
fn results_of_other_runs_are_not_listed() {
    let place = Place::new();
    place.cloud("in/a.las", 1);
    let [file, folder, drawing] = ["in/a.las", "in", "in/l.png"].map(|name| place.text(name));
    planes(["synth", "lines", "-o", &drawing]).text();
    fs::remove_file(place.at("in/l.truth.json")).unwrap();
    planes(["detect", &file, &drawing, "--out", &folder]).text();
    planes(["batch", &folder, "--only", "json,csv", "--out", &place.text("in/other")]).text();
    fs::write(place.at("in/b.json"), "{}").unwrap();
    place.batch("in").text();
    let statuses: Vec<_> = place.statuses().into_iter().map(|(file, _)| file).collect();
    assert_eq!(statuses, ["in/a.las", "in/l.png"]);
    let summary = place.summary();
    let skipped = summary["skipped"].as_array().unwrap();
    assert_eq!(skipped.len(), 1, "{skipped:?}");
    assert_eq!(skipped[0]["file"], place.text("in/b.json"));
}

#[test]
fn options_that_no_input_has_a_use_for_are_said() {
    let place = Place::new();
    place.cloud("in/a.las", 1);
    for (options, said) in [
        ("--edges sobel", Some("--edges is for images, and there are none")),
        ("--only json,space", Some("--only space is for images, and there are none")),
        ("--tolerance 0.02", None),
        ("--only json,ply", None),
    ] {
        let done = place.batch(&format!("in {options}"));
        assert_eq!(done.code, Some(0), "{}", done.err);
        assert_eq!(done.err.lines().count(), 1 + usize::from(said.is_some()), "{}", done.err);
        assert!(said.is_none_or(|said| done.err.contains(said)), "{}", done.err);
    }
    let message = place.batch("in --only svg,space").refusal();
    assert_eq!(message, "--only svg is for images, and there are none");
    let drawing = place.text("drawing/l.png");
    fs::create_dir(place.at("drawing")).unwrap();
    planes(["synth", "lines", "-o", &drawing]).text();
    for (options, said) in [
        ("--angle 9", "--angle is for clouds, and there are none"),
        ("--class 2", "--class is for clouds, and there are none"),
        ("--only json,labels --labels npy", "--only labels is for clouds, and there are none"),
    ] {
        let done = place.batch(&format!("drawing/l.png {options}"));
        assert!(done.code == Some(0) && done.err.contains(said), "{options}: {}", done.err);
    }
    let done = place.batch("in drawing/l.png --edges none --angle 9 --only json,space,labels");
    assert_eq!(done.err.lines().count(), 1, "{}", done.err);
}

#[test]
fn the_results_of_another_file_are_not_replaced() {
    let place = Place::new();
    place.cloud("a/s.las", 1);
    place.cloud("b/s.las", 2);
    place.batch("a/s.las").text();
    let first = tree(&place.at("out"));
    let done = place.batch("b/s.las");
    assert_eq!(done.code, Some(2), "{}", done.err);
    assert!(done.err.contains("use another --out"), "{}", done.err);
    let now = tree(&place.at("out"));
    assert!(first.iter().all(|(name, bytes)| name.starts_with("summary") || &now[name] == bytes));
    // One that was moved keeps its results, and one that is gone gives up its name.
    fs::rename(place.at("a"), place.at("moved")).unwrap();
    assert!(place.batch("moved/s.las").err.contains("1 finished before"));
    fs::remove_dir_all(place.at("moved")).unwrap();
    assert!(place.batch("b/s.las").err.contains("1 done"));
}

#[test]
fn one_batch_at_a_time() {
    let place = Place::new();
    place.cloud("in/a.las", 1);
    place.batch("in").text();
    let first = tree(&place.at("out"));
    let lock = File::open(place.at("out/.planes/lock")).unwrap();
    lock.try_lock().unwrap();
    let message = place.batch("in --top 1").refusal();
    assert!(message.contains("another batch is at work there"), "{message}");
    drop(lock);
    assert!(tree(&place.at("out")) == first);
    place.batch("in").text();
}

#[test]
fn what_a_killed_run_left_is_cleared_away() {
    let place = Place::new();
    place.cloud("in/a.las", 1);
    place.cloud("in/deep/b.las", 2);
    place.batch("in").text();
    let first = tree(&place.at("out"));
    let leftover = ".planes-Xy12Zw.tmp";
    for folder in ["", ".planes/", ".planes/done/", ".planes/done/deep/", "deep/"] {
        fs::write(place.at(&format!("out/{folder}{leftover}")), "half").unwrap();
    }
    // Somebody is still writing this one.
    let busy = File::create(place.at("out/.planes-busy00.tmp")).unwrap();
    busy.lock().unwrap();
    place.batch("in").text();
    assert!(fs::remove_file(place.at("out/.planes-busy00.tmp")).is_ok());
    assert!(tree(&place.at("out")) == first);
}

#[cfg(unix)]
#[test]
fn pipes_sockets_and_devices_are_listed_and_not_opened() {
    let place = Place::new();
    place.cloud("in/a.las", 1);
    assert!(Command::new("mkfifo").arg(place.at("in/b.las")).status().unwrap().success());
    let _socket = std::os::unix::net::UnixListener::bind(place.at("in/c")).unwrap();
    std::os::unix::fs::symlink("/dev/zero", place.at("in/d.ply")).unwrap();
    let done = place.batch("in");
    assert_eq!(done.code, Some(0), "{}", done.err);
    let summary = place.summary();
    let rows: Vec<(&str, &str)> = summary["skipped"]
        .as_array()
        .unwrap()
        .iter()
        .map(|row| {
            let file = row["file"].as_str().unwrap();
            (file.rsplit_once('/').unwrap().1, row["error"].as_str().unwrap())
        })
        .collect();
    assert_eq!(rows, [("b.las", "a pipe"), ("c", "a socket"), ("d.ply", "a device")]);
}

#[cfg(unix)]
#[test]
fn names_are_written_so_that_no_terminal_obeys_them() {
    use std::os::unix::ffi::OsStrExt;
    let place = Place::new();
    place.cloud("in/a.las", 1);
    for name in [&b"b\n\x1b[31m.las"[..], b"c\\xFF.las", b"c\xff.las"] {
        fs::copy(place.at("in/a.las"), place.at("in").join(OsStr::from_bytes(name))).unwrap();
    }
    fs::write(place.at("in").join("bad\x07\n.las"), "LASF").unwrap();
    let done = place.batch("in");
    assert_eq!((done.code, done.err.lines().count()), (Some(1), 2), "{}", done.err);
    assert!(done.err.contains("/bad\\x07\\n.las: "), "{}", done.err);
    let rows = place.statuses();
    let names: Vec<&str> = rows.iter().map(|(name, _)| &**name).collect();
    let expected = ["a.las", "b\\n\\x1B[31m.las", "bad\\x07\\n.las", "c\\\\xFF.las", "c\\xFF.las"];
    assert_eq!(names, expected.map(|name| format!("in/{name}")));
    // They are known again.
    assert!(place.batch("in").err.contains("4 finished before"));
    let odd = place.at("in").join(OsStr::from_bytes(b"b\n\x1b[31m.las"));
    for command in ["detect", "info"] {
        let text = planes([OsStr::new(command), odd.as_ref()]).text();
        assert!(text.lines().next().unwrap().contains("b\\n\\x1B[31m.las"), "{text}");
    }
}

#[test]
fn a_folder_in_the_place_of_a_result_is_found_before_the_search() {
    let place = Place::new();
    place.cloud("in/a.las", 1);
    fs::create_dir_all(place.at("out/a.planes.ply")).unwrap();
    let done = place.batch("in");
    assert_eq!((done.code, &done.device), (Some(2), &None), "{}", done.err);
    assert!(done.err.contains("a.planes.ply: Is a directory"), "{}", done.err);
    assert!(!place.at("out/a.json").exists());
}

#[test]
fn results_of_another_batch_are_no_inputs() {
    let place = Place::new();
    place.cloud("in/a.las", 1);
    let (folder, pictures) = (place.text("in"), place.text("in/pictures"));
    // A picture alone does not tell that it is a result.
    planes(["batch", &folder, "--only", "overlay", "--out", &pictures]).text();
    assert!(place.at("in/pictures/a.png").exists());
    assert_eq!(place.batch("in").code, Some(0));
    assert_eq!(place.statuses(), [("in/a.las".into(), "done".into())]);
    let message = place.batch("in/pictures").refusal();
    assert!(message.contains("no cloud and no image in this folder"), "{message}");
    // Other pictures are images, there as well.
    planes(["synth", "lines", "-o", &place.text("in/pictures/b.png")]).text();
    assert!(place.batch("in/pictures --only json").err.contains("1 file: 1 done"));
}

#[test]
fn results_belong_to_a_file_and_not_to_its_name() {
    let place = Place::new();
    place.cloud("one/tiles/a.las", 1);
    place.cloud("two/tiles/a.las", 2);
    let run = |folder: &str| {
        let done = Command::new(env!("CARGO_BIN_EXE_planes"))
            .args(["batch", "tiles", "--only", "json", "--device", "cpu", "--out"])
            .arg(place.at("out"))
            .current_dir(place.at(folder))
            .output()
            .unwrap();
        (done.status.code(), String::from_utf8(done.stderr).unwrap())
    };
    assert_eq!(run("one").0, Some(0));
    let first = fs::read(place.at("out/a.json")).unwrap();
    // Another file that is called the same from where it is.
    let (code, said) = run("two");
    assert_eq!(code, Some(2), "{said}");
    assert!(said.contains("is the result of tiles/a.las; use another --out"), "{said}");
    assert!(!said.contains("results of an earlier run stay"), "{said}");
    assert!(fs::read(place.at("out/a.json")).unwrap() == first);
    // One file by another name.
    assert!(place.batch("one/tiles/a.las --only json").err.contains("1 finished before"));
    // What is damaged later keeps its results, and that is said.
    fs::write(place.at("one/tiles/a.las"), "LASF").unwrap();
    let (code, said) = run("one");
    assert!(code == Some(2) && said.contains("its results of an earlier run stay"), "{said}");
}

#[test]
fn columns_are_noted_of_text_alone() {
    let place = Place::new();
    place.cloud("in/a.las", 1);
    place.cloud("in/b.csv", 2);
    place.batch("in").text();
    let done = place.batch("in --columns x,y,z");
    assert!(done.err.contains("1 done, 1 finished before"), "{}", done.err);
    let summary = place.summary();
    assert_eq!(summary["files"][0]["options"], "");
    assert_eq!(summary["files"][1]["options"], "columns=x,y,z");
}

#[test]
fn warnings_of_a_file_that_fails_are_kept() {
    let place = Place::new();
    place.cloud("in/a.las", 1);
    let text = "Foo;Bar;Baz\n1;2;3\n4;5;6\n7;8;x\n";
    fs::write(place.at("in/b.csv"), text).unwrap();
    assert_eq!(place.batch("in").code, Some(1));
    let row = &place.summary()["files"][1];
    assert_eq!(row["status"], "failed");
    let warning = row["warnings"][0].as_str().unwrap();
    assert!(warning.starts_with("line 1, 'Foo;Bar;Baz', is not understood"), "{row}");
}

#[test]
fn images_beside_their_results_are_inputs_again() {
    let place = Place::new();
    for seed in [1, 2] {
        let out = place.text(&format!("out/{seed}.png"));
        fs::create_dir_all(place.at("out")).unwrap();
        planes(["synth", "lines", "--seed", &seed.to_string(), "-o", &out]).text();
    }
    let run = || {
        place.batch("out --only json,overlay").text();
        let files = place.statuses().into_iter().map(|(file, _)| file);
        files.collect::<Vec<_>>()
    };
    assert_eq!(run(), ["out/1.png", "out/2.png"]);
    assert!(place.at("out/1.lines.png").exists());
    assert_eq!(run(), ["out/1.png", "out/2.png"]);
    // The picture of a cloud has the ending of an image, and is none.
    place.cloud("out/3.ply", 3);
    assert_eq!(run(), ["out/1.png", "out/2.png", "out/3.ply"]);
    assert!(place.at("out/3.png").exists());
    assert_eq!(run(), ["out/1.png", "out/2.png", "out/3.ply"]);
}

#[test]
fn files_of_others_beside_the_inputs_are_kept() {
    let place = Place::new();
    place.cloud("in/a.las", 1);
    fs::write(place.at("in/a.json"), "my notes").unwrap();
    place.cloud("in/b.las", 2);
    let notes = || fs::read_to_string(place.at("in/a.json")).unwrap();
    let run = || planes(["batch", &place.text("in"), "--out", &place.text("in"), "--only", "json"]);
    let done = run();
    assert_eq!(done.code, Some(1));
    assert!(done.err.contains("a.json: was not written by planes"), "{}", done.err);
    assert_eq!(notes(), "my notes");
    assert!(place.at("in/b.json").exists());
    fs::remove_file(place.at("in/a.json")).unwrap();
    assert_eq!(run().code, Some(0));
    // So they are in a folder of their own.
    fs::create_dir(place.at("out")).unwrap();
    for name in ["a.json", "a.png"] {
        fs::write(place.at(&format!("out/{name}")), "mine").unwrap();
        let done = planes(["batch", &place.text("in/a.las"), "--out", &place.text("out")]);
        assert_eq!(done.code, Some(2), "{}", done.err);
        assert!(done.err.contains(&format!("{name}: was not written by planes")), "{}", done.err);
        assert_eq!(fs::read(place.at(&format!("out/{name}"))).unwrap(), b"mine");
        fs::remove_file(place.at(&format!("out/{name}"))).unwrap();
    }
    // Even without the records, what planes wrote is told from the rest.
    fs::remove_dir_all(place.at("in/.planes")).unwrap();
    assert_eq!(run().code, Some(0));
}
