//! The bytes of a cloud, readable at any place and by many threads at once.

use super::packed::Packing;
use crate::atomic::{AtomicFile, no_temporary};
use crate::{Error, Result};
use std::{
    fs::File,
    io::{self, BufWriter, Read, Seek, SeekFrom, Write},
    ops::Range,
    path::{Path, PathBuf},
    sync::Arc,
};

/// Bytes at the start of a stream that tell what it is.
pub(crate) const HEAD: u64 = 1 << 16;
/// Most bytes of a stream, or of the content of a compressed file, that are kept.
const MOST_KEPT: u64 = 1 << 33;

/// Says what is wrong with a stream that starts so and goes on, if it cannot be read; where it is shorter
/// than [`HEAD`], that is all of it.
pub(crate) type Recognise<'a> = &'a dyn Fn(&[u8]) -> std::result::Result<(), String>;

/// A file or a run of memory with a name for error messages.
///
/// Files are read by positioned reads into buffers of the caller. A mapping would be as fast, but
/// a file that another program cuts short would then end this one by a signal.
#[derive(Debug)]
pub(crate) struct Bytes {
    path: PathBuf,
    len: u64,
    store: Store,
    packing: Option<Packing>,
}

#[derive(Debug)]
enum Store {
    File(File),
    Memory(Vec<u8>),
}

impl Bytes {
    /// The bytes of `path`; `-` is standard input. A pipe or a device, and the content of a compressed file, is
    /// first copied to an unnamed temporary file, if it starts as one that can be read does.
    pub(crate) fn of_input(path: &Path, recognise: Recognise) -> Result<Bytes> {
        if path == Path::new("-") {
            return Bytes::spool(Path::new("<stdin>"), &mut io::stdin().lock(), recognise);
        }
        let mut file = File::open(path).map_err(Error::io(path))?;
        let kind = file.metadata().map_err(Error::io(path))?;
        if kind.is_dir() {
            return Err(Error::io(path)(io::ErrorKind::IsADirectory.into()));
        }
        if !kind.is_file() {
            return Bytes::spool(path, &mut file, recognise);
        }
        let bytes = Bytes::new(path, kind.len(), Store::File(file));
        bytes.unpacked(recognise)
    }

    /// The content of a file in memory, with the name `path`.
    pub(super) fn of_memory(path: &Path, bytes: Vec<u8>, recognise: Recognise) -> Result<Bytes> {
        Bytes::memory(path, bytes).unpacked(recognise)
    }

    fn new(path: &Path, len: u64, store: Store) -> Bytes {
        Bytes { path: path.to_path_buf(), len, store, packing: None }
    }

    /// The bytes themselves, or their content where they are compressed.
    fn unpacked(self, recognise: Recognise) -> Result<Bytes> {
        match Packing::told(&self.head(0, Packing::TOLD_BY as u64)?) {
            None => Ok(self),
            Some(packing) => {
                let (path, len) = (self.path.clone(), self.len);
                let section = Section::new(Arc::new(self), 0, len);
                Bytes::keep(&path, &mut packing.content(section), recognise, Some(packing))
            }
        }
    }

    /// Everything that `from` gives, or its content where that is compressed.
    fn spool(path: &Path, from: &mut dyn Read, recognise: Recognise) -> Result<Bytes> {
        let mut start = Vec::new();
        from.take(Packing::TOLD_BY as u64).read_to_end(&mut start).map_err(Error::io(path))?;
        let packing = Packing::told(&start);
        let mut all = start.chain(from);
        match packing {
            Some(packing) => Bytes::keep(path, &mut packing.content(all), recognise, Some(packing)),
            None => Bytes::keep(path, &mut all, recognise, None),
        }
    }

