//! Arguments that make no sense, and how that is said.

use super::*;
use std::ffi::OsString;

/// The line that `planes detect CLOUD` with these options ends in.
fn refused(options: &str) -> String {
    detect(&shipped("room.ply"), options).refusal()
}

#[test]
fn options_that_contradict_each_other() {
    for other in ["--vote all", "--angle 10", "--min-inliers 9", "--widen 3", "--curved grey"] {
        let message = refused(&format!("--one-pass {other}"));
        assert!(message.contains("--one-pass"), "{message}");
        assert!(message.contains(other.split_once(' ').unwrap().0), "{message}");
    }
    assert!(refused("-q -v").contains("--quiet"));
}

#[test]
fn names_are_as_users_call_things() {
    let message = planes(["schema", "clouds"]).refusal();
    assert!(message.starts_with("invalid value 'clouds' for '[DOCUMENT]'"), "{message}");
    // Where there is a GPU it is used, else it is missed.
    let cloud = shipped("room.ply");
    let [gpu, cuda] = ["gpu", "cuda"].map(|name| detect(&cloud, &format!("--device {name}")));
    assert_eq!((gpu.code, gpu.err), (cuda.code, cuda.err));
}

#[test]
fn values_that_make_no_sense() {
    for (options, what) in [
        ("--top 0", "--top"),
        ("--top -3", "-3"),
        ("--top many", "many"),
        ("--tolerance 0", "--tolerance"),
        ("--tolerance=-1", "--tolerance"),
        ("--tolerance nan", "--tolerance"),
        ("--tolerance inf", "--tolerance"),
        ("--rho-bin 0", "--rho-bin"),
        ("--angle 0", "--angle"),
        ("--angle 90", "--angle"),
        ("--angle nan", "--angle"),
        ("--min-inliers 0", "--min-inliers"),
        ("--min-votes -1", "-1"),
        ("--space cube:3", "cube:3"),
        ("--space ball:0", "ball:0"),
        ("--space ball:nan", "ball:nan"),
        ("--space polar:0x9", "polar:0x9"),
        ("--space polar:99999999x99999999", "polar"),
        ("--vote some", "some"),
        ("--voter gpu", "gpu"),
        ("--chunk 0", "--chunk"),
        ("--threads 0", "--threads"),
        ("--labels a.txt", "a.txt"),
        ("--labels a", "--labels a"),
        ("--overlay a.jpg", "a.jpg"),
        ("--ply a.obj", "a.obj"),
        ("--nonsense", "--nonsense"),
    ] {
        let message = refused(options);
        assert!(message.contains(what), "{options}: {message}");
    }
}

#[test]
fn what_only_votes_for_every_direction_heed_is_refused_elsewhere() {
    for option in ["--voter serial", "--gpus 2", "--gpus 1"] {
        let name = option.split(' ').next().unwrap();
        let expected = format!("{name} is for --vote all and --one-pass");
        assert_eq!(refused(option), expected);
        assert_eq!(refused(&format!("{option} --vote near")), expected);
    }
    let (message, left) = refused_batch("--voter serial");
    assert_eq!(message, "--voter is for --vote all and --one-pass");
    assert_eq!(left, [""; 0]);
}

/// What `planes batch` of a cloud says to options that it refuses, and what it leaves.
fn refused_batch(options: &str) -> (String, Vec<String>) {
    let room = shipped("room.ply");
    let out = tempfile::tempdir().unwrap();
    let args = ["batch", room.to_str().unwrap(), "--out", out.path().to_str().unwrap()];
    let message = planes(args.into_iter().chain(options.split(' '))).refusal();
    (message, names(out.path()))
}

#[test]
fn a_batch_does_not_begin_with_fewer_gpus_than_it_was_given() {
    for options in ["--gpus 60000", "--gpus 60000 --device cuda", "--gpus 60000 --vote all"] {
        let (message, left) = refused_batch(options);
        let expected =
            ["--gpus 60000: the NVIDIA driver sees ", "no NVIDIA driver", "the NVIDIA driver "];
        assert!(expected.iter().any(|start| message.contains(start)), "{message}");
        assert_eq!(left, [""; 0]);
    }
    let (message, _) = refused_batch("--gpus 2 --device cpu");
    assert_eq!(message, "--gpus: the CPU was asked for");
}

