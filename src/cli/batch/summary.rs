//! What came of each file of a batch, as CSV and as JSON.

use super::record::Done;
use planes::Error;
use planes::atomic::AtomicFile;
use serde::Serialize;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// One file, or an argument that led to none.
#[derive(Debug)]
pub struct Row {
    /// As it was given or found.
    pub file: PathBuf,
    /// What its results are called, below the folder and without ending.
    pub name: Option<PathBuf>,
    /// What came of it, or what is wrong with it.
    pub outcome: Result<Done, String>,
}

/// The layout of both files; [`HEADER`] has the same order.
#[derive(Serialize)]
struct Line {
    file: String,
    name: Option<String>,
    status: &'static str,
    points: Option<u64>,
    planes: Option<u64>,
    /// Share of the points that belong to a plane.
    labelled: Option<f64>,
    error: Option<String>,
}

const HEADER: &str = "file,name,status,points,planes,labelled,error";

#[derive(Serialize)]
struct Document {
    format: &'static str,
    version: u32,
    done: usize,
    failed: usize,
    files: Vec<Line>,
}

/// Writes `summary.csv` and `summary.json` into the folder.
pub fn save(folder: &Path, rows: &[Row]) -> Result<(), Error> {
    let files: Vec<Line> = rows.iter().map(line).collect();
    let failed = rows.iter().filter(|row| row.outcome.is_err()).count();
    let done = rows.len() - failed;
    write(&folder.join("summary.csv"), |out| csv(&files, out))?;
    let document = Document { format: "planes-batch", version: 1, done, failed, files };
    write(&folder.join("summary.json"), |out| {
        serde_json::to_writer_pretty(&mut *out, &document)?;
        out.write_all(b"\n")
    })
}

fn write(
    path: &Path,
    content: impl FnOnce(&mut AtomicFile) -> io::Result<()>,
) -> Result<(), Error> {
    let mut file = AtomicFile::create(path)?;
    content(&mut file).map_err(Error::io(path))?;
    file.commit()
}

fn line(row: &Row) -> Line {
    let done = row.outcome.as_ref().ok();
    Line {
        file: row.file.display().to_string(),
        name: row.name.as_ref().map(|name| name.display().to_string()),
        status: if done.is_some() { "done" } else { "failed" },
        points: done.map(|done| done.points),
        planes: done.map(|done| done.planes),
        labelled: done.map(|done| {
            let share = done.labelled as f64 / done.points.max(1) as f64;
            (share * 1e4).round() / 1e4
        }),
        error: row.outcome.as_ref().err().cloned(),
    }
}

fn csv(lines: &[Line], out: &mut impl Write) -> io::Result<()> {
    fn shown<T: ToString>(value: Option<T>) -> String {
        value.map_or_else(String::new, |value| value.to_string())
    }
    writeln!(out, "{HEADER}")?;
    for line in lines {
        let cells = [
            quoted(&line.file),
            quoted(line.name.as_deref().unwrap_or_default()),
            line.status.to_owned(),
            shown(line.points),
            shown(line.planes),
            shown(line.labelled),
            quoted(line.error.as_deref().unwrap_or_default()),
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
        let done = Done { bytes: 9, sha256: String::new(), points: 3, planes: 1, labelled: 2 };
        let rows = [
            Row { file: "a, b.las".into(), name: Some("a, b".into()), outcome: Ok(done) },
            Row { file: "c.las".into(), name: None, outcome: Err("says \"no\"".into()) },
        ];
        save(folder.path(), &rows).unwrap();
        let text = |name| std::fs::read_to_string(folder.path().join(name)).unwrap();
        let expected = "file,name,status,points,planes,labelled,error\n\
            \"a, b.las\",\"a, b\",done,3,1,0.6667,\n\
            c.las,,failed,,,,\"says \"\"no\"\"\"\n";
        assert_eq!(text("summary.csv"), expected);
        let document: serde_json::Value = serde_json::from_str(&text("summary.json")).unwrap();
        assert_eq!([&document["done"], &document["failed"]], [1, 1]);
        assert_eq!(document["files"][0]["labelled"], 0.6667);
        let members = document["files"][1].as_object().unwrap();
        assert_eq!(members.keys().map(String::as_str).collect::<Vec<_>>().len(), 7);
        for column in HEADER.split(',') {
            assert!(members.contains_key(column), "{column}");
        }
    }
}
