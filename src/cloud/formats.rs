//! The formats of clouds, in one table: a new one is a folder, its declaration in `mod.rs`, and a line here.

use super::{
    Format, PointWriter, ReadOptions, WriteOptions,
    bytes::Bytes,
    depth,
    driver::{Cloud, Driver, ending},
    foreign::foreign,
};
use crate::{Error, Result};
use std::{path::Path, sync::Arc};

/// All formats, in the order in which a file is tried; text is what is nothing else.
///
/// A depth image is none of them: it is an image until a camera is given.
static FORMATS: &[&Driver] = &[
    &super::las::DRIVER,
    &super::ply::DRIVER,
    &super::pcd::DRIVER,
    &super::npy::DRIVER,
    &super::e57::DRIVER,
    &super::text::DRIVER,
];

/// Bytes that tell a format.
const TOLD_BY: usize = 4096;

/// The driver and the format of a file that starts so, or what it is instead.
fn tell(head: &[u8]) -> std::result::Result<(&'static Driver, Format), &'static str> {
    let head = &head[..head.len().min(TOLD_BY)];
    let mut known = FORMATS.iter().filter_map(|driver| Some((*driver, (driver.told)(head)?)));
    known.next().ok_or_else(|| foreign(head).unwrap_or("data of an unknown kind"))
}

/// The format of a cloud that starts so, if it is one.
pub(crate) fn format_of(head: &[u8]) -> Option<Format> {
    tell(head).ok().map(|(_, format)| format)
}

/// Says why a stream that starts so is no cloud, where that can be told before it is read to its end.
pub(crate) fn recognise(head: &[u8]) -> std::result::Result<(), String> {
    (tell(head)?.0.check_stream)(head)
}

/// The same where it is known how it is to be read.
pub(super) fn recognise_with(
    head: &[u8],
    options: &ReadOptions,
) -> std::result::Result<(), String> {
    if options.camera.is_some() && depth::may_be(head) { Ok(()) } else { recognise(head) }
}

/// Opens a file of any format.
pub(super) fn open(
    bytes: &Arc<Bytes>,
    options: &ReadOptions,
) -> Result<(&'static Driver, Box<dyn Cloud>)> {
    if options.camera.is_some() && depth::is_depth(bytes) {
        return Ok((&depth::DRIVER, (depth::DRIVER.open)(bytes, options)?));
    }
    let told = tell(&bytes.head(0, TOLD_BY as u64)?);
    let (driver, _) = told.map_err(|what| Error::unrecognized(bytes.path(), what))?;
    Ok((driver, (driver.open)(bytes, options)?))
}

/// The driver that writes files which are called so.
pub(super) fn writer_of(path: &Path) -> Option<&'static Driver> {
    let ending = ending(path);
    FORMATS.iter().copied().find(|driver| driver.endings.contains(&&*ending))
}

/// The endings of the files that can hold labels, and `more`, in words.
pub(crate) fn labelled_endings(more: &[&'static str]) -> String {
    endings(|driver| driver.save_labelled.is_some(), more)
}

/// The endings of drivers, and `more`, as `.las, .laz or .ply`.
fn endings(of: impl Fn(&Driver) -> bool, more: &[&'static str]) -> String {
    let drivers = FORMATS.iter().filter(|driver| of(driver));
    let endings: Vec<&str> = drivers.flat_map(|d| d.endings).chain(more).copied().collect();
    let (last, first) = endings.split_last().unwrap_or((&"", &[]));
    format!(".{} or .{last}", first.join(", ."))
}

/// Starts a cloud in the format that the extension of `path` names.
///
/// # Errors
/// [`Error::Parameter`] for another extension or a scale or offset that is no number,
/// [`Error::Io`] where the file cannot be made.
pub fn create(path: impl AsRef<Path>, options: &WriteOptions) -> Result<Box<dyn PointWriter>> {
    let path = path.as_ref();
    let create = writer_of(path).and_then(|driver| driver.create).ok_or_else(|| {
        let endings = endings(|driver| driver.create.is_some(), &[]);
        Error::Parameter(format!("{}: a cloud's name ends in {endings}", path.display()))
    })?;
    create(path, options)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cloud::Chunk;

    #[test]
    fn kinds_are_told_by_content() {
        let sniff = |head: &[u8]| tell(head).map(|(_, format)| format);
        assert_eq!(sniff(b""), Err("the file is empty"));
        assert_eq!(sniff(b"LASF"), Ok(Format::LAS));
        let mut laz = [0; 200];
        laz[..4].copy_from_slice(b"LASF");
        laz[104] = 0x83;
        assert_eq!(sniff(&laz), Ok(Format::LAZ));
        assert_eq!(sniff(b"ply\r\nformat"), Ok(Format::PLY));
        assert_eq!(sniff(b"plywood 1 2 3"), Ok(Format::TEXT));
        assert_eq!(sniff(b"# .PCD v0.7\nVERSION 0.7\n"), Ok(Format::PCD));
        assert_eq!(sniff(b"# any\nVERSION .7\nFIELDS x y z\n"), Ok(Format::PCD));
        assert_eq!(sniff(b"VERSION X Y Z\n1 2 3 4\n"), Ok(Format::TEXT));
        assert_eq!(sniff(b"\x93NUMPY"), Ok(Format::NPY));
        let npz = [&b"PK\x03\x04"[..], &[0; 22], b"\x05\0\0\0a.npyrest"].concat();
        assert_eq!(sniff(&npz), Ok(Format::NPZ));
        assert_eq!(sniff(&npz[..33]), Err("a zip archive; unpack it first"));
        assert_eq!(sniff(b"1 2 3\n"), Ok(Format::TEXT));
        assert_eq!(sniff(b"1\x002\x003\x00\n\x00"), Err("binary data of an unknown kind"));
        for (start, what) in crate::cloud::foreign::FOREIGN {
            assert_eq!(sniff(start), Err(what));
        }
    }

    #[test]
    fn the_extension_names_the_format() {
        for name in ["a/b.LAZ", "b.c.txt"] {
            assert!(writer_of(Path::new(name)).is_some());
        }
        for name in ["a", "a.las.gz", "las", ""] {
            let error = create(name, &WriteOptions::default()).err().unwrap().to_string();
            let endings = "a cloud's name ends in .las, .laz, .ply, .pcd, .xyz, .txt, .csv or .pts";
            assert!(error.ends_with(endings), "{error}");
        }
    }

    #[test]
    fn arrays_of_different_lengths_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let chunk = Chunk {
            x: vec![0.0; 2],
            y: vec![0.0; 2],
            z: vec![0.0; 2],
            label: vec![0],
            ..Chunk::default()
        };
        for name in ["a.las", "a.laz", "a.ply", "a.xyz", "a.csv", "a.txt", "a.pts"] {
            let mut writer = create(folder.path().join(name), &WriteOptions::default()).unwrap();
            assert!(matches!(writer.write(&chunk), Err(Error::Parameter(_))));
        }
        assert_eq!(folder.path().read_dir().unwrap().count(), 0);
    }
}