#[test]
fn the_cpu_has_no_gpus() {
    for other in ["--device cpu", "--voter serial"] {
        let message = refused(&format!("--vote all --gpus 2 {other}"));
        assert_eq!(message, "--gpus: the CPU was asked for");
    }
}

#[test]
fn a_tolerance_that_no_plane_can_have_is_said() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.xyz");
    // Centimetres, a wave of 3 cm, four units wide.
    let point = |k: usize| {
        let (u, v) = (k % 60, k / 60);
        let [x, y] = [(u, v), (v, u)].map(|(a, b)| 0.07 * a as f64 + 0.01 * (b * b % 5) as f64);
        format!("{x:.2} {y:.2} {:.2}\n", 0.01 * ((u * 7 + v * 5) % 4) as f64)
    };
    std::fs::write(&path, (0..3600).map(point).collect::<String>()).unwrap();
    for (tolerance, said) in [
        ("100", Some("--tolerance 100 is larger than the cloud, which is 4.17 wide")),
        (
            "1e-12",
            Some("--tolerance 1.000e-12 is below the rounding of the coordinates to steps of 0.01"),
        ),
        // The layers of the rounding are planes.
        ("0.001", None),
        ("0.05", None),
    ] {
        let done = detect(&path, &format!("--tolerance {tolerance}"));
        assert_eq!(done.code, Some(0), "{}", done.err);
        match said {
            Some(said) => {
                assert!(done.err.contains(said), "{tolerance}: {}", done.err);
                assert_eq!(done.err.lines().count(), 1, "{}", done.err);
            }
            None => assert_eq!(done.err, "", "{tolerance}"),
        }
    }
}

#[test]
fn a_mistyped_option_is_answered_with_the_right_one() {
    let message = refused("--tolerence 1");
    assert!(message.contains("'--tolerance'"), "{message}");
    assert!(message.ends_with("; see planes detect --help"), "{message}");
}

#[test]
fn a_folder_in_the_place_of_an_output_is_refused_with_its_option() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out.csv");
    std::fs::create_dir(&out).unwrap();
    let room = shipped("room.ply");
    let image = shipped("street.png");
    let [out, room, image] = [&out, &room, &image].map(|path| path.to_str().unwrap());
    for (line, option) in [
        (["detect", room], "--csv"),
        (["detect", room], "--json"),
        (["detect", room], "--labels"),
        (["detect", image], "--svg"),
        (["synth", "room"], "--out"),
        (["synth", "lines"], "--out"),
        (["eval", room], "--json"),
        (["bench", room], "--json"),
        (["bench", "lms"], "--csv"),
    ] {
        let truth = if line[0] == "eval" { &["--truth", room][..] } else { &[] };
        let message = planes([&line, &[option, out], truth].concat()).refusal();
        assert_eq!(message, format!("{option} {out}: it is a folder, not a file"), "{line:?}");
    }
    assert_eq!(names(folder.path()), ["out.csv"]);
}

#[test]
fn decimal_commas_are_answered_with_points_where_these_are_taken() {
    for (options, said) in [
        ("--tolerance 0,02", "use a point: 0.02"),
        ("--top 2,5", "'2,5' is not a whole number"),
        ("--threads 8,0", "'8,0' is not a whole number"),
        ("--space ball:1,5", "use a point: ball:1.5"),
        ("--bbox 0,5,0,5,10,5,10,5", "use a point: 0.5,0.5,10.5,10.5"),
        ("--bbox 0,5,0,10,10", "zmax, with points for decimals"),
        ("--orient scanner:0,5,1,5,2,5", "use a point: scanner:0.5,1.5,2.5"),
    ] {
        let message = refused(options);
        assert!(
            message.contains(&format!("': {said}")) || message.contains(&format!("{said};")),
            "{message}"
        );
    }
    let message = planes(["synth", "room", "-o", "a.las", "--voxel", "0,05:mean"]).refusal();
    assert!(message.contains("use a point: 0.05:mean"), "{message}");
}

