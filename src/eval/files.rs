//! Reads results and truths from files.

use super::apart::{Apart, apart, bounds};
use super::labels::{BYTE_ORDER_MARK, is_heading, read_labels};
use super::surfaces::Surfaces;
use crate::cloud::{Chunk, Fields, Format, Note, ReadOptions, Source, npy_labels};
use crate::detection::Input;
use crate::export::json::{self, read_json};
use crate::export::{format_of, lines};
use crate::synth::{self, Truth, truth_path};
use crate::{Detection, Error, Result};
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

/// The files to compare.
#[derive(Debug, Clone, Copy)]
pub struct Files<'a> {
    /// A JSON document of a detection, a labelled cloud, or labels alone.
    pub result: &'a Path,
    /// The labels for a JSON document: a labelled cloud, or labels alone. Without it,
    /// labels come from the labelled cloud beside the document, if there is one:
    /// `room.labels.ply`, `.las`, `.laz`, `.pcd`, `.e57` or `.npy` for `room.json`.
    pub labels: Option<&'a Path>,
    /// A labelled cloud, a truth document, or labels alone. A cloud without labels takes them from
    /// the text file beside it, `hard.labels` for `hard.txt`. If there is a truth document beside
    /// the cloud ([`truth_path`]), the planes are taken from it.
    pub truth: &'a Path,
}

impl Files<'_> {
    /// Refuses pipes and devices: files are read more than once, and devices may have no end.
    ///
    /// # Errors
    /// [`Error::Format`], with the first of them.
    pub fn check(&self) -> Result<()> {
        for path in self.all() {
            let found = std::fs::metadata(&path);
            if found.is_ok_and(|found| !found.is_file() && !found.is_dir()) {
                return Err(Error::format(
                    path,
                    "file",
                    "not a regular file; save it to one first",
                ));
            }
        }
        Ok(())
    }

    /// Whether both are documents of lines.
    ///
    /// # Errors
    /// [`Error::Io`], and [`Error::Format`] for a document that is on the wrong side, or of lines where the other
    /// side is of planes.
    pub fn are_of_lines(&self) -> Result<bool> {
        const RESULTS: [&str; 2] = [json::FORMAT, lines::json::FORMAT];
        let format = |path: &Path| -> Result<Option<String>> {
            let is_document = FileKind::of(path)? == FileKind::Document;
            Ok(is_document.then(|| format_of(path)).flatten())
        };
        let (result, truth) = (format(self.result)?, format(self.truth)?);
        let wrong = |path: &Path, message: &str| Err(Error::format(path, "document", message));
        if truth.as_deref().is_some_and(|format| RESULTS.contains(&format)) {
            return wrong(
                self.truth,
                "a result of planes detect, not a truth; name a .truth.json or a labelled cloud",
            );
        }
        let of_lines = |format: &Option<String>, of: &str| format.as_deref() == Some(of);
        if of_lines(&result, synth::lines::FORMAT) {
            return wrong(self.result, "a truth of lines, not a result of planes detect");
        }
        match (of_lines(&result, lines::json::FORMAT), of_lines(&truth, synth::lines::FORMAT)) {
            (true, false) => wrong(self.truth, "no truth of lines, as the result needs"),
            (false, true) => wrong(self.truth, "a truth of lines, and the result is of planes"),
            (are_lines, _) => Ok(are_lines),
        }
    }

    /// All files that may be read, including those beside the named ones.
    pub fn all(&self) -> Vec<PathBuf> {
        let mut all = vec![self.result.to_path_buf(), self.truth.to_path_buf()];
        all.extend(self.labels.map(Path::to_path_buf).or_else(|| beside(self.result)));
        all.push(truth_path(self.truth));
        all.extend([self.result, self.truth].map(|path| path.with_extension("labels")));
        all
    }
}

/// Both sides, ready to be compared.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Loaded {
    /// The cloud's points; empty if no labelled cloud was read.
    pub points: Vec<[f64; 3]>,
    /// The true planes.
    pub truth: Surfaces,
    /// The found planes.
    pub found: Surfaces,
    /// All files that were read, those of the result first.
    pub read: Vec<PathBuf>,
    /// Notes on the clouds, to be shown to the user.
    pub notes: Vec<(PathBuf, Note)>,
    /// The formats of the clouds that were read.
    pub formats: Vec<Format>,
    /// How the points of the result lie to those of the truth, if they do not lie in the same place.
    pub apart: Option<Apart>,
}

