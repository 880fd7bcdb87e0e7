//! Which files `planes` wrote, told by their names, by what lies beside them, and by how they begin.

use super::batch::summary;
use super::exports::Named;
use std::ffi::OsStr;
use std::fs::File;
use std::io::Read;
use std::path::Path;

/// Whether a file may have been written by `planes`, though no record of a batch tells.
pub fn may_be_result(path: &Path) -> bool {
    path.file_name().is_some_and(is_result) || is_beside(path) || is_written_elsewhere(path)
}

/// Whether a file is called as only results are: by an ending with a second point.
pub fn is_result(name: &OsStr) -> bool {
    let name = name.to_string_lossy();
    let outputs = Named::all().into_iter().flat_map(|output| [output.of_planes, output.of_lines]);
    let mut endings = outputs.flatten().flat_map(|about| about.endings);
    endings.any(|ending| ending[1..].contains('.') && name.ends_with(ending))
}

/// Whether a file lies beside a result that is written together with one of its name.
pub fn is_beside(path: &Path) -> bool {
    let with = |ending| path.with_extension(ending).exists();
    let has_lines = || is_document(&path.with_extension("json"), &["planes-lines"]);
    (is_called(path, &["png"]) && with("planes.ply"))
        || (is_called(path, &["csv", "svg"]) && (with("lines.png") || has_lines()))
}

/// Whether a file that is no input was written by `planes`, into whatever folder.
pub fn is_written_elsewhere(path: &Path) -> bool {
    let results = ["planes-detection", "planes-lines", "planes-batch", "planes-evaluation"];
    is_document(path, &results) || (path.ends_with(summary::NAMES[0]) && summary::is_one(path))
}

/// Whether a file is a document of one of these formats.
pub fn is_document(path: &Path, formats: &[&str]) -> bool {
    let mut head = Vec::new();
    if !is_called(path, &["json"])
        || !File::open(path).is_ok_and(|file| file.take(64).read_to_end(&mut head).is_ok())
    {
        return false;
    }
    let head = String::from_utf8_lossy(&head);
    formats.iter().any(|format| head.contains(&format!("\"format\": \"{format}\"")))
}

/// Whether a file has one of these extensions, in small or capital letters.
pub fn is_called(path: &Path, extensions: &[&str]) -> bool {
    let extension = path.extension().unwrap_or_default().to_ascii_lowercase();
    extensions.iter().any(|&known| extension == known)
}
