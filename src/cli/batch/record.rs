//! What is remembered of a file, so that it is not done twice.
//!
//! A record holds nothing of when or how the file was done, so the same files and options leave the
//! same records. The time of the file's last change stands on the record, as the record's own:
//! where the two agree, the file is not read again; where they do not, its digest decides.

use super::folder::Folder;
use planes::Error;
use planes::atomic::AtomicFile;
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
    /// Version of the program.
    pub version: String,
    /// The options that decide the result.
    pub options: serde_json::Value,
    /// Endings of the results, each with its size in bytes. Until `done`, of all that may be there.
    pub results: BTreeMap<String, u64>,
    /// Nothing while the results are being written.
    pub done: Option<Done>,
}

/// What came of a file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Done {
    /// Size of the file.
    pub bytes: u64,
    /// SHA-256 of the file.
    pub sha256: String,
    pub points: u64,
    pub planes: u64,
    /// Points that belong to a plane.
    pub labelled: u64,
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
        serde_json::from_slice(&fs::read(folder.record(name)).ok()?).ok()
    }

    /// Writes the record, and on it the time of the file's last change.
    pub fn save(&self, folder: &Folder, name: &Path, stamp: &Stamp) -> Result<(), Error> {
        let path = folder.record(name);
        let mut file = AtomicFile::create(&path)?;
        serde_json::to_writer_pretty(&mut file, self)
            .map_err(io::Error::from)
            .and_then(|()| file.write_all(b"\n"))
            .map_err(Error::io(&path))?;
        file.commit()?;
        if let Some(changed) = stamp.changed {
            // Without it the file is read again next time, and found to be the same.
            let _ = File::options().write(true).open(path).and_then(|f| f.set_modified(changed));
        }
        Ok(())
    }

    /// Whether the results are there, as they were written.
    pub fn results_are_there(&self, folder: &Folder, name: &Path) -> bool {
        self.results.iter().all(|(ending, &bytes)| {
            let found = fs::metadata(folder.result(name, ending));
            found.is_ok_and(|found| found.is_file() && found.len() == bytes)
        })
    }

    /// Whether the record was written when the file had this stamp.
    pub fn has_stamp(folder: &Folder, name: &Path, stamp: &Stamp) -> bool {
        let found = fs::metadata(folder.record(name)).and_then(|found| found.modified());
        stamp.changed.is_some() && found.ok() == stamp.changed
    }

    /// Removes the results, and the record last.
    pub fn discard(&self, folder: &Folder, name: &Path) -> Result<(), Error> {
        for ending in self.results.keys() {
            remove(&folder.result(name, ending))?;
        }
        remove(&folder.record(name))
    }
}

/// Removes a file; none is as good.
pub fn remove(path: &Path) -> Result<(), Error> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(Error::io(path)(error)),
        _ => Ok(()),
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
