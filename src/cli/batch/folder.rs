//! The folder of the results: who may write there, and what lies where.

use super::super::guard::check_folder;
use super::super::signals;
use super::shard::{MOST, Shard};
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
/// Below [`OWN`]: of each number of shards a folder, with what each shard did, and its lock.
const SHARDS: &str = "shards";

/// The folder of the results, held by one batch at a time, or by shards of one.
#[derive(Debug)]
pub struct Folder {
    path: PathBuf,
    /// Below [`OWN`]: where results are written.
    fresh: PathBuf,
    /// Unlocked when they are closed, by whatever end the program comes to.
    _locks: Vec<File>,
}

/// For whom a folder is locked.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Lock {
    One,
    /// For others who ask for the same.
    Many,
}

impl Folder {
    /// Makes the folder if it is missing, locks it and clears away what a killed run left. What shards did is
    /// forgotten, for this batch does it anew.
    pub fn open(path: &Path) -> Result<Folder, Error> {
        let folder = Folder::locked(path, Lock::One)?;
        remove_all(&folder.own(SHARDS))?;
        folder.cleared()
    }

    /// The same for a shard of a batch that is called `id`, beside its other shards. Where the same shard is
    /// at work, as that of a job that was given up may yet be, it is waited for.
    pub fn open_for(path: &Path, shard: Shard, id: &str) -> Result<Folder, Error> {
        let mut folder = Folder::locked(path, Lock::Many)?;
        let shards = folder.shards(shard.of);
        fs::create_dir_all(&shards).map_err(Error::io(&shards))?;
        let name = shards.join(format!("{}-{id}.{LOCK}", shard.number));
        let lock = open_lock(&name)?;
        if let Err(TryLockError::WouldBlock) = lock.try_lock() {
            log::warn!("--shard {shard}: already at work in {}; waiting", path.display());
            lock.lock().map_err(Error::io(&name))?;
        }
        folder._locks.push(lock);
        folder.check_shards(id)?;
        folder.fresh.push(format!("{}-of-{}", shard.number, shard.of));
        let share = folder.share(shard);
        match fs::remove_file(&share) {
            Err(error) if error.kind() != ErrorKind::NotFound => Err(Error::io(share)(error)),
            _ => folder.cleared(),
        }
    }

    /// Locks the folder in which shards were at work, so that what they did can be joined.
    pub fn open_to_join(path: &Path) -> Result<Folder, Error> {
        if !path.join(OWN).is_dir() {
            let message = format!("--collect: {}: no shard was done there", path.display());
            return Err(Error::Parameter(message));
        }
        Folder::locked(path, Lock::One)
    }

    fn locked(path: &Path, kind: Lock) -> Result<Folder, Error> {
        check_folder("--out", path)?;
        let own = path.join(OWN);
        fs::create_dir_all(&own).map_err(Error::io(path))?;
        let name = own.join(LOCK);
        let lock = open_lock(&name)?;
        let tried = if kind == Lock::One { lock.try_lock() } else { lock.try_lock_shared() };
        match tried {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(busy(path, "another batch is")),
            Err(TryLockError::Error(error)) if error.kind() == ErrorKind::Unsupported => {
                log::warn!("{}: no locks there; run one batch at a time", path.display());
            }
            Err(TryLockError::Error(error)) => return Err(Error::io(name)(error)),
        }
        let fresh = own.join(FRESH);
        Ok(Folder { path: path.to_path_buf(), fresh, _locks: vec![lock] })
    }

    /// Refuses to work beside shards of another batch than that called `id`: of a file that both have, the
    /// results would be of one and the record of the other.
    ///
    /// Each shard has its own lock before it looks for those of others, so of two at least one sees the other.
    fn check_shards(&self, id: &str) -> Result<(), Error> {
        let ours = format!("-{id}.{LOCK}");
        for folder in entries(&self.own(SHARDS))? {
            let names = if folder.is_dir() { entries(&folder)? } else { Vec::new() };
            for path in names {
                let name = path.file_name().unwrap_or_default().to_string_lossy();
                if !name.ends_with(LOCK) || name.ends_with(&ours) {
                    continue;
                }
                if let Err(TryLockError::WouldBlock) = open_lock(&path)?.try_lock_shared() {
                    let who = "shards with other files or options, or of another number, are";
                    return Err(busy(&self.path, who));
                }
            }
        }
        Ok(())
    }

    /// Without what a killed run left.
    fn cleared(self) -> Result<Folder, Error> {
        remove_leftovers(&self.path.join(OWN))?;
        remove_all(&self.fresh)?;
        signals::remove_at_end(Some(self.fresh.clone()));
        self.clear(Path::new(""))?;
        Ok(self)
    }

    /// The numbers of shards of which some were done, from the smallest on.
    pub fn counts_of_shards(&self) -> Result<Vec<u32>, Error> {
        let mut counts = Vec::new();
        for folder in entries(&self.own(SHARDS))? {
            let name = folder.file_name().and_then(|name| name.to_str());
            let of = name.and_then(|name| name.parse().ok());
            let Some(of) = of.filter(|&of| of <= MOST) else { continue };
            if entries(&folder)?.iter().any(|path| path.extension() == Some("json".as_ref())) {
                counts.push(of);
            }
        }
        counts.sort_unstable();
        Ok(counts)
    }

    /// What a shard did.
    pub fn share(&self, shard: Shard) -> PathBuf {
        self.shards(shard.of).join(format!("{}.json", shard.number))
    }

    fn shards(&self, of: u32) -> PathBuf {
        self.own(SHARDS).join(of.to_string())
    }

    fn own(&self, name: &str) -> PathBuf {
        self.path.join(OWN).join(name)
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
        with_ending(self.fresh.join(name), ending)
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

impl Drop for Folder {
    fn drop(&mut self) {
        // Another batch may be at work there from now on.
        signals::remove_at_end(None);
    }
}

/// Whoever is at work in a folder.
fn busy(path: &Path, who: &str) -> Error {
    Error::Parameter(format!("--out {}: {who} at work there", path.display()))
}

/// A file to be locked. On network file systems it must be open for writing to be locked for one, and for
/// reading to be locked for many.
fn open_lock(path: &Path) -> Result<File, Error> {
    let file = File::options().create(true).truncate(false).read(true).write(true).open(path);
    file.map_err(Error::io(path))
}

/// What lies in a folder; nothing where it is missing.
fn entries(folder: &Path) -> Result<Vec<PathBuf>, Error> {
    let found = match fs::read_dir(folder) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
        found => found.map_err(Error::io(folder))?,
    };
    found.map(|entry| entry.map(|entry| entry.path()).map_err(Error::io(folder))).collect()
}

/// Removes a folder with all it holds, if it is there.
fn remove_all(folder: &Path) -> Result<(), Error> {
    match fs::remove_dir_all(folder) {
        Err(error) if error.kind() != ErrorKind::NotFound => Err(Error::io(folder)(error)),
        _ => Ok(()),
    }
}

/// Whether a folder has records of a batch.
pub fn has_records(folder: &Path) -> bool {
    folder.join(OWN).join(RECORDS).is_dir()
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