/// Reads a result and a truth.
///
/// Planes that no document gives are fitted to the labelled points; coordinates may come from
/// either side.
///
/// # Errors
/// [`Error::Io`], [`Error::Unrecognized`] and [`Error::Format`] for a bad file, and
/// if the two are not of one cloud; [`Error::Parameter`] if something is missing.
pub fn load(files: &Files) -> Result<Loaded> {
    load_with(files, &ReadOptions::default())
}

/// The same with options for reading the clouds.
///
/// # Errors
/// As [`load`].
pub fn load_with(files: &Files, options: &ReadOptions) -> Result<Loaded> {
    files.check()?;
    files.are_of_lines()?;
    let is_itself = files.labels.is_none() && is_one(files.result, files.truth);
    let mut found = match is_itself {
        // The truth's planes here, too, instead of a fit to each of their pieces.
        true => Side::truth(files.result, options)?,
        false => Side::result(files, options)?,
    };
    let mut truth = Side::truth(files.truth, options)?;
    if let (Some(a), Some(b)) = (found.count(), truth.count())
        && a != b
    {
        let message = format!("{} has {b}", files.truth.display());
        return Err(Error::format(found.counted_in(files.result), format!("{a} points"), message));
    }
    let apart = found.apart(&truth);
    let mut points = std::mem::take(&mut truth.points);
    if points.is_empty() {
        points = std::mem::take(&mut found.points);
    }
    let read = [&found.read[..], &truth.read[..]].concat();
    let notes = [&found.notes[..], &truth.notes[..]].concat();
    let formats = [found.format, truth.format].into_iter().flatten().collect();
    let (truth, mut found) = (truth.surfaces(&points)?, found.surfaces(&points)?);
    if is_itself {
        // Planes that nothing was seen of have no points in the cloud, so it cannot have found them.
        found = found.without_empty();
    }
    Ok(Loaded { truth, found, points, read, notes, formats, apart })
}

/// Whether two names refer to one file.
fn is_one(a: &Path, b: &Path) -> bool {
    let [a, b] = [a, b].map(|path| std::fs::canonicalize(path).ok());
    a.is_some() && a == b
}

/// One side as read from files.
#[derive(Default)]
struct Side {
    points: Vec<[f64; 3]>,
    labels: Option<Vec<i32>>,
    document: Option<Document>,
    /// The files; the last one provided the labels, if there are any.
    read: Vec<PathBuf>,
    notes: Vec<(PathBuf, Note)>,
    format: Option<Format>,
}

enum Document {
    Found(Box<Detection>),
    True(Box<Truth>),
}

impl Side {
    fn result(files: &Files, options: &ReadOptions) -> Result<Side> {
        let path = files.result;
        if FileKind::of(path)? != FileKind::Document {
            if let Some(labels) = files.labels {
                let message = format!("{} has its own", path.display());
                return Err(Error::Parameter(format!("`labels` {}: {message}", labels.display())));
            }
            return Side::labelled(path, options);
        }
        let found = read_json(path)?;
        let mut side = match files.labels.map(Path::to_path_buf).or_else(|| beside(path)) {
            Some(labels) => Side::labelled(&labels, options)?,
            None => Side::default(),
        };
        side.document = Some(Document::Found(found.into()));
        side.read.insert(0, path.to_path_buf());
        Ok(side)
    }

    fn truth(path: &Path, options: &ReadOptions) -> Result<Side> {
        if FileKind::of(path)? == FileKind::Document {
            let document = Some(Document::True(Truth::read(path)?.into()));
            return Ok(Side { document, read: vec![path.to_path_buf()], ..Side::default() });
        }
        let mut side = Side::labelled(path, options)?;
        let document = truth_path(path);
        if document.is_file() {
            side.document = Some(Document::True(Truth::read(&document)?.into()));
            side.read.insert(0, document);
        }
        Ok(side)
    }

