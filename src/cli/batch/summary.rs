//! What came of each file of a batch, as CSV and as JSON.

use super::super::words::escape;
use super::record::{Counts, Done};
use planes::Error;
use planes::atomic;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::fs::File;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

/// What the summaries are called in the folder of the results.
pub const NAMES: [&str; 2] = ["summary.csv", "summary.json"];

/// One file, or an argument that led to none.
#[derive(Debug)]
pub struct SummaryRow {
    /// As it was given or found.
    pub file: PathBuf,
    /// What its results are called, below the folder and without ending.
    pub name: Option<PathBuf>,
    pub outcome: Outcome,
}

impl SummaryRow {
    pub fn has_failed(&self) -> bool {
        matches!(self.outcome, Outcome::Failed(..))
    }
}

/// What came of a file.
#[derive(Debug)]
pub enum Outcome {
    Done(Done),
    /// What is wrong with it, and what else was said of it.
    Failed(String, Vec<String>),
    /// It is neither a cloud nor an image, and why not.
    Skipped(String),
}

/// The options of a search, for clouds and for images.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Options {
    pub clouds: Value,
    pub images: Value,
}

impl Options {
    /// Those for a cloud: of others than text nobody names the columns.
    pub fn of_cloud(&self, is_text: bool) -> Value {
        let mut options = self.clouds.clone();
        if let (false, Some(columns)) = (is_text, options.get_mut("columns")) {
            *columns = Value::Null;
        }
        options
    }
}

/// What the summaries say of a file: the layout of both; [`HEADER`] has the same order.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Line {
    file: String,
    name: Option<String>,
    status: Status,
    points: Option<u64>,
    planes: Option<u64>,
    /// Share of the points that belong to a plane.
    labelled: Option<f64>,
    area: Option<f64>,
    pixels: Option<u64>,
    lines: Option<u64>,
    warnings: Vec<String>,
    /// Why it failed or was skipped.
    error: Option<String>,
    /// Those that were given, short.
    options: Option<String>,
    /// The only one that two runs do not share.
    seconds: Option<f64>,
}

/// In a word, what came of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Status {
    Done,
    Failed,
    Skipped,
}

impl Line {
    /// The path of the file, by which lines are sorted.
    pub fn path(&self) -> PathBuf {
        unshown(&self.file)
    }

    pub fn has_failed(&self) -> bool {
        self.status == Status::Failed
    }

    pub fn is_skipped(&self) -> bool {
        self.status == Status::Skipped
    }
}

impl Status {
    fn name(self) -> &'static str {
        match self {
            Status::Done => "done",
            Status::Failed => "failed",
            Status::Skipped => "skipped",
        }
    }
}

const HEADER: &str =
    "file,name,status,points,planes,labelled,area,pixels,lines,warnings,error,options,seconds";
/// What a document begins with.
const FORMAT: &str = "planes-batch";

#[derive(Serialize)]
struct Document<'a> {
    format: &'static str,
    version: u32,
    done: usize,
    failed: usize,
    options: &'a Options,
    files: Vec<&'a Line>,
    skipped: Vec<&'a Line>,
}

/// Refuses a folder in which a file of another kind has the name of a summary.
pub fn check(folder: &Path) -> Result<(), Error> {
    for name in NAMES {
        let path = folder.join(name);
        if path.exists() && !is_one(&path) {
            let message = format!(
                "--out {}: {name} is there, and is of no batch; name another folder",
                folder.display()
            );
            return Err(Error::Parameter(message));
        }
    }
    Ok(())
}

/// Whether a batch wrote this file.
pub fn is_one(path: &Path) -> bool {
    let mut head = Vec::new();
    let Ok(file) = File::open(path) else { return false };
    let read = file.take(64).read_to_end(&mut head);
    let head = String::from_utf8_lossy(&head);
    read.is_ok() && (head.starts_with("file,name,status,") || head.contains(FORMAT))
}

/// What the summaries say of these files.
pub fn lines(rows: &[SummaryRow], options: &Options) -> Vec<Line> {
    rows.iter().map(|row| line(row, options)).collect()
}

