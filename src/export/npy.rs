//! Writes labels alone, for NumPy.

use crate::atomic::AtomicFile;
use crate::{Error, Result};
use std::io::Write;
use std::path::Path;

/// Writes the labels as a one-dimensional array of `int32` in NumPy's own format, version 1.0.
///
/// # Errors
/// [`Error::Io`] on `path`.
pub fn save_npy(labels: &[i32], path: &Path) -> Result<()> {
    let mut file = AtomicFile::create(path)?;
    write(labels, &mut file).map_err(Error::io(path))?;
    file.commit()
}

fn write(labels: &[i32], mut out: impl Write) -> std::io::Result<()> {
    let dictionary =
        format!("{{'descr': '<i4', 'fortran_order': False, 'shape': ({},), }}", labels.len());
    // Magic, version and length are 10 bytes; the array starts at a multiple of 64.
    let length = (10 + dictionary.len() + 1).next_multiple_of(64) - 10;
    out.write_all(b"\x93NUMPY\x01\x00")?;
    out.write_all(&(length as u16).to_le_bytes())?;
    writeln!(out, "{dictionary:<width$}", width = length - 1)?;
    labels.iter().try_for_each(|l| out.write_all(&l.to_le_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_those_of_the_format() {
        let mut bytes = Vec::new();
        write(&[-1, 0, 258], &mut bytes).unwrap();
        assert_eq!(bytes.len(), 128 + 12);
        assert_eq!(&bytes[..10], b"\x93NUMPY\x01\x00\x76\x00");
        let text = std::str::from_utf8(&bytes[10..128]).unwrap();
        assert_eq!(text.trim_end(), "{'descr': '<i4', 'fortran_order': False, 'shape': (3,), }");
        assert!(text.ends_with(" \n"));
        assert_eq!(bytes[128..], [255, 255, 255, 255, 0, 0, 0, 0, 2, 1, 0, 0]);
    }
}
