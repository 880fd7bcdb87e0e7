//! Files that are written whole or not at all.

use crate::{Error, Result};
use std::io::{BufWriter, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

/// A file that appears under its name when it is complete.
///
/// It is written to a temporary file in the folder of its name and renamed by
/// [`AtomicFile::commit`]; dropped before that, it leaves nothing behind.
#[derive(Debug)]
pub struct AtomicFile {
    path: PathBuf,
    file: BufWriter<tempfile::NamedTempFile>,
}

impl AtomicFile {
    /// Starts a file that will be at `path`.
    ///
    /// # Errors
    /// [`Error::Io`] on `path` when its folder cannot be written to.
    pub fn create(path: &Path) -> Result<AtomicFile> {
        let folder = match path.parent() {
            Some(folder) if !folder.as_os_str().is_empty() => folder,
            _ => Path::new("."),
        };
        let mut builder = tempfile::Builder::new();
        builder.prefix(".planes-");
        // A temporary file is private by default; the finished one has the usual permissions.
        #[cfg(unix)]
        builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
        let file = builder.tempfile_in(folder).map_err(Error::io(path))?;
        Ok(AtomicFile { path: path.to_path_buf(), file: BufWriter::with_capacity(1 << 16, file) })
    }

    /// The name the file will have.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Puts the file in its place, over an earlier one of that name.
    ///
    /// # Errors
    /// [`Error::Io`] when the last bytes cannot be written or the file cannot be renamed.
    pub fn commit(self) -> Result<()> {
        let file = self.file.into_inner().map_err(|e| Error::io(&self.path)(e.into_error()))?;
        file.persist(&self.path).map_err(|e| Error::io(&self.path)(e.error))?;
        Ok(())
    }
}

impl Write for AtomicFile {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.file.write(bytes)
    }
    fn flush(&mut self) -> std::io::Result<()> {
        self.file.flush()
    }
}

impl Seek for AtomicFile {
    fn seek(&mut self, to: SeekFrom) -> std::io::Result<u64> {
        self.file.seek(to)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(folder: &Path) -> Vec<String> {
        let entries = std::fs::read_dir(folder).unwrap();
        entries.map(|e| e.unwrap().file_name().into_string().unwrap()).collect()
    }

    #[test]
    fn a_file_appears_when_it_is_committed_and_replaces_the_old_one() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.txt");
        for text in ["first", "second"] {
            let mut file = AtomicFile::create(&path).unwrap();
            file.write_all(text.as_bytes()).unwrap();
            file.commit().unwrap();
            assert_eq!(std::fs::read_to_string(&path).unwrap(), text);
        }
        assert_eq!(names(folder.path()), ["a.txt"]);
    }

    #[test]
    fn a_file_that_is_dropped_leaves_nothing_behind() {
        let folder = tempfile::tempdir().unwrap();
        let mut file = AtomicFile::create(&folder.path().join("a.txt")).unwrap();
        file.write_all(b"half").unwrap();
        drop(file);
        assert!(names(folder.path()).is_empty());
    }

    #[test]
    fn a_missing_folder_is_an_error_with_the_path() {
        let error = AtomicFile::create(Path::new("/no/such/folder/a.txt")).unwrap_err();
        assert!(error.to_string().starts_with("/no/such/folder/a.txt: "));
    }
}
