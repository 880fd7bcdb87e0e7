//! What must never happen: a file lost or half written, something left behind, no end.

use super::batch::Place;
use super::*;
use std::fs;

/// Runs the program with arguments in one string, separated by blanks, in which `@` is a folder.
fn run_in(folder: &Path, args: &str) -> Done {
    let word = |word: &str| match word.strip_prefix('@') {
        Some(name) => folder.join(name).to_str().unwrap().to_owned(),
        None => word.to_owned(),
    };
    planes(args.split_whitespace().map(word))
}

#[test]
fn an_input_is_never_an_output() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    fs::create_dir(at("two")).unwrap();
    for name in ["room.ply", "two/a.ply", "two/a.labels.ply", "r.labels.ply", "s.labels.npy"] {
        fs::copy(shipped("room.ply"), at(name)).unwrap();
    }
    fs::copy(shipped("room.truth.json"), at("room.truth.json")).unwrap();
    let json = format!("--json {}", at("r.json").display());
    detect(&at("room.ply"), &format!("{json} --top 3")).text();
    run_in(folder.path(), "synth lines -o @image.png").text();
    fs::copy(at("image.png"), at("image.svg")).unwrap();
    fs::hard_link(at("room.ply"), at("hard.ply")).unwrap();
    let mut commands = vec![
        "detect @two/a.ply @two/a.labels.ply --out @two",
        "detect @room.ply --labels @room.ply",
        "detect @room.ply --ply @hard.ply",
        "detect @room.ply --labels @two/../room.ply",
        "detect @image.png --overlay @image.png",
        "detect @image.svg --out @.",
        "eval @r.json --truth @room.ply --json @room.ply",
        "eval @r.json --truth @room.ply --json @r.json",
        "eval @r.json --truth @room.ply --json @room.truth.json",
        "eval @r.json --truth @room.ply --json @r.labels.ply",
        "eval @image.truth.json --truth @image.truth.json --json @image.truth.json",
        "bench @room.ply --json @hard.ply",
        "bench @image.png --csv @image.png",
        "bench lms --photo @image.png --svg @image.png",
    ];
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink("room.ply", at("soft.ply")).unwrap();
        std::os::unix::fs::symlink("new.ply", at("dangling.ply")).unwrap();
        commands.push("detect @room.ply --ply @soft.ply");
        commands.push("detect @soft.ply --labels @hard.ply");
    }
    let before = batch::tree(folder.path());
    for command in commands {
        let message = run_in(folder.path(), command).refusal();
        assert!(message.contains("the input itself"), "{command}: {message}");
        assert!(batch::tree(folder.path()) == before, "{command}");
    }
    // Standard input is a file, too.
    let hard = at("hard.ply");
    let args = ["detect", "-", "--ply", hard.to_str().unwrap()];
    let message = planes_with(args, Some(&at("room.ply"))).refusal();
    assert!(message.contains("the input itself"), "{message}");
    // Nor is one output another.
    for (command, what) in [
        ("detect @room.ply --json @x.json --csv @x.json", "--csv"),
        (
            "detect @room.ply --ply @new.ply --labels @two/../new.ply",
            "--ply writes to the same file",
        ),
        #[cfg(unix)]
        ("detect @room.ply --ply @new.ply --labels @dangling.ply", "--ply writes to the same file"),
        ("detect @room.ply --json @two/room.json --out @two", "--json writes to the same file"),
        ("eval @r.json --truth @room.ply --json @two", "it is a folder"),
    ] {
        let message = run_in(folder.path(), command).refusal();
        assert!(message.contains(what), "{command}: {message}");
    }
    assert!(batch::tree(folder.path()) == before);
}

#[cfg(target_os = "linux")]
#[test]
fn what_standard_output_goes_to_is_added_to() {
    let folder = tempfile::tempdir().unwrap();
    let all = folder.path().join("all.json");
    fs::write(&all, "before\n").unwrap();
    let file = File::options().append(true).open(&all).unwrap();
    let mut run = Command::new(env!("CARGO_BIN_EXE_planes"));
    run.args(["-q", "detect", "--json", "/dev/stdout"]).arg(shipped("roofs.las"));
    assert!(run.stdout(file).status().unwrap().success());
    let written = fs::read_to_string(&all).unwrap();
    let document = written.strip_prefix("before\n").expect("what was there");
    assert!(found(&json(document)).len() > 10);
}