#[test]
fn an_option_with_one_dash_is_answered_with_two() {
    for (line, name) in [
        ("detect a.las -top 3", "top"),
        ("detect a.las -out=o", "out"),
        ("batch in -only json", "only"),
    ] {
        let message = planes(line.split(' ')).refusal();
        assert_eq!(message, format!("unexpected argument '-{name}'; did you mean --{name}?"));
    }
    for (line, expected) in [
        ("info a.las -top 3", "--top of planes detect, planes batch and planes bench?"),
        ("bench lms -hold 3", "--hold?"),
        ("detect a.las -hold 3", "--hold of planes bench lms?"),
    ] {
        let message = planes(line.split(' ')).refusal();
        assert!(message.ends_with(&format!("'; did you mean {expected}")), "{message}");
    }
    // Options of one letter, values and files are no such options.
    let done = planes(["detect", "-qo", "/dev/null/top", "--", "-top"]);
    assert!(done.err.contains("/dev/null/top"), "{}", done.err);
}

#[test]
fn an_option_of_another_command_is_answered_with_that() {
    let expected = "unexpected argument '--only' found; it is an option of planes batch; see planes detect --help";
    assert_eq!(refused("--only json"), expected);
    assert_eq!(refused("--only=json"), expected);
    let message = planes(["info", "a.las", "--points", "5"]).refusal();
    assert!(
        message.contains("it is an option of planes bench, planes bench lms and planes synth; see"),
        "{message}"
    );
}

#[test]
fn what_a_batch_takes_is_answered_with_that() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().display();
    for (input, fault) in [
        (format!("{path}"), "Is a directory"),
        (format!("{path}/c*.ply"), "No such file or directory"),
    ] {
        let expected = format!("{input}: {fault}; planes batch takes folders and patterns");
        assert_eq!(planes(["detect", &input]).refusal(), expected);
        let expected = format!(
            "{input}: {fault}; name the files; only planes batch takes folders and patterns"
        );
        assert_eq!(planes(["info", &input]).refusal(), expected);
    }
    let message = planes(["detect".to_owned(), format!("{path}/none.ply")]).refusal();
    assert!(!message.contains("planes batch"), "{message}");
}

#[test]
fn an_unknown_option_is_no_file() {
    let expected = "unexpected argument '--mode' found; see planes detect --help";
    assert_eq!(refused("--mode fast"), expected);
}

#[test]
fn hints_name_the_command_that_was_given() {
    for (line, said) in [
        ("detect a.las --threads x", "'x' is not a whole number; see planes detect --help"),
        ("detect a.las --threads 0", "must be at least 1; see planes detect --help"),
        ("batch in --out o --jobs x", "'x' is not a whole number; see planes batch --help"),
        ("batch in --out o --jobs 257", "must be from 1 to 256; see planes batch --help"),
        ("bench lms --hold x", "see planes bench lms --help"),
        ("find", "see planes --help"),
    ] {
        let message = planes(line.split(' ')).refusal();
        assert!(message.ends_with(said), "{message}");
    }
}

#[test]
fn an_output_of_detect_given_to_batch_is_answered_with_the_folder() {
    let hint = "one file has no room for the results of a batch; give --out DIR --only";
    for name in ["json", "ply", "overlay"] {
        for line in [format!("batch a.las --{name} o.{name}"), format!("batch --{name}=o a.las")] {
            let message = planes(line.split(' ')).refusal();
            assert!(message.ends_with(&format!("--{name}: {hint} {name}")), "{message}");
        }
    }
    let message = planes(["batch", "a.las", "--out", "o", "--distance", "1"]).refusal();
    assert!(!message.contains(hint), "{message}");
}

