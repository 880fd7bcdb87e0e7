//! What is remembered of a file, so that it is not done twice.
//!
//! A record holds nothing of when or how the file was done but how long it took, so the same files and
//! options leave the same records otherwise. The time of the file's last change stands on the record, as the record's own:
//! where the two agree, the file is not read again; where they do not, its digest decides.

use super::folder::{self, Folder};
use super::wanted::Target;
use planes::Error;
use planes::atomic;
use planes::export::Style;
use planes::export::labels::LabelBy;
use planes::input::Kind;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::Path;
use std::time::SystemTime;

/// The record of one file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Record {
    /// The file as it was named.
    pub file: String,
    /// The one path of the file, however it was named.
    pub place: String,
    /// Version of the program.
    pub version: String,
    /// The options that decide what is found.
    pub options: serde_json::Value,
    /// Endings of the results. Until `done`, of all that may be there.
    pub results: BTreeMap<String, Written>,
    /// Nothing while the results are being replaced.
    pub done: Option<Done>,
}

/// A result.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Written {
    /// Size of its file.
    pub bytes: u64,
    /// Of labels, whether they are also by piece.
    pub by_piece: bool,
    /// Of a picture of a cloud, which axis is up, as that is asked for.
    pub up: String,
}

impl Written {
    pub fn new(bytes: u64, style: Style) -> Written {
        Written { bytes, by_piece: style.by == LabelBy::Piece, up: style.up.to_string() }
    }

    /// What it is like.
    pub fn style(&self) -> Style {
        let by = if self.by_piece { LabelBy::Piece } else { LabelBy::Plane };
        Style { by, up: self.up.parse().unwrap_or_default() }
    }
}

/// What came of a file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Done {
    /// Size of the file.
    pub bytes: u64,
    /// SHA-256 of the file.
    pub sha256: String,
    /// What was found in it.
    pub found: Counts,
    /// What was said about it.
    pub warnings: Vec<String>,
    /// How long it took. That, and nothing else, may differ from run to run.
    pub seconds: f64,
}

/// What was found in a file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Counts {
    Cloud {
        /// Whether it is text, which alone has columns to be named.
        is_text: bool,
        /// Points of the file, and those that were searched.
        points: u64,
        #[serde(alias = "chosen")]
        searched: u64,
        planes: u64,
        /// Points that belong to a plane.
        labelled: u64,
        /// Of all planes, in the cloud's own unit.
        area: f64,
    },
    Image {
        pixels: u64,
        lines: u64,
    },
}

/// What tells without reading whether a file was changed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Stamp {
    bytes: u64,
    /// Where the system knows.
    changed: Option<SystemTime>,
}

impl Stamp {
    pub fn of(path: &Path) -> Result<Stamp, Error> {
        let found = fs::metadata(path).map_err(Error::io(path))?;
        Ok(Stamp { bytes: found.len(), changed: found.modified().ok() })
    }

    pub fn bytes(&self) -> u64 {
        self.bytes
    }
}

impl Record {
    /// The record of the file called `name`; none if it cannot be read, and the file is done anew.
    pub fn read(folder: &Folder, name: &Path) -> Option<Record> {
        Record::at(folder.path(), name)
    }

    /// The same in a folder that nobody has opened.
    pub fn at(folder: &Path, name: &Path) -> Option<Record> {
        serde_json::from_slice(&fs::read(folder::record(folder, name)).ok()?).ok()
    }

    /// Writes the record, and on it the time of the file's last change.
    pub fn save(&self, folder: &Folder, name: &Path, stamp: &Stamp) -> Result<(), Error> {
        let path = folder.record(name);
        atomic::save(&path, |file| {
            serde_json::to_writer_pretty(&mut *file, self)?;
            file.write_all(b"\n")
        })?;
        if let Some(changed) = stamp.changed {
            // Without it the file is read again next time, and found to be the same.
            let _ = File::options().write(true).open(path).and_then(|f| f.set_modified(changed));
        }
        Ok(())
    }

    /// The results of a file of this kind.
    pub fn results(&self, kind: Kind) -> impl Iterator<Item = Target> {
        let target = move |(ending, written): (&String, &Written)| {
            Target::new(kind, ending, written.style())
        };
        self.results.iter().filter_map(target)
    }

    /// Whether a result is there, as it was written.
    pub fn has(&self, folder: &Folder, name: &Path, ending: &str, style: Style) -> bool {
        let Some(written) = self.results.get(ending) else { return false };
        let found = fs::metadata(folder.result(name, ending));
        written.style() == style
            && found.is_ok_and(|found| found.is_file() && found.len() == written.bytes)
    }

    /// Whether the record was written when the file had this stamp.
    pub fn has_stamp(folder: &Folder, name: &Path, stamp: &Stamp) -> bool {
        let found = fs::metadata(folder.record(name)).and_then(|found| found.modified());
        stamp.changed.is_some() && found.ok() == stamp.changed
    }
}

/// SHA-256 of a file, in hexadecimal digits.
pub fn digest(path: &Path, advance: &dyn Fn(u64)) -> Result<String, Error> {
    let mut file = File::open(path).map_err(Error::io(path))?;
    let mut digest = Sha256::new();
    let mut buffer = vec![0; 1 << 18];
    loop {
        match file.read(&mut buffer) {
            Ok(0) => break,
            Ok(n) => {
                digest.update(&buffer[..n]);
                advance(n as u64);
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(Error::io(path)(error)),
        }
    }
    Ok(digest.finalize().iter().map(|byte| format!("{byte:02x}")).collect())
}

#[cfg(test)]
mod tests {
    use super::digest;
    use std::cell::Cell;

    #[test]
    fn the_digest_is_sha_256() {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), "abc").unwrap();
        let read = Cell::new(0);
        // The example of FIPS 180-4.
        let expected = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        assert_eq!(digest(file.path(), &|n| read.set(read.get() + n)).unwrap(), expected);
        assert_eq!(read.get(), 3);
    }
}
