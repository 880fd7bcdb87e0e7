//! The house stays in order: no file of the library imports one that imports it, directly or by way of others, and
//! no two folders import each other.
//!
//! What a file imports is read from its text: `use`, and paths that begin with `crate`, `super` or a module of its
//! own. A name that a front (`mod.rs`, `lib.rs`) passes on counts as one of the file that it comes from. Tests
//! inside a file may import what they like.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

/// A module by the parts of its path; the front of the library has none.
type Module = Vec<String>;

/// The files of the library.
struct House {
    /// Their text without comments, literals and tests.
    files: BTreeMap<Module, String>,
    /// What each passes on: by its name here, the path that it has.
    fronts: BTreeMap<Module, BTreeMap<String, Module>>,
}

impl House {
    fn read() -> House {
        let mut files = BTreeMap::new();
        walk(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"), &mut Vec::new(), &mut files);
        let mut house = House { files, fronts: BTreeMap::new() };
        let passed_on = |(module, text): (&Module, &String)| {
            let uses = uses(text).into_iter().filter(|(is_public, _)| *is_public);
            let paths = uses.filter_map(|(_, path)| house.absolute(module, &path));
            (module.clone(), paths.filter_map(|path| Some((path.last()?.clone(), path))).collect())
        };
        house.fronts = house.files.iter().map(passed_on).collect();
        house
    }

    /// A path as seen from the front of the library; none if it is one of another crate.
    fn absolute(&self, module: &Module, path: &[String]) -> Option<Module> {
        let parts =
            |of: &[String]| of.iter().filter(|p| *p != "self" && *p != "*").cloned().collect();
        match path.first()?.as_str() {
            "crate" => Some(parts(&path[1..])),
            "self" => Some([module.clone(), parts(path)].concat()),
            "super" => {
                let up = path.iter().take_while(|part| *part == "super").count();
                let from = module.get(..module.len().checked_sub(up)?)?;
                Some([from.to_vec(), parts(&path[up..])].concat())
            }
            child => {
                let inside = [module.as_slice(), &[child.to_owned()]].concat();
                let is_own = self.files.contains_key(&inside);
                is_own.then(|| [module.clone(), parts(path)].concat())
            }
        }
    }

    /// The file that defines what a path names.
    fn file_of(&self, path: &[String], depth: usize) -> Module {
        let known = (0..=path.len()).rev().find(|&n| self.files.contains_key(&path[..n]));
        let (module, rest) = path.split_at(known.unwrap_or(0));
        let passed_on = rest.first().and_then(|name| self.fronts.get(module)?.get(name));
        match passed_on {
            Some(from) if depth < 8 => {
                self.file_of(&[from.as_slice(), &rest[1..]].concat(), depth + 1)
            }
            _ => module.to_vec(),
        }
    }

    /// What each file imports.
    fn imports(&self) -> BTreeMap<Module, BTreeSet<Module>> {
        let of = |(module, text): (&Module, &String)| {
            let mut paths: Vec<Vec<String>> = uses(text)
                .into_iter()
                .filter(|(is_public, _)| !is_public)
                .map(|(_, path)| path)
                .collect();
            paths.extend(self.paths(module, text));
            let files = paths.iter().filter_map(|path| self.absolute(module, path));
            let files = files.map(|path| self.file_of(&path, 0)).filter(|file| file != module);
            (module.clone(), files.collect())
        };
        self.files.iter().map(of).collect()
    }

    /// The paths that stand in the text elsewhere than in a `use`.
    fn paths(&self, module: &Module, text: &str) -> Vec<Vec<String>> {
        let is_name = |c: char| c.is_alphanumeric() || c == '_' || c == ':';
        let children = self.files.keys().filter(|m| m.len() == module.len() + 1);
        let children: BTreeSet<&str> = children
            .filter(|m| m.starts_with(module))
            .filter_map(|m| m.last().map(String::as_str))
            .collect();
        let path = |word: &str| {
            let parts: Vec<String> = word.split("::").map(str::to_owned).collect();
            let first = parts.first()?.as_str();
            let is_ours = matches!(first, "crate" | "super") || children.contains(first);
            (parts.len() > 1 && is_ours).then_some(parts)
        };
        without_uses(text).split(|c: char| !is_name(c)).filter_map(path).collect()
    }
}

/// Reads the files of a folder.
fn walk(folder: &Path, module: &mut Module, files: &mut BTreeMap<Module, String>) {
    for entry in fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
        let name = entry.file_stem().unwrap().to_str().unwrap().to_owned();
        if entry.is_dir() {
            module.push(name);
            walk(&entry, module, files);
            module.pop();
        } else if entry.extension().is_some_and(|e| e == "rs") && name != "main" {
            let mut own = module.clone();
            own.extend(Some(name).filter(|name| name != "mod" && name != "lib"));
            files.insert(own, plain(&fs::read_to_string(&entry).unwrap()));
        }
    }
}

/// The text of a file without its tests, comments and the content of its literals.
fn plain(text: &str) -> String {
    let is_test = |line: &str| line.contains("mod tests");
    let mut lines = Vec::new();
    let mut last = "";
    for line in text.lines() {
        // The tests of a file are its end.
        if last == "#[cfg(test)]" && is_test(line) {
            break;
        }
        last = line;
        let code = line.split("//").next().unwrap_or_default();
        // How far something is visible is no import.
        let code = code.replace("(in super::super", "(").replace("(in super", "(");
        lines.push(code.split('"').step_by(2).collect::<Vec<&str>>().join("\"\""));
    }
    lines.join("\n")
}