#[test]
fn a_cloud_in_the_place_of_a_command_is_understood() {
    let folder = tempfile::tempdir().unwrap();
    let bare = folder.path().join("cloud");
    std::fs::write(&bare, "0 0 0\n").unwrap();
    for file in [bare.to_str().unwrap(), "no/such.LAZ", "a.xyz.gz", "b.npy", "c.png"] {
        let message = planes([file]).refusal();
        let meant = format!("'{file}' (did you mean: planes detect {file}?); see planes --help");
        assert!(message.ends_with(&meant), "{message}");
    }
    let message = planes(["no-such-command"]).refusal();
    assert!(!message.contains("did you mean: planes detect"), "{message}");
}

#[test]
fn messages_name_what_was_given() {
    assert_eq!(refused("--top 0"), "--top must be at least 1");
    assert_eq!(refused("--min-inliers 0"), "--min-inliers must be at least 1");
    assert_eq!(planes(["detect", "-", "-"]).refusal(), "-: given twice");
    let message = refused("--json a.csv");
    assert!(message.contains("--json a.csv: its name must end in .json"), "{message}");
    let message = refused("--rho-bin 1e-300");
    assert!(message.starts_with("--rho-bin is too small: with "), "{message}");
    assert!(message.contains(" directions and ") && message.len() < 250, "{message}");
    let message = refused("--rho-bin 1e-12");
    assert!(message.contains(" it must be at least "), "{message}");
    assert!(message.ends_with("e7 times as large; or choose coarser --space"), "{message}");
    let folder = tempfile::tempdir().unwrap();
    let room = folder.path().join("room.ply");
    std::fs::copy(shipped("room.ply"), &room).unwrap();
    let room = room.to_str().unwrap();
    let again = format!("{}/./room.ply", folder.path().display());
    for second in [room, &again] {
        let message = planes(["detect", room, second, "--out", "results"]).refusal();
        assert_eq!(message, format!("{second}: given twice"));
    }
}

/// Runs the program where files have at most so many blocks, which stands for a full disk.
#[cfg(unix)]
fn with_files_of(blocks: u32, args: &[&str]) -> (Option<i32>, String) {
    let script = format!("ulimit -f {blocks}; exec \"$0\" -q \"$@\"");
    let done = Command::new("sh")
        .args(["-c", &script, env!("CARGO_BIN_EXE_planes")])
        .args(args)
        .output()
        .unwrap();
    (done.status.code(), String::from_utf8(done.stderr).unwrap())
}

#[cfg(unix)]
#[test]
fn a_full_disk_is_said_and_leaves_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let [out, ply, npy, png] = ["out", "a.ply", "a.npy", "a.png"].map(at);
    let room = shipped("room.ply");
    let room = room.to_str().unwrap();
    for (blocks, args, file) in [
        (4, &["--out", &*out][..], "out/room.labels.ply"),
        (4, &["--ply", &ply], "a.ply"),
        // The labels are written, and go with the picture.
        (500, &["--labels", &npy, "--overlay", &png], "a.png"),
    ] {
        let (code, said) = with_files_of(blocks, &[&["detect", room], args].concat());
        assert_eq!((code, said.lines().count()), (Some(2), 1), "{said}");
        assert!(said.contains(&format!("/{file}: File too large")), "{said}");
        assert!(names(folder.path()).is_empty(), "{:?}", names(folder.path()));
    }
    let (code, said) = with_files_of(4, &["batch", room, "--out", &out]);
    // It says, too, what came of all files.
    assert_eq!((code, said.lines().count()), (Some(2), 2), "{said}");
    assert!(said.contains("/out/room.labels.ply: File too large"), "{said}");
    let left = batch::tree(out.as_ref());
    let left: Vec<&str> = left.keys().map(String::as_str).collect();
    assert_eq!(left, [".planes/lock", "summary.csv", "summary.json"]);
}