    /// Everything that `from` gives, kept in an unnamed temporary file. Some streams have no end, so there
    /// is one to what is kept.
    fn keep(
        path: &Path,
        from: &mut dyn Read,
        recognise: Recognise,
        packing: Option<Packing>,
    ) -> Result<Bytes> {
        let mut head = Vec::new();
        let read = from.take(HEAD).read_to_end(&mut head);
        read.map_err(|error| unreadable(path, packing, head.len() as u64, error))?;
        recognise(&head).map_err(|message| Error::unrecognized(path, message))?;
        let mut file = tempfile::tempfile().map_err(|error| no_temporary(&error))?;
        let most = MOST_KEPT.min(room(&file) / 2).max(HEAD);
        let mut rest = head.chain(from.take(most - HEAD + 1));
        let mut len = 0;
        let mut buffer = vec![0; 1 << 16];
        loop {
            match rest.read(&mut buffer) {
                Ok(0) => break,
                Ok(n) => {
                    file.write_all(&buffer[..n]).map_err(|error| no_temporary(&error))?;
                    len += n as u64;
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(unreadable(path, packing, len, error)),
            }
        }
        if len > most {
            let folder = std::env::temp_dir();
            let (what, instead) = match packing {
                None => ("the stream does", "save it to a file"),
                Some(_) => ("what is compressed does", "unpack the file"),
            };
            let message = format!(
                "{what} not end here, and no more is kept in {}; {instead}",
                folder.display()
            );
            return Err(Error::format(path, format!("byte {most}"), message));
        }
        Ok(Bytes { packing, ..Bytes::new(path, len, Store::File(file)) })
    }

    /// What `write` writes, `len` bytes, kept in an unnamed temporary file under the name of `self`.
    pub(super) fn derived(
        &self,
        len: u64,
        write: impl FnOnce(&mut BufWriter<&File>) -> Result<()>,
    ) -> Result<Bytes> {
        let file = tempfile::tempfile().map_err(|error| no_temporary(&error))?;
        let most = MOST_KEPT.min(room(&file) / 2);
        if len > most {
            let folder = std::env::temp_dir();
            let message = format!(
                "it has to be unpacked to {len} bytes, and no more than {most} are kept in {}",
                folder.display()
            );
            return Err(Error::format(&self.path, "header", message));
        }
        let mut buffer = BufWriter::with_capacity(1 << 18, &file);
        write(&mut buffer)?;
        buffer.flush().map_err(|error| no_temporary(&error))?;
        drop(buffer);
        Ok(Bytes { packing: self.packing, ..Bytes::new(&self.path, len, Store::File(file)) })
    }

    /// Bytes in memory under the name `path`.
    pub(super) fn memory(path: &Path, bytes: Vec<u8>) -> Bytes {
        Bytes::new(path, bytes.len() as u64, Store::Memory(bytes))
    }

    /// The name shown in errors.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// How the file is compressed whose content these bytes are, if it is.
    pub(crate) fn packing(&self) -> Option<Packing> {
        self.packing
    }

    /// Number of bytes when the cloud was opened.
    pub(crate) fn len(&self) -> u64 {
        self.len
    }

    /// Fills `buffer` from `offset` on.
    pub(super) fn read_exact(&self, offset: u64, buffer: &mut [u8]) -> Result<()> {
        let mut done = 0;
        while done < buffer.len() {
            let at = offset.saturating_add(done as u64);
            match self.read_some(at, &mut buffer[done..]) {
                Ok(0) => {
                    return Err(Error::format(
                        &self.path,
                        format!("byte {at}"),
                        "the file ends early",
                    ));
                }
                Ok(n) => done += n,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(Error::io(&self.path)(error)),
            }
        }
        Ok(())
    }

    /// Appends the bytes `from..to` to `buffer`; `to` must not lie behind the end.
    pub(super) fn append(&self, from: u64, to: u64, buffer: &mut Vec<u8>) -> Result<()> {
        let old = buffer.len();
        buffer.resize(old + to.saturating_sub(from) as usize, 0);
        self.read_exact(from, &mut buffer[old..])
    }

    /// Up to `most` bytes from `offset` on; fewer only at the end.
    pub(crate) fn head(&self, offset: u64, most: u64) -> Result<Vec<u8>> {
        let to = self.len.min(offset.saturating_add(most));
        let mut buffer = Vec::new();
        self.append(offset.min(to), to, &mut buffer)?;
        Ok(buffer)
    }

    /// Copies a stretch to the place where `file` stands; gives its length, less where the bytes end before.
    pub(super) fn copy_to(
        self: &Arc<Self>,
        range: Range<u64>,
        file: &mut AtomicFile,
    ) -> Result<u64> {
        let mut section = Section::new(self.clone(), range.start, range.end);
        io::copy(&mut section, file).map_err(Error::io(file.path()))
    }

    fn read_some(&self, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
        match &self.store {
            Store::File(file) => read_at(file, offset, buffer),
            Store::Memory(bytes) => {
                let rest = usize::try_from(offset).ok().and_then(|at| bytes.get(at..));
                let rest = rest.unwrap_or_default();
                let n = rest.len().min(buffer.len());
                buffer[..n].copy_from_slice(&rest[..n]);
                Ok(n)
            }
        }
    }
}

/// Why no more can be read of a stream that gave `len` bytes; a decoder's faults are the file's.
fn unreadable(path: &Path, packing: Option<Packing>, len: u64, error: io::Error) -> Error {
    match packing {
        Some(packing) if error.raw_os_error().is_none() => {
            let message = match error.kind() {
                io::ErrorKind::UnexpectedEof => {
                    format!("the file ends after {len} bytes of content")
                }
                io::ErrorKind::Unsupported => error.to_string(),
                _ => format!("damaged after {len} bytes of content: {error}"),
            };
            Error::format(path, packing.to_string(), message)
        }
        _ => Error::io(path)(error),
    }
}

/// Bytes that are free where a file lies; as many as can be where that is not known.
fn room(file: &File) -> u64 {
    #[cfg(unix)]
    if let Ok(found) = rustix::fs::fstatvfs(file) {
        return found.f_bavail.saturating_mul(found.f_frsize);
    }
    let _ = file;
    u64::MAX
}

#[cfg(unix)]
fn read_at(file: &File, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
    std::os::unix::fs::FileExt::read_at(file, buffer, offset)
}

#[cfg(windows)]
fn read_at(file: &File, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
    std::os::windows::fs::FileExt::seek_read(file, buffer, offset)
}

/// A stretch of [`Bytes`] as a stream, for parsers that want one.
#[derive(Debug)]
pub(super) struct Section {
    bytes: Arc<Bytes>,
    position: u64,
    end: u64,
}

impl Section {
    /// A stream that starts at `start` and ends before `end`; positions count from the file's start.
    pub(super) fn new(bytes: Arc<Bytes>, start: u64, end: u64) -> Section {
        let end = end.min(bytes.len());
        Section { bytes, position: start, end }
    }
}

impl Read for Section {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let left = self.end.saturating_sub(self.position);
        let n = buffer.len().min(usize::try_from(left).unwrap_or(usize::MAX));
        let n = self.bytes.read_some(self.position, &mut buffer[..n])?;
        self.position += n as u64;
        Ok(n)
    }
}