    /// Labels, with coordinates if the file has them.
    fn labelled(path: &Path, options: &ReadOptions) -> Result<Side> {
        let mut side = Side { read: vec![path.to_path_buf()], ..Side::default() };
        if FileKind::of(path)? == FileKind::Labels {
            side.labels = Some(read_labels(path)?);
            return Ok(side);
        }
        let source = Source::open_with(path, options)?;
        side.format = Some(source.format());
        side.notes = source.notes().iter().map(|note| (path.to_path_buf(), note.clone())).collect();
        let (points, labels) = read_cloud(&source)?;
        side.points = points;
        side.labels = labels;
        if side.labels.is_none() {
            let text = path.with_extension("labels");
            if !text.is_file() {
                let message = "its points have no plane_id or label".into();
                return Err(Error::Degenerate { path: path.to_path_buf(), message });
            }
            side.labels = Some(read_labels(&text)?);
            side.read.push(text);
        }
        side.check_counts()?;
        Ok(side)
    }

    /// Refuses labels of another cloud.
    fn check_counts(&self) -> Result<()> {
        let labels = self.labels.as_ref().map_or(0, Vec::len);
        if labels == self.points.len() {
            return Ok(());
        }
        let message = format!("the cloud has {} points", self.points.len());
        Err(Error::format(self.named(), format!("{labels} labels"), message))
    }

    /// The file whose points or labels were counted, that of the labels or else `result`.
    fn counted_in<'a>(&'a self, result: &'a Path) -> &'a Path {
        if self.labels.is_some() { self.named() } else { result }
    }

    /// The file to name in errors about labels.
    fn named(&self) -> &Path {
        self.read.last().map_or(Path::new(""), PathBuf::as_path)
    }

    /// Number of points of the cloud, if known.
    fn count(&self) -> Option<u64> {
        if let Some(labels) = &self.labels {
            return Some(labels.len() as u64);
        }
        self.document.as_ref().map(|document| match document {
            Document::Found(found) => found.input.points,
            Document::True(truth) => truth.points,
        })
    }

    /// How its cloud lies to that of a truth, where it is known of both.
    fn apart(&self, truth: &Side) -> Option<Apart> {
        if !self.points.is_empty() {
            return apart(&self.points, &truth.points);
        }
        match &self.document {
            Some(Document::Found(found)) if found.input.are_all_used() => {
                let Input { min, max, .. } = found.input;
                (!truth.points.is_empty()).then(|| apart(&[min, max], &bounds(&truth.points)))?
            }
            _ => None,
        }
    }

    fn surfaces(&self, points: &[[f64; 3]]) -> Result<Surfaces> {
        let labels = self.labels.as_deref();
        // Distances are measured from points, whatever the source of the planes.
        if points.is_empty() && labels.is_some_and(|labels| !labels.is_empty()) {
            let message = "labels alone; give the cloud of one side, too".into();
            return Err(Error::Degenerate { path: self.named().to_path_buf(), message });
        }
        let surfaces = match (&self.document, labels) {
            (Some(Document::Found(found)), _) => Surfaces::from_detection(found, labels),
            (Some(Document::True(truth)), _) => Surfaces::from_truth(truth, labels),
            (None, labels) => Surfaces::from_labels(points, labels.unwrap_or_default()),
        };
        surfaces.map_err(|error| match error {
            Error::Parameter(message) => Error::format(self.named(), "labels", message),
            other => other,
        })
    }
}

/// The labelled cloud that was written together with a document.
fn beside(document: &Path) -> Option<PathBuf> {
    let endings =
        ["labels.ply", "labels.las", "labels.laz", "labels.pcd", "labels.e57", "labels.npy"];
    endings.map(|ending| document.with_extension(ending)).into_iter().find(|path| path.is_file())
}

/// The kind of a file, recognised by its first bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum FileKind {
    Document,
    Labels,
    Cloud,
}

/// Number of bytes that are examined.
const HEAD: u64 = 4096;

impl FileKind {
    fn of(path: &Path) -> Result<FileKind> {
        let mut head = Vec::new();
        let file = File::open(path).map_err(Error::io(path))?;
        file.take(HEAD).read_to_end(&mut head).map_err(Error::io(path))?;
        Ok(FileKind::told(&head))
    }