#[test]
fn outputs_that_cannot_be() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    std::fs::copy(shipped("room.ply"), at("room.ply")).unwrap();
    let room = at("room.ply");
    let [same, other] = [at("a/room.las"), at("x.ply")];
    let missing = at("no/such/folder.json");
    for (args, what) in [
        (vec![&*room, "--json", &missing], "folder.json"),
        (vec![&room, "--ply", &room], "the input itself"),
        (vec![&room, "--labels", &room], "the input itself"),
        (vec![&room, "--labels", &other, "--ply", &other], "--ply writes to the same file"),
        (vec![&room, &same, "--json", "x.json"], "--out DIR"),
        (vec![&room, &same, "--out", "results"], "both be written as room.json"),
        (vec![&room, "--out", &room], "room.ply"),
    ] {
        let message = planes([&["detect"], &args[..]].concat()).refusal();
        assert!(message.contains(what), "{message}");
        assert_eq!(names(folder.path()), ["room.ply"], "{message}");
    }
    assert_eq!(std::fs::read(&room).unwrap(), std::fs::read(shipped("room.ply")).unwrap());
}

#[test]
fn no_cloud_and_no_command() {
    assert!(planes(["detect"]).refusal().contains("CLOUD"));
    assert!(planes(["find"]).refusal().contains("find"));
    let done = planes([""; 0]);
    assert_eq!(done.code, Some(2));
    assert!(done.err.contains("detect"), "{}", done.err);
}

#[test]
fn help_and_version_are_answers() {
    let help = planes(["--help"]).text();
    for command in ["detect", "batch", "info", "synth", "eval", "schema", "completions"] {
        assert!(help.contains(command), "{command}");
        assert!(planes([command, "--help"]).text().contains("Usage: planes"));
    }
    assert_eq!(planes(["--version"]).text(), concat!("planes ", env!("CARGO_PKG_VERSION"), "\n"));
}

#[test]
fn quiet_and_verbose() {
    let folder = tempfile::tempdir().unwrap();
    let cloud = folder.path().join("cloud.xyz");
    let grid: String = (0..400).map(|i| format!("{} {} 0\n", i % 20, i / 20)).collect();
    std::fs::write(&cloud, grid + "nan 0 0\n").unwrap();
    let warned = detect(&cloud, "");
    assert_eq!(warned.code, Some(0));
    assert!(warned.err.contains("1 point"), "{}", warned.err);
    assert_eq!(warned.err.lines().count(), 1, "{}", warned.err);
    assert_eq!(detect(&cloud, "-q").err, "");
    assert!(detect(&cloud, "-v").err.contains("reading"));
    let timings = detect(&cloud, "-q --timings").err;
    for stage in ["reading", "cells", "labels", "writing", "all"] {
        assert!(timings.lines().any(|line| line.starts_with(stage)), "{timings}");
    }
}

#[test]
fn the_device_is_said_where_it_was_left_to_us() {
    let cloud = shipped("roofs.las");
    let device = detect(&cloud, "").device.unwrap();
    assert!(device.starts_with("planes: on the GPU") || device.contains("CPU"), "{device}");
    for options in ["-q", "--device cpu", "--one-pass --top 1 --voter serial"] {
        assert_eq!(detect(&cloud, options).device, None, "{options}");
    }
    assert!(detect(&cloud, "--device cpu --voter serial").refusal().contains("--voter"));
    match planes::cuda::Cuda::new() {
        Ok(_) => assert_eq!(detect(&cloud, "--device cuda").code, Some(0)),
        Err(none) => {
            println!("skipped: {none}");
            assert_eq!(detect(&cloud, "--device cuda").refusal(), none.to_string());
        }
    }
}

#[cfg(unix)]
#[test]
fn a_reader_who_leaves_is_no_error() {
    for args in [&["completions", "bash"][..], &["schema"], &["--help"]] {
        let mut child = Command::new(env!("CARGO_BIN_EXE_planes"))
            .args(args)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        drop(child.stdout.take());
        let done = child.wait_with_output().unwrap();
        assert_eq!(done.status.code(), Some(0), "{args:?}");
        assert_eq!(done.stderr, b"", "{args:?}");
    }
}

#[test]
fn a_cloud_that_an_option_took_as_its_file_is_named() {
    let cloud = shipped("room.ply");
    let cloud = cloud.to_str().unwrap();
    let message = planes(["detect", "--json", cloud]).refusal();
    assert!(message.contains(&format!("({cloud} was taken as the value of --json)")), "{message}");
    let message = planes(["detect", "-out", cloud]).refusal();
    assert_eq!(message, "unexpected argument '-out'; did you mean --out?");
    // The cloud was given, and something else is missing.
    let message = planes(["batch", "-v", cloud]).refusal();
    assert!(!message.contains("was taken"), "{message}");
    // No cloud is given at all.
    let message = planes(["detect", "--json", "a.json"]).refusal();
    assert!(!message.contains("was taken"), "{message}");
}

