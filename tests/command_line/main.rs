//! The program as a user runs it: arguments and files in, text, files and exit codes out.

mod bad_input;
mod batch;
mod batch_killed;
mod bench;
mod choice;
mod detect;
mod eval;
mod formats;
mod identical;
mod instruments;
mod kinds;
mod lines;
mod lost;
mod other;
#[path = "../random/mod.rs"]
mod random;
mod real;
mod shards;
mod survey_texts;
mod surveyor;
mod synth;
mod usage;

use planes::cloud::{Chunk, Fields, Source};
use planes::cloud::{WriteOptions, create};
use serde_json::Value;
use std::ffi::OsStr;
use std::fs::File;
use std::io::{Read, Seek};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// The clouds that ship, one of each format.
const CLOUDS: [&str; 4] = ["roofs.las", "street.laz", "room.ply", "hard.txt"];

/// Longer than anything that is run here takes; what takes longer hangs.
const PATIENCE: Duration = Duration::from_secs(240);

/// What a run left.
#[derive(Debug)]
struct Done {
    /// `None` after a signal.
    code: Option<i32>,
    out: Vec<u8>,
    /// Standard error without the line that says where planes are searched for.
    err: String,
    /// That line, where there is one.
    device: Option<String>,
}

impl Done {
    /// Standard output of a run that went well.
    fn text(self) -> String {
        assert_eq!(self.code, Some(0), "{}", self.err);
        String::from_utf8(self.out).unwrap()
    }

    /// The one line on stderr of a run that was refused.
    fn refusal(self) -> String {
        assert_eq!(self.code, Some(2), "{}", self.err);
        assert_eq!(self.out, b"", "{}", self.err);
        assert_eq!(self.err.lines().count(), 1, "{}", self.err);
        let message = self.err.strip_prefix("planes: ").expect("the program's name");
        assert!(!message.contains("panicked"), "{message}");
        message.trim_end().to_string()
    }
}

/// Runs the program with standard input from a file, or empty.
fn planes_with(args: impl IntoIterator<Item = impl AsRef<OsStr>>, input: Option<&Path>) -> Done {
    let [mut out, mut err] = [0; 2].map(|_| tempfile::tempfile().unwrap());
    let handle = |file: &File| Stdio::from(file.try_clone().unwrap());
    let mut child = Command::new(env!("CARGO_BIN_EXE_planes"))
        .args(args)
        .env_remove("PLANES_LOG")
        .stdin(input.map_or_else(Stdio::null, |path| File::open(path).unwrap().into()))
        .stdout(handle(&out))
        .stderr(handle(&err))
        .spawn()
        .unwrap();
    let start = Instant::now();
    let status = loop {
        if let Some(status) = child.try_wait().unwrap() {
            break status;
        }
        if start.elapsed() > PATIENCE {
            child.kill().unwrap();
            child.wait().unwrap();
            panic!("the program hangs");
        }
        std::thread::sleep(Duration::from_millis(2));
    };
    let mut done = Done { code: status.code(), out: Vec::new(), err: String::new(), device: None };
    out.rewind().unwrap();
    out.read_to_end(&mut done.out).unwrap();
    err.rewind().unwrap();
    let mut said = String::new();
    err.read_to_string(&mut said).unwrap();
    for line in said.split_inclusive('\n') {
        if line.starts_with("planes: on the ") {
            assert_eq!(done.device, None, "{said}");
            done.device = Some(line.to_owned());
        } else {
            done.err += line;
        }
    }
    done
}

/// Runs the program.
fn planes(args: impl IntoIterator<Item = impl AsRef<OsStr>>) -> Done {
    planes_with(args, None)
}

/// Runs `planes detect` with options given as one string, separated by blanks.
fn detect(file: &Path, options: &str) -> Done {
    let mut args = vec![OsStr::new("detect"), file.as_os_str()];
    args.extend(options.split_whitespace().map(OsStr::new));
    planes(args)
}

/// A cloud that ships.
fn shipped(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("clouds").join(name)
}

fn json(text: impl AsRef<[u8]>) -> Value {
    serde_json::from_slice(text.as_ref()).unwrap()
}

/// The planes of a document.
fn found(document: &Value) -> &Vec<Value> {
    document["planes"].as_array().unwrap()
}

/// All points of a file.
fn read(path: &Path) -> Chunk {
    let mut chunk = Chunk::default();
    let mut reader = Source::open(path).unwrap().reader(Fields::ALL).unwrap();
    reader.read(&mut chunk, usize::MAX).unwrap();
    chunk
}

/// Writes points to a file in the format that its name asks for.
fn write(path: &Path, points: &[[f64; 3]]) {
    let column = |axis: usize| points.iter().map(|p| p[axis]).collect();
    let chunk = Chunk { x: column(0), y: column(1), z: column(2), ..Chunk::default() };
    let mut writer = create(path, &WriteOptions::default()).unwrap();
    writer.write(&chunk).unwrap();
    writer.finish().unwrap();
}

/// The labels in an `.npy` file.
fn npy(path: &Path) -> Vec<i32> {
    let bytes = std::fs::read(path).unwrap();
    assert_eq!(&bytes[..8], b"\x93NUMPY\x01\0");
    let head = 10 + usize::from(u16::from_le_bytes([bytes[8], bytes[9]]));
    let values = bytes[head..].chunks_exact(4);
    values.map(|v| i32::from_le_bytes(v.try_into().unwrap())).collect()
}

/// Names in a folder, sorted.
fn names(folder: &Path) -> Vec<String> {
    let entries = folder.read_dir().unwrap().map(|e| e.unwrap().file_name());
    let mut names: Vec<String> = entries.map(|n| n.into_string().unwrap()).collect();
    names.sort();
    names
}
