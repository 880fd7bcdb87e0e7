//! `planes batch` killed at random moments: whatever it was doing, the same command ends with the
//! same bytes as if nothing had happened.

use super::batch::{Place, tree};
use super::random::Random;
use super::*;
use std::collections::BTreeMap;
use std::fs;

/// Times that the program is killed, in all.
const KILLS: usize = 100;
/// Of these, while it also makes pictures, which takes most of the time.
const KILLS_WITH_PICTURES: usize = 6;

/// A command and what it leaves when nobody disturbs it.
struct Trial<'a> {
    place: &'a Place,
    options: &'a [&'a str],
    whole: Tree,
    took: Duration,
}

impl<'a> Trial<'a> {
    fn new(place: &'a Place, name: &str, options: &'a [&'a str]) -> Trial<'a> {
        let start = Instant::now();
        let mut trial = Trial { place, options, whole: Tree::new(), took: Duration::default() };
        let status = trial.start(name).wait().unwrap();
        // One of the files is bad.
        assert_eq!(status.code(), Some(1));
        trial.took = start.elapsed();
        trial.whole = tree(&place.at(name));
        trial
    }

    fn start(&self, out: &str) -> std::process::Child {
        Command::new(env!("CARGO_BIN_EXE_planes"))
            // A GPU takes so long to start that nothing would ever come to its end.
            .args([
                "batch",
                "-q",
                "--device",
                "cpu",
                &self.place.text("in"),
                "--out",
                &self.place.text(out),
            ])
            .args(self.options)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap()
    }

    /// Starts the command and kills it after a random time, unless it has come to its end by then;
    /// says whether it was killed.
    fn disturb(&self, out: &str, random: &mut Random) -> bool {
        let mut child = self.start(out);
        std::thread::sleep(self.took.mul_f64(0.7 * random.unit()));
        child.kill().unwrap();
        let code = child.wait().unwrap().code();
        if code != KILLED {
            assert_eq!(code, Some(1));
        }
        code == KILLED
    }

    /// Disturbs the command until it comes to its end; returns how many times it was killed.
    fn finish(&self, out: &str, random: &mut Random) -> usize {
        let mut kills = 0;
        while self.disturb(out, random) {
            kills += 1;
            self.check_results(out, &[]);
        }
        let left = tree(&self.place.at(out));
        assert!(left.keys().eq(self.whole.keys()), "after {kills} kills: {:?}", left.keys());
        for (name, bytes) in &left {
            assert!(bytes == &self.whole[name], "{name} differs after {kills} kills");
        }
        kills
    }

    /// Whatever lies there under the name of a result is whole: this command's, or of one of `others`.
    fn check_results(&self, out: &str, others: &[&Tree]) {
        let out = self.place.at(out);
        if !out.exists() {
            return;
        }
        for (name, bytes) in tree(&out) {
            let temporary = name.rsplit('/').next().unwrap().starts_with(".planes-");
            if temporary || name.starts_with(".planes/") {
                continue;
            }
            let is_of = |tree: &Tree| tree.get(&name) == Some(&bytes);
            let is_whole = is_of(&self.whole) || others.iter().any(|tree| is_of(tree));
            assert!(is_whole, "{name} is not whole");
        }
    }
}

/// The exit code of a program that was killed: none, or on Windows this one.
const KILLED: Option<i32> = if cfg!(windows) { Some(1) } else { None };

/// Files and their bytes.
type Tree = BTreeMap<String, Vec<u8>>;

#[test]
fn killed_at_a_hundred_moments_and_resumed() {
    let place = Place::new();
    for (seed, path) in
        ["in/a.las", "in/b.laz", "in/deep/a.ply", "in/deep/d.txt"].iter().enumerate()
    {
        place.cloud(path, seed as u32);
    }
    fs::write(place.at("in/c.las"), "LASF, and no more").unwrap();
    let random = &mut Random(2026);
    let (mut kills, mut runs) = (0, 0);
    for (options, until) in
        [(&["--only", "json,ply,labels"][..], KILLS - KILLS_WITH_PICTURES), (&[], KILLS)]
    {
        let trial = Trial::new(&place, &format!("whole{until}"), options);
        while kills < until {
            runs += 1;
            kills += trial.finish(&format!("out{runs}"), random);
        }
    }
    println!("{kills} kills in {runs} batches");
    assert!(runs >= 2);
}

#[test]
fn killed_while_older_results_are_replaced() {
    let place = Place::new();
    for (seed, path) in ["in/a.las", "in/b.laz", "in/deep/c.ply"].iter().enumerate() {
        place.cloud(path, seed as u32);
    }
    fs::write(place.at("in/d.las"), "LASF, and no more").unwrap();
    let old = Trial::new(&place, "old", &["--only", "labels,ply", "--labels", "npy", "--top", "1"]);
    let new = Trial::new(&place, "new", &["--only", "labels,json"]);
    // What the old run left is renewed by the new one.
    let renewed = Trial::new(&place, "old", &["--only", "labels,json"]).whole;
    let random = &mut Random(1);
    let mut kills = 0;
    for run in 0..6 {
        let out = format!("out{run}");
        old.disturb(&out, random);
        let before = &old.whole;
        while new.disturb(&out, random) {
            kills += 1;
            new.check_results(&out, &[before, &renewed]);
        }
        let left = tree(&place.at(&out));
        assert!(new.whole.keys().all(|name| left.contains_key(name)), "{:?}", left.keys());
        for (name, bytes) in left.iter().filter(|(name, _)| !name.starts_with(".planes/")) {
            assert!(bytes == &renewed[name], "{name} differs");
        }
    }
    assert!(kills > 0);
}