#[test]
fn results_among_the_inputs_replace_no_others() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out");
    let written =
        planes([OsStr::new("detect"), shipped("room.ply").as_ref(), "-o".as_ref(), out.as_ref()]);
    assert_eq!(written.code, Some(0), "{}", written.err);
    let document = out.join("room.json");
    let of_the_cloud = std::fs::read(&document).unwrap();
    let into_out = |inputs: &[&str]| {
        let inputs = inputs.iter().map(|name| out.join(name).into_os_string());
        let line = [OsString::from("detect")].into_iter().chain(inputs);
        planes(line.chain(["--out".into(), out.clone().into_os_string()])).refusal()
    };
    let message = into_out(&["room.png"]);
    assert!(
        message.ends_with(
            "room.json holds the planes of a cloud of the same name; use another folder"
        ),
        "{message}"
    );
    let message = into_out(&["room.csv", "room.json"]);
    assert!(
        message.ends_with(
            "room.json looks like a result of planes; leave it out, or give each its own folder"
        ),
        "{message}"
    );
    assert_eq!(std::fs::read(&document).unwrap(), of_the_cloud);
    // A photo of the user's.
    let photo = out.join("photo.png");
    std::fs::copy(out.join("room.png"), &photo).unwrap();
    let cloud = out.join("photo.ply");
    std::fs::copy(shipped("room.ply"), &cloud).unwrap();
    let message = detect(&cloud, &format!("-o {}", out.display())).refusal();
    assert!(
        message.ends_with("photo.png was not written by planes; move it, or use another folder"),
        "{message}"
    );
    // The other way round.
    let lines = br#"{ "format": "planes-lines" }"#;
    std::fs::write(&document, lines).unwrap();
    let message = detect(&shipped("room.ply"), &format!("-o {}", out.display())).refusal();
    assert!(
        message.contains("room.json holds the lines of an image of the same name"),
        "{message}"
    );
}

#[test]
fn a_tolerance_of_many_times_the_noise_is_said_where_planes_run_into_each_other() {
    let warned = |options: &str| detect(&shipped("room.ply"), options).err;
    let said = warned("--tolerance 0.5");
    assert!(said.contains("--tolerance 0.5 is 98 times the noise of the points"), "{said}");
    assert_eq!(warned("--tolerance 0.1"), "");
    let said = warned("--tolerance 0.001");
    assert!(said.contains("--tolerance 0.001 is below the noise of the points, "), "{said}");
    // Few points are in planes because few planes were asked for.
    assert_eq!(warned("--tolerance 0.5 --top 1"), "");
}

#[test]
fn every_plane_has_the_same_tolerance_where_none_may_be_widened() {
    let folder = tempfile::tempdir().unwrap();
    let cloud = folder.path().join("street.ply");
    let scene = ["synth", "street", "--sensor", "tripod", "--points", "40000", "-o"];
    let made = planes(scene.map(OsString::from).into_iter().chain([cloud.clone().into()]));
    assert_eq!(made.code, Some(0), "{}", made.err);
    let tolerances = |options: &str| {
        let found = detect(&cloud, &format!("{options} --json -"));
        let found: Value = serde_json::from_slice(&found.out).unwrap();
        let of_planes =
            found["planes"].as_array().unwrap().iter().map(|plane| plane["tolerance"].as_f64());
        let usual = found["parameters"]["tolerance"].as_f64();
        (of_planes.clone().count(), of_planes.filter(|&tolerance| tolerance > usual).count())
    };
    let (all, wider) = tolerances("");
    assert!(wider > 0, "{all}");
    let (all, wider) = tolerances("--widen 1");
    assert!(all > 10 && wider == 0, "{wider} of {all}");
}
