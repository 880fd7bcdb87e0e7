//! Which output a file's name asks for.

use crate::errors::wrong;
use planes::export::About;
use pyo3::prelude::*;
use std::path::Path;

/// The name of the output of this kind, or of the one that writes files of such names.
///
/// Where several do, a longer ending decides (`room.labels.ply`), and else what needs no labels.
pub fn output_for(outputs: &[About], kind: Option<&str>, path: &Path) -> PyResult<&'static str> {
    if let Some(kind) = kind {
        let found = outputs.iter().find(|about| about.name == kind);
        return found.map(|about| about.name).ok_or_else(|| {
            let kinds: Vec<&str> = outputs.iter().map(|about| about.name).collect();
            wrong(format!("`kind` is one of {}, not {kind:?}", kinds.join(", ")))
        });
    }
    let file = path.file_name().unwrap_or_default().to_string_lossy().to_ascii_lowercase();
    // A plain ending, such as .png, is no more than an extension.
    let is_long = |end: &&str| end.matches('.').count() > 1;
    let by_ending = outputs.iter().find(|about| {
        about.endings.iter().filter(|end| is_long(end)).any(|end| file.ends_with(end))
    });
    let by_extension = || {
        let extension = file.rsplit_once('.')?.1;
        let mut may = outputs.iter().filter(|about| about.extensions().any(|end| end == extension));
        may.clone().find(|about| !about.needs_labels).or_else(|| may.next())
    };
    by_ending.or_else(by_extension).map(|about| about.name).ok_or_else(|| {
        let mut ends: Vec<&str> = outputs.iter().flat_map(About::extensions).collect();
        ends.sort_unstable();
        ends.dedup();
        wrong(format!("{}: a result's name ends in .{}", path.display(), ends.join(", .")))
    })
}

/// Refuses to replace what was read.
pub fn check_input(input: &Path, path: &Path) -> PyResult<()> {
    let [input, output] = [input, path].map(|path| std::fs::canonicalize(path).ok());
    if input.is_some() && input == output {
        return Err(wrong(format!("{}: it was read, and would be replaced", path.display())));
    }
    Ok(())
}
