//! Patterns, expanded as a shell would have done it, whatever bytes the names of files are made of.

use glob::{MatchOptions, Pattern, PatternError};
use std::ffi::OsStr;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// What a pattern led to.
#[derive(Debug, Default)]
pub struct Expanded {
    pub paths: Vec<PathBuf>,
    /// Folders that could not be searched.
    pub failed: Vec<(PathBuf, io::Error)>,
}

/// A part of a pattern, between separators.
enum Part<'a> {
    /// A name.
    Plain(&'a OsStr),
    /// `**`: any folders, or none.
    Deep,
    /// Anything else with wildcards.
    Any(Pattern),
}

/// Whether a text is a pattern rather than a name.
pub fn is_pattern(text: &str) -> bool {
    text.contains(['*', '?', '['])
}

/// The files and folders that a pattern matches.
pub fn expand(pattern: &str) -> Result<Expanded, PatternError> {
    let mut parts = Vec::new();
    for component in Path::new(pattern).components() {
        let name = component.as_os_str();
        parts.push(match name.to_str() {
            Some("**") => Part::Deep,
            Some(text) if is_pattern(text) => Part::Any(Pattern::new(text)?),
            _ => Part::Plain(name),
        });
    }
    let mut found = Expanded::default();
    found.walk(Path::new(""), &parts);
    Ok(found)
}

impl Expanded {
    /// Adds what the parts match in a folder.
    fn walk(&mut self, folder: &Path, parts: &[Part]) {
        let Some((part, rest)) = parts.split_first() else {
            self.paths.push(folder.to_path_buf());
            return;
        };
        match part {
            Part::Plain(name) => {
                let path = folder.join(name);
                if fs::symlink_metadata(&path).is_ok() {
                    self.walk(&path, rest);
                }
            }
            Part::Any(pattern) => {
                for path in self.entries(folder) {
                    let name = path.file_name().unwrap_or_default();
                    if matches(pattern, name) && (rest.is_empty() || path.is_dir()) {
                        self.walk(&path, rest);
                    }
                }
            }
            Part::Deep => {
                self.walk(folder, rest);
                // At the end it is all that the folder holds, which whoever gets the folder looks for.
                let below = if rest.is_empty() { Vec::new() } else { self.entries(folder) };
                for path in below {
                    // A link may lead in circles.
                    let is_folder = fs::symlink_metadata(&path).is_ok_and(|found| found.is_dir());
                    if is_folder && !is_hidden(path.file_name().unwrap_or_default()) {
                        self.walk(&path, parts);
                    }
                }
            }
        }
    }

    /// What lies in a folder, sorted.
    fn entries(&mut self, folder: &Path) -> Vec<PathBuf> {
        let named = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
        let entries = fs::read_dir(named).and_then(Iterator::collect::<io::Result<Vec<_>>>);
        match entries {
            Ok(entries) => {
                let paths = entries.iter().map(|entry| folder.join(entry.file_name()));
                let mut paths: Vec<PathBuf> = paths.collect();
                paths.sort();
                paths
            }
            Err(error) => {
                self.failed.push((named.to_path_buf(), error));
                Vec::new()
            }
        }
    }
}

/// Whether a name is that of a pattern. A byte that is no text is a character that only wildcards match.
fn matches(pattern: &Pattern, name: &OsStr) -> bool {
    let as_shells_do = MatchOptions {
        case_sensitive: true,
        require_literal_separator: true,
        require_literal_leading_dot: true,
    };
    pattern.matches_with(&name.to_string_lossy(), as_shells_do)
}

fn is_hidden(name: &OsStr) -> bool {
    name.as_encoded_bytes().starts_with(b".")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pattern_is_expanded_as_shells_do() {
        let folder = tempfile::tempdir().unwrap();
        let files = ["a.las", "b.laz", ".c.las", "d/a.las", "d/e/b.las", ".h/a.las", "d/x.txt"];
        for file in files {
            let path = folder.path().join(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, "").unwrap();
        }
        for (pattern, expected) in [
            ("*.las", &["a.las"][..]),
            ("?.la[sz]", &["a.las", "b.laz"]),
            (".*.las", &[".c.las"]),
            ("*/a.las", &["d/a.las"]),
            (".*/a.las", &[".h/a.las"]),
            ("**/*.las", &["a.las", "d/a.las", "d/e/b.las"]),
            ("d/**/b.las", &["d/e/b.las"]),
            ("d/**", &["d"]),
            ("*.ply", &[]),
            ("none/*", &[]),
        ] {
            let text = format!("{}/{pattern}", folder.path().display());
            let paths = expand(&text).unwrap().paths;
            let below = |path: &PathBuf| {
                path.strip_prefix(folder.path()).unwrap().to_str().unwrap().replace('\\', "/")
            };
            assert_eq!(paths.iter().map(below).collect::<Vec<_>>(), expected, "{pattern}");
        }
        assert!(expand("[").is_err());
        assert!(expand("a**").is_err());
    }
}