impl Seek for Section {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        let position = match to {
            SeekFrom::Start(at) => Some(at),
            SeekFrom::End(by) => self.end.checked_add_signed(by),
            SeekFrom::Current(by) => self.position.checked_add_signed(by),
        };
        self.position = position.ok_or(io::ErrorKind::InvalidInput)?;
        Ok(self.position)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_section_ends_where_it_was_told_to() {
        let bytes = Arc::new(Bytes::memory(Path::new("m"), b"0123456789".to_vec()));
        let mut section = Section::new(bytes, 3, 7);
        let mut text = String::new();
        section.read_to_string(&mut text).unwrap();
        assert_eq!(text, "3456");
        assert_eq!(section.seek(SeekFrom::Current(-2)).unwrap(), 5);
        text.clear();
        section.read_to_string(&mut text).unwrap();
        assert_eq!(text, "56");
        assert!(section.seek(SeekFrom::Current(-8)).is_err());
    }

    #[test]
    fn reading_behind_the_end_names_the_byte() {
        let bytes = Bytes::memory(Path::new("m"), vec![7; 10]);
        let error = bytes.read_exact(8, &mut [0; 4]).unwrap_err();
        assert!(error.to_string().starts_with("m: byte 10:"), "{error}");
        assert_eq!(bytes.head(8, 100).unwrap(), [7, 7]);
        assert!(bytes.head(11, 100).unwrap().is_empty());
    }

    #[test]
    fn a_stream_can_be_read_at_any_place() {
        let recognise = |head: &[u8]| match head {
            b"0123456789" => Ok(()),
            _ => Err("something else".to_owned()),
        };
        let spool = |mut from| Bytes::spool(Path::new("<stdin>"), &mut from, &recognise);
        assert!(spool(&b"012345678"[..]).is_err());
        let bytes = spool(&b"0123456789"[..]).unwrap();
        assert_eq!(bytes.len(), 10);
        for from in [7, 0, 5] {
            assert_eq!(bytes.head(from, 2).unwrap(), &b"0123456789"[from as usize..][..2]);
        }
    }

    #[test]
    fn a_directory_is_an_error() {
        let error = Bytes::of_input(&std::env::temp_dir(), &|_| Ok(())).unwrap_err();
        assert!(matches!(error, Error::Io { .. }));
    }
}