/// The text between and after the `use` of a file.
fn without_uses(text: &str) -> String {
    let parts = text.split("use ").skip(1).map(|part| part.split_once(';').map_or("", |p| p.1));
    text.split("use ").take(1).chain(parts).collect::<Vec<&str>>().join(" ")
}

/// What a file uses, name by name, and whether it passes it on.
fn uses(text: &str) -> Vec<(bool, Vec<String>)> {
    let mut all = Vec::new();
    let mut before = None;
    for part in text.split("use ") {
        let line = before.map(|text: &str| text.rsplit('\n').next().unwrap_or_default().trim());
        let is_public = line.is_some_and(|line| line.starts_with("pub"));
        if is_public || line.is_some_and(str::is_empty) {
            let tree = part.split(';').next().unwrap_or_default();
            let tree: String = tree.split_whitespace().collect::<Vec<&str>>().join(" ");
            names(&tree, &mut |path| {
                let path = path.split(" as ").next().unwrap_or_default();
                all.push((is_public, path.split("::").map(|p| p.trim().to_owned()).collect()));
            });
        }
        before = Some(part);
    }
    all
}

/// Calls `each` with the paths of a tree such as `a::{b, c::{d, e}}`.
fn names(tree: &str, each: &mut dyn FnMut(&str)) {
    let Some((front, rest)) = tree.split_once('{') else { return each(tree.trim()) };
    let inside = rest.rsplit_once('}').map_or(rest, |(inside, _)| inside);
    let (mut depth, mut start) = (0, 0);
    for (at, c) in inside.char_indices().chain([(inside.len(), ',')]) {
        match c {
            '{' => depth += 1,
            '}' => depth -= 1,
            ',' if depth == 0 => {
                let part = inside[start..at].trim();
                if !part.is_empty() {
                    names(&format!("{}{part}", front.trim()), each);
                }
                start = at + 1;
            }
            _ => {}
        }
    }
}

/// A way from a node back to itself, if there is one.
fn cycle(graph: &BTreeMap<Module, BTreeSet<Module>>) -> Option<String> {
    fn visit<'a>(
        graph: &'a BTreeMap<Module, BTreeSet<Module>>,
        at: &'a Module,
        way: &mut Vec<&'a Module>,
        done: &mut BTreeSet<&'a Module>,
    ) -> Option<String> {
        if let Some(first) = way.iter().position(|m| *m == at) {
            let names = way[first..].iter().chain([&at]).map(|m| m.join("::"));
            return Some(names.collect::<Vec<String>>().join(" -> "));
        }
        if !done.insert(at) {
            return None;
        }
        way.push(at);
        let found = graph.get(at).into_iter().flatten().find_map(|to| visit(graph, to, way, done));
        way.pop();
        found
    }
    let mut done = BTreeSet::new();
    graph.keys().find_map(|module| visit(graph, module, &mut Vec::new(), &mut done))
}

#[test]
fn no_file_imports_one_that_imports_it() {
    let imports = House::read().imports();
    assert!(imports.len() > 200 && imports.values().map(BTreeSet::len).sum::<usize>() > 800);
    assert_eq!(cycle(&imports), None);
}

#[test]
fn no_two_folders_import_each_other() {
    let mut folders: BTreeMap<Module, BTreeSet<Module>> = BTreeMap::new();
    for (from, to) in House::read().imports() {
        let folder = |module: &Module| module.iter().take(1).cloned().collect::<Module>();
        let own = folder(&from);
        let others = to.iter().map(folder).filter(|other| *other != own && !other.is_empty());
        folders.entry(own.clone()).or_default().extend(others);
    }
    folders.remove(&Module::new());
    assert!(folders.len() > 15);
    // Stricter than asked: nor by way of others.
    assert_eq!(cycle(&folders), None);
}

#[test]
fn a_cycle_is_seen() {
    let module = |name: &str| vec![name.to_owned()];
    let to = |names: &[&str]| names.iter().map(|name| module(name)).collect();
    let mut graph: BTreeMap<Module, BTreeSet<Module>> = BTreeMap::new();
    graph.insert(module("a"), to(&["b", "c"]));
    graph.insert(module("b"), to(&["c"]));
    graph.insert(module("c"), to(&[]));
    assert_eq!(cycle(&graph), None);
    graph.insert(module("c"), to(&["a"]));
    assert_eq!(cycle(&graph).as_deref(), Some("a -> b -> c -> a"));
    let text = plain(
        "use a::{b, c::{self, D as E}};\npub use super::x; // crate::no\nlet s = \"crate::no\";",
    );
    let found: Vec<(bool, String)> =
        uses(&text).into_iter().map(|(public, path)| (public, path.join("::"))).collect();
    let expected = [(false, "a::b"), (false, "a::c::self"), (false, "a::c::D"), (true, "super::x")];
    assert_eq!(found, expected.map(|(public, path)| (public, path.to_owned())));
    assert!(!without_uses(&text).contains("crate"));
}
