//! `planes batch --shard`: a list done in shares, by several programs into one folder.

use super::batch::{Place, tree};
use super::*;
use std::collections::BTreeMap;
use std::fs;

/// Some clouds, one of them bad, and a file that is none.
fn place() -> Place {
    let place = Place::new();
    for (seed, path) in
        ["in/a.las", "in/b.laz", "in/deep/a.ply", "in/deep/d.txt", "in/e.las"].iter().enumerate()
    {
        place.cloud(path, seed as u32);
    }
    fs::write(place.at("in/c.las"), "LASF, and no more").unwrap();
    fs::write(place.at("in/notes"), "Not a cloud.\n").unwrap();
    place
}

/// `planes batch` of all into a folder, with more options.
fn batch(place: &Place, out: &str, options: &str) -> Done {
    let (files, out) = (place.text("in"), place.text(out));
    let args = ["batch", &files, "--out", &out, "--only", "json,labels"];
    planes(args.into_iter().chain(options.split_whitespace()))
}

fn collect(place: &Place, out: &str, option: &str) -> Done {
    planes(["batch", option, "--out", &place.text(out)])
}

/// What lies in a folder, without what the program keeps for itself.
fn results(place: &Place, out: &str) -> BTreeMap<String, Vec<u8>> {
    let mut files = tree(&place.at(out));
    files.retain(|name, _| !name.starts_with(".planes/"));
    files
}

#[test]
fn shards_leave_what_one_batch_leaves() {
    let place = place();
    let whole = batch(&place, "whole", "");
    assert_eq!(whole.code, Some(1), "{}", whole.err);
    // More shards than files: some have none.
    for of in [1, 2, 8] {
        let out = format!("of{of}");
        let mut codes = Vec::new();
        for number in 1..=of {
            let done = batch(&place, &out, &format!("--shard {number}/{of}"));
            let said = format!("planes: shard {number}/{of}: ");
            assert!(done.err.lines().last().unwrap().starts_with(&said), "{}", done.err);
            assert!(!place.at(&out).join("summary.csv").exists());
            codes.push(done.code.unwrap());
        }
        // One of them has the bad file, and says so, even where that is all it has.
        assert_eq!(codes.iter().sum::<i32>(), 1, "{codes:?}");
        let done = collect(&place, &out, "--collect");
        assert_eq!((done.code, &done.out[..]), (Some(1), &b""[..]), "{}", done.err);
        let counts =
            |err: &str| err.lines().last().unwrap().split("; see").next().unwrap().to_owned();
        assert_eq!(counts(&done.err), counts(&whole.err));
        assert!(results(&place, &out) == results(&place, "whole"), "{of} shards");
        // With the seconds, too, it is the summary of one batch that finds all of it finished.
        let summary = |name| fs::read(place.at(&out).join(name)).unwrap();
        let joined = ["summary.csv", "summary.json"].map(summary);
        let done = batch(&place, &out, "");
        assert!(done.err.contains("5 finished before, 1 failed"), "{}", done.err);
        assert!(["summary.csv", "summary.json"].map(summary) == joined, "{of} shards");
    }
}

#[test]
fn shards_work_at_the_same_time() {
    let place = place();
    batch(&place, "whole", "");
    let start = |shard: &str| {
        let (files, out) = (place.text("in"), place.text("out"));
        Command::new(env!("CARGO_BIN_EXE_planes"))
            .args(["batch", &files, "--out", &out, "--only", "json,labels", "--shard", shard])
            .args(["--threads", "1", "-q"])
            .stderr(Stdio::null())
            .spawn()
            .unwrap()
    };
    // Each of them twice: one waits for the other.
    let shards = ["1/3", "2/3", "3/3", "1/3", "2/3", "3/3"];
    let children: Vec<_> = shards.into_iter().map(start).collect();
    for mut child in children {
        assert!(child.wait().unwrap().code().is_some());
    }
    collect(&place, "out", "--collect");
    assert!(results(&place, "out") == results(&place, "whole"));
}

