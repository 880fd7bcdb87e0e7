//! Files of labels alone: NumPy arrays, and text files with one number per line.

use crate::{Error, Result};
use std::path::Path;

/// The first bytes of NumPy's files.
pub(super) const MAGIC: &[u8] = b"\x93NUMPY";

/// Reads the labels in a file: a one-dimensional array of integers in NumPy's format (`.npy`), or
/// a text with one number per line, as in Semantic3D, perhaps below a line that names them. Numbers below 0
/// mean no plane.
///
/// # Errors
/// [`Error::Io`], and [`Error::Format`] with the line, the number of the label or the position in the
/// header.
pub fn read_labels(path: &Path) -> Result<Vec<i32>> {
    let bytes = std::fs::read(path).map_err(Error::io(path))?;
    let labels = if bytes.starts_with(MAGIC) { array(&bytes) } else { text(&bytes) };
    labels.map_err(|(place, message)| Error::format(path, place, message))
}

/// The position of an error, and its message.
type Wrong = (String, String);

fn text(bytes: &[u8]) -> std::result::Result<Vec<i32>, Wrong> {
    let lines = bytes.split(|&byte| byte == b'\n').map(<[u8]>::trim_ascii).enumerate();
    let label = |(i, line): (usize, &[u8])| {
        // Some programs write labels as "2.0".
        let number = fast_float2::parse::<f64, _>(line).ok().filter(|v| v.fract() == 0.0);
        let label = number.filter(|v| (f64::from(i32::MIN)..=f64::from(i32::MAX)).contains(v));
        label.map(|v| v as i32).ok_or_else(|| {
            let shown: String = String::from_utf8_lossy(line).chars().take(20).collect();
            (format!("line {}", i + 1), format!("'{shown}' is no label"))
        })
    };
    let mut lines = lines.filter(|(_, line)| !line.is_empty()).peekable();
    lines.next_if(|(_, line)| is_heading(line));
    lines.map(label).collect()
}

/// Whether a line is the name of the labels below it.
pub(super) fn is_heading(line: &[u8]) -> bool {
    let start = line.iter().position(|byte| !b"#/\" ".contains(byte)).unwrap_or(line.len());
    let name = line[start..].trim_ascii_end();
    let name = name.strip_suffix(b"\"").unwrap_or(name);
    let is_number = fast_float2::parse::<f64, _>(name).is_ok();
    !is_number
        && name.first().is_some_and(u8::is_ascii_alphabetic)
        && name.iter().all(|byte| byte.is_ascii_alphanumeric() || *byte == b'_')
}

fn array(bytes: &[u8]) -> std::result::Result<Vec<i32>, Wrong> {
    let wrong = |message: &str| ("header".to_owned(), message.to_owned());
    let (head, data) = split(bytes).ok_or_else(|| wrong("the file ends early"))?;
    let member = |name: &str| {
        let quoted = head.find(&format!("'{name}'"))?;
        let (_, value) = head[quoted..].split_once(':')?;
        Some(value.trim_start())
    };
    let shape = member("shape").and_then(|v| v.strip_prefix('(')?.split_once(')'));
    let count = shape.and_then(|(shape, _)| shape.strip_suffix(',')?.trim().parse::<usize>().ok());
    let count = count.ok_or_else(|| wrong("not an array of one dimension"))?;
    let kind = member("descr").and_then(|v| v.strip_prefix('\'')?.get(..3));
    let kind = kind.filter(|kind| matches!(&kind[..1], "<" | "|") && head.is_ascii());
    let (signed, size) = match kind.map(|kind| kind.split_at(2)) {
        Some(("<i" | "|i", size)) => (true, size),
        Some(("<u" | "|u", size)) => (false, size),
        _ => return Err(wrong("not an array of little-endian integers")),
    };
    let size: usize = match size {
        "1" | "2" | "4" | "8" => size.parse().unwrap_or(1),
        _ => return Err(wrong("not an array of integers of 1 to 8 bytes")),
    };
    if count.checked_mul(size) != Some(data.len()) {
        return Err(wrong(&format!("{count} labels of {size} bytes, but {} bytes", data.len())));
    }
    let label = |(i, bytes): (usize, &[u8])| {
        let negative = signed && bytes.last().is_some_and(|byte| byte & 0x80 != 0);
        let mut wide = [if negative { 0xff } else { 0 }; 16];
        wide[..size].copy_from_slice(bytes);
        let value = i128::from_le_bytes(wide);
        i32::try_from(value).map_err(|_| (format!("label {i}"), format!("{value} is too large")))
    };
    data.chunks_exact(size).enumerate().map(label).collect()
}