/// Writes `summary.csv` and `summary.json` into the folder.
pub fn save(folder: &Path, all: &[Line], options: &Options) -> Result<(), Error> {
    let (skipped, files): (Vec<&Line>, Vec<&Line>) = all.iter().partition(|l| l.is_skipped());
    let failed = files.iter().filter(|line| line.has_failed()).count();
    let done = files.len() - failed;
    atomic::save(&folder.join(NAMES[0]), |out| csv(all, out))?;
    let document = Document { format: FORMAT, version: 2, done, failed, options, files, skipped };
    atomic::save(&folder.join(NAMES[1]), |out| {
        serde_json::to_writer_pretty(&mut *out, &document)?;
        out.write_all(b"\n")
    })
}

/// A path as text, whatever it is made of: bytes that are no text, and what a terminal obeys, are written
/// `\xFF`, and a backslash is written twice, so that two names never look the same.
pub fn shown(path: &Path) -> String {
    // There it stands between folders.
    let is_odd = |c: char| c.is_control() || (c == '\\' && !cfg!(windows));
    let mut text = String::new();
    for chunk in path.as_os_str().as_encoded_bytes().utf8_chunks() {
        for c in chunk.valid().chars() {
            if is_odd(c) { escape(c, &mut text) } else { text.push(c) }
        }
        chunk.invalid().iter().for_each(|byte| text.push_str(&format!("\\x{byte:02X}")));
    }
    text
}

/// The path that is [`shown`] so.
pub fn unshown(text: &str) -> PathBuf {
    #[cfg(unix)]
    {
        use std::os::unix::ffi::OsStringExt;
        let (mut bytes, mut rest) = (Vec::with_capacity(text.len()), text.as_bytes());
        while let Some((&byte, after)) = rest.split_first() {
            let hexadecimal = |digits: &[u8]| {
                std::str::from_utf8(digits).ok().and_then(|d| u8::from_str_radix(d, 16).ok())
            };
            let (byte, after) = match (byte, after) {
                (b'\\', [b'x', a, b, after @ ..]) => {
                    (hexadecimal(&[*a, *b]).unwrap_or(b'?'), after)
                }
                (b'\\', [b'n', after @ ..]) => (b'\n', after),
                (b'\\', [b'r', after @ ..]) => (b'\r', after),
                (b'\\', [b't', after @ ..]) => (b'\t', after),
                (b'\\', [other, after @ ..]) => (*other, after),
                (byte, after) => (byte, after),
            };
            bytes.push(byte);
            rest = after;
        }
        std::ffi::OsString::from_vec(bytes).into()
    }
    #[cfg(not(unix))]
    text.into()
}

fn line(row: &SummaryRow, options: &Options) -> Line {
    let mut line = Line {
        file: shown(&row.file),
        name: row.name.as_deref().map(shown),
        status: Status::Done,
        points: None,
        planes: None,
        labelled: None,
        area: None,
        pixels: None,
        lines: None,
        warnings: Vec::new(),
        error: None,
        options: None,
        seconds: None,
    };
    match &row.outcome {
        Outcome::Done(done) => {
            let used = match done.found {
                Counts::Cloud { is_text, points, searched, planes, labelled, area } => {
                    let share = labelled as f64 / searched.max(1) as f64;
                    (line.points, line.planes) = (Some(points), Some(planes));
                    line.labelled = Some((share * 1e4).round() / 1e4);
                    line.area = Some(six_digits(area));
                    options.of_cloud(is_text)
                }
                Counts::Image { pixels, lines } => {
                    (line.pixels, line.lines) = (Some(pixels), Some(lines));
                    options.images.clone()
                }
            };
            line.options = Some(given(&used));
            line.warnings.clone_from(&done.warnings);
            line.seconds = Some(done.seconds);
        }
        Outcome::Failed(why, warnings) => {
            (line.status, line.error) = (Status::Failed, Some(why.clone()));
            line.warnings.clone_from(warnings);
        }
        Outcome::Skipped(why) => {
            (line.status, line.error) = (Status::Skipped, Some(why.clone()));
        }
    }
    line
}

/// A number with six significant digits.
fn six_digits(value: f64) -> f64 {
    format!("{value:.5e}").parse().unwrap_or(value)
}

/// The options that were given, as `name=value`.
fn given(options: &Value) -> String {
    let all = options.as_object().into_iter().flatten().filter(|(_, value)| !value.is_null());
    let text = all.map(|(name, value)| match value {
        Value::String(text) => format!("{name}={text}"),
        other => format!("{name}={other}"),
    });
    text.collect::<Vec<_>>().join(" ")
}