#[cfg(target_os = "linux")]
#[test]
fn standard_output_may_be_a_pipe() {
    let mut run = Command::new(env!("CARGO_BIN_EXE_planes"));
    run.args(["-q", "detect", "--json", "/dev/stdout"]).arg(shipped("roofs.las"));
    let done = run.output().unwrap();
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    assert!(found(&json(done.stdout)).len() > 10);
}

#[test]
fn what_cannot_be_written_is_said_before_the_search() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    fs::copy(shipped("room.ply"), at("room.ply")).unwrap();
    fs::write(at("plain"), "").unwrap();
    fs::create_dir_all(at("full/room.png")).unwrap();
    let before = names(folder.path());
    for (options, what) in [
        ("--out @plain", "not a folder"),
        ("--out @plain/below", "not a directory"),
        ("--out @full", "room.png"),
        ("--json @full", "it is a folder"),
        ("--json @new/", "it is a folder"),
        ("--json @new/.", "it is a folder"),
        ("--json @none/x.json", "x.json"),
        #[cfg(target_os = "linux")]
        ("--out /proc/x", "/proc/x"),
        #[cfg(target_os = "linux")]
        ("--csv /proc/x.csv", "/proc/x.csv: no file can be created in its folder"),
    ] {
        let done = run_in(folder.path(), &format!("detect @room.ply {options}"));
        assert_eq!(done.device, None, "{options}: after the search");
        let message = done.refusal();
        assert!(message.to_lowercase().contains(what), "{options}: {message}");
        assert_eq!(names(folder.path()), before, "{options}");
    }
    assert_eq!(names(&at("full")), ["room.png"]);
}

#[test]
fn a_fault_has_the_same_words_in_all_commands() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    fs::create_dir(at("in")).unwrap();
    fs::copy(shipped("room.ply"), at("in/room.ply")).unwrap();
    fs::write(at("plain"), "").unwrap();
    for (out, what) in [
        ("plain", "--out @plain: not a folder; choose another"),
        ("plain/below", "@plain/below: Not a directory"),
        #[cfg(target_os = "linux")]
        ("/proc/x", "/proc/x: No such file or directory"),
    ] {
        let out = if out.starts_with('/') { out.to_owned() } else { format!("@{out}") };
        let what = what.replace('@', &format!("{}/", folder.path().display()));
        for command in ["detect @in/room.ply", "batch @in"] {
            let message = run_in(folder.path(), &format!("{command} --out {out}")).refusal();
            assert_eq!(message, what, "{command}");
        }
    }
    for command in ["detect", "info"] {
        let message = run_in(folder.path(), &format!("{command} @none.ply")).refusal();
        assert!(message.ends_with("none.ply: No such file or directory"), "{message}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_stream_without_an_end_comes_to_one() {
    for device in ["/dev/zero", "/dev/urandom"] {
        for command in ["detect", "info"] {
            let message = planes([command, device]).refusal();
            assert!(message.contains("not a cloud"), "{message}");
        }
    }
    assert!(planes(["bench", "lms", "--photo", "/dev/zero"]).refusal().contains("no PNG"));
    for (stream, what) in
        [("yes", "without a number"), ("tr '\\0' 1 < /dev/zero", "without a line end")]
    {
        let pipe = format!("{stream} | exec \"$0\" detect -");
        let run = Command::new("sh").args(["-c", &pipe, env!("CARGO_BIN_EXE_planes")]).output();
        let run = run.unwrap();
        let said = String::from_utf8(run.stderr).unwrap();
        assert_eq!(run.status.code(), Some(2), "{said}");
        assert!(said.lines().count() == 1 && said.contains(what), "{said}");
    }
}

#[test]
fn threads_are_limited_by_the_machine() {
    let done = planes([
        "detect",
        shipped("room.ply").to_str().unwrap(),
        "--threads",
        "99999",
        "--top",
        "1",
    ]);
    assert_eq!(done.code, Some(0));
    assert!(done.err.contains("--threads 99999") && done.err.lines().count() == 1, "{}", done.err);
}

#[cfg(target_os = "linux")]
#[test]
fn short_of_memory_is_one_line_and_leaves_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out");
    let mut codes = Vec::new();
    for kilobytes in (60_000..=760_000).step_by(100_000) {
        let limited = format!("ulimit -v {kilobytes}; exec \"$0\" \"$@\"");
        let run = Command::new("sh")
            .args(["-c", &limited, env!("CARGO_BIN_EXE_planes"), "detect", "-q", "--device", "cpu"])
            // Every thread has memory of its own.
            .args(["--threads", "2"])
            .args([shipped("street.laz").as_os_str(), "--out".as_ref(), out.as_os_str()])
            .output()
            .unwrap();
        let said = String::from_utf8(run.stderr).unwrap();
        match run.status.code() {
            Some(0) => assert_eq!(names(&out).len(), 5, "{kilobytes}: {said}"),
            Some(2) => {
                assert_eq!(said.lines().count(), 1, "{kilobytes}: {said}");
                assert!(said.contains("memory") || said.contains("threads"), "{kilobytes}: {said}");
            }
            code => panic!("{kilobytes}: {code:?}: {said}"),
        }
        codes.push(run.status.code());
        if out.exists() {
            assert!(names(&out).iter().all(|name| !name.starts_with('.')), "{:?}", names(&out));
            fs::remove_dir_all(&out).unwrap();
        }
    }
    assert!(codes.contains(&Some(2)) && codes.contains(&Some(0)), "{codes:?}");
}

