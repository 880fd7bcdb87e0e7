//! The folder of the results: who may write there, and what lies where.

use planes::Error;
use planes::atomic::remove_leftovers;
use std::ffi::OsString;
use std::fs::{self, File, TryLockError};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// Below the folder: what a batch keeps for itself.
const OWN: &str = ".planes";
/// Below that: a record of each file, named as its results are.
const RECORDS: &str = "done";
/// Below [`OWN`]: results of the files at work, until all of a file are whole.
const FRESH: &str = "new";
/// Below [`OWN`]: an empty file that is locked while a batch is at work. It stays, for another
/// batch may be about to lock it.
const LOCK: &str = "lock";

/// The folder of the results, held by one batch at a time.
#[derive(Debug)]
pub struct Folder {
    path: PathBuf,
    /// Unlocked when it is closed, by whatever end the program comes to.
    _lock: File,
}

impl Folder {
    /// Makes the folder if it is missing, locks it and clears away what a killed run left.
    pub fn open(path: &Path) -> Result<Folder, Error> {
        let own = path.join(OWN);
        fs::create_dir_all(&own).map_err(Error::io(path))?;
        let name = own.join(LOCK);
        let file = File::options().create(true).truncate(false).write(true).open(&name);
        let lock = file.map_err(Error::io(&name))?;
        match lock.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                let message = format!("--out {}: another batch is at work there", path.display());
                return Err(Error::Parameter(message));
            }
            Err(TryLockError::Error(error)) if error.kind() == ErrorKind::Unsupported => {
                log::warn!("{}: no locks there; run one batch at a time", path.display());
            }
            Err(TryLockError::Error(error)) => return Err(Error::io(name)(error)),
        }
        let folder = Folder { path: path.to_path_buf(), _lock: lock };
        remove_leftovers(&own)?;
        match fs::remove_dir_all(own.join(FRESH)) {
            Err(error) if error.kind() != ErrorKind::NotFound => {
                return Err(Error::io(own.join(FRESH))(error));
            }
            _ => {}
        }
        folder.clear(Path::new(""))?;
        Ok(folder)
    }

    /// Removes the leftovers from a folder of results, that of its records, and those below. Every
    /// folder of results has one of records, which was made before it.
    fn clear(&self, below: &Path) -> Result<(), Error> {
        let records = self.path.join(OWN).join(RECORDS).join(below);
        remove_leftovers(&self.path.join(below))?;
        remove_leftovers(&records)?;
        let Ok(entries) = fs::read_dir(&records) else { return Ok(()) };
        for entry in entries {
            let entry = entry.map_err(Error::io(&records))?;
            if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                self.clear(&below.join(entry.file_name()))?;
            }
        }
        Ok(())
    }

    /// As the user named it.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The result of the file called `name` whose own name ends in `ending`.
    pub fn result(&self, name: &Path, ending: &str) -> PathBuf {
        with_ending(self.path.join(name), ending)
    }

    /// The same until it is whole.
    pub fn fresh(&self, name: &Path, ending: &str) -> PathBuf {
        with_ending(self.path.join(OWN).join(FRESH).join(name), ending)
    }

    /// The record of the file called `name`.
    pub fn record(&self, name: &Path) -> PathBuf {
        record(&self.path, name)
    }

    /// Makes the folders that the files of `name` go to.
    pub fn make_room(&self, name: &Path) -> Result<(), Error> {
        for file in [self.record(name), self.result(name, ""), self.fresh(name, "")] {
            let folder = file.parent().unwrap_or(&self.path);
            fs::create_dir_all(folder).map_err(Error::io(folder))?;
        }
        Ok(())
    }
}

/// Where `folder` has the record of the file called `name`.
pub fn record(folder: &Path, name: &Path) -> PathBuf {
    with_ending(folder.join(OWN).join(RECORDS).join(name), ".json")
}

fn with_ending(path: PathBuf, ending: &str) -> PathBuf {
    let mut path = OsString::from(path);
    path.push(ending);
    path.into()
}