fn csv(lines: &[Line], out: &mut impl Write) -> io::Result<()> {
    fn cell<T: ToString>(value: Option<T>) -> String {
        value.map_or_else(String::new, |value| value.to_string())
    }
    writeln!(out, "{HEADER}")?;
    for line in lines {
        let cells = [
            quoted(&line.file),
            quoted(line.name.as_deref().unwrap_or_default()),
            line.status.name().to_owned(),
            cell(line.points),
            cell(line.planes),
            cell(line.labelled),
            cell(line.area),
            cell(line.pixels),
            cell(line.lines),
            quoted(&line.warnings.join("; ")),
            quoted(line.error.as_deref().unwrap_or_default()),
            quoted(line.options.as_deref().unwrap_or_default()),
            cell(line.seconds),
        ];
        writeln!(out, "{}", cells.join(","))?;
    }
    Ok(())
}

/// A cell of CSV; in quotes where it must be.
fn quoted(text: &str) -> String {
    if text.contains([',', '"', '\n', '\r']) {
        format!("\"{}\"", text.replace('"', "\"\""))
    } else {
        text.to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_files_tell_the_same() {
        let folder = tempfile::tempdir().unwrap();
        let done = |found| Done {
            bytes: 9,
            sha256: String::new(),
            found,
            warnings: vec!["left out 1 point".into()],
            seconds: 0.5,
        };
        let cloud = Counts::Cloud {
            is_text: false,
            points: 5,
            searched: 3,
            planes: 1,
            labelled: 2,
            area: 1.5,
        };
        let image = Counts::Image { pixels: 12, lines: 4 };
        let row = |file: &str, outcome| SummaryRow { file: file.into(), name: None, outcome };
        let rows = [
            SummaryRow { name: Some("a, b".into()), ..row("a, b.las", Outcome::Done(done(cloud))) },
            row("b.png", Outcome::Done(done(image))),
            row("c.las", Outcome::Failed("says \"no\"".into(), vec!["odd".into()])),
            row("d.txt", Outcome::Skipped("no points".into())),
        ];
        let options = Options {
            clouds: serde_json::json!({"top": 3, "space": "ball:2", "angle": null, "columns": "x,y,z"}),
            images: serde_json::json!({}),
        };
        check(folder.path()).unwrap();
        let lines = lines(&rows, &options);
        save(folder.path(), &lines, &options).unwrap();
        check(folder.path()).unwrap();
        let text = |name| std::fs::read_to_string(folder.path().join(name)).unwrap();
        let expected = "\"a, b.las\",\"a, b\",done,5,1,0.6667,1.5,,,left out 1 point,,space=ball:2 top=3,0.5\n\
            b.png,,done,,,,,12,4,left out 1 point,,,0.5\n\
            c.las,,failed,,,,,,,odd,\"says \"\"no\"\"\",,\n\
            d.txt,,skipped,,,,,,,,no points,,\n";
        assert_eq!(text("summary.csv"), format!("{HEADER}\n{expected}"));
        let document: Value = serde_json::from_str(&text("summary.json")).unwrap();
        assert_eq!([&document["done"], &document["failed"]], [2, 1]);
        assert_eq!(document["files"][0]["labelled"], 0.6667);
        assert_eq!(document["options"]["clouds"]["top"], 3);
        assert_eq!(document["skipped"][0]["error"], "no points");
        let members = document["files"][1].as_object().unwrap();
        assert_eq!(members.len(), HEADER.split(',').count());
        assert!(HEADER.split(',').all(|column| members.contains_key(column)));
        std::fs::write(folder.path().join("summary.csv"), "x,y,z\n1,2,3\n").unwrap();
        assert!(check(folder.path()).is_err());
    }

    #[cfg(unix)]
    #[test]
    fn names_that_are_no_text_are_told_apart() {
        use std::os::unix::ffi::OsStrExt;
        let name = |bytes: &'static [u8]| shown(Path::new(std::ffi::OsStr::from_bytes(bytes)));
        assert_eq!(name(b"d/\xc3\xbc\xff.las"), "d/ü\\xFF.las");
        assert_ne!(name(b"\xff"), name(b"\xfe"));
        assert_eq!(name(b"a\n\x1b\\xFF.las"), "a\\n\\x1B\\\\xFF.las");
        for bytes in [&b"d/\xc3\xbc\xff.las"[..], b"a\n\r\t\x1b\\xFF.las", b"\xc2\x85\\n", b"plain"]
        {
            let path = Path::new(std::ffi::OsStr::from_bytes(bytes));
            assert_eq!(unshown(&shown(path)), path);
        }
    }
}