#[test]
fn files_after_a_bad_one_are_done() {
    let folder = tempfile::tempdir().unwrap();
    let [room, hard] = ["room.ply", "hard.txt"].map(|n| shipped(n).to_str().unwrap().to_owned());
    let [bad, worse] = ["bad.las", "worse.las"].map(|name| folder.path().join(name));
    fs::write(&bad, "LASF").unwrap();
    let [bad, worse] = [bad, worse].map(|path| path.to_str().unwrap().to_owned());
    let done = planes(["detect", &room, &bad, &hard, "--top", "2", "--json", "-"]);
    assert_eq!(done.code, Some(1), "{}", done.err);
    assert_eq!(done.err.lines().count(), 1, "{}", done.err);
    assert!(done.err.contains("bad.las: "), "{}", done.err);
    let alone = |file: &str| detect(Path::new(file), "--top 2 --json -").text();
    assert_eq!(String::from_utf8(done.out).unwrap(), alone(&room) + &alone(&hard));
    let done = planes(["detect", &bad, &worse]);
    assert_eq!((done.code, done.err.lines().count()), (Some(2), 2), "{}", done.err);
}

#[test]
fn a_folder_says_what_it_received() {
    let folder = tempfile::tempdir().unwrap();
    let done = detect(&shipped("hard.txt"), &format!("--top 1 --out {}", folder.path().display()));
    let files = "hard.json, hard.labels.ply, hard.planes.csv, hard.planes.ply, hard.png";
    assert_eq!(done.err, format!("planes: wrote {files} in {}\n", folder.path().display()));
    let [out, own, labels] = ["out", "own.json", "labels.las"].map(|name| folder.path().join(name));
    let options = format!("--json {} --labels {}", own.display(), labels.display());
    let done = detect(&shipped("hard.txt"), &format!("--top 1 --out {} {options}", out.display()));
    let others = format!(", and {}, and {}\n", labels.display(), own.display());
    assert_eq!(done.err, format!("planes: wrote {files} in {}{others}", out.display()));
}

#[cfg(unix)]
#[test]
fn a_folder_of_temporary_files_that_is_missing_is_named() {
    let run = |out: &str| {
        let input = File::open(shipped("roofs.las")).unwrap();
        let mut run = Command::new("sh");
        let pipe = format!("cat | exec \"$0\" detect - --device cpu -q --json {out} | cat");
        run.args(["-c", &pipe, env!("CARGO_BIN_EXE_planes")]).env("TMPDIR", "/none/here");
        String::from_utf8(run.stdin(input).output().unwrap().stderr).unwrap()
    };
    let said = run("-");
    assert_eq!(said.lines().count(), 1, "{said}");
    assert!(
        said.starts_with("planes: /none/here: no temporary file can be written here (there"),
        "{said}"
    );
    assert!(said.contains("TMPDIR") && !said.contains("stdin"), "{said}");
    let done = Command::new(env!("CARGO_BIN_EXE_planes"))
        .args(["detect", "-q", "--json", "/dev/stdout"])
        .arg(shipped("roofs.las"))
        .env("TMPDIR", "/none/here")
        .output();
    let said = String::from_utf8(done.unwrap().stderr).unwrap();
    assert!(said.starts_with("planes: /none/here: no temporary file"), "{said}");
}