/// The dictionary of a header, and the data after it.
fn split(bytes: &[u8]) -> Option<(&str, &[u8])> {
    let (length, start) = match bytes.get(6)? {
        1 => (usize::from(u16::from_le_bytes(bytes.get(8..10)?.try_into().ok()?)), 10),
        _ => (usize::try_from(u32::from_le_bytes(bytes.get(8..12)?.try_into().ok()?)).ok()?, 12),
    };
    let (head, data) = bytes.get(start..)?.split_at_checked(length)?;
    Some((std::str::from_utf8(head).ok()?, data))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::export::npy::save_npy;

    fn npy(header: &str, data: &[u8]) -> Vec<u8> {
        let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
        bytes.extend((header.len() as u16).to_le_bytes());
        bytes.extend(header.as_bytes());
        bytes.extend(data);
        bytes
    }

    #[test]
    fn what_is_written_is_read_again() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.npy");
        let labels = [-1, 0, 7, i32::MAX, i32::MIN];
        save_npy(&labels, &path).unwrap();
        assert_eq!(read_labels(&path).unwrap(), labels);
        let text = folder.path().join("a.labels");
        std::fs::write(&text, "-1\r\n0\n 7.0\n\n2147483647").unwrap();
        assert_eq!(read_labels(&text).unwrap(), labels[..4]);
    }

    #[test]
    fn integers_of_every_size_are_labels() {
        for (kind, data) in [
            ("|i1", &[0xff, 3][..]),
            ("<i2", &[0xff, 0xff, 3, 0]),
            ("<i8", &[255, 255, 255, 255, 255, 255, 255, 255, 3, 0, 0, 0, 0, 0, 0, 0]),
        ] {
            let header = format!("{{'shape': (2,), 'descr': '{kind}', 'fortran_order': True}}");
            assert_eq!(array(&npy(&header, data)).unwrap(), [-1, 3], "{kind}");
        }
        assert_eq!(array(&npy("{'descr': '|u1', 'shape': (1,)}", &[255])).unwrap(), [255]);
    }

    #[test]
    fn damaged_files_are_refused() {
        let whole = npy("{'descr': '<i4', 'shape': (1,)}", &[1, 0, 0, 0]);
        for length in 6..whole.len() {
            assert!(array(&whole[..length]).is_err(), "{length}");
        }
        for (header, message) in [
            ("{'descr': '<i4', 'shape': (1, 1)}", "not an array of one dimension"),
            ("{'descr': '<i4', 'shape': ()}", "not an array of one dimension"),
            ("{'descr': '<f4', 'shape': (1,)}", "not an array of little-endian integers"),
            ("{'descr': '>i4', 'shape': (1,)}", "not an array of little-endian integers"),
            ("{'descr': '<é', 'shape': (1,)}", "not an array of little-endian integers"),
            ("{'descr': '<i3', 'shape': (1,)}", "not an array of integers of 1 to 8 bytes"),
            ("{'descr': '<i4', 'shape': (2,)}", "2 labels of 4 bytes, but 4 bytes"),
            ("", "not an array of one dimension"),
        ] {
            let error = array(&npy(header, &[1, 0, 0, 0])).unwrap_err();
            assert_eq!(error, ("header".into(), message.into()), "{header}");
        }
        let huge = npy("{'descr': '<i8', 'shape': (9999999999999999999,)}", &[0; 8]);
        assert!(array(&huge).is_err());
        let large = npy("{'descr': '<u4', 'shape': (1,)}", &[255; 4]);
        assert_eq!(array(&large), Err(("label 0".into(), "4294967295 is too large".into())));
    }

    #[test]
    fn lines_that_are_no_labels_are_named() {
        let wrong =
            |what: &str, line| Err((format!("line {line}"), format!("'{what}' is no label")));
        assert_eq!(text(b"1\n\n1.5\n"), wrong("1.5", 3));
        assert_eq!(text(b"1 2 3"), wrong("1 2 3", 1));
        assert_eq!(text(b"3e9"), wrong("3e9", 1));
        assert_eq!(text(b"nan"), wrong("nan", 1));
        assert_eq!(text(b""), Ok(vec![]));
        assert_eq!(text(b"plane_id\n-1\nx\n"), wrong("x", 3));
    }

    #[test]
    fn labels_may_have_a_heading() {
        for heading in ["plane_id", "\"label\"", "# plane_id", "//scalar_plane_id\r"] {
            assert_eq!(text(format!("{heading}\n2\n-1\n").as_bytes()), Ok(vec![2, -1]));
        }
    }
}
