//! What the results of each file are called.

use super::inputs::Input;
use crate::cli::stem::stem;
use std::collections::HashMap;
use std::ffi::OsString;
use std::path::{Component, Path, PathBuf};

/// A name below the folder of the results for each input, without ending; no two are the same.
///
/// It is the file's own without extension (of a compressed file, without both), below the folders that were inside a folder that was
/// given. Where several would have one name, all of them get their extension, then the folder above,
/// then that and the extension, and so on until they differ. So a name depends on which files are
/// named together, but neither on their order nor on what was done before.
pub fn names(inputs: &[Input]) -> Vec<PathBuf> {
    let mut levels = vec![0; inputs.len()];
    loop {
        let mut names: Vec<PathBuf> = Vec::with_capacity(inputs.len());
        names.extend(inputs.iter().zip(&levels).map(|(input, &level)| name(input, level)));
        let mut shared: HashMap<PathBuf, Vec<usize>> = HashMap::new();
        for (i, name) in names.iter().enumerate() {
            shared.entry(key(name)).or_default().push(i);
        }
        // The summary's name is taken.
        let taken = |(name, files): &(&PathBuf, &Vec<usize>)| files.len() > 1 || *name == "summary";
        let again = shared.iter().filter(taken).flat_map(|(_, files)| files);
        let again = again.filter(|&&i| levels[i] < last(&inputs[i])).copied().collect::<Vec<_>>();
        if again.is_empty() {
            return names;
        }
        again.iter().for_each(|&i| levels[i] += 1);
    }
}

/// What tells names apart: on some systems capital and small letters are one.
fn key(name: &Path) -> PathBuf {
    if cfg!(any(windows, target_vendor = "apple")) {
        name.to_string_lossy().to_lowercase().into()
    } else {
        name.to_path_buf()
    }
}

/// The level at which a file has all its folders and its extension.
fn last(input: &Input) -> usize {
    2 * (folders(input).len() - input.depth.min(folders(input).len())) + 1
}

/// The name with `level / 2` more folders than asked for and, at odd levels, the extension.
fn name(input: &Input, level: usize) -> PathBuf {
    let folders = folders(input);
    let kept = (input.depth + level / 2).min(folders.len());
    let mut path: PathBuf = folders[folders.len() - kept..].iter().collect();
    let name =
        if level.is_multiple_of(2) { stem(&input.identity) } else { input.identity.file_name() };
    path.push(name.unwrap_or_default());
    path
}

/// The names of the folders above a file, outermost first.
fn folders(input: &Input) -> Vec<OsString> {
    let parent = input.identity.parent().unwrap_or(Path::new("")).components();
    let named = parent.filter_map(|part| match part {
        Component::Normal(name) => Some(name.to_os_string()),
        _ => None,
    });
    named.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The names of absolute paths, each with the number of folders that were inside the argument.
    fn of(files: &[(&str, usize)]) -> Vec<String> {
        let inputs: Vec<Input> = (files.iter())
            .map(|&(path, depth)| Input { path: path.into(), identity: path.into(), depth })
            .collect();
        names(&inputs).iter().map(|n| n.to_str().unwrap().replace('\\', "/")).collect()
    }

    #[test]
    fn names_are_short_where_that_is_enough() {
        assert_eq!(of(&[("/d/a.las", 0), ("/d/b.c.laz", 0)]), ["a", "b.c"]);
        assert_eq!(of(&[("/d/a.las", 0), ("/d/e/a.las", 1)]), ["a", "e/a"]);
    }

    #[test]
    fn names_that_would_be_shared_are_told_apart() {
        assert_eq!(of(&[("/d/a.las", 0), ("/d/a.ply", 0)]), ["a.las", "a.ply"]);
        assert_eq!(of(&[("/d/a.las", 0), ("/e/a.las", 0)]), ["d/a", "e/a"]);
        assert_eq!(of(&[("/x/d/a.las", 0), ("/y/d/a.las", 0)]), ["x/d/a", "y/d/a"]);
        assert_eq!(
            of(&[("/d/a.las", 0), ("/d/a.ply", 0), ("/e/a.las", 0)]),
            ["d/a", "a.ply", "e/a"]
        );
        assert_eq!(of(&[("/d/summary.las", 0)]), ["summary.las"]);
        assert_eq!(of(&[("/x/d/a.las", 1), ("/d/a.las", 0), ("/e/a.las", 0)])[0], "x/d/a");
    }

    #[test]
    fn the_order_of_the_files_does_not_matter() {
        let files = [("/d/a.las", 0), ("/d/a.ply", 0), ("/e/a.las", 0), ("/e/f/a.las", 1)];
        let mut back = files;
        back.reverse();
        let mut names = of(&back);
        names.reverse();
        assert_eq!(of(&files), names);
    }
}