#[test]
fn info_goes_on_after_a_bad_file() {
    let folder = tempfile::tempdir().unwrap();
    let bad = folder.path().join("bad.las");
    fs::write(&bad, "LASF").unwrap();
    let [room, roofs] = ["room.ply", "roofs.las"].map(|n| shipped(n).to_str().unwrap().to_owned());
    let done = planes(["info", &room, bad.to_str().unwrap(), &roofs]);
    assert_eq!((done.code, done.err.lines().count()), (Some(2), 1), "{}", done.err);
    assert!(done.err.contains("bad.las: "), "{}", done.err);
    let text = String::from_utf8(done.out).unwrap();
    assert!(text.contains("room.ply\n") && text.contains("roofs.las\n"), "{text}");
}

#[test]
fn info_names_what_it_does_not_read() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    for (cloud, name) in [("room.ply", "a.ply"), ("roofs.las", "a.las"), ("street.laz", "a.laz")] {
        let options = format!("--label-by piece --labels {}", at(name).display());
        detect(&shipped(cloud), &options).text();
        let info = planes([OsStr::new("info"), at(name).as_ref()]).text();
        assert!(info.contains("  not read   plane_distance piece_id\n"), "{info}");
        assert!(info.contains(" plane_id"), "{info}");
    }
    fs::write(at("a.csv"), "x,y,z,piece_id,name\n1,2,3,4,a\n").unwrap();
    let info = planes([OsStr::new("info"), at("a.csv").as_ref()]).text();
    assert!(info.contains("  not read   piece_id name\n"), "{info}");
    let json_too =
        json(planes([OsStr::new("info"), "--json".as_ref(), at("a.csv").as_ref()]).text());
    assert_eq!(json_too["header"]["others"], json(r#"["piece_id", "name"]"#));
}

/// A result, altered without a trace, that a run must not touch, or must renew.
fn mark(path: &Path) -> Vec<u8> {
    let mut bytes = fs::read(path).unwrap();
    *bytes.last_mut().unwrap() ^= 1;
    fs::write(path, &bytes).unwrap();
    bytes
}

#[test]
fn a_batch_takes_nothing_away() {
    let place = Place::new();
    place.cloud("in/a.las", 1);
    let batch = |options: &str| place.batch(&format!("in {options}"));
    let result = |name: &str| place.at(&format!("out/{name}"));
    batch("").text();
    let first = batch::tree(&place.at("out"));
    // What is asked for is there: nothing is done, nothing removed.
    let marked = mark(&result("a.json"));
    assert!(batch("--only json").err.contains("1 finished before"));
    assert_eq!(fs::read(result("a.json")).unwrap(), marked);
    assert_eq!(batch::tree(&place.at("out")).len(), first.len());
    // More is asked for: that is made, and what was there is still right.
    batch("--only svg,labels --labels npy").text();
    assert_eq!(fs::read(result("a.json")).unwrap(), marked);
    assert!(result("a.labels.npy").exists());
    // Another search: all that lies there is renewed, asked for or not.
    batch("--only json --top 2").text();
    let renewed = batch::tree(&place.at("out"));
    assert_eq!(renewed.len(), first.len() + 1);
    let whole = Place::new();
    fs::create_dir(whole.at("in")).unwrap();
    fs::copy(place.at("in/a.las"), whole.at("in/a.las")).unwrap();
    whole.batch("in --top 2").text();
    for name in ["a.json", "a.labels.las", "a.planes.ply"] {
        assert_eq!(renewed[name], fs::read(whole.at(&format!("out/{name}"))).unwrap(), "{name}");
    }
    assert_eq!(npy(&result("a.labels.npy")), read(&result("a.labels.las")).label);
    // A file that has turned bad keeps its results, and that is said.
    let good = fs::read(place.at("in/a.las")).unwrap();
    fs::write(place.at("in/a.las"), &good[..good.len() / 2]).unwrap();
    let done = batch("--top 2");
    assert_eq!(done.code, Some(2));
    assert!(done.err.contains("its results of an earlier run stay"), "{}", done.err);
    for (name, bytes) in &renewed {
        let is_result = name.starts_with("a.");
        assert!(!is_result || &fs::read(result(name)).unwrap() == bytes, "{name}");
    }
    fs::write(place.at("in/a.las"), &good).unwrap();
    assert!(batch("--top 2").err.contains("1 finished before"));
}

#[test]
fn a_summary_of_somebody_else_is_not_replaced() {
    let place = Place::new();
    place.cloud("in/a.las", 1);
    fs::create_dir(place.at("out")).unwrap();
    fs::write(place.at("out/summary.csv"), "x,y,z\n1,2,3\n").unwrap();
    assert!(place.batch("in").refusal().contains("summary.csv"));
    assert_eq!(place.results(), ["summary.csv"]);
    #[cfg(unix)]
    {
        fs::remove_file(place.at("out/summary.csv")).unwrap();
        fs::hard_link(place.at("in/a.las"), place.at("out/a.json")).unwrap();
        assert!(place.batch("in").err.contains("that is an input of this batch"));
        assert_eq!(fs::read(place.at("in/a.las")).unwrap()[..4], *b"LASF");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn names_that_are_no_text_are_names_like_others() {
    use std::os::unix::ffi::OsStrExt;
    let place = Place::new();
    place.cloud("in/a.las", 1);
    for name in [&b"b\xff.las"[..], b"b\xfe.las", b"\xc3\xbc.las"] {
        fs::copy(place.at("in/a.las"), place.at("in").join(OsStr::from_bytes(name))).unwrap();
    }
    assert!(place.batch("in/*.las").err.contains("4 files: 4 done"));
    let again = place.batch("in");
    assert!(again.err.contains("4 files: 4 finished before"), "{}", again.err);
    let summary = place.summary();
    let rows = summary["files"].as_array().unwrap();
    let stems: Vec<&str> = rows.iter().map(|row| row["name"].as_str().unwrap()).collect();
    assert_eq!(stems, ["a", "b\\xFE", "b\\xFF", "ü"]);
    for name in [&b"b\xff.json"[..], b"b\xfe.json"] {
        assert!(place.at("out").join(OsStr::from_bytes(name)).exists());
    }
    // Results among the inputs are told, too.
    fs::rename(place.at("out"), place.at("in/out")).unwrap();
    fs::rename(place.at("in"), place.at("out")).unwrap();
    assert_eq!(place.batch("out/*.las").code, Some(0));
}

#[test]
fn several_at_once_give_the_same() {
    let place = Place::new();
    for seed in 0..5 {
        place.cloud(&format!("in/{seed}.las"), seed);
    }
    planes(["synth", "lines", "-o", &place.text("in/lines.png")]).text();
    fs::write(place.at("in/bad.las"), "LASF").unwrap();
    fs::write(place.at("in/notes.txt"), "no points here\n").unwrap();
    // All threads work on a large file.
    let large = place.text("in/large.las");
    planes(["synth", "room", "--points", "250000", "-o", &large]).text();
    fs::remove_file(place.at("in/large.truth.json")).unwrap();
    assert!(fs::metadata(&large).unwrap().len() > 8 << 20);
    let only = "--only json,labels,csv,svg";
    assert_eq!(place.batch(&format!("in {only} --jobs 1")).code, Some(1));
    let one = batch::tree(&place.at("out"));
    for how in ["--jobs 4", "--threads 3", "--threads 1"] {
        fs::remove_dir_all(place.at("out")).unwrap();
        let done = place.batch(&format!("in {only} {how}"));
        assert_eq!(done.code, Some(1), "{how}: {}", done.err);
        assert!(batch::tree(&place.at("out")) == one, "{how}");
    }
    assert!(one.contains_key("lines.svg") && one.contains_key("lines.json"), "{:?}", one.keys());
    // The image is done as by detect.
    let alone = detect(&place.at("in/lines.png"), "--json -").text();
    assert_eq!(one["lines.json"], alone.as_bytes());
    let summary = place.summary();
    let rows = summary["files"].as_array().unwrap();
    let of = |name: &str| rows.iter().find(|row| row["file"].as_str().unwrap().ends_with(name));
    let (cloud, image) = (of("0.las").unwrap(), of("lines.png").unwrap());
    assert!(cloud["area"].as_f64().unwrap() > 1.0 && cloud["seconds"].is_f64(), "{cloud}");
    assert!(image["lines"] == 12 && image["pixels"] == 640 * 480, "{image}");
    assert_eq!(summary["skipped"].as_array().unwrap().len(), 2);
    let csv = String::from_utf8(one["summary.csv"].clone()).unwrap();
    assert!(csv.contains("notes.txt,,skipped,"), "{csv}");
}

#[test]
fn warnings_and_options_are_in_the_summary() {
    let place = Place::new();
    fs::create_dir(place.at("in")).unwrap();
    let grid: String = (0..400).map(|i| format!("{} {} 0\n", i % 20, i / 20)).collect();
    fs::write(place.at("in/a.xyz"), grid + "nan 0 0\n").unwrap();
    for _ in 0..2 {
        place.batch("in --top 3 -q").text();
        let row = &place.summary()["files"][0];
        let warning = "left out 1 point with coordinates that are not finite";
        assert_eq!(row["warnings"], serde_json::json!([warning]), "{row}");
        assert_eq!(row["options"], "top=3");
        assert_eq!(place.summary()["options"]["clouds"]["top"], 3);
    }
}

#[cfg(unix)]
mod disturbed {
    use super::*;
    use crate::batch::tree;
    use crate::random::Random;
    use rustix::process::{Pid, Signal, kill_process};
    use std::os::unix::process::ExitStatusExt;
    use std::process::Child;

    const KILLS: usize = 100;

    fn start(place: &Place, options: &[&str]) -> Child {
        Command::new(env!("CARGO_BIN_EXE_planes"))
            .args(["detect", &place.text("a.las"), "--out", &place.text("out"), "--device", "cpu"])
            .args(options)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap()
    }

    fn left_behind(place: &Place) -> usize {
        let out = place.at("out");
        if out.exists() { names(&out).iter().filter(|n| n.starts_with('.')).count() } else { 0 }
    }

    #[test]
    fn killed_a_hundred_times_while_it_detects_and_writes() {
        let place = Place::new();
        place.cloud("a.las", 1);
        let options = [&["--top", "1"][..], &["--top", "2"]];
        // What each leaves, and how long the fastest run took.
        let mut whole = Vec::new();
        let mut took = Duration::MAX;
        for options in options {
            let begin = Instant::now();
            assert!(start(&place, options).wait().unwrap().success());
            took = took.min(begin.elapsed());
            whole.push(tree(&place.at("out")));
        }
        let cloud = fs::read(place.at("a.las")).unwrap();
        let random = &mut Random(14);
        let (mut kills, mut runs) = (0, 0);
        while kills < KILLS {
            let begin = Instant::now();
            let mut child = start(&place, options[runs % 2]);
            // Most of it is writing, of which the picture takes the most.
            std::thread::sleep(took.mul_f64(0.2 + 0.8 * random.unit()));
            child.kill().unwrap();
            match child.wait().unwrap().signal() {
                Some(_) => kills += 1,
                None => took = took.min(begin.elapsed()),
            }
            runs += 1;
            assert!(fs::read(place.at("a.las")).unwrap() == cloud);
            for (name, bytes) in tree(&place.at("out")) {
                let is_whole = whole.iter().any(|tree| tree.get(&name) == Some(&bytes));
                assert!(is_whole || name.starts_with(".planes-"), "{name} is half");
            }
            assert!(left_behind(&place) <= 1);
            assert!(runs < 20 * KILLS, "it is always done before");
        }
        // The next run clears away what a kill left, if it left anything.
        fs::write(place.at("out/.planes-Xy12Zw.tmp"), "half").unwrap();
        assert!(start(&place, options[1]).wait().unwrap().success());
        assert!(tree(&place.at("out")) == whole[1]);
        println!("{kills} kills in {runs} runs");
    }

    #[test]
    fn a_signal_leaves_no_result_without_the_others() {
        let place = Place::new();
        fs::copy(shipped("street.laz"), place.at("a.las")).unwrap();
        let pipe = place.at("pipe.json");
        assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
        let child = start(&place, &["--json", &place.text("pipe.json")]);
        // It is opened when all files are written, and holds less than the document.
        let _reader = File::open(&pipe).unwrap();
        kill_process(Pid::from_child(&child), Signal::INT).unwrap();
        let done = child.wait_with_output().unwrap();
        assert_eq!(done.status.signal(), Some(Signal::INT.as_raw()));
        assert!(names(&place.at("out")).is_empty(), "{:?}", names(&place.at("out")));
    }

    #[test]
    fn a_signal_ends_it_and_leaves_nothing() {
        let place = Place::new();
        place.cloud("a.las", 1);
        let begin = Instant::now();
        let first = start(&place, &[]).wait_with_output().unwrap();
        assert!(first.status.success());
        let mut took = begin.elapsed();
        let all_done = String::from_utf8(first.stderr).unwrap();
        let random = &mut Random(8);
        let mut ended = 0;
        for run in 0..20 {
            let signal = [Signal::INT, Signal::TERM, Signal::HUP][run % 3];
            let begin = Instant::now();
            let child = start(&place, &[]);
            std::thread::sleep(took.mul_f64(0.3 + 0.7 * random.unit()));
            // One that came to its end is not yet waited for.
            kill_process(Pid::from_child(&child), signal).unwrap();
            let done = child.wait_with_output().unwrap();
            assert!(left_behind(&place) == 0, "{:?}", names(&place.at("out")));
            if let Some(by) = done.status.signal() {
                // A shell shows 130, 143 and 129.
                assert_eq!(by, signal.as_raw());
                // One that comes when all is done may cut the line that says so.
                let said = String::from_utf8(done.stderr).unwrap();
                assert!(all_done.starts_with(&said), "{said}");
                ended += 1;
            } else {
                // The first run may have been slowed by others.
                took = took.min(begin.elapsed());
            }
        }
        assert!(ended > 0);
    }

    #[test]
    fn a_signal_leaves_no_temporary_file_of_a_batch() {
        let place = Place::new();
        for seed in 0..4 {
            place.cloud(&format!("in/{seed}.las"), seed);
        }
        let batch = |out: &str| {
            let mut command = Command::new(env!("CARGO_BIN_EXE_planes"));
            command.args([
                "batch",
                "-q",
                "--device",
                "cpu",
                &place.text("in"),
                "--out",
                &place.text(out),
            ]);
            command
                .stdin(Stdio::null())
                .stdout(Stdio::null())
                .stderr(Stdio::null())
                .spawn()
                .unwrap()
        };
        let begin = Instant::now();
        assert!(batch("whole").wait().unwrap().success());
        let took = begin.elapsed();
        let random = &mut Random(9);
        let mut ended = 0;
        for run in 0..12 {
            let out = format!("out{run}");
            let mut child = batch(&out);
            std::thread::sleep(took.mul_f64(0.1 + 0.8 * random.unit()));
            let signal = [Signal::INT, Signal::TERM, Signal::HUP][run % 3];
            kill_process(Pid::from_child(&child), signal).unwrap();
            ended += usize::from(child.wait().unwrap().signal() == Some(signal.as_raw()));
            let left =
                if place.at(&out).exists() { tree(&place.at(&out)) } else { Default::default() };
            assert!(!left.keys().any(|name| name.contains("/new/")), "{:?}", left.keys());
        }
        assert!(ended > 0);
    }
}

#[test]
fn a_fault_that_is_seen_late_leaves_nothing_behind() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    run_in(folder.path(), "synth room --points 5000 -o @room.txt").text();
    // The last line ends behind z, which is told when the labelled cloud is written.
    let text = fs::read_to_string(at("room.txt")).unwrap();
    let last = text.trim_end().rfind('\n').unwrap() + 1;
    let numbers: Vec<&str> = text[last..].split_whitespace().take(3).collect();
    fs::write(at("cut.txt"), format!("{}{}\n", &text[..last], numbers.join(" "))).unwrap();
    let before = batch::tree(folder.path());
    for command in ["detect @cut.txt --out @r", "detect @cut.txt --overlay @o.png --labels @l.ply"]
    {
        let message = run_in(folder.path(), command).refusal();
        assert!(message.contains("column 4"), "{message}");
        assert!(batch::tree(folder.path()) == before, "{command}");
    }
}
