//! What a shard did, kept in the folder of the results until `--collect` joins all of them.

use super::folder::Folder;
use super::shard::Shard;
use super::summary::{Line, Options};
use crate::cli::words::listed;
use planes::{Error, atomic};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use std::fs;
use std::io::Write;
use std::path::Path;

/// What the shards of one batch have in common, beside their number.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Task {
    /// Version of the program.
    pub version: String,
    /// Digest of the names of all files and of their results.
    pub list: String,
    /// The options that decide what is found.
    pub options: Options,
    /// Those that decide what is written.
    pub outputs: Value,
}

/// What one of them did.
#[derive(Debug, Serialize, Deserialize)]
pub struct Share {
    #[serde(flatten)]
    task: Task,
    lines: Vec<Line>,
}

impl Task {
    pub fn new(files: &[(String, String)], options: Options, outputs: Value) -> Task {
        let list = digest(&json!(files));
        Task { version: env!("CARGO_PKG_VERSION").to_owned(), list, options, outputs }
    }

    /// A name that no other task has, nor this one in another number of shards.
    pub fn id(&self, of: u32) -> String {
        digest(&json!([self, of]))[..16].to_owned()
    }

    /// What another task has that this one has not, if they differ.
    fn difference(&self, other: &Task) -> Option<&'static str> {
        let Task { version, list, options, outputs } = self;
        if *version != other.version {
            Some("was done by another version of planes")
        } else if *list != other.list {
            Some("is of another list of files")
        } else if *options != other.options || *outputs != other.outputs {
            Some("was done with other options")
        } else {
            None
        }
    }
}

impl Share {
    pub fn new(task: Task, lines: Vec<Line>) -> Share {
        Share { task, lines }
    }

    pub fn save(&self, folder: &Folder, shard: Shard) -> Result<(), Error> {
        atomic::save(&folder.share(shard), |file| {
            serde_json::to_writer_pretty(&mut *file, self)?;
            file.write_all(b"\n")
        })
    }

    /// None where it is missing, or from a version that wrote something else.
    fn read(path: &Path) -> Option<Share> {
        serde_json::from_slice(&fs::read(path).ok()?).ok()
    }
}

/// Everything that the shards of a folder say of their files, sorted as in one batch, with their options.
pub fn joined(folder: &Folder, of: Option<u32>) -> Result<(Vec<Line>, Options), Error> {
    let wrong =
        |what: String| Error::Parameter(format!("--collect: {}: {what}", folder.path().display()));
    let of = match (of, &folder.counts_of_shards()?[..]) {
        (Some(of), _) | (None, &[of]) => of,
        (None, []) => return Err(wrong("no shard was done there".into())),
        (None, several) => {
            let last = several[several.len() - 1];
            let counts = first_of(several);
            let what = format!("shards of {counts} were done there; say which: --collect={last}");
            return Err(wrong(what));
        }
    };
    let all = (1..=of).map(|number| Shard { number, of });
    let shares: Vec<_> = all.map(|shard| (shard, Share::read(&folder.share(shard)))).collect();
    let missing = shares.iter().filter(|(_, share)| share.is_none());
    let missing: Vec<u32> = missing.map(|(shard, _)| shard.number).collect();
    match missing.len() {
        0 => {}
        1 => return Err(wrong(format!("shard {} of {of} is not done", missing[0]))),
        _ => return Err(wrong(format!("shards {} of {of} are not done", first_of(&missing)))),
    }
    let mut shares = shares.into_iter().filter_map(|(shard, share)| Some((shard, share?)));
    let Some((_, first)) = shares.next() else { return Err(wrong("no shard".into())) };
    let Share { task, mut lines } = first;
    for (shard, share) in shares {
        if let Some(what) = task.difference(&share.task) {
            let first = Shard { number: 1, ..shard };
            return Err(wrong(format!("shard {shard} {what} than shard {first}")));
        }
        lines.extend(share.lines);
    }
    lines.sort_by_cached_key(Line::path);
    Ok((lines, task.options))
}

/// Numbers in words: `3, 7 and 9`; of many the first.
fn first_of(numbers: &[u32]) -> String {
    const MOST: usize = 10;
    let shown: Vec<String> = numbers.iter().take(MOST).map(u32::to_string).collect();
    match numbers.len() {
        n if n > MOST => format!("{} and {} more", shown.join(", "), n - MOST),
        _ => listed(&shown, "and"),
    }
}

/// SHA-256 of a value, in hexadecimal digits.
fn digest(value: &Value) -> String {
    let digest = Sha256::digest(value.to_string());
    digest.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::first_of;

    #[test]
    fn numbers_are_listed_in_words() {
        let text = |n: u32| first_of(&Vec::from_iter(1..=n));
        assert_eq!([text(1), text(2), text(3)], ["1", "1 and 2", "1, 2 and 3"]);
        assert_eq!(text(12), "1, 2, 3, 4, 5, 6, 7, 8, 9, 10 and 2 more");
    }
}