#[test]
fn a_shard_that_is_missing_or_unlike_the_others_is_named() {
    let place = place();
    let refused = |option: &str| collect(&place, "out", option).refusal();
    assert!(refused("--collect").ends_with("no shard was done there"));
    assert!(!place.at("out").exists());
    for shard in ["1/4", "3/4"] {
        batch(&place, "out", &format!("--shard {shard}"));
    }
    assert!(refused("--collect").ends_with("shards 2 and 4 of 4 are not done"));
    batch(&place, "out", "--shard 2/4");
    assert!(refused("--collect").ends_with("shard 4 of 4 is not done"));
    for options in ["--top 1", "--label-by piece"] {
        batch(&place, "out", &format!("--shard 4/4 {options}"));
        let message = refused("--collect");
        assert!(
            message.ends_with("shard 4/4 was done with other options than shard 1/4"),
            "{message}"
        );
    }
    place.cloud("in/f.las", 9);
    batch(&place, "out", "--shard 4/4");
    let message = refused("--collect");
    assert!(message.ends_with("shard 4/4 is of another list of files than shard 1/4"), "{message}");
    batch(&place, "out", "--shard 1/1");
    let message = refused("--collect");
    assert!(message.ends_with("shards of 1 and 4 were done there; say which: --collect=4"));
    assert!(!place.at("out/summary.csv").exists());
    assert_eq!(collect(&place, "out", "--collect=1").code, Some(1));
    // A whole batch does all of it, and shards from before it say nothing any more.
    batch(&place, "out", "");
    assert!(refused("--collect").ends_with("no shard was done there"));
}

#[test]
fn shards_of_two_batches_are_not_mixed() {
    let place = place();
    batch(&place, "out", "--shard 1/2");
    let folder = place.at("out/.planes/shards/2");
    let lock = names(&folder).into_iter().find(|name| name.ends_with(".lock")).unwrap();
    let main = File::open(place.at("out/.planes/lock")).unwrap();
    main.lock_shared().unwrap();
    let shard = File::open(folder.join(lock)).unwrap();
    shard.lock().unwrap();
    for other in ["--shard 2/2 --top 1", "--shard 2/3"] {
        let message = batch(&place, "out", other).refusal();
        assert!(message.contains("shards with other files or options"), "{message}");
    }
    assert_eq!(batch(&place, "out", "--shard 2/2").code, Some(0));
    for message in
        [batch(&place, "out", "").refusal(), collect(&place, "out", "--collect").refusal()]
    {
        assert!(message.contains("another batch is at work there"), "{message}");
    }
    drop((main, shard));
    assert_eq!(collect(&place, "out", "--collect").code, Some(1));
}

#[test]
fn arguments_of_shards_that_make_no_sense() {
    let place = Place::new();
    for (option, what) in [
        ("--shard 0/16", "the shards of 16 are 1/16 to 16/16"),
        ("--shard 17/16", "the shards of 16 are 1/16 to 16/16"),
        ("--shard 3", "'3' is not a shard; the third of 16 is 3/16"),
        ("--collect", "--collect"),
    ] {
        let message = batch(&place, "out", option).refusal();
        assert!(message.contains(what), "{message}");
    }
    let out = place.text("out");
    for option in [
        "--top=3",
        "--tolerance=1",
        "--widen=2",
        "--angle=9",
        "--curved=facets",
        "--min-inliers=30",
        "--min-area=1",
        "--min-votes=9",
        "--refine=ols",
        "--space=ball:2",
        "--rho-bin=1",
        "--vote=all",
        "--one-pass",
        "--orient=up",
        "--class=2",
        "--edges=sobel",
        "--device=cpu",
        "--columns=x,y,z",
        "--label-by=piece",
        "--only=json",
        "--labels=las",
        "--jobs=2",
        "--shard=1/2",
    ] {
        let message = planes(["batch", "--collect", "--out", &out, option]).refusal();
        assert!(message.contains("cannot be used with"), "{option}: {message}");
    }
}

/// Runs a script of the examples with this program first on the path.
#[cfg(unix)]
fn example(script: &str, place: &Place, out: &str, task: u32) -> std::process::Output {
    let program = Path::new(env!("CARGO_BIN_EXE_planes")).parent().unwrap();
    let path = format!("{}:{}", program.display(), std::env::var("PATH").unwrap());
    Command::new(Path::new(env!("CARGO_MANIFEST_DIR")).join("examples").join(script))
        .args([place.text("in"), place.text(out)])
        .args(["--only", "json,labels"])
        .env("PATH", path)
        .env("SLURM_ARRAY_TASK_ID", task.to_string())
        .output()
        .unwrap()
}

#[cfg(unix)]
#[test]
fn the_scripts_leave_what_one_batch_leaves() {
    let place = place();
    batch(&place, "whole", "");
    let codes: i32 = (1..=16)
        .map(|task| example("slurm.sh", &place, "slurm", task).status.code().unwrap())
        .sum();
    assert_eq!(codes, 1);
    assert_eq!(collect(&place, "slurm", "--collect").code, Some(1));
    assert!(results(&place, "slurm") == results(&place, "whole"));
    if Command::new("parallel").arg("--version").output().is_err() {
        return println!("skipped: no GNU parallel");
    }
    let done = example("parallel.sh", &place, "parallel", 0);
    assert_eq!(done.status.code(), Some(1), "{}", String::from_utf8_lossy(&done.stderr));
    assert!(results(&place, "parallel") == results(&place, "whole"));
}