    fn told(head: &[u8]) -> FileKind {
        let head = head.strip_prefix(BYTE_ORDER_MARK).unwrap_or(head);
        if head.trim_ascii_start().starts_with(b"{") {
            return FileKind::Document;
        }
        let lines = head.split(|&byte| byte == b'\n').map(<[u8]>::trim_ascii);
        let mut lines = lines.filter(|line| !line.is_empty());
        let first = lines.next();
        // The first line of a .pts cloud is a single number, too.
        let single = |line: &[u8]| fast_float2::parse::<f64, _>(line).is_ok();
        let is_label = |first: &[u8]| match is_heading(first) {
            true => lines.next().is_some_and(single),
            false => single(first) && lines.next().is_none_or(single),
        };
        let labels = first.is_some_and(is_label);
        if labels || head.starts_with(npy_labels::MAGIC) {
            FileKind::Labels
        } else {
            FileKind::Cloud
        }
    }
}

/// Points read at a time.
const CHUNK: usize = 1 << 18;

/// The points of a cloud, and their labels if it has them.
type Labelled = (Vec<[f64; 3]>, Option<Vec<i32>>);

fn read_cloud(source: &Source) -> Result<Labelled> {
    let mut reader = source.reader(Fields { label: true, ..Fields::NONE })?;
    let (mut points, mut labels) = (Vec::new(), Vec::new());
    let mut chunk = Chunk::default();
    loop {
        reader.read(&mut chunk, CHUNK)?;
        if chunk.is_empty() {
            break;
        }
        let rest = chunk.y.iter().zip(&chunk.z);
        points.extend(chunk.x.iter().zip(rest).map(|(&x, (&y, &z))| [x, y, z]));
        labels.extend_from_slice(&chunk.label);
    }
    Ok((points, source.info().fields.label.then_some(labels)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_are_told_by_content() {
        assert_eq!(FileKind::told(b" \n{\"a\": 1}"), FileKind::Document);
        assert_eq!(FileKind::told(b"\x93NUMPY\x01"), FileKind::Labels);
        assert_eq!(FileKind::told(b"-1\r\n0\r\n"), FileKind::Labels);
        assert_eq!(FileKind::told(b"plane_id\n-1\n0\n"), FileKind::Labels);
        assert_eq!(FileKind::told(b"//plane_id\n3"), FileKind::Labels);
        assert_eq!(FileKind::told(b"plane_id\n0 0 0\n"), FileKind::Cloud);
        assert_eq!(FileKind::told(b"x y z\n1\n"), FileKind::Cloud);
        assert_eq!(FileKind::told(b"3"), FileKind::Labels);
        assert_eq!(FileKind::told(b"2\n0 0 0\n1 1 1\n"), FileKind::Cloud);
        assert_eq!(FileKind::told(b"ply\n"), FileKind::Cloud);
        assert_eq!(FileKind::told(b""), FileKind::Cloud);
    }

    fn load_error(files: &Files) -> String {
        load(files).unwrap_err().to_string()
    }

    #[test]
    fn what_is_missing_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str, text: &str| {
            let path = folder.path().join(name);
            std::fs::write(&path, text).unwrap();
            path
        };
        let labels = at("a.labels", "0\n0\n0\n1\n");
        let shorter = at("b.labels", "0\n0\n0\n");
        let bare = at("c.xyz", "0 0 0\n1 0 0\n0 1 0\n");
        let cloud = at("d.txt", "x y z label\n0 0 0 0\n1 0 0 0\n0 1 0 0\n");
        let other = at("a.xyz", "0 0 0\n1 0 0\n0 1 0\n");
        let error =
            |result: &Path, truth: &Path| load_error(&Files { result, labels: None, truth });
        assert!(error(&labels, &labels).contains("a.labels: labels alone"));
        assert!(error(&shorter, &labels).ends_with("a.labels has 4"));
        assert!(error(&shorter, &bare).ends_with("c.xyz: its points have no plane_id or label"));
        assert!(error(&shorter, &other).ends_with("a.labels: 4 labels: the cloud has 3 points"));
        let with = Files { result: &cloud, labels: Some(&labels), truth: &cloud };
        assert!(load_error(&with).contains("d.txt has its own"));

        let loaded = load(&Files { result: &shorter, labels: None, truth: &cloud }).unwrap();
        assert_eq!(loaded.points.len(), 3);
        assert_eq!(loaded.found, loaded.truth);
        assert_eq!(loaded.read, [shorter, cloud]);
    }
}
